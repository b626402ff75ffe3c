"""A camera that misbehaves in every way, before a whole table: is the person told what to do, and does it come back?

The camera is a `WatchedCamera` over a source that does what it is told; table, gate and threads are the real ones.
Short forms use a shorter patience of the watchdog, so that tests need not wait for seconds.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from service.bench.table import Row
from service.desk import Desk
from service.settings import load
from vision.camera import PATIENCE, WatchedCamera
from vision.gate import Gate
from vision.quality import assess
from vision.sources import SourceError
from vision.state import TableState

# What is done to the camera, and how its status must be called while it lasts.
FAULTS = {
    "unplugged": "lost",
    "stuck": "lost",
    "frozen": "frozen",
    "black": "black",
    "corrupt": "lost",
    "raising": "lost",
    "5 fps": "ok",
    "wrong resolution": "ok",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """One fault, made once: whether it was told and survived, how soon, and the words."""

    fault: str
    told: bool
    back: bool
    seconds: float
    words: str


class Switch:
    """What the camera does now; shared by all sources that the watchdog opens one after the other."""

    def __init__(self) -> None:
        self.mode = "well"
        self.scene = 0


class FaultySource:
    """Thirty frames a second of a noisy table, or what the switch says instead."""

    live = True

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._noise = np.random.default_rng(5)
        self._table = self._noise.integers(60, 160, (45, 80, 3), np.uint8).repeat(16, 0).repeat(16, 1)
        self._count = 0

    def open(self) -> None:
        """Connect, if it is plugged in."""
        if self._switch.mode == "unplugged":
            raise SourceError(
                "No se puede abrir la cámara: ¿está enchufada?", "The camera cannot be opened: is it plugged in?"
            )

    def grab(self) -> np.ndarray | None:
        """The next frame."""
        mode = self._switch.mode
        time.sleep(0.2 if mode == "5 fps" else 0.033)
        self._count += 1
        if mode == "unplugged":
            return None
        if mode == "stuck":
            while self._switch.mode == "stuck":
                time.sleep(0.01)
        if mode == "raising":
            raise OSError("the device is busy")
        if mode == "corrupt":
            rubbish = (np.zeros((0, 0, 3), np.uint8), np.zeros((720, 1280), np.uint8), np.zeros((2, 9, 3), np.uint8))
            return rubbish[self._count % 3]
        frame = self._table.copy()
        x = 100 + 300 * (self._switch.scene % 4)
        frame[300:420, x : x + 90] = 240
        if mode == "black":
            frame[:] = 0
            frame[0, self._count % 64] = 1  # sensor noise
        elif mode != "frozen":
            frame[::16, ::16] ^= self._noise.integers(0, 3, frame[::16, ::16].shape, np.uint8)
        return cv2.resize(frame, (320, 240)) if mode == "wrong resolution" else frame

    def close(self) -> None:
        """Nothing to let go of."""


class _Onlooker:
    """Eyes that see no pieces, but judge the picture."""

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        """An empty table with the picture's quality."""
        return TableState(time, (), (image.shape[1], image.shape[0]), quality=assess(image))


def camera_troubles(rounds: int = 1, patience: float = PATIENCE, faults: tuple[str, ...] = ()) -> list[Trouble]:
    """Make every fault so many times at one running table; afterwards it must be well again each time."""
    switch, found = Switch(), []
    with tempfile.TemporaryDirectory(prefix="tapete-camera-") as folder:
        settings = load({"data": Path(folder)}, environment={})[0]
        desk = Desk(
            settings,
            lambda source: WatchedCamera(lambda: FaultySource(switch), patience=patience),
            lambda game, calibration: _Onlooker(),
        )
        try:
            desk.table.use_match(desk.new_match("triominos", ["Ana", "Luis"], {}, {}))
            desk.table.use_camera("0")
            for _ in range(rounds):
                for fault in faults or tuple(FAULTS):
                    found.append(_one(desk, switch, fault, patience))
        finally:
            switch.mode = "well"
            desk.close()
    return found


def _one(desk: Desk, switch: Switch, fault: str, patience: float) -> Trouble:
    table, limit = desk.table, 60 * max(patience, 0.5)  # generous: how soon it was is measured, not required

    def camera() -> str:
        return str(table.status()["camera"]["status"])

    table.wait(lambda: camera() == "ok" and table.state is not None, limit)
    began = time.monotonic()
    switch.mode = fault
    if FAULTS[fault] == "ok":
        told, words = _goes_on(desk, switch, fault, limit)
    else:
        told = table.wait(lambda: camera() == FAULTS[fault], limit)
        words = str(table.status()["camera"]["en"])
        told = told and bool(words) and bool(table.status()["camera"]["es"])
    seconds = time.monotonic() - began
    frames = table.frames
    switch.mode = "well"
    back = table.wait(lambda: camera() == "ok" and table.frames > frames + 3, limit)
    return Trouble(fault, told, back, seconds, words)


def _goes_on(desk: Desk, switch: Switch, fault: str, limit: float) -> tuple[bool, str]:
    """A poor camera that works: a change of the table is still read, and a small picture is told."""
    table = desk.table
    table.wait(lambda: table.frame is not None and (fault == "5 fps" or table.frame.image.shape[1] == 320), limit)
    readings = table.readings
    switch.scene += 1
    read = table.wait(lambda: table.readings > readings + 1, limit)
    if fault == "5 fps":
        return read, f"the change was read {table.readings - readings} times"

    def said() -> str:
        advice = table.state.quality.advice if table.state else ()
        return next((en for _, en in advice if "small" in en), "")

    return table.wait(lambda: bool(said()), limit) and read, said()


def clock_jumps(frames: int = 300) -> int:
    """A camera whose clock jumps by up to a day, both ways: how many resting tables were never read."""
    rng, gate, never, now = np.random.default_rng(2), Gate(2), 0, 1000.0
    table = rng.integers(60, 160, (180, 320, 3), np.uint8)
    for number in range(max(1, frames // 30)):
        now += float(rng.uniform(-86_400, 86_400))
        picture = table.copy()
        picture[20 + 5 * (number % 20) :][:30, 40:80] = 255 * (number % 2)
        read = 0
        for _ in range(30):
            now += 1 / 15
            read += gate.update(picture, now).read
        never += not read
    return never


def rows(quick: bool) -> list[Row]:
    """Every camera fault with its count; `quick` makes each once and with less patience."""
    rounds, patience = (1, 0.3) if quick else (10, PATIENCE)
    found = camera_troubles(rounds, patience)
    made = []
    for fault in FAULTS:
        mine = [trouble for trouble in found if trouble.fault == fault]
        good = sum(trouble.told and trouble.back for trouble in mine)
        late = max(trouble.seconds for trouble in mine)
        note = f"of {len(mine)}; told after {late:.1f} s at most: {mine[-1].words}"
        made.append(Row(f"camera {fault}: told and back", good, "times", note))
    jumps = 300 if quick else 6000
    made.append(Row("clock jumping: tables never read", clock_jumps(jumps), "tables", f"of {jumps // 30}"))
    return made
