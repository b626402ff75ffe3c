"""From a frame to its looms: boards are located, their cords and crossings read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vision import onnx
from vision.looms.cords import Cord, read_cords, with_dyes
from vision.looms.diagonals import diagonals, stretched
from vision.looms.problems import problems_of
from vision.looms.search import Board, Search, covers
from vision.looms.shapes import COLORS, apply, crossing_patch, lattice_sheet
from vision.looms.sureness import sure_board, sure_cord, sure_crossing
from vision.state import Piece

PATIENCE = 20  # looks for which a board that is not found is looked for at its place
REMEMBERED = 24  # places in vain that are remembered
HINTED = 0.06  # a lane that shows a cord on so little of its length may hold one in the colour of the board
SURE_ODDS = 3.5  # log-odds of a crossing that need no second look


def read_looms(image: np.ndarray, reference: Mapping[str, tuple[float, float, float]] | None = None) -> list[Piece]:
    """The looms in a BGR picture; `reference` may give the five dyes (RGB, 0–255) as this table's light shows them."""
    if image.ndim != 3 or min(image.shape[:2]) < 32:
        return []
    return read_boards(image, Search(image).boards(), reference)


class LoomWatcher:
    """Reads the frames of one table: a board lies where it lay, also where cords hide it from the finder.

    A board that is not found is looked for at its place for a while: something may lie over it.
    """

    def __init__(self, reference: Mapping[str, tuple[float, float, float]] | None = None) -> None:
        self._reference = reference
        self._places: list[tuple[np.ndarray, int]] = []  # outlines, and how often in vain
        self._vain: list[np.ndarray] = []

    def __call__(self, image: np.ndarray) -> list[Piece]:
        """The looms in a frame."""
        if image.ndim != 3 or min(image.shape[:2]) < 32:
            return []
        search = Search(image, [quad for quad, _ in self._places], self._vain)
        boards = search.boards()
        # What a busy cloth hid from this look may be found by the next one, which begins with the other places.
        self._vain = [*self._vain, *search.vain][-REMEMBERED:] if search.left <= 0 else []
        lost = [
            (q, missed + 1) for q, missed in self._places if missed < PATIENCE and not any(covers(b, q) for b in boards)
        ]
        self._places = [(board.quad, 0) for board in boards] + lost
        return read_boards(image, boards, self._reference)


def crossing_tops(image: np.ndarray, grid: np.ndarray, lanes: int, spots: list[tuple[int, int]]) -> np.ndarray:
    """The probability that the horizontal cord is on top, at each (h, v)."""
    if not spots:
        return np.zeros(0)
    sheet = lattice_sheet(image, grid, lanes)
    patches = np.stack([crossing_patch(sheet, h, v) for h, v in spots])
    batch = np.ascontiguousarray(patches.transpose(0, 3, 1, 2), np.float32) / 255
    odds = onnx.load("looms_cross")(batch)[0]
    # a mirrored patch shows the same crossing: where one look is not sure, the mean of three is surer
    doubtful = np.flatnonzero(np.abs(odds) < SURE_ODDS)
    if len(doubtful):
        again = batch[doubtful]
        turned = np.ascontiguousarray(np.concatenate([again[..., ::-1], again[:, :, ::-1]]))
        odds[doubtful] = (odds[doubtful] + onnx.load("looms_cross")(turned)[0].reshape(2, -1).sum(axis=0)) / 3
    return np.asarray(1 / (1 + np.exp(-odds)))


def read_boards(
    image: np.ndarray, boards: Sequence[Board], reference: Mapping[str, tuple[float, float, float]] | None = None
) -> list[Piece]:
    """Read the cords and crossings of boards that were located."""
    maps = [board.reading.axes for board in boards]
    raw = [_cords(board, axes) for board, axes in zip(boards, maps, strict=True)]
    cords = with_dyes(raw, reference)
    return [_piece(image, *found) for found in zip(boards, cords, maps, strict=True)]


def _cords(board: Board, axes: np.ndarray) -> list[Cord]:
    reading = board.reading
    in_sight = reading.seen * (reading.board > 0.4)  # a hand over the board hides it
    return read_cords(axes, reading.dyes, reading.picture, in_sight, board.lattice)


def _piece(image: np.ndarray, board: Board, cords: list[Cord], axes: np.ndarray) -> Piece:
    lattice, lanes = board.lattice, board.lattice.lanes
    to_image = board.reading.to_image @ lattice.to_picture
    last = lanes - 1
    grid = apply(to_image, np.array([[0, 0], [last, 0], [last, last], [0, last]])).astype(np.float32)
    slanting = diagonals(cords, axes, board.reading.dyes, board.reading.picture, lattice)
    held = [c for c in cords if c.held and not stretched(c, slanting)]
    hinted = [c for c in cords if not c.held and c.presence > HINTED and not stretched(c, slanting)]
    spots, more = _spots(held), _spots([*held, *hinted])
    more = [spot for spot in more if spot not in spots]
    every = crossing_tops(image, grid, lanes, [*spots, *more])
    tops = every[: len(spots)]
    facts: dict[str, Any] = {
        "lanes": lanes,
        "grid": [[round(float(x), 1), round(float(y), 1)] for x, y in grid],
        "cords": [_cord_fact(c) for c in held],
        "crossings": _crossing_facts(spots, tops),
        "problems": [*problems_of(held), *slanting],
    }
    if hinted:
        crossings = _crossing_facts(more, every[len(spots) :])
        facts["perhaps"] = {"cords": [_cord_fact(c) for c in hinted], "crossings": crossings}
    confidence, alternatives = sure_board(cords, spots, tops, lattice)
    return Piece(
        kind="loom",
        label="",
        corners=tuple((float(x), float(y)) for x, y in board.quad),
        confidence=confidence,
        alternatives=alternatives,
        facts=facts,
    )


def _spots(cords: list[Cord]) -> list[tuple[int, int]]:
    """Where these cords cross, as (h, v)."""
    rows, columns = [c for c in cords if c.axis == "h"], [c for c in cords if c.axis == "v"]
    return [(h.lane, v.lane) for h in rows for v in columns]


def _crossing_facts(spots: list[tuple[int, int]], tops: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"h": h, "v": v, "top": "h" if p > 0.5 else "v", "confidence": round(sure_crossing(float(p)), 3)}
        for (h, v), p in zip(spots, tops, strict=True)
    ]


def _cord_fact(cord: Cord) -> dict[str, Any]:
    best = int(np.argmax(cord.dyes))
    return {
        "axis": cord.axis,
        "lane": cord.lane,
        "color": COLORS[best],
        "confidence": round(sure_cord(cord), 3),
        "rgb": [round(float(v)) for v in cord.shade[::-1]],
    }
