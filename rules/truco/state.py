"""A match of El Truco at one moment: toros, tantos, boards, what is known of the hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, ScoreLine, no_extra, require
from rules.truco.board import Board, Laid
from rules.truco.moves import Hands

HALF = 9
TORO = 2 * HALF
BIG, SMALL = 3, 1


@dataclass(frozen=True, slots=True)
class Rules:
    """House rules. `toros`: how many toros win the match."""

    toros: int = 3

    def __post_init__(self) -> None:
        if type(self.toros) is not int or not 1 <= self.toros <= 99:
            raise NotationError("'toros' must be a whole number from 1 to 99")

    def to_json(self) -> Json:
        """A plain dictionary."""
        return {"toros": self.toros}

    @classmethod
    def from_json(cls, data: Any) -> Rules:
        """The rules that `to_json` gave; options that are left out keep their defaults."""
        toros = require(data, "toros", int, cls().toros)
        no_extra(data, ("toros",), "El Truco")
        return cls(toros)


@dataclass(frozen=True, slots=True)
class Coins:
    """A tally as it lies on the table: the half it is counted in and its coins."""

    half: str
    big: int
    small: int

    def to_json(self) -> Json:
        """A plain dictionary."""
        return {"half": self.half, "big": self.big, "small": self.small}


def coins(tantos: int) -> Coins:
    """The coins for 0 to 18 tantos: up to 9 they count las malas, from 10 on las buenas (5 = 1 big + 2 small)."""
    if type(tantos) is not int or not 0 <= tantos <= TORO:
        raise NotationError(f"a toro has from 0 to {TORO} tantos")
    half, count = ("malas", tantos) if tantos <= HALF else ("buenas", tantos - HALF)
    return Coins(half, *divmod(count, BIG))


@dataclass(frozen=True, slots=True)
class Tally:
    """One side's toros and its tantos in the present toro."""

    team: int
    toros: int
    tantos: int
    coins: Coins

    def to_json(self) -> Json:
        """A plain dictionary."""
        return {"team": self.team, "toros": self.toros, "tantos": self.tantos, "coins": self.coins.to_json()}


@dataclass(frozen=True, slots=True)
class State:
    """A position. `hands` holds what is left in each hand, None where it is unknown."""

    dealer: int
    boards: tuple[Board, ...]
    hands: Hands
    toros: tuple[int, int] = (0, 0)
    tantos: tuple[int, int] = (0, 0)
    lines: tuple[ScoreLine, ...] = ()
    ply: int = 0
    over: bool = False

    @property
    def laid(self) -> tuple[Laid, ...]:
        """Every card laid in this deal."""
        return tuple(laid for board in self.boards for laid in board.laid)

    def board_of(self, seat: int) -> int:
        """The index of the board where that seat plays."""
        return next(index for index, board in enumerate(self.boards) if seat in board.seats)


def deal_boards(dealer: int, seats: int) -> tuple[Board, ...]:
    """The boards of a deal: the dealer (and the partner opposite) de postre, the player to their right leads."""
    return tuple(Board(lead=(dealer + k + 1) % seats, postre=(dealer + k) % seats) for k in range(0, seats, 2))
