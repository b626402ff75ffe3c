"""How cards lie: four corners for every box, by a coarse network and a fine one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.cards.geometry import FINE, FINE_MARGIN, decode_square, flat_frame, flatten, square_input, unflatten, usable
from vision.onnx import Network, load

GROWN = 0.12  # of the box: the second look's box is this much larger


@dataclass(frozen=True)
class Lie:
    """How one card may lie: a few answers for its corners (h × 4 × 2, all begun at one end), and the coarse network's
    opinion of its face (log odds per label), which does not depend on the corners."""

    corners: np.ndarray
    opinion: np.ndarray


class CornerFinder:
    """Finds the corners of whole cards (also where they are covered) from boxes around what is seen of them."""

    def __init__(self, coarse: Network | None = None, fine: Network | None = None) -> None:
        self._coarse = coarse or load("cards-corners")
        self._fine = fine or load("cards-fine")

    def find(self, image: np.ndarray, boxes: np.ndarray, rounds: int = 2) -> np.ndarray:
        """n × 4 × 2 corners in image pixels, clockwise, starting at one of each card's two opposite first corners."""
        boxes = np.asarray(boxes, float).reshape(-1, 4)
        return self._refine(image, self._guess(image, boxes)[0], rounds) if len(boxes) else np.zeros((0, 4, 2))

    def lies(self, image: np.ndarray, boxes: np.ndarray, rounds: int = 2) -> list[Lie]:
        """Two answers for every box: from the box as it is and from a larger one, each refined."""
        boxes = np.asarray(boxes, float).reshape(-1, 4)
        if not len(boxes):
            return []
        edge = GROWN / 2 * np.tile(boxes[:, 2:] - boxes[:, :2], 2) * [-1, -1, 1, 1]
        corners, opinions = self._guess(image, np.concatenate([boxes, boxes + edge]))
        corners = self._refine(image, corners, rounds)
        count = len(boxes)
        return [
            Lie(np.stack([corners[i], same_end(corners[i], corners[i + count])]), opinions[[i, i + count]].mean(0))
            for i in range(count)
        ]

    def _guess(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raw, opinions = self._coarse(np.stack([square_input(image, box) for box in boxes]))
        return np.stack([decode_square(row, box) for row, box in zip(raw, boxes, strict=True)]), opinions

    def _refine(self, image: np.ndarray, corners: np.ndarray, rounds: int) -> np.ndarray:
        """Each round of the fine network sees the card flatter than the one before, and so measures it better."""
        corners = corners.copy()
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


def same_end(first: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The other corners begun at the end where the first begin: half a turn is nothing to the networks."""
    turned = np.roll(other, 2, 0)
    return turned if np.abs(turned - first).sum() < np.abs(other - first).sum() else other


def settled(answers: list[np.ndarray], best: np.ndarray, near: float = 0.06) -> np.ndarray:
    """The mean of the answers that (nearly) agree with the best one: their errors are partly independent."""
    long = max(float(np.linalg.norm(best[3] - best[0])), 1.0)
    return np.mean([a for a in answers if np.abs(a - best).max() <= near * long], axis=0)
