"""Finished samples on disk: the refiner and the readers learn from crops, and cutting a crop costs more than a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from models.tiles import samples
from models.tiles.scenes import TileScene
from vision.tiles.geometry import Pyramid

Sample = tuple[np.ndarray, np.ndarray]


def scene_samples(name: str, scene: TileScene, r: np.random.Generator, each: int) -> list[Sample]:
    """`each` samples of every tile of a scene that can be learnt from."""
    pyramid = Pyramid(scene.image)
    found: list[Sample] = []
    for which in np.flatnonzero(scene.visible > 0.3):
        for _ in range(each):
            if name == "refiner":
                found.append(samples.refiner_sample(scene, pyramid, int(which), r))
            else:
                crop, values = samples.reader_sample(scene, pyramid, int(which), r, name)
                if (values >= 0).any():
                    found.append((crop, values))
    if len(found) == 0:  # an empty table still teaches what is no tile
        h, w = scene.image.shape[:2]
        for _ in range(2 * each):
            found.append(samples.nothing_sample(name, pyramid, r, (w, h)))
    return found


def build(name: str, paths: list[Path], folder: Path, each: int, seed: int = 0) -> Sample:
    """The crops (n, size, size, 3) and targets (n, k) of all scenes; drawn once and kept in `folder`."""

    def drawn() -> Iterator[Sample]:
        for i, path in enumerate(paths):
            yield from scene_samples(name, TileScene.load(path), np.random.default_rng([seed, i]), each)
            if i % 50 == 49:
                print(f"\r  {name}: samples of {i + 1}/{len(paths)} scenes", end="", flush=True)
        print()

    return keep(name, drawn(), folder)


def keep(name: str, drawn: Iterable[Sample], folder: Path) -> Sample:
    """The crops and targets of that name in `folder`, drawn where it lacks them."""
    crops_path, targets_path = folder / f"{name}_crops.npy", folder / f"{name}_targets.npy"
    if not targets_path.exists():
        crops, targets = zip(*drawn, strict=True)
        folder.mkdir(parents=True, exist_ok=True)
        kept = np.lib.format.open_memmap(crops_path, "w+", np.uint8, (len(crops), *crops[0].shape))
        for i, crop in enumerate(crops):
            kept[i] = crop
        kept.flush()
        np.save(targets_path, np.stack(targets).astype(np.float32))
    return np.load(crops_path, mmap_mode="r"), np.load(targets_path)
