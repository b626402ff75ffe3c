"""Following lines over the table: circuits, TRONIX lines, what they award, and groups of connected cards.

No two lines of a face share a port and a port faces at most one other, so the line segments on a table form a graph in
which nothing has more than two neighbours: every component is an open line or a circuit, and one pass finds them all,
exactly, in time proportional to the number of cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules.tronix.deck import COLORS, Cell, Face, Port

Segment = tuple[Cell, str]
Table = Mapping[Cell, Face]


@dataclass(frozen=True)
class Walk:
    """A whole line over the table, segment by segment (cell and colour); closed, it is a circuit.

    The spelling is canonical (least segment first, then its lesser neighbour), so equal walks are equal objects.
    """

    segments: tuple[Segment, ...]
    closed: bool

    @property
    def cells(self) -> frozenset[Cell]:
        """The cards that the walk visits, each once."""
        return frozenset(cell for cell, _ in self.segments)


@dataclass(frozen=True)
class Award:
    """Which cards of some circuits go to green, which to pink, and which stay because both their colours are in."""

    green: tuple[Cell, ...]
    pink: tuple[Cell, ...]
    stay: tuple[Cell, ...]

    @property
    def points(self) -> tuple[int, int]:
        """Cards for green, cards for pink."""
        return len(self.green), len(self.pink)


def award(walks: Iterable[Walk]) -> Award:
    """Share out the cards of all `walks` together: each card once, to the colour it contributes, to nobody if both."""
    colors: dict[Cell, set[str]] = {}
    for walk in walks:
        for cell, color in walk.segments:
            colors.setdefault(cell, set()).add(color)
    both = {cell for cell, found in colors.items() if len(found) == 2}
    green = (cell for cell, found in colors.items() if "green" in found and cell not in both)
    pink = (cell for cell, found in colors.items() if "pink" in found and cell not in both)
    return Award(tuple(sorted(green)), tuple(sorted(pink)), tuple(sorted(both)))


def _follow(table: Table, cell: Cell, port: Port) -> tuple[Cell, Port] | None:
    """Across the border at `port`: the neighbouring card and the port by which the line enters it."""
    (dx, dy), facing = table[cell].doors[port]
    there = (cell[0] + dx, cell[1] + dy)
    face = table.get(there)
    return (there, facing) if face is not None and facing in face.ends else None


def _run(table: Table, start: Segment, leave: Port) -> tuple[list[Segment], bool]:
    """The segments after `start` when leaving it by `leave`, and whether the walk came back to where it began."""
    cell, color = start
    origin = cell, table[cell].ends[leave][1]  # the other end of the first segment: entering there closes the walk
    segments: list[Segment] = []
    port = leave
    while True:
        step = _follow(table, cell, port)
        if step is None:
            return segments, False
        if step == origin:
            return segments, True
        cell, entered = step
        color, port = table[cell].ends[entered]
        segments.append((cell, color))


def trace(table: Table, cell: Cell, color: str) -> Walk:
    """The whole line that a card's segment of one colour belongs to."""
    start = cell, color
    first, last = table[cell].line(color)
    ahead, closed = _run(table, start, last)
    if closed:
        return Walk(_canonical_ring([start, *ahead]), True)
    back, _ = _run(table, start, first)
    path = [*reversed(back), start, *ahead]
    return Walk(tuple(path if path[0] <= path[-1] else reversed(path)), False)


def _canonical_ring(ring: list[Segment]) -> tuple[Segment, ...]:
    at = ring.index(min(ring))
    forward = ring[at:] + ring[:at]
    backward = [forward[0], *reversed(forward[1:])]
    return tuple(min(forward, backward))


def walks(table: Table) -> list[Walk]:
    """Every line on the table, open or closed, each once."""
    seen: set[Segment] = set()
    found = []
    for cell in sorted(table):
        for color in COLORS:
            if (cell, color) not in seen:
                walk = trace(table, cell, color)
                seen.update(walk.segments)
                found.append(walk)
    return found


def circuits(table: Table) -> list[Walk]:
    """Every circuit on the table."""
    return [walk for walk in walks(table) if walk.closed]


def lines_through_all(table: Table) -> list[Walk]:
    """The TRONIX lines: those that visit every card on the table (at least two cards)."""
    if len(table) < 2:
        return []
    some = min(table)
    lines = {trace(table, some, color) for color in COLORS}
    return sorted((walk for walk in lines if len(walk.cells) == len(table)), key=lambda walk: walk.segments)


def joined(table: Table, cell: Cell, face: Face) -> list[Cell]:
    """The cards that a card showing `face` at `cell` touches through at least one pair of facing ports."""
    found = set()
    for (dx, dy), facing in face.doors.values():
        there = (cell[0] + dx, cell[1] + dy)
        other = table.get(there)
        if other is not None and facing in other.ends:
            found.add(there)
    return sorted(found)


def groups(table: Table) -> dict[Cell, Cell]:
    """For each card the least cell of its group: the cards it hangs together with through facing ports."""
    label: dict[Cell, Cell] = {}
    for first in sorted(table):
        if first in label:
            continue
        label[first] = first
        waiting = [first]
        while waiting:
            cell = waiting.pop()
            for there in joined(table, cell, table[cell]):
                if there not in label:
                    label[there] = first
                    waiting.append(there)
    return label


def frontier(table: Table) -> list[tuple[Cell, set[Port]]]:
    """The empty cells that a port opens to, top to bottom, each with the ports by which a card there would connect."""
    beside: dict[Cell, set[Port]] = {}
    for (x, y), face in table.items():
        for (dx, dy), facing in face.doors.values():
            there = (x + dx, y + dy)
            if there not in table:
                beside.setdefault(there, set()).add(facing)
    return sorted(beside.items(), key=lambda item: (item[0][1], item[0][0]))
