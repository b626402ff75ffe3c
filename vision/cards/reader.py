"""Spanish cards in a picture: found, laid flat, read, decided together."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from vision.cards.calibration import confidence_of
from vision.cards.decide import Candidate, one_of_each, without_doubles
from vision.cards.faces import Face, FaceReader, probabilities, ranked
from vision.cards.gallery import SHARPNESS, Gallery, deck_on_table
from vision.cards.geometry import usable
from vision.cards.labels import BACK, LABELS
from vision.cards.locate import CornerFinder
from vision.detector import Detector, Found
from vision.state import Piece

LEAST_SCORE = 0.3  # of the detector
LEAST_CONFIDENCE = 0.5  # below it a card is more likely wrong than right, and is not reported
GALLERY_SHARE = 0.5  # how much a recognised deck's gallery counts beside the network's own faces


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
        self.galleries = tuple(galleries)
        self.share = share  # of a recognised deck's gallery in the verdict
        self.timing: dict[str, float] = {}

    def read(self, image: np.ndarray, *, least: float = LEAST_CONFIDENCE) -> list[Piece]:
        """All cards and backs whose reading is at least `least` sure, best first."""
        if image.ndim != 3 or min(image.shape[:2]) < 16:
            return []
        clock = [time.perf_counter()]
        found = self.detector.find(image, LEAST_SCORE)
        clock.append(time.perf_counter())
        corners = self.finder.find(image, np.array([f.box for f in found]))
        clock.append(time.perf_counter())
        faces = self.faces.read(self.faces.patches(image, corners))
        clock.append(time.perf_counter())
        names = ("detect", "corners", "faces")
        self.timing = {n: (b - a) * 1000 for n, a, b in zip(names, clock, clock[1:], strict=False)}
        deck = deck_on_table(faces, self.galleries)
        candidates = [
            self._candidate(f, c, face, deck) for f, c, face in zip(found, corners, faces, strict=True) if usable(c)
        ]
        decided = one_of_each(without_doubles(candidates))
        return [as_piece(c) for c in sorted(decided, key=lambda c: -c.confidence) if c.confidence >= least]

    def embed(self, image: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        """Every card of a picture with its embedding, for teaching a deck; also the ones too unsure to report."""
        found = self.detector.find(image, LEAST_SCORE)
        corners = self.finder.find(image, np.array([f.box for f in found]))
        faces = self.faces.read(self.faces.patches(image, corners))
        return [
            (as_piece(self._candidate(f, c, face, None)), face.embedding)
            for f, c, face in zip(found, corners, faces, strict=True)
            if usable(c)
        ]

    def _candidate(self, found: Found, corners: np.ndarray, face: Face, deck: Gallery | None) -> Candidate:
        logits = face.logits
        if deck is not None:
            known = deck.similarities(face.embedding)
            logits = (1 - self.share) * logits + self.share * SHARPNESS * known / self.faces.temperature
        chances = probabilities(logits)
        if found.kind == 1:  # the detector saw a back: the face network must be sure to say otherwise
            chances[LABELS.index(BACK)] += found.score
            chances /= chances.sum()
        readings = ranked(chances)
        first = readings[0][1]
        sure = confidence_of(first, found.score)
        rescaled = [(label, p * (1 - sure) / max(1 - first, 1e-6)) for label, p in readings[1:]]
        quad = np.roll(corners, 2, 0) if face.upside_down > 0.5 else corners
        return Candidate(found.box, quad, ((readings[0][0], sure), *rescaled), found.score)


def as_piece(candidate: Candidate) -> Piece:
    """The candidate in the words that everybody speaks."""
    back = candidate.label == BACK
    return Piece(
        kind="back" if back else "card",
        label="" if back else candidate.label,
        corners=tuple((float(x), float(y)) for x, y in candidate.corners),
        confidence=candidate.confidence,
        alternatives=tuple((label, p) for label, p in candidate.readings[1:] if p > 0.005),
        box=candidate.box,
    )
