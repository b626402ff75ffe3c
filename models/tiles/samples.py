"""From rendered scenes to the samples that each network learns from, with the light and lenses of other cameras."""

from __future__ import annotations

import math

import cv2
import numpy as np

from models.tiles.scenes import TileScene
from vision.tiles.geometry import (
    CORNER_SIZE,
    CORNER_TRIANGLE,
    DETECT_STRIDE,
    REACHES,
    READ_SIZE,
    READ_TRIANGLE,
    Pyramid,
    edge_offsets,
    encode,
    side,
)

NOTHING = 6
WHOLE = 0.96  # of a tile is seen: nothing lies upon it
# For each of the two readers where the tile lies on its view, the view's size, and how many corners it is asked for.
VIEWS = {"reader": (READ_TRIANGLE, READ_SIZE, 3), "corners": (CORNER_TRIANGLE, CORNER_SIZE, 1)}
READER_SPOIL = 0.4  # the scenes have their own glare; more makes corners that nobody could read


def spoil(image: np.ndarray, r: np.random.Generator, strength: float = 1.0) -> np.ndarray:
    """Another camera and another light: colour, exposure, haze, glare, focus, noise."""
    out = image.astype(np.float32)
    h, w = out.shape[:2]
    out *= np.exp(r.normal(0, 0.12 * strength, 3)).astype(np.float32)
    if r.random() < 0.5:
        out *= math.exp(float(r.normal(0, 0.35 * strength)))
    if r.random() < 0.25:  # a lamp in the lens or on the plastic: a slope of white haze, up to burnt out
        angle, middle = float(r.uniform(0, 6.3)), float(r.uniform(-0.6, 0.6))
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        slope = (xs / w - 0.5) * math.cos(angle) + (ys / h - 0.5) * math.sin(angle) - middle
        haze = 1 / (1 + np.exp(-slope * float(r.uniform(4, 14))))
        out += (float(r.uniform(30, 200)) * strength * haze)[..., None]
    if r.random() < 0.3:
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * float(r.uniform(0.1, 1.5))
    if r.random() < 0.3:
        out = (out - 128) * float(r.uniform(0.5, 1.3)) + 128 + float(r.normal(0, 15))
    blur = r.random()
    if blur < 0.3:
        out = cv2.GaussianBlur(out, (0, 0), float(r.uniform(0.3, 0.3 + 1.3 * strength)))
    elif blur < 0.4:
        length = int(r.integers(3, 3 + int(5 * strength)))
        kernel = np.zeros((length, length), np.float32)
        c = (length - 1) / 2
        a = float(r.uniform(0, math.pi))
        dx, dy = math.cos(a) * c, math.sin(a) * c
        cv2.line(kernel, (round(c - dx), round(c - dy)), (round(c + dx), round(c + dy)), 1.0)
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    if r.random() < 0.4:
        out += r.normal(0, float(r.uniform(1, 8)), out.shape).astype(np.float32)
    return np.clip(out, 0, 255).astype(np.uint8)


def detector_sample(scene: TileScene, r: np.random.Generator, size: int = 320) -> tuple[np.ndarray, np.ndarray]:
    """A crop at a random scale and what the detector should say of it: (9, s, s) centre, weight, 7 numbers."""
    image, corners = scene.image, scene.corners
    keep = scene.visible > 0.35
    if keep.any():
        which = int(r.choice(np.flatnonzero(keep)))
        wanted = math.exp(float(r.uniform(math.log(34), math.log(170))))
        scale = float(np.clip(wanted / float(side(corners[which])), 0.3, 2.2))
        focus = corners[which].mean(0) * scale + r.uniform(-0.45, 0.45, 2) * size
    else:
        scale = float(r.uniform(0.35, 1.6))
        focus = r.uniform(0, 1, 2) * (image.shape[1], image.shape[0]) * scale
    turn = float(r.uniform(0, 360)) if r.random() < 0.5 else 0.0
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    source = Pyramid(image)
    base = np.array([[0, 0], [size, 0], [0, size]], np.float32)
    turned = (base - size / 2) @ np.array([[c, s], [-s, c]], np.float32) / scale + focus / scale
    # crop() is written for triangles, and a square is known by three of its corners
    crop = source.crop(turned, base, size)
    back = cv2.getAffineTransform(turned.astype(np.float32), base)
    placed = corners @ back[:, :2].T + back[:, 2]
    return spoil(crop, r), detector_target(placed, scene.visible, size)


