"""Triominos said again, slowly: tiles are triangles in the plane, found by reflecting what lies on the table.

Shares nothing with the engine but the rules: no lattice, no index of tiles, no states. It counts legal sequences, to
check the committed trees, for rounds in which all hands are known or none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Point = tuple[float, float]
Tile = tuple[int, ...]
Laid = tuple[tuple[Point, int], ...]  # three (point, value), clockwise with y downwards

HEIGHT = 3**0.5 / 2
#: The two ways in which the opening tile may lie: pointing down or up.
FIRST = (((0.0, 0.0), (1.0, 0.0), (0.5, HEIGHT)), ((1.0, 0.0), (1.5, HEIGHT), (0.5, HEIGHT)))


def rounded(x: float, y: float) -> Point:
    return round(x, 6) + 0.0, round(y, 6) + 0.0


def readings(tile: Tile) -> set[Tile]:
    """The tile from each of its corners."""
    return {tile, tile[1:] + tile[:1], tile[2:] + tile[:2]}


def name(tile: Tile) -> Tile:
    return min(readings(tile))


@dataclass(frozen=True)
class Slow:
    """A moment of a game for two. `hands` None: nobody's tiles are known, only that they are not on the table."""

    box: frozenset[Tile]
    hands: tuple[frozenset[Tile], ...] | None
    sizes: tuple[int, int] = (9, 9)
    turn: int = 0
    stock: int = 0
    draws: int = 0
    idle: int = 0
    table: tuple[Laid, ...] = ()
    #: Tiles drawn unseen, by player: the tree goes on, but what they are is open.
    unseen: tuple[int, int] = field(default=(0, 0))

    def gaps(self) -> Iterator[tuple[Point, ...]]:
        """Every empty triangle beside a tile: its third corner is a tile's corner reflected at the opposite side."""
        taken = {frozenset(p for p, _ in laid) for laid in self.table}
        found = {}
        for laid in self.table:
            points = [p for p, _ in laid]
            for i in range(3):
                (ax, ay), (bx, by), (cx, cy) = points[i], points[(i + 1) % 3], points[(i + 2) % 3]
                mirror = rounded(ax + bx - cx, ay + by - cy)
                gap = ((bx, by), (ax, ay), mirror)  # the neighbour runs along the shared side the other way
                if frozenset(gap) not in taken:
                    found[frozenset(gap)] = gap
        yield from found.values()

    def may_hold(self, player: int, tile: Tile) -> bool:
        placed = {name(tuple(v for _, v in laid)) for laid in self.table}
        if tile in placed:
            return False
        if self.hands is None:
            return True
        elsewhere = any(tile in hand for hand in self.hands)
        return tile in self.hands[player] or (self.unseen[player] > 0 and not elsewhere)

    def placements(self) -> Iterator[tuple[Tile, Laid]]:
        corner_values: dict[Point, set[int]] = {}
        for laid in self.table:
            for point, value in laid:
                corner_values.setdefault(rounded(*point), set()).add(value)
        for gap in self.gaps():
            for tile in self.box:
                if self.may_hold(self.turn, tile):
                    for values in readings(tile):
                        pairs = list(zip((rounded(*p) for p in gap), values, strict=True))
                        if all(corner_values.get(p, {v}) == {v} for p, v in pairs):
                            yield tile, tuple(pairs)

    def after_placing(self, tile: Tile, laid: Laid, player: int) -> Slow:
        hands, unseen = self.hands, list(self.unseen)
        if hands is not None:
            if tile not in hands[player]:
                unseen[player] -= 1
            hands = tuple(hand - {tile} for hand in hands)
        sizes = tuple(n - (p == player) for p, n in enumerate(self.sizes))
        return Slow(
            self.box, hands, (sizes[0], sizes[1]), 1 - player, self.stock, 0, 0, (*self.table, laid),
            (unseen[0], unseen[1]),
        )  # fmt: skip

    def openings(self) -> Iterator[Slow]:
        for player in range(2):
            for tile in self.box:
                if self.hands is None or (player, tile) in self.right_openings():
                    for triangle in FIRST:
                        for values in readings(tile):
                            laid = tuple(zip((rounded(*p) for p in triangle), values, strict=True))
                            yield self.after_placing(tile, laid, player)

    def right_openings(self) -> set[tuple[int, Tile]]:
        """The highest triple, or the same player's 0-0-0; without triples the highest sum, first seat first."""
        assert self.hands is not None
        triples = [(tile, player) for player in range(2) for tile in self.hands[player] if len(set(tile)) == 1]
        if triples:
            best, player = max(triples)
            return {(player, best)} | ({(player, (0, 0, 0))} if (0, 0, 0) in self.hands[player] else set())
        top = max(sum(tile) for hand in self.hands for tile in hand)
        first = 0 if any(sum(tile) == top for tile in self.hands[0]) else 1
        return {(first, tile) for tile in self.hands[first] if sum(tile) == top}

    def next_round(self) -> Slow:
        """All hands hidden again: only the first round's are known to this checker."""
        return Slow(self.box, None, (9, 9), 0, len(self.box) - 18)

    def successors(self) -> Iterator[Slow]:
        if not self.table:
            yield from self.openings()
            return
        for tile, laid in self.placements():
            after = self.after_placing(tile, laid, self.turn)
            assert after.sizes[self.turn] > 0, "going out is not followed here"
            yield after
        if self.stock and self.draws < 3:
            yield from self.drawn()
        else:
            idle = self.idle + 1 if not self.stock else 0
            if idle == 2:
                assert self.hands is not None, "hidden hands would have to be declared"
                assert self.unseen == (0, 0)
                yield self.next_round()
            else:
                yield Slow(
                    self.box, self.hands, self.sizes, 1 - self.turn, self.stock, 0, idle, self.table, self.unseen
                )

    def drawn(self) -> Iterator[Slow]:
        """A tile from the stock, unseen; where hands are open also by name, if nobody has it and it is not laid."""
        grown = tuple(n + (p == self.turn) for p, n in enumerate(self.sizes))
        unseen = tuple(n + (p == self.turn) for p, n in enumerate(self.unseen))
        common = (self.turn, self.stock - 1, self.draws + 1, self.idle, self.table)
        yield Slow(self.box, self.hands, (grown[0], grown[1]), *common, (unseen[0], unseen[1]))
        if self.hands is None:
            return
        for tile in self.box:
            if not any(tile in hand for hand in self.hands) and self.may_hold_nobody(tile):
                hands = tuple(hand | {tile} if p == self.turn else hand for p, hand in enumerate(self.hands))
                yield Slow(self.box, hands, (grown[0], grown[1]), *common, self.unseen)

    def may_hold_nobody(self, tile: Tile) -> bool:
        """Not on the table."""
        return all(name(tuple(v for _, v in laid)) != tile for laid in self.table)

    def count(self, depth: int) -> int:
        """Legal sequences of that many moves."""
        if depth == 0:
            return 1
        return sum(after.count(depth - 1) for after in self.successors())
