"""`tapete doctor`: finds what is wrong, says what to do, and tells nobody who you are."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import numpy as np
import pytest

from service.cli import main
from service.commands import doctor
from vision import onnx
from vision.camera import CameraStatus, Frame


@pytest.fixture(autouse=True)
def no_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "list_cameras", lambda: [])


def test_a_report_that_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(doctor, "eyes", lambda: [])
    (tmp_path / "file").write_text("no folder")
    assert main(["doctor", "--data", str(tmp_path / "file" / "data")]) == 1
    said = capsys.readouterr().out
    assert "BAD data folder" in said
    assert "~/file/data" in said
    assert str(tmp_path) not in said
    assert main(["doctor", "--data", str(tmp_path / "well"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert {"networks", "cameras", "data folder"} <= {check["what"] for check in report["checks"]}


def test_a_damaged_network_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (onnx.WEIGHTS / "tiles_refiner.onnx").read_bytes()
    (tmp_path / "good.onnx").write_bytes(whole)
    (tmp_path / "half.onnx").write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr(onnx, "WEIGHTS", tmp_path)
    whole_check, bad = doctor.weights()
    assert whole_check["found"] == "1 of 2 open"
    assert not whole_check["ok"]
    assert "half.onnx" in bad["what"]
    assert bad["advice"]
    (tmp_path / "good.onnx").unlink()
    (tmp_path / "half.onnx").unlink()
    assert not doctor.weights()[0]["ok"]


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        (check,) = doctor.port("127.0.0.1", other.getsockname()[1])
        assert "in use" in check["found"]
    assert doctor.port("127.0.0.1", 0)[0]["found"] == "free"


class OneFrame:
    """A camera with one picture, or none."""

    def __init__(self, image: np.ndarray | None) -> None:
        self.image = image

    def read(self) -> Frame | None:
        return None if self.image is None else Frame(self.image, 0.0, 1)

    @property
    def status(self) -> CameraStatus:
        return CameraStatus("lost", "es", "The camera sends no picture: is another program using it?")

    def close(self) -> None:
        pass


def test_cameras_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "list_cameras", lambda: [0, 2])
    monkeypatch.setattr(doctor, "PICTURE_SECONDS", 0.1)
    pictures = {0: np.full((240, 320, 3), 90, np.uint8), 2: None}
    monkeypatch.setattr(doctor, "open_camera", lambda index: OneFrame(pictures[index]))
    small, silent = doctor.cameras()
    assert small["ok"]
    assert "320 × 240" in small["found"]
    assert "1280 × 720" in small["advice"]
    assert not silent["ok"]
    assert "another program" in silent["advice"]
