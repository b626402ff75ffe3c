"""Single corners of tiles painted straight into the corner reader's view, by the hundred thousand.

A table shows a dozen tiles of one set; here every corner is of another set in another light, with whatever may lie
around it. What is painted is one tile with its neighbours, in the manner of the painted tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np

from models.tiles.camera import developed
from models.tiles.painted import disc, ground, lay, rotation, rounded, shadows, walls
from models.tiles.samples import NOTHING
from models.tiles.sets import random_set, typefaces
from vision.tiles.geometry import CORNER_SIZE, CORNER_TRIANGLE, side

FINER = 2  # a corner is painted this much finer and then made small
SIZE = CORNER_SIZE * FINER
HOME = (CORNER_TRIANGLE.astype(np.float64) + 0.5) * FINER - 0.5  # where its tile is on the canvas
SIDE = float(side(HOME))
PARTS = 8  # corners that lie on parts of the same table
SEEN = (0.5, 2.2)  # how large a tile is on the sensor, in its sizes on the view: from far smaller to larger
EMPTY, COVERED = 0.06, 0.03  # shares of corners without a tile, and with a hand or a cup over the value


def painted_corners(count: int, seed: int, tables: tuple[str, ...]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """`count` corners (CORNER_SIZE square, BGR) and what they show (1); the same for the same seed."""
    r = np.random.default_rng([seed, 515])
    for i in range(count):
        if i % PARTS == 0:
            table = ground(r, tables)
        y, x = (int(r.integers(0, length - SIZE)) for length in table.shape[:2])
        yield corner_sample(r, table[y : y + SIZE, x : x + SIZE].copy())


def corner_sample(r: np.random.Generator, canvas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corner of a tile that is laid onto a part of a table (SIZE square), and its value (`NOTHING`: none)."""
    s = random_set(r, typefaces())
    true = HOME + r.normal(0, 0.01 * SIDE, 2) + r.normal(0, 0.008 * SIDE, (3, 2))
    lean = rotation(float(r.uniform(0, 2 * math.pi)))[0] * s.thick * SIDE * float(r.uniform(0, 0.9))
    tiles = _neighbours(r, true)
    value = NOTHING
    if r.random() >= EMPTY:
        tiles.append(true)
        value = int(r.integers(6))
    if r.random() < 0.5:
        shadows(canvas, [tile + lean for tile in tiles], s, SIDE, r)
    for tile in tiles:
        tip = rounded(tile, s.rounding)[[2, 7, 12]]
        walls(canvas, tip, tip + lean, s, r)
    rim = float(r.uniform(-0.5, 0.5)) if r.random() < 0.3 else 0.0
    for tile in tiles:
        first = value if tile is true else r.integers(6)
        lay(canvas, tile, np.array([first, *r.integers(0, 6, 2)]), s, rim, r)
    if value != NOTHING and r.random() < COVERED:
        skin = np.array([130, 160, 210.0]) * float(r.uniform(0.4, 1.1))
        disc(canvas, SIZE * r.uniform(0.4, 0.6, 2), SIZE * float(r.uniform(0.4, 0.7)), skin)
        value = NOTHING
    return _seen(r, canvas), np.array([value], np.float32)


def _neighbours(r: np.random.Generator, true: np.ndarray) -> list[np.ndarray]:
    """Some of the tiles that meet a tile's first corner: two share a side with it, two lie across."""
    a, b, c = true
    beside = [np.array([a, c, a + c - b]), np.array([b, a, a + b - c])]
    across = [np.array([a, a + c - b, a + a - b]), np.array([a, a + a - c, a + b - c])]
    chosen = [tile for tile in across if r.random() < 0.25] + [tile for tile in beside if r.random() < 0.5]
    return [tile + r.normal(0, 0.01 * SIDE, 2) * (r.random() < 0.4) for tile in chosen]


def _seen(r: np.random.Generator, canvas: np.ndarray) -> np.ndarray:
    """What a camera, from near or far, makes of the canvas."""
    size = round(CORNER_SIZE * math.exp(float(r.uniform(math.log(SEEN[0]), math.log(SEEN[1])))))
    small = cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA)
    picture = developed(small, r, SIDE * size / SIZE)
    smooth = cv2.INTER_AREA if size > CORNER_SIZE else cv2.INTER_LINEAR
    return cv2.resize(picture, (CORNER_SIZE, CORNER_SIZE), interpolation=smooth)
