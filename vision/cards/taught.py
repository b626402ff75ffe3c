"""What the pictures of a taught deck say about a card that lies free: which card it is, and whether it is the deck's.

The networks propose; where a deck's own pictures are at hand, they know better, for they show this very artwork.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cards.decide import Candidate, overlap
from vision.cards.gallery import ALIKE, Gallery
from vision.cards.labels import BACK

APART = 0.03  # shared area of cards that do not hide each other's pictures
OUTSIDE = 0.04  # of the card's length that may stick out of the picture
CLEAR = 0.97  # a reading at least this sure is only checked, not compared with the next best ones
FIRST = 4  # readings that are compared in any case; the others only where none of these is alike
WORTH = 25.0  # log odds for each unit of likeness that one reading has before another


def judged(
    candidate: Candidate, flat: np.ndarray, deck: Gallery, others: Sequence[Candidate], size: tuple[int, int]
) -> Candidate:
    """The candidate as the deck's pictures see it; unknown where it looks like none of the cards it may be.

    `others` are the candidates of the same picture, whose width and height are `size`. A covered card stays as it is.
    """
    if candidate.label == BACK or not lies_free(candidate, others, size):
        return candidate
    first = deck.likeness(candidate.label, flat)
    if first is not None and first >= ALIKE and candidate.confidence >= CLEAR:
        return replace(candidate, unknown=False)
    alike = {candidate.label: first}
    for label, _ in candidate.readings[1:]:
        if len(alike) >= FIRST and max(value or 0.0 for value in alike.values()) >= ALIKE:
            break
        alike[label] = deck.likeness(label, flat)
    shown = [value for value in alike.values() if value is not None]
    if not shown:
        return candidate  # the deck has no picture of any of these, so nothing speaks against it
    if max(shown) < ALIKE:
        return candidate if first is None else replace(candidate, unknown=True)
    # A card that was not taught yet is neither alike nor unlike; one that was not compared is far behind.
    worth = {label: ALIKE if value is None else value for label, value in alike.items()}
    odds = [(math.log(max(p, 1e-4)) + WORTH * worth.get(label, 0.0), label) for label, p in candidate.readings]
    most = max(odds)[0]
    total = sum(math.exp(value - most) for value, _ in odds)
    ranked = sorted(((math.exp(value - most) / total, label) for value, label in odds), reverse=True)
    return replace(candidate, readings=tuple((label, p) for p, label in ranked), unknown=False)


def lies_free(candidate: Candidate, others: Sequence[Candidate], size: tuple[int, int]) -> bool:
    """Whether nothing that was found lies over the card or under it, and all of it is in the picture."""
    corners = candidate.corners
    slack = OUTSIDE * float(np.linalg.norm(corners[3] - corners[0]))
    if (corners < -slack).any() or (corners > np.array(size) + slack).any():
        return False
    return all(overlap(corners, other.corners) <= APART for other in others if other is not candidate)
