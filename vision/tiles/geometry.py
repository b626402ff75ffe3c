"""Triangles: how a network can name one without an order of corners, and how a tile is cut out and set upright."""

from __future__ import annotations

import math

import cv2
import numpy as np

OMEGA = np.exp(2j * math.pi / 3)
TURNS = np.array([1, OMEGA, OMEGA**2])  # clockwise as seen, since y grows downwards

DETECT_STRIDE = 4
UNIT = 24.0  # px: the circumradius that counts as 1 for the detector
REFINE_SIZE = 72
REFINE_RADIUS = 29.0  # px of the circumradius in the refiner's crop: leaves a rim of table to see the edge against
READ_SIZE = 56
READ_RADIUS = 50.0  # the reader sees the upper half of the tile, one corner up


def encode(corners: np.ndarray) -> np.ndarray:
    """Five numbers for triangles (..., 3, 2) given clockwise, the same whichever corner comes first: log size, the
    direction three times over (cosine, sine) and the squeeze by perspective (two).

    With the corners as complex numbers z_k = c + A·w^k + B·w^-k, taking another first corner turns A and B by a third:
    |A|, A³ and A·B do not change, and together they say everything.
    """
    z = corners[..., 0] + 1j * corners[..., 1]
    a = (z * TURNS.conj()).sum(-1) / 3
    b = (z * TURNS).sum(-1) / 3
    size = np.abs(a)
    direction = (a / size) ** 3
    squeeze = a * b / size**2
    return np.stack([np.log(size / UNIT), direction.real, direction.imag, squeeze.real, squeeze.imag], axis=-1)


def decode(centres: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The triangles (n, 3, 2), clockwise, of centroids (n, 2) and what `encode` gives (n, 5)."""
    size = UNIT * np.exp(np.clip(numbers[:, 0], -4, 4))
    angle = np.arctan2(numbers[:, 2], numbers[:, 1]) / 3
    a = size * np.exp(1j * angle)
    b = (numbers[:, 3] + 1j * numbers[:, 4]) * size**2 / a
    z = (centres[:, 0] + 1j * centres[:, 1])[:, None] + a[:, None] * TURNS + b[:, None] * TURNS.conj()
    return np.stack([z.real, z.imag], axis=-1)


def upright(radius: float, x: float, y: float) -> np.ndarray:
    """An equilateral triangle around (x, y), first corner up, then clockwise."""
    angles = np.radians([-90, 30, 150])
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=-1).astype(np.float32)


REFINE_TRIANGLE = upright(REFINE_RADIUS, REFINE_SIZE / 2 - 0.5, REFINE_SIZE * 0.5 + REFINE_RADIUS * 0.25 - 0.5)
READ_TRIANGLE = upright(READ_RADIUS, READ_SIZE / 2 - 0.5, READ_RADIUS + 3.0)


def side(corners: np.ndarray) -> np.ndarray:
    """Mean side of triangles (..., 3, 2), in pixels."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, 1, axis=-2), axis=-1).mean(-1))


class Pyramid:
    """An image and its halves, so that a crop is never taken from pixels much finer than its own."""

    def __init__(self, image: np.ndarray) -> None:
        self.levels = [image]

    def crop(self, corners: np.ndarray, triangle: np.ndarray, size: int) -> np.ndarray:
        """The square crop in which the tile's corners fall on `triangle`."""
        shrink = float(side(corners)) / max(float(side(triangle)), 1e-6)
        level = 0
        while shrink > 1.6 and min(self.levels[level].shape[:2]) > 64:
            level += 1
            shrink /= 2
            if level == len(self.levels):
                above = self.levels[-1]
                self.levels.append(
                    cv2.resize(above, (above.shape[1] // 2, above.shape[0] // 2), interpolation=cv2.INTER_AREA)
                )
        image = self.levels[level]
        scale = np.array([image.shape[1] / self.levels[0].shape[1], image.shape[0] / self.levels[0].shape[0]])
        source = ((corners + 0.5) * scale - 0.5).astype(np.float32)
        matrix = cv2.getAffineTransform(triangle, source)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(image, matrix, (size, size), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def apply_residual(corners: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """Move corners (3, 2) by what the refiner says (3, 2), which is in circumradii of its upright crop."""
    matrix = cv2.getAffineTransform(REFINE_TRIANGLE, corners.astype(np.float32))
    moved = REFINE_TRIANGLE + residual * REFINE_RADIUS
    return np.asarray(moved @ matrix[:, :2].T + matrix[:, 2])
