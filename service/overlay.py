"""Frames as JPEG, clean or with the readings drawn over them. The clean frame is never touched."""

from __future__ import annotations

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
