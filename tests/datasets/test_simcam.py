"""The simulated camera: a camera like any other, which can be stopped, stepped and wound."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from datasets.played import play
from datasets.simcam import Film, SimCamera
from vision.camera import Camera, Frame
from vision.gate import Gate


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def played():
    return play("triominos", 3, short=True, size=(640, 360))


@pytest.fixture
def film(played):
    return Film(played)


def test_it_has_everything_that_a_camera_has(film) -> None:
    camera = SimCamera(film, realtime=False)
    for name, _ in inspect.getmembers(Camera, lambda m: inspect.isfunction(m) or isinstance(m, property)):
        if not name.startswith("_"):
            assert hasattr(camera, name), name
    frame = camera.read()
    assert isinstance(frame, Frame)
    assert frame.image.shape == (360, 640, 3)
    assert frame.image.dtype == np.uint8
    assert camera.status.state == "ok"
    camera.close()
    camera.close()
    assert camera.read() is None
    assert camera.status.state == "ended"


def test_the_same_frame_has_the_same_pixels_whatever_was_seen_before(played) -> None:
    forwards, jumping = Film(played), Film(played)
    wanted = [0, 30, 41, 55, 90, 130]
    first = [forwards.picture(i) for i in wanted]
    second = [jumping.picture(i) for i in reversed(wanted)][::-1]
    for one, two in zip(first, second, strict=True):
        assert np.array_equal(one, two)
    assert not np.array_equal(first[0], first[1])


def test_in_real_time_frames_are_due_by_the_clock(film) -> None:
    clock = Clock()
    camera = SimCamera(film, clock=clock)
    assert camera.read().index == 0
    assert camera.read() is None  # the same frame is not given twice
    clock.now += 1.0
    assert camera.read().index == pytest.approx(15, abs=1)
    camera.speed = 4.0
    clock.now += 1.0
    assert camera.read().index == pytest.approx(75, abs=1)
    with pytest.raises(ValueError, match="positive"):
        camera.speed = 0


def test_pause_step_resume_and_seek(film) -> None:
    clock = Clock()
    camera = SimCamera(film, clock=clock)
    clock.now += 2.0
    before = camera.read().index
    camera.pause()
    assert camera.paused
    clock.now += 50
    assert camera.read() is None
    camera.step()
    assert camera.read().index == before + 1
    camera.resume()
    clock.now += 1 / film.fps + 0.001
    assert camera.read().index == pytest.approx(before + 2, abs=1)
    camera.seek(film.length)
    assert camera.read().index == film.frames - 1
    assert camera.status.state == "ended"
    assert "terminado" in camera.status.es


def test_everything_said_comes_once_in_order_and_in_time(film) -> None:
    said = [step for step in film.played.steps if not step.seen or step.call]
    camera = SimCamera(film, realtime=False)
    got = []
    while camera.status.state == "ok":
        frame = camera.read()
        new = camera.take_declarations()
        assert all(d.time <= frame.time for d in new)
        got += new
    got += camera.take_declarations()
    assert [(d.move, d.call) for d in got] == [(s.move, s.call) for s in said]
    assert got[0].call == {"call": "opener", "player": film.played.steps[0].player}
    assert got[0].after == 0
    assert camera.take_declarations() == []


def test_hands_make_the_table_busy_and_the_table_comes_to_rest_once_per_placement(film) -> None:
    gate = Gate(2)
    rests, busy = set(), 0
    for index in range(film.frames):
        state = gate.update(film.picture(index), index / film.fps)
        busy += state.busy
        if state.read:
            step, phase = film.step_at(index / film.fps)
            # A hand that has only just begun to come, or has nearly left, is not in the picture.
            table = film.labels(index)[: len(film.played.steps[step - 2].table) if phase == "come" else None]
            assert all(piece.visible > 0.85 for piece in table), f"frame {index} is read while a hand covers the table"
            rests.add(step)
    seen = {number for number, step in enumerate(film.played.steps, 1) if step.seen}
    assert seen <= rests, "every placement is read"
    assert busy > 0


def test_labels_are_those_of_the_pieces_on_the_table(film) -> None:
    last = film.frames - 1
    labels = film.labels(last)
    assert sorted(p.label for p in labels) == sorted(p.sprite.label for p in film.played.steps[-1].table)
    for piece in labels:
        assert all(0 <= x < 640 and 0 <= y < 360 for x, y in piece.corners)


def test_stills_show_every_step_once(film) -> None:
    stills = list(film.stills())
    assert [number for number, _, _ in stills] == list(range(len(film.played.steps) + 1))
    assert stills[0][1] is None
    assert all(step is film.played.steps[number - 1] for number, step, _ in stills[1:])
