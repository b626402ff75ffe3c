"""Training scenes: tiles in chains, hexagons, rows and heaps, with clutter and hands, drawn by `datasets.scenes`.

Rendered once to a folder (JPEG plus one `.npz` of facts each), since drawing costs more than a training step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.art.sprite import Sprite
from datasets.art.tiles import STYLE_SEEDS, TEST_STYLE_SEEDS, TileStyle, tile_sprite
from datasets.scene.develop import through_lens
from datasets.scenes import CameraModel, Look, Placed, Stage, develop_stage
from models.tiles.clutter import clutter, hand

SIZE = (1280, 720)
VALIDATION = 1_000_000  # seeds from here on are for validation, with the reserved styles
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TileScene:
    """A picture and its tiles: corners (n, 3, 2) px from the first value clockwise, values (n, 3), how much of each
    corner's value is seen (n, 3), and how much of each tile (n).
    """

    image: np.ndarray
    corners: np.ndarray
    values: np.ndarray
    seen: np.ndarray
    visible: np.ndarray

    def save(self, path: Path) -> None:
        """Write the JPEG and, last, the facts: a scene without them was interrupted and is drawn again."""
        cv2.imwrite(str(path.with_suffix(".jpg")), self.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        np.savez(path, corners=self.corners, values=self.values, seen=self.seen, visible=self.visible)

    @staticmethod
    def load(path: Path) -> TileScene:
        """Read what `save` wrote."""
        image = cv2.imread(str(path.with_suffix(".jpg")))
        if image is None:
            raise FileNotFoundError(f"{path} has no picture beside it: delete it, and it is drawn again")
        with np.load(path) as facts:
            return TileScene(image, facts["corners"], facts["values"], facts["seen"], facts["visible"])


def lattice_cell(cell: Cell, side: float) -> tuple[float, float, float]:
    """Centre (mm) and turn (degrees) of a cell of the triangular lattice: column, row; even sums point upwards."""
    column, row = cell
    rise = side * math.sqrt(3) / 2
    up = (column + row) % 2 == 0
    return column * side / 2, row * rise + (rise * 2 / 3 if up else rise / 3), 0.0 if up else 60.0


def chain(r: np.random.Generator, count: int) -> list[Cell]:
    """A connected figure of cells: grown where it likes, compact (hexagons) or long."""
    cells: list[Cell] = [(0, 0)]
    compact = r.random()
    while len(cells) < count:
        column, row = cells[int(r.integers(len(cells)))] if r.random() < 0.75 else cells[-1]
        across = (column, row + 1) if (column + row) % 2 == 0 else (column, row - 1)
        around = [c for c in ((column - 1, row), (column + 1, row), across) if c not in cells]
        if not around:
            continue
        if r.random() < compact:
            around.sort(key=lambda c: abs(c[0] - 1) + abs(c[1]))
            cells.append(around[0])
        else:
            cells.append(around[int(r.integers(len(around)))])
    return cells


def _layout(r: np.random.Generator, style: TileStyle, wide: float) -> list[tuple[float, float, float]]:
    """Poses (x, y, turn) of the tiles in mm, around the middle of a view `wide` mm across."""
    kind = int(r.choice(4, p=[0.5, 0.22, 0.1, 0.18]))
    if kind in {0, 3}:
        gap = float(r.choice([0.0, 0.4, 1.0, 2.0]))
        most = 9 + int(min(28, wide / 16))
        poses = [lattice_cell(cell, style.side + gap) for cell in chain(r, int(r.integers(2, most)))]
        wobble = float(r.choice([0.0, 0.3, 0.8])) * (0.3 + gap)
        poses = [(x + r.normal(0, wobble), y + r.normal(0, wobble), t + r.normal(0, wobble * 2)) for x, y, t in poses]
        middle = np.mean([p[:2] for p in poses], axis=0)
        turn = float(r.uniform(0, 360))
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        poses = [
            (c * (x - middle[0]) - s * (y - middle[1]), s * (x - middle[0]) + c * (y - middle[1]), t + turn)
            for x, y, t in poses
        ]
        if kind == 0:
            return poses
    else:
        poses = []
    spread = wide * float(r.uniform(0.12, 0.3))
    aligned = kind == 2
    for _ in range(int(r.integers(2, 26)) * 4):
        x, y = float(r.normal(0, spread)), float(r.normal(0, spread * 0.6))
        if aligned:
            x, y = round(x / 45) * 45.0, round(y / 42) * 42.0
        if all(math.hypot(x - px, y - py) > 0.98 * style.side for px, py, _ in poses):
            poses.append((x, y, float(r.normal(0, 4)) if aligned else float(r.uniform(0, 360))))
        if len(poses) > 26:
            break
    return poses


def corner_seen(owners: np.ndarray, number: int, corners: np.ndarray) -> list[float]:
    """For each corner the fraction of its value's surroundings that shows this tile."""
    centre = corners.mean(axis=0)
    out = []
    for corner in corners:
        middle = corner + (centre - corner) * 0.45
        radius = np.linalg.norm(centre - corner) * 0.22
        grid = np.stack(np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 7)), -1).reshape(-1, 2)
        points = np.round(middle + grid[(grid**2).sum(1) <= 1.01] * radius).astype(int)
        inside = (points >= 0).all(1) & (points[:, 0] < owners.shape[1]) & (points[:, 1] < owners.shape[0])
        hits = owners[points[inside, 1], points[inside, 0]] == number
        out.append(float(hits.sum()) / len(points))
    return out


