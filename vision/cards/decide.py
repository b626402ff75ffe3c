"""From probabilities to reports: one per card, and the deck's own facts where the pixels leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.cards.labels import BACK


@dataclass(frozen=True)
class Candidate:
    """One card as read so far: where it is, its labels with probabilities (best first), and the detector's score."""

    box: tuple[float, float, float, float]
    corners: np.ndarray
    readings: tuple[tuple[str, float], ...]
    score: float
    raw: tuple[float, float, float] = (0.0, 0.0, 0.0)  # what the confidence was made of
    unknown: bool = False  # a deck was recognised, and this is no card of it

    @property
    def label(self) -> str:
        """The best label."""
        return self.readings[0][0]

    @property
    def confidence(self) -> float:
        """Its probability."""
        return self.readings[0][1]


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two convex quadrilaterals."""
    a, b = first.astype(np.float32), second.astype(np.float32)
    shared = cv2.intersectConvexConvex(a, b)[0]
    union = cv2.contourArea(a) + cv2.contourArea(b) - shared
    return float(shared / union) if union > 0 else 0.0


def without_doubles(candidates: Sequence[Candidate], most: float = 0.6) -> list[Candidate]:
    """Two boxes on one card become one: the more confident stays.

    Cards of different labels may lie almost squarely on each other, so those are taken for one only where the
    overlap leaves no room for an edge to show.
    """
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: -c.confidence * c.score):
        limits = ((most if candidate.label == other.label else 0.8, other) for other in kept)
        if all(overlap(candidate.corners, other.corners) <= limit for limit, other in limits):
            kept.append(candidate)
    return kept


def one_of_each(candidates: Sequence[Candidate], clear: float = 0.8, close: float = 0.4) -> list[Candidate]:
    """A deck has one of each card: of two that read alike, an unclear one with a close second reading takes that.

    A clear reading stays as it is even where it doubles another: a doubled card must be seen as what it is.
    """
    taken: dict[str, int] = {}
    result = list(candidates)
    for i in sorted(range(len(result)), key=lambda i: -result[i].confidence):
        mine = result[i]
        if mine.label == BACK:
            continue
        if mine.label in taken and mine.confidence < clear:
            free = [
                (n, p) for n, p in mine.readings[1:] if n not in taken and n != BACK and p >= close * mine.confidence
            ]
            if free:
                rest = tuple(r for r in mine.readings if r != free[0])
                result[i] = replace(mine, readings=(free[0], *rest))
        taken.setdefault(result[i].label, i)
    return result
