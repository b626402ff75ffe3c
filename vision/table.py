"""Where the table is: from image pixels to millimetres on its plane, by markers, by four points, or by the pieces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.state import Piece, Point

MARKERS = cv2.aruco.DICT_4X4_50
MARKER_MM = 30.0  # the side of a printed marker
MAT_MM = (256.0, 180.0)  # between the outer corners of the mat's markers 0 to 3; fits A4 and Letter sheets
CORNER_CARDS = range(4, 8)  # the markers of the four loose corner cards, whose distances are not known
CARD_MM = (61.5, 95.0)
TILE_MM = 38.0
BUMP_PX = 0.006  # of the image's diagonal: markers or background that moved further mean a bumped camera


class CalibrationError(ValueError):
    """Why the table cannot be worked out; `es` and `en` are for a person."""

    def __init__(self, es: str, en: str) -> None:
        super().__init__(en)
        self.es, self.en = es, en


@dataclass(frozen=True)
class Calibration:
    """A homography from image pixels to table millimetres, and where it came from (`markers`, `points`, `pieces`)."""

    matrix: tuple[tuple[float, ...], ...]
    source: str
    size_mm: tuple[float, float] | None = None
    error_mm: float = 0.0

    def to_table(self, points: Sequence[Point]) -> list[Point]:
        """Image points as millimetres on the table."""
        return _project(np.array(self.matrix), points)

    def to_image(self, points: Sequence[Point]) -> list[Point]:
        """Table millimetres as image points."""
        return _project(np.linalg.inv(np.array(self.matrix)), points)

    def pose(self, corners: Sequence[Point]) -> tuple[float, float, float]:
        """Centre (mm) and direction (degrees, of the first side) of a piece."""
        placed = self.to_table(corners)
        x, y = np.mean(placed, axis=0)
        (x0, y0), (x1, y1) = placed[0], placed[1]
        return (float(x), float(y), math.degrees(math.atan2(y1 - y0, x1 - x0)))

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary that `from_json` reads back."""
        return {
            "matrix": [list(row) for row in self.matrix],
            "source": self.source,
            "size_mm": list(self.size_mm) if self.size_mm else None,
            "error_mm": self.error_mm,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Calibration:
        """What `to_json` gave; `CalibrationError` for anything else."""
        try:
            matrix = np.array(data["matrix"], float)
            size = tuple(map(float, data["size_mm"])) if data.get("size_mm") else None
            if matrix.shape != (3, 3) or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
                raise ValueError("the matrix is not a homography")
            return cls(_rows(matrix), str(data["source"]), size, float(data.get("error_mm", 0.0)))  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError) as error:
            raise CalibrationError(
                "La calibración guardada no sirve.", f"the stored calibration is no use: {error}"
            ) from error


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(v) for v in row) for row in matrix)


def _project(matrix: np.ndarray, points: Sequence[Point]) -> list[Point]:
    placed = cv2.perspectiveTransform(np.array(points, float).reshape(-1, 1, 2), matrix).reshape(-1, 2)
    return [(float(x), float(y)) for x, y in placed]


def find_markers(image: np.ndarray) -> dict[int, np.ndarray]:
    """The ArUco markers in sight: number → four corners (image pixels, clockwise from the marker's own first)."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(MARKERS), parameters)
    corners, ids, _ = detector.detectMarkers(image)
    if ids is None:
        return {}
    return {int(i): c.reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True) if int(i) < CORNER_CARDS.stop}


def marker_layout(size_mm: tuple[float, float] = MAT_MM, marker_mm: float = MARKER_MM) -> dict[int, np.ndarray]:
    """Where the mat's four markers lie (mm, clockwise from the upper left one), each with its four corners."""
    width, height = size_mm
    square = np.array([[0, 0], [marker_mm, 0], [marker_mm, marker_mm], [0, marker_mm]], float)
    origins = [(0, 0), (width - marker_mm, 0), (width - marker_mm, height - marker_mm), (0, height - marker_mm)]
    return {number: square + np.array(origin) for number, origin in enumerate(origins)}


def from_markers(image: np.ndarray, size_mm: tuple[float, float] = MAT_MM, marker_mm: float = MARKER_MM) -> Calibration:
    """Calibrate by the printed mat. Two markers in sight are enough; more make it better."""
    everything = find_markers(image)
    if len(everything.keys() & set(CORNER_CARDS)) >= 2:
        return _from_corner_cards({i: c for i, c in everything.items() if i in CORNER_CARDS}, image, marker_mm)
    seen = {i: c for i, c in everything.items() if i not in CORNER_CARDS}
    if len(seen) < 2:
        raise CalibrationError(
            f"Se ven {len(seen)} marcas del tapete; hacen falta al menos dos.",
            f"{len(seen)} of the mat's markers can be seen; at least two are needed.",
        )
    layout = marker_layout(size_mm, marker_mm)
    pixels = np.concatenate([seen[i] for i in sorted(seen)])
    table = np.concatenate([layout[i] for i in sorted(seen)])
    matrix, _ = cv2.findHomography(pixels, table, 0)
    if matrix is None:
        raise CalibrationError("Las marcas no forman un tapete.", "The markers do not form a mat.")
    placed = cv2.perspectiveTransform(pixels.reshape(-1, 1, 2).astype(float), matrix).reshape(-1, 2)
    error = float(np.linalg.norm(placed - table, axis=1).mean())
    return Calibration(_rows(matrix), "markers", size_mm, round(error, 3))


def _from_corner_cards(seen: dict[int, np.ndarray], image: np.ndarray, marker_mm: float) -> Calibration:
    """Calibrate by loose corner cards: only their own size is known, so they are measured like pieces."""
    square = np.array([[0, 0], [marker_mm, 0], [marker_mm, marker_mm], [0, marker_mm]], float)
    shapes = [(seen[i].astype(float), square) for i in sorted(seen)]
    return _from_shapes(shapes, (image.shape[1], image.shape[0]), "markers")


