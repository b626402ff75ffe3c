"""From a frame to its looms: find the board, rectify it twice, read cords and crossings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision import onnx
from vision.looms.cords import Cord, read_cords
from vision.looms.edges import board_corners, board_edges
from vision.looms.find import find_boards
from vision.looms.lattice import Lattice, fit_lattice, peaks
from vision.looms.problems import problems_of
from vision.looms.shapes import (
    COLORS,
    READ_SIZE,
    READ_STRIDE,
    apply,
    board_square,
    crossing_patch,
    homography,
    lattice_sheet,
)
from vision.state import Piece

SHARPER = 1.5  # the network was taught never to be quite sure; on looms it has not seen it may be surer
SURE_ODDS = 3.5  # log-odds of a crossing that need no second look
TRIES, LOOKS = 4, 18  # outlines that are tried for one place, and in a whole frame
FAINT, CLEAR = 0.45, 1.3  # merit of a lattice that deserves a second look, or that needs no other outline
LEAST_MERIT = 0.93  # boards below this are not reported: an empty table must stay empty


@dataclass(frozen=True, slots=True)
class Reading:
    """One pass of the reader over a board: the maps of the network at half the rectified picture's size."""

    to_image: np.ndarray  # from the maps' pixels to the image's
    picture: np.ndarray
    seen: np.ndarray
    board: np.ndarray
    ends: dict[str, np.ndarray]
    axes: np.ndarray
    dyes: np.ndarray


@dataclass(frozen=True, slots=True)
class Board:
    """A board that was located: what the network marks on it, its lanes, and its corners in image pixels."""

    reading: Reading
    lattice: Lattice
    quad: np.ndarray


def read_looms(image: np.ndarray, reference: dict[str, tuple[float, float, float]] | None = None) -> list[Piece]:
    """The looms in a BGR picture; `reference` may give the five dyes (RGB, 0–255) as this table's light shows them."""
    if image.ndim != 3 or min(image.shape[:2]) < 32:
        return []
    boards: list[Board] = []
    left = LOOKS
    for outlines in find_boards(image):
        if left <= 0:
            break
        tried = [found.quad for found in outlines[: min(TRIES, left)]]
        left -= len(tried) + 1
        board = best_board(image, tried)
        if board is not None and not any(_same_place(board, other) for other in boards):
            boards.append(board)
    return [read_board(image, board, reference) for board in boards]


def _same_place(a: Board, b: Board) -> bool:
    return bool(cv2.pointPolygonTest(b.quad, a.quad.mean(axis=0).tolist(), False) >= 0)


def _soft(logits: np.ndarray) -> np.ndarray:
    z = np.exp(logits - logits.max(axis=0))
    return z / z.sum(axis=0)


def look(image: np.ndarray, quad: np.ndarray) -> Reading:
    """Rectify the board with these corners and let the network mark it."""
    forward = homography(quad, board_square())
    side = float(np.linalg.norm(np.roll(quad, 1, 0) - quad, axis=1).max())
    source = image
    if side > 1.6 * READ_SIZE:
        source = cv2.GaussianBlur(image, (0, 0), 0.3 * side / READ_SIZE)
    picture = cv2.warpPerspective(source, forward, (READ_SIZE, READ_SIZE), flags=cv2.INTER_LINEAR)
    batch = np.ascontiguousarray(picture.transpose(2, 0, 1)[None], np.float32) / 255
    out = onnx.load("looms_read")(batch)[0][0]
    k = READ_STRIDE
    n = READ_SIZE // k
    down = np.array([[1 / k, 0, (1 / k - 1) / 2], [0, 1 / k, (1 / k - 1) / 2], [0, 0, 1]]) @ forward
    blank = np.ones(image.shape[:2], np.uint8)
    seen = cv2.warpPerspective(blank, down, (n, n), flags=cv2.INTER_NEAREST).astype(np.float32)
    sigmoid = 1 / (1 + np.exp(-out[:3]))
    return Reading(
        to_image=np.linalg.inv(down),
        picture=cv2.resize(picture, (n, n), interpolation=cv2.INTER_AREA).astype(np.float32),
        seen=seen,
        board=sigmoid[0],
        ends={"h": peaks(sigmoid[1]), "v": peaks(sigmoid[2])},
        axes=_soft(out[3:7]),
        dyes=_soft(out[7:12]),
    )


def locate(image: np.ndarray, quad: np.ndarray) -> Board | None:
    """Rectify, fit the lanes, and correct the corners by the board's edges; None where there are no lanes."""
    reading = look(image, quad)
    lattice = fit_lattice(reading.ends, reading.board.shape[0])
    if lattice is None:
        return None
    lines = board_edges(reading.board, reading.seen, lattice.to_picture, lattice.lanes)
    corners = board_corners(lines, lattice.lanes, lattice.end_at + 0.7)
    found = apply(reading.to_image @ lattice.to_picture, corners).astype(np.float32)
    if not np.isfinite(found).all() or cv2.contourArea(found) < 400 or not cv2.isContourConvex(found):
        return None
    return Board(reading, lattice, found)


