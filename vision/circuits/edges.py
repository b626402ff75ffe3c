"""A card's exact corners by its straight edges: each side is fitted, and neighbouring sides are intersected."""

from __future__ import annotations

import math

import cv2
import numpy as np

PLACES = np.linspace(0.08, 0.92, 29)  # where along a side its edge is looked for
OFFSETS = np.linspace(-1.0, 1.0, 57)  # how far from the side, in units of the reach; outside positive
TURNS = np.linspace(-0.67, 0.67, 9)  # how far the edge may be turned against the side, in reaches per side
FAINT = 3.0  # sum of the channels' slopes, grey levels per half pixel: less is noise
ABOVE = 1.5  # an edge stands out from what else there is by this factor
STRONG = 0.42  # of the strongest edge near a side: what is as strong as that may be the card's own
SMALLEST = 2.5  # pixels: no reach is less

_BETWEEN = 0.5 * (OFFSETS[1:] + OFFSETS[:-1])
_SHIFTS = np.round((PLACES - 0.5)[None, :] * TURNS[:, None] / (OFFSETS[1] - OFFSETS[0])).astype(int)
_COLUMNS = np.arange(len(_BETWEEN))[None, None, :] + _SHIFTS[:, :, None]
_CLIPPED = np.clip(_COLUMNS, 0, len(_BETWEEN) - 1)
_INSIDE = (_COLUMNS == _CLIPPED)[None]


def refine(image: np.ndarray, corners: np.ndarray, reach: float = 0.045) -> tuple[np.ndarray, int]:
    """Corners put right, and how many sides have a clear edge.

    `reach` is how far from a given side its edge may be, as a part of the side. Beyond a card's edge there may be
    other ones as strong (the neighbour's, across a gap), but on the card there is only paper: so the innermost of the
    strong edges is the card's own.
    """
    ends = np.roll(corners, -1, axis=0)
    length = np.maximum(np.linalg.norm(ends - corners, axis=1), 1.0)
    far = np.maximum(SMALLEST, reach * length)
    slope = slopes(image, corners, ends, far)
    profiles = np.where(_INSIDE, slope[:, np.arange(len(PLACES))[None, :, None], _CLIPPED], 0.0).mean(axis=2)
    offset, turn, clear = np.zeros(4), np.zeros(4), np.zeros(4, bool)
    for k in range(4):
        best = profiles[k].max(axis=0)
        peaks = np.flatnonzero((best[1:-1] >= best[:-2]) & (best[1:-1] > best[2:])) + 1
        enough = max(FAINT * 2 * far[k] * (OFFSETS[1] - OFFSETS[0]), ABOVE * float(np.median(best)))
        if len(peaks) and best[peaks].max() >= enough:
            column = int(peaks[best[peaks] >= max(enough, STRONG * best[peaks].max())][0])
            offset[k] = _BETWEEN[column] * far[k]
            turn[k] = TURNS[int(np.argmax(profiles[k][:, column]))] * far[k] / length[k]
            clear[k] = True
    starts, ends = polish(slope, far, corners, ends, offset, turn, clear)
    return meet(starts, ends, corners, 2.0 * reach), int(clear.sum())


def slopes(image: np.ndarray, a: np.ndarray, b: np.ndarray, far: np.ndarray) -> np.ndarray:
    """How steep the picture is across sides from `a` to `b`: sides × places × offsets."""
    along = b - a
    unit = along / np.maximum(1e-6, np.linalg.norm(along, axis=1, keepdims=True))
    normal = np.column_stack([unit[:, 1], -unit[:, 0]])  # corners run clockwise as seen, so this points outwards
    base = a[:, None] + PLACES[None, :, None] * along[:, None]
    points = base[:, :, None] + (far[:, None] * OFFSETS)[:, None, :, None] * normal[:, None, None]
    flat = points.reshape(-1, len(OFFSETS), 2).astype(np.float32)
    # All three channels: a pink card on a pink cloth may have no edge in grey.
    samples = cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    samples = cv2.GaussianBlur(samples.astype(np.float32), (5, 1), 1.0)
    slope = np.abs(np.diff(samples, axis=1)).sum(axis=2).reshape(len(a), len(PLACES), -1)
    # Edges of the card are straight over the whole side; the lines drawn on it and the cloth's pattern are not. So no
    # place along the side may count for more than the typical one.
    cap = np.median(slope.max(axis=2), axis=1)[:, None, None] + 1e-6
    return np.asarray(np.minimum(slope, cap))


def polish(
    slope: np.ndarray, far: np.ndarray, a: np.ndarray, b: np.ndarray, offset: np.ndarray, turn: np.ndarray,
    which: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Ends of the lines through the middle of the edge at each place, places that disagree left out."""
    length = np.maximum(np.linalg.norm(b - a, axis=1), 1e-6)
    places = (PLACES - 0.5)[None, :] * length[:, None]
    spots = (far[:, None] * _BETWEEN)[:, None, :]
    for width in (1.3, 0.8, 0.8):
        middle = offset[:, None] + turn[:, None] * places
        blur = np.maximum(width, 1.2 * far * (OFFSETS[1] - OFFSETS[0]))[:, None, None]
        near = np.exp(-0.5 * ((spots - middle[:, :, None]) / blur) ** 2) * slope
        mass = near.sum(axis=2)
        spot = (near * spots).sum(axis=2) / np.maximum(mass, 1e-6)
        weight = mass * np.exp(-0.5 * ((spot - middle) / 0.8) ** 2) + 1e-9
        total = weight.sum(axis=1)
        mean_p, mean_s = (weight * places).sum(axis=1) / total, (weight * spot).sum(axis=1) / total
        lever = places - mean_p[:, None]
        found = (weight * lever * (spot - mean_s[:, None])).sum(axis=1) / np.maximum(
            (weight * lever**2).sum(axis=1), 1e-6
        )
        turn = np.where(which, found, turn)
        offset = np.where(which, mean_s - found * mean_p, offset)
    unit = (b - a) / length[:, None]
    normal = np.column_stack([unit[:, 1], -unit[:, 0]])
    half = 0.5 * length * turn
    return a + (offset - half)[:, None] * normal, b + (offset + half)[:, None] * normal


def meet(starts: np.ndarray, ends: np.ndarray, corners: np.ndarray, most: float) -> np.ndarray:
    """The corners where sides cross; a corner that would move further than `most` of the size stays where it was."""
    result = corners.copy()
    size = math.sqrt(max(1.0, cv2.contourArea(corners.astype(np.float32))))
    for i in range(4):
        p, d, q, e = starts[i - 1], ends[i - 1] - starts[i - 1], starts[i], ends[i] - starts[i]
        det = d[1] * e[0] - d[0] * e[1]
        if abs(det) < 1e-6:
            continue
        crossing = p + ((q[1] - p[1]) * e[0] - (q[0] - p[0]) * e[1]) / det * d
        if math.dist(crossing, corners[i]) < most * size:
            result[i] = crossing
    return result
