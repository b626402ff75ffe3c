"""The tile reader: its geometry exactly, drawn tables in styles that no training saw, and photographs by hash."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.played.triominos import play_triominos
from datasets.simcam import Film
from datasets.splits import seed_of
from vision.state import Piece
from vision.tiles import read, read_tiles
from vision.tiles.detect import Found, alone, corner_gap
from vision.tiles.geometry import (
    CORNER_TRIANGLE,
    READ_TRIANGLE,
    Pyramid,
    decode,
    edge_offsets,
    encode,
    frame,
    moved,
    side,
)
from vision.tiles.read import piece

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TRIANGLE = np.array([[100.0, 50.0], [180.0, 120.0], [90.0, 170.0]])


def turns(label: str) -> set[str]:
    """A label as it may be read from any of its three corners, never mirrored."""
    a, b, c = label.split("-")
    return {f"{a}-{b}-{c}", f"{b}-{c}-{a}", f"{c}-{a}-{b}"}


def matched(truth: np.ndarray, label: str, pieces: list[Piece]) -> Piece | None:
    """The piece that lies on `truth` and says `label` from a corner that is there, or None."""
    for got in pieces:
        corners = np.array(got.corners)
        if np.linalg.norm(corners.mean(0) - truth.mean(0)) < 0.3 * side(truth) and got.label in turns(label):
            return got
    return None


@pytest.mark.parametrize("first", range(3))
def test_the_code_of_a_triangle_does_not_depend_on_its_first_corner(first: int) -> None:
    numbers = encode(np.roll(TRIANGLE, first, axis=0))
    assert numbers == pytest.approx(encode(TRIANGLE))
    back = decode(TRIANGLE.mean(0)[None], numbers[None])[0]
    gaps = [np.abs(np.roll(back, k, axis=0) - TRIANGLE).max() for k in range(3)]
    assert min(gaps) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_sides_seen_from_a_wrong_guess_lead_back_to_the_corners(seed: int) -> None:
    guess = TRIANGLE + np.random.default_rng(seed).normal(0, 6, (3, 2))
    offsets = [edge_offsets(np.roll(guess, -k, 0), np.roll(TRIANGLE, -k, 0)) for k in range(3)]
    assert moved(guess, np.array(offsets)) == pytest.approx(TRIANGLE, abs=1e-6)


def test_parallel_sides_do_not_make_corners_at_infinity() -> None:
    offsets = np.array([[0, 0], [0, 0], [np.sqrt(3) * 0.6 - 0.2, -0.2]])
    assert np.isfinite(moved(TRIANGLE, offsets)).all()


def test_a_strip_shows_the_table_above_and_the_face_below() -> None:
    image = np.zeros((240, 260, 3), np.uint8)
    cv2.fillConvexPoly(image, np.round(TRIANGLE).astype(np.int32), (255, 255, 255))
    for k in range(3):
        strip = Pyramid(image).strip(np.roll(TRIANGLE, -k, axis=0), 0.1)
        assert strip[:9].mean() < 20
        assert strip[-9:].mean() > 235


def test_the_frame_of_a_tile_maps_its_own_corners() -> None:
    matrix = frame(TRIANGLE)
    own = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    assert own @ matrix[:, :2].T + matrix[:, 2] == pytest.approx(TRIANGLE)


def sure(*values: int) -> np.ndarray:
    """Probabilities of three corners that show these values."""
    rows = np.full((3, 7), 0.001)
    rows[np.arange(3), list(values)] = 0.994
    return rows


def test_a_label_starts_at_its_first_corner_and_goes_clockwise() -> None:
    got = piece(Found(TRIANGLE, 1.0), sure(5, 3, 0), 1.0)
    assert got.label == "0-5-3"  # the mirror image of 0-3-5: reported as it is seen
    assert np.array(got.corners) == pytest.approx(TRIANGLE[[2, 0, 1]])


def test_a_doubtful_corner_gives_the_next_best_label_as_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "calibration", read.Calibration)
    rows = sure(1, 2, 4)
    rows[2, [4, 5]] = 0.594, 0.4
    got = piece(Found(TRIANGLE, 1.0), rows, 1.0)
    assert got.label == "1-2-4"
    assert got.alternatives[0][0] == "1-2-5"
    assert got.confidence < 0.8
    assert got.confidence + sum(p for _, p in got.alternatives) <= 1 + 1e-9


def test_the_three_looks_at_a_tile_agree_on_which_corner_is_which(monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.zeros((240, 260, 3), np.uint8)
    for value, corner in zip((5, 1, 3), TRIANGLE, strict=True):
        spot = corner + (TRIANGLE.mean(0) - corner) * 0.4
        cv2.circle(image, (round(spot[0]), round(spot[1])), 14, (40 * value,) * 3, -1)

    def looked(network: str, crops: list[np.ndarray]) -> np.ndarray:
        whole = network == "tiles_reader"  # the other one sees the corner on top alone
        triangle = READ_TRIANGLE if whole else CORNER_TRIANGLE
        spots = (triangle + (triangle.mean(0) - triangle) * 0.4)[: 3 if whole else 1]
        values = [[round(float(crop[round(y), round(x)].mean()) / 40) for x, y in spots] for crop in crops]
        return np.log(np.maximum(np.eye(7)[np.array(values) if whole else np.array(values)[:, 0]], 1e-9))

    monkeypatch.setattr(read, "_read", looked)
    got = read.corner_probabilities([Found(TRIANGLE, 1.0)], Pyramid(image))
    assert got.argmax(axis=2).tolist() == [[5, 1, 3]]
    assert got.max(axis=2).min() > 0.99


def test_of_two_places_upon_each_other_the_likelier_one_stays() -> None:
    inner = TRIANGLE.mean(0) + (TRIANGLE - TRIANGLE.mean(0)) * 0.5
    places = [Found(inner, 0.9), Found(TRIANGLE, 0.5), Found(TRIANGLE + 200, 0.4)]
    assert alone(places, np.array([0.2, 0.8, 0.6])) == [1, 2]


def test_corners_are_compared_whichever_comes_first() -> None:
    assert corner_gap(np.roll(TRIANGLE, 1, axis=0), TRIANGLE) == 0
    assert corner_gap(TRIANGLE + np.array([0.1 * side(TRIANGLE), 0]), TRIANGLE) == pytest.approx(0.1)


@pytest.mark.parametrize("shape", [(1, 1, 3), (20, 400, 3), (400, 31, 3)])
def test_pictures_too_small_for_a_tile_hold_none(shape: tuple[int, int, int]) -> None:
    assert read_tiles(np.zeros(shape, np.uint8)) == []


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_plain_picture_holds_no_tile(value: int) -> None:
    assert read_tiles(np.full((480, 640, 3), value, np.uint8)) == []


@pytest.mark.parametrize("image", [np.zeros((80, 80), np.uint8), np.zeros((80, 80, 3), np.float32)])
def test_other_kinds_of_pictures_are_refused(image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="8-bit BGR"):
        read_tiles(image)


@cache
def last_frame(number: int) -> tuple[list[Piece], list[tuple[str, np.ndarray]]]:
    """What is read from, and what lies on, the table at the end of a played game in a reserved style."""
    film = Film(play_triominos(seed_of("test", number), max_placements=10))
    truth = [(p.label, np.array(p.corners)) for p in film.labels(film.frames - 5) if p.kind == "tile"]
    return read_tiles(film.picture(film.frames - 5)), truth


# Games of reserved styles and how many of their ten tiles may be misread or missed today: it may only fall. Game 1,
# with pips on wood, cannot be read yet: see the known failures in models/tiles/README.md.
@pytest.mark.parametrize(("number", "allowed"), [(0, 2), (2, 2), (3, 0)])
def test_a_played_chain_is_read_tile_by_tile(number: int, allowed: int) -> None:
    pieces, truth = last_frame(number)
    right = [matched(corners, label, pieces) for label, corners in truth]
    assert sum(got is None for got in right) <= allowed
    assert len(pieces) <= len(truth)


def test_corners_of_played_chains_are_exact() -> None:
    gaps = []
    for number in range(4):
        pieces, truth = last_frame(number)
        for label, corners in truth:
            got = matched(corners, label, pieces)
            if got is not None:
                found = np.array(got.corners)
                gap = min(np.linalg.norm(np.roll(found, k, 0) - corners, axis=1).mean() for k in range(3))
                gaps.append(gap / side(corners))
    assert np.mean(gaps) < 0.015


# Third-party pictures that once failed, by path and hash; they are not part of the project. The number is how many of
# their tiles may be misread or missed today: it may only fall.
KNOWN = [
    ("photos/triominos/Pict_1_2.png", "1b1738b9c75864aa", 1),
    ("photos/triominos/Pict_2_1.png", "04171005fc5c3f04", 3),
    ("photos/triominos/Pict_3_2.png", "7cb20bf6109edb9e", 0),
    ("photos/triominos/Pict_4_1.png", "82c7f3a261bf2615", 0),
    ("renders/tiles/tiles_103.jpg", "0ecf070b663bff7b", 0),
    ("renders/tiles/tiles_104.jpg", "f1c99c8032f5aff5", 0),
    ("renders/tiles/tiles_105.jpg", "95162d2601e30899", 0),
    ("renders/tiles/tiles_109.jpg", "58ee19530bf61733", 0),
]


@pytest.mark.parametrize(("name", "digest", "allowed"), KNOWN)
def test_known_pictures_stay_right(name: str, digest: str, allowed: int) -> None:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the shared picture {name} is not on this machine")
    assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest), "another picture of the same name"
    image = cv2.imread(str(path))
    assert image is not None
    pieces = read_tiles(image)
    labels = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["pieces"]
    truth = [(p["label"], np.array(p["corners"])) for p in labels]
    asked = [(label, c) for (label, c), p in zip(truth, labels, strict=True) if not p.get("uncertain")]
    misread = [label for label, corners in asked if matched(corners, label, pieces) is None]
    assert len(misread) <= allowed, misread
    for got in pieces:
        middle = np.array(got.corners).mean(0)
        assert any(np.linalg.norm(middle - c.mean(0)) < 0.3 * side(c) for _, c in truth), f"invented {got.label}"


@pytest.mark.parametrize("number", range(0, 84, 21))
def test_empty_tables_hold_no_tile(number: int) -> None:
    tables = sorted((DATA / "backgrounds").glob("*.jpg"))
    if not tables:
        pytest.skip("the shared table textures are not on this machine")
    image = cv2.imread(str(tables[number]))
    assert image is not None
    assert read_tiles(image) == []
