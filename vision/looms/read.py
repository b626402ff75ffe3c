"""From a frame to its looms: boards are located, their cords and crossings read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vision import onnx
from vision.looms.cords import Cord, read_cords, with_dyes
from vision.looms.diagonals import diagonals
from vision.looms.problems import problems_of
from vision.looms.search import Board, Search
from vision.looms.shapes import COLORS, apply, crossing_patch, lattice_sheet
from vision.looms.sureness import sure_board, sure_cord, sure_crossing
from vision.state import Piece

SURE_ODDS = 3.5  # log-odds of a crossing that need no second look


def read_looms(image: np.ndarray, reference: Mapping[str, tuple[float, float, float]] | None = None) -> list[Piece]:
    """The looms in a BGR picture; `reference` may give the five dyes (RGB, 0–255) as this table's light shows them."""
    if image.ndim != 3 or min(image.shape[:2]) < 32:
        return []
    return read_boards(image, Search(image).boards(), reference)


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
    held = [c for c in cords if c.held]
    rows, columns = [c for c in held if c.axis == "h"], [c for c in held if c.axis == "v"]
    spots = [(h.lane, v.lane) for h in rows for v in columns]
    tops = crossing_tops(image, grid, lanes, spots)
    slanting = diagonals(cords, axes, board.reading.dyes, board.reading.picture, lattice)
    facts: dict[str, Any] = {
        "lanes": lanes,
        "grid": [[round(float(x), 1), round(float(y), 1)] for x, y in grid],
        "cords": [_cord_fact(c) for c in held],
        "crossings": [
            {"h": h, "v": v, "top": "h" if p > 0.5 else "v", "confidence": round(sure_crossing(float(p)), 3)}
            for (h, v), p in zip(spots, tops, strict=True)
        ],
        "problems": [*problems_of(cords), *slanting],
    }
    confidence, alternatives = sure_board(cords, spots, tops, lattice)
    return Piece(
        kind="loom",
        label="",
        corners=tuple((float(x), float(y)) for x, y in board.quad),
        confidence=confidence,
        alternatives=alternatives,
        facts=facts,
    )


def _cord_fact(cord: Cord) -> dict[str, Any]:
    best = int(np.argmax(cord.dyes))
    return {
        "axis": cord.axis,
        "lane": cord.lane,
        "color": COLORS[best],
        "confidence": round(sure_cord(cord), 3),
        "rgb": [round(float(v)) for v in cord.shade[::-1]],
    }
