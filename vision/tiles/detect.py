"""Where the tiles are: a small network marks their middles and shapes, a second one sets the corners exactly."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.onnx import load
from vision.tiles.geometry import (
    DETECT_STRIDE,
    REACHES,
    Pyramid,
    decode,
    moved,
    side,
)

LONG_SIDE = 960  # the picture is not looked at in more detail than this to find tiles (reading uses all of it)
SMALL = 26.0  # px of a side, at the scale of the pass, below which a tile is not believed
LARGE_PASS = 40.0  # the half-size pass is for tiles at least this large in it, which fill the frame at full size
OVERLAP = 0.35  # of the smaller of two tiles: more, and one of them is none
PEAK = 0.2
SQUEEZE = 0.6  # |A·B|/|A|² of a tile seen at some 55 degrees; flatter ones cannot be read


@dataclass(frozen=True, slots=True)
class Found:
    """A tile's place: corners (3, 2) clockwise in image pixels, and two opinions on whether it is one."""

    corners: np.ndarray
    score: float
    tile: float = 1.0


def batch(crops: list[np.ndarray]) -> np.ndarray:
    """BGR crops as the networks want them."""
    return np.ascontiguousarray(np.stack(crops).transpose(0, 3, 1, 2), np.float32) / 128.0 - 1.0


def find_tiles(image: np.ndarray, pyramid: Pyramid) -> list[Found]:
    """Every place of a BGR picture that may be a tile, the surest first.

    Places may still overlap, since a triangle within a tile can have good edges too: `alone` keeps the best ones, when
    it is known what can be read there.
    """
    longest = max(image.shape[:2])
    scale = min(1.0, LONG_SIDE / longest) if longest >= 480 else 480 / longest
    candidates = _detect(image, scale, SMALL) + _detect(image, scale / 2, LARGE_PASS)
    refined = refine(_unlike(candidates, 0.25), pyramid)
    return _unlike([found for found in refined if found.tile >= 0.5], 0.08)


def _unlike(candidates: list[Found], share: float) -> list[Found]:
    """The surest of those whose corners agree to a share of their side."""
    kept: list[Found] = []
    for found in sorted(candidates, key=lambda found: -found.score * found.tile):
        if all(corner_gap(found.corners, other.corners) > share for other in kept):
            kept.append(found)
    return kept


def corner_gap(a: np.ndarray, b: np.ndarray) -> float:
    """How far the worst corner of one triangle is from the other's, in sides, whichever corner comes first."""
    gaps = [float(np.linalg.norm(np.roll(a, -k, axis=0) - b, axis=1).max()) for k in range(3)]
    return min(gaps) / max(1e-6, float(side(b)))


def alone(found: list[Found], chances: np.ndarray) -> list[int]:
    """Which of the places to keep, the likeliest (by `chances`) first, so that none lies upon another."""
    kept: list[int] = []
    for i in np.argsort(-chances):
        if all(_overlap(found[i], found[j]) <= OVERLAP for j in kept):
            kept.append(int(i))
    return kept


def _overlap(a: Found, b: Found) -> float:
    """The shared area as a fraction of the smaller triangle."""
    one, two = a.corners.astype(np.float32), b.corners.astype(np.float32)
    if (one.max(0) < two.min(0)).any() or (two.max(0) < one.min(0)).any():
        return 0.0
    shared, _ = cv2.intersectConvexConvex(one, two)
    return float(shared) / max(1.0, min(cv2.contourArea(one), cv2.contourArea(two)))


def _detect(image: np.ndarray, scale: float, smallest: float) -> list[Found]:
    """The peaks of the detector at one scale."""
    h, w = image.shape[:2]
    width, height = max(32, round(w * scale)), max(32, round(h * scale))
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = image if (width, height) == (w, h) else cv2.resize(image, (width, height), interpolation=interpolation)
    padded = cv2.copyMakeBorder(small, 0, -height % 32, 0, -width % 32, cv2.BORDER_REPLICATE)
    out = load("tiles_detector")(batch([padded]))[0][0]
    heat = 1 / (1 + np.exp(-out[0]))
    peaks = (heat >= PEAK) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    rows, columns = np.nonzero(peaks)
    if len(rows) == 0:
        return []
    numbers = out[:, rows, columns].T.astype(np.float64)
    centres = (np.stack([columns, rows], -1) + numbers[:, 1:3]) * DETECT_STRIDE + (DETECT_STRIDE - 1) / 2
    triangles = decode(centres, numbers[:, 3:8])
    sides = side(triangles)
    flat = np.hypot(numbers[:, 6], numbers[:, 7])
    factor = np.array([w / width, h / height])
    found = []
    for k in np.flatnonzero((sides >= smallest) & (flat < SQUEEZE)):
        inside = ((triangles[k] > -0.15 * sides[k]) & (triangles[k] < (width, height) + 0.15 * sides[k])).all()
        if inside:
            corners = (triangles[k] + 0.5) * factor - 0.5
            found.append(Found(corners, float(heat[rows[k], columns[k]])))
    return found


def refine(found: list[Found], pyramid: Pyramid, reaches: tuple[float, ...] = REACHES) -> list[Found]:
    """The same tiles with exact corners, and the refiner's probability that each has all three sides."""
    if not found:
        return []
    corners = np.stack([f.corners for f in found])
    sides = np.ones((len(found), 3))
    for reach in reaches:
        strips = [pyramid.strip(np.concatenate([c[k:], c[:k]]), reach) for c in corners for k in range(3)]
        out = load("tiles_refiner")(batch(strips))[0].astype(np.float64).reshape(-1, 3, 3)
        sides = 1 / (1 + np.exp(-out[:, :, 2]))
        corners = moved(corners, np.clip(out[:, :, :2], -1, 1) * reach)
    return [Found(c, f.score, float(s.min())) for c, f, s in zip(corners, found, sides, strict=True)]
