"""The faces the card networks tell apart, in the order of their outputs."""

from __future__ import annotations

from vision.cards.labels import BACK, FACES, LABELS

__all__ = ["BACK", "FACES", "INDEX", "LABELS", "NUMBERS", "NUMBER_OF", "SUITS", "SUIT_OF"]

INDEX = {label: i for i, label in enumerate(LABELS)}
# A joker and a back are numbers and suits of their own.
NUMBERS = tuple(dict.fromkeys(label.split("-")[0] for label in LABELS))
SUITS = tuple(dict.fromkeys(label.split("-")[-1] for label in LABELS))
NUMBER_OF = [NUMBERS.index(label.split("-")[0]) for label in LABELS]
SUIT_OF = [SUITS.index(label.split("-")[-1]) for label in LABELS]
