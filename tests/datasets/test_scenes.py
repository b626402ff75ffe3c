"""Generated scenes: exact labels, the same bytes for the same seed, reserved styles apart."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from datasets.art import cards, circuits, looms, tiles
from datasets.generate import FAMILIES, generate, make_scene
from datasets.labels import LabelError, walk
from datasets.layouts import LAYOUTS
from datasets.scene import CameraModel, Look, Placed, Stage, develop_stage, label_stage
from datasets.splits import SPLITS, reserved, seed_of, split_of

SIZE = (480, 270)
KINDS = {"tiles": {"tile"}, "cards": {"card", "back"}, "looms": {"loom"}, "circuits": {"circuit_card"}}


@pytest.mark.parametrize("family", FAMILIES)
def test_drawing_a_seed_again_gives_the_same_bytes(family: str, tmp_path) -> None:
    first = generate(family, tmp_path / "a", 2, 5, size=SIZE)
    second = generate(family, tmp_path / "b", 1, 6, size=SIZE)
    assert [p.name for p in first] == [f"{family}_0000005.jpg", f"{family}_0000006.jpg"]
    assert first[1].read_bytes() == second[0].read_bytes()
    assert first[1].with_suffix(".json").read_bytes() == second[0].with_suffix(".json").read_bytes()
    assert first[0].read_bytes() != first[1].read_bytes()


@pytest.mark.parametrize("family", FAMILIES)
def test_label_files_are_in_the_format_and_within_the_image(family: str, tmp_path) -> None:
    generate(family, tmp_path, 3, 20, size=SIZE)
    scenes = list(walk(tmp_path))
    assert len(scenes) == 3
    for path, labels in scenes:
        assert cv2.imread(str(path)).shape == (SIZE[1], SIZE[0], 3)
        assert labels.game == FAMILIES[family]
        assert {piece.kind for piece in labels.pieces} <= KINDS[family]
        assert labels.pieces
        for piece in labels.pieces:
            assert 0 <= piece.visible <= 1
            x1, y1, x2, y2 = piece.box
            assert 0 <= x1 <= x2 <= SIZE[0]
            assert 0 <= y1 <= y2 <= SIZE[1]
            if piece.kind == "loom":
                xs = [x for x, _ in piece.corners]
                assert all(min(xs) <= x <= max(xs) for x, _ in piece.facts["grid"])


def test_test_styles_are_drawn_for_test_seeds_only() -> None:
    def looks(family: str, styles_of_tests: bool) -> str:
        pieces = LAYOUTS[family](np.random.default_rng(3), styles_of_tests, ())
        return repr([(p.sprite.label, p.sprite.image.tobytes()[::997]) for p in pieces])

    for family in ("tiles", "cards", "circuits"):
        assert looks(family, True) != looks(family, False)
    test, plain = (make_scene("cards", seed, size=SIZE) for seed in (seed_of("test", 3), 3))
    again = make_scene("cards", seed_of("test", 3), size=SIZE, reserved=True)
    assert test.data == again.data
    assert plain.data != make_scene("cards", 3, size=SIZE, reserved=True).data
    assert set(cards.RESERVED) < set(cards.STYLES)
    assert set(circuits.RESERVED) < set(circuits.STYLES)
    assert not set(looms.TEST_FAMILIES) & set(looms.TRAIN_FAMILIES)
    assert not set(tiles.TEST_STYLE_SEEDS) & set(tiles.STYLE_SEEDS)


def test_backgrounds_and_decks_are_used_and_missing_ones_are_an_error(tmp_path) -> None:
    photos, decks = tmp_path / "photos", tmp_path / "decks" / "mine"
    photos.mkdir()
    decks.mkdir(parents=True)
    rng = np.random.default_rng(0)
    cv2.imwrite(str(photos / "a.png"), rng.integers(0, 255, (200, 300, 3), dtype=np.uint8))
    for name in (*cards.LABELS, "comodin-1", "back-1"):
        cv2.imwrite(str(decks / f"{name}.png"), np.full((150, 100, 3), (20, 200, 240), np.uint8))
    drawn = [make_scene("cards", seed, size=SIZE).data for seed in range(4)]
    out = generate("cards", tmp_path / "out", 4, 0, size=SIZE, backgrounds=photos, decks=decks.parent)
    assert [path.read_bytes() for path in out] != drawn
    with pytest.raises(ValueError, match="no pictures"):
        generate("cards", tmp_path / "no", 1, backgrounds=decks.parent / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no decks"):
        generate("cards", tmp_path / "no", 1, decks=tmp_path / "empty")
    with pytest.raises(ValueError, match="none of"):
        make_scene("dice", 1)


def test_a_covered_card_is_labelled_with_what_is_seen_of_it() -> None:
    style = cards.STYLES["taberna"]
    lower, upper = (cards.card_sprite(name, style, 2.0) for name in ("7-copas", "1-oros"))
    camera = CameraModel(640, 360, tilt=0.0, distance=300.0)
    stage = Stage(camera, Look(table="plain", noise=0.0, jpeg=0))
    stage.add(Placed(lower, 0.0, 0.0))
    assert label_stage(stage)[0].visible == 1.0
    stage.add(Placed(upper, cards.SIZE_MM[0] / 2, 0.0, z=0.3))
    half, whole = label_stage(stage)
    assert whole.visible == 1.0
    assert half.visible == pytest.approx(0.5, abs=0.03)
    assert not half.uncertain, "its upper left index is in view"
    stage.add(Placed(upper, 4.0, 0.0, z=0.6))
    hidden = label_stage(stage)[0]
    assert hidden.visible < 0.1
    assert hidden.uncertain
    assert len(hidden.corners) == 4, "the corners of the whole card are known all the same"


def test_labelled_corners_are_where_the_piece_is_drawn() -> None:
    sprite = tiles.tile_sprite("0-3-5", 3, 6.0)
    camera = CameraModel(640, 360, tilt=30.0, azimuth=70.0, distance=150.0, k1=-0.08)
    look = Look(table="plain", table_seed=3, noise=0.0, jpeg=0, shadow=0.0, focus=0.0)
    stage = Stage(camera, look)
    empty = develop_stage(stage, np.random.default_rng(0)).image
    stage.add(Placed(sprite, 5.0, -3.0, 40.0))
    shown = develop_stage(stage, np.random.default_rng(0))
    changed = (np.abs(shown.image.astype(int) - empty).max(axis=2) > 12).astype(np.uint8)
    mask = np.zeros_like(changed)
    cv2.fillConvexPoly(mask, np.round(shown.pieces[0].corners).astype(np.int32), 1)
    assert (changed[mask > 0]).mean() > 0.8
    top = shown.pieces[0].box
    ys, xs = np.nonzero(changed)
    assert xs.min() <= top[0] + 2
    assert ys.min() <= top[1] + 2


def test_splits_never_meet() -> None:
    seeds = [set(r) for r in (range(s.start, s.stop, 9973) for s in SPLITS.values())]
    assert not seeds[0] & seeds[1]
    assert not seeds[1] & seeds[2]
    for name, numbers in SPLITS.items():
        assert split_of(seed_of(name, 0)) == name
        assert split_of(seed_of(name, len(numbers) - 1)) == name
        with pytest.raises(ValueError, match="not one of them"):
            seed_of(name, len(numbers))
    assert reserved(seed_of("test", 1))
    assert not reserved(seed_of("validation", 1))
    with pytest.raises(ValueError, match="no split"):
        split_of(10**9)
    with pytest.raises(ValueError, match="none of"):
        seed_of("exam", 0)


def test_a_label_file_without_its_image_is_an_error(tmp_path) -> None:
    path = generate("circuits", tmp_path, 1, 1, size=SIZE)[0]
    path.unlink()
    with pytest.raises(LabelError):
        list(walk(tmp_path))
    assert json.loads(path.with_suffix(".json").read_text())["seed"] == 1
