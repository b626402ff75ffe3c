"""The triangular lattice as it lies in the image: fitted to the tiles that are known, then used to place the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.triominos.lattice import HEIGHT, Cell, cell_at, corners, position
from rules.triominos.tiles import Values, tile_of, turned
from vision.state import Piece, Point

Array = NDArray[np.float64]

# A tile belongs to the lattice if its corners are this near to lattice corners, in sides. Real tiles are laid with gaps
# and a little crooked; half a side is as wrong as a tile can be.
ON_LATTICE = 0.26
SAME_PLACE = 0.40  # a known tile may be seen this far from where the lattice says (in sides) and still be the same


@dataclass(frozen=True)
class Fit:
    """A map from the flat lattice (sides of length 1) to the image, and the tiles that it was fitted to."""

    matrix: Array
    matched: Mapping[Cell, int]  # cell of the known table -> index of the observed tile

    def to_image(self, points: Array) -> Array:
        """Lattice positions as image pixels."""
        return _project(self.matrix, points)

    def to_lattice(self, points: Array) -> Array:
        """Image pixels as positions on the flat lattice."""
        return _project(np.asarray(np.linalg.inv(self.matrix), np.float64), points)

    def outline(self, cell: Cell) -> tuple[Point, ...]:
        """A cell's corners in the image."""
        return tuple((float(x), float(y)) for x, y in self.to_image(cell_points(cell)))


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an observed tile lies: its cell and its values in the cell's order, or no cell if it lies crooked."""

    cell: Cell | None
    values: Values
    error: float


def cell_points(cell: Cell) -> Array:
    """The corners of a cell on the flat lattice, in the cell's order."""
    return np.array([position(corner) for corner in corners(cell)], np.float64)


def values_of(label: str) -> Values | None:
    """A tile's label as values, or None for a label that is no tile."""
    parts = label.split("-")
    if len(parts) != 3 or not all(part.isdigit() and len(part) == 1 for part in parts):
        return None
    return int(parts[0]), int(parts[1]), int(parts[2])


def _project(matrix: Array, points: Array) -> Array:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix).reshape(-1, 2), np.float64)


def _corners(piece: Piece) -> Array:
    return np.array(piece.corners, np.float64)


def _side(points: Array) -> float:
    return float(np.mean([math.dist(points[i], points[(i + 1) % 3]) for i in range(3)]))


def _rotations(seen: Values, values: Values) -> list[int]:
    """The turns by which the observed label reads as the values in a cell's order; three for a triple."""
    return [k for k in range(3) if turned(seen, k) == values]


def _affine(cell: Cell, points: Array) -> Array:
    """The affine map that takes a cell to a tile's three corners (already in the cell's order)."""
    matrix = cv2.getAffineTransform(cell_points(cell).astype(np.float32), points.astype(np.float32))
    return np.vstack([matrix.astype(np.float64), [0.0, 0.0, 1.0]])


def fit_lattice(table: Mapping[Cell, Values], pieces: Sequence[Piece]) -> Fit | None:
    """Find the known table among the observed tiles. None where none of its tiles can be found.

    Every tile whose label is on the table proposes a lattice; the proposal that explains most tiles is grown: fitted
    again to all it explains, until it explains no more. So misread, moved and foreign tiles cannot bend it.
    """
    where = {tile_of(values): (cell, values) for cell, values in table.items()}
    candidates: list[tuple[Cell, int, Array]] = []  # cell, index, corners in the cell's order
    for index, piece in enumerate(pieces):
        seen = values_of(piece.label)
        if seen is None or len(piece.corners) != 3 or tile_of(seen) not in where:
            continue
        cell, values = where[tile_of(seen)]
        points = _corners(piece)
        candidates += [(cell, index, np.roll(points, -k, axis=0)) for k in _rotations(seen, values)]
    best: Fit | None = None
    for cell, index, points in candidates:
        if abs(_area(points)) < 4.0 or (best is not None and index in best.matched.values()):
            continue
        fit = _grow(Fit(_affine(cell, points), {cell: index}), candidates)
        if best is None or len(fit.matched) > len(best.matched):
            best = fit
    return best


