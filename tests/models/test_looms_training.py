"""How the loom networks learn: samples that fit their pictures, and a tiny training from end to end."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from datasets.loom_views import drawn_loom, other_things, scatter
from models.looms.data import cross_sample, find_sample, make, read_sample
from vision.looms.lattice import fit_lattice, peaks
from vision.looms.shapes import FIND_SIZE, FIND_STRIDE, PATCH, READ_SIZE, READ_STRIDE


@cache
def _bank() -> list:
    return [drawn_loom(920_000 + i, 28.0) for i in range(4)]


def test_find_samples_mark_boards_and_the_lane_square_inside_them() -> None:
    rng = np.random.default_rng(4)
    marked = 0
    for _ in range(6):
        sample = find_sample(rng, _bank(), [])
        assert sample["x"].shape == (FIND_SIZE[1], FIND_SIZE[0], 3)
        assert sample["y"].shape == (3, FIND_SIZE[1] // FIND_STRIDE, FIND_SIZE[0] // FIND_STRIDE)
        board, inner = sample["y"][0] > 200, sample["y"][1] > 200
        assert not (inner & ~board).any()
        marked += board.any()
    assert marked >= 3


def test_read_samples_hold_a_whole_lattice() -> None:
    rng = np.random.default_rng(6)
    right = 0
    for i in range(4):
        facts = _bank()[i][1]
        sample = read_sample(rng, [_bank()[i]], [])
        n = READ_SIZE // READ_STRIDE
        assert sample["x"].shape == (READ_SIZE, READ_SIZE, 3)
        assert sample["y"].shape == (5, n, n)
        assert sample["y"][3].max() <= 3
        assert sample["y"][4].max() <= 5
        assert ((sample["y"][4] > 0) == (sample["y"][3] > 0)).mean() > 0.999  # every cord pixel has a dye
        ends = {axis: peaks(sample["y"][1 + k].astype(np.float32) / 255) for k, axis in enumerate("hv")}
        lattice = fit_lattice(ends, n)
        right += lattice is not None and lattice.lanes == facts["lanes"]
    assert right >= 3  # one board may lie half outside the picture


def test_cross_samples_are_patches_with_a_side() -> None:
    sample = cross_sample(np.random.default_rng(2), [b for b in _bank() if b[1]["crossings"]], [], most=5)
    assert sample["x"].shape[1:] == (PATCH, PATCH, 3)
    assert len(sample["x"]) == len(sample["y"]) > 0
    assert set(np.unique(sample["y"])) <= {0, 1}


def test_samples_are_reproducible() -> None:
    first, again = (make("find", 2, 11, _bank(), []) for _ in range(2))
    assert np.array_equal(first["x"], again["x"])
    assert np.array_equal(first["y"], again["y"])


def test_scattered_things_change_the_table() -> None:
    table = np.full((200, 300, 3), 90, np.uint8)
    scatter(table, other_things(8, 3), np.random.default_rng(1))
    assert (table != 90).any()


def test_a_tiny_training_exports_networks_that_run(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs the extra `train`")
    pytest.importorskip("onnx", reason="export needs the extra `train`")
    import onnxruntime

    from models.looms.train import INPUT, main

    arguments = ["find", "read", "cross", "--smoke", "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    for kind, shape in INPUT.items():
        session = onnxruntime.InferenceSession(str(tmp_path / "out" / f"looms_{kind}.onnx"))
        (marks,) = session.run(None, {"x": np.zeros((2, *shape), np.float32)})
        assert len(marks) == 2
        assert np.isfinite(marks).all()
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").glob("*.npy")}
    assert main(arguments) == 0  # resumes: nothing is drawn again
    assert stamps == {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").glob("*.npy")}
