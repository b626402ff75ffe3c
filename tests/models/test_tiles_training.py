"""The training of the tile networks runs: samples and targets agree, each network learns and is exported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from models.tiles import samples
from models.tiles.cache import build
from models.tiles.calibrate import fit
from models.tiles.corners import SIZE, corner_sample, painted_corners
from models.tiles.painted import painted_scene
from models.tiles.scenes import TileScene, render_folder
from models.tiles.sets import arrangement, pip_insets
from vision.onnx import WEIGHTS
from vision.tiles.geometry import CORNER_SIZE, DETECT_STRIDE, PROFILES, READ_SIZE, STRIP, Pyramid, decode, side

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three scenes, drawn once."""
    place = tmp_path_factory.mktemp("scenes")
    render_folder(place, 0, 3, ())
    return place


@pytest.fixture(scope="module")
def scenes(folder: Path) -> list[TileScene]:
    return [TileScene.load(folder / f"{i}.npz") for i in range(3)]


def test_scenes_are_the_same_for_a_seed_and_kept_on_disk(folder: Path, scenes: list[TileScene]) -> None:
    before = (folder / "0.npz").stat().st_mtime_ns
    render_folder(folder, 0, 3, ())
    assert (folder / "0.npz").stat().st_mtime_ns == before
    assert any(len(scene.corners) for scene in scenes)


def test_a_painted_table_is_the_same_for_a_seed_and_its_facts_lie_on_its_tiles() -> None:
    scenes = [painted_scene(seed) for seed in range(8)]
    again = painted_scene(3)
    assert np.array_equal(scenes[3].image, again.image)
    assert np.array_equal(scenes[3].values, again.values)
    assert sum(len(scene.corners) for scene in scenes) > 8
    for scene in scenes:
        assert scene.values.shape == scene.seen.shape == scene.corners.shape[:2]
        assert ((scene.corners >= 0) & (scene.corners < scene.image.shape[1::-1])).all()


@pytest.mark.parametrize("seed", range(40))
def test_pips_lie_on_their_tile_and_apart(seed: int) -> None:
    r = np.random.default_rng(seed)
    for value in range(1, 6):
        spots = arrangement(r, value, 0.04)
        assert len(spots) == value
        gaps = np.linalg.norm(spots[:, None] - spots[None], axis=2)[~np.eye(value, dtype=bool)]
        assert (gaps > 0.08).all()  # two radii: a person must be able to count them
        inset = pip_insets(r, [spots] * 6, 0.04)[value]
        assert inset <= 0.5


def test_a_mislaid_triangle_is_nothing_and_a_nearly_right_one_is_not() -> None:
    corners = np.array([[[60.0, 60.0], [120.0, 70.0], [85.0, 118.0]]])
    scene = TileScene(np.zeros((200, 200, 3), np.uint8), corners, np.zeros((1, 3)), np.ones((1, 3)), np.ones(1))
    assert not samples._astray(scene, np.roll(corners[0], 1, axis=0) + 3)
    assert samples._astray(scene, corners[0] + 40)
    assert samples._astray(scene, 2 * corners[0].mean(0) - corners[0])


def test_detector_targets_decode_to_the_tiles() -> None:
    corners = np.array([[[60.0, 60.0], [120.0, 70.0], [85.0, 118.0]]])
    target = samples.detector_target(corners, np.ones(1), 160)
    row, column = np.argwhere(target[0] == 1)[0]
    centre = (np.array([column, row]) + target[2:4, row, column]) * DETECT_STRIDE + (DETECT_STRIDE - 1) / 2
    back = decode(centre[None], target[4:9, row, column][None].astype(float))[0]
    assert min(np.abs(np.roll(back, k, axis=0) - corners[0]).max() for k in range(3)) < 0.01


def test_a_half_hidden_tile_is_neither_asked_for_nor_forbidden() -> None:
    corners = np.array([[[60.0, 60.0], [120.0, 70.0], [85.0, 118.0]]])
    target = samples.detector_target(corners, np.array([0.4]), 160)
    assert target[0].max() == 0
    assert (target[1] == 0).any()