def from_points(points: Sequence[Point], size_mm: tuple[float, float]) -> Calibration:
    """Calibrate by the table's four corners as a person gave them, clockwise from the upper left."""
    quad = np.array(points, np.float32)
    if quad.shape != (4, 2) or not np.isfinite(quad).all():
        raise CalibrationError("Hacen falta cuatro puntos.", "Four points are needed.")
    if not cv2.isContourConvex(quad) or cv2.contourArea(quad) < 100:
        raise CalibrationError(
            "Los cuatro puntos no forman una mesa: vaya de esquina en esquina.",
            "The four points do not form a table: go from corner to corner.",
        )
    width, height = size_mm
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return Calibration(_rows(cv2.getPerspectiveTransform(quad, target)), "points", size_mm)


def shape_mm(piece: Piece) -> np.ndarray | None:
    """The true shape of a piece on the table (mm), corner by corner, where its kind has a known size."""
    if piece.kind in ("card", "back") and len(piece.corners) == 4:
        w, h = CARD_MM
        return np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    if piece.kind == "tile":
        return np.array([[0, 0], [TILE_MM, 0], [TILE_MM / 2, TILE_MM * math.sqrt(3) / 2]], float)
    if piece.kind == "circuit_card":
        return np.array([[0, 0], [63, 0], [63, 88], [0, 88]], float)
    return None


def from_pieces(pieces: Sequence[Piece], size: tuple[int, int]) -> Calibration:
    """Calibrate by the pieces themselves: the plane on which all of them have their true shape.

    Two numbers give the image's vanishing line; once that is straightened, what is left is a stretch and a shear, and
    the ones that give every side its true length follow by least squares (lengths squared are linear in them). The
    vanishing line is found by a coarse search that is refined around its best point.
    """
    known = [(np.array(p.corners, float), shape_mm(p)) for p in pieces]
    shapes = [(c, s) for c, s in known if s is not None]
    if not shapes:
        raise CalibrationError(
            "No hay piezas por las que medir la mesa.", "There are no pieces to measure the table by."
        )
    return _from_shapes(shapes, size, "pieces")


def _from_shapes(
    shapes: Sequence[tuple[np.ndarray, np.ndarray]], size: tuple[int, int], source: str
) -> Calibration:
    unit = float(max(size))
    start = np.array([[1 / unit, 0, -size[0] / 2 / unit], [0, 1 / unit, -size[1] / 2 / unit], [0, 0, 1.0]])
    best, spread, step = (0.0, 0.0), math.inf, 0.6
    for _ in range(9):
        around = [(best[0] + dx * step, best[1] + dy * step) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        for candidate in around:
            value = _metric(_straighten(candidate) @ start, shapes)[1]
            if value < spread:
                best, spread = candidate, value
        step /= 1.8
    matrix, spread = _metric(_straighten(best) @ start, shapes)
    if not math.isfinite(spread):
        raise CalibrationError("Las piezas no dan la medida de la mesa.", "The pieces do not give the table's measure.")
    return Calibration(_rows(matrix), source, None, round(spread, 3))


def _straighten(line: tuple[float, float]) -> np.ndarray:
    return np.array([[1, 0, 0], [0, 1, 0], [line[0], line[1], 1.0]])


def _metric(matrix: np.ndarray, shapes: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, float]:
    """Complete a straightening to true lengths; also the error left over, in millimetres per side and diagonal."""
    chords, lengths = [], []
    for corners, shape in shapes:
        flat = np.array(_project(matrix, [(float(x), float(y)) for x, y in corners]))
        n = len(shape)
        for i in range(n):
            for j in range(i + 1, n):
                chords.append(flat[i] - flat[j])
                lengths.append(float(np.linalg.norm(shape[i] - shape[j])))
    d, true = np.array(chords), np.array(lengths)
    squares = np.column_stack([d[:, 0] ** 2, 2 * d[:, 0] * d[:, 1], d[:, 1] ** 2])
    # Weighted so that the error is relative to each chord's own length, not dominated by the long ones.
    a, b, c = np.linalg.lstsq(squares / (true**2)[:, None], np.ones(len(true)), rcond=None)[0]
    if a <= 0 or a * c - b * b <= 0:
        return matrix, math.inf
    p = math.sqrt(a)
    upgrade = np.array([[p, b / p, 0], [0, math.sqrt(c - b * b / a), 0], [0, 0, 1.0]])
    found = np.linalg.norm(d @ upgrade[:2, :2].T, axis=1)
    return upgrade @ matrix, float(np.abs(found - true).mean())


def bumped(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether the camera itself moved between two frames of a resting table (pieces and hands may have changed)."""
    size = (480, 270)
    a, b = (
        cv2.cvtColor(cv2.resize(i, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY) for i in (before, after)
    )
    points = cv2.goodFeaturesToTrack(a, 200, 0.01, 8)
    if points is None or len(points) < 12:
        return False  # a bare table gives nothing to judge by
    moved, found, _ = cv2.calcOpticalFlowPyrLK(a, b, points, points.copy(), winSize=(21, 21), maxLevel=3)
    good = found.ravel() == 1
    if good.sum() < 12:
        return False
    shift = (moved - points).reshape(-1, 2)[good]
    median = np.median(shift, axis=0)
    agree = np.linalg.norm(shift - median, axis=1) < 1.5
    # A person moving a piece shifts a few points; a bumped camera shifts nearly all of them alike.
    return bool(np.linalg.norm(median) > BUMP_PX * math.hypot(*size) and agree.mean() > 0.5)
