"""Known decks as embeddings: a player's own deck is a gallery, not a new training.

A gallery holds unit embeddings of flat cards with their labels. A card is compared with every deck; the deck whose
cards explain the table best lends its voice to the network's own opinion. A card far from all of a gallery's cards
is unknown to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.cards.faces import Face
from vision.cards.labels import LABELS

SHARPNESS = 16.0  # the face network's own scale of cosine to log odds


class GalleryError(ValueError):
    """A gallery file that cannot be used; the message is for a person."""


@dataclass(frozen=True, eq=False)
class Gallery:
    """One deck: its name, the version of the network its embeddings come from, labels and unit embeddings (n × d)."""

    name: str
    version: str
    labels: tuple[str, ...]
    embeddings: np.ndarray

    def similarities(self, embedding: np.ndarray) -> np.ndarray:
        """For every label, the cosine of the most similar example; −1 where the gallery has none."""
        result = np.full(len(LABELS), -1.0)
        if len(self.labels):
            where = [LABELS.index(label) for label in self.labels]
            np.maximum.at(result, where, self.embeddings @ embedding)
        return result

    def nearest(self, embedding: np.ndarray) -> float:
        """The cosine of the most similar example of all: low means a card that this deck does not have."""
        return float(np.max(self.embeddings @ embedding)) if len(self.labels) else -1.0

    def with_card(self, label: str, embedding: np.ndarray) -> Gallery:
        """The gallery with one more example (another look under another light improves it)."""
        if label not in LABELS:
            raise GalleryError(f"{label!r} is not a Spanish card")
        unit = np.asarray(embedding, np.float32) / (np.linalg.norm(embedding) + 1e-9)
        rows = np.vstack([self.embeddings.reshape(-1, unit.size), unit[None]]).astype(np.float32)
        return Gallery(self.name, self.version, (*self.labels, label), rows)

    def save(self, path: Path) -> None:
        """Write the gallery; the file appears whole or not at all."""
        part = path.with_name(path.name + ".part")
        with part.open("wb") as handle:
            np.savez_compressed(
                handle,
                name=np.array(self.name),
                version=np.array(self.version),
                labels=np.array(self.labels, dtype=np.str_),
                embeddings=self.embeddings.astype(np.float16),
            )
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Gallery:
        """Read a gallery; a damaged file raises `GalleryError`."""
        try:
            with np.load(path, allow_pickle=False) as saved:
                labels = tuple(str(label) for label in saved["labels"])
                rows = saved["embeddings"].astype(np.float32)
                result = Gallery(str(saved["name"]), str(saved["version"]), labels, rows)
        except Exception as error:
            raise GalleryError(f"the gallery {path.name} is damaged or not a gallery ({error})") from error
        if len(labels) != len(rows) or any(label not in LABELS for label in labels):
            raise GalleryError(f"the gallery {path.name} does not fit together")
        return result


def deck_on_table(faces: Sequence[Face], galleries: Sequence[Gallery], least: float = 0.6) -> Gallery | None:
    """The gallery whose cards look most like the ones on the table; None where none looks alike enough."""
    if not faces or not galleries:
        return None
    scores = [float(np.mean([gallery.nearest(face.embedding) for face in faces])) for gallery in galleries]
    best = int(np.argmax(scores))
    return galleries[best] if scores[best] >= least else None
