"""Frames as JPEG, clean or with the readings drawn over them. The clean frame is never touched."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import cv2
import numpy as np

from service.referee.base import Mark
from vision.camera import Frame

COLOURS = {"accepted": (80, 175, 60), "seen": (200, 160, 60), "unsure": (0, 170, 255), "illegal": (50, 40, 230)}
MAX_WIDTH = 1280


def draw_marks(image: np.ndarray, marks: Sequence[Mark]) -> np.ndarray:
    """A copy of the image with outlines and labels. The line's style also tells the status, not its colour alone."""
    shown = image.copy()
    thick = max(2, shown.shape[1] // 500)
    for mark in marks:
        points = np.array(mark.piece.corners, float)
        if not np.isfinite(points).all() or len(points) < 2:
            continue
        colour = COLOURS.get(mark.status, (200, 200, 200))
        outline = points.round().astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(shown, [outline], True, colour, thick * (2 if mark.status == "illegal" else 1), cv2.LINE_AA)
        if mark.status == "illegal":
            cv2.line(shown, tuple(outline[0, 0]), tuple(outline[len(outline) // 2, 0]), colour, thick, cv2.LINE_AA)
        text = mark.piece.label + ("?" if mark.status == "unsure" else "")
        x, y = points.mean(axis=0).round().astype(int)
        scale = shown.shape[1] / 2000
        for width, tone in ((thick + 2, (0, 0, 0)), (max(1, thick - 1), (255, 255, 255))):
            cv2.putText(shown, text, (int(x) - 20, int(y)), cv2.FONT_HERSHEY_SIMPLEX, scale, tone, width, cv2.LINE_AA)
    return shown


def jpeg(frame: Frame, marks: Sequence[Mark] = (), quality: int = 80) -> bytes:
    """A frame as JPEG bytes, at most as wide as a page shows it."""
    image = draw_marks(frame.image, marks) if marks else frame.image
    if image.shape[1] > MAX_WIDTH:
        scale = MAX_WIDTH / image.shape[1]
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes() if ok else b""


class SharedJpeg:
    """The newest frames as JPEG, encoded once however many views are open."""

    def __init__(self, kept: int = 4) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], tuple[Frame, Sequence[Mark], bytes]] = OrderedDict()
        self._size = kept
        self.encoded = 0

    def __call__(self, frame: Frame, marks: Sequence[Mark] = ()) -> bytes:
        """The frame with these marks; whoever asks second waits for the first and gets the same bytes."""
        key = (id(frame), id(marks) if marks else 0)
        with self._lock:
            found = self._kept.get(key)
            # Kept entries hold their frame and marks, so an id cannot have passed on to another object.
            if found is None:
                found = (frame, marks, jpeg(frame, marks))
                self.encoded += 1
                self._kept[key] = found
                while len(self._kept) > self._size:
                    self._kept.popitem(last=False)
            return found[2]
