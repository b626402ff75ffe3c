"""Which card it is: the face network on flat cards, its probabilities, and its embeddings for galleries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cards.geometry import box_corners, flatten, seen_mask, usable
from vision.cards.labels import LABELS
from vision.onnx import Network, load


@dataclass(frozen=True, slots=True)
class Face:
    """One flat card as the network sees it: log odds per label, unit embedding, how likely it lies upside down, and how
    far the opinions of the two ways round are apart (0 to 1)."""

    logits: np.ndarray
    embedding: np.ndarray
    upside_down: float
    discord: float = 0.0


class FaceReader:
    """Reads flat cards, each looked at both ways round (the corners do not say which end is up)."""

    def __init__(self, network: Network | None = None) -> None:
        self._network = network or load("cards-faces")
        self.temperature = float(self._network.metadata.get("temperature", "1.0"))
        self.version = self._network.digest
        self._channels, height, width = self._network.shape
        self.size = (width, height)

    def patches(self, image: np.ndarray, corners: np.ndarray, boxes: np.ndarray | None = None) -> np.ndarray:
        """n × h × w × 4 flat cards, the last channel where the box around what is seen lies (everywhere without one).

        A card whose corners are impossible comes out grey.
        """
        result = np.full((len(corners), self.size[1], self.size[0], 4), (114, 114, 114, 255), np.uint8)
        for i, quad in enumerate(corners):
            if usable(quad):
                result[i, ..., :3] = flatten(image, quad, self.size)
                if boxes is not None:
                    result[i, ..., 3] = seen_mask(box_corners(boxes[i]), quad, self.size)
        return result

    def read(self, patches: np.ndarray) -> list[Face]:
        """What the network makes of flat cards (n × h × w × 3 or 4: blue-green-red bytes, and the box where known)."""
        if not len(patches):
            return []
        count = len(patches)
        seen = np.stack([self._fitted(patch) for patch in patches])
        both = np.concatenate([seen, seen[:, ::-1, ::-1]])
        pixels = np.ascontiguousarray(both.transpose(0, 3, 1, 2)).astype(np.float32) / 255
        units, logits, flips = self._network(pixels)
        mean = (logits[:count] + logits[count:]) / 2 / self.temperature
        turn = (flips[:count] - flips[count:]) / 2
        embedding = units[:count] + units[count:]
        embedding /= np.linalg.norm(embedding, axis=1, keepdims=True) + 1e-9
        chances = [probabilities(row / self.temperature) for row in logits]
        discord = [float(np.abs(chances[i] - chances[i + count]).sum() / 2) for i in range(count)]
        return [Face(mean[i], embedding[i], float(1 / (1 + np.exp(-turn[i]))), discord[i]) for i in range(count)]

    def _fitted(self, patch: np.ndarray) -> np.ndarray:
        """The flat card in the network's own size and channels: a picture kept by an older gallery may be smaller."""
        if patch.shape[1::-1] != self.size:
            patch = cv2.resize(patch, self.size, interpolation=cv2.INTER_LINEAR)
        if patch.shape[2] < self._channels:
            patch = np.dstack([patch, np.full(patch.shape[:2], 255, np.uint8)])
        return patch[..., : self._channels]


def merged(looks: Sequence[Face]) -> Face:
    """One opinion of several looks at one card; where they name different cards, the discord says so."""
    chances = [probabilities(look.logits) for look in looks]
    embedding = np.sum([look.embedding for look in looks], axis=0)
    embedding = embedding / (np.linalg.norm(embedding) + 1e-9)
    apart = max(float(np.abs(one - chances[0]).sum() / 2) for one in chances)
    return Face(
        np.mean([look.logits for look in looks], axis=0),
        embedding,
        float(np.mean([look.upside_down for look in looks])),
        max(apart, float(np.mean([look.discord for look in looks]))),
    )


def probabilities(logits: np.ndarray) -> np.ndarray:
    """Softmax."""
    shifted = np.exp(logits - logits.max())
    return shifted / shifted.sum()


def ranked(chances: np.ndarray, count: int = 4) -> list[tuple[str, float]]:
    """The best labels with their probabilities, best first."""
    order = np.argsort(-chances)[:count]
    return [(LABELS[i], float(chances[i])) for i in order]
