"""What a camera makes of a painted table: light, lens, sensor, sharpening and JPEG."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

NOISE = 1100  # px: a field of it is drawn once, and each picture takes another part


@cache
def _noise() -> np.ndarray:
    return np.random.default_rng(17).standard_normal((NOISE, NOISE, 3), dtype=np.float32)


def developed(canvas: np.ndarray, r: np.random.Generator, side: float) -> np.ndarray:
    """The picture (8 bits) of a painted table (BGR, float), in an evening's lamp light or by flash as often as by day.

    `side` is a tile's, in pixels: no blur makes its values unreadable.
    """
    height, width = canvas.shape[:2]
    ys, xs = np.linspace(-1, 1, height, dtype=np.float32)[:, None], np.linspace(-1, 1, width, dtype=np.float32)[None]
    out = canvas * np.exp(r.normal(0, 0.1, 3)).astype(np.float32)
    if r.random() < 0.35:  # a lamp of an evening
        warm = float(r.uniform(0.1, 0.9))
        out *= np.array([1 - 0.55 * warm, 1 - 0.22 * warm, 1 + 0.1 * warm], np.float32)
    if r.random() < 0.25:
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * float(r.uniform(0.2, 1.5))
    out *= max(math.exp(float(r.normal(-0.15, 0.3))), 45 / max(1.0, float(out.mean())))
    kind = r.random()
    if kind < 0.3:  # from the side
        angle = float(r.uniform(0, 6.3))
        out *= np.exp((xs * math.cos(angle) + ys * math.sin(angle)) * float(r.uniform(0.1, 0.7)))[..., None]
    elif kind < 0.6:  # a flash: bright in the middle, or wherever the lamp is near
        x, y = r.normal(0, 0.4, 2)
        away = ((xs - x) ** 2 + (ys - y) ** 2) * float(r.uniform(0.1, 0.6))
        out *= np.exp(float(r.uniform(0, 0.4)) - away)[..., None]
    if r.random() < 0.2:  # haze, or a glare across it: black is no longer black
        angle = float(r.uniform(0, 6.3))
        slope = xs * math.cos(angle) + ys * math.sin(angle) - float(r.uniform(-1, 1))
        out += (float(r.uniform(20, 130)) / (1 + np.exp(-slope * float(r.uniform(1, 6)))))[..., None]
    if r.random() < 0.4:  # the camera's own curve: shadows and highlights pressed together
        out = 255 * np.clip(out / 255, 0, 1.2) ** float(r.uniform(0.75, 1.4))
    out = _focus(out, r, min(1.6, 0.017 * side))
    if r.random() < 0.7:
        y, x = int(r.integers(NOISE - height)), int(r.integers(NOISE - width))
        out = out + float(r.uniform(1, 8)) * _noise()[y : y + height, x : x + width]
    if r.random() < 0.25:  # blotches of colour, as phones and old cameras make in the dark
        few = r.normal(0, float(r.uniform(1, 6)), (height // 5, width // 5, 3)).astype(np.float32)
        out = out + cv2.resize(few, (width, height), interpolation=cv2.INTER_CUBIC)
    if r.random() < 0.3:
        soft = cv2.GaussianBlur(out, (0, 0), float(r.uniform(0.8, 1.6)))
        out = out + (out - soft) * float(r.uniform(0.3, 1.3))
    picture = np.clip(out, 0, 255).astype(np.uint8)
    if r.random() < 0.6:
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(r.integers(40, 96))])[1]
        picture = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return picture


def _focus(out: np.ndarray, r: np.random.Generator, most: float) -> np.ndarray:
    blur = r.random()
    if blur < 0.55:
        return cv2.GaussianBlur(out, (0, 0), float(r.uniform(0.3, most)))
    if blur < 0.65:
        length = int(r.integers(2, 3 + round(1.5 * most)))
        kernel = np.zeros((length, length), np.float32)
        angle, middle = float(r.uniform(0, math.pi)), (length - 1) / 2
        dx, dy = math.cos(angle) * middle, math.sin(angle) * middle
        a, b = (round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy))
        cv2.line(kernel, a, b, 1.0)
        return np.asarray(cv2.filter2D(out, -1, kernel / kernel.sum()))
    return out
