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

from models.cards.cache import decode, encode, scenes
from models.cards.classes import LABELS, NUMBER_OF, SUIT_OF
from models.cards.flats import halve, photo_flat, scanned_flats, scene_flats
from models.cards.loop import fit
from models.cards.nets import FaceNet
from models.cards.photos import Cut, guessed, photographed, singles
from models.cards.sources import load_decks
from models.cards.train_corners import begin
from vision.cards.faces import FaceReader
from vision.cards.geometry import PATCH
from vision.cards.locate import CornerFinder
from vision.onnx import Network


def nudge(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The flat card as somewhat wrong corners would have cut it: turned, sheared, scaled and shifted a little."""
    spread = float(rng.choice([0.01, 0.025, 0.05]))
    height, width = picture.shape[:2]
    frame = np.array([[0, 0], [width, 0], [0, height]], np.float32)
    moved = frame + rng.normal(0, spread, (3, 2)).astype(np.float32) * [width, height]
    matrix = cv2.getAffineTransform(frame, moved.astype(np.float32))
    return cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)


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


@dataclass(frozen=True)
class Packed:
    """Flat cards with their facts, small enough that a hundred thousand stay in memory: JPEG, and a bit per pixel."""

    pictures: list[bytes]
    boxes: np.ndarray
    facts: np.ndarray

    @classmethod
    def of(cls, flats: tuple[np.ndarray, np.ndarray]) -> Packed:
        """The flat cards (n × h × w × 4) packed."""
        pictures, facts = flats
        boxes = [np.packbits(p[..., 3] > 127) for p in pictures]
        shape = (0, PATCH[0] * PATCH[1] // 8)
        return cls([encode(p[..., :3]) for p in pictures], np.array(boxes).reshape(-1, shape[1]), facts)

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, i: int) -> np.ndarray:
        box = np.unpackbits(self.boxes[i]).reshape(PATCH[1], PATCH[0]) * 255
        return np.dstack([decode(self.pictures[i]), box])


def batches(parts: list[tuple[Packed, float]], *, size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of (pictures, faces, upside down or −1), prepared by a thread; each part has its share."""
    ready: queue.Queue = queue.Queue(8)
    known = [(flats, share) for flats, share in parts if len(flats)]
    total = sum(share for _, share in known)

    def work() -> None:
        rng = np.random.default_rng(seed)
        while True:
            pictures: list[np.ndarray] = []
            facts: list[np.ndarray] = []
            for flats, share in known:
                for i in rng.integers(len(flats), size=max(1, round(size * share / total))):
                    pictures.append(nudge(flats[i], rng))
                    facts.append(flats.facts[i])
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
    """Cross entropy of the face (a little smoothed: one label in a hundred is wrong), of its number and its suit, and
    of the end that is up."""
    x, faces, flips = batch
    opinions: Any = model.opinions
    _, logits, turned, number, suit = opinions(x.contiguous(memory_format=torch.channels_last))
    known = flips >= 0
    loss = F.cross_entropy(logits.float(), faces, label_smoothing=0.03)
    for part, part_of in ((number, NUMBER_OF), (suit, SUIT_OF)):
        loss = loss + 0.25 * F.cross_entropy(part.float(), torch.tensor(part_of)[faces], label_smoothing=0.03)
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
    teacher: Path | None = None,
) -> nn.Module:
    """Train (or continue) the face network; `onward` is a network file or a checkpoint to start from.

    With a `teacher` (a face network's file) it also learns what that network reads for sure on photographs whose
    labels are only boxes.

    Of the decks left out nothing is learnt; the photographs are, so leave out only decks that no photograph shows.
    With `everything` the validation photographs are learnt as well: for the weights that ship, once the figures that
    they give are written down.
    """
    small = {
        name: {label: halve(art) for label, art in deck.items()} for name, deck in load_decks(data, leave_out).items()
    }
    composed = scenes(data, cache, max(1, count * 3 // 40), seed=1)
    composed = composed + scenes(data, cache, max(1, count * 3 // 50), seed=2, over_photos=True)
    cuts = photographed(data)
    if everything:
        cuts += photographed(data, held=True) + photographed(data, "validate")
    if teacher is not None:
        reader = FaceReader(Network(teacher))
        more = guessed(data, reader) + (guessed(data, reader, "validate") if everything else [])
        print(f"{len(cuts)} labelled cuts, {len(more)} guessed ones")
        cuts += more
    alone = singles(data)
    parts = [
        (Packed.of(scanned_flats(data, cache, count, 11, leave_out=leave_out)), 0.26),
        (Packed.of(scanned_flats(data, cache, max(1, count // 5), 12, drawn=True)), 0.08),
        (Packed.of(scene_flats(composed, cache, 21, CornerFinder(), leave_out)), 0.3),
        (Packed.of(looks_at(cuts, small, count * 2 // 3, 31)), 0.31),
        (Packed.of(looks_at(alone, small, max(1, count // 10), 32)), 0.05),
    ]
    print(", ".join(str(len(flats)) for flats, _ in parts) + f" flat cards, {len(cuts)} cuts of photographs")
    name = "faces" + ("-without-" + "-".join(leave_out) if leave_out else "") + ("-everything" if everything else "")
    model = FaceNet(len(LABELS))
    few = np.stack([parts[0][0][i] for i in range(min(128, len(parts[0][0])))])
    begin(model, data, onward, few.transpose(0, 3, 1, 2))
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
