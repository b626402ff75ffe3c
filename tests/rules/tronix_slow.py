"""Tronix said again, slowly: line ends meet where they are the same point of the plane, and every path is tried.

`SlowChecker` finds circuits and TRONIX lines; `Slow` counts legal sequences, to check the committed trees. Of the
engine they use only the names of faces and cells, and of decks only their JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

Cell = tuple[int, int]
Segment = tuple[Cell, str]
Ends = tuple[tuple[str, float], ...]  # the two ports of a line, sorted
Lines = tuple[Ends, Ends]  # green, pink


def port_of(data: Any) -> tuple[str, float]:
    return (data, 0.5) if isinstance(data, str) else (data[0], data[1])


def lines_of(data: list[dict[str, Any]]) -> Lines:
    """A face from the label format."""
    found = {line["color"]: tuple(sorted(port_of(port) for port in line["ports"])) for line in data}
    return found["green"], found["pink"]


def point(cell: Cell, port: tuple[str, float]) -> tuple[int, int]:
    """Where a port lies in the plane, with cards of 1000 × 1000."""
    (x, y), (side, p) = cell, port
    across, down = {"N": (p, 0.0), "E": (1.0, p), "S": (1 - p, 1.0), "W": (0.0, 1 - p)}[side]
    return round((x + across) * 1000), round((y + down) * 1000)


class SlowChecker:
    """Circuits by brute force on a table of faces."""

    def __init__(self, table: Mapping[Cell, Lines]) -> None:
        ends: dict[Segment, list[tuple[int, int]]] = {}
        for cell, lines in table.items():
            for color, line in zip(("green", "pink"), lines, strict=True):
                ends[cell, color] = [point(cell, port) for port in line]
        self.cells = set(table)
        self.near: dict[Segment, list[tuple[int, Segment, int]]] = {
            a: [
                (i, b, j)
                for b, theirs in ends.items()
                if b[0] != a[0]
                for i, p in enumerate(own)
                for j, q in enumerate(theirs)
                if p == q
            ]
            for a, own in ends.items()
        }

    def paths(self, path: list[Segment], leave: int) -> Iterator[tuple[list[Segment], bool]]:
        """Every way to go on from the end `leave` of the last segment: the path so far, and whether it closed."""
        yield path, False
        for i, other, j in self.near[path[-1]]:
            if i == leave:
                if other == path[0] and j == 0:
                    yield path, True
                elif other not in path:
                    yield from self.paths([*path, other], 1 - j)

    def circuits(self) -> set[frozenset[Segment]]:
        """The segments of each closed walk."""
        return {frozenset(path) for start in self.near for path, closed in self.paths([start], 1) if closed}

    def through_all(self) -> set[frozenset[Segment]]:
        """The longest walks that visit every card, if there are at least two."""
        found = set()
        for start in self.near:
            for leave in (0, 1):
                for path, _ in self.paths([start], leave):
                    if {cell for cell, _ in path} == self.cells and len(self.cells) > 1:
                        found.add(frozenset(path))
        return {one for one in found if not any(one < other for other in found)}

    def group(self, cell: Cell) -> frozenset[Cell]:
        """The cards that hang together with this one."""
        reached = {cell}
        while True:
            more = {other[0] for at, links in self.near.items() if at[0] in reached for _, other, _ in links} - reached
            if not more:
                return frozenset(reached)
            reached |= more


def shares(found: set[frozenset[Segment]]) -> tuple[set[Cell], set[Cell], set[Cell]]:
    """Who gets which card, said again from the rule's own words: green, pink, and those that stay."""
    used = {segment for one in found for segment in one}
    green, pink = {cell for cell, color in used if color == "green"}, {cell for cell, color in used if color == "pink"}
    return green - pink, pink - green, green & pink


def half_turned(lines: Lines) -> Lines:
    over = {"N": "S", "S": "N", "E": "W", "W": "E"}
    green, pink = (tuple(sorted((over[side], p) for side, p in line)) for line in lines)
    return green, pink


