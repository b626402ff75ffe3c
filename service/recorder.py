"""The last seconds of the table, kept in memory for a failure clip."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

import cv2
import numpy as np

from vision.camera import Frame
from vision.state import TableState

Json = dict[str, Any]
SECONDS = 12.0
PER_SECOND = 5.0
AT_REST = 2.0  # frames a second of a table on which nothing moves: they are all alike
STEP, PART = 14, 0.002  # grey levels, and the part of a small copy that must differ by more: something moved


class Recorder:
    """Remembers the last seconds. Never in the way: a few frames a second are encoded, older ones fall off."""

    def __init__(self, seconds: float = SECONDS, per_second: float = PER_SECOND) -> None:
        self._gap = 1 / per_second
        self._lock = threading.Lock()
        self._frames: deque[tuple[float, float, float, bytes]] = deque(maxlen=int(seconds * per_second))
        self._states: deque[tuple[float, Json]] = deque(maxlen=200)
        self._last = float("-inf")
        self._seconds = seconds
        self._small: np.ndarray | None = None

    def saw(self, frame: Frame) -> None:
        """A frame came by; `time` of a frame is its camera's clock, so the wall's is kept beside it."""
        now = time.monotonic()
        if now - self._last < self._gap:
            return
        half = cv2.resize(frame.image, (320, 180), interpolation=cv2.INTER_LINEAR)
        small = cv2.resize(half, (80, 45), interpolation=cv2.INTER_AREA)
        kept = self._small
        moved = kept is None or float((cv2.absdiff(small, kept) > STEP).any(axis=2).mean()) > PART
        if not moved and now - self._last < 1 / AT_REST:
            return
        self._last, self._small = now, small
        ok, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        if ok:
            with self._lock:
                self._frames.append((frame.time, now, time.time(), data.tobytes()))
                while now - self._frames[0][1] > self._seconds:
                    self._frames.popleft()

    def read(self, state: TableState) -> None:
        """The eyes read something."""
        with self._lock:
            self._states.append((state.time, state.to_json()))

    def clear(self) -> None:
        """Another camera or another match: what was before has nothing to do with it."""
        with self._lock:
            self._frames.clear()
            self._states.clear()
            self._small = None

    def taken(self) -> tuple[list[tuple[float, float, bytes]], list[tuple[float, Json]]]:
        """Frames (camera's time, wall time, JPEG) and readings, oldest first."""
        with self._lock:
            return [(frame, wall, data) for frame, _, wall, data in self._frames], list(self._states)