def test_reader_samples_carry_the_values_in_their_order(scenes: list[TileScene]) -> None:
    r = np.random.default_rng(0)
    for scene in scenes:
        pyramid = Pyramid(scene.image)
        for which in range(len(scene.corners)):
            crop, values = samples.reader_sample(scene, pyramid, which, r)
            assert crop.shape == (READ_SIZE, READ_SIZE, 3)
            turns = [np.roll(scene.values[which], -k) for k in range(3)]
            judged = (values >= 0) & (values < samples.NOTHING)
            assert any((values[judged] == turn[judged]).all() for turn in turns)


def test_single_corners_of_scenes_carry_the_value_on_top(scenes: list[TileScene]) -> None:
    for scene in scenes:
        pyramid = Pyramid(scene.image)
        for which in range(len(scene.corners)):
            whole, values = samples.reader_sample(scene, pyramid, which, np.random.default_rng(which))
            crop, value = samples.reader_sample(scene, pyramid, which, np.random.default_rng(which), "corners")
            assert crop.shape == (CORNER_SIZE, CORNER_SIZE, 3)
            assert whole.shape != crop.shape
            assert value.tolist() == values[:1].tolist()


def test_painted_corners_are_the_same_for_a_seed_and_of_every_value() -> None:
    first, again = (list(painted_corners(90, 3, ())) for _ in range(2))
    assert all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(first, again, strict=True))
    assert {crop.shape for crop, _ in first} == {(CORNER_SIZE, CORNER_SIZE, 3)}
    assert {int(value[0]) for _, value in first} == set(range(samples.NOTHING + 1))


def test_a_painted_corner_is_laid_onto_its_table() -> None:
    table = np.full((SIZE, SIZE, 3), 90, np.float32)
    canvas = table.copy()
    corner_sample(np.random.default_rng(1), canvas)
    changed = (np.abs(canvas - table).max(2) > 1).mean()
    assert 0.3 < changed < 1.0


def test_refiner_samples_point_to_the_true_side(scenes: list[TileScene]) -> None:
    r = np.random.default_rng(0)
    for scene in scenes:
        pyramid = Pyramid(scene.image)
        for which in range(len(scene.corners)):
            profiles, target = samples.refiner_sample(scene, pyramid, which, r)
            assert profiles.shape == (STRIP[1], PROFILES, 3)
            assert target[2] <= 0 or np.abs(target[:2]).max() <= 0.95
            assert side(scene.corners[which]) > 0


def test_samples_are_kept(folder: Path) -> None:
    paths = sorted(folder.glob("*.npz"))
    crops, targets = build("reader", paths, folder / "kept", 1)
    again, _ = build("reader", [], folder / "kept", 1)
    assert len(crops) == len(targets) == len(again) > 0


def test_a_notch_between_tiles_is_never_a_tile(scenes: list[TileScene]) -> None:
    r = np.random.default_rng(0)
    for scene in scenes:
        for which in range(len(scene.corners)):
            hole = samples.notch(scene, which, r)
            if hole is not None:
                gaps = np.linalg.norm(scene.corners.mean(1) - hole.mean(0), axis=1)
                assert gaps.min() > 0.35 * side(hole)


def test_calibration_finds_an_overconfident_reader() -> None:
    r = np.random.default_rng(0)
    said = r.uniform(0.5, 0.999, 4000)
    odds = 0.5 * np.log(said / (1 - said))
    right = (r.random(4000) < 1 / (1 + np.exp(-odds))).astype(float)
    design = np.column_stack([2 * odds, np.ones(4000)])
    slope, shift = fit(design, right, np.array([1.0, 0.0]))
    assert slope == pytest.approx(0.5, abs=0.06)
    assert shift == pytest.approx(0, abs=0.12)


@pytest.mark.parametrize("name", ["detector", "refiner", "reader", "corners"])
def test_each_network_trains_and_is_exported(name: str, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is for training only")
    import onnx

    command = [sys.executable, "-m", "models.tiles", name, "--scenes", str(folder), "--out", str(tmp_path), "--smoke"]
    subprocess.run(command, cwd=REPOSITORY, check=True, timeout=300)
    file = f"tiles_{name}.onnx"
    made, shipped = (onnx.load(place / file).graph.initializer for place in (tmp_path, WEIGHTS))
    # Biases are left out: where two are still alike, the file keeps one.
    weights, expected = ([list(part.dims) for part in parts if len(part.dims) > 1] for parts in (made, shipped))
    assert weights == expected
