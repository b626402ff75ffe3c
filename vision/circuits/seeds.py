"""First cards of a heap, by their own shape: a corner of straight edges, and lines that leave in the middle of sides.

On the outline of a heap there is always a card whose corner stands free. From such a corner one walks along both
edges, just inside the card: the paper is even until a coloured line is met, and that is half of the side. So one
corner gives the whole card.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

LONGEST = 900  # segments that are looked at, the longest first
SHORT = 0.012  # of the image's diagonal: shorter segments are texture
COLOUR = 0.07  # difference of a line from the paper, against the brightest part of the card
UNEVEN = 26.0  # grey levels by which paper may vary between corner and line
STEPS = 160


def segments(image: np.ndarray, tinted: bool = False) -> np.ndarray:
    """Straight edges (n × 4: x1, y1, x2, y2), in grey or in tint, the longest first."""
    if tinted:
        # A card and a cloth of equal brightness still differ in tint.
        channel = cv2.convertScaleAbs(cv2.cvtColor(image, cv2.COLOR_BGR2LAB)[..., 1], alpha=2.0, beta=-128.0)
    else:
        channel = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    lines = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 0.8).detect(channel)[0]
    if lines is None:
        return np.zeros((0, 4))
    every = lines.reshape(-1, 4).astype(float)
    length = np.hypot(every[:, 2] - every[:, 0], every[:, 3] - every[:, 1])
    keep = length > SHORT * math.hypot(*image.shape[:2])
    every, length = every[keep], length[keep]
    # A card's edge has even paper along one of its sides; threads and grain have not.
    even = evenness(image, every) < UNEVEN
    every, length = every[even], length[even]
    return every[np.argsort(-length)[:LONGEST]]


def evenness(image: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """How much the picture varies along each segment, on the more even one of its two sides."""
    if not len(lines):
        return np.zeros(0)
    a, b = lines[:, :2], lines[:, 2:]
    unit = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
    normal = np.column_stack([unit[:, 1], -unit[:, 0]])
    t = np.linspace(0.1, 0.9, 11)
    found = []
    for away in (-4.0, 4.0):
        place = a[:, None] + t[None, :, None] * (b - a)[:, None] + away * normal[:, None]
        values = cv2.remap(
            image, place[..., 0].astype(np.float32), place[..., 1].astype(np.float32), cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        ).astype(np.float32)  # fmt: skip
        # Half of the places have to agree: coloured lines and a touching neighbour may interrupt the paper.
        spread = np.abs(values - np.median(values, axis=1, keepdims=True)).max(axis=2)
        found.append(np.quantile(spread, 0.6, axis=1))
    return np.minimum(found[0], found[1])


def corners_of(lines: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where two segments end at one point: the points, and the unit directions of both edges away from them."""
    if len(lines) < 2:
        return np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2))
    # Both ends of each segment count as a possible corner.
    ends = np.concatenate([lines[:, :2], lines[:, 2:]])
    others = np.concatenate([lines[:, 2:], lines[:, :2]])
    away = others - ends
    length = np.linalg.norm(away, axis=1)
    unit = away / length[:, None]
    # Only ends that are near one another are paired: sorted by x, the partners of each follow it directly.
    order = np.argsort(ends[:, 0])
    ends, unit, length = ends[order], unit[order], length[order]
    last = np.searchsorted(ends[:, 0], ends[:, 0] + 16.0)
    count = np.maximum(last - np.arange(len(ends)) - 1, 0)
    i = np.repeat(np.arange(len(ends)), count)
    j = i + 1 + np.arange(len(i)) - np.repeat(np.cumsum(count) - count, count)
    sine = unit[i, 0] * unit[j, 1] - unit[i, 1] * unit[j, 0]
    near = np.abs(ends[i] - ends[j]).max(axis=1) < 16
    good = near & (np.abs(sine) > 0.45)
    i, j, sine = i[good], j[good], sine[good]
    gap = ends[j] - ends[i]
    along = (gap[:, 0] * unit[j, 1] - gap[:, 1] * unit[j, 0]) / sine
    beyond = (gap[:, 0] * unit[i, 1] - gap[:, 1] * unit[i, 0]) / sine
    # The corner lies on both lines, a little before or after their ends.
    close = (np.abs(along) < 5 + 0.08 * length[i]) & (np.abs(beyond) < 5 + 0.08 * length[j])
    i, j, sine, along = i[close], j[close], sine[close], along[close]
    points = ends[i] + along[:, None] * unit[i]
    flip = sine < 0  # from the first edge to the second one turns clockwise, as corners are listed
    first = np.where(flip[:, None], unit[j], unit[i])
    second = np.where(flip[:, None], unit[i], unit[j])
    return points, first, second


