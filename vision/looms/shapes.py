"""Sizes that the loom networks and their training share, and the cuts they are fed with."""

from __future__ import annotations

import cv2
import numpy as np

FIND_SIZE = (512, 288)  # width, height of a frame as the finder sees it
FIND_STRIDE = 4
READ_SIZE = 384  # a rectified board with a margin around it
READ_MARGIN = 0.09
READ_STRIDE = 2
PITCH = 26  # pixels between lanes on the sheet from which crossings are cut
PATCH = 32  # a crossing and its surroundings

COLORS = ("rojo", "rosado", "celeste", "azul", "morado")


def homography(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The projective map of four points onto four others."""
    return cv2.getPerspectiveTransform(np.asarray(source, np.float32), np.asarray(target, np.float32))


def apply(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (N × 2) through a projective map."""
    points = np.asarray(points, np.float64).reshape(-1, 1, 2)
    return cv2.perspectiveTransform(points, np.asarray(matrix, np.float64)).reshape(-1, 2)


def board_square() -> np.ndarray:
    """Where the board's corners come to lie in the reader's rectified picture."""
    lo, hi = READ_SIZE * READ_MARGIN, READ_SIZE * (1 - READ_MARGIN)
    return np.array([[lo, lo], [hi, lo], [hi, hi], [lo, hi]], np.float32)


def lattice_sheet(image: np.ndarray, grid: np.ndarray, lanes: int) -> np.ndarray:
    """The lane square `grid` (image pixels) rectified to PITCH pixels per lane, with one pitch around it."""
    lo, hi = PITCH, PITCH * lanes
    target = np.array([[lo, lo], [hi, lo], [hi, hi], [lo, hi]], np.float32)
    size = PITCH * (lanes + 1)
    grid = np.asarray(grid, np.float32)
    pitch = float(np.linalg.norm(np.roll(grid, 1, 0) - grid, axis=1).mean()) / max(1, lanes - 1)
    if pitch > 1.7 * PITCH:  # shrinking that much would alias: blur first
        image = cv2.GaussianBlur(image, (0, 0), 0.35 * pitch / PITCH)
    return cv2.warpPerspective(image, homography(grid, target), (size, size), flags=cv2.INTER_LINEAR)


def crossing_patch(sheet: np.ndarray, h: int, v: int) -> np.ndarray:
    """The surroundings of the crossing of two lanes on a lattice sheet."""
    x, y, r = PITCH * (v + 1), PITCH * (h + 1), PATCH // 2
    return sheet[y - r : y + r, x - r : x + r]
