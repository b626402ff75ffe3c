"""Whose card is that: seats around the table, by the calibrated corners or else by the edges of the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from service.referee.base import size_of
from vision.state import Piece, Point

SEATS_2 = ((0.5, 1.0), (0.5, 0.0))
# Seats count to the right: player 0 below, 1 at the right, 2 opposite, 3 at the left.
SEATS_4 = ((0.5, 1.0), (1.0, 0.5), (0.5, 0.0), (0.0, 0.5))
BORDER = 0.1  # of the table: so near to the line between two of four zones, the way a card lies says whose it is
LONG = 1.1  # a card's sides must differ by this factor before one of them is the long one


def on_table(points: Sequence[Point], size: tuple[int, int], calibration: Mapping[str, Any]) -> list[Point]:
    """Image points as fractions of the table: (0, 0) its upper left, (1, 1) its lower right corner."""
    corners = calibration.get("corners")
    if corners:
        quad = np.array(corners, np.float32)
    else:
        width, height = size
        quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad, unit)
    flat = cv2.perspectiveTransform(np.array(points, np.float64).reshape(-1, 1, 2), matrix).reshape(-1, 2)
    return [(float(x), float(y)) for x, y in flat]


def seat_of(point: Point, seats: int) -> int:
    """The seat whose zone a point of the table lies in: halves for two players, triangles for four."""
    x, y = point
    if seats == 2:
        return 0 if y > 0.5 else 1
    dx, dy = x - 0.5, y - 0.5
    if abs(dy) >= abs(dx):
        return 0 if dy > 0 else 2
    return 1 if dx > 0 else 3


def seat_of_card(piece: Piece, size: tuple[int, int], seats: int, calibration: Mapping[str, Any]) -> int:
    """The seat that a card belongs to: by its place, and near a line between two zones by how it is turned.

    Cards lie towards their players. A camera that hangs a little askew moves the lines between the zones across the
    outer cards of four players, and their places alone would then accuse the wrong one.
    """
    x, y = on_table([piece.centre], size, calibration)[0]
    if seats != 4 or abs(abs(x - 0.5) - abs(y - 0.5)) > BORDER:
        return seat_of((x, y), seats)
    sideways = _sideways(piece, size, calibration)
    if sideways is None:
        return seat_of((x, y), seats)
    if sideways:
        return 1 if x > 0.5 else 3
    return 0 if y > 0.5 else 2


def _sideways(piece: Piece, size: tuple[int, int], calibration: Mapping[str, Any]) -> bool | None:
    """Whether a card's long sides run from left to right on the table; None where they cannot be told."""
    corners = np.array(piece.corners, float)
    if len(corners) != 4:
        return None
    first = corners[1] - corners[0] + corners[2] - corners[3]
    second = corners[2] - corners[1] + corners[3] - corners[0]
    ratio = float(np.linalg.norm(first)) / max(float(np.linalg.norm(second)), 1e-6)
    if 1 / LONG < ratio < LONG:
        return None
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = on_table(piece.corners, size, calibration)
    one, other = (bx - ax + cx - dx, by - ay + cy - dy), (cx - bx + dx - ax, cy - by + dy - ay)
    long, short = (one, other) if ratio > 1 else (other, one)
    return abs(long[0] * short[1]) > abs(long[1] * short[0])  # holds whatever the shape of the table is


def tricks_in_columns(cards: Sequence[Piece], size: tuple[int, int]) -> list[list[tuple[int, str]]]:
    """Cards of two players as tricks: the n-th column from the left is the n-th trick."""
    columns: list[list[Piece]] = []
    for card in sorted(cards, key=lambda piece: piece.centre[0]):
        last = columns[-1] if columns else None
        if last is not None and card.centre[0] - last[-1].centre[0] < 0.5 * size_of(card) and len(last) < 2:
            last.append(card)
        else:
            columns.append([card])
    flat = [on_table([card.centre for card in column], size, {}) for column in columns]
    return [
        [(seat_of(point, 2), card.label) for card, point in zip(column, points, strict=True)]
        for column, points in zip(columns, flat, strict=True)
    ]
