"""A table by itself, as one photo shows it, and one table against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.game import RulesError, ScoreLine, Violation
from rules.triominos import board
from rules.triominos.draw import draw_table
from rules.triominos.lattice import Cell, Corner, around, checked_cell, corners, neighbours, parse_cell
from rules.triominos.tiles import Rules, Tile, Values, checked_values, label, tile_of


class Laid(NamedTuple):
    """A tile seen on the table: values clockwise from the first corner of its cell (None: it lies crooked)."""

    values: Values
    cell: Cell | None


def read_tiles(tiles: object) -> list[Laid]:
    """`(label or three values, cell or its text or None)` pairs, checked."""
    if not isinstance(tiles, list | tuple):
        raise RulesError("tiles are a list of (label, cell) pairs")
    result = []
    for entry in tiles:
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise RulesError(f"a tile on the table is (label, cell), not {str(entry)[:40]}")
        values, cell = entry
        if cell is not None:
            cell = (
                parse_cell(cell)
                if isinstance(cell, str)
                else checked_cell(tuple(cell) if isinstance(cell, list) else cell)
            )
        result.append(Laid(checked_values(values), cell))
    return result


class Position:
    """Tiles on a table without a history: what is illegal about them, what they add up to, what they allow.

    `violations` holds everything wrong; `points` is the sum of all tiles (what an open hand counts); `table` has the
    first tile of each cell; `groups` the cells joined by sides, largest first; `hexagons` the corners that six
    tiles surround.
    """

    def __init__(self, tiles: Sequence[Any], rules: Rules) -> None:
        if not isinstance(rules, Rules):
            raise RulesError("rules must be a triominos.Rules")
        self.rules = rules
        self.tiles: tuple[Laid, ...] = tuple(read_tiles(tiles))
        self.table: dict[Cell, Values] = {}
        for values, cell in self.tiles:
            if cell is not None:
                self.table.setdefault(cell, values)
        self.groups = _groups(self.table)
        self.hexagons: list[Corner] = board.hexagons(self.table)
        self.points = sum(sum(tile.values) for tile in self.tiles)
        self.violations: tuple[Violation, ...] = tuple(self._faults())

    def _faults(self) -> list[Violation]:
        found: list[Violation] = []
        first: dict[Tile, Cell | None] = {}
        filled: set[Cell] = set()
        stray = {cell for group in self.groups[1:] for cell in group}
        for values, cell in self.tiles:
            found += board.tile_faults(self.rules, values, cell)
            tile = tile_of(values)
            if tile in first:
                found.append(_twice(values, cell, first[tile]))
            first.setdefault(tile, cell)
            if cell is None:
                found.append(board.off_lattice(values))
                continue
            if cell in filled:
                found.append(board.overlap(values, cell, self.table[cell]))
            elif cell in stray:
                found.append(_apart(values, cell))
            filled.add(cell)
        return found + _corner_clashes(self.table)

    @property
    def lines(self) -> tuple[ScoreLine, ...]:
        """One line for each tile, in the order given."""
        return tuple(ScoreLine(0, f"tile {label(tile_of(t.values))}", sum(t.values)) for t in self.tiles)

    def earns(self, cell: Cell) -> tuple[ScoreLine, ...]:
        """What the tile in this cell earned if it was laid last: its sum and the supplement."""
        if cell not in self.table:
            raise RulesError(f"no tile lies at {str(cell)[:40]}")
        lines = [ScoreLine(0, "tile", sum(self.table[cell]))]
        extra = board.supplement(self.table, cell, self.rules)
        if extra:
            lines.append(ScoreLine(0, *extra))
        return tuple(lines)

    def placements(self, tile: Any) -> list[Laid]:
        """Every place beside these tiles where another tile could lie."""
        name = tile_of(checked_values(tile))
        return [Laid(values, cell) for cell, values in board.fits_of(self.table, name)]

    def draw(self) -> str:
        """The table as SVG; tiles with a violation are marked."""
        bad = {v.where.get("cell") for v in self.violations}
        return draw_table(self.table, None, [f"Σ {self.points}"], {cell for cell in self.table if str(cell) in bad})


def _twice(values: Values, cell: Cell | None, other: Cell | None) -> Violation:
    if other is not None:
        return board.on_table_twice(values, cell, other)
    name = label(tile_of(values))
    return Violation(
        "tile_on_table",
        f"La ficha {name} está dos veces en la mesa.",
        f"Tile {name} is on the table twice.",
        board.place(cell, values, other=None),
    )


def _apart(values: Values, cell: Cell) -> Violation:
    name = label(tile_of(values))
    return Violation(
        "no_side",
        f"La ficha {name} en {cell} no está unida por un lado al resto de la mesa.",
        f"Tile {name} at {cell} is not joined by a side to the rest of the table.",
        board.place(cell, values),
    )


def _corner_clashes(table: Mapping[Cell, Values]) -> list[Violation]:
    """One violation for each lattice corner where tiles disagree; the tile in the minority is the one named first."""
    found = []
    for corner in sorted({c for cell in table for c in corners(cell)}):
        shown = [(cell, table[cell][k]) for cell, k in around(corner) if cell in table]
        counts = sorted({v for _, v in shown}, key=lambda v: (sum(w == v for _, w in shown), v))
        if len(counts) < 2:
            continue
        shown.sort(key=lambda entry: (counts.index(entry[1]), entry[0]))
        names = ", ".join(f"{label(tile_of(table[c]))} ({c}): {v}" for c, v in shown)
        cell, value = shown[0]
        found.append(
            Violation(
                "value_clash",
                f"En una esquina no coinciden los valores: {names}.",
                f"The values at a corner do not agree: {names}.",
                board.place(
                    cell,
                    table[cell],
                    corner=list(corner),
                    value=value,
                    others=[{"tile": label(tile_of(table[c])), "cell": str(c)} for c, v in shown if v != value],
                    other_values=sorted(counts[1:]),
                ),
            )
        )
    return found


def _groups(table: Mapping[Cell, Values]) -> list[list[Cell]]:
    left, groups = set(table), []
    for start in sorted(table):
        if start not in left:
            continue
        left.discard(start)
        group = [start]
        for cell in group:  # grows while it is walked
            for other in neighbours(cell):
                if other in left:
                    left.discard(other)
                    group.append(other)
        groups.append(sorted(group))
    return sorted(groups, key=lambda g: (-len(g), g))


@dataclass(frozen=True, slots=True)
class TableChange:
    """What changed on a table: tiles that are new, and what must not happen to those that were there."""

    new: tuple[Laid, ...]
    violations: tuple[Violation, ...]


def compare(before: Mapping[Cell, Values], tiles: Sequence[Any]) -> TableChange:
    """The tiles seen now against the table before: a tile once placed may neither move, turn nor go away."""
    seen = read_tiles(tiles)
    unmatched = list(seen)
    gone: list[Laid] = []
    for cell, values in before.items():
        laid = Laid(values, cell)
        if laid in unmatched:
            unmatched.remove(laid)
        else:
            gone.append(laid)
    found = []
    for laid in gone:
        name = label(tile_of(laid.values))
        now = next((other for other in unmatched if tile_of(other.values) == tile_of(laid.values)), None)
        if now is None:
            found.append(
                Violation(
                    "tile_removed",
                    f"La ficha {name} de {laid.cell} ya no está en la mesa.",
                    f"Tile {name} of {laid.cell} is no longer on the table.",
                    board.place(laid.cell, laid.values),
                )
            )
            continue
        unmatched.remove(now)
        to = "?" if now.cell is None else str(now.cell)
        found.append(
            Violation(
                "tile_moved",
                f"La ficha {name} se ha movido de {laid.cell} a {to}."
                if now.cell != laid.cell
                else f"La ficha {name} de {laid.cell} ha sido girada.",
                f"Tile {name} was moved from {laid.cell} to {to}."
                if now.cell != laid.cell
                else f"Tile {name} of {laid.cell} was turned.",
                board.place(laid.cell, laid.values, to=to),
            )
        )
    return TableChange(tuple(unmatched), tuple(found))
