"""A moment of a game of Trichón, what is known of the hands, and the options of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rules.game import Json, NotationError, RulesError, ScoreLine, no_extra
from rules.trichon.cards import JOKERS, Card, Cell, Line

JOKER = "comodin"


@dataclass(frozen=True, slots=True)
class Rules:
    """What a table may agree on. `must_claim`: a player whose card completes a line has to claim one."""

    must_claim: bool = True

    def __post_init__(self) -> None:
        if type(self.must_claim) is not bool:
            raise RulesError("must_claim is true or false")

    def to_json(self) -> Json:
        """Only what differs from the usual rules."""
        return {} if self.must_claim else {"must_claim": False}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rules:
        """The rules that `to_json` gave; unknown options are refused."""
        if not isinstance(data, Mapping):
            raise NotationError("the rules are an object")
        no_extra(data, ["must_claim"], "the rules of Trichón")
        return cls(**data)


def name_of(card: Card) -> str:
    """The physical card behind a played one: its cell's name, or `comodin` whatever it stands for."""
    return JOKER if card.joker else str(card.cell)


class Hand(NamedTuple):
    """What is known of a hand: the cards that somebody named, and how many more there are."""

    known: tuple[str, ...]
    unknown: int

    @property
    def size(self) -> int:
        """How many cards."""
        return len(self.known) + self.unknown

    def without(self, cards: Sequence[Card]) -> Hand:
        """The hand after playing cards: named ones first, the rest from the unknown ones."""
        known, unknown = list(self.known), self.unknown
        for card in cards:
            if name_of(card) in known:
                known.remove(name_of(card))
            else:
                unknown -= 1
        return Hand(tuple(known), unknown)


@dataclass(frozen=True, slots=True)
class State:
    """One moment. `marks` maps marked cells to whether a comodín marked them; `played` are the real cards in the pozo,
    dead ones included, `jokers` the comodines there; `claims` maps lines to players; `coming` are the known
    cards on top of the stock. `end` says why the game ended.
    """

    turn: int | None
    marks: dict[Cell, bool]
    played: frozenset[Cell]
    jokers: int
    claims: dict[Line, int]
    hands: tuple[Hand, Hand]
    stock: int
    coming: tuple[str, ...] = ()
    lines: tuple[ScoreLine, ...] = ()
    ply: int = 0
    end: str = ""


class Held:
    """Which cards a player may hold, by everything that is known."""

    def __init__(self, state: State, player: int) -> None:
        self.state, self.hand = state, state.hands[player]
        known = [*state.coming, *(card for hand in state.hands for card in hand.known)]
        self.seen = frozenset(known)
        # Comodines that nobody has seen yet may be among the unknown cards.
        self.hidden_jokers = JOKERS - state.jokers - known.count(JOKER)
        self.jokers = self.hand.known.count(JOKER) + min(self.hand.unknown, self.hidden_jokers)

    def may_hold(self, cards: Sequence[Card]) -> bool:
        """Can all of these be in the hand together? (Whether they were played before is another question.)"""
        jokers = sum(card.joker for card in cards)
        extra = max(0, jokers - self.hand.known.count(JOKER))
        for card in cards:
            if not card.joker and str(card.cell) not in self.hand.known:
                if str(card.cell) in self.seen:
                    return False
                extra += 1
        return jokers <= self.jokers and extra <= self.hand.unknown
