"""What runs many times a second stays cheap: one encoding for all views, and few pictures kept of a resting table."""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
from importlib import import_module

import numpy as np
import pytest

from service import recorder
from service.cli import MODULES
from service.overlay import SharedJpeg, jpeg
from service.recorder import Recorder
from service.referee.base import Mark
from vision.camera import Frame
from vision.state import Piece

RNG = np.random.default_rng(2)
TABLE = RNG.integers(60, 160, (45, 80, 3), np.uint8).repeat(16, 0).repeat(16, 1)


def noisy(image: np.ndarray) -> np.ndarray:
    return np.clip(image + RNG.normal(0, 3, image.shape), 0, 255).astype(np.uint8)


def test_many_views_share_one_encoding() -> None:
    shared, frame = SharedJpeg(), Frame(TABLE, 0.0, 1)
    marks = (Mark(Piece("card", "7-copas", ((9, 9), (90, 9), (90, 150), (9, 150)), 0.9), "accepted"),)
    found: list[bytes] = []
    views = [threading.Thread(target=lambda: found.append(shared(frame, marks))) for _ in range(8)]
    for view in views:
        view.start()
    for view in views:
        view.join()
    assert found == [jpeg(frame, marks)] * 8
    assert shared.encoded == 1
    assert shared(frame) == jpeg(frame) != found[0], "a clean view shows no outlines"
    other = Frame(noisy(TABLE), 0.1, 2)
    assert shared(other, marks) == jpeg(other, marks)
    assert shared(other, ()) == jpeg(other)


def test_new_marks_on_an_old_frame_are_drawn() -> None:
    shared, frame = SharedJpeg(), Frame(TABLE, 0.0, 1)
    for x in range(9, 900, 90):
        marks = (Mark(Piece("card", "7-copas", ((x, 9), (x + 80, 9), (x + 80, 150), (x, 150)), 0.9), "accepted"),)
        assert shared(frame, marks) == jpeg(frame, marks)


def test_a_resting_table_is_kept_less_often_and_a_moving_one_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(recorder.time, "monotonic", lambda: now[0])

    def watch(pictures: list[np.ndarray]) -> int:
        kept = Recorder()
        for number, picture in enumerate(pictures):
            now[0] += 1 / 30
            kept.saw(Frame(picture, number / 30, number))
        return len(kept.taken()[0])

    assert watch([noisy(TABLE) for _ in range(90)]) in (6, 7)
    moving = []
    for number in range(90):
        picture = TABLE.copy()
        picture[300:500, 8 * number : 8 * number + 150] = 230
        moving.append(picture)
    assert watch(moving) in (13, 14, 15)


def test_only_the_last_seconds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(recorder.time, "monotonic", lambda: now[0])
    kept = Recorder(seconds=3.0)
    for number in range(100):
        now[0] += 0.5
        kept.saw(Frame(TABLE, now[0], number))
    times = [moment for moment, _, _ in kept.taken()[0]]
    assert times[-1] == now[0]
    assert now[0] - times[0] <= 3.0


def test_a_command_loads_what_it_needs() -> None:
    """`tapete read` starts twice as fast without the web server that it does not use."""
    code = "import sys; from service.cli import build_parser; build_parser('{}'); print(*sys.modules)"
    for command, absent in (("read", {"fastapi", "uvicorn", "reportlab"}), ("--version", {"fastapi", "onnxruntime"})):
        done = subprocess.run([sys.executable, "-c", code.format(command)], capture_output=True, text=True, check=True)
        assert not absent & set(done.stdout.split()), command


def test_every_command_is_found_by_its_name() -> None:
    """The table of who adds which command is that of the modules themselves."""
    for module, names in MODULES.items():
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers()
        import_module(f"service.commands.{module}").add(commands)
        assert tuple(commands.choices) == names
