"""Where circuit cards lie: the network's maps to quads, and quads to exact corners by the cards' straight edges."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.onnx import load

WEIGHTS = "circuits_finder"
WIDTH = 640
STRIDE = 4
VECTOR_SCALE = 32.0
CENTRE = 0.30  # a centre weaker than this is no card


@dataclass(frozen=True, slots=True)
class Quad:
    """A card found: corners (4 × 2, pixels, clockwise, the first side a short one) and the finder's own certainty."""

    corners: np.ndarray
    score: float


def find_quads(image: np.ndarray) -> list[Quad]:
    """Every card in the frame, with corners good to a pixel or so."""
    height, width = image.shape[:2]
    scale = WIDTH / max(width, height)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    h, w = small.shape[:2]
    padded = cv2.copyMakeBorder(small, 0, -h % 32, 0, -w % 32, cv2.BORDER_REPLICATE)
    maps = load(WEIGHTS)(padded.transpose(2, 0, 1)[None].astype(np.float32))[0][0]
    quads = []
    for x, y, score in peaks(maps[0], CENTRE):
        corners = axes_to_corners(maps, x, y)
        if corners is None:
            continue
        corners = snap(corners, maps[1])
        full = ((corners + 0.5) * STRIDE - 0.5 + 0.5) / scale - 0.5
        quads.append(Quad(refine(image, full), score))
    return drop_overlaps(quads)