def detector_target(corners: np.ndarray, visible: np.ndarray, size: int) -> np.ndarray:
    """The maps that the detector learns; a half-hidden tile is neither asked for nor forbidden."""
    n = size // DETECT_STRIDE
    target = np.zeros((9, n, n), np.float32)
    ys, xs = np.mgrid[0:n, 0:n].astype(np.float32)
    nearest = np.full((n, n), np.inf, np.float32)
    target[1] = 1
    for triangle, share in zip(corners, visible, strict=True):
        centre = (triangle.mean(0) - (DETECT_STRIDE - 1) / 2) / DETECT_STRIDE
        radius = float(side(triangle)) / math.sqrt(3) / DETECT_STRIDE
        if not (-radius < centre[0] < n + radius and -radius < centre[1] < n + radius):
            continue
        d2 = (xs - centre[0]) ** 2 + (ys - centre[1]) ** 2
        cut = ((triangle < -2) | (triangle > size + 1)).any()
        if share < 0.8 or cut or radius * DETECT_STRIDE < 16:
            target[1][d2 < (0.8 * radius) ** 2] = 0
            if share < 0.5 or cut:
                continue
        heat = np.exp(-d2 / (2 * max(0.8, 0.11 * radius) ** 2))
        target[0] = np.maximum(target[0], heat)
        row, column = round(float(centre[1])), round(float(centre[0]))
        if share >= 0.8 and 0 <= row < n and 0 <= column < n:
            target[0, row, column] = 1
        near = (d2 < max(1.2, 0.3 * radius) ** 2) & (d2 < nearest)
        nearest[near] = d2[near]
        target[2][near] = (centre[0] - xs)[near]
        target[3][near] = (centre[1] - ys)[near]
        target[4:9, near] = encode(triangle)[:, None]
    target[1][(target[1] > 0) & np.isfinite(nearest)] = 2  # 2: the geometry counts here
    return target


def notch(scene: TileScene, which: int, r: np.random.Generator) -> np.ndarray | None:
    """The triangle that touches a side of a tile from outside, if no tile lies there: it has two sides or fewer."""
    a, b, c = np.roll(scene.corners[which], int(r.integers(3)), axis=0).astype(np.float64)
    triangle = np.array([b, a, a + b - c])
    length = float(side(triangle))
    gaps = np.linalg.norm(scene.corners.mean(1) - triangle.mean(0), axis=1)
    if (gaps < 0.4 * length).any():
        return None
    return np.asarray(np.roll(triangle, int(r.integers(3)), axis=0) + r.normal(0, 0.02 * length, (3, 2)))