def grown(quad: np.ndarray, by: float = 1.28) -> np.ndarray:
    """The outline enlarged about its middle: what was found may be the panel on the board, not the board."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + by * (quad - middle), np.float32)


def best_board(image: np.ndarray, outlines: list[np.ndarray]) -> Board | None:
    """Try the outlines until one shows a clear lattice, then look again through the corners that it gave."""
    best: Board | None = None
    biggest = max(outlines, key=cv2.contourArea)
    for quad in [*outlines[:TRIES], grown(biggest)]:
        board = locate(image, quad)
        if board is not None and (best is None or board.lattice.merit > best.lattice.merit):
            best = board
        if best is not None and best.lattice.merit > CLEAR:
            break
    if best is None or best.lattice.merit < FAINT:
        return None
    for _ in range(2):
        again = locate(image, best.quad)
        if again is None or again.lattice.merit < best.lattice.merit - 0.02:
            break
        moved = float(np.linalg.norm(again.quad - best.quad, axis=1).max())
        best = again
        if moved < 0.02 * float(np.sqrt(cv2.contourArea(best.quad))):
            break
    return best if best.lattice.merit >= LEAST_MERIT else None


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
        for turned in (again[..., ::-1], again[:, :, ::-1]):
            odds[doubtful] += onnx.load("looms_cross")(np.ascontiguousarray(turned))[0]
        odds[doubtful] /= 3
    return np.asarray(1 / (1 + np.exp(-SHARPER * odds)))


def read_board(
    image: np.ndarray, board: Board, reference: dict[str, tuple[float, float, float]] | None = None
) -> Piece:
    """Read the cords and crossings of a board that was located."""
    reading, lattice, quad = board.reading, board.lattice, board.quad
    lanes = lattice.lanes
    to_image = reading.to_image @ lattice.to_picture
    last = lanes - 1
    grid = apply(to_image, np.array([[0, 0], [last, 0], [last, last], [0, last]])).astype(np.float32)
    in_sight = reading.seen * (reading.board > 0.4)  # a hand over the board hides it
    cords = read_cords(reading.axes, reading.dyes, reading.picture, in_sight, lattice, reference)
    held = [c for c in cords if c.presence > 0.5]
    rows, columns = [c for c in held if c.axis == "h"], [c for c in held if c.axis == "v"]
    spots = [(h.lane, v.lane) for h in rows for v in columns]
    tops = crossing_tops(image, grid, lanes, spots)
    facts: dict[str, Any] = {
        "lanes": lanes,
        "grid": [[round(float(x), 1), round(float(y), 1)] for x, y in grid],
        "cords": [_cord_fact(c) for c in held],
        "crossings": [
            {"h": h, "v": v, "top": "h" if p > 0.5 else "v", "confidence": round(float(max(p, 1 - p)), 3)}
            for (h, v), p in zip(spots, tops, strict=True)
        ],
        "problems": problems_of(cords, reading.axes, lattice),
    }
    confidence, alternatives = _doubts(cords, spots, tops)
    return Piece(
        kind="loom",
        label="",
        corners=tuple((float(x), float(y)) for x, y in quad),
        confidence=float(confidence * min(1.0, lattice.sureness / 0.9)),
        alternatives=alternatives,
        facts=facts,
    )


def _cord_fact(cord: Cord) -> dict[str, Any]:
    best = int(np.argmax(cord.dyes))
    return {
        "axis": cord.axis,
        "lane": cord.lane,
        "color": COLORS[best],
        "confidence": round(float(cord.dyes[best] * _is_there(cord.presence)), 3),
        "rgb": [round(float(v)) for v in cord.shade[::-1]],
    }


def _is_there(presence: float) -> float:
    """The probability that a lane is held, from the share of its length that shows a cord."""
    return float(1 / (1 + np.exp(-14 * (presence - 0.5))))


def _doubts(
    cords: list[Cord], spots: list[tuple[int, int]], tops: np.ndarray
) -> tuple[float, tuple[tuple[str, float], ...]]:
    """The probability that everything is right, and the single changes that are likeliest instead."""
    total = 1.0
    others: list[tuple[str, float]] = []
    for cord in cords:
        there = _is_there(cord.presence)
        name = f"{cord.axis}{cord.lane}"
        if cord.presence <= 0.5:
            total *= 1 - there
            others.append((f"{name} {COLORS[int(np.argmax(cord.dyes))]}", there))
            continue
        order = np.argsort(-cord.dyes)
        total *= there * float(cord.dyes[order[0]])
        others.append((f"{name} {COLORS[int(order[1])]}", float(cord.dyes[order[1]])))
        others.append((f"{name} -", 1 - there))
    for (h, v), p in zip(spots, tops, strict=True):
        sure = float(max(p, 1 - p))
        total *= sure
        others.append((f"h{h}v{v} {'v' if p > 0.5 else 'h'}", 1 - sure))
    others.sort(key=lambda item: -item[1])
    return total, tuple((label, p) for label, p in others[:5] if p > 0.02)