def peaks(heat: np.ndarray, threshold: float) -> list[tuple[float, float, float]]:
    """Local maxima (x, y, value) of a map, placed between the pixels by a parabola."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    found = []
    for y, x in zip(*np.nonzero((heat >= top) & (heat > threshold)), strict=True):
        fx, fy = float(x), float(y)
        if 0 < x < heat.shape[1] - 1:
            fx += _parabola(heat[y, x - 1], heat[y, x], heat[y, x + 1])
        if 0 < y < heat.shape[0] - 1:
            fy += _parabola(heat[y - 1, x], heat[y, x], heat[y + 1, x])
        found.append((fx, fy, float(heat[y, x])))
    return sorted(found, key=lambda p: -p[2])


def _parabola(a: float, b: float, c: float) -> float:
    bend = a - 2 * b + c
    return float(np.clip(0.5 * (a - c) / bend, -0.5, 0.5)) if bend < -1e-6 else 0.0


def _half_angle(u: float, v: float) -> np.ndarray:
    length, angle = math.hypot(u, v), math.atan2(v, u) / 2
    return np.array([length * math.cos(angle), length * math.sin(angle)])


def axes_to_corners(maps: np.ndarray, x: float, y: float) -> np.ndarray | None:
    """The parallelogram that the two half axes at a centre span, in map pixels, clockwise as seen."""
    column, row = round(x), round(y)
    values = maps[2:6, row, column] * (VECTOR_SCALE / STRIDE)
    long, short = _half_angle(values[0], values[1]), _half_angle(values[2], values[3])
    if short[0] * long[1] - short[1] * long[0] < 0:
        long = -long
    area = abs(float(short[0] * long[1] - short[1] * long[0]))
    if area < 0.15 * float(np.linalg.norm(long) * np.linalg.norm(short)) or area < 2:
        return None
    centre = np.array([x, y])
    return np.array([centre - short - long, centre + short - long, centre + short + long, centre - short + long])


def snap(corners: np.ndarray, heat: np.ndarray) -> np.ndarray:
    """Move each corner to the nearest marked one, where there is one near; perspective is what the axes leave out."""
    reach = 0.28 * float(np.linalg.norm(corners[1] - corners[0]))
    marks = peaks(heat, 0.12)
    result = corners.copy()
    for i, corner in enumerate(corners):
        near = [(m[2] * (1 - math.dist(m[:2], corner) / reach), m) for m in marks if math.dist(m[:2], corner) < reach]
        if near:
            result[i] = max(near)[1][:2]
    return result


def refine(image: np.ndarray, corners: np.ndarray, reach: float = 0.045) -> np.ndarray:
    """Exact corners: each side is fitted to the strongest straight edge near it, and neighbours are intersected.

    `reach` is how far from the given side its edge may be, as a part of the side.
    """
    lines = [_fit_side(image, corners[i], corners[(i + 1) % 4], reach) for i in range(4)]
    result = corners.copy()
    size = math.sqrt(max(1.0, cv2.contourArea(corners.astype(np.float32))))
    for i in range(4):
        crossing = _cross(lines[i - 1], lines[i])
        if crossing is not None and math.dist(crossing, corners[i]) < 1.8 * reach * size:
            result[i] = crossing
    return result


def _fit_side(image: np.ndarray, a: np.ndarray, b: np.ndarray, far: float) -> tuple[np.ndarray, np.ndarray]:
    """A line (point, direction) along the edge between two corners; the given side itself where no edge is clear."""
    along = b - a
    length = float(np.linalg.norm(along))
    if length < 12:
        return a, along
    unit = along / length
    normal = np.array([unit[1], -unit[0]])
    reach = max(2.5, far * length)
    t = np.linspace(0.1, 0.9, 41)
    s = np.linspace(-reach, reach, max(9, int(4 * reach) | 1))
    points = a + t[:, None, None] * along + s[None, :, None] * normal
    # All three channels: a pink card on a pink cloth may have no edge in grey.
    samples: np.ndarray = cv2.remap(
        image, points[..., 0].astype(np.float32), points[..., 1].astype(np.float32), cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float32)  # fmt: skip
    samples = cv2.GaussianBlur(samples, (3, 1), 0.8)
    slope = np.abs(np.diff(samples, axis=1)).sum(axis=2)
    # Edges of the card are straight over the whole side; the lines drawn on it and the cloth's pattern are not. So no
    # place along the side may count for more than the typical one.
    slope = np.minimum(slope, np.median(slope.max(axis=1)) + 1e-6)
    middle = 0.5 * (s[1:] + s[:-1])
    step = float(middle[1] - middle[0])
    turns = np.linspace(-0.67 * far, 0.67 * far, 13)
    shifts = np.round((t - 0.5)[None, :] * length * turns[:, None] / step).astype(int)
    columns = np.arange(len(middle))[None, None, :] + shifts[:, :, None]
    inside = (columns >= 0) & (columns < len(middle))
    moved = np.where(inside, slope[np.arange(len(t))[None, :, None], np.clip(columns, 0, len(middle) - 1)], 0.0)
    profiles = moved.mean(axis=1) * np.exp(-0.5 * (middle / (0.7 * reach)) ** 2)
    i, k = np.unravel_index(int(np.argmax(profiles)), profiles.shape)
    if profiles[i, k] < 4.0:
        return a, along
    return _polish(slope, middle, (t - 0.5) * length, float(middle[k]), float(turns[i]), a, b, normal)


def _polish(
    slope: np.ndarray, offsets: np.ndarray, places: np.ndarray, offset: float, turn: float,
    a: np.ndarray, b: np.ndarray, normal: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The line through the middle of the edge at each place along the side, places that disagree left out."""
    for width in (1.5, 0.9, 0.9):
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
    half = 0.5 * float(np.linalg.norm(b - a))
    start, end = a + (offset - half * turn) * normal, b + (offset + half * turn) * normal
    return start, end - start


def _cross(one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]) -> np.ndarray | None:
    (p, d), (q, e) = one, two
    det = d[0] * -e[1] + d[1] * e[0]
    if abs(det) < 1e-6:
        return None
    t = ((q[0] - p[0]) * -e[1] + (q[1] - p[1]) * e[0]) / det
    return np.asarray(p + t * d)


def drop_overlaps(quads: list[Quad]) -> list[Quad]:
    """Of two quads that cover one another by a third, the surer one stays: cards of a circuit never overlap so much."""
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda q: -q.score):
        own = quad.corners.astype(np.float32)
        if not cv2.isContourConvex(own):
            continue
        area = cv2.contourArea(own)
        if all(
            cv2.intersectConvexConvex(own, other.corners.astype(np.float32))[0]
            < 0.33 * min(area, cv2.contourArea(other.corners.astype(np.float32)))
            for other in kept
        ):
            kept.append(quad)
    return kept
