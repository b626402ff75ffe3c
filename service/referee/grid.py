"""The grid of Tronix as it lies in the image: fitted to the cards that are known, then used to place the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.game import RulesError
from rules.tronix import Face
from rules.tronix.deck import Cell
from rules.tronix.table import Seen as OnTable
from vision.state import Piece, Point

Array = NDArray[np.float64]

# A card belongs to a cell if its middle is this near to the cell's middle, in cards, along either side. Cards are laid
# with gaps and a little crooked; half a card is as wrong as one can lie.
ON_GRID = 0.3
CROOKED = 0.35  # sine of the angle between a card's side and the grid's beyond which it is not aligned
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True, slots=True)
class GridCard:
    """A card on the grid: its place (fractions off the grid), whether it lies on its side, and its face as it lies."""

    piece: Piece
    spot: tuple[float, float]
    face: Face | None
    sideways: bool = False

    @property
    def cell(self) -> Cell | None:
        """Its cell, or None off the grid."""
        x, y = self.spot
        return (int(x), int(y)) if x == int(x) and y == int(y) else None

    def to_rules(self) -> OnTable:
        """As the rules read a table; `RulesError` for a card without a readable face."""
        if self.face is None:
            raise RulesError("a card on the table cannot be read")
        return OnTable(self.spot, self.face, self.sideways)


@dataclass(frozen=True)
class Grid:
    """A map from cells (card widths and heights, middles at whole numbers) to the image."""

    matrix: Array

    def to_image(self, points: Array) -> Array:
        """Places on the grid as pixels."""
        return _project(self.matrix, points)

    def to_cells(self, points: Array) -> Array:
        """Pixels as places on the grid."""
        return _project(np.asarray(np.linalg.inv(self.matrix), np.float64), points)

    def outline(self, cell: tuple[float, float]) -> tuple[Point, ...]:
        """The corners of a card lying in a cell."""
        points = self.to_image(SQUARE + np.array(cell))
        return tuple((float(x), float(y)) for x, y in points)

    def place(self, piece: Piece, width: float, height: float) -> GridCard:
        """Where a card lies. Its corners may start at any side: the face is turned to the grid's north."""
        flat = self.to_cells(np.array(piece.corners, np.float64))
        x, y = (float(v) for v in flat.mean(axis=0))
        sides = (np.roll(flat, -1, axis=0) - flat) * np.array([width, height])  # in mm, along N, E, S, W
        top, right = (sides[0] - sides[2]) / 2, (sides[1] - sides[3]) / 2
        turn = float(np.degrees(np.arctan2(top[1], top[0]))) / 90
        quarters = round(turn)
        aligned = abs(float(np.sin(np.radians(90 * (turn - quarters))))) < CROOKED
        starts_short = float(np.hypot(*top)) < float(np.hypot(*right))
        sideways = aligned and width != height and (quarters % 2 == 1) == starts_short
        near = abs(x - round(x)) < ON_GRID and abs(y - round(y)) < ON_GRID
        # A card on its side fills no cell, so it counts for the one that its middle is in.
        on_grid = aligned and (near or sideways)
        spot = (round(x), round(y)) if on_grid else (_off(x), _off(y))
        face = face_of(piece)
        return GridCard(piece, spot, None if face is None else face.turned(quarters % 4), sideways)


def _off(value: float) -> float:
    """A coordinate between cells, never a whole number."""
    rounded = round(value, 1)
    return rounded + 0.1 if rounded == int(rounded) else rounded


def face_of(piece: Piece) -> Face | None:
    """The face that the eyes read, from the piece's own N side; None where it is no face of two lines."""
    try:
        return Face.from_lines(piece.facts.get("lines"))
    except RulesError:
        return None


def _project(matrix: Array, points: Array) -> Array:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix).reshape(-1, 2), np.float64)


def _corners_at(cell: Cell) -> Array:
    return np.asarray(SQUARE + np.array(cell, float), np.float64)


def solve(placed: Mapping[Cell, Array]) -> Grid | None:
    """The grid that fits cards in known cells best: affine for one or two cards in a row, else with perspective."""
    source = np.concatenate([_corners_at(cell) for cell in placed])
    target = np.concatenate(list(placed.values()))
    matrix, _ = cv2.findHomography(source, target, 0)
    if matrix is None or not np.isfinite(matrix).all() or abs(float(np.linalg.det(matrix))) < 1e-9:
        return None
    if len(placed) < 3:
        # One card's corners leave the vanishing line to noise; a neighbour's place is better without it.
        ones = np.hstack([source, np.ones((len(source), 1))])
        solution, *_ = np.linalg.lstsq(ones, target, rcond=None)
        matrix = np.vstack([solution.T, [0.0, 0.0, 1.0]])
    return Grid(np.asarray(matrix, np.float64))


