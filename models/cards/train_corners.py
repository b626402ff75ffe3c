"""How cards lie: the corner network and the refiner, from composed scenes whose corners are known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from models.cards.cache import decode, scenes
from models.cards.loop import fit
from models.cards.nets import CornerNet, FineNet
from vision.cards.geometry import (
    FINE,
    FINE_MARGIN,
    SQUARE,
    encode_square,
    flat_frame,
    flatten,
    square_input,
    square_matrix,
)

LEAST_VISIBLE = 0.15


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


def square_examples(records: list, seed: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    """(n × 4 × SQUARE × SQUARE bytes, n × 4 × 2 corners in units of half the square) from the scenes."""
    rng = np.random.default_rng(seed)
    inputs, targets = [], []
    for record in records:
        image = decode(record["jpeg"])
        for box, corners, visible in zip(record["boxes"], record["corners"], record["visible"], strict=True):
            if visible < LEAST_VISIBLE or (box[2:] - box[:2]).min() < 8:
                continue
            for _ in range(times):
                loose = jitter_box(box, rng)
                inputs.append((square_input(image, loose) * 255).astype(np.uint8))
                matrix = square_matrix(loose)
                targets.append((corners @ matrix[:, :2].T + matrix[:, 2]) / (SQUARE / 2) - 1)
    return np.stack(inputs), np.array(targets, np.float32)


def symmetries(corners: np.ndarray, turns: int, mirror: bool) -> np.ndarray:
    """The corners after the square was turned by quarter turns and mirrored; their order stays clockwise."""
    for _ in range(turns):
        corners = np.stack([corners[..., 1], -corners[..., 0]], -1)
    if mirror:
        corners = corners * [-1, 1]
        corners = corners[:, [1, 0, 3, 2]]
    return corners


def square_batches(inputs: np.ndarray, targets: np.ndarray, size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of (squares, corners), with turns, mirrors and light changes."""
    rng = np.random.default_rng(seed)
    while True:
        pick = rng.integers(len(inputs), size=size)
        turns, mirror = int(rng.integers(4)), bool(rng.random() < 0.5)
        pixels = np.rot90(inputs[pick], turns, (2, 3))
        if mirror:
            pixels = pixels[..., ::-1]
        goals = encode_square(symmetries(targets[pick], turns, mirror)).astype(np.float32)
        x = np.ascontiguousarray(pixels).astype(np.float32) / 255
        gain, shift = rng.uniform(0.7, 1.3, (size, 3, 1, 1)), rng.uniform(-0.1, 0.1, (size, 1, 1, 1))
        x[:, :3] = np.clip(x[:, :3] * gain + shift, 0, 1)
        yield torch.from_numpy(x), torch.from_numpy(goals)


def square_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    """Smooth distance of the centre and the half axes."""
    x, goals = batch
    return 20 * F.smooth_l1_loss(model(x).float(), goals, beta=0.03)


def fine_examples(records: list, seed: int, times: int) -> tuple[np.ndarray, np.ndarray]:
    """(n × 3 × h × w bytes, n × 4 × 2 corner offsets) of flat cards cut with corners that are a little off."""
    rng = np.random.default_rng(seed)
    import cv2

    inputs, targets = [], []
    size = np.array(FINE, np.float32)
    for record in records:
        image = decode(record["jpeg"])
        for corners, visible in zip(record["corners"], record["visible"], strict=True):
            if visible < 0.25:
                continue
            for _ in range(times):
                true = np.roll(corners, 2 * int(rng.integers(2)), 0)
                guess = jitter_corners(true, rng, float(rng.choice([0.01, 0.025, 0.05, 0.09])))
                flat = flatten(image, guess, FINE, FINE_MARGIN)
                matrix = cv2.getPerspectiveTransform(guess, flat_frame(FINE, FINE_MARGIN))
                where = cv2.perspectiveTransform(np.asarray(true, np.float32)[None], matrix)[0]
                offset = (where - flat_frame(FINE, FINE_MARGIN)) / size
                if np.abs(offset).max() > 0.35:
                    continue
                inputs.append(flat.transpose(2, 0, 1))
                targets.append(offset)
    return np.stack(inputs), np.array(targets, np.float32)


def fine_batches(inputs: np.ndarray, targets: np.ndarray, size: int, seed: int) -> Iterator[tuple]:
    """Endless batches of flat cards, turned by half and mirrored at random."""
    rng = np.random.default_rng(seed)
    while True:
        pick = rng.integers(len(inputs), size=size)
        x, goal = inputs[pick].astype(np.float32) / 255, targets[pick].copy()
        if rng.random() < 0.5:
            x, goal = x[:, :, ::-1, ::-1], -goal[:, [2, 3, 0, 1]]
        if rng.random() < 0.5:
            x, goal = x[..., ::-1], goal[:, [1, 0, 3, 2]] * [-1, 1]
        x = np.clip(
            np.ascontiguousarray(x) * rng.uniform(0.7, 1.3, (size, 3, 1, 1)) + rng.uniform(-0.1, 0.1, (size, 1, 1, 1)),
            0,
            1,
        )
        yield torch.from_numpy(x.astype(np.float32)), torch.from_numpy(goal.astype(np.float32))


def fine_loss(model: nn.Module, batch: Any) -> torch.Tensor:
    """Smooth distance of the corner offsets."""
    x, goal = batch
    return 40 * F.smooth_l1_loss(model(x).float().reshape(-1, 4, 2), goal, beta=0.02)


def train_square(
    data: Path, cache: Path, *, steps: int, minutes: float | None, count: int, size: int = 64
) -> nn.Module:
    """Train (or continue) the corner network."""
    inputs, targets = square_examples(scenes(data, cache, count, seed=1), 3, 1)
    near = np.abs(targets).max((1, 2)) < 2.2  # the others lie almost wholly outside the square
    inputs, targets = inputs[near], targets[near]
    print(f"{len(inputs)} cards")
    return fit(
        CornerNet(),
        square_batches(inputs, targets, size, 5),
        square_loss,
        steps=steps,
        checkpoint=cache / "corners.pt",
        rate=2e-3,
        minutes=minutes,
    )


def train_fine(data: Path, cache: Path, *, steps: int, minutes: float | None, count: int, size: int = 64) -> nn.Module:
    """Train (or continue) the refiner."""
    inputs, targets = fine_examples(scenes(data, cache, count, seed=1), 4, 2)
    print(f"{len(inputs)} flat cards")
    return fit(
        FineNet(),
        fine_batches(inputs, targets, size, 6),
        fine_loss,
        steps=steps,
        checkpoint=cache / "fine.pt",
        rate=2e-3,
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
