"""How cards lie: four corners for every box, by a coarse network and a fine one.

What is seen of a half-covered card looks like a whole card of another shape. The coarse network is therefore asked
twice: what the first answers say together about the size of cards around here is told with the second question.
"""

from __future__ import annotations

import numpy as np

from vision.cards.geometry import (
    FINE_MARGIN,
    box_corners,
    decode_square,
    flat_frame,
    flatten,
    seen_mask,
    size_hint,
    square_input,
    unflatten,
    usable,
    with_hint,
)
from vision.onnx import Network, load

NEIGHBOURS = 3.0  # cards' sizes: how far away a card says half as much about another's size as one beside it
WHOLE = 0.7  # of the sizes seen, the share below this one: covered cards are measured too small, seldom too large


class CornerFinder:
    """Finds the corners of whole cards (also where they are covered) from boxes around what is seen of them."""

    def __init__(self, coarse: Network | None = None, fine: Network | None = None) -> None:
        self._coarse = coarse or load("cards-corners")
        self._fine = fine or load("cards-fine")
        self._channels, height, width = self._fine.shape
        self._size = (width, height)  # of the flat card that the fine network sees
        self.version = self._coarse.digest[:6] + self._fine.digest[:6]

    def find(
        self, image: np.ndarray, boxes: np.ndarray, rounds: int = 2, sizes: np.ndarray | None = None
    ) -> np.ndarray:
        """n × 4 × 2 corners in image pixels, clockwise, starting at one of each card's two opposite first corners.

        `sizes` (`sizes_of`) says how large each card should be; without it the cards are compared with one another.
        """
        boxes = np.asarray(boxes, float).reshape(-1, 4)
        if not len(boxes):
            return np.zeros((0, 4, 2))
        expected = self.sizes_of(image, boxes) if sizes is None else np.asarray(sizes, float)
        return self._refine(image, self._guess(image, boxes, expected), boxes, rounds)

    def sizes_of(self, image: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        """How large the card of each box should be (√area, image pixels), from all cards measured without a hint."""
        if self._coarse.shape[0] == 4 or len(boxes) < 2:  # a network that cannot be told, or nobody to compare with
            return np.zeros(len(boxes))
        raw = self._coarse(np.stack([with_hint(square_input(image, box), 0.0) for box in boxes]))[0]
        return expected_sizes(np.stack([decode_square(row, box) for row, box in zip(raw, boxes, strict=True)]))

    def _guess(self, image: np.ndarray, boxes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        squares = [square_input(image, box) for box in boxes]
        if self._coarse.shape[0] > 4:
            hints = [size_hint(s / max(box[2:] - box[:2])) for s, box in zip(sizes, boxes, strict=True)]
            squares = [with_hint(square, hint) for square, hint in zip(squares, hints, strict=True)]
        raw = self._coarse(np.stack(squares))[0]
        return np.stack([decode_square(row, box) for row, box in zip(raw, boxes, strict=True)])

    def _refine(self, image: np.ndarray, corners: np.ndarray, boxes: np.ndarray, rounds: int) -> np.ndarray:
        """Each round of the fine network sees the card flatter than the one before, and so measures it better."""
        corners = corners.copy()
        frame, size = flat_frame(self._size, FINE_MARGIN), np.array(self._size, np.float32)
        for _ in range(rounds):
            sound = [i for i, quad in enumerate(corners) if usable(quad)]
            if not sound:
                break
            flats = np.stack([self._flat(image, corners[i], boxes[i]) for i in sound])
            offsets = self._fine(flats.astype(np.float32) / 255)[0].reshape(-1, 4, 2)
            for i, offset in zip(sound, offsets, strict=True):
                moved = unflatten(frame + offset * size, corners[i], self._size, FINE_MARGIN)
                if usable(moved):
                    corners[i] = moved
        return corners

    def _flat(self, image: np.ndarray, corners: np.ndarray, box: np.ndarray) -> np.ndarray:
        """What the fine network sees of a card: the flat picture and the box around what is seen, channels first."""
        flat = flatten(image, corners, self._size, FINE_MARGIN)
        mask = seen_mask(box_corners(box), corners, self._size, FINE_MARGIN)
        return np.dstack([flat, mask])[..., : self._channels].transpose(2, 0, 1)


def expected_sizes(quads: np.ndarray) -> np.ndarray:
    """How large (√area) each of several cards (n × 4 × 2) should be, judging by those around it and by itself."""
    x, y = quads[..., 0], quads[..., 1]
    areas = np.abs((x * np.roll(y, -1, 1) - np.roll(x, -1, 1) * y).sum(1)) / 2
    sizes, middles = np.sqrt(areas), quads.mean(1)
    apart = np.linalg.norm(middles[:, None] - middles, axis=-1) / max(float(np.median(sizes)), 1.0)
    weights = 0.5 ** ((apart / NEIGHBOURS) ** 2)
    order = np.argsort(sizes)
    reached = np.cumsum(weights[:, order], axis=1) / weights.sum(1, keepdims=True)
    return np.asarray(sizes[order][(reached < WHOLE).sum(1)])


def same_end(first: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The other corners begun at the end where the first begin: half a turn is nothing to the networks."""
    turned = np.roll(other, 2, 0)
    return turned if np.abs(turned - first).sum() < np.abs(other - first).sum() else other


def settled(answers: list[np.ndarray], best: np.ndarray, near: float = 0.06) -> np.ndarray:
    """The mean of the answers that (nearly) agree with the best one: their errors are partly independent."""
    long = max(float(np.linalg.norm(best[3] - best[0])), 1.0)
    return np.mean([a for a in answers if np.abs(a - best).max() <= near * long], axis=0)
