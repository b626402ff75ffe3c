"""Drawn table tops: wood, cloth, felt, checks, stone and plain paint, as square tiles that repeat by reflection."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

SIDE = 768  # pixels of a texture
KINDS = ("wood", "planks", "felt", "cloth", "checks", "stripes", "stone", "plain", "leaves")
RESERVED = ("leaves",)  # never in training scenes: a table that only tests know


def noise(rng: np.random.Generator, side: int, scale_x: float, scale_y: float, octaves: int = 4) -> np.ndarray:
    """Smooth noise of about unit deviation; the scales are the size of its largest features in pixels."""
    out = np.zeros((side, side), np.float32)
    weight = 1.0
    for _ in range(octaves):
        nx, ny = max(2, round(side / scale_x)), max(2, round(side / scale_y))
        small = rng.standard_normal((min(ny, side), min(nx, side)), dtype=np.float32)
        out += weight * cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)
        weight *= 0.55
        scale_x, scale_y = max(1.5, scale_x / 2), max(1.5, scale_y / 2)
    return out / max(1e-6, float(out.std()))


def _hsv(h: float, s: float, v: float) -> np.ndarray:
    pixel = np.array([[[h % 180, np.clip(s, 0, 255), np.clip(v, 0, 255)]]], np.uint8)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0], np.float32)


def _shade(color: np.ndarray, amount: np.ndarray) -> np.ndarray:
    return np.asarray(color * (1 + amount[..., None]))


def _wood(rng: np.random.Generator) -> np.ndarray:
    base = _hsv(rng.uniform(7, 17), rng.uniform(70, 170), rng.uniform(70, 215))
    warp = noise(rng, SIDE, 300, 60, 3) * rng.uniform(6, 16)
    y = np.arange(SIDE, dtype=np.float32)[:, None] + warp
    rings = np.sin(y / rng.uniform(4, 12)) * 0.5 + np.sin(y / rng.uniform(13, 25)) * 0.5
    grain = noise(rng, SIDE, 180, 2.5, 2)
    return _shade(base, 0.07 * rings + 0.05 * grain + 0.04 * noise(rng, SIDE, 250, 250, 2))


def _planks(rng: np.random.Generator) -> np.ndarray:
    image = _wood(rng)
    step = int(rng.uniform(90, 200))
    for i, y in enumerate(range(0, SIDE, step)):
        strip = image[y : y + step]
        strip *= rng.uniform(0.85, 1.12)
        image[y : y + step] = np.roll(strip, 137 * i, axis=1)
        image[max(0, y - 1) : y + 1] *= 0.45
    return image


def _felt(rng: np.random.Generator) -> np.ndarray:
    hue = rng.choice([60, 65, 70, 110, 115, 175, 2, 150])
    base = _hsv(hue + rng.normal(0, 4), rng.uniform(90, 200), rng.uniform(50, 140))
    return _shade(base, 0.06 * noise(rng, SIDE, 3, 3, 2) + 0.03 * noise(rng, SIDE, 200, 200, 2))


def _weave(rng: np.random.Generator) -> np.ndarray:
    period = rng.uniform(3, 7)
    t = np.arange(SIDE, dtype=np.float32) * (2 * np.pi / period)
    return np.asarray(np.sin(t)[:, None] * np.sin(t)[None, :], np.float32)


def _cloth(rng: np.random.Generator) -> np.ndarray:
    base = _hsv(rng.uniform(0, 180), rng.uniform(5, 130), rng.uniform(90, 240))
    folds = noise(rng, SIDE, 350, 350, 2) * rng.uniform(0.01, 0.05)
    return _shade(base, 0.05 * _weave(rng) + 0.04 * noise(rng, SIDE, 8, 8, 3) + folds)


def _bands(rng: np.random.Generator, lo: float, hi: float) -> np.ndarray:
    period = rng.uniform(lo, hi)
    t = (np.arange(SIDE) / period) % 1.0
    return (t < rng.uniform(0.3, 0.6)).astype(np.float32)


def _checks(rng: np.random.Generator) -> np.ndarray:
    a = _hsv(rng.uniform(0, 180), rng.uniform(0, 60), rng.uniform(170, 245))
    b = _hsv(rng.uniform(0, 180), rng.uniform(60, 210), rng.uniform(60, 200))
    band = _bands(rng, 40, 170)
    if rng.random() < 0.5:  # vichy: the bands add up
        mix = (band[:, None] + band[None, :]) / 2
    else:
        mix = abs(band[:, None] - band[None, :])
    image = a * (1 - mix[..., None]) + b * mix[..., None]
    return np.asarray(image * (1 + (0.05 * _weave(rng) + 0.03 * noise(rng, SIDE, 60, 60, 3))[..., None]))


def _stripes(rng: np.random.Generator) -> np.ndarray:
    a = _hsv(rng.uniform(0, 180), rng.uniform(0, 120), rng.uniform(140, 240))
    b = _hsv(rng.uniform(0, 180), rng.uniform(20, 200), rng.uniform(60, 220))
    mix = np.broadcast_to(_bands(rng, 30, 160)[:, None, None], (SIDE, SIDE, 1))
    return np.asarray((a * (1 - mix) + b * mix) * (1 + 0.04 * noise(rng, SIDE, 6, 6, 2)[..., None]))


def _stone(rng: np.random.Generator) -> np.ndarray:
    base = _hsv(rng.uniform(0, 180), rng.uniform(0, 40), rng.uniform(60, 230))
    cloud = noise(rng, SIDE, 220, 220, 5)
    veins = np.exp(-(((noise(rng, SIDE, 260, 160, 4)) / 0.06) ** 2))
    specks = (noise(rng, SIDE, 3, 3, 1) > 2).astype(np.float32)
    return _shade(base, 0.08 * cloud + rng.uniform(-0.3, 0.3) * veins - rng.uniform(0, 0.3) * specks)


def _plain(rng: np.random.Generator) -> np.ndarray:
    base = _hsv(rng.uniform(0, 180), rng.uniform(0, 110) ** 1.0, rng.uniform(30, 250))
    return _shade(base, 0.012 * noise(rng, SIDE, 300, 300, 3) + 0.008 * noise(rng, SIDE, 2, 2, 1))


def _leaves(rng: np.random.Generator) -> np.ndarray:
    image = _cloth(rng)
    for _ in range(int(rng.uniform(60, 130))):
        x, y = rng.uniform(0, SIDE, 2)
        color = tuple(float(v) for v in _hsv(rng.uniform(0, 180), rng.uniform(60, 220), rng.uniform(60, 230)))
        axes = (int(rng.uniform(8, 45)), int(rng.uniform(5, 18)))
        cv2.ellipse(image, (int(x), int(y)), axes, float(rng.uniform(0, 360)), 0, 360, color, -1, cv2.LINE_AA)
    return image


_MAKERS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "wood": _wood,
    "planks": _planks,
    "felt": _felt,
    "cloth": _cloth,
    "checks": _checks,
    "stripes": _stripes,
    "stone": _stone,
    "plain": _plain,
    "leaves": _leaves,
}


@lru_cache(maxsize=24)
def texture(kind: str, seed: int) -> np.ndarray:
    """The table top `kind` number `seed`, BGR, the same pixels every time. `kind` may be the path of a photograph."""
    if kind in _MAKERS:
        image = _MAKERS[kind](np.random.default_rng([seed, KINDS.index(kind)]))
        return np.asarray(np.clip(image, 0, 255), np.uint8)
    photo = cv2.imread(kind, cv2.IMREAD_COLOR)
    if photo is None:
        raise FileNotFoundError(f"no picture can be read from {kind}")
    scale = SIDE * 1.3 / max(photo.shape[:2])
    return cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else photo


def photographs(folder: Path | str) -> tuple[str, ...]:
    """The pictures of a folder as texture kinds, in a fixed order."""
    paths = sorted(p for p in Path(folder).iterdir() if p.suffix.lower() in {".jpg", ".jpeg", ".png", ".webp"})
    if not paths:
        raise FileNotFoundError(f"no pictures in {folder}")
    return tuple(str(p) for p in paths)