def _area(points: Array) -> float:
    (ax, ay), (bx, by), (cx, cy) = points
    return float((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2


def _grow(fit: Fit, candidates: Sequence[tuple[Cell, int, Array]]) -> Fit:
    for _ in range(12):
        chosen: dict[Cell, tuple[float, int, Array]] = {}
        for cell, index, points in candidates:
            guess = fit.to_image(cell_points(cell))
            error = float(np.linalg.norm(guess - points, axis=1).max()) / max(_side(points), 1.0)
            if error < SAME_PLACE and (cell not in chosen or error < chosen[cell][0]):
                chosen[cell] = (error, index, points)
        if not chosen:
            return fit
        matched = {cell: index for cell, (_, index, _) in chosen.items()}
        matrix = _solve({cell: points for cell, (_, _, points) in chosen.items()})
        if matrix is None:
            return fit
        grown = Fit(matrix, matched)
        if set(matched) == set(fit.matched):
            return grown
        fit = grown
    return fit


def _solve(placed: Mapping[Cell, Array]) -> Array | None:
    """The map that fits these tiles best: affine for few of them, a homography where perspective can be told."""
    source = np.concatenate([cell_points(cell) for cell in placed])
    target = np.concatenate(list(placed.values()))
    ones = np.hstack([source, np.ones((len(source), 1))])
    solution, *_ = np.linalg.lstsq(ones, target, rcond=None)
    affine = np.vstack([solution.T, [0.0, 0.0, 1.0]])
    # Fewer tiles than this leave the vanishing line to noise, and a neighbour's place is then worse, not better.
    if len(placed) < 4:
        return affine
    spread = np.linalg.svd(source - source.mean(axis=0), compute_uv=False)
    if spread[1] < 0.8:
        return affine
    homography, _ = cv2.findHomography(source, target, 0)
    if homography is None or not np.isfinite(homography).all():
        return affine
    return np.asarray(homography, np.float64)


def place_tile(fit: Fit, piece: Piece, pieces: Sequence[Piece]) -> Placement | None:
    """Where a tile lies on a fitted lattice; None for a piece that is no tile at all.

    The lattice of a real table drifts, since tiles are laid with gaps: the nearest known tiles tell by how much.
    """
    seen = values_of(piece.label)
    if seen is None or len(piece.corners) != 3:
        return None
    flat = fit.to_lattice(_corners(piece)) - _drift(fit, piece, pieces)
    x = flat[:, 0] - flat[:, 1] / HEIGHT / 2
    y = flat[:, 1] / HEIGHT
    lattice = [(round(float(a)), round(float(b))) for a, b in zip(x, y, strict=True)]
    exact = np.array([position(corner) for corner in lattice], np.float64)
    error = float(np.linalg.norm(exact - flat, axis=1).max())
    cell = cell_at(lattice)
    if cell is None or error > ON_LATTICE:
        return Placement(None, seen, error)
    order = [lattice.index(corner) for corner in corners(cell)]
    return Placement(cell, (seen[order[0]], seen[order[1]], seen[order[2]]), error)


def _drift(fit: Fit, piece: Piece, pieces: Sequence[Piece]) -> Array:
    """By how much the nearest known tiles lie away from where the lattice says, in sides."""
    centre = fit.to_lattice(_corners(piece)).mean(axis=0)
    near = []
    for cell, index in fit.matched.items():
        flat = fit.to_lattice(_corners(pieces[index])).mean(axis=0)
        expected = cell_points(cell).mean(axis=0)
        distance = float(np.linalg.norm(expected - centre))
        if distance < 1.3:
            near.append((distance, flat - expected))
    if not near:
        return np.zeros(2)
    weights = np.array([1.0 / (0.2 + distance) for distance, _ in near])
    shifts = np.array([shift for _, shift in near])
    return np.asarray((weights[:, None] * shifts).sum(axis=0) / weights.sum(), np.float64)


def upright(piece: Piece) -> Cell:
    """The origin's cell that an opening tile looks like: point up or point down in the image."""
    ys = sorted(y for _, y in piece.corners)
    return Cell(0, 0, ys[1] - ys[0] > ys[2] - ys[1])


def opening_values(piece: Piece) -> Values | None:
    """An opening tile's values in the order of the cell that `upright` gives."""
    seen = values_of(piece.label)
    if seen is None or len(piece.corners) != 3:
        return None
    points = _corners(piece)
    target = cell_points(upright(piece))
    target = target - target.mean(axis=0)
    points = points - points.mean(axis=0)

    def angle_error(k: int) -> float:
        turned_points = np.roll(points, -k, axis=0)
        return float(-(turned_points * target).sum())

    k = min(range(3), key=angle_error)
    return turned(seen, k)
