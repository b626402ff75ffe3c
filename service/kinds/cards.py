"""A deck of Spanish cards: faces with embeddings, which become a gallery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from service.kinds.base import Deck, Found, Json, Look, mirrored, settle_single, unknown_label
from vision.cards.faces import probabilities
from vision.cards.geometry import flatten
from vision.cards.labels import FACES
from vision.state import Piece

# How much better mirrored cards must read, on the average, before a picture is called a mirror image. The face of most
# cards can be read either way, so it is not much: 0.1 for eight cards of a picture that is one, below 0.01 for others.
MIRRORED = 0.03


class Teacher(Protocol):
    """What enrolment needs of the card reader."""

    faces: Any

    def embed(self, image: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        """Every card of a picture with its embedding."""


class Cards:
    """Decks of 40, 48 or 50 cards. Without a `teacher` it knows the cards, but cannot see any."""

    name = "cards"
    games: tuple[str, ...] = ("truco", "trichon")

    def __init__(self, teacher: Callable[[], Teacher] | None = None) -> None:
        self._teacher = teacher

    def wanted(self, deck: Deck) -> list[str]:
        """The cards that a deck of this size has."""
        return [face for face in FACES if _belongs(face, deck.size)]

    def canonical(self, label: str) -> str:
        """One of the fifty faces."""
        if label not in FACES:
            raise unknown_label(label, "a Spanish card", "una carta española")
        return label

    def see(self, image: np.ndarray) -> list[Found]:
        """Cards with their embeddings."""
        assert self._teacher is not None
        teacher = self._teacher()
        seen = [(piece, unit) for piece, unit in teacher.embed(image) if piece.kind == "card"]
        found = [Found(piece, flatten(image, np.array(piece.corners, float)), unit) for piece, unit in seen]
        if len(found) >= 3:
            _refuse_mirrored(teacher, np.stack([one.crop for one in found]))
        return found

    def settle(self, deck: Deck, new: Sequence[Look]) -> None:
        """Sure proposals that the deck can have are taken."""
        settle_single(deck, new, self.wanted(deck))

    def learnt(self, deck: Deck) -> Json:
        """Nothing in words: a gallery is made of it."""
        return {}


def _belongs(label: str, size: int) -> bool:
    if label == "comodin":
        return size == 50
    number = int(label.split("-", maxsplit=1)[0])
    return size >= 48 or number not in (8, 9)


def _refuse_mirrored(teacher: Teacher, patches: np.ndarray) -> None:
    """A mirrored picture (a selfie camera) teaches the wrong cards: indices and figures face the other way."""
    plain = np.mean([probabilities(face.logits).max() for face in teacher.faces.read(patches)])
    turned = np.ascontiguousarray(patches[:, :, ::-1])
    other = np.mean([probabilities(face.logits).max() for face in teacher.faces.read(turned)])
    if other > plain + MIRRORED:
        raise mirrored()
