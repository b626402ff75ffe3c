"""All tiles of a set are made of one material; a hole between tiles shows the table, and looks like a blank tile."""

from __future__ import annotations

import cv2
import numpy as np

from vision.state import Piece

BLANK = "0-0-0"  # the only tile that can be without any mark
SURE = 0.6  # below it the marks may be imagined too
NEIGHBOURS = 3  # tiles with marks that a blank one is compared with: fewer say nothing about the set
# Distance in Lab to the most alike of them. Measured on played games: tiles up to 26, holes from 40 on.
FOREIGN = 32.0


def tone(image: np.ndarray, corners: tuple[tuple[float, float], ...]) -> np.ndarray | None:
    """The usual colour (Lab) of a tile's middle, or None where it lies outside the picture."""
    points = np.array(corners, float)
    middle = points.mean(0)
    inner = middle + 0.55 * (points - middle)
    height, width = image.shape[:2]
    left, top = np.clip(np.floor(inner.min(0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(inner.max(0)) + 1, 0, (width, height)).astype(int)
    if right - left < 2 or bottom - top < 2:
        return None
    part = image[top:bottom, left:right]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(inner - (left, top)).astype(np.int32), 1)
    pixels = cv2.cvtColor(part, cv2.COLOR_BGR2LAB)[mask > 0]
    return np.asarray(np.median(pixels.astype(float), axis=0)) if len(pixels) else None


def _marked(piece: Piece) -> bool:
    return piece.label != BLANK and piece.confidence >= SURE


def without_holes(image: np.ndarray, pieces: list[Piece]) -> list[Piece]:
    """The pieces without blank or doubtful ones that are not of the others' material."""
    if all(_marked(piece) for piece in pieces):
        return pieces
    marked = [found for piece in pieces if _marked(piece) and (found := tone(image, piece.corners)) is not None]
    if len(marked) < NEIGHBOURS:
        return pieces
    material = np.array(marked)

    def of_the_set(piece: Piece) -> bool:
        found = None if _marked(piece) else tone(image, piece.corners)
        if found is None:
            return True
        gaps = np.sort(np.linalg.norm(material - found, axis=1))
        return float(gaps[:NEIGHBOURS].mean()) < FOREIGN

    return [piece for piece in pieces if of_the_set(piece)]
