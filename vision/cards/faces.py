"""Which card it is: the face network on flat cards, its probabilities, and its embeddings for galleries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.cards.geometry import flatten, usable
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

    def patches(self, image: np.ndarray, corners: np.ndarray) -> np.ndarray:
        """n × h × w × 3 flat cards; a card whose corners are impossible comes out grey."""
        flats = [flatten(image, quad) if usable(quad) else None for quad in corners]
        grey = np.full((120, 80, 3), 114, np.uint8)
        return (
            np.stack([grey if flat is None else flat for flat in flats])
            if flats
            else np.zeros((0, 120, 80, 3), np.uint8)
        )

    def read(self, patches: np.ndarray) -> list[Face]:
        """What the network makes of flat cards (n × 120 × 80 × 3, blue-green-red bytes)."""
        if not len(patches):
            return []
        count = len(patches)
        both = np.concatenate([patches, patches[:, ::-1, ::-1]])
        pixels = np.ascontiguousarray(both.transpose(0, 3, 1, 2)).astype(np.float32) / 255
        units, logits, flips = self._network(pixels)
        mean = (logits[:count] + logits[count:]) / 2 / self.temperature
        turn = (flips[:count] - flips[count:]) / 2
        embedding = units[:count] + units[count:]
        embedding /= np.linalg.norm(embedding, axis=1, keepdims=True) + 1e-9
        chances = [probabilities(row / self.temperature) for row in logits]
        discord = [float(np.abs(chances[i] - chances[i + count]).sum() / 2) for i in range(count)]
        return [Face(mean[i], embedding[i], float(1 / (1 + np.exp(-turn[i]))), discord[i]) for i in range(count)]


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
