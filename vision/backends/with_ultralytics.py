"""ultralytics (torch): the run-time backend that the others are compared with, from a `.pt` file of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ultralytics import YOLO

from vision.detector import Found


class UltralyticsDetector:
    """A detector with the interface of `vision.detector.Detector`; everything but the call is ultralytics' own."""

    def __init__(self, path: Path, *, side: int = 640, overlap: float = 0.7) -> None:
        self._model = YOLO(str(path))
        self.side, self.overlap = side, overlap

    def find(self, image: np.ndarray, least: float = 0.25) -> list[Found]:
        """All detections with a score of at least `least`, best first; at most 100."""
        result = self._model.predict(
            image, imgsz=self.side, conf=least, iou=self.overlap, agnostic_nms=True, max_det=100, device="cpu",
            verbose=False,
        )[0]  # fmt: skip
        rows = result.boxes.data.cpu().numpy().tolist()
        return [Found((x1, y1, x2, y2), int(kind), score) for x1, y1, x2, y2, score, kind in rows]
