"""A deck of Spanish cards: faces with embeddings, which become a gallery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import cv2
import numpy as np

from service.kinds.base import Deck, Found, Json, Look, mirrored, settle_single, unknown_label
from vision.cards.faces import probabilities
from vision.cards.geometry import flatten
from vision.cards.labels import FACES
from vision.state import Piece

# Evidence for a mirror image: how much better the cards read when mirrored, and on which side their indices stand. With
# eight cards a mirror image has 0.07 to 0.3 of it, any other picture none.
MIRRORED = 0.04
SIDES = 0.6  # what the side of the indices counts beside the reading, which says little of a deck never seen
INDEX = (0.065, 0.2, 0.05, 0.155)  # where the index stands on the flat card: from left to right, from top to bottom


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
    sides = np.mean([index_side(patch) for patch in patches])
    if other - plain - SIDES * sides > MIRRORED:
        raise mirrored()


def index_side(patch: np.ndarray) -> float:
    """1 where all the ink in the corners of a flat card is top left and bottom right, −1 where it is in the others."""
    height, width = patch.shape[:2]
    darkest = cv2.GaussianBlur(patch, (0, 0), 0.8).astype(np.float32).min(2)
    left, right, top, bottom = (round(f * n) for f, n in zip(INDEX, (width, width, height, height), strict=True))
    ink = []
    for upright in (darkest, darkest[::-1, ::-1]):
        for side in (upright, upright[:, ::-1]):
            corner = side[top:bottom, left:right]
            ink.append(float(np.clip(np.quantile(corner, 0.8) - corner - 20, 0, None).mean()))
    usual, mirror = ink[0] + ink[2], ink[1] + ink[3]
    return (usual - mirror) / (usual + mirror + 2)
