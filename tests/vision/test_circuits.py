"""The eyes for circuit cards: drawn tables, played games, cards laid wrong, decks, bare tables."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.circuits import STYLES, circuit_canvas, default_faces
from datasets.generate import make_scene
from datasets.labels import PieceLabel
from datasets.matching import corner_error, same_circuit
from datasets.played import play
from datasets.scene import label_stage
from datasets.simcam import Film
from vision.circuits import read_circuits
from vision.circuits.edges import refine
from vision.circuits.lines import CARD_PX, Reading, read_lines
from vision.circuits.reader import lines_label
from vision.circuits.upright import upright
from vision.state import Piece

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def matched(truth: tuple[PieceLabel, ...], seen: list[Piece]) -> list[tuple[PieceLabel, Piece | None]]:
    """Each true card with what was read in its place."""
    pairs = []
    for label in truth:
        centre = np.mean(label.corners, axis=0)
        size = math.sqrt(cv2.contourArea(np.array(label.corners, np.float32)))
        near = [p for p in seen if math.dist(p.centre, centre) < 0.3 * size]
        pairs.append((label, near[0] if near else None))
    return pairs


@pytest.fixture(scope="module")
def game() -> list[tuple[np.ndarray, tuple[PieceLabel, ...]]]:
    """A few positions of a played game, cards touching on the grid."""
    film = Film(play("tronix", 1_000_101))
    return [(image, label_stage(film.stage(step))) for step, _, image in film.stills() if step % 5 == 4]


def test_a_played_game_is_read_card_by_card(game):
    assert sum(len(truth) for _, truth in game) > 20
    for image, truth in game:
        seen = read_circuits(image)
        assert len(seen) == len(truth)
        for label, piece in matched(truth, seen):
            assert piece is not None
            assert same_circuit(label, piece)
            error = corner_error(label, piece)
            assert error is not None
            assert error < 0.05


def test_neighbours_have_neighbouring_cells(game):
    image, truth = game[-1]
    placed = {tuple(piece.facts["cell"]): np.array(piece.centre) for piece in read_circuits(image)}
    assert len(placed) == len(truth)
    steps = [placed[x + 1, y] - placed[x, y] for x, y in placed if (x + 1, y) in placed]
    assert steps
    assert np.abs(np.array(steps) - np.mean(steps, axis=0)).max() < 0.25 * np.linalg.norm(np.mean(steps, axis=0))


def test_a_single_card_is_found_on_a_chequered_cloth():
    """The cloth proposes a hundred cards, and the real one is not among those that it proposes most often."""
    film = Film(play("tronix", 1_055_400, "off_grid", short=True))
    image = next(image for step, _, image in film.stills() if step == 1)
    (label,) = label_stage(film.stage(1))
    (piece,) = read_circuits(image)
    assert same_circuit(label, piece)


@pytest.mark.parametrize("code", ["wrong_orientation", "off_grid"])
def test_a_card_laid_wrong_is_seen_as_it_lies(code):
    film = Film(play("tronix", 1_000_201, code, short=True))
    for step, what, image in film.stills():
        if what is None or not what.illegal:
            continue
        for label, piece in matched(label_stage(film.stage(step)), read_circuits(image)):
            assert piece is not None
            assert same_circuit(label, piece)
            true, read = (np.subtract(p.corners[1], p.corners[0]) for p in (label, piece))
            cosine = float(true @ read) / float(np.linalg.norm(true) * np.linalg.norm(read))
            assert abs(cosine) > 0.9  # the N side is a short one, also on a card that lies sideways
        return
    pytest.fail("the game has no illegal placement")


def test_scenes_in_styles_never_tried_before():
    """Drawn scenes of the test split: what is read is nearly always right, and nothing is made up."""
    right = read = there = 0
    for seed in range(1_100_000, 1_100_008):
        scene = make_scene("circuits", seed, hard=0.3)
        truth = tuple(p for p in scene.pieces if p.kind == "circuit_card")
        seen = read_circuits(scene.image)
        pairs = matched(truth, seen)
        assert len(seen) == sum(piece is not None for _, piece in pairs)
        sure = [(label, piece) for label, piece in pairs if (label.visible or 0) > 0.95]
        there += len(sure)
        read += sum(piece is not None for _, piece in sure)
        right += sum(piece is not None and same_circuit(label, piece) for label, piece in sure)
    assert right >= 0.98 * read
    assert right >= 0.75 * there


@pytest.mark.parametrize("style", ["day", "pastel", "night", "slate", "test-ink", "test-arcade"])
@pytest.mark.parametrize("face", range(6))
def test_every_face_is_read_in_every_style(style, face):
    lines = default_faces()[face]
    pixels = circuit_canvas(lines, STYLES[style]).to_pixels(2)[..., :3]
    reading = read_lines(cv2.resize(pixels, CARD_PX, interpolation=cv2.INTER_AREA))
    assert lines_label(reading.lines) == lines_label(lines)
    assert reading.confidence > 0.9


def test_a_reading_is_turned_with_its_card():
    lines = [{"color": "green", "ports": ["N", "E"]}, {"color": "pink", "ports": [["S", 0.33], "W"]}]
    turned = Reading(lines, 0.8).turned(1)
    assert lines_label(turned.lines) == "gNWpE33S"
    assert turned.turned(3).lines == lines


def test_edges_put_corners_right():
    image = np.full((400, 500, 3), (60, 110, 70), np.uint8)
    true = np.array([[120.0, 80.0], [290.0, 95.0], [310.0, 330.0], [110.0, 310.0]])
    cv2.fillConvexPoly(image, np.round(true * 16).astype(np.int32), (235, 235, 235), cv2.LINE_AA, 4)
    rng = np.random.default_rng(3)
    for _ in range(10):
        found, clear = refine(image, true + rng.normal(0, 3.5, (4, 2)), 0.09)
        assert clear == 4
        assert np.abs(found - true).max() < 1.2


def test_north_is_a_short_side_whatever_the_slant():
    mm = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], float)
    focal = 1200.0
    for tilt in (0, 25, 45):
        c, s = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
        quads = []
        for dx in (-70, 0, 70):
            x, y = (mm + np.array([dx - 31, -44])).T
            depth = 520 + s * y
            quad = np.column_stack([640 + focal * x / depth, 360 + focal * c * y / depth])
            quads.append(np.roll(quad, 1, axis=0))
        for quad, wanted in zip(upright(quads, (1280, 720)), quads, strict=True):
            assert quad == pytest.approx(np.roll(wanted, -1, axis=0))


def test_a_deck_says_which_cards_are_its_own(game):
    image, _ = game[0]
    every = read_circuits(image, default_faces())
    assert every
    assert all(piece.facts["in_deck"] for piece in every)
    few = read_circuits(image, default_faces()[:1])
    foreign = [piece for piece in few if not piece.facts["in_deck"]]
    assert len(few) == len(every)
    assert foreign
    assert all(piece.confidence < 0.9 for piece in foreign)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_bare_table_has_no_cards(value):
    assert read_circuits(np.full((720, 1280, 3), value, np.uint8)) == []
    noise = np.random.default_rng(value).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    assert read_circuits(noise) == []


@pytest.mark.skipif(not (DATA / "backgrounds").is_dir(), reason="the table photographs are not here (../shared/data)")
def test_nothing_is_made_up_on_photographed_tables():
    for path in sorted((DATA / "backgrounds").glob("*.jpg"))[::6]:
        image = cv2.imread(str(path))
        assert read_circuits(image) == [], path.name
