"""Photographed cards as the face network will see them: cut as the run time cuts them, from labelled photographs and,
where a network can be asked, from photographs that say only where the cards are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from models.cards.classes import INDEX, LABELS
from models.cards.flats import WIDE_MARGIN, WORK
from models.cards.sources import Photo, held_out, load_photos, read_picture
from vision.cards.covered import completed
from vision.cards.faces import FaceReader, merged, probabilities
from vision.cards.geometry import box_corners, flat_frame, flatten, usable
from vision.cards.locate import CornerFinder
from vision.cards.reader import GROWN
from vision.detector import Detector

SURE, AGREED = 0.9, 0.3  # a guess is learnt from when it is this sure and its looks are no further apart
FLIP_CLEAR = 0.7  # per card, in log odds: how much better one way of holding a photograph must read than its mirror


@dataclass(frozen=True)
class Cut:
    """A photographed card, flat with the wide margin: picture, face, and the box around it on that picture."""

    flat: np.ndarray
    face: int
    outline: np.ndarray


def cut_out(image: np.ndarray, quad: np.ndarray, box: np.ndarray, face: int) -> Cut:
    """One card cut from a photograph."""
    matrix = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), flat_frame(WORK, WIDE_MARGIN))
    outline = cv2.perspectiveTransform(box_corners(box)[None].astype(np.float32), matrix)[0]
    return Cut(flatten(image, quad, WORK, WIDE_MARGIN), face, outline)


def shared_box(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union of two boxes."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = float(np.prod(np.clip(high - low, 0, None)))
    return both / (float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2])) - both + 1e-9)


def cuts_of(
    image: np.ndarray, boxes: np.ndarray, faces: list[int], found: np.ndarray, finder: CornerFinder
) -> list[Cut]:
    """The cards of one photograph, each cut in the ways in which the reader may come to cut it.

    From the box that a person drew, from the one that the detector found, from a larger one, and, where it may be
    covered, as the whole card that it may belong to.
    """
    every, owners = list(boxes), list(range(len(boxes)))
    for i, box in enumerate(boxes):
        best = max(((shared_box(box, other), k) for k, other in enumerate(found)), default=(0.0, 0))
        seen = found[best[1]] if best[0] > 0.5 else box
        wider = seen + GROWN / 2 * np.tile(seen[2:] - seen[:2], 2) * [-1, -1, 1, 1]
        every, owners = [*every, wider], [*owners, i]
        if seen is not box:
            every, owners = [*every, seen], [*owners, i]
    around = np.array(every)
    sizes = finder.sizes_of(image, around)
    quads = finder.find(image, around, sizes=sizes)
    cuts = []
    picture = (image.shape[1], image.shape[0])
    for k, owner in enumerate(owners):
        if not usable(quads[k]):
            continue
        others = [quads[j] for j in range(len(boxes)) if j != owner and usable(quads[j])]
        whole = completed(quads[k], float(sizes[k]), others, picture)
        cuts += [cut_out(image, quad, around[k], faces[owner]) for quad in (quads[k], *whole) if usable(quad)]
    return cuts


def photographed(data: Path, split: str = "train", *, held: bool = False) -> list[Cut]:
    """The cards of one side of the labelled table photographs."""
    finder, detector = CornerFinder(), Detector()
    cuts: list[Cut] = []
    for photo in load_photos(data, split, ("cards_tables",)):
        known = [i for i, label in enumerate(photo.labels) if label in INDEX]
        if held_out(photo) != held or not known:
            continue
        image = read_picture(photo.path)
        found = np.array([f.box for f in detector.find(image, 0.3)]).reshape(-1, 4)
        cuts += cuts_of(image, photo.boxes[known], [INDEX[photo.labels[i]] for i in known], found, finder)
    return cuts


def singles(data: Path) -> list[Cut]:
    """The cards of the pictures of single cards on dark cloth."""
    finder, detector = CornerFinder(), Detector(side=160)
    cuts = []
    for path in sorted((data / "photos" / "cards_single").glob("*.jpg")):
        image = read_picture(path)
        image = cv2.copyMakeBorder(image, 24, 24, 24, 24, cv2.BORDER_REPLICATE)
        found = detector.find(image, 0.2)
        if not found or path.stem.rsplit("_", 1)[0] not in INDEX:
            continue
        box = np.array(found[0].box)
        quad = finder.find(image, box[None])[0]
        if usable(quad):
            cuts.append(cut_out(image, quad, box, INDEX[path.stem.rsplit("_", 1)[0]]))
    return cuts


def guesses(
    image: np.ndarray, boxes: np.ndarray, finder: CornerFinder, reader: FaceReader
) -> tuple[dict[int, int], float]:
    """What a network takes the cards in the boxes for, where it is sure (box to face), and how well it could read."""
    wider = boxes + GROWN / 2 * np.tile(boxes[:, 2:] - boxes[:, :2], 2) * [-1, -1, 1, 1]
    looks = [reader.read(reader.patches(image, finder.find(image, around), around)) for around in (boxes, wider)]
    sure, total = {}, 0.0
    for i, pair in enumerate(zip(*looks, strict=True)):
        face = merged(pair)
        chances = probabilities(face.logits)
        best = int(chances.argmax())
        total += float(np.log(chances[best]))
        if chances[best] >= SURE and face.discord <= AGREED and LABELS[best] in INDEX:
            sure[i] = best
    return sure, total / max(len(boxes), 1)


def guessed(data: Path, reader: FaceReader, split: str = "train") -> list[Cut]:
    """Cards of the photographs whose labels are only boxes and that may be mirrored, where a network is sure of them.

    A photograph counts where one of its two ways round reads clearly better than the other.
    """
    finder, detector = CornerFinder(), Detector()
    cuts: list[Cut] = []
    for photo in load_photos(data, split, ("cards_boxes_only",)):
        if held_out(photo) or not len(photo.boxes):
            continue
        tries = []
        for image, boxes in both_ways(photo):
            sure, fit = guesses(image, boxes, finder, reader)
            tries.append((fit, image, boxes, sure))
        tries.sort(key=lambda one: -one[0])
        (fit, image, boxes, sure), (other, *_) = tries
        if fit - other < FLIP_CLEAR / np.sqrt(len(boxes)) or not sure:
            continue
        kept = sorted(sure)
        found = np.array([f.box for f in detector.find(image, 0.3)]).reshape(-1, 4)
        cuts += cuts_of(image, boxes[kept], [sure[i] for i in kept], found, finder)
    return cuts


def both_ways(photo: Photo) -> list[tuple[np.ndarray, np.ndarray]]:
    """A photograph with its boxes as stored, and mirrored."""
    image, boxes = read_picture(photo.path), photo.boxes
    mirrored = boxes.copy()
    mirrored[:, [0, 2]] = image.shape[1] - boxes[:, [2, 0]]
    return [(image, boxes), (np.ascontiguousarray(image[:, ::-1]), mirrored)]
