"""What players do in El Truco, as values that print and parse back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rules.game import NotationError
from rules.truco.cards import Card

#: The bids in their order; the index is the level of the stake.
LEVELS = ("mano", "truco", "retruco", "para-nueve", "para-el-toro")
BIDS = LEVELS[1:]
YES, NO, CONCEDE = "quiero", "no-quiero", "me-voy"
WORDS = (*BIDS, YES, NO, CONCEDE)

_MOVE = re.compile(r"([0-3]) ([a-z0-9-]+)", re.ASCII)
UNKNOWN = "?"


def _seat(player: Any) -> None:
    if type(player) is not int or not 0 <= player <= 3:
        raise NotationError(f"a player is a seat from 0 to 3, not {str(player)[:40]!r}")


@dataclass(frozen=True, slots=True)
class Play:
    """A player lays a card."""

    player: int
    card: Card

    def __post_init__(self) -> None:
        _seat(self.player)
        if not isinstance(self.card, Card):
            raise NotationError(f"a play needs a card, not {type(self.card).__name__}")

    def __str__(self) -> str:
        return f"{self.player} {self.card}"


@dataclass(frozen=True, slots=True)
class Say:
    """A player says a bid, an answer, or `me-voy` (gives the hand up)."""

    player: int
    word: str

    def __post_init__(self) -> None:
        _seat(self.player)
        if not isinstance(self.word, str) or self.word not in WORDS:
            raise NotationError(f"nobody says {str(self.word)[:40]!r} in El Truco; the words are {', '.join(WORDS)}")

    @property
    def level(self) -> int:
        """The level of a bid, 1 to 4; 0 for an answer or a concession."""
        return LEVELS.index(self.word) if self.word in BIDS else 0

    def __str__(self) -> str:
        return f"{self.player} {self.word}"


Hand = tuple[Card, ...]
Hands = tuple[Hand | None, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """The next deal. `hands` is knowledge, not a choice: per seat its three cards, None where unknown."""

    hands: Hands | None = None

    def __post_init__(self) -> None:
        if self.hands is not None:
            object.__setattr__(self, "hands", as_hands(self.hands))

    def __str__(self) -> str:
        if self.hands is None:
            return "deal"
        return "deal " + "/".join(UNKNOWN if h is None else ",".join(map(str, h)) for h in self.hands)


Move = Play | Say | Deal


def as_hands(value: Any) -> Hands:
    """Hands from cards or labels, one entry per seat, None where unknown; the cards of a hand are sorted."""
    if not isinstance(value, list | tuple):
        raise NotationError(f"hands are a list with one entry per seat, not {type(value).__name__}")
    hands: list[Hand | None] = []
    for entry in value:
        if entry is not None and not isinstance(entry, list | tuple):
            raise NotationError(f"a hand is a list of cards or null, not {type(entry).__name__}")
        cards = None if entry is None else sorted(map(Card.parse, entry), key=lambda card: (card.suit, card.rank))
        hands.append(None if cards is None else tuple(cards))
    return tuple(hands)


def parse_move(text: Any) -> Move:
    """The move that `str(move)` printed: `0 7-copas`, `1 truco`, `0 no-quiero`, `deal`, `deal 1-oros,…/?`."""
    if not isinstance(text, str):
        raise NotationError(f"a move is text, not {type(text).__name__}")
    if text == "deal":
        return Deal()
    if text.startswith("deal "):
        parts = text[5:].split("/")
        return Deal(as_hands([None if part == UNKNOWN else part.split(",") for part in parts]))
    match = _MOVE.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:40]!r} is not a move; say '0 7-copas', '1 truco', '0 quiero' or 'deal'")
    player, what = int(match[1]), match[2]
    return Say(player, what) if what in WORDS else Play(player, Card.parse(what))
