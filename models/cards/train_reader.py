"""Which: the face network, from flat cards of the scanned decks and of the photographs' training side."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
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
from vision.cards.geometry import flatten, usable
from vision.cards.locate import CornerFinder
from vision.detector import Detector


def photographed(data: Path, split: str = "train", *, held: bool = False) -> tuple[list[np.ndarray], list[int]]:
    """Flat cards (wide margin) with their faces from one side of the labelled table photographs.

    Each card is cut twice: from the box that a person drew and from the one that the detector finds.
    """
    finder, detector = CornerFinder(), Detector()
    flats, faces = [], []
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
        for quad, label in zip(finder.find(image, np.array(boxes)), labels, strict=True):
            if usable(quad) and label in INDEX:
                flats.append(flatten(image, quad, WORK, WIDE_MARGIN))
                faces.append(INDEX[label])
    return flats, faces


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


def singles(data: Path) -> tuple[list[np.ndarray], list[int]]:
    """Flat cards from the pictures of single cards on dark cloth."""
    finder, detector = CornerFinder(), Detector(side=160)
    flats, faces = [], []
    for path in sorted((data / "photos" / "cards_single").glob("*.jpg")):
        image = read_picture(path)
        image = cv2.copyMakeBorder(image, 24, 24, 24, 24, cv2.BORDER_REPLICATE)
        found = detector.find(image, 0.2)
        if not found or path.stem.rsplit("_", 1)[0] not in INDEX:
            continue
        quad = finder.find(image, np.array([found[0].box]))[0]
        if usable(quad):
            flats.append(flatten(image, quad, WORK, WIDE_MARGIN))
            faces.append(INDEX[path.stem.rsplit("_", 1)[0]])
    return flats, faces


def batches(
    scanned: tuple[np.ndarray, np.ndarray],
    photos: tuple[list, list],
    alone: tuple[list, list],
    decks: dict,
    *,
    size: int,
    seed: int,
    share: float,
) -> Iterator[tuple]:
    """Endless batches of (pictures, faces, upside down or −1); `share` of each comes from photographs."""
    ready: queue.Queue = queue.Queue(8)

    def work() -> None:
        rng = np.random.default_rng(seed)
        faces = np.array(photos[1])
        odds = 1 / np.sqrt(np.bincount(faces, minlength=len(LABELS))[faces]) if len(faces) else faces
        odds = odds / odds.sum() if len(faces) else odds
        while True:
            from_photos = int(size * share) if len(faces) else 0
            from_singles = from_photos // 5 if alone[0] else 0
            pick = rng.integers(len(scanned[0]), size=size - from_photos)
            pictures = [nudge(picture, rng) for picture in scanned[0][pick]]
            labels, flips = list(scanned[1][pick, 0]), list(scanned[1][pick, 1])
            for k in range(from_photos):
                if k < from_singles:
                    i = int(rng.integers(len(alone[0])))
                    source = alone
                else:
                    i = int(rng.choice(len(faces), p=odds))
                    source = photos
                pictures.append(photo_flat(source[0][i], decks, rng)[0])
                labels.append(source[1][i])
                flips.append(-1)
            x = np.stack(pictures)
            turn = rng.random(size) < 0.5
            x[turn] = x[turn, ::-1, ::-1]
            upside = np.array(flips)
            upside[turn & (upside >= 0)] ^= 1
            x = x.transpose(0, 3, 1, 2).astype(np.float32) / 255
            x = np.clip(
                x * rng.uniform(0.75, 1.25, (size, 3, 1, 1)) + rng.uniform(-0.12, 0.12, (size, 1, 1, 1)), 0, 1
            ).astype(np.float32)
            ready.put((torch.from_numpy(x), torch.from_numpy(np.array(labels)), torch.from_numpy(upside)))

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
    with_photos: bool = True,
) -> nn.Module:
    """Train (or continue) the face network."""
    parts = [
        scanned_flats(data, cache, count, 11, leave_out=leave_out),
        scanned_flats(data, cache, max(1, count * 4 // 15), 12, drawn=True),
        scene_flats(scenes(data, cache, max(1, count // 10), seed=1, leave_out=leave_out), 21),
    ]
    scanned = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    photos: tuple[list, list] = photographed(data) if with_photos else ([], [])
    alone: tuple[list, list] = singles(data) if with_photos else ([], [])
    print(f"{len(scanned[0])} flat cards from scans, {len(photos[0])} from tables, {len(alone[0])} single")
    decks = {
        name: {label: halve(art) for label, art in deck.items()} for name, deck in load_decks(data, leave_out).items()
    }
    name = "faces" + ("-without-" + "-".join(leave_out) if leave_out else "")
    model = FaceNet(len(LABELS))
    print(f"started from {model.backbone.start_from(data)} pretrained tensors")
    return fit(
        model.to(memory_format=torch.channels_last),
        batches(scanned, photos, alone, decks, size=size, seed=17, share=0.38),
        loss_of,
        steps=steps,
        checkpoint=cache / f"{name}.pt",
        rate=1e-3,
        decay=0.03,
        minutes=minutes,
    )
