"""Calibration by markers, by points, by pieces; a bumped camera; the quality of a picture."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision import table
from vision.eyes import Eyes, UnknownGame
from vision.quality import assess
from vision.state import Piece
from vision.table import Calibration, CalibrationError


def mat_picture(missing: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """The mat seen at an angle, and the homography from millimetres to its pixels."""
    width, height = table.MAT_MM
    flat = np.full((round(height * 4) + 80, round(width * 4) + 80, 3), 235, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(table.MARKERS)
    for number, corners in table.marker_layout().items():
        if number not in missing:
            x, y = (corners[0] * 4 + 40).astype(int)
            side = round(table.MARKER_MM * 4)
            flat[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(dictionary, number, side)[..., None]
    source = np.array([[0, 0], [flat.shape[1], 0], [flat.shape[1], flat.shape[0]], [0, flat.shape[0]]], np.float32)
    target = np.array([[300, 80], [1000, 110], [1180, 650], [110, 620]], np.float32)
    warp = cv2.getPerspectiveTransform(source, target)
    image = cv2.warpPerspective(flat, warp, (1280, 720), borderValue=(90, 90, 90))
    return image, warp @ np.array([[4, 0, 39.5], [0, 4, 39.5], [0, 0, 1]])


@pytest.mark.parametrize("missing", [(), (2,), (0, 2)])
def test_markers_give_millimetres(missing: tuple[int, ...]) -> None:
    image, to_pixels = mat_picture(missing)
    calibration = table.from_markers(image)
    grid = [(x, y) for x in (20.0, 130.0, 240.0) for y in (20.0, 90.0, 170.0)]
    pixels = cv2.perspectiveTransform(np.array(grid).reshape(-1, 1, 2), to_pixels).reshape(-1, 2)
    error = np.linalg.norm(np.array(calibration.to_table([tuple(p) for p in pixels])) - grid, axis=1)
    assert error.max() < (1.0 if not missing else 3.0)
    back = calibration.to_image(calibration.to_table([(640.0, 360.0)]))[0]
    assert back == pytest.approx((640, 360), abs=1e-6)
    assert Calibration.from_json(calibration.to_json()) == calibration


def test_too_few_markers_is_said() -> None:
    image, _ = mat_picture((1, 2, 3))
    with pytest.raises(CalibrationError, match="at least two"):
        table.from_markers(image)


def test_four_points() -> None:
    calibration = table.from_points([(100, 50), (1100, 60), (1200, 700), (40, 690)], (600, 400))
    assert calibration.to_table([(1200, 700)])[0] == pytest.approx((600, 400), abs=0.01)
    for bad in ([(0, 0)] * 4, [(0, 0), (100, 100), (100, 0), (0, 100)], [(0, 0), (1, 1)], [(math.nan, 0)] * 4):
        with pytest.raises(CalibrationError):
            table.from_points(bad, (600, 400))


def test_pieces_give_the_plane() -> None:
    _, to_pixels = mat_picture()
    pieces = []
    for x, y, turn in [(60, 60, 10), (250, 70, 80), (120, 180, 45), (300, 190, 120)]:
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        w, h = table.CARD_MM
        corners = np.array([(x + c * a - s * b, y + s * a + c * b) for a, b in [(0, 0), (w, 0), (w, h), (0, h)]])
        pixels = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), to_pixels).reshape(-1, 2)
        pieces.append(Piece("card", "1-oros", tuple((float(u), float(v)) for u, v in pixels), 1.0))
    calibration = table.from_pieces(pieces, (1280, 720))
    for piece in pieces:
        placed = calibration.to_table(piece.corners)
        assert math.dist(placed[0], placed[1]) == pytest.approx(table.CARD_MM[0], rel=0.01)
        assert math.dist(placed[1], placed[2]) == pytest.approx(table.CARD_MM[1], rel=0.01)
    with pytest.raises(CalibrationError):
        table.from_pieces([], (1280, 720))


@pytest.mark.parametrize("data", [{}, {"matrix": [[1]], "source": "x"}, {"matrix": [[0] * 3] * 3, "source": "x"}])
def test_stored_calibration_is_checked(data: dict[str, object]) -> None:
    with pytest.raises(CalibrationError):
        Calibration.from_json(data)


def test_bumped_camera_against_a_moved_piece() -> None:
    rng = np.random.default_rng(1)
    cloth = cv2.resize(rng.integers(0, 255, (40, 60, 3)).astype(np.uint8), (1320, 760), interpolation=cv2.INTER_CUBIC)
    before = cloth[20:740, 20:1300].copy()
    assert table.bumped(before, cloth[5:725, 40:1320].copy())
    moved = before.copy()
    moved[300:400, 500:620] = 255
    assert not table.bumped(before, moved)
    assert not table.bumped(np.full_like(before, 80), np.full_like(before, 80))


def test_quality_gives_advice() -> None:
    rng = np.random.default_rng(2)
    good = cv2.resize(
        rng.integers(60, 200, (180, 320, 3)).astype(np.uint8), (1280, 720), interpolation=cv2.INTER_NEAREST
    )
    assert assess(good).advice == ()
    assert any("light" in en for _, en in assess((good * 0.1).astype(np.uint8)).advice)
    things = cv2.resize(good[::120, ::120], (1280, 720), interpolation=cv2.INTER_NEAREST)  # with edges to be soft
    assert not any("blurred" in en for _, en in assess(things).advice)
    assert any("blurred" in en for _, en in assess(cv2.GaussianBlur(things, (0, 0), 9)).advice)
    glare = good.copy()
    cv2.circle(glare, (150, 360), 120, (255, 255, 255), -1)
    assert any("on the left" in en for _, en in assess(glare).advice)


def test_eyes_take_any_reader_and_refuse_unknown_games() -> None:
    piece = Piece("card", "1-oros", ((0, 0), (10, 0), (10, 15), (0, 15)), 0.9)
    calibration = table.from_points([(0, 0), (640, 0), (640, 360), (0, 360)], (640, 360))
    eyes = Eyes("truco", calibration, reader=lambda image: [piece])
    state = eyes.read(np.zeros((360, 640, 3), np.uint8), 3.0)
    assert state.pieces[0].pose == pytest.approx((5, 7.5, 0))
    assert state.timing["total"] > 0
    assert eyes.read(np.zeros((1, 1, 3), np.uint8)).pieces == ()
    with pytest.raises(UnknownGame):
        Eyes("ajedrez")
