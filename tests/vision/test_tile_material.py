"""A hole between tiles is no blank tile; a blank tile of the same set is one."""

from __future__ import annotations

import cv2
import numpy as np

from vision.state import Piece
from vision.tiles.material import tone, without_holes

IVORY, FELT = (205, 225, 235), (50, 70, 40)


def triangle(x: float) -> tuple[tuple[float, float], ...]:
    return ((x, 20.0), (x + 60, 20.0), (x + 30, 70.0))


def table(ivory_at: tuple[int, ...]) -> np.ndarray:
    image = np.full((100, 500, 3), FELT, np.uint8)
    for x in ivory_at:
        cv2.fillConvexPoly(image, np.int32(triangle(x)), IVORY)
    return image


def pieces(blank_at: float, marked_at: tuple[int, ...]) -> list[Piece]:
    found = [Piece("tile", "1-2-3", triangle(x), 0.9) for x in marked_at]
    return [*found, Piece("tile", "0-0-0", triangle(blank_at), 0.95)]


def test_a_hole_is_dropped_and_a_blank_tile_is_kept() -> None:
    marked = (10, 90, 170)
    image = table((*marked, 250))
    assert [p.label for p in without_holes(image, pieces(330, marked))] == ["1-2-3"] * 3
    assert [p.label for p in without_holes(image, pieces(250, marked))] == ["1-2-3"] * 3 + ["0-0-0"]


def test_too_few_tiles_say_nothing_about_the_set() -> None:
    image = table((10, 90))
    assert len(without_holes(image, pieces(330, (10, 90)))) == 3


def test_a_tile_outside_the_picture_has_no_tone() -> None:
    assert tone(table(()), triangle(900)) is None
