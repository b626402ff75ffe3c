"""The Spanish deck as El Truco uses it: forty cards, their order, and their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rules.game import NotationError

SUITS = ("espadas", "copas", "oros", "bastos")
JOKER = "comodin"
#: Ranks from high to low; the suit never matters.
ORDER = (3, 2, 1, 12, 11, 10, 7, 6, 5, 4)
STRENGTH = {rank: len(ORDER) - place for place, rank in enumerate(ORDER)}

_LABEL = re.compile(r"([1-9]|1[0-2])-(espadas|copas|oros|bastos)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Card:
    """A card by rank and suit; the comodín is rank 0 of no suit. An 8 or a 9 can be named, though never played."""

    rank: int
    suit: str

    def __post_init__(self) -> None:
        if type(self.rank) is not int or not isinstance(self.suit, str):
            raise NotationError("a card is a whole rank and a suit")
        if (self.rank, self.suit) != (0, "") and (not 1 <= self.rank <= 12 or self.suit not in SUITS):
            raise NotationError(f"no Spanish card has rank {self.rank!r} and suit {self.suit!r}")

    @property
    def is_joker(self) -> bool:
        """Whether this is a comodín."""
        return self.rank == 0

    @property
    def in_deck(self) -> bool:
        """Whether it is one of the forty cards of El Truco."""
        return self.rank in STRENGTH

    @property
    def strength(self) -> int:
        """10 for a three down to 1 for a four; 0 for what is not in the deck."""
        return STRENGTH.get(self.rank, 0)

    def __str__(self) -> str:
        return JOKER if self.is_joker else f"{self.rank}-{self.suit}"

    @classmethod
    def parse(cls, label: Any) -> Card:
        """The card of a label such as `7-copas` or `comodin` (a `Card` is passed through)."""
        if isinstance(label, Card):
            return label
        if not isinstance(label, str):
            raise NotationError(f"a card is a label such as '7-copas', not {type(label).__name__}")
        if label == JOKER:
            return cls(0, "")
        match = _LABEL.fullmatch(label)
        if match is None:
            raise NotationError(f"{label[:40]!r} is not a card; say '7-copas', '12-oros' or 'comodin'")
        return cls(int(match[1]), match[2])


DECK = tuple(Card(rank, suit) for suit in SUITS for rank in (*range(1, 8), 10, 11, 12))
