"""How cards lie: the corner network and the refiner, from composed scenes whose corners are known exactly."""

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

from models.cards.cache import decode, scenes
from models.cards.classes import INDEX, LABELS
from models.cards.loop import fit
from models.cards.nets import CornerNet, FineNet
from models.cards.resume import start_from_file, take_over
from models.cards.sources import held_out, load_photos, read_picture
from vision.cards.geometry import (
    FINE,
    FINE_MARGIN,
    REACH,
    SQUARE,
    box_corners,
    encode_square,
    flat_frame,
    flatten,
    seen_mask,
    size_hint,
    square_input,
    square_matrix,
    usable,
)
from vision.cards.locate import CornerFinder, same_end

LEAST_VISIBLE = 0.15
FACE_VISIBLE = 0.3


def jitter_box(box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A box as a detector would give it: a little off, sometimes loose as boxes drawn by people are."""
    size = np.tile(box[2:] - box[:2], 2)
    kind = rng.random()
    if kind < 0.25:  # drawn around the turned corners of an older box: loose on all sides
        return box + size * np.array([-1, -1, 1, 1]) * rng.uniform(0, 0.18, 4)
    return box + size * rng.normal(0, 0.03 if kind < 0.75 else 0.08, 4)


def jitter_corners(corners: np.ndarray, rng: np.random.Generator, spread: float) -> np.ndarray:
    """Corners moved together (shift, turn, scale) and each a little on its own."""
    centre = corners.mean(0)
    size = np.sqrt(abs(np.linalg.norm(corners[1] - corners[0]) * np.linalg.norm(corners[3] - corners[0])))
    angle, grow = rng.normal(0, spread), np.exp(rng.normal(0, spread, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = ((corners - centre) * grow) @ turn.T + centre + rng.normal(0, spread, 2) * size
    return (moved + rng.normal(0, 0.5 * spread, (4, 2)) * size).astype(np.float32)


def stretched(image: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The picture as another lens or another file's aspect would show it, with the factors of x and y."""
    factors = np.exp(rng.normal(0, 0.12, 2))
    size = (max(8, round(image.shape[1] * factors[0])), max(8, round(image.shape[0] * factors[1])))
    return cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.array(size) / image.shape[1::-1]


Squares = tuple[np.ndarray, np.ndarray, np.ndarray]


def square_examples(records: list, seed: int, times: int) -> Squares:
    """(n × 4 × SQUARE × SQUARE bytes, n × 4 × 2 corners in units of half the square, n faces) from the scenes.

    A face is −1 where too little of it can be seen to ask for it.
    """
    rng = np.random.default_rng(seed)
    inputs, targets, faces = [], [], []
    for record in records:
        whole = decode(record["jpeg"])
        for _ in range(times):
            image, factor = stretched(whole, rng)
            cards = zip(record["boxes"], record["corners"], record["visible"], record["labels"], strict=True)
            for box, corners, visible, label in cards:
                if visible < LEAST_VISIBLE or (box[2:] - box[:2]).min() < 8:
                    continue
                loose = jitter_box(box * np.tile(factor, 2), rng)
                matrix = square_matrix(loose)
                target = ((corners * factor) @ matrix[:, :2].T + matrix[:, 2]) / (SQUARE / 2) - 1
                if np.abs(target).max() > 2.2:  # almost wholly outside the square
                    continue
                inputs.append((square_input(image, loose) * 255).astype(np.uint8))
                targets.append(target)
                faces.append(INDEX[label] if visible > FACE_VISIBLE else -1)
    return np.stack(inputs), np.array(targets, np.float32), np.array(faces)


def photo_squares(data: Path, seed: int, times: int) -> Squares:
    """The same from the training side's photographs: faces, but corners that nobody knows (not a number)."""
    rng = np.random.default_rng(seed)
    inputs, faces = [], []
    for photo in load_photos(data, "train", ("cards_tables",)):
        if held_out(photo):
            continue
        whole = read_picture(photo.path)
        for _ in range(times):
            image, factor = stretched(whole, rng)
            for box, label in zip(photo.boxes, photo.labels, strict=True):
                if label in INDEX:
                    loose = jitter_box(box * np.tile(factor, 2), rng)
                    inputs.append((square_input(image, loose) * 255).astype(np.uint8))
                    faces.append(INDEX[label])
    shape = (0, 4, SQUARE, SQUARE)
    pixels = np.stack(inputs) if inputs else np.zeros(shape, np.uint8)
    return pixels, np.full((len(faces), 4, 2), np.nan, np.float32), np.array(faces, int)


def hints_for(corners: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The size hints as they come in earnest: mostly about right, sometimes far off, often there is none."""
    hints = np.zeros(len(corners), np.float32)
    for i, quad in enumerate(corners):
        kind = rng.random()
        if np.isfinite(quad).all() and kind > 0.25:
            area = abs(cv2.contourArea(quad.astype(np.float32)))
            off = rng.normal(0, 0.08) if kind > 0.34 else rng.uniform(-0.5, 0.35)
            hints[i] = size_hint(float(np.sqrt(area) * REACH / 2 * np.exp(off)))
    return hints


def symmetries(corners: np.ndarray, turns: int, mirror: bool) -> np.ndarray:
    """The corners after the square was turned by quarter turns and mirrored; their order stays clockwise."""
    for _ in range(turns):
        corners = np.stack([corners[..., 1], -corners[..., 0]], -1)
    if mirror:
        corners = corners * [-1, 1]
        corners = corners[:, [1, 0, 3, 2]]
    return corners


def square_batches(parts: list[tuple[Squares, float]], size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of (squares, numbers, faces), with turns, mirrors and light changes, prepared by a thread.

    Each part comes with its share of a batch. A mirrored card has corners but no face.
    """
    ready: queue.Queue = queue.Queue(6)

    def work() -> None:
        rng = np.random.default_rng(seed)
        while True:
            picks = [rng.integers(len(part[0]), size=round(size * share)) for part, share in parts]
            pixels, corners, faces = (
                np.concatenate([part[k][pick] for (part, _), pick in zip(parts, picks, strict=True)]) for k in range(3)
            )
            count, turns, mirror = len(pixels), int(rng.integers(4)), bool(rng.random() < 0.3)
            pixels = np.rot90(pixels, turns, (2, 3))
            if mirror:
                pixels, faces = pixels[..., ::-1], np.full_like(faces, -1)
            goals = encode_square(symmetries(corners, turns, mirror)).astype(np.float32)
            x = np.ascontiguousarray(pixels).astype(np.float32) / 255
            gain, shift = rng.uniform(0.7, 1.3, (count, 3, 1, 1)), rng.uniform(-0.1, 0.1, (count, 1, 1, 1))
            x[:, :3] = np.clip(x[:, :3] * gain + shift, 0, 1)
            hints = hints_for(corners, rng)[:, None, None, None]
            x = np.concatenate([x, np.broadcast_to(hints, (count, 1, SQUARE, SQUARE))], 1)
            ready.put((torch.from_numpy(x), torch.from_numpy(goals), torch.from_numpy(faces)))

    threading.Thread(target=work, daemon=True).start()
    while True:
        yield ready.get()


def square_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    """Smooth distance of the centre, the half axes and the pull where they are known; cross entropy of the face."""
    x, goals, faces = batch
    numbers, logits = model(x.contiguous(memory_format=torch.channels_last))
    known = torch.isfinite(goals).all(1)
    loss = logits.sum() * 0.0
    if known.any():
        loss = loss + 20 * F.smooth_l1_loss(numbers.float()[known], goals[known], beta=0.01)
    if (faces >= 0).any():
        loss = loss + 0.25 * F.cross_entropy(logits.float(), faces, ignore_index=-1, label_smoothing=0.03)
    return loss


def fine_examples(records: list, seed: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    """(n × 4 × h × w bytes, n × 4 × 2 corner offsets) of masked flat cards cut with corners that are a little off.

    Every second one is cut as the corner network would: its mistakes are not just noise.
    """
    rng = np.random.default_rng(seed)
    inputs, targets = [], []
    size = np.array(FINE, np.float32)
    finder = CornerFinder()
    for record in records:
        image = decode(record["jpeg"])
        boxes = np.array([jitter_box(box, rng) for box in record["boxes"]]).reshape(-1, 4)
        cards = zip(record["corners"], boxes, record["visible"], finder.find(image, boxes, rounds=0), strict=True)
        for corners, box, visible, found in cards:
            if visible < 0.2:
                continue
            for turn in range(times):
                true = np.roll(corners, 2 * int(rng.integers(2)), 0)
                guess = jitter_corners(true, rng, float(rng.choice([0.008, 0.02, 0.04, 0.08])))
                if turn % 2 and usable(found):
                    guess, true = found.astype(np.float32), same_end(found, corners)
                flat = flatten(image, guess, FINE, FINE_MARGIN)
                matrix = cv2.getPerspectiveTransform(guess, flat_frame(FINE, FINE_MARGIN))
                where = cv2.perspectiveTransform(np.asarray(true, np.float32)[None], matrix)[0]
                offset = (where - flat_frame(FINE, FINE_MARGIN)) / size
                if np.abs(offset).max() > 0.35:
                    continue
                mask = seen_mask(box_corners(box), guess, FINE, FINE_MARGIN)
                inputs.append(np.concatenate([flat.transpose(2, 0, 1), mask[None]]))
                targets.append(offset)
    return np.stack(inputs), np.array(targets, np.float32)


def fine_batches(inputs: np.ndarray, targets: np.ndarray, size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of flat cards, turned by half and mirrored at random."""
    rng = np.random.default_rng(seed)
    while True:
        pick = rng.integers(len(inputs), size=size)
        x, goal = inputs[pick], targets[pick].copy()
        if rng.random() < 0.5:
            x, goal = x[:, :, ::-1, ::-1], -goal[:, [2, 3, 0, 1]]
        if rng.random() < 0.5:
            x, goal = x[..., ::-1], goal[:, [1, 0, 3, 2]] * [-1, 1]
        x = np.ascontiguousarray(x).astype(np.float32) / 255
        gain, shift = rng.uniform(0.7, 1.3, (size, 3, 1, 1)), rng.uniform(-0.1, 0.1, (size, 1, 1, 1))
        x[:, :3] = np.clip(x[:, :3] * gain + shift, 0, 1)
        yield torch.from_numpy(x), torch.from_numpy(goal.astype(np.float32))


def fine_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    """Distance of the corner offsets, smooth only below what counts: a pixel of the flat card."""
    x, goal = batch
    x = x.contiguous(memory_format=torch.channels_last)
    return 40 * F.smooth_l1_loss(model(x).float().reshape(-1, 4, 2), goal, beta=0.004)


def begin(model: Any, data: Path, onward: Path | None, bytes_seen: np.ndarray) -> None:
    """The weights to start from: a network file's, another training's, or the general ones of the backbone."""
    if onward is None:
        print(f"started from {model.backbone.start_from(data)} pretrained tensors")
        return
    if onward.suffix == ".pt":
        print(f"going on from {onward}: {take_over(model, torch.load(onward, weights_only=True)['average'])} tensors")
        return
    seen = torch.from_numpy(np.ascontiguousarray(bytes_seen).astype(np.float32) / 255)
    print(f"going on from {onward}: {start_from_file(model, onward, seen)} convolutions")


def train_square(
    data: Path,
    cache: Path,
    *,
    steps: int,
    minutes: float | None,
    count: int,
    size: int = 64,
    onward: Path | None = None,
) -> nn.Module:
    """Train (or continue) the corner network; `onward` is a network file to start from."""
    parts = [
        (square_examples(scenes(data, cache, count, seed=1), 3, 1), 0.28),
        (square_examples(scenes(data, cache, max(1, count * 4 // 5), seed=2, over_photos=True), 4, 2), 0.36),
        (square_examples(scenes(data, cache, max(1, count // 3), seed=3, heaped=True), 6, 2), 0.2),
        (photo_squares(data, 5, 8), 0.16),
    ]
    parts = [(part, share) for part, share in parts if len(part[0])]
    print(", ".join(str(len(part[0])) for part, _ in parts) + " cards")
    model = CornerNet(len(LABELS))
    few = parts[0][0][0][:128]
    begin(model, data, onward, np.concatenate([few, np.zeros_like(few[:, :1])], 1))
    return fit(
        model.to(memory_format=torch.channels_last),
        square_batches(parts, size, 5),
        square_loss,
        steps=steps,
        checkpoint=cache / "corners.pt",
        rate=1e-3,
        minutes=minutes,
    )


def train_fine(
    data: Path,
    cache: Path,
    *,
    steps: int,
    minutes: float | None,
    count: int,
    size: int = 64,
    onward: Path | None = None,
) -> nn.Module:
    """Train (or continue) the refiner; `onward` is a network file to start from."""
    records = scenes(data, cache, count, seed=1)
    records = records + scenes(data, cache, max(1, count * 4 // 5), seed=2, over_photos=True)
    records = records + scenes(data, cache, max(1, count // 3), seed=3, heaped=True)
    inputs, targets = fine_examples(records, 4, 2)
    print(f"{len(inputs)} flat cards")
    model = FineNet()
    begin(model, data, onward, inputs[:128])
    return fit(
        model.to(memory_format=torch.channels_last),
        fine_batches(inputs, targets, size, 6),
        fine_loss,
        steps=steps,
        checkpoint=cache / "fine.pt",
        rate=1.5e-3,
        minutes=minutes,
    )


def export(model: nn.Module, path: Path, shape: tuple[int, int, int], names: tuple[str, ...] = ("output",)) -> None:
    """Write one of the small networks as ONNX with a free batch size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    axes = {name: {0: "batch"} for name in ("images", *names)}
    torch.onnx.export(
        model.float().eval(),
        torch.zeros(2, *shape),
        str(path),
        input_names=["images"],
        output_names=list(names),
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def keep_only(path: Path, output: str) -> None:
    """Leave one output in a network's file, and what it needs."""
    from onnx.utils import extract_model

    extract_model(str(path), str(path), ["images"], [output])
