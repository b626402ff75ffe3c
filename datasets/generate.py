"""Labelled scenes by the thousand: `tapete generate --family tiles -n 1000 -o DIR`.

A scene is a function of its family, its seed and the folders given: drawing it again gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from datasets import splits
from datasets.labels import IMAGE_SUFFIXES, save
from datasets.layouts import LAYOUTS
from datasets.scene import CameraModel, Look, Placed, Rendered, render_scene
from datasets.scene.stage import outline
from datasets.scene.things import clutter_sprite, hand_at

FAMILIES = {"tiles": "triominos", "cards": "truco", "looms": "trama", "circuits": "tronix"}
HAND, CLUTTER = 0.2, 0.5  # how often a hand is over the table, or things lie about


def make_scene(
    family: str,
    seed: int,
    *,
    size: tuple[int, int] = (1280, 720),
    backgrounds: Sequence[str] = (),
    decks: Sequence[Path] = (),
    reserved: bool = False,
    hard: float | None = None,
) -> Rendered:
    """One scene of a family. `hard` (0 to 1) is how bad the picture may be; by default that is left to chance."""
    if family not in LAYOUTS:
        raise ValueError(f"{family!r} is none of {', '.join(LAYOUTS)}")
    rng = np.random.default_rng([seed, 50 + list(LAYOUTS).index(family)])
    styles = reserved or splits.reserved(seed)
    pieces = LAYOUTS[family](rng, styles, decks)
    every = np.concatenate([piece.on_table(outline(piece.sprite)) for piece in pieces])
    (x1, y1), (x2, y2) = every.min(axis=0), every.max(axis=0)
    covers = _grown((float(x1), float(y1), float(x2), float(y2)), float(rng.uniform(8, 60)))
    things = _clutter(rng, covers) if rng.random() < CLUTTER else []
    over = []
    if rng.random() < HAND:
        x, y = (float(v) for v in rng.uniform(covers[:2], covers[2:]))
        over.append(hand_at(x, y, float(rng.uniform(0, 360)), float(rng.uniform(8, 40)), int(rng.integers(24))))
    camera = CameraModel.random(rng, covers, size)
    difficulty = float(rng.uniform(0, 1)) if hard is None else hard
    look = Look.random(rng, difficulty, tuple(backgrounds), styles)
    return render_scene([*things, *pieces, *over], camera, look, rng)


def _grown(covers: tuple[float, float, float, float], margin: float) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = covers
    return x1 - margin, y1 - margin, x2 + margin, y2 + margin


def _clutter(rng: np.random.Generator, covers: tuple[float, float, float, float]) -> list[Placed]:
    """Some things that are no pieces, drawn first: pieces lie on what is flat, and before what is high."""
    x1, y1, x2, y2 = _grown(covers, 40)
    things = []
    for _ in range(int(rng.integers(1, 4))):
        sprite = clutter_sprite(int(rng.integers(64)))
        x, y = float(rng.uniform(x1, x2)), float(rng.uniform(y1, y2))
        inside = covers[0] < x < covers[2] and covers[1] < y < covers[3]
        if inside and sprite.thickness_mm > 1:  # a cup stands beside the game, not in it
            x = x1 if x < (x1 + x2) / 2 else x2
        things.append(Placed(sprite, x, y, float(rng.uniform(0, 360))))
    return things


def generate(
    family: str,
    out: Path,
    count: int,
    seed: int = 0,
    *,
    size: tuple[int, int] = (1280, 720),
    backgrounds: Path | None = None,
    decks: Path | None = None,
    reserved: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[Path]:
    """Write `count` scenes of seeds `seed`, `seed` + 1, … with their labels into `out`; returns the images' paths."""
    photos = _pictures(backgrounds)
    scans = sorted(p for p in decks.iterdir() if p.is_dir()) if decks else []
    if decks and not scans:
        raise ValueError(f"no decks in {decks}: a deck is a folder with one picture per card")
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for number in range(count):
        scene_seed = seed + number
        scene = make_scene(family, scene_seed, size=size, backgrounds=photos, decks=scans, reserved=reserved)
        path = out / f"{family}_{scene_seed:07d}.jpg"
        path.write_bytes(scene.data)
        labels = replace(scene.labels(path.name, FAMILIES[family]), extra={"seed": scene_seed})
        save(labels, path.with_suffix(".json"))
        written.append(path)
        if progress:
            progress(number + 1)
    return written


def _pictures(folder: Path | None) -> tuple[str, ...]:
    if folder is None:
        return ()
    found = tuple(str(p) for p in sorted(folder.rglob("*")) if p.suffix.lower() in IMAGE_SUFFIXES)
    if not found:
        raise ValueError(f"no pictures in {folder}")
    return found