def refiner_sample(
    scene: TileScene, pyramid: Pyramid, which: int, r: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The view along a wrongly guessed side, and where the true one is; the last number says whether there is one."""
    true = np.roll(scene.corners[which], int(r.integers(3)), axis=0).astype(np.float64)
    length = float(side(true))
    reach = float(r.choice(REACHES))
    spread = reach * float(r.choice([0.1, 0.3, 0.45])) * length
    guess = true + r.normal(0, spread * 0.7, 2) + r.normal(0, spread * 0.7, (3, 2))
    real = 1.0 if scene.visible[which] > 0.9 else -1.0
    chance = float(r.random())
    hole = notch(scene, which, r) if chance < 0.16 else None
    if hole is not None:
        guess = hole
        reach = REACHES[-1]
        close = [_covers(t, guess[0], guess[1], 0.15 * length) for t in scene.corners]
        real = -1.0 if any(close) else 0.0
    elif chance > 0.88:  # no tile there: beside it, between two, or half as large
        guess = _elsewhere(true, r)
        close = [float(np.linalg.norm(t.mean(0) - guess.mean(0))) < 0.25 * length for t in scene.corners]
        real = -1.0 if any(close) else 0.0
    offsets = edge_offsets(guess, true) / reach
    if real > 0 and np.abs(offsets).max() > 0.95:
        real = -1.0  # out of sight
    strip = pyramid.strip(guess, reach)
    return spoil(strip, r, 0.75), np.array([*offsets, real], np.float32)


def _covers(triangle: np.ndarray, a: np.ndarray, b: np.ndarray, margin: float) -> bool:
    """Whether a side of the triangle runs from about `a` to about `b`, either way."""
    gaps = np.linalg.norm(triangle[:, None] - np.stack([a, b])[None], axis=2)
    return bool((gaps.min(axis=0) < margin).all())


def _elsewhere(true: np.ndarray, r: np.random.Generator) -> np.ndarray:
    """A triangle that is not a tile's."""
    size = float(side(true)) / math.sqrt(3)
    kind = int(r.integers(3))
    if kind == 0:
        return np.asarray(true + r.normal(0, 1, 2) * size * 1.2)
    if kind == 1:
        return np.asarray(true.mean(0) + (true - true.mean(0)) * float(r.choice([0.4, 0.5, 1.8, 2.0])))
    return np.asarray(2 * true.mean(0) - true + r.normal(0, 0.3, 2) * size)


def reader_sample(
    scene: TileScene, pyramid: Pyramid, which: int, r: np.random.Generator, name: str = "reader"
) -> tuple[np.ndarray, np.ndarray]:
    """A tile set upright as the reader of that name sees it, and the values that it is asked for, from the top
    clockwise (-1: not judged); now and then one without.
    """
    triangle, view, asked = VIEWS[name]
    k = int(r.integers(3))
    corners = np.roll(scene.corners[which], -k, axis=0).astype(np.float64)
    seen = np.roll(scene.seen[which], -k)
    values = np.where(seen > 0.8, np.roll(scene.values[which], -k), NOTHING)
    if scene.visible[which] > WHOLE:  # what is missing around a value is the rim's doing, not a hand's
        values = np.roll(scene.values[which], -k)
    else:
        values[(seen > 0.8) & (seen < 0.97)] = -1  # partly covered: anybody's guess, not a lesson
    size = float(side(corners)) / math.sqrt(3)
    hole = notch(scene, which, r) if r.random() < 0.05 else None
    if hole is not None:
        corners, values = hole, np.full(3, NOTHING)
    elif r.random() < 0.06:
        corners = _elsewhere(corners, r)
        values = np.full(3, NOTHING if _astray(scene, corners) else -1)
    else:
        corners = corners + r.normal(0, 0.02 * size, 2) + r.normal(0, 0.015 * size, (3, 2))
    crop = pyramid.crop(corners, triangle, view)
    return (spoil(crop, r, READER_SPOIL) if r.random() < 0.5 else crop), values[:asked].astype(np.float32)


def _astray(scene: TileScene, corners: np.ndarray) -> bool:
    """Whether no tile's corners are near these."""
    gaps = [np.linalg.norm(np.roll(corners, -k, axis=0) - scene.corners, axis=2).max(1).min() for k in range(3)]
    return min(gaps) > 0.25 * float(side(corners))


def nothing_sample(
    name: str, pyramid: Pyramid, r: np.random.Generator, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """A crop of an empty table as the refiner or a reader would be shown it, and the answer: nothing."""
    radius = math.exp(float(r.uniform(math.log(20), math.log(120))))
    angle = float(r.uniform(0, 2 * math.pi)) + np.arange(3) * 2 * math.pi / 3
    corners = np.stack([np.cos(angle), np.sin(angle)], -1) * radius + r.uniform(0, 1, 2) * size
    if name == "refiner":
        return spoil(pyramid.strip(corners, float(r.choice(REACHES))), r, 0.75), np.zeros(3, np.float32)
    triangle, view, asked = VIEWS[name]
    return spoil(pyramid.crop(corners, triangle, view), r, READER_SPOIL), np.full(asked, NOTHING, np.float32)
