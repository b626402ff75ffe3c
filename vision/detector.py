"""Where pieces are: a nano YOLO over the whole picture, with its boxes in image pixels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.onnx import Network, load

STRIDE = 32
GREY = 114


@dataclass(frozen=True, slots=True)
class Found:
    """One detection: box (x1, y1, x2, y2) in image pixels, class number, score."""

    box: tuple[float, float, float, float]
    kind: int
    score: float


def letterbox(image: np.ndarray, side: int) -> tuple[np.ndarray, float]:
    """The picture scaled so that its long side is at most `side`, padded right and below to whole strides."""
    height, width = image.shape[:2]
    scale = min(1.5, side / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    canvas = np.empty((-(-size[1] // STRIDE) * STRIDE, -(-size[0] // STRIDE) * STRIDE, 3), np.uint8)
    canvas[size[1] :], canvas[:, size[0] :] = GREY, GREY
    inside = canvas[: size[1], : size[0]]
    if size == (width, height):
        inside[:] = image
    else:
        cv2.resize(image, size, dst=inside, interpolation=how)
    return canvas, scale


def pixels(canvas: np.ndarray) -> np.ndarray:
    """A BGR picture as a YOLO takes it: one batch, channels first, RGB from 0 to 1."""
    batch = np.empty((1, 3, *canvas.shape[:2]), np.float32)
    for plane, channel in zip(batch[0], reversed(cv2.split(canvas)), strict=True):
        np.multiply(channel, np.float32(1 / 255), out=plane, dtype=np.float32)  # no copies between: they cost most
    return batch


def suppress(boxes: np.ndarray, scores: np.ndarray, overlap: float) -> list[int]:
    """Greedy non-maximum suppression: indices to keep, best first."""
    order = np.argsort(-scores)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    keep: list[int] = []
    while len(order):
        first, rest = order[0], order[1:]
        keep.append(int(first))
        low, high = np.maximum(boxes[first, :2], boxes[rest, :2]), np.minimum(boxes[first, 2:], boxes[rest, 2:])
        shared = np.prod(np.clip(high - low, 0, None), axis=1)
        order = rest[shared <= overlap * (area[first] + area[rest] - shared)]
    return keep


class Detector:
    """A YOLO network without built-in suppression; classes as it was trained."""

    def __init__(self, network: Network | None = None, *, side: int = 640, overlap: float = 0.7) -> None:
        self._network = network or load("cards-detector")
        self.side = side
        self.overlap = overlap

    def find(self, image: np.ndarray, least: float = 0.25) -> list[Found]:
        """All detections with a score of at least `least`, best first; at most 100."""
        canvas, scale = letterbox(image, self.side)
        raw = self._network(pixels(canvas), least=least)[0][0]
        scores = raw[4:]
        best, kinds = scores.max(0), scores.argmax(0)
        chosen = best >= least
        centre, size = raw[:2, chosen].T, raw[2:4, chosen].T
        boxes = np.concatenate([centre - size / 2, centre + size / 2], 1) / scale
        height, width = image.shape[:2]
        boxes = np.clip(boxes, 0, [width, height, width, height])
        best, kinds = best[chosen], kinds[chosen]
        return [
            Found(
                (float(boxes[i, 0]), float(boxes[i, 1]), float(boxes[i, 2]), float(boxes[i, 3])),
                int(kinds[i]),
                float(best[i]),
            )
            for i in suppress(boxes, best, self.overlap)[:100]
        ]