@cache
def faces_of(deck: str) -> tuple[tuple[int, tuple[Lines, ...]], ...]:
    """For each design of a portrait deck (as JSON text): how many copies, and every face it can show."""
    import json

    found = []
    for card in json.loads(deck)["cards"]:
        shown = set()
        for side in ("front", "back"):
            lines = lines_of([{"color": color, "ports": card[side][color]} for color in ("green", "pink")])
            shown |= {lines, half_turned(lines)}
        found.append((card["count"], tuple(sorted(shown))))
    return tuple(found)


@dataclass(frozen=True)
class Card:
    """A card on the table and every face it has shown; what it is must be able to show them all."""

    cell: Cell
    face: Lines
    shown: frozenset[Lines]


@dataclass(frozen=True)
class Slow:
    """A table of a portrait deck, told what everybody sees. `gone` are the faces shown by cards taken off it."""

    deck: str
    cards: tuple[Card, ...]
    god: bool
    islands: bool = True
    last: Cell | None = None
    gone: tuple[frozenset[Lines], ...] = ()
    over: bool = False

    def from_one_deck(self, shown: list[frozenset[Lines]]) -> bool:
        """Can every card be a design of its own? Tries all of them."""
        designs = faces_of(self.deck)
        options = [[i for i, (_, faces) in enumerate(designs) if seen <= set(faces)] for seen in shown]
        if sum(count for count, _ in designs) > 40 and all(options) and len(shown) <= 8:
            return True  # eight copies of each: a few cards cannot run out
        return any(all(pick.count(i) <= designs[i][0] for i in pick) for pick in product(*options))

    def cells(self, cards: list[Card]) -> Iterator[Cell]:
        xs, ys = [card.cell[0] for card in cards], [card.cell[1] for card in cards]
        taken = {card.cell for card in cards}
        for x in range(min(xs) - 1, max(xs) + 2):
            for y in range(min(ys) - 1, max(ys) + 2):
                if (x, y) not in taken:
                    yield x, y

    def successors(self) -> Iterator[Slow]:
        if self.over:
            return
        faces = sorted({face for _, shown in faces_of(self.deck) for face in shown})
        for card in self.cards if self.god else (None,):
            if card is not None and card.cell == self.last:
                continue
            rest = [other for other in self.cards if other is not card]
            for cell in self.cells(rest):
                for face in faces:
                    if card is not None and (cell, face) == (card.cell, card.face):
                        continue
                    new = Card(cell, face, frozenset({face}) | (card.shown if card else frozenset()))
                    if self.allowed(card, rest, new):
                        yield self.after(rest, new)

    def allowed(self, card: Card | None, rest: list[Card], new: Card) -> bool:
        now = SlowChecker({c.cell: c.face for c in [*rest, new]})
        if len(now.group(new.cell)) == 1:
            return False
        if not self.from_one_deck([*self.gone, *(c.shown for c in rest), new.shown]):
            return False
        if self.islands or card is None:
            return True
        before = SlowChecker({c.cell: c.face for c in self.cards})
        return all((before.group(c.cell) - {card.cell}) <= now.group(c.cell) for c in rest)

    def after(self, rest: list[Card], new: Card) -> Slow:
        cards = [*rest, new]
        slow = SlowChecker({c.cell: c.face for c in cards})
        tronix = slow.through_all() if self.god else set()
        green, pink, _ = shares(slow.circuits() | tronix)
        left = tuple(c for c in cards if c.cell not in green | pink)
        gone = (*self.gone, *(c.shown for c in cards if c.cell in green | pink))
        over = bool(tronix) or (self.god and len(left) < 2)
        last = new.cell if self.god and new in left else None
        return Slow(self.deck, left, self.god, self.islands, last, gone, over)

    def count(self, depth: int) -> int:
        """Legal sequences of that many moves, as long as the table does not become empty."""
        if depth == 0:
            return 1
        return sum(after.count(depth - 1) for after in self.successors())
