"""Training samples for the three loom networks, made from drawn looms and kept as arrays on disk."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from datasets.art.sprite import Sprite
from datasets.loom_views import View, compose, drawn_loom, other_things, scatter, texture, tilted_square
from vision.looms.shapes import (
    FIND_SIZE,
    FIND_STRIDE,
    READ_MARGIN,
    READ_SIZE,
    READ_STRIDE,
    crossing_patch,
    lattice_sheet,
)

Sample = dict[str, np.ndarray]


def load_photos(data: Path, side: int = 900) -> list[np.ndarray]:
    """Photographs of tables without looms, shrunk: the backgrounds and the card tables that are split for training."""
    paths = sorted((data / "backgrounds").glob("*.jpg")) + sorted((data / "backgrounds").glob("*.png"))
    places = data / "photos" / "cards_places.csv"
    if places.exists():
        with places.open(encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["split"] == "train"]
        tables = sorted((data / "photos" / "cards_tables").glob("*.jpg"))
        names = {row["image"] for row in rows}
        paths += [p for p in tables if p.name in names]
    photos = []
    for path in paths:
        image = cv2.imread(str(path))
        if image is not None:
            k = side / max(image.shape[:2])
            photos.append(cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA) if k < 1 else image)
    return photos


def _spot(heat: np.ndarray, x: float, y: float, sigma: float) -> None:
    h, w = heat.shape
    r = int(3 * sigma) + 1
    x0, x1, y0, y1 = max(0, int(x) - r), min(w, int(x) + r + 2), max(0, int(y) - r), min(h, int(y) + r + 2)
    if x0 >= x1 or y0 >= y1:
        return
    yy, xx = np.mgrid[y0:y1, x0:x1]
    value = np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / (2 * sigma**2))
    heat[y0:y1, x0:x1] = np.maximum(heat[y0:y1, x0:x1], value)


@cache
def _things() -> tuple[Sprite, ...]:
    return tuple(other_things(90, 7))


def find_sample(rng: np.random.Generator, looms: Sequence, photos: Sequence[np.ndarray]) -> Sample:
    """A whole table at the finder's size: where boards, lane squares and board corners are."""
    w, h = FIND_SIZE
    count = int(rng.choice([0, 0, 1, 1, 1, 1, 2, 3, 4]))
    picked, quads = [], []
    centres: list[tuple[np.ndarray, float]] = []
    for _ in range(count):
        side = rng.uniform(75, 270) if count < 2 else rng.uniform(60, 150)
        for _try in range(12):
            centre = np.array([rng.uniform(0, w), rng.uniform(0, h)])
            if all(np.hypot(*(centre - c)) > 0.75 * (side + s) for c, s in centres):
                quads.append(tilted_square(rng, centre, side))
                picked.append(looms[int(rng.integers(len(looms)))])
                centres.append((centre, side))
                break
    table = texture(rng, (w, h), photos)
    if rng.random() < 0.4:
        scatter(table, _things(), rng)
    view = compose(picked, quads, table, rng)
    k = FIND_STRIDE
    small = (w // k, h // k)
    heat = np.zeros((h // k, w // k), np.float32)
    for quad in view.corners:
        for x, y in quad:
            _spot(heat, (x - (k - 1) / 2) / k, (y - (k - 1) / 2) / k, 1.2)
    masks = [cv2.resize(m.astype(np.float32), small, interpolation=cv2.INTER_AREA) for m in (view.board, view.inner)]
    target = np.stack([*masks, heat])
    return {"x": view.image, "y": np.round(target * 255).astype(np.uint8)}


def _board_view(rng: np.random.Generator, looms: Sequence, photos: Sequence[np.ndarray]) -> View:
    """One board close up, as many pixels wide as in a frame, sometimes leaving the frame."""
    side = float(np.exp(rng.uniform(np.log(170), np.log(620))))
    size = int(side * rng.uniform(1.0, 1.5)) if rng.random() < 0.3 else int(side * 1.7)
    centre = np.array([size / 2, size / 2]) + rng.uniform(-0.05, 0.05, 2) * side
    quad = tilted_square(rng, centre, side)
    return compose([looms[int(rng.integers(len(looms)))]], [quad], texture(rng, (size, size), photos), rng)


def read_sample(rng: np.random.Generator, looms: Sequence, photos: Sequence[np.ndarray]) -> Sample:
    """One board rectified by corners that are somewhat off: board, lane ends, cords and dyes of the pixels."""
    view = _board_view(rng, looms, photos)
    quad = view.corners[0]
    side = np.linalg.norm(quad[1] - quad[0])
    slip = rng.choice([0.004, 0.02, 0.05])
    guess = quad + rng.normal(0, slip * side, (4, 2)).clip(-2 * slip * side, 2 * slip * side)
    lo, hi = READ_SIZE * READ_MARGIN, READ_SIZE * (1 - READ_MARGIN)
    m = cv2.getPerspectiveTransform(
        guess.astype(np.float32), np.array([[lo, lo], [hi, lo], [hi, hi], [lo, hi]], np.float32)
    )
    image = cv2.warpPerspective(view.image, m, (READ_SIZE, READ_SIZE), flags=cv2.INTER_LINEAR)
    k = READ_STRIDE
    n = READ_SIZE // k
    half = np.array([[1 / k, 0, (1 / k - 1) / 2], [0, 1 / k, (1 / k - 1) / 2], [0, 0, 1]]) @ m
    maps = [cv2.warpPerspective(mm, half, (n, n), flags=cv2.INTER_NEAREST) for mm in (view.board, view.axis, view.dye)]
    ends = {axis: np.zeros((n, n), np.float32) for axis in "hv"}
    for axis, _lane, x, y in view.ends:
        px, py = cv2.perspectiveTransform(np.array([[[x, y]]], np.float32), half.astype(np.float32))[0, 0]
        _spot(ends[axis], float(px), float(py), 1.6)
    heats = [np.round(ends[axis] * 255).astype(np.uint8) for axis in "hv"]
    return {"x": image, "y": np.stack([maps[0] * 255, *heats, maps[1], maps[2]])}


def cross_sample(rng: np.random.Generator, looms: Sequence, photos: Sequence[np.ndarray], most: int = 24) -> Sample:
    """Patches around crossings of one board, cut as the reader cuts them; 1 where the horizontal cord is on top."""
    view = _board_view(rng, looms, photos)
    while not view.crossings:
        view = _board_view(rng, looms, photos)
    grid, lanes = view.grids[0], view.lanes[0]
    slip = rng.choice([0.02, 0.05, 0.1]) * np.linalg.norm(grid[1] - grid[0]) / (lanes - 1)
    guess = grid + rng.normal(0, slip, (4, 2)) + rng.normal(0, slip, 2)
    sheet = lattice_sheet(view.image, guess.astype(np.float32), lanes)
    spots = [view.crossings[i] for i in rng.permutation(len(view.crossings))[:most]]
    patches = [crossing_patch(sheet, h, v) for _, h, v, _ in spots]
    return {"x": np.stack(patches), "y": np.array([top == "h" for *_, top in spots], np.uint8)}


MAKERS: dict[str, Callable[..., Sample]] = {"find": find_sample, "read": read_sample, "cross": cross_sample}


def loom_bank(count: int, first_seed: int) -> list:
    """Drawn looms to lay into views; each is used in many views."""
    bank = []
    for i in range(count):
        bank.append(drawn_loom(first_seed + i, px=28.0 + 16.0 * ((i * 7) % 5) / 4))
        _progress("looms", i + 1, count)
    return bank


def _progress(what: str, done: int, total: int) -> None:
    if done % 50 == 0 or done == total:
        print(f"{what} {done}/{total}", file=sys.stderr, flush=True)


def make(kind: str, count: int, seed: int, bank: list, photos: Sequence[np.ndarray]) -> Sample:
    """`count` samples of a kind, stacked."""
    rng = np.random.default_rng(seed)
    xs, ys = [], []
    for i in range(count):
        sample = MAKERS[kind](rng, bank, photos)
        xs.append(sample["x"])
        ys.append(sample["y"])
        _progress(kind, i + 1, count)
    join = np.concatenate if kind == "cross" else np.stack
    return {"x": join(xs), "y": join(ys)}
