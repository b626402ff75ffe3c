"""A cache of composed scenes on disk, so that no training waits for its pictures."""

from __future__ import annotations

import pickle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.cards.drawn import drawn_decks
from models.cards.scenes import compose
from models.cards.sources import load_backgrounds, load_decks, load_photos, read_picture

SIZES = ((640, 640), (640, 480), (640, 360), (480, 640), (720, 540))
DRAWN_SHARE = 0.3
Record = dict[str, Any]


def encode(image: np.ndarray) -> bytes:
    """The picture as JPEG bytes (quality 93: less than what a webcam loses itself)."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 93])[1])


def decode(data: bytes) -> np.ndarray:
    """The picture back from its bytes."""
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR))


def _some(job: tuple[Path, Path, int, int, tuple[str, ...], bool, bool]) -> list[Record]:
    data, cache, count, seed, leave_out, over_photos, heaped = job
    cv2.setNumThreads(1)
    decks, grounds = load_decks(data, leave_out), load_backgrounds(data)
    if over_photos:
        grounds = [read_picture(photo.path) for photo in load_photos(data, "train")] or grounds
    drawn = drawn_decks(cache)
    rng = np.random.default_rng(seed)
    records: list[Record] = []
    for _ in range(count):
        known = drawn if rng.random() < DRAWN_SHARE else decks
        scene = compose(known, grounds, rng, SIZES[rng.integers(len(SIZES))], heaped=heaped)
        records.append(
            {
                "jpeg": encode(scene.image),
                "labels": [c.label for c in scene.cards],
                "decks": [c.deck for c in scene.cards],
                "corners": np.array([c.corners for c in scene.cards], np.float32).reshape(-1, 4, 2),
                "boxes": np.array([c.box for c in scene.cards], np.float32).reshape(-1, 4),
                "visible": np.array([c.visible for c in scene.cards], np.float32),
            }
        )
    return records


def scenes(
    data: Path,
    cache: Path,
    count: int,
    *,
    seed: int = 0,
    leave_out: tuple[str, ...] = (),
    over_photos: bool = False,
    heaped: bool = False,
    workers: int = 2,
) -> list[Record]:
    """`count` scenes, composed once and kept in the cache folder.

    With `over_photos` the cards lie on photographs of the training side, over and beside the real cards that these
    show: of use to whoever asks for the corners of one box, not to a detector (the real cards have no labels here).
    With `heaped` the cards lie almost exactly on one another.
    """
    out = "-".join(leave_out) or "all"
    if over_photos:
        out += "-over"
    if heaped:
        out += "-heaped"
    path = cache / f"scenes-{count}-{seed}-{out}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    cache.mkdir(parents=True, exist_ok=True)
    drawn_decks(cache)  # drawn before the workers start, so that each only loads them
    size = 50
    jobs = [
        (data, cache, min(size, count - i), seed * 100003 + i, leave_out, over_photos, heaped)
        for i in range(0, count, size)
    ]
    records: list[Record] = []
    if workers <= 1 or len(jobs) == 1:
        for job in jobs:
            records += _some(job)
    else:
        with get_context("spawn").Pool(workers) as pool:
            for i, part in enumerate(pool.imap_unordered(_some, jobs)):
                records += part
                print(f"\rcomposing {min((i + 1) * size, count)}/{count}", end="", flush=True)
        print()
    path.with_suffix(".part").write_bytes(pickle.dumps(records))
    path.with_suffix(".part").rename(path)
    return records
