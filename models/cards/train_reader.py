"""Which: the face network, from flat cards of the scanned decks and of the photographs' training side."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from models.cards.cache import scenes
from models.cards.classes import INDEX, LABELS
from models.cards.flats import WIDE_MARGIN, WORK, halve, photo_flat, scanned_flats, scene_flats
from models.cards.loop import fit
from models.cards.nets import FaceNet
from models.cards.sources import held_out, load_decks, load_photos, read_picture
from models.cards.train_corners import begin
from vision.cards.geometry import PATCH, box_corners, flat_frame, flatten, usable
from vision.cards.locate import CornerFinder
from vision.detector import Detector


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


def photographed(data: Path, split: str = "train", *, held: bool = False) -> list[Cut]:
    """The cards of one side of the labelled table photographs.

    Each is cut twice: from the box that a person drew and from the one that the detector finds.
    """
    finder, detector = CornerFinder(), Detector()
    cuts: list[Cut] = []
    for photo in load_photos(data, split, ("cards_tables",)):
        if held_out(photo) != held:
            continue
        image = read_picture(photo.path)
        found = np.array([f.box for f in detector.find(image, 0.3)]).reshape(-1, 4)
        boxes, labels = list(photo.boxes), list(photo.labels)
        for box, label in zip(photo.boxes, photo.labels, strict=True):
            near = [(shared_box(box, other), i) for i, other in enumerate(found)]
            best = max(near, default=(0.0, 0))
            if best[0] > 0.5:
                boxes.append(found[best[1]])
                labels.append(label)
        for quad, box, label in zip(finder.find(image, np.array(boxes)), boxes, labels, strict=True):
            if usable(quad) and label in INDEX:
                cuts.append(cut_out(image, quad, box, INDEX[label]))
    return cuts


def shared_box(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union of two boxes."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = float(np.prod(np.clip(high - low, 0, None)))
    return both / (float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2])) - both + 1e-9)


def nudge(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The flat card as somewhat wrong corners would have cut it: turned, sheared, scaled and shifted a little."""
    spread = float(rng.choice([0.01, 0.025, 0.05]))
    height, width = picture.shape[:2]
    frame = np.array([[0, 0], [width, 0], [0, height]], np.float32)
    moved = frame + rng.normal(0, spread, (3, 2)).astype(np.float32) * [width, height]
    matrix = cv2.getAffineTransform(frame, moved.astype(np.float32))
    return cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)


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


def looks_at(cuts: list[Cut], decks: dict, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """`count` looks (n × h × w × 4) at photographed cards with their facts (face, −1: nobody knows which end is up).

    Rare faces are looked at more often than common ones, though not as often as the scans, where all are equal.
    """
    rng = np.random.default_rng(seed)
    if not cuts:
        return np.zeros((0, PATCH[1], PATCH[0], 4), np.uint8), np.zeros((0, 2), np.int64)
    faces = np.array([cut.face for cut in cuts])
    odds = 1 / np.sqrt(np.bincount(faces)[faces])
    picks = rng.choice(len(cuts), count, p=odds / odds.sum())
    pictures = np.stack([photo_flat(cuts[i].flat, cuts[i].outline, decks, rng) for i in picks])
    return pictures, np.column_stack([faces[picks], np.full(count, -1)])


Flats = tuple[np.ndarray, np.ndarray]


def batches(parts: list[tuple[Flats, float]], *, size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of (pictures, faces, upside down or −1), prepared by a thread; each part has its share."""
    ready: queue.Queue = queue.Queue(8)
    known = [(flats, share) for flats, share in parts if len(flats[0])]
    total = sum(share for _, share in known)

    def work() -> None:
        rng = np.random.default_rng(seed)
        while True:
            pictures: list[np.ndarray] = []
            facts: list[np.ndarray] = []
            for (flats, truth), share in known:
                for i in rng.integers(len(flats), size=max(1, round(size * share / total))):
                    pictures.append(nudge(flats[i], rng))
                    facts.append(truth[i])
            x, told = np.stack(pictures), np.array(facts)
            count, upside = len(x), told[:, 1].copy()
            turn = rng.random(count) < 0.5
            x[turn] = x[turn, ::-1, ::-1]
            upside[turn & (upside >= 0)] ^= 1
            x = x.transpose(0, 3, 1, 2).astype(np.float32) / 255
            gain, shift = rng.uniform(0.75, 1.25, (count, 3, 1, 1)), rng.uniform(-0.12, 0.12, (count, 1, 1, 1))
            x[:, :3] = np.clip(x[:, :3] * gain + shift, 0, 1)
            x[rng.random(count) < 0.06, 3] = 1.0  # a card taught from a picture has no box
            ready.put((torch.from_numpy(x), torch.from_numpy(told[:, 0]), torch.from_numpy(upside)))

    threading.Thread(target=work, daemon=True).start()
    while True:
        yield ready.get()


def loss_of(model: nn.Module, batch: Any) -> torch.Tensor:
    """Cross entropy of the face (a little smoothed: one label in a hundred is wrong) and of the end that is up."""
    x, faces, flips = batch
    _, logits, turned = model(x.contiguous(memory_format=torch.channels_last))
    known = flips >= 0
    loss = F.cross_entropy(logits.float(), faces, label_smoothing=0.03)
    if known.any():
        loss = loss + 0.25 * F.binary_cross_entropy_with_logits(turned.float()[known], flips[known].float())
    return loss


def train(
    data: Path,
    cache: Path,
    *,
    steps: int,
    minutes: float | None,
    count: int,
    size: int = 96,
    leave_out: tuple[str, ...] = (),
    onward: Path | None = None,
    everything: bool = False,
) -> nn.Module:
    """Train (or continue) the face network; `onward` is a network file or a checkpoint to start from.

    Of the decks left out nothing is learnt; the photographs are, so leave out only decks that no photograph shows.
    With `everything` the validation photographs are learnt as well: for the weights that ship, once the figures that
    they give are written down.
    """
    small = {
        name: {label: halve(art) for label, art in deck.items()} for name, deck in load_decks(data, leave_out).items()
    }
    composed = scenes(data, cache, max(1, count * 3 // 40), seed=1)
    composed = composed + scenes(data, cache, max(1, count * 3 // 50), seed=2, over_photos=True)
    composed = [record for record in composed if not set(record["decks"]) & set(leave_out)]
    cuts = photographed(data)
    cuts += photographed(data, "validate") if everything else []
    alone = singles(data)
    parts = [
        (scanned_flats(data, cache, count, 11, leave_out=leave_out), 0.26),
        (scanned_flats(data, cache, max(1, count // 5), 12, drawn=True), 0.08),
        (scene_flats(composed, 21, CornerFinder()), 0.3),
        (looks_at(cuts, small, count * 2 // 3, 31), 0.31),
        (looks_at(alone, small, max(1, count // 10), 32), 0.05),
    ]
    print(", ".join(str(len(flats[0])) for flats, _ in parts) + f" flat cards, {len(cuts)} cuts of photographs")
    name = "faces" + ("-without-" + "-".join(leave_out) if leave_out else "") + ("-everything" if everything else "")
    model = FaceNet(len(LABELS))
    begin(model, data, onward, parts[0][0][0][:128].transpose(0, 3, 1, 2))
    return fit(
        model.to(memory_format=torch.channels_last),
        batches(parts, size=size, seed=17),
        loss_of,
        steps=steps,
        checkpoint=cache / f"{name}.pt",
        rate=1e-3,
        decay=0.03,
        minutes=minutes,
    )
