"""How alike two flat pictures are, artwork and all: what tells a deck's own card from the same card of another deck.

The face network is taught to put a face together whatever its artwork, so its embedding cannot say whose card it is.
Pictures can, once the one lies exactly over the other: corners are found a few pixels wrong, and a drawing that is
shifted by a line's width has nothing in common with itself. So the two are aligned first, by what is printed on them
and not by the table around them; then the edges of both are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

SIZE = (64, 96)
INNER = (7, 9)  # pixels of SIZE at each side that are not compared: the table around the card and the card's edge
FARTHEST = 0.12  # most that the one may be scaled, turned or (in heights) shifted against the other
SOFTER = (0.6, 0.9, 1.2, 1.6, 2.2)  # blurs that make a sharp picture like a soft one
GREY = np.array([0.114, 0.587, 0.299], np.float32)
STOP = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 12, 1e-3)


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """What is compared of a flat card: its colours (0 to 1) and their grey, this also at half the size."""

    colours: np.ndarray
    grey: np.ndarray
    coarse: np.ndarray

    def turned(self) -> Traits:
        """The card upside down."""
        return Traits(*(np.ascontiguousarray(part[::-1, ::-1]) for part in (self.colours, self.grey, self.coarse)))


def traits(flat: np.ndarray) -> Traits:
    """The traits of a flat card (blue-green-red bytes of any size)."""
    small = cv2.resize(flat[..., :3], SIZE, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    grey = small @ GREY
    return Traits(small, grey, cv2.resize(grey, (SIZE[0] // 2, SIZE[1] // 2), interpolation=cv2.INTER_AREA))


def likeness(first: Traits, second: Traits) -> float:
    """From about 0 (nothing in common) to 2 (the same picture): agreement of the edges, in grey and in each colour."""
    matrix = _aligned(first, second)
    if matrix is None:
        return 0.0
    there = cv2.warpAffine(
        second.colours, matrix, SIZE, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    x, y = INNER
    core = slice(y - 3, SIZE[1] - y + 3), slice(x - 1, SIZE[0] - x + 1)
    one, other = _equally_sharp(first.colours, there)
    one, other = one[core], other[core]
    # What lamp and camera do to a picture is a gain and an offset for each colour; what is left are other drawings.
    one_mean, other_mean = one.mean((0, 1)), other.mean((0, 1))
    shared = ((one - one_mean) * (other - other_mean)).mean((0, 1))
    gain = np.clip(shared / (((other - other_mean) ** 2).mean((0, 1)) + 1e-5), 0.2, 3)
    fitted = np.clip((other - other_mean) * gain + one_mean, 0, 1).astype(np.float32)
    return _same_edges(one @ GREY, fitted @ GREY) + _same_edges(np.ascontiguousarray(one), fitted)


def _aligned(first: Traits, second: Traits) -> np.ndarray | None:
    """The 2 × 3 matrix from the first card's pixels to the second's; None where no part lies on the other."""
    start = _step(first.coarse, second.coarse, np.eye(2, 3, dtype=np.float32), 2)
    if start is None:
        start = np.eye(2, 3, dtype=np.float32)
    start[:, 2] *= 2
    return _step(first.grey, second.grey, start, 1)


def _step(one: np.ndarray, other: np.ndarray, start: np.ndarray, scale: int) -> np.ndarray | None:
    """A better matrix by enhanced correlation, from the inner part of the one and all that is card of the other."""
    height, width = one.shape
    x, y = (side // scale for side in INNER)
    inside = np.zeros(other.shape, np.uint8)
    edge_x, edge_y = round(0.075 * width), round(0.07 * height)
    inside[edge_y : height - edge_y, edge_x : width - edge_x] = 255
    offset = np.array([x, y], np.float32)
    matrix = start.copy()
    matrix[:, 2] += matrix[:, :2] @ offset
    try:
        core = np.ascontiguousarray(one[y : height - y, x : width - x])
        _, found = cv2.findTransformECC(core, other, matrix, cv2.MOTION_AFFINE, STOP, inside, 3)
    except cv2.error:  # nothing in common, or nothing to be seen
        return None
    matrix = np.array(found, np.float32)
    matrix[:, 2] -= matrix[:, :2] @ offset
    middle = np.array([width / 2, height / 2])
    moved = np.abs(matrix[:, :2] @ middle + matrix[:, 2] - middle).max() / height
    if not moved <= FARTHEST or not np.abs(matrix[:, :2] - np.eye(2)).max() <= FARTHEST:
        return None
    return matrix


def _equally_sharp(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both pictures, the sharper one blurred like the other: a camera out of focus is not another deck."""
    mine, theirs = _sharpness(one @ GREY), _sharpness(other @ GREY)
    if theirs > 1.05 * mine:
        return one, _softened(other, mine)
    if mine > 1.05 * theirs:
        return _softened(one, theirs), other
    return one, other


def _softened(picture: np.ndarray, goal: float) -> np.ndarray:
    soft = picture
    for sigma in SOFTER:
        soft = cv2.GaussianBlur(picture, (0, 0), sigma)
        if _sharpness(soft @ GREY) <= goal:
            break
    return soft


def _sharpness(grey: np.ndarray) -> float:
    """How fine the edges are, whatever the contrast."""
    soft = cv2.GaussianBlur(grey, (0, 0), 0.6)[6:-6, 6:-6]
    across, down = _slopes(soft)
    return float(np.abs(cv2.Laplacian(soft, cv2.CV_32F)).mean() / (np.hypot(across, down).mean() + 1e-3))


def _same_edges(one: np.ndarray, other: np.ndarray) -> float:
    """The cosine between the slopes of two pictures."""
    (ax, ay), (bx, by) = _slopes(one), _slopes(other)
    size = float((ax * ax + ay * ay).sum() * (bx * bx + by * by).sum())
    return float((ax * bx + ay * by).sum()) / float(np.sqrt(size + 1e-9))


def _slopes(picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return cv2.Sobel(picture, cv2.CV_32F, 1, 0), cv2.Sobel(picture, cv2.CV_32F, 0, 1)
