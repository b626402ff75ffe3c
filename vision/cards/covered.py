"""What a half-covered card must look like whole: its corners completed to the size that cards have on this table.

The networks tend to take what is seen of a squarely covered card for all of it. Where the card would have to go on
under a neighbour (or beyond the picture) to be as large as the others, that is one more answer for its corners.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

SHORT = 0.9  # of the size (√area) expected: a card measured smaller than this may go on somewhere
LONGEST = 4.0  # a strip that shows less than a quarter of the card's length says too little
SHAPES = (1.2, 2.0)  # long to short side of a card as cameras and files may stretch it
HIDDEN = 0.6  # of what is added: at least so much lies under other cards or outside the picture


def completed(
    quad: np.ndarray, size: float, others: Sequence[np.ndarray], picture: tuple[int, int]
) -> list[np.ndarray]:
    """Corners of the card that a quadrilateral (4 × 2) may be the seen part of; none where it is whole.

    `size` is the √area of cards around here, `others` are the other cards' corners, `picture` is width and height.
    """
    area = float(cv2.contourArea(quad.astype(np.float32)))
    if size <= 0 or area < 16 or area > (SHORT * size) ** 2:
        return []
    factor = size * size / area
    if factor > LONGEST:
        return []
    result = []
    for turn in range(4):  # the side that moves away is the one opposite to the first two corners
        a, b, c, d = np.roll(quad, -turn, axis=0)
        added = np.stack([d, c, b + (c - b) * factor, a + (d - a) * factor])
        whole = np.stack([a, b, added[2], added[3]])
        along = float(np.linalg.norm(whole[3] - a + whole[2] - b))
        across = float(np.linalg.norm(b - a + whole[2] - whole[3]))
        shape = max(along, across) / max(1.0, min(along, across))
        if not SHAPES[0] <= shape <= SHAPES[1] or hidden(added, others, picture) < HIDDEN:
            continue
        back = np.roll(whole, turn, axis=0)
        upright = np.linalg.norm(back[3] - back[0]) >= np.linalg.norm(back[1] - back[0])
        result.append(back if upright else np.roll(back, 1, axis=0))
    return result


def hidden(region: np.ndarray, others: Sequence[np.ndarray], picture: tuple[int, int], grid: int = 7) -> float:
    """The share of a quadrilateral that lies under other cards or outside the picture."""
    steps = (np.arange(grid) + 0.5) / grid
    across, down = np.meshgrid(steps, steps)
    top = region[0] + (region[1] - region[0]) * across[..., None]
    bottom = region[3] + (region[2] - region[3]) * across[..., None]
    points = (top + (bottom - top) * down[..., None]).reshape(-1, 2)
    out = ((points < 0) | (points >= picture)).any(1)
    for other in others:
        contour = other.astype(np.float32)
        low, high = contour.min(0), contour.max(0)
        for i in np.flatnonzero(~out & ((points >= low) & (points <= high)).all(1)):
            out[i] = cv2.pointPolygonTest(contour, (float(points[i, 0]), float(points[i, 1])), False) >= 0
    return float(out.mean())