def tile_scene(seed: int, backgrounds: tuple[str, ...] = (), empty: float = 0.06) -> TileScene:
    """The scene of a seed; from `VALIDATION` on, in the reserved styles."""
    r = np.random.default_rng([seed, 5501])
    reserved = seed >= VALIDATION
    pool = TEST_STYLE_SEEDS if reserved else STYLE_SEEDS
    style = TileStyle.seeded(int(r.choice(pool)))
    other = TileStyle.seeded(int(r.choice(pool))) if r.random() < 0.15 else style
    wide = 38 * SIZE[0] / math.exp(float(r.uniform(math.log(56), math.log(190))))
    sprites: list[tuple[Sprite, float, float, float]] = []
    if r.random() >= empty:
        for x, y, turn in _layout(r, style, wide):
            label = "-".join(str(v) for v in r.integers(0, 6, 3))
            use = style if r.random() < 0.6 else other
            sprite = tile_sprite(label, use, 5.0)
            sprites.append((sprite, x, y, turn + 120.0 * float(r.integers(3))))
    covers = (-wide / 2, -wide * 0.28, wide / 2, wide * 0.28)
    camera = CameraModel.random(r, covers, SIZE, max_tilt=52.0, slack=(1.0, 1.0))
    if r.random() < 0.5:
        camera = replace(camera, azimuth=float(r.uniform(0, 360))).fitted(covers, 1.0)
    look = Look.random(r, float(r.uniform(0, 1.0)), backgrounds, reserved)
    look = replace(look, table_scale=look.table_scale * math.exp(float(r.normal(0, 0.5))))
    placed: list[Placed] = []
    for _ in range(int(r.integers(0, 12)) if r.random() < 0.5 else 0):
        thing = clutter(r)
        x, y = float(r.uniform(-wide, wide) * 0.55), float(r.uniform(-wide, wide) * 0.4)
        if all(math.hypot(x - px, y - py) > max(thing.size_mm) * 0.5 + 24 for _, px, py, _ in sprites):
            placed.append(Placed(thing, x, y, float(r.uniform(0, 360))))
    first = len(placed)
    placed += [Placed(s, x, y, t, shade=float(r.uniform(0.94, 1.04))) for s, x, y, t in sprites]
    if r.random() < 0.3:
        side = float(r.uniform(0, 360))
        reach = wide * float(r.uniform(0.18, 0.5))
        x, y = math.cos(math.radians(side)) * reach * 1.3, math.sin(math.radians(side)) * reach
        placed.append(Placed(hand(r), x, y, side - 90 + float(r.normal(0, 20)), z=float(r.uniform(5, 25))))
    stage = Stage(camera, look)
    for piece in placed:
        stage.add(piece)
    picture = develop_stage(stage, r)
    owners = through_lens(camera, stage.owners, nearest=True)
    corners, values, seen, visible = [], [], [], []
    for number in range(first, first + len(sprites)):
        piece = placed[number]
        flat = piece.corners()
        pixels = camera.project(np.column_stack([flat, np.full(3, piece.top)]))
        share = corner_seen(owners, number + 1, pixels)
        area = max(1.0, cv2.contourArea(pixels.astype(np.float32)))
        corners.append(pixels)
        values.append([int(v) for v in piece.sprite.label.split("-")])
        seen.append(share)
        visible.append(min(1.0, np.count_nonzero(owners == number + 1) / area))
    n = len(corners)
    return TileScene(
        picture.image,
        np.array(corners, np.float32).reshape(n, 3, 2),
        np.array(values, np.int64).reshape(n, 3),
        np.array(seen, np.float32).reshape(n, 3),
        np.array(visible, np.float32),
    )


Maker = Callable[[int, tuple[str, ...]], TileScene]


def render_folder(
    folder: Path, first: int, count: int, backgrounds: tuple[str, ...], make: Maker = tile_scene
) -> list[Path]:
    """Draw the scenes `first` … `first + count - 1` that the folder lacks; returns the paths of all their facts."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for i in range(count):
        path = folder / f"{first + i}.npz"
        paths.append(path)
        if not path.exists():
            make(first + i, backgrounds).save(path)
        if i % 25 == 24 or i + 1 == count:
            print(f"\r  {folder.name} {i + 1}/{count}", end="" if i + 1 < count else "\n", flush=True)
    return paths
