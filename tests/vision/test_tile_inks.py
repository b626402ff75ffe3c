"""Inks shared by the tiles of a table settle doubtful values, where they mean anything."""

from __future__ import annotations

import cv2
import numpy as np

from vision.tiles.geometry import READ_SIZE, READ_TRIANGLE
from vision.tiles.inks import inks, together

YELLOW, BLUE, BLACK = (40.0, 0.0, 40.0), (-10.0, 0.0, -40.0), (-60.0, 0.0, 0.0)


def corner(**chances: float) -> list[float]:
    """Seven probabilities, most of them small: `corner(v3=0.4, v4=0.5)`."""
    row = np.full(7, 0.01)
    for name, chance in chances.items():
        row[int(name[1:])] = chance
    return list(row / row.sum())


def test_yellow_corners_that_look_a_little_like_fours_are_threes_where_blue_ones_are_fours() -> None:
    doubtful, four = corner(v3=0.45, v4=0.5), corner(v4=0.95)
    chances = np.array([[doubtful, doubtful, four], [doubtful, four, four], [corner(v3=0.9), doubtful, four]])
    colors = np.array([[YELLOW, YELLOW, BLUE], [YELLOW, BLUE, BLUE], [YELLOW, YELLOW, BLUE]])
    assert together(chances, colors).argmax(axis=2).tolist() == [[3, 3, 4], [3, 4, 4], [3, 3, 4]]


def test_one_ink_for_all_values_changes_no_reading() -> None:
    r = np.random.default_rng(4)
    chances = r.dirichlet(np.full(7, 0.3), (6, 3))
    got = together(chances, np.broadcast_to(np.array(BLACK), (6, 3, 3)))
    sure = chances.max(axis=2) > 0.6
    assert (got.argmax(axis=2) == chances.argmax(axis=2))[sure].all()


def test_a_tile_alone_is_read_as_it_is() -> None:
    chances = np.array([[corner(v1=0.9), corner(v2=0.9), corner(v3=0.6)]])
    assert together(chances, np.zeros((1, 3, 3))) is chances


def test_an_ink_is_told_from_the_face() -> None:
    crop = np.full((READ_SIZE, READ_SIZE, 3), (90, 140, 180), np.uint8)
    for corner_at, color in zip(READ_TRIANGLE, ((30, 220, 240), (220, 90, 20), (90, 140, 180)), strict=True):
        x, y = corner_at + (READ_TRIANGLE.mean(0) - corner_at) * 0.55
        cv2.circle(crop, (round(float(x)), round(float(y))), 4, color, -1)
    yellow, blue, blank = inks(crop)
    assert yellow[2] > 20
    assert blue[2] < -30
    assert np.abs(blank).max() < 3
