"""What `tapete bench vision` measures with, on small doubles: the figures themselves are for quiet computers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from service.bench import backends, machine, vision
from vision import onnx
from vision.backends import BACKENDS, Unavailable, open_network
from vision.onnx import Network


@pytest.fixture(scope="module")
def frames() -> list[np.ndarray]:
    return vision.film_frames("triominos", 2)


def test_frames_are_what_a_webcam_gives(frames: list[np.ndarray]) -> None:
    assert [frame.shape for frame in frames] == [(720, 1280, 3)] * 2
    assert np.abs(frames[0].astype(int) - frames[1]).mean() > 0.5  # another table, not the same one twice


def test_a_family_is_measured_whole_and_by_network(frames: list[np.ndarray]) -> None:
    plain = Network.__call__
    rows = {row.name: row for row in vision.family_rows("tiles", "triominos", frames, 1)}
    assert Network.__call__ is plain
    parts = [rows[f"tiles: {name}, p50"].value for name in ("tiles_detector", "all but the networks")]
    assert all(value > 0 for value in parts)
    assert max(parts) < rows["tiles: a frame read, p95"].value
    assert "allowed" in rows["tiles: a frame read, p95"].note


def test_gate_and_quality(frames: list[np.ndarray]) -> None:
    rows = vision.gate_rows(frames, 6)
    assert [row.name for row in rows] == ["gate, p50", "gate, p95", "quality, p50", "quality, p95"]
    assert all(row.value > 0 for row in rows)


def test_the_machine_has_a_name() -> None:
    row = machine.machine()
    assert row.value >= 1
    assert machine.processor() in row.note


def test_start_up_says_what_went_wrong() -> None:
    (row,) = vision.start_rows("chess", "chess", 1)
    assert np.isnan(row.value)
    assert "unknown game" in row.note


def test_libraries_give_the_same_answers() -> None:
    """A comparison of times is worth nothing if the answers differ."""
    path = onnx.WEIGHTS / "cards-detector.onnx"
    batch = np.random.default_rng(3).random((1, 3, 128, 160), np.float32)
    answers = {}
    for name in BACKENDS:
        try:
            answers[name] = open_network(name, path, 1)(batch)[0]
        except Unavailable:
            continue
    assert {"ONNX Runtime", "OpenCV DNN"} <= set(answers)
    for answer in answers.values():
        assert np.abs(answer - answers["ONNX Runtime"]).max() < backends.SAME


def test_every_library_has_a_row_measured_or_not() -> None:
    frame = np.random.default_rng(4).integers(0, 255, (72, 128, 3), np.uint8)
    rows = backends.compare([frame], 1)
    for name in (*BACKENDS, backends.TORCH):
        row = next(row for row in rows if row.name == f"cards-detector, 1 thread: {name}")
        assert row.value > 0 or row.note
    ratio = next(row for row in rows if row.name.endswith("1 thread: ONNX Runtime against OpenCV DNN"))
    assert ratio.value > 0


def test_without_the_network_nothing_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "WEIGHTS", tmp_path)
    (row,) = backends.compare([], 1)
    assert "missing" in row.note
