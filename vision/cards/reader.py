"""Spanish cards in a picture: found, laid flat, read, decided together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.cards.calibration import confidence_of
from vision.cards.covered import completed
from vision.cards.decide import Candidate, one_of_each, without_doubles
from vision.cards.faces import Face, FaceReader, merged, probabilities, ranked
from vision.cards.gallery import SHARPNESS, Gallery, deck_on_table, shipped
from vision.cards.geometry import usable
from vision.cards.labels import BACK, LABELS
from vision.cards.locate import CornerFinder, same_end, settled
from vision.cards.taught import judged
from vision.detector import Detector, Found
from vision.state import Piece

LEAST_SCORE = 0.3  # of the detector
LEAST_BACK = 0.5  # backs have no face that could confirm them
LEAST_CONFIDENCE = 0.5  # below it a card is more likely wrong than right, and is not reported
GROWN = 0.12  # of the box: the second look's box is this much larger
CLEAR, APART_BY = 0.985, 0.03  # a first look at least this sure and no more in discord with itself is enough
OFFERED, THOUGHT_OF = 4, 10  # readings that are told, and that are compared with a taught deck's pictures
GALLERY_SHARE = 0.9  # how much a recognised deck's gallery counts beside the network's own faces


@dataclass(frozen=True)
class Look:
    """One card seen for teaching: what it seems to be, its embedding, and its flat upright picture."""

    piece: Piece
    embedding: np.ndarray
    flat: np.ndarray


class CardReader:
    """Holds the networks and the galleries of known decks; `read` turns a picture into pieces."""

    def __init__(
        self,
        galleries: Sequence[Gallery] = (),
        *,
        detector: Detector | None = None,
        finder: CornerFinder | None = None,
        faces: FaceReader | None = None,
        share: float = GALLERY_SHARE,
    ) -> None:
        self.detector = detector or Detector()
        self.finder = finder or CornerFinder()
        self.faces = faces or FaceReader()
        self.galleries = (*galleries, *shipped(self.faces.version))
        self.share = share  # of a recognised deck's gallery in the verdict
        self.timing: dict[str, float] = {}

    def read(self, image: np.ndarray, *, least: float = LEAST_CONFIDENCE) -> list[Piece]:
        """All cards and backs whose reading is at least `least` sure, best first."""
        decided = self.candidates(image)
        return [as_piece(c) for c in sorted(decided, key=lambda c: -c.confidence) if c.confidence >= least]

    def candidates(self, image: np.ndarray) -> list[Candidate]:
        """Every card as decided, sure or not."""
        seen = [c for c, _, _ in self._looks(image) if c.label != BACK or c.score >= LEAST_BACK]
        return one_of_each(without_doubles(seen))

    def looks(self, image: np.ndarray) -> list[Look]:
        """Every card of a picture with its embedding and flat picture, for teaching a deck; also the unsure ones."""
        return [Look(as_piece(c), face.embedding, flat) for c, face, flat in self._looks(image)]

    def embed(self, image: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        """Every card of a picture with its embedding."""
        return [(look.piece, look.embedding) for look in self.looks(image)]

    def _looks(self, image: np.ndarray) -> list[tuple[Candidate, Face, np.ndarray]]:
        if image.ndim != 3 or min(image.shape[:2]) < 16:
            return []
        clock = [time.perf_counter()]
        found = self.detector.find(image, LEAST_SCORE)
        clock.append(time.perf_counter())
        boxes = np.array([f.box for f in found]).reshape(-1, 4)
        sizes = self.finder.sizes_of(image, boxes)
        corners = self.finder.find(image, boxes, sizes=sizes)
        clock.append(time.perf_counter())
        flats, faces = self._faces(image, corners, boxes)
        clock.append(time.perf_counter())
        self._look_again(image, boxes, sizes, corners, flats, faces)
        clock.append(time.perf_counter())
        names = ("detect", "corners", "faces", "again")
        self.timing = {n: (b - a) * 1000 for n, a, b in zip(names, clock, clock[1:], strict=False)}
        deck = deck_on_table(faces, self.galleries, flats)
        looks = [
            (self._candidate(f, quad, face, deck), face, flat[::-1, ::-1] if face.upside_down > 0.5 else flat)
            for f, quad, face, flat in zip(found, corners, faces, flats, strict=True)
            if usable(quad)
        ]
        if deck is None:
            return looks
        every, size = [candidate for candidate, _, _ in looks], (image.shape[1], image.shape[0])
        return [(judged(candidate, flat, deck, every, size), face, flat) for candidate, face, flat in looks]

    def _faces(self, image: np.ndarray, corners: np.ndarray, boxes: np.ndarray) -> tuple[list[np.ndarray], list[Face]]:
        """The flat picture and the face of every card."""
        patches = self.faces.patches(image, corners, boxes)
        return list(patches[..., :3]), self.faces.read(patches)

    def _look_again(
        self,
        image: np.ndarray,
        boxes: np.ndarray,
        sizes: np.ndarray,
        corners: np.ndarray,
        flats: list[np.ndarray],
        faces: list[Face],
    ) -> None:
        """More looks at the cards of which the first one is in doubt: from a larger box, and as a whole card that is
        covered. How a card is cut decides what is read. The corners are the surest look's, the opinion is that of all.
        """
        doubtful = [i for i, face in enumerate(faces) if usable(corners[i]) and not clear(face)]
        if not doubtful:
            return
        edge = GROWN / 2 * np.tile(boxes[doubtful, 2:] - boxes[doubtful, :2], 2) * [-1, -1, 1, 1]
        wider = boxes[doubtful] + edge
        owners, quads, around = list(doubtful), list(self.finder.find(image, wider, sizes=sizes[doubtful])), list(wider)
        for i in doubtful:
            others = [quad for j, quad in enumerate(corners) if j != i and usable(quad)]
            more = completed(corners[i], float(sizes[i]), others, (image.shape[1], image.shape[0]))
            owners, quads, around = owners + [i] * len(more), quads + more, around + [boxes[i]] * len(more)
        pictures, looks = self._faces(image, np.array(quads), np.array(around))
        for i in doubtful:
            mine = [k for k, owner in enumerate(owners) if owner == i and usable(quads[k])]
            if not mine:
                continue
            every = [corners[i], *(same_end(corners[i], quads[k]) for k in mine)]
            opinions = [faces[i], *(looks[k] for k in mine)]
            surest = int(np.argmax([probabilities(look.logits).max() for look in opinions]))
            flats[i] = [flats[i], *(pictures[k] for k in mine)][surest]
            corners[i] = settled(every, every[surest])
            faces[i] = merged(opinions)

    def _candidate(self, found: Found, corners: np.ndarray, face: Face, deck: Gallery | None) -> Candidate:
        logits, foreign = face.logits, deck is not None and not deck.knows(face.embedding)
        if deck is not None and not foreign:
            known = deck.similarities(face.embedding)
            logits = (1 - self.share) * logits + self.share * SHARPNESS * known / self.faces.temperature
        chances = probabilities(logits)
        if found.kind == 1:  # the detector saw a back: the face network must be sure to say otherwise
            chances[LABELS.index(BACK)] += found.score
            chances /= chances.sum()
        readings = ranked(chances, THOUGHT_OF if deck is not None and deck.pictures else OFFERED)
        first = readings[0][1]
        sure = confidence_of(first, found.score, face.discord)
        rescaled = [(label, p * (1 - sure) / max(1 - first, 1e-6)) for label, p in readings[1:]]
        quad = np.roll(corners, 2, 0) if face.upside_down > 0.5 else corners
        raw = (first, found.score, face.discord)
        return Candidate(found.box, quad, ((readings[0][0], sure), *rescaled), found.score, raw, foreign)


def clear(face: Face) -> bool:
    """Whether a look leaves nothing to ask."""
    return float(probabilities(face.logits).max()) >= CLEAR and face.discord <= APART_BY


def as_piece(candidate: Candidate) -> Piece:
    """The candidate in the words that everybody speaks."""
    back = candidate.label == BACK
    return Piece(
        kind="back" if back else "card",
        label="" if back else candidate.label,
        corners=tuple((float(x), float(y)) for x, y in candidate.corners),
        confidence=candidate.confidence,
        # A card of another deck is asked about however surely it reads, so there must be something to choose from.
        alternatives=tuple((label, p) for label, p in candidate.readings[1:OFFERED] if p > 0.005 or candidate.unknown),
        box=candidate.box,
        facts={"unknown": True} if candidate.unknown else {},
    )