def half_sides(image: np.ndarray, points: np.ndarray, along: np.ndarray, inward: np.ndarray) -> np.ndarray:
    """From each corner along an edge: how far the first coloured line is; NaN where paper or line is missing."""
    height, width = image.shape[:2]
    reach = 0.2 * max(height, width)
    s = np.linspace(3.0, reach, STEPS)
    t = np.array([3.0, 5.0, 7.0])
    place = (
        points[:, None, None]
        + s[None, :, None, None] * along[:, None, None]
        + t[None, None, :, None] * inward[:, None, None]
    )
    samples = cv2.remap(
        image, place[..., 0].reshape(len(points), -1).astype(np.float32),
        place[..., 1].reshape(len(points), -1).astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    values = samples.reshape(len(points), STEPS, len(t), 3).astype(np.float32).mean(axis=2)
    paper = np.median(values[:, 1:8], axis=1)
    bright = np.maximum(80.0, values.max(axis=(1, 2)))
    light = paper.min(axis=1) > 60
    gain = np.where(light[:, None], paper.mean(axis=1, keepdims=True) / np.maximum(paper, 1), 1.0)
    even = values * gain[:, None]
    chroma = 0.5 * (even[..., 0] + even[..., 2]) - even[..., 1]
    chroma = np.abs(chroma - np.median(chroma[:, 1:8], axis=1, keepdims=True)) / bright[:, None]
    hit = chroma > COLOUR
    start = np.argmax(hit, axis=1)
    result = np.full(len(points), np.nan)
    step = s[1] - s[0]
    for k in np.flatnonzero(hit.any(axis=1) & (start > 2)):
        first = int(start[k])
        end = first
        peak = float(chroma[k, first : first + 12].max())
        low = first
        while low < STEPS - 1 and chroma[k, low] < 0.5 * peak:
            low += 1
        end = low
        while end < STEPS - 1 and chroma[k, end + 1] >= 0.5 * peak:
            end += 1
        middle = s[0] + 0.5 * (low + end) * step
        before = values[k, 1 : max(3, first - 1)].mean(axis=1)
        wide = (end - low + 1) * step
        if np.ptp(before) < UNEVEN and wide < 0.8 * middle and end < STEPS - 1:
            result[k] = middle
    return result


def seed_quads(image: np.ndarray, tinted: bool = False) -> list[np.ndarray]:
    """Possible cards (4 × 2, clockwise), one for each free corner from which both walks met a line."""
    points, first, second = corners_of(segments(image, tinted))
    if not len(points):
        return []
    a = half_sides(image, points, first, second)
    b = half_sides(image, points, second, first)
    quads = []
    size = max(image.shape[:2])
    for p, u, v, du, dv in zip(points, first, second, a, b, strict=True):
        if not (math.isfinite(du) and math.isfinite(dv)) or not 1 / 3 < du / dv < 3 or min(du, dv) < 0.008 * size:
            continue
        quads.append(np.array([p, p + 2 * du * u, p + 2 * du * u + 2 * dv * v, p + 2 * dv * v]))
    return quads
