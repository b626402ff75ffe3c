"""Known decks as embeddings: a player's own deck is a gallery, not a new training.

A gallery holds unit embeddings of flat cards with their labels, and the small flat pictures they come from, so that it
can be made again when the network changes. A card is compared with every deck; the deck whose cards explain the table
best lends its voice to the network's own opinion. A card far from all of a gallery's cards is unknown to it; so is one
that does not look like the picture that the gallery has of it, for embeddings say which card it is, not whose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from vision.cards.faces import Face
from vision.cards.labels import LABELS
from vision.cards.likeness import Traits, likeness, traits
from vision.onnx import WEIGHTS

SHARPNESS = 32.0  # cosine to log odds: the least log loss on covered, blurred looks at cards of a gallery
KNOWN = 0.62  # a cosine below this to every card of a deck: no card at all, or one that cannot be made out
LOOKED_AT = 5  # cards of a table whose pictures are compared to find out which deck it is
# Likeness below which a free card is another deck's. Of 1,506 looks at the own cards of nine decks (none of those that
# the figures in `models/cards` are of) one was less alike; of looks at the same faces of the others, over 95 %.
ALIKE = 1.62
FORMAT = 1


class GalleryError(ValueError):
    """A gallery file or picture that cannot be used; the message is for a person."""


class Reads(Protocol):
    """What a gallery needs of the face network (`vision.cards.faces.FaceReader`)."""

    version: str

    def read(self, patches: np.ndarray) -> list[Face]:
        """Flat cards (n × height × width × 3) to faces."""
        ...


def _jpeg(picture: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


@dataclass(frozen=True, eq=False)
class Gallery:
    """One deck: its name, the version of the network, labels, unit embeddings (n × d) and flat pictures as JPEG.

    A gallery is never changed: `add` gives a new one. `pictures` has one entry per label, empty where none was kept.
    """

    name: str
    version: str
    labels: tuple[str, ...] = ()
    embeddings: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    pictures: tuple[bytes, ...] = ()
    least: float = KNOWN  # how alike (cosine) a card must look to count as one of this deck

    def similarities(self, embedding: np.ndarray) -> np.ndarray:
        """For every label, the cosine of the most similar example; −1 where the gallery has none."""
        result = np.full(len(LABELS), -1.0)
        if self.labels:
            where = [LABELS.index(label) for label in self.labels]
            np.maximum.at(result, where, self.embeddings @ embedding)
        return result

    def nearest(self, embedding: np.ndarray) -> float:
        """The cosine of the most similar example of all: low means a card that this deck does not have."""
        return float(np.max(self.embeddings @ embedding)) if self.labels else -1.0

    def knows(self, embedding: np.ndarray) -> bool:
        """Whether the card looks like one of this deck; where not, it is unknown, not the nearest one."""
        return self.nearest(embedding) >= self.least

    @cached_property
    def _traits(self) -> dict[str, list[Traits]]:
        """The traits of the pictures by label; empty where no pictures were kept."""
        found: dict[str, list[Traits]] = {}
        for label, picture in zip(self.labels, self.pictures, strict=False):
            flat = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR) if picture else None
            if flat is not None:
                found.setdefault(label, []).append(traits(flat))
        return found

    def likeness(self, label: str, flat: np.ndarray) -> float | None:
        """How alike a flat card and the pictures of that label are (0 to 2); None where there is no picture."""
        kept = self._traits.get(label)
        if not kept:
            return None
        mine = traits(flat)
        best = max(likeness(mine, other) for other in kept)
        if best >= ALIKE:
            return best
        turned = mine.turned()  # which end of a card is up cannot always be told
        return max(best, *(likeness(turned, other) for other in kept))

    def resemblance(self, faces: Sequence[Face], flats: Sequence[np.ndarray]) -> float:
        """How alike (0 to 2) the surest cards on the table and this deck's pictures of them are; 0 without pictures."""
        surest = sorted(range(len(faces)), key=lambda i: -float(faces[i].logits.max()))[:LOOKED_AT]
        labels = [LABELS[int(np.argmax(self.similarities(faces[i].embedding)))] for i in surest]
        found = [self.likeness(label, flats[i]) for label, i in zip(labels, surest, strict=True)]
        alike = [value for value in found if value is not None]
        return float(np.median(alike)) if alike else 0.0

    def missing(self, faces: Sequence[str]) -> list[str]:
        """Which of the faces have no example yet."""
        return [face for face in faces if face not in self.labels]

    def add(self, label: str, crops: np.ndarray, reader: Reads) -> Gallery:
        """The gallery with flat cards (one, or n × height × width × 3) as further examples of a label."""
        if reader.version != self.version:
            raise GalleryError(f"the gallery {self.name!r} was made for another network: renew it first")
        crops = crops[None] if crops.ndim == 3 else crops
        result = self
        for crop, face in zip(crops, reader.read(crops), strict=True):
            result = result.with_card(label, face.embedding, crop)
        return result

    def with_card(self, label: str, embedding: np.ndarray, crop: np.ndarray | None = None) -> Gallery:
        """The gallery with one more example (another look under another light improves it)."""
        if label not in LABELS:
            raise GalleryError(f"{label!r} is not a Spanish card")
        unit = np.asarray(embedding, np.float32) / (np.linalg.norm(embedding) + 1e-9)
        rows = np.vstack([self.embeddings.reshape(-1, unit.size), unit[None]]).astype(np.float32)
        kept = self.pictures or (b"",) * len(self.labels)
        picture = b"" if crop is None else _jpeg(crop)
        return replace(self, labels=(*self.labels, label), embeddings=rows, pictures=(*kept, picture))

    def without(self, label: str) -> Gallery:
        """The gallery without a label's examples: a card that was taught wrong is shown again."""
        keep = [i for i, mine in enumerate(self.labels) if mine != label]
        kept = self.pictures or (b"",) * len(self.labels)
        return replace(
            self,
            labels=tuple(self.labels[i] for i in keep),
            embeddings=self.embeddings[keep],
            pictures=tuple(kept[i] for i in keep),
        )

    def renewed(self, reader: Reads) -> Gallery:
        """The same deck for the network of now, from its pictures; itself where nothing has changed."""
        if reader.version == self.version:
            return self
        flats = [cv2.imdecode(np.frombuffer(p, np.uint8), cv2.IMREAD_COLOR) if p else None for p in self.pictures]
        usable = [(label, flat) for label, flat in zip(self.labels, flats, strict=False) if flat is not None]
        result = Gallery(self.name, reader.version, least=self.least)
        if self.labels and not usable:
            raise GalleryError(f"the deck {self.name!r} is older than the network and has no pictures: teach it again")
        for label, flat in usable:
            result = result.add(label, flat, reader)
        return result

    def save(self, path: Path) -> None:
        """Write the gallery; the file appears whole or not at all."""
        part = path.with_name(path.name + ".part")
        pictures = self.pictures or (b"",) * len(self.labels)
        with part.open("wb") as handle:
            np.savez(
                handle,
                format=np.array(FORMAT),
                least=np.array(self.least),
                name=np.array(self.name),
                version=np.array(self.version),
                labels=np.array(self.labels, dtype=np.str_),
                embeddings=self.embeddings.astype(np.float16),
                lengths=np.array([len(p) for p in pictures], np.int64),
                pictures=np.frombuffer(b"".join(pictures), np.uint8),
            )
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Gallery:
        """Read a gallery; a damaged file raises `GalleryError`."""
        try:
            with np.load(path, allow_pickle=False) as saved:
                if int(saved["format"]) != FORMAT:
                    raise GalleryError(f"format {int(saved['format'])} is not known")
                labels = tuple(str(label) for label in saved["labels"])
                rows = saved["embeddings"].astype(np.float32)
                ends, joined = np.cumsum(saved["lengths"]), saved["pictures"].tobytes()
                starts = np.concatenate([[0], ends])[: len(ends)]
                pictures = tuple(joined[a:b] for a, b in zip(starts, ends, strict=True))
                result = Gallery(
                    str(saved["name"]), str(saved["version"]), labels, rows, pictures, float(saved["least"])
                )
        except Exception as error:
            raise GalleryError(f"the gallery {path.name} is damaged or not a gallery ({error})") from error
        fits = len(labels) == len(rows) == len(pictures) and (not len(ends) or ends[-1] == len(joined))
        if not fits or any(label not in LABELS for label in labels) or not np.isfinite(rows).all():
            raise GalleryError(f"the gallery {path.name} does not fit together")
        return result


def deck_on_table(
    faces: Sequence[Face], galleries: Sequence[Gallery], flats: Sequence[np.ndarray] = ()
) -> Gallery | None:
    """The gallery whose cards look most like the ones on the table; None where none looks alike enough.

    Where several may be it, their pictures are compared with the flat cards seen.
    """
    if not faces:
        return None
    scored = [(float(np.median([gallery.nearest(face.embedding) for face in faces])), gallery) for gallery in galleries]
    alike = [(score, gallery) for score, gallery in scored if score >= gallery.least]
    if len(alike) > 1 and len(flats) == len(faces):
        seen = [(gallery.resemblance(faces, flats), score, gallery) for score, gallery in alike]
        if max(seen, key=lambda row: row[:2])[0] >= ALIKE:
            return max(seen, key=lambda row: row[:2])[2]
    return max(alike, key=lambda pair: pair[0])[1] if alike else None


def shipped(version: str) -> list[Gallery]:
    """The galleries that come with the project (its own drawn decks), where they fit the face network in use."""
    galleries = [Gallery.load(path) for path in sorted(WEIGHTS.glob("cards-*.npz"))]
    return [gallery for gallery in galleries if gallery.version == version]
