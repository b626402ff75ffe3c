"""How cards lie: four corners for every box, by a coarse network and a fine one."""

from __future__ import annotations

import numpy as np

from vision.cards.geometry import FINE, FINE_MARGIN, decode_square, flat_frame, flatten, square_input, unflatten, usable
from vision.onnx import Network, load


class CornerFinder:
    """Finds the corners of whole cards (also where they are covered) from boxes around what is seen of them."""

    def __init__(self, coarse: Network | None = None, fine: Network | None = None) -> None:
        self._coarse = coarse or load("cards-corners")
        self._fine = fine or load("cards-fine")

    def find(self, image: np.ndarray, boxes: np.ndarray, rounds: int = 3) -> np.ndarray:
        """n × 4 × 2 corners in image pixels, clockwise, starting at one of each card's two opposite first corners.

        Each round of the fine network sees the card flatter than the one before, and so measures it better.
        """
        boxes = np.asarray(boxes, float).reshape(-1, 4)
        if not len(boxes):
            return np.zeros((0, 4, 2))
        raw = self._coarse(np.stack([square_input(image, box) for box in boxes]))[0]
        corners = np.stack([decode_square(row, box) for row, box in zip(raw, boxes, strict=True)])
        frame, size = flat_frame(FINE, FINE_MARGIN), np.array(FINE, np.float32)
        for _ in range(rounds):
            sound = [i for i, quad in enumerate(corners) if usable(quad)]
            if not sound:
                break
            flats = np.stack([flatten(image, corners[i], FINE, FINE_MARGIN).transpose(2, 0, 1) for i in sound])
            offsets = self._fine(flats.astype(np.float32) / 255)[0].reshape(-1, 4, 2)
            for i, offset in zip(sound, offsets, strict=True):
                moved = unflatten(frame + offset * size, corners[i], FINE, FINE_MARGIN)
                if usable(moved):
                    corners[i] = moved
        return corners
