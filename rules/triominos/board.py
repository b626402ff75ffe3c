"""What the tiles on a table allow, forbid and earn: pure functions of a `Table` (cell -> values at its corners).

Everything looks only at the cells around one cell, so the cost of a check does not grow with the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.game import Violation
from rules.triominos.lattice import Cell, around, corners, neighbours
from rules.triominos.tiles import Rules, Tile, Values, fitting, label, mirrored, tile_of, tile_set

Table = Mapping[Cell, Values]

BRIDGE = 40
HEXAGONS = (0, 50, 60, 70)


def place(cell: Cell | None, values: Values, **more: Any) -> dict[str, Any]:
    """The `where` of a violation about a tile: its name, how it lies and in which cell."""
    return {"tile": label(tile_of(values)), "values": list(values), "cell": None if cell is None else str(cell), **more}


def tile_faults(rules: Rules, values: Values, cell: Cell | None) -> list[Violation]:
    """Is it a tile of the box at all?"""
    tile = tile_of(values)
    box = tile_set(rules.tiles)
    if tile in box:
        return []
    name, mirror = label(tile), mirrored(tile)
    if mirror in box:
        return [
            Violation(
                "mirrored_tile",
                f"La ficha {name} no está en el juego: es la imagen de espejo de {label(mirror)}.",
                f"Tile {name} is not in the set: it is the mirror image of {label(mirror)}.",
                place(cell, values, mirror=label(mirror)),
            )
        ]
    return [
        Violation(
            "foreign_tile",
            f"La ficha {name} no está en el juego.",
            f"Tile {name} is not in the set.",
            place(cell, values),
        )
    ]


def off_lattice(values: Values) -> Violation:
    """The tile is not aligned to a neighbour."""
    name = label(tile_of(values))
    return Violation(
        "off_lattice",
        f"La ficha {name} no está alineada con ninguna otra: sus lados deben coincidir enteros.",
        f"Tile {name} is not aligned to any other: whole sides must meet.",
        place(None, values),
    )


def on_table_twice(values: Values, cell: Cell | None, other: Cell) -> Violation:
    """The tile lies on the table already."""
    name = label(tile_of(values))
    return Violation(
        "tile_on_table",
        f"La ficha {name} ya está en la mesa, en {other}.",
        f"Tile {name} is on the table already, at {other}.",
        place(cell, values, other=str(other)),
    )


def overlap(values: Values, cell: Cell, other: Values) -> Violation:
    """Two tiles in a cell."""
    return Violation(
        "overlap",
        f"La ficha {label(tile_of(values))} está encima de {label(tile_of(other))} en {cell}.",
        f"Tile {label(tile_of(values))} lies on top of {label(tile_of(other))} at {cell}.",
        place(cell, values, other=label(tile_of(other))),
    )


def no_side(values: Values, cell: Cell) -> Violation:
    """No full side is shared with another tile."""
    name = label(tile_of(values))
    return Violation(
        "no_side",
        f"La ficha {name} en {cell} no comparte ningún lado con otra ficha.",
        f"Tile {name} at {cell} shares no side with another tile.",
        place(cell, values),
    )


def clashes(table: Table, values: Values, cell: Cell) -> list[Violation]:
    """For each corner of the cell, whose values there differ from the tile's; the cell itself does not count."""
    found = []
    name = label(tile_of(values))
    for number, corner in enumerate(corners(cell)):
        own = values[number]
        others = [(c, table[c], table[c][k]) for c, k in around(corner) if c != cell and c in table]
        others = [entry for entry in others if entry[2] != own]
        if not others:
            continue
        seen = sorted({value for _, _, value in others})
        names = ", ".join(f"{label(tile_of(v))} ({c})" for c, v, _ in others)
        numbers = " y ".join(map(str, seen)), " and ".join(map(str, seen))
        found.append(
            Violation(
                "value_clash",
                f"La ficha {name} en {cell} pone {own} en una esquina donde hay {numbers[0]}: {names}.",
                f"Tile {name} at {cell} puts {own} on a corner that shows {numbers[1]}: {names}.",
                place(
                    cell,
                    values,
                    corner=list(corner),
                    value=own,
                    others=[{"tile": label(tile_of(v)), "cell": str(c)} for c, v, _ in others],
                    other_values=seen,
                ),
            )
        )
    return found


def place_faults(table: Table, values: Values, cell: Cell) -> list[Violation]:
    """Everything that the other tiles have against a tile in this cell: overlap, no side, clashing corners."""
    found = []
    if cell in table:
        found.append(overlap(values, cell, table[cell]))
    if table and not any(other in table for other in neighbours(cell)):
        found.append(no_side(values, cell))
    return found + clashes(table, values, cell)


def supplement(table: Table, cell: Cell, rules: Rules) -> tuple[str, int] | None:
    """What laying a tile in `cell` earns beside its sum: (cause, points), the best only. `cell` counts as filled."""
    around_corners = [[other in table for other, _ in around(corner) if other != cell] for corner in corners(cell)]
    hexagons = sum(all(filled) for filled in around_corners)
    if hexagons:
        return f"hexagon_{hexagons}", HEXAGONS[hexagons]
    sides = [other in table for other in neighbours(cell)]
    if sum(sides) == 1:
        opposite = (sides.index(True) + 2) % 3
        return ("bridge", BRIDGE) if any(around_corners[opposite]) else None
    return ("bridge", BRIDGE) if sum(sides) >= 2 and rules.two_sided_bridge else None


def hexagons(table: Table) -> list[tuple[int, int]]:
    """The lattice corners that six tiles surround."""
    candidates = sorted({corner for cell in table for corner in corners(cell)})
    return [corner for corner in candidates if all(cell in table for cell, _ in around(corner))]


def frontier(table: Table) -> list[Cell]:
    """The empty cells that share a side with a tile, in a fixed order."""
    return sorted({other for cell in table for other in neighbours(cell) if other not in table})


def needed(table: Table, cell: Cell) -> tuple[int | None, int | None, int | None]:
    """The value that each corner of an empty cell must take (None: free), on a table without clashes."""
    result: list[int | None] = []
    for corner in corners(cell):
        result.append(next((table[other][k] for other, k in around(corner) if other in table), None))
    return result[0], result[1], result[2]


def fits(table: Table, rules: Rules) -> Iterator[tuple[Cell, Values]]:
    """Every (cell, values) that a tile of the box could take, used tiles included; lazily, cell by cell."""
    index = fitting(rules.tiles)
    for cell in frontier(table):
        for values in index.get(needed(table, cell), ()):
            yield cell, values


def fits_of(table: Table, tile: Tile) -> Iterator[tuple[Cell, Values]]:
    """Every (cell, values) where one tile could lie."""
    index = fitting((tile,))
    for cell in frontier(table):
        for values in index.get(needed(table, cell), ()):
            yield cell, values
