"""The live table: camera → gate → eyes → stabiliser → referee → match, in two threads of its own.

The *pump* takes every frame, so that the live view flows, and lets the gate decide when to look. The *reader* looks: it
is the slow part, and it always takes the newest frame that the gate asked for. Neither ever waits for a client.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from service.eyes import table_eyes
from service.follow import follow
from service.match import Match
from service.recorder import Recorder
from service.referee.base import Mark
from vision.camera import Camera, Frame
from vision.gate import Gate
from vision.stabiliser import Stabiliser
from vision.state import TableState
from vision.table import Calibration

log = logging.getLogger("tapete.table")
Json = dict[str, Any]
AGAIN = 1.0  # seconds after which a table that the referee objects to is looked at again


class Looks(Protocol):
    """What reads frames: `vision.eyes.Eyes`, or a double of it."""

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        """Everything on the table in a frame."""


class Table:
    """The camera, and the match that it follows."""

    def __init__(
        self,
        publish: Callable[[], None],
        open_camera: Callable[..., Camera],
        make_eyes: Callable[[str, Calibration | None], Looks] = table_eyes,
        looks: int = 2,
    ) -> None:
        self._publish, self._open, self._make_eyes, self._looks = publish, open_camera, make_eyes, looks
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._wanted = threading.Event()
        self._camera: Camera | None = None
        self.source: str | None = None
        self.match: Match | None = None
        self.calibration: Json | None = None
        self._eyes: Looks | None = None
        self._eyes_for: tuple[str, Json | None] | None = None
        self.eyes_error = self.look_error = ""
        self._gate, self._stabiliser = Gate(looks), Stabiliser(looks)
        self.recorder = Recorder()
        self.frame: Frame | None = None
        self._to_read: Frame | None = None
        self.state: TableState | None = None
        self.marks: tuple[Mark, ...] = ()
        self.moving = False
        self._status = ("none", "", "")
        self._times: list[float] = []
        self.frames = self.readings = 0
        self.latency: list[float] = []  # milliseconds from a frame to the match's answer, newest last
        self._threads = [
            threading.Thread(target=self._pump, name="table-pump", daemon=True),
            threading.Thread(target=self._read, name="table-reader", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # -- what is asked of it ----------------------------------------------------------------------------------

    def use_camera(self, source: str | None, allowed: Callable[[str], bool] | None = None) -> None:
        """Open another camera (or none). Raises `SourceError` for one that cannot exist."""
        more = {} if allowed is None else {"allowed": allowed}
        self.attach(None if source is None else self._open(source, **more), source)

    def attach(self, camera: Camera | None, source: str | None) -> None:
        """Take frames from a camera that is already open."""
        with self._lock:
            old, self._camera, self.source = self._camera, camera, source
            self.frame = self._to_read = self.state = None
            self.marks = ()
            self._times.clear()
            self._reset()
        if old is not None:
            old.close()
        self._publish()

    @property
    def camera(self) -> Camera | None:
        """The camera in use."""
        return self._camera

    def use_match(self, match: Match | None) -> None:
        """Follow another match (or none)."""
        with self._lock:
            self.match = match
            self.state, self.marks = None, ()
            self._reset()
        self._publish()

    def calibrate(self, calibration: Json | None) -> None:
        """Use this calibration (corners of the table, zones)."""
        with self._lock:
            self.calibration = calibration
            self._reset()
        self._publish()

    def open_eyes(self, game: str) -> Looks:
        """Another pair of eyes like those that look at this table, for whoever looks from another thread."""
        return self._make_eyes(game, None)

    def new_eyes(self) -> None:
        """Open the eyes again before the next look: they have learnt something."""
        self._eyes_for = None

    def look_again(self) -> None:
        """Read the resting table once more: a person changed what it is compared with."""
        with self._lock:
            self._gate.look_again(self._looks)

    def _reset(self) -> None:
        self.recorder.clear()
        self._gate, self._stabiliser = Gate(self._looks), Stabiliser(self._looks)

    def close(self) -> None:
        """Stop the threads and let go of the camera."""
        self._stop.set()
        self._wanted.set()
        for thread in self._threads:
            thread.join(timeout=20)  # a look that has begun is not cut short: its threads would outlive their room
        if self._camera is not None:
            self._camera.close()

    # -- the pump ---------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        while not self._stop.is_set():
            camera = self._camera
            frame = None
            if camera is not None:
                try:
                    frame = camera.read()
                except Exception:  # a camera must never end the table
                    log.exception("the camera raised")
            self._watch_status(camera)
            if frame is None:
                self._stop.wait(0.01)
                continue
            with self._lock:
                if camera is not self._camera:
                    continue
                self.frame = frame
                self.frames += 1
                self._times = [*self._times[-59:], time.monotonic()]
                gate = self._gate.update(frame.image, frame.time)
                if gate.busy:
                    self._stabiliser.reset()
                    self._to_read = None
                if gate.read:
                    self._to_read = frame
                    self._wanted.set()
                changed = gate.busy != self.moving
                self.moving = gate.busy
            self.recorder.saw(frame)
            if changed:
                self._publish()

    def _watch_status(self, camera: Camera | None) -> None:
        if camera is None:
            status = ("none", "", "")
        else:
            shown = camera.status
            status = (shown.state, shown.es, shown.en)
        if status != self._status:
            self._status = status
            self._publish()

    # -- the reader -------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while not self._stop.is_set():
            self._wanted.wait(timeout=AGAIN)
            self._wanted.clear()
            with self._lock:
                frame, self._to_read = self._to_read, None
                match = self.match
                if frame is None and match is not None and self._unsettled(match):
                    self._gate.look_again(1)
            if frame is None or self._stop.is_set():
                continue
            failed = ""
            try:
                self._look(frame, match)
            except Exception as error:  # one bad frame must not end the table, but somebody must be told
                log.exception("a frame could not be read")
                failed = f"the last look failed ({type(error).__name__}): save a failure clip and report it"
            if failed != self.look_error:
                self.look_error = failed
                self._publish()

    @staticmethod
    def _unsettled(match: Match) -> bool:
        return bool(match.position.illegal or match.position.questions or match.instruction)

    def _look(self, frame: Frame, match: Match | None) -> None:
        eyes = self._eyes_of(match)
        if eyes is None:
            return
        started = time.perf_counter()
        state = eyes.read(frame.image, frame.time)
        with self._lock:
            if match is not self.match:
                return
            self.state = state
            self.readings += 1
            self.recorder.read(state)
            stable = self._stabiliser.update(state)
            if stable is None:
                self._gate.look_again(1)
        if stable is not None and match is not None:
            marks = follow(match, stable, frame.image)
            self.latency = [*self.latency[-499:], (time.perf_counter() - started) * 1000]
            with self._lock:
                self.state, self.marks = stable, marks
        self._publish()

    def _eyes_of(self, match: Match | None) -> Looks | None:
        if match is None:
            return None
        wanted = (match.record.game, self.calibration)
        if self._eyes_for != wanted:
            self._eyes_for = wanted
            self._eyes, self.eyes_error = None, ""
            try:
                self._eyes = self._make_eyes(match.record.game, None)
            except Exception as error:  # a missing or damaged model: say it, go on showing the picture
                log.exception("the eyes cannot be opened")
                self.eyes_error = str(error) or type(error).__name__
            self._publish()
        return self._eyes

    # -- what is told of it -----------------------------------------------------------------------------------

    @property
    def fps(self) -> float:
        """Frames per second over the last frames."""
        times = self._times
        if len(times) < 2 or time.monotonic() - times[-1] > 2:
            return 0.0
        return (len(times) - 1) / max(times[-1] - times[0], 1e-6)

    def status(self) -> Json:
        """`TableStatus` of the API."""
        with self._lock:
            state, es, en = self._status
            frame = self.frame
            size = None if frame is None else [frame.image.shape[1], frame.image.shape[0]]
            marks = [
                {
                    "corners": [[round(x, 1), round(y, 1)] for x, y in mark.piece.corners],
                    "kind": mark.piece.kind,
                    "label": mark.piece.label,
                    "status": mark.status,
                }
                for mark in self.marks
            ]
            camera = {"source": self.source, "status": state, "fps": round(self.fps, 1), "size": size}
            return {
                "camera": {**camera, "es": es, "en": en},
                "match": self.match.id if self.match else None,
                "calibration": self.calibration,
                "moving": self.moving,
                "eyes": self.eyes_error or self.look_error or "ok",
                "state": self.state.to_json() if self.state else None,
                "marks": marks,
            }

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait (for tests and scripts) until something holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):
                if condition():
                    return True
            time.sleep(0.02)
        return False
