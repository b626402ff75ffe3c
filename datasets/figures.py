"""Pictures and bars for a person: reliability figures, overlays of what was read, contact sheets, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np

from datasets.labels import PieceLabel, SceneLabels
from datasets.matching import Matching
from vision.state import Piece

GREEN, RED, BLUE, GREY, YELLOW = (70, 180, 60), (50, 50, 230), (220, 140, 30), (150, 150, 150), (40, 210, 240)


def progress_bar(total: int, title: str) -> Callable[[int], None] | None:
    """A function to call with the count done so far; None where nobody watches (stderr is not a terminal)."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()

    def show(done: int) -> None:
        filled = 30 * done // max(1, total)
        speed = done / max(1e-6, time.monotonic() - start)
        end = "\n" if done >= total else ""
        bar = "█" * filled + "·" * (30 - filled)
        print(f"\r{title} {bar} {done}/{total}  {speed:.1f}/s ", end=end, file=sys.stderr, flush=True)

    return show


def reliability_figure(bins: Sequence[dict[str, Any]], error: float | None) -> np.ndarray:
    """How often readings were right against how sure they were; the diagonal is honesty."""
    side, left, top = 400, 60, 30
    image = np.full((side + top + 60, side + left + 30, 3), 255, np.uint8)
    most = max([b["count"] for b in bins] + [1])

    def at(x: float, y: float) -> tuple[int, int]:
        return left + round(x * side), top + round((1 - y) * side)

    for i in range(11):
        cv2.line(image, at(i / 10, 0), at(i / 10, 1), (235, 235, 235), 1)
        cv2.line(image, at(0, i / 10), at(1, i / 10), (235, 235, 235), 1)
        if i % 2 == 0:
            x, y = at(i / 10, 0)
            cv2.putText(image, f"{i / 10:.1f}", (x - 12, y + 18), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (60, 60, 60), 1, 16)
            x, y = at(0, i / 10)
            cv2.putText(image, f"{i / 10:.1f}", (x - 30, y + 4), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (60, 60, 60), 1, 16)
    for b in bins:
        if b["count"]:
            low, high = at(b["from"] + 0.01, 0), at(b["to"] - 0.01, b["right"])
            cv2.rectangle(image, low, high, (235, 200, 150), -1)
            cv2.rectangle(image, low, at(b["to"] - 0.01, 0.12 * b["count"] / most), GREY, -1)
            cv2.circle(image, at(b["confidence"], b["right"]), 5, BLUE, -1, cv2.LINE_AA)
    cv2.line(image, at(0, 0), at(1, 1), GREEN, 1, cv2.LINE_AA)
    text = "confidence (right against sure; grey: how many)"
    cv2.putText(image, text, (left, side + top + 42), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (40, 40, 40), 1, 16)
    if error is not None:
        cv2.putText(
            image, f"ECE {error:.3f}", (left + 10, top + 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (40, 40, 40), 1, 16
        )
    return image


def overlay(image: np.ndarray, labels: SceneLabels, matching: Matching, name: Callable[[Any], str]) -> np.ndarray:
    """The picture with what was read: right green, wrong red (truth > read), missed blue, false yellow, unsure grey."""
    out = image.copy()
    for truth in labels.pieces:
        if truth.uncertain:
            _outline(out, truth, GREY, "")
    for pair in matching.pairs:
        if pair.right:
            _outline(out, pair.read, GREEN, name(pair.read))
        else:
            _outline(out, pair.read, RED, f"{name(pair.truth)} > {name(pair.read)} {pair.read.confidence:.2f}")
    for truth in matching.missed:
        _outline(out, truth, BLUE, f"missed {name(truth)}")
    for reading in matching.false:
        _outline(out, reading, YELLOW, f"false {name(reading)} {reading.confidence:.2f}")
    return out


def _outline(image: np.ndarray, piece: PieceLabel | Piece, color: tuple[int, int, int], text: str) -> None:
    if piece.corners:
        points = np.array(piece.corners)
    else:
        x1, y1, x2, y2 = piece.box or (0, 0, 0, 0)
        points = np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)])
    fixed = np.round(np.clip(points, -4000, 8000) * 16).astype(np.int32)
    thick = max(1, round(max(image.shape[:2]) / 600))
    cv2.polylines(image, [fixed], True, color, thick, cv2.LINE_AA, 4)
    x, y = points.mean(axis=0)
    at = (int(np.clip(x - 4 * len(text), 0, image.shape[1] - 10)), int(np.clip(y, 12, image.shape[0] - 4)))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, color, 1, cv2.LINE_AA)


def contact_sheet(images: Sequence[np.ndarray], columns: int, cell: tuple[int, int], gap: int = 4) -> np.ndarray:
    """Pictures side by side, each fitted into a cell of (width, height); transparent ones on mid grey."""
    w, h = cell
    rows = -(-len(images) // columns)
    sheet = np.full((rows * (h + gap) + gap, columns * (w + gap) + gap, 3), 96, np.uint8)
    for i, picture in enumerate(images):
        image = picture
        if image.shape[2] == 4:
            alpha = image[..., 3:].astype(np.float32) / 255
            image = (image[..., :3] * alpha + 96 * (1 - alpha)).astype(np.uint8)
        scale = min(w / image.shape[1], h / image.shape[0])
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        y = gap + (i // columns) * (h + gap) + (h - size[1]) // 2
        x = gap + (i % columns) * (w + gap) + (w - size[0]) // 2
        sheet[y : y + size[1], x : x + size[0]] = small
    return sheet
