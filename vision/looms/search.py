"""Boards located: places that the finder marks are looked at until one of their outlines shows a lattice of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision import onnx
from vision.looms.edges import board_corners, board_edges
from vision.looms.find import Found, find_boards
from vision.looms.lattice import Lattice, fit_lattice, peaks
from vision.looms.shapes import READ_SIZE, READ_STRIDE, apply, board_square, homography

TRIES, VAIN = 4, 9  # outlines that are tried for one place, and looks in a frame that may lead to nothing
FAINT, ENOUGH = 0.5, 1.05  # merit of a lattice that deserves another look, or that needs no other outline
LEAST_MERIT = 0.93  # boards below this are not reported: an empty table must stay empty
TWIN = 0.025  # of the side: outlines nearer to each other than this show the same
DWARF = 0.1  # boards of a game are of one size: far away none covers less than this share of a near one's pixels


@dataclass(frozen=True, slots=True)
class Reading:
    """One pass of the reader over a board: the maps of the network at half the rectified picture's size."""

    to_image: np.ndarray  # from the maps' pixels to the image's
    rectified: np.ndarray
    seen: np.ndarray
    board: np.ndarray
    ends: dict[str, np.ndarray]
    logits: np.ndarray  # of the axes (4) and the dyes (5)

    # Most looks end with the lattice; what follows is only worked out for the boards that are read.

    @property
    def picture(self) -> np.ndarray:
        """The rectified picture (BGR) at the maps' size."""
        size = self.board.shape[::-1]
        return cv2.resize(self.rectified, size, interpolation=cv2.INTER_AREA).astype(np.float32)

    @property
    def axes(self) -> np.ndarray:
        """The probability of no cord, an h cord, a v cord and a stray one at each pixel."""
        return _soft(self.logits[:4])

    @property
    def dyes(self) -> np.ndarray:
        """The probability of each dye at each pixel."""
        return _soft(self.logits[4:])


@dataclass(frozen=True, slots=True)
class Board:
    """A board that was located: what the network marks on it, its lanes, and its corners in image pixels."""

    reading: Reading
    lattice: Lattice
    quad: np.ndarray


def _soft(logits: np.ndarray) -> np.ndarray:
    z = np.exp(logits - logits.max(axis=0))
    return np.asarray(z / z.sum(axis=0))


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
    ends = {"h": peaks(sigmoid[1]), "v": peaks(sigmoid[2])}
    return Reading(np.linalg.inv(down), picture, seen, sigmoid[0], ends, out[3:12])


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


def _side(quad: np.ndarray) -> float:
    return float(np.sqrt(cv2.contourArea(quad)))


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """How far the corners of two outlines are from each other at most."""
    return float(np.linalg.norm(a - b, axis=1).max())


def grown(quad: np.ndarray, by: float = 1.28) -> np.ndarray:
    """The outline enlarged about its middle: what was found may be the panel on the board, not the board."""
    middle = quad.mean(axis=0)
    return np.asarray(middle + by * (quad - middle), np.float32)


class Search:
    """The looks at one frame. Those in vain are counted: cloth full of outlines must not hold up the table."""

    def __init__(self, image: np.ndarray, known: Sequence[np.ndarray] = (), vain: Sequence[np.ndarray] = ()) -> None:
        """`known` are outlines of boards that were seen before, where boards are looked for first; `vain` are outlines
        that led to nothing before, where they are looked for last. Afterwards `vain` holds this frame's."""
        self.image, self.known = image, known
        self.left = VAIN
        self._vain_before = vain
        self.vain: list[np.ndarray] = []

    def boards(self) -> list[Board]:
        """Every board in the frame."""
        boards, weak = self._where_they_were()
        places = nested_last(find_boards(self.image))
        for place in sorted(
            places, key=lambda place: any(_apart(place[0].quad, q) < _side(q) / 4 for q in self._vain_before)
        ):
            if self.left <= 0:
                break
            if any(covers(board, place[0].quad) or _dwarfed(place[0].quad, board) for board in boards):
                continue
            before = self.left
            board = self.best([found.quad for found in place])
            if board is None:
                self.vain.append(place[0].quad)
                continue
            self.left = before
            if not any(covers(other, board.quad) for other in boards):
                boards.append(board)
        return boards + [board for board in weak if not any(covers(other, board.quad) for other in boards)]

    def _where_they_were(self) -> tuple[list[Board], list[Board]]:
        """The boards at the known places: those that are beyond doubt, and those that may be found better."""
        sure: list[Board] = []
        weak: list[Board] = []
        for quad in self.known:
            board = self._follow(quad, [])
            if board is not None and board.lattice.merit >= LEAST_MERIT:
                (sure if board.lattice.merit > ENOUGH else weak).append(board)
        self.left = VAIN // 3 if sure else VAIN  # where boards lie already, a new one may wait for a later frame
        return sure, weak

    def best(self, outlines: list[np.ndarray]) -> Board | None:
        """Try the outlines of a place until one shows a lattice."""
        best: Board | None = None
        tried: list[np.ndarray] = []
        for quad in [*outlines[:TRIES], grown(max(outlines, key=cv2.contourArea))]:
            board = self._follow(quad, tried)
            if board is not None and (best is None or board.lattice.merit > best.lattice.merit):
                best = board
            if best is not None and best.lattice.merit > ENOUGH:
                break
        return best if best is not None and best.lattice.merit >= LEAST_MERIT else None

    def _follow(self, quad: np.ndarray, tried: list[np.ndarray]) -> Board | None:
        """Locate the board behind an outline; followed while its corners still move and its lattice gets clearer."""
        best: Board | None = None
        for _ in range(3):
            if self.left <= 0 or any(_apart(quad, other) < TWIN * _side(other) for other in tried):
                break
            self.left -= 1
            tried.append(quad)
            board = locate(self.image, quad)
            if board is None or (best is not None and board.lattice.merit < best.lattice.merit - 0.02):
                break
            best, quad = board, board.quad
            if board.lattice.merit < FAINT:
                break
        return best


def covers(board: Board, quad: np.ndarray) -> bool:
    """Whether the middle of an outline lies on a board."""
    middle = quad.mean(axis=0).tolist()
    return bool(cv2.pointPolygonTest(board.quad, middle, False) >= 0)


def _dwarfed(quad: np.ndarray, board: Board) -> bool:
    return bool(cv2.contourArea(quad) < DWARF * cv2.contourArea(board.quad))


def nested_last(places: list[list[Found]]) -> list[list[Found]]:
    """Places that lie within another one after all others: they are mostly squares that cords enclose on a board."""

    def within(place: list[Found]) -> bool:
        middle = place[0].quad.mean(axis=0).tolist()
        own = cv2.contourArea(place[0].quad)
        return any(
            cv2.contourArea(other[0].quad) > own and cv2.pointPolygonTest(other[0].quad, middle, False) >= 0
            for other in places
        )

    return sorted(places, key=within)
