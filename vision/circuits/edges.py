"""A card's exact corners by its straight edges: each side is fitted, and neighbouring sides are intersected."""

from __future__ import annotations

import math

import cv2
import numpy as np

PLACES = np.linspace(0.08, 0.92, 29)  # where along a side its edge is looked for
FAINT = 3.0  # sum of the channels' slopes, grey levels per half pixel: less is noise
ABOVE = 1.5  # an edge stands out from what else there is by this factor
STRONG = 0.42  # of the strongest edge near a side: what is as strong as that may be the card's own
STEP = 0.5  # pixels

Line = tuple[np.ndarray, np.ndarray]  # a point and a direction


def refine(image: np.ndarray, corners: np.ndarray, reach: float = 0.045) -> tuple[np.ndarray, int]:
    """Corners put right, and how many sides have a clear edge.

    `reach` is how far from a given side its edge may be, as a part of the side.
    """
    lines, clear = [], 0
    for i in range(4):
        line = fit_side(image, corners[i], corners[(i + 1) % 4], reach)
        clear += line is not None
        lines.append(line or (corners[i], corners[(i + 1) % 4] - corners[i]))
    return meet(lines, corners, 2.0 * reach), clear


def meet(lines: list[Line], corners: np.ndarray, most: float) -> np.ndarray:
    """The corners where sides cross; a corner that would move further than `most` of the size stays where it was."""
    result = corners.copy()
    size = math.sqrt(max(1.0, cv2.contourArea(corners.astype(np.float32))))
    for i in range(4):
        crossing = cross(lines[i - 1], lines[i])
        if crossing is not None and math.dist(crossing, corners[i]) < most * size:
            result[i] = crossing
    return result


def side_slopes(image: np.ndarray, a: np.ndarray, b: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """How steep the picture is across a side: (places × offsets, offsets), offsets in pixels, outside positive."""
    along = b - a
    unit = along / max(1e-6, float(np.linalg.norm(along)))
    normal = np.array([unit[1], -unit[0]])  # corners run clockwise as seen, so this points out of the card
    s = np.arange(-reach, reach + STEP, STEP)
    points = a + PLACES[:, None, None] * along + s[None, :, None] * normal
    # All three channels: a pink card on a pink cloth may have no edge in grey.
    samples: np.ndarray = cv2.remap(
        image, points[..., 0].astype(np.float32), points[..., 1].astype(np.float32), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)  # fmt: skip
    samples = cv2.GaussianBlur(samples, (5, 1), 1.0)
    slope = np.abs(np.diff(samples, axis=1)).sum(axis=2)
    # Edges of the card are straight over the whole side; the lines drawn on it and the cloth's pattern are not. So no
    # place along the side may count for more than the typical one.
    return np.minimum(slope, np.median(slope.max(axis=1)) + 1e-6), 0.5 * (s[1:] + s[:-1])


def straight_profiles(slope: np.ndarray, length: float, turns: np.ndarray) -> np.ndarray:
    """Mean steepness along straight lines: one row for each turn against the side, one column for each offset."""
    count = slope.shape[1]
    shifts = np.round((PLACES - 0.5)[None, :] * length * turns[:, None] / STEP).astype(int)
    columns = np.arange(count)[None, None, :] + shifts[:, :, None]
    inside = (columns >= 0) & (columns < count)
    moved = slope[np.arange(len(PLACES))[None, :, None], np.clip(columns, 0, count - 1)]
    return np.asarray(np.where(inside, moved, 0.0).mean(axis=1))


def fit_side(image: np.ndarray, a: np.ndarray, b: np.ndarray, far: float) -> Line | None:
    """A line along the card's edge near the side from `a` to `b`; None where no edge is clear.

    Beyond the edge there may be other ones as strong (the neighbour's, across a gap), but on the card there is only
    paper: so the innermost of the strong edges is the card's own.
    """
    length = float(np.linalg.norm(b - a))
    if length < 12:
        return None
    slope, offsets = side_slopes(image, a, b, max(2.5, far * length))
    turns = np.linspace(-0.67 * far, 0.67 * far, 9)
    profiles = straight_profiles(slope, length, turns)
    best = profiles.max(axis=0)
    peaks = np.flatnonzero((best[1:-1] >= best[:-2]) & (best[1:-1] > best[2:])) + 1
    if not len(peaks):
        return None
    enough = max(FAINT, ABOVE * float(np.median(best)))
    if best[peaks].max() < enough:
        return None
    k = int(peaks[best[peaks] >= max(enough, STRONG * best[peaks].max())][0])
    turn = float(turns[int(np.argmax(profiles[:, k]))])
    return polish(slope, offsets, length, float(offsets[k]), turn, a, b)


def polish(
    slope: np.ndarray, offsets: np.ndarray, length: float, offset: float, turn: float, a: np.ndarray, b: np.ndarray
) -> Line:
    """The line through the middle of the edge at each place along the side, places that disagree left out."""
    places = (PLACES - 0.5) * length
    for width in (1.3, 0.8, 0.8):
        near = np.exp(-0.5 * ((offsets[None, :] - (offset + turn * places)[:, None]) / width) ** 2) * slope
        mass = near.sum(axis=1)
        spot = (near * offsets).sum(axis=1) / np.maximum(mass, 1e-6)
        rest = spot - (offset + turn * places)
        weight = mass * np.exp(-0.5 * (rest / 0.8) ** 2)
        total = weight.sum()
        if total < 1e-6:
            break
        mean_p, mean_r = (weight * places).sum() / total, (weight * spot).sum() / total
        spread = (weight * (places - mean_p) ** 2).sum()
        turn = float((weight * (places - mean_p) * (spot - mean_r)).sum() / max(spread, 1e-6))
        offset = float(mean_r - turn * mean_p)
    unit = (b - a) / length
    normal = np.array([unit[1], -unit[0]])
    start, end = a + (offset - 0.5 * length * turn) * normal, b + (offset + 0.5 * length * turn) * normal
    return start, end - start


def cross(one: Line, two: Line) -> np.ndarray | None:
    """Where two lines meet; None for parallel ones."""
    (p, d), (q, e) = one, two
    det = d[0] * -e[1] + d[1] * e[0]
    if abs(det) < 1e-6:
        return None
    t = ((q[0] - p[0]) * -e[1] + (q[1] - p[1]) * e[0]) / det
    return np.asarray(p + t * d)
