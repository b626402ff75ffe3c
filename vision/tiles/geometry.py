"""Triangles: how a network can name one without an order of corners, and how a tile is cut out and set upright."""

from __future__ import annotations

import math

import cv2
import numpy as np

OMEGA = np.exp(2j * math.pi / 3)
TURNS = np.array([1, OMEGA, OMEGA**2])  # clockwise as seen, since y grows downwards

DETECT_STRIDE = 4
UNIT = 24.0  # px: the circumradius that counts as 1 for the detector
STRIP = (48, 24)  # px of the refiner's view of one side: along it, and across it with the tile's face below
PROFILES = 8  # what it is given of that view: an edge is straight, so the means along eight parts say all
STRIP_ENDS = (0.06, 0.94)  # the part of the side that it sees: corners are rounded
STRIP_POINTS = (0.2, 0.8)  # where along the side the refiner says how far away the edge is
REACHES = (0.22, 0.12, 0.07, 0.07)  # sides: how far to either side of the guess the refiner looks, round by round
READ_SIZE = 96  # px of the reader's view of a whole tile, with a little of what lies around it
READ_SIDE = 84.0


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


STRIP_VIEW = np.array([[0, 0], [STRIP[0], 0], [0, STRIP[1]]], np.float32) - 0.5
# A tile by itself: the first side from (0, 0) to (1, 0), clockwise, the third corner below.
OWN = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])
# A corner by itself: the upper half of the tile, one corner up.
CORNER_SIZE, CORNER_RADIUS = 40, 35.7  # px of the view, and of the circumradius
CORNER_TRIANGLE = upright(CORNER_RADIUS, CORNER_SIZE / 2 - 0.5, CORNER_RADIUS + 2.0)
READ_TRIANGLE = upright(READ_SIDE / math.sqrt(3), READ_SIZE / 2 - 0.5, READ_SIDE / math.sqrt(3) + 9.5)


def side(corners: np.ndarray) -> np.ndarray:
    """Mean side of triangles (..., 3, 2), in pixels."""
    return np.asarray(np.linalg.norm(corners - np.roll(corners, 1, axis=-2), axis=-1).mean(-1))


class Pyramid:
    """An image and its halves, so that a crop is never taken from pixels much finer than its own."""

    def __init__(self, image: np.ndarray) -> None:
        self.levels = [image]

    def level(self, shrink: float) -> tuple[np.ndarray, np.ndarray]:
        """The image halved as often as a view `shrink` times smaller than the picture allows, and its scale (x, y)."""
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
        return image, scale

    def crop(self, corners: np.ndarray, triangle: np.ndarray, size: int) -> np.ndarray:
        """The square crop in which the tile's corners fall on `triangle`."""
        image, scale = self.level(float(side(corners)) / max(float(side(triangle)), 1e-6))
        return _warp(image, triangle, (corners + 0.5) * scale - 0.5, (size, size))

    def strip(self, corners: np.ndarray, reach: float) -> np.ndarray:
        """Profiles (24, 8, 3) across the first side (from `corners[0]` to `corners[1]`), `reach` sides either way."""
        start, end = STRIP_ENDS
        own = np.array([[start, -reach], [end, -reach], [start, reach]])
        matrix = frame(corners)
        image, scale = self.level(float(side(corners)) * 2 * reach / STRIP[1])
        source = (own @ matrix[:, :2].T + matrix[:, 2] + 0.5) * scale - 0.5
        return cv2.resize(_warp(image, STRIP_VIEW, source, STRIP), (PROFILES, STRIP[1]), interpolation=cv2.INTER_AREA)


def _warp(image: np.ndarray, view: np.ndarray, source: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    matrix = cv2.getAffineTransform(view.astype(np.float32), source.astype(np.float32))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)


def frame(corners: np.ndarray) -> np.ndarray:
    """The affine map (..., 2, 3) from the tile by itself (`OWN`) to where its corners (..., 3, 2) are."""
    first = corners[..., 0, :]
    across = corners[..., 1, :] - first
    down = (corners[..., 2, :] - first - 0.5 * across) / OWN[2, 1]
    return np.stack([across, down, first], axis=-1)


def edge_offsets(guess: np.ndarray, true: np.ndarray) -> np.ndarray:
    """How far the true first side is from the guessed one at `STRIP_POINTS`, in sides, outwards negative."""
    matrix = frame(guess)
    a, b = ((true[k] - matrix[:, 2]) @ np.linalg.inv(matrix[:, :2]).T for k in (0, 1))
    return np.array([a[1] + (x - a[0]) * (b[1] - a[1]) / (b[0] - a[0]) for x in STRIP_POINTS])


def moved(corners: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The triangles (..., 3, 2) whose sides lie where `offsets` (..., 3 sides, 2 points) say, seen from `corners`."""
    lines = []
    for k in range(3):
        matrix = frame(np.roll(corners, -k, axis=-2))
        along, across, start = matrix[..., 0], matrix[..., 1], matrix[..., 2]
        (x1, x2), y = STRIP_POINTS, offsets[..., k, :]
        a = start + along * x1 + across * y[..., 0, None]
        b = start + along * x2 + across * y[..., 1, None]
        normal = np.stack([a[..., 1] - b[..., 1], b[..., 0] - a[..., 0]], axis=-1)
        lines.append((normal, (normal * a).sum(-1)))
    met = []
    for k in range(3):
        (n1, c1), (n2, c2) = lines[k - 1], lines[k]
        det = n1[..., 0] * n2[..., 1] - n1[..., 1] * n2[..., 0]
        safe = np.where(np.abs(det) > 1e-9, det, 1.0)
        x = (c1 * n2[..., 1] - c2 * n1[..., 1]) / safe
        y = (n1[..., 0] * c2 - n2[..., 0] * c1) / safe
        crossing = np.stack([x, y], axis=-1)
        met.append(np.where(np.abs(det)[..., None] > 1e-9, crossing, corners[..., k, :]))
    return np.stack(met, axis=-2)
