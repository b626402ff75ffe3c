"""Tables made by hand: what perfect (or deliberately imperfect) eyes would report of a position."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping

import numpy as np

from rules.triominos.lattice import Cell, corners, position
from rules.triominos.tiles import Values
from vision.state import Piece, TableState

SIZE = (1280, 720)


def camera(tilt: float = 0.0, turn: float = 0.0, scale: float = 60.0) -> np.ndarray:
    """A homography from a flat table (unit: one tile side) to the image, tilted and turned by degrees."""
    a, t = math.radians(turn), math.radians(tilt)
    rotation = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    distance = 16.0
    squeeze = np.array([[1, 0, 0], [0, math.cos(t), 0], [0, math.sin(t) / distance, 1]])
    place = np.array([[scale, 0, SIZE[0] / 2], [0, scale, SIZE[1] / 2], [0, 0, 1]])
    return place @ squeeze @ rotation


def project(matrix: np.ndarray, points: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Flat points as image pixels."""
    result = []
    for x, y in points:
        u, v, w = matrix @ np.array([x, y, 1.0])
        result.append((float(u / w), float(v / w)))
    return tuple(result)


def tile_piece(
    values: Values,
    cell: Cell | None,
    view: np.ndarray,
    *,
    flat: list[tuple[float, float]] | None = None,
    rng: random.Random | None = None,
    confidence: float = 0.98,
    alternatives: tuple[tuple[str, float], ...] = (),
) -> Piece:
    """A tile as the eyes see it: read from any of its corners, with a little noise."""
    points = flat if flat is not None else [position(c) for c in corners(cell)]
    k = rng.randrange(3) if rng else 0
    noise = (lambda: rng.gauss(0, 0.015)) if rng else (lambda: 0.0)
    moved = [(x + noise(), y + noise()) for x, y in points]
    order = [(i + k) % 3 for i in range(3)]
    label = "-".join(str(values[i]) for i in order)
    image = project(view, [moved[i] for i in order])
    return Piece("tile", label, image, confidence, alternatives)


def tile_table(
    table: Mapping[Cell, Values], view: np.ndarray, rng: random.Random | None = None, extra: Iterable[Piece] = ()
) -> TableState:
    """A whole table of tiles, in random order."""
    pieces = [tile_piece(values, cell, view, rng=rng) for cell, values in table.items()] + list(extra)
    if rng:
        rng.shuffle(pieces)
    return TableState(0.0, tuple(pieces), SIZE)
