"""Cards with a printed frame: its inner edge looks like the card's, so what lies just outside has to be looked at."""

from __future__ import annotations

import cv2
import numpy as np

from vision.circuits.edges import OFFSETS, meet, polish, slopes
from vision.circuits.upright import CARD_MM

WIDEST_MM = 2.6  # from a frame's inner edge to the card's edge
CLEAR = 0.38  # an edge outside the first one counts from this part of its strength on
FREE_SIDES = 40  # enough to judge by


def free_sides(quads: list[np.ndarray]) -> list[tuple[int, int]]:
    """Sides (card, side) with no other card beyond them; beside a neighbour the gap would pass for a frame."""
    found = []
    for i, quad in enumerate(quads):
        centre = quad.mean(axis=0)
        for k in range(4):
            beyond = 0.5 * (quad[k] + quad[(k + 1) % 4]) + 0.35 * (0.5 * (quad[k] + quad[(k + 1) % 4]) - centre)
            spot = (float(beyond[0]), float(beyond[1]))
            if all(j == i or cv2.pointPolygonTest(q.astype(np.float32), spot, False) < 0 for j, q in enumerate(quads)):
                found.append((i, k))
    return found


def _scale(quad: np.ndarray, side: int) -> float:
    """Pixels per millimetre across a side, by the card's own extent in that direction."""
    mids = [0.5 * (quad[k] + quad[(k + 1) % 4]) for k in range(4)]
    depth = float(np.linalg.norm(mids[side] - mids[(side + 2) % 4]))
    return depth / CARD_MM[1 if side % 2 == 0 else 0]


def frame_mm(image: np.ndarray, quads: list[np.ndarray]) -> float:
    """How far outside the fitted edges the cards really end; 0 where they have no frame. The quads are upright."""
    grid = np.arange(-0.6, WIDEST_MM + 0.6, 0.05)
    rows = []
    for i, side in free_sides(quads)[:FREE_SIDES]:
        quad = quads[i]
        a, b = quad[side], quad[(side + 1) % 4]
        scale = _scale(quad, side)
        if scale < 0.9:
            continue  # too small: frame and edge are one
        far = (WIDEST_MM + 1.0) * scale
        profile = slopes(image, a[None], b[None], np.array([far]))[0].mean(axis=0)
        offsets = 0.5 * (OFFSETS[1:] + OFFSETS[:-1]) * far
        at_edge = float(profile[np.abs(offsets) <= max(1.0, 0.25 * scale)].max())
        rows.append(np.interp(grid, offsets / scale, profile) / max(at_edge, 1e-6))
    if len(rows) < 2:
        return 0.0
    typical = np.quantile(np.array(rows), 0.4, axis=0)
    peaks = np.flatnonzero((typical[1:-1] >= typical[:-2]) & (typical[1:-1] > typical[2:])) + 1
    outside = [k for k in peaks if 0.35 < grid[k] <= WIDEST_MM and typical[k] > CLEAR]
    return float(grid[outside[-1]]) if outside else 0.0


def widen(image: np.ndarray, quad: np.ndarray, by_mm: float) -> np.ndarray:
    """The quad moved outwards on all sides, then onto the edge that is there."""
    offset = np.array([by_mm * _scale(quad, side) for side in range(4)])
    ends = np.roll(quad, -1, axis=0)
    slope = slopes(image, quad, ends, 1.6 * offset + 1)
    starts, ends = polish(slope, 1.6 * offset + 1, quad, ends, offset, np.zeros(4), np.ones(4, bool))
    return meet(starts, ends, quad, 0.2)
