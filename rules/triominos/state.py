"""One moment of a game of Triominos."""

from __future__ import annotations

from dataclasses import dataclass

from rules.game import ScoreLine
from rules.triominos.lattice import Cell
from rules.triominos.tiles import Hand, Tile, Values

DRAWS_PER_TURN = 3


@dataclass(frozen=True, slots=True)
class State:
    """One moment of a game. `phase`: `opening` (anybody who may), `play`, `hands` (sums are being said) or `over`.

    `table` maps cells to values, `placed` tiles to cells. `draws` counts this turn's; `idle` the turns in succession
    that ended without a placement and with an empty stock. `declared` is what is known of hands at a round's end.
    """

    round: int
    phase: str
    turn: int | None
    table: dict[Cell, Values]
    placed: dict[Tile, Cell]
    hands: tuple[Hand, ...]
    stock: int
    draws: int = 0
    idle: int = 0
    out: int | None = None
    declared: tuple[int | None, ...] = ()
    lines: tuple[ScoreLine, ...] = ()
    ply: int = 0

    @property
    def seen(self) -> set[Tile]:
        """Tiles that cannot be in the stock or in an unknown part of a hand."""
        return set(self.placed).union(*(hand.known for hand in self.hands))

    def may_hold(self, player: int, tile: Tile, seen: set[Tile]) -> bool:
        """Can the player have this tile? `seen` is the property of that name, which a loop makes once."""
        hand = self.hands[player]
        return tile in hand.known or (hand.unknown > 0 and tile not in seen)
