"""Whole tables with Trama looms on them, through the camera of `datasets.scene`: what a simulated game shows.

python -m datasets.loom_scenes OUT --count 60 --seed 900000    a labelled folder for `tapete evaluate`
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from datasets import labels
from datasets.art.loom_facts import random_loom
from datasets.art.loom_style import FAMILIES, LoomStyle, loom_style
from datasets.art.looms import loom_sprite
from datasets.scene import CameraModel, Look, Placed, Rendered, render_scene
from datasets.scene.things import clutter_sprite, hand_at


def whole_style(seed: int, families: Sequence[str] = FAMILIES) -> LoomStyle:
    """A style without a window: the table seen through a hole would count as a part of the loom that is not seen."""
    rng = np.random.default_rng(seed)
    style = loom_style(seed, str(rng.choice(np.array(families))))
    return replace(style, window=False, panel=style.panel or style.board, lean=(0.0, 0.0))


def loom_table(
    seed: int,
    count: int | None = None,
    hard: float = 0.4,
    families: Sequence[str] = FAMILIES,
    backgrounds: Sequence[str] = (),
) -> Rendered:
    """A table with `count` looms (by default one to four), each at its place, with clutter and now and then a hand."""
    rng = np.random.default_rng([seed, 77])
    count = int(rng.choice([1, 1, 2, 3, 4])) if count is None else count
    pitch = float(rng.uniform(12, 16))
    cell = pitch * 13.5
    columns = 1 if count == 1 else 2
    rows = -(-count // columns)
    placed: list[Placed] = []
    lanes = int(rng.choice([8, 8, 8, 6, 10]))
    for i in range(count):
        style = whole_style(seed * 10 + i, families)
        scaled = replace(style, pitch_mm=pitch * 7 / (lanes - 1))
        sprite = loom_sprite(random_loom(seed * 10 + i, lanes), scaled, px_per_mm=4.0)
        x = (i % columns - (columns - 1) / 2) * cell + rng.normal(0, 3)
        y = (i // columns - (rows - 1) / 2) * cell + rng.normal(0, 3)
        placed.append(Placed(sprite, x, y, float(rng.normal(0, 6) + 90 * rng.integers(4))))
    across, down = columns * cell / 2, rows * cell / 2
    for k in range(int(rng.integers(0, 3))):
        side = float(rng.choice([-1, 1]))
        placed.append(Placed(clutter_sprite(seed * 10 + k), side * (across + 45), rng.uniform(-down, down)))
    if rng.random() < 0.2:
        placed.append(hand_at(across + 15, float(rng.uniform(-down, down)), 180.0, seed=seed))
    camera = CameraModel.random(rng, (-across - 10, -down - 10, across + 10, down + 10), slack=(1.0, 1.25))
    return render_scene(placed, camera, Look.random(rng, hard, backgrounds), rng)


def main(arguments: list[str] | None = None) -> int:
    """Write a labelled folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument("--hard", type=float, default=0.4)
    parser.add_argument("--backgrounds", type=Path, help="a folder of photographs of table tops")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    photos = tuple(str(p) for p in sorted(options.backgrounds.glob("*.jpg"))) if options.backgrounds else ()
    for i in range(options.count):
        scene = loom_table(options.seed + i, hard=options.hard, backgrounds=photos)
        name = f"looms_{i:03d}.jpg"
        (options.out / name).write_bytes(scene.data)
        labels.save(scene.labels(name, "trama"), options.out / f"looms_{i:03d}.json")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
