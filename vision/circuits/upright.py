"""Which side of a card is N: a short one, by the shape that the card has on the table, and the one farther up."""

from __future__ import annotations

import cv2
import numpy as np

CARD_MM = (63.0, 88.0)
SIDEWAYS = 0.25  # how much better a card must fit turned by a quarter before it counts as laid sideways
LENSES = (0.65, 0.8, 0.95, 1.1, 1.35, 1.7, 2.3)  # focal lengths that cameras have, in widths of the picture


def upright(quads: list[np.ndarray], size: tuple[int, int]) -> list[np.ndarray]:
    """Corners of every card from its N side on; all cards of a table have one north, as a circuit's grid has."""
    if not quads:
        return []
    # First give all cards the same first side, then decide once for all of them: one card alone may be misjudged.
    lead = _direction(quads[0])
    alike = [max((np.roll(q, -k, axis=0) for k in range(4)), key=lambda c: float(_direction(c) @ lead)) for q in quads]
    turned = [np.roll(q, -1, axis=0) for q in alike]
    own, other = misfits(alike, size), misfits(turned, size)
    if float(np.median(other)) < float(np.median(own)):
        alike, turned, own, other = turned, alike, other, own
    # A card that somebody laid sideways has its own north: its shape says so clearly.
    alike = [t if b + SIDEWAYS < a else q for q, t, a, b in zip(alike, turned, own, other, strict=True)]
    up = sum((_up(q) for q in alike), np.zeros(2))
    if (up[1], -up[0]) > (0.0, 0.0):  # north points down the picture, or level to the left
        alike = [np.roll(q, -2, axis=0) for q in alike]
    return alike


def _direction(quad: np.ndarray) -> np.ndarray:
    side = quad[1] - quad[0] + quad[2] - quad[3]
    return np.asarray(side / max(1e-6, float(np.linalg.norm(side))))


def _up(quad: np.ndarray) -> np.ndarray:
    return np.asarray(quad[0] + quad[1] - quad[2] - quad[3])


def misfits(quads: list[np.ndarray], size: tuple[int, int]) -> np.ndarray:
    """How badly each quad is a card with a short first side, seen by the camera that suits all of them best."""
    unit = float(size[0])
    w, h = CARD_MM
    shape = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    across, down = [], []
    for quad in quads:
        centred = ((quad - np.array(size) / 2) / unit).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(shape, centred)
        across.append(matrix[:, 0])
        down.append(matrix[:, 1])
    a, b = np.array(across), np.array(down)
    best = np.full(len(quads), np.inf)
    for lens in LENSES:
        weight = np.array([1 / lens**2, 1 / lens**2, 1.0])
        aa, bb, ab = ((x * y * weight).sum(axis=1) for x, y in ((a, a), (b, b), (a, b)))
        found = np.abs(0.5 * np.log(aa / bb)) + np.abs(ab / np.sqrt(aa * bb))
        if float(np.median(found)) < float(np.median(best)):
            best = found
    return best
