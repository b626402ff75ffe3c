"""How sure is sure: fit the confidence of the card reader on cards that its face network has not learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from models.cards.cache import decode, scenes
from models.cards.classes import BACK
from models.cards.photos import shared_box
from models.cards.sources import held_out, load_photos, read_picture
from vision.cards.calibration import features
from vision.cards.reader import CardReader


def outcomes(
    data: Path, cache: Path, reader: CardReader, count: int = 150, photos: bool = True
) -> Iterator[tuple[tuple[float, ...], bool]]:
    """(features, whether the reading was right) for every card found on held-out photographs and unseen scenes."""
    sources: list[tuple[Any, Any, Any]] = [
        (read_picture(photo.path), photo.boxes, photo.labels)
        for photo in load_photos(data, "train", ("cards_tables",))
        if photos and held_out(photo)
    ]
    for record in scenes(data, cache, count, seed=9):
        sources.append((decode(record["jpeg"]), record["boxes"], record["labels"]))
    for image, boxes, labels in sources:
        for candidate in reader.candidates(image):
            if candidate.label == BACK:
                continue
            near = [(shared_box(np.array(candidate.box), box), label) for box, label in zip(boxes, labels, strict=True)]
            right = any(share >= 0.45 and label == candidate.label for share, label in near)
            yield features(*candidate.raw), right


def fit(seen: list[tuple[tuple[float, ...], bool]], ridge: float = 1.0) -> np.ndarray:
    """Logistic regression by Newton's method: bias and one weight per feature."""
    x = np.array([[1.0, *facts] for facts, _ in seen])
    y = np.array([right for _, right in seen], float)
    weights = np.zeros(x.shape[1])
    penalty = np.diag([0.0] + [ridge] * (x.shape[1] - 1))
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (y - p) - penalty @ weights
        curve = (x * (p * (1 - p))[:, None]).T @ x + penalty + 1e-6 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def calibrate(data: Path, cache: Path, *, photos: bool = True) -> None:
    """Print the numbers for `vision/cards/calibration.py` and how well they fit."""
    seen = list(outcomes(data, cache, CardReader(), photos=photos))
    weights = fit(seen)
    x = np.array([[1.0, *facts] for facts, _ in seen])
    y = np.array([right for _, right in seen])
    p = 1 / (1 + np.exp(-x @ weights))
    print("BIAS, FACE, SCORE, DISCORD = " + ", ".join(f"{w:.3f}" for w in weights))
    for low, high in ((0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.01)):
        inside = (p >= low) & (p < high)
        if inside.any():
            print(f"{low:.2f}–{high:.2f}: {inside.sum():4d} cards, {y[inside].mean():.3f} right")
