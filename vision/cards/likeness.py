"""How alike two flat pictures are, artwork and all: what tells a deck's own card from the same card of another deck.

The face network is taught to put a face together whatever its artwork, so its embedding cannot say whose card it is.
Pictures can: colours and the directions of the edges are compared, small shifts and half a turn allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

SIZE = (40, 60)
SHIFT = (4, 5)  # pixels of SIZE that the one may be shifted against the other
# How corners that were found a little wrong cut a card: scaled (across, down) and turned (degrees).
MISCUTS = (
    *((0.94, 0.94, 0), (1.06, 1.06, 0), (0.94, 1, 0), (1.06, 1, 0), (1, 0.94, 0), (1, 1.06, 0)),
    *((1, 1, 4), (1, 1, -4), (0.95, 0.95, 4), (0.95, 0.95, -4), (1.05, 1.05, 4), (1.05, 1.05, -4)),
)


@dataclass(frozen=True, slots=True)
class Traits:
    """What is compared of a flat card: Lab colours and edge directions (as the cosine and sine of twice the angle)."""

    colours: np.ndarray
    edges: np.ndarray


def traits(flat: np.ndarray) -> Traits:
    """The traits of a flat card (blue-green-red bytes of any size)."""
    small = cv2.resize(flat, SIZE, interpolation=cv2.INTER_AREA)
    colours = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32), (0, 0), 0.7)
    grey = cv2.cvtColor(cv2.resize(flat, (2 * SIZE[0], 2 * SIZE[1])), cv2.COLOR_BGR2GRAY)
    soft = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.2)
    across, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    strength, angle = np.sqrt(np.hypot(across, down) + 1e-6), 2 * np.arctan2(down, across)
    edges = np.dstack([strength * np.cos(angle), strength * np.sin(angle)]).astype(np.float32)
    edges = cv2.GaussianBlur(cv2.resize(edges, SIZE, interpolation=cv2.INTER_AREA), (0, 0), 0.8)
    return Traits(colours, edges)


def recut(flat: np.ndarray) -> Iterator[np.ndarray]:
    """The flat card as other corners would have cut it."""
    height, width = flat.shape[:2]
    middle = np.array([width / 2, height / 2])
    for across, down, degrees in MISCUTS:
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        turn = np.array([[across * c, -down * s], [across * s, down * c]])
        matrix = np.column_stack([turn, middle - turn @ middle])
        yield cv2.warpAffine(flat, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)


def likeness(first: Traits, second: Traits) -> float:
    """From about 0 (nothing in common) to 2 (the same picture): correlation of colours plus that of edges."""
    dx, dy = SHIFT
    best = []
    for one, other, how in (
        (first.colours, second.colours, cv2.TM_CCOEFF_NORMED),
        (first.edges, second.edges, cv2.TM_CCORR_NORMED),
    ):
        core = one[dy : SIZE[1] - dy, dx : SIZE[0] - dx]
        turned = one[::-1, ::-1][dy : SIZE[1] - dy, dx : SIZE[0] - dx]
        # Twice an angle is the same angle after half a turn, so edges need no change of sign.
        found = [cv2.matchTemplate(other, np.ascontiguousarray(part), how).max() for part in (core, turned)]
        best.append(max(float(value) if np.isfinite(value) else 0.0 for value in found))
    return sum(best)