def north_first(piece: Piece) -> Array:
    """A card's corners from its upper left in the image: how a first card defines the grid."""
    points = np.array(piece.corners, np.float64)
    sides = [float(np.hypot(*(points[(k + 1) % 4] - points[k]))) for k in range(4)]
    short = 0 if sides[0] + sides[2] <= sides[1] + sides[3] else 1
    a, b = np.roll(points, -short, axis=0), np.roll(points, -short - 2, axis=0)
    return a if a[:2, 1].mean() <= b[:2, 1].mean() else b


def fit_grid(table: Mapping[Cell, Face], pieces: Sequence[Piece]) -> tuple[Grid, dict[Cell, int]] | None:
    """Find the known cards among the observed ones. None where nothing fits.

    Every observed card proposes to be every known one; the proposal that explains most faces is grown.
    """
    corners = [north_first(piece) for piece in pieces]
    faces = [_upright(piece, points) for piece, points in zip(pieces, corners, strict=True)]
    best: tuple[Grid, dict[Cell, int]] | None = None
    score = (-1, -1)
    enough = max(len(table) - 2, math.ceil(0.75 * len(table)))  # at most two cards change between two looks
    pairs = [(i, cell) for i in range(len(pieces)) for cell in table if faces[i] == table[cell]]
    for index, cell in pairs or [(i, cell) for i in range(len(pieces)) for cell in table]:
        start = solve({cell: corners[index]})
        if start is None or (best is not None and best[1].get(cell) == index):
            continue
        grid, matched = _grow(start, {cell: index}, table, corners)
        same = sum(faces[i] == table[at] for at, i in matched.items())
        if (same, len(matched)) > score:
            best, score = (grid, matched), (same, len(matched))
        if same >= enough:
            break
    return best


def _upright(piece: Piece, points: Array) -> Face | None:
    face = face_of(piece)
    if face is None:
        return None
    shift = next(k for k in range(4) if np.allclose(np.roll(np.array(piece.corners), -k, axis=0), points))
    return face.turned(-shift % 4)


def _grow(
    grid: Grid, matched: dict[Cell, int], table: Mapping[Cell, Face], corners: Sequence[Array]
) -> tuple[Grid, dict[Cell, int]]:
    """Add the known cells whose cards are where the grid says, nearest first, fitting again each time."""
    reach = 2
    while len(matched) < min(len(table), len(corners)):
        free = set(range(len(corners))) - set(matched.values())
        found: dict[Cell, int] = {}
        for cell in table:
            if cell in matched or not any(abs(cell[0] - x) + abs(cell[1] - y) <= reach for x, y in matched):
                continue
            expected = grid.to_image(_corners_at(cell))
            size = float(np.hypot(*(expected[2] - expected[0]))) or 1.0
            gaps = {i: float(np.hypot(*(corners[i].mean(axis=0) - expected.mean(axis=0)))) / size for i in free}
            near = min(gaps, key=lambda i: gaps[i], default=None)
            if near is not None and gaps[near] < 0.22:
                found[cell] = near
                free.discard(near)
        if not found and reach > 50:
            break
        if not found:  # an island: cards that hang together with none of the others
            reach *= 3
            continue
        matched = {**matched, **found}
        again = solve({cell: corners[i] for cell, i in matched.items()})
        if again is None:
            break
        grid = again
    return grid, matched


def cards_on_grid(pieces: Sequence[Piece], width: float = 63.0, height: float = 88.0) -> list[GridCard]:
    """The cards of one picture on a grid of their own: the upper left card is 0,0."""
    if not pieces:
        return []
    corners = [north_first(piece) for piece in pieces]
    first = min(range(len(pieces)), key=lambda i: float(corners[i].mean(axis=0).sum()))
    placed: dict[Cell, Array] = {(0, 0): corners[first]}
    grid = solve(placed)
    waiting = set(range(len(pieces))) - {first}
    while grid is not None and waiting:
        known = {tuple(cell) for cell in placed}
        spots = {i: grid.to_cells(corners[i]).mean(axis=0) for i in waiting}
        steps = {
            i: min(abs(s[0] - x) + abs(s[1] - y) for x, y in known) for i, s in spots.items()
        }  # nearest to what is placed, so that errors do not add up
        i = min(steps, key=lambda n: float(steps[n]))
        cell = (round(float(spots[i][0])), round(float(spots[i][1])))
        off = max(abs(float(spots[i][0]) - cell[0]), abs(float(spots[i][1]) - cell[1]))
        waiting.discard(i)
        if off < ON_GRID and cell not in placed:
            placed[cell] = corners[i]
            grid = solve(placed) or grid
    assert grid is not None
    return [grid.place(piece, width, height) for piece in pieces]
