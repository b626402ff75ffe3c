"""Flat cards by the ten thousand: what the reader sees, from scans and from photographs, with all that can go wrong."""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from models.cards.cache import decode
from models.cards.classes import BACK, INDEX, LABELS
from models.cards.drawn import drawn_decks
from models.cards.lighting import light_up, photograph
from models.cards.scenes import clutter, fingers, paste, rounded, vary_card
from models.cards.sources import load_backgrounds, load_decks
from models.cards.train_corners import jitter_box, jitter_corners
from vision.cards.geometry import MARGIN, PATCH, box_corners, flat_frame, flatten, seen_mask, usable
from vision.cards.locate import CornerFinder

Image = np.ndarray
Rng = np.random.Generator
WORK = (192, 288)  # the size at which flat cards are composed
FOUND = 0.7  # of the cards of a scene: cut with corners that the networks found
WIDE_MARGIN = 0.18  # photographs' flat cards are kept with this margin, so that their corners can be jittered


def halve(art: Image) -> Image:
    """A scan at the size of the flat card: everything after it costs a third."""
    return cv2.resize(art, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)


def masked(image: Image, corners: np.ndarray, outline: np.ndarray) -> Image:
    """What the reader sees of a card: its flat picture, and as a fourth channel the box around what is seen of it."""
    return np.dstack([flatten(image, corners), seen_mask(outline, corners)])


def found_box(mine: np.ndarray, rng: Rng) -> np.ndarray:
    """The corners of a box as a detector would find it around the pixels that are seen (a mask), the card lying askew.

    The flat canvas has forgotten how the card lay on the photograph, so any turn and stretch is as good as another.
    """
    ys, xs = np.nonzero(mine[::3, ::3])
    points = np.column_stack([xs, ys]) * 3.0
    angle = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    there = np.diag(np.exp(rng.normal(0, 0.15, 2))) @ turn
    moved = points @ there.T
    box = jitter_box(np.concatenate([moved.min(0), moved.max(0)]), rng)
    return box_corners(box) @ np.linalg.inv(there).T


def spoil(image: Image, rng: Rng, least: float = 40, most: float = 230) -> Image:
    """Lose the detail that a camera at some distance loses, with light and noise at that resolution."""
    length = float(np.exp(rng.uniform(np.log(least), np.log(most))))
    scale = min(1.0, length / (image.shape[0] / (1 + 2 * WIDE_MARGIN)))
    small = cv2.resize(image, None, fx=scale, fy=scale * np.exp(rng.normal(0, 0.12)), interpolation=cv2.INTER_AREA)
    return photograph(light_up(small, rng), rng, strong=0.8)


def cover(canvas: Image, owner: np.ndarray, deck: dict[str, Image], length: float, rng: Rng) -> None:
    """Lay another card over part of the canvas: fanned to a side, or across."""
    width, height = canvas.shape[1], canvas.shape[0]
    labels = list(deck)
    patch, mask = rounded(vary_card(deck[labels[rng.integers(len(labels))]], rng), rng.uniform(0.02, 0.09), rng)
    h, w = patch.shape[:2]
    if rng.random() < 0.55:
        angle = rng.normal(0, 0.35) + np.pi * int(rng.integers(2))
        away = rng.uniform(0.18, 0.95)
        side = rng.uniform(0, 2 * np.pi)
        x = width / 2 + np.cos(side) * away * length * 0.65
        y = height / 2 + np.sin(side) * away * length
    else:
        angle = rng.uniform(0, 2 * np.pi)
        x, y = rng.uniform(-0.1, 1.1) * width, rng.uniform(-0.1, 1.1) * height
    c, s, k = np.cos(angle), np.sin(angle), length / h
    place = (
        np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
        @ np.diag([k, k, 1.0])
        @ np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1]])
    )
    paste(canvas, owner, patch, mask, place, name=2)


def any_back(decks: dict[str, dict[str, Image]], rng: Rng) -> Image:
    """A card back: a scanned one in any colour, or a drawn lattice."""
    backs = [d[BACK] for d in decks.values() if BACK in d]
    if not backs or rng.random() < 0.35:
        tile = int(rng.integers(4, 24))
        art = np.full((320, 207, 3), rng.uniform(0, 255, 3), np.uint8)
        ink = [float(v) for v in rng.uniform(0, 255, 3)]
        for i in range(-320, 540, tile):
            cv2.line(art, (i, 0), (i + 320, 320), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
            cv2.line(art, (i, 320), (i + 320, 0), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
        edge = int(rng.integers(4, 18))
        cv2.rectangle(art, (0, 0), (206, 319), (240, 240, 240), edge)
        return art
    art = backs[rng.integers(len(backs))]
    hsv = cv2.cvtColor(art, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + rng.integers(180)) % 180
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)


def scanned_flat(
    decks: dict[str, dict[str, Image]], owners: dict[str, list[str]], grounds: list[Image], rng: Rng
) -> tuple[Image, int, int, str]:
    """One (masked flat card, face, upside down, deck) from the scans; covered, lit, blurred, badly cut."""
    while True:
        label = LABELS[rng.integers(len(LABELS))] if rng.random() < 0.98 else BACK
        name = owners[label][rng.integers(len(owners[label]))] if label != BACK else next(iter(decks))
        art = any_back(decks, rng) if label == BACK else decks[name][label]
        width, height = WORK
        ground = grounds[rng.integers(len(grounds))]
        y, x = rng.integers(max(1, ground.shape[0] - height)), rng.integers(max(1, ground.shape[1] - width))
        canvas = cv2.resize(ground[y : y + height, x : x + width], WORK)
        owner = np.zeros((height, width), np.int16)
        frame = flat_frame(WORK, WIDE_MARGIN)
        length = float(frame[3, 1] - frame[0, 1])
        for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.4 else 0):
            cover(canvas, owner, decks[name], length, rng)
        patch, mask = rounded(vary_card(art, rng), rng.uniform(0.02, 0.09), rng)
        h, w = patch.shape[:2]
        matrix = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), frame)
        paste(canvas, owner, patch, mask, matrix, name=1)
        whole = int((owner == 1).sum())
        if rng.random() < 0.65:
            for _ in range(1 if rng.random() < 0.65 else 2):
                cover(canvas, owner, decks[name], length, rng)
        if rng.random() < 0.12:
            fingers(canvas, owner, rng.uniform(0, 1, 2) * WORK, length, rng)
        if rng.random() < 0.06:
            clutter(canvas, owner, length * 0.5, rng)
        if (owner == 1).sum() > 0.16 * whole:
            break
    outline = found_box(owner == 1, rng)
    seen = spoil(canvas, rng)
    outline = outline * np.array(seen.shape[1::-1]) / WORK
    upside = int(rng.integers(2))
    frame = flat_frame((seen.shape[1], seen.shape[0]), WIDE_MARGIN)
    corners = jitter_corners(np.roll(frame, 2 * upside, 0), rng, 0.012)
    return masked(seen, corners, outline), INDEX[label], upside, name


def photo_flat(flat: Image, outline: np.ndarray, decks: dict[str, dict[str, Image]], rng: Rng) -> Image:
    """Another look of a photographed flat card (kept with the wide margin, the box on it as `outline`), masked."""
    canvas = flat.copy()
    if rng.random() < 0.3:
        owner = np.zeros(canvas.shape[:2], np.int16)
        names = list(decks)
        cover(canvas, owner, decks[names[rng.integers(len(names))]], canvas.shape[0] / (1 + 2 * WIDE_MARGIN), rng)
        if (owner == 2).mean() > 0.45:
            canvas = flat.copy()
    if rng.random() < 0.3:
        hsv = cv2.cvtColor(canvas, cv2.COLOR_BGR2HSV).astype(np.int16)
        hsv[..., 0] = (hsv[..., 0] + rng.integers(-6, 7)) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.6, 1.4), 0, 255)
        canvas = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)
    seen = spoil(canvas, rng, 60, 280)
    frame = flat_frame((seen.shape[1], seen.shape[0]), WIDE_MARGIN)
    corners = jitter_corners(frame, rng, float(rng.choice([0.01, 0.03])))
    return masked(seen, corners, outline * np.array(seen.shape[1::-1]) / WORK)


def scene_flats(
    records: list, cache: Path, seed: int, finder: CornerFinder, leave_out: tuple[str, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Masked flat cards with their facts (face, upside down) from composed scenes, cut as wrongly as in earnest.

    Most are cut by the corner networks themselves, for their mistakes with covered cards have a shape of their own.
    Cut once and kept; those of the decks left out are not given.
    """
    path = cache / f"cuts-{len(records)}-{seed}-{finder.version}-{PATCH[1]}.npz"
    if not path.exists():
        pictures, facts, names = _cut_scenes(records, np.random.default_rng(seed), finder)
        np.savez(path, pictures=pictures, facts=facts, decks=names)
    with np.load(path) as saved:
        known = ~np.isin(saved["decks"], leave_out)
        return saved["pictures"][known], saved["facts"][known]


def _cut_scenes(records: list, rng: Rng, finder: CornerFinder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pictures, facts, names = [], [], []
    for n, record in enumerate(records):
        image = decode(record["jpeg"])
        boxes = np.array([jitter_box(box, rng) for box in record["boxes"]])
        found = finder.find(image, boxes)
        columns = ("labels", "decks", "corners", "visible")
        for label, deck, corners, visible, box, quad in zip(*(record[c] for c in columns), boxes, found, strict=True):
            if visible < 0.16 or np.linalg.norm(corners[3] - corners[0]) < 34:
                continue
            upside = int(rng.integers(2))
            guess = jitter_corners(np.roll(corners, 2 * upside, 0), rng, float(rng.choice([0.008, 0.02, 0.04])))
            if usable(quad) and rng.random() < FOUND:
                guess, upside = quad.astype(np.float32), which_end(quad, corners)
            if usable(guess):
                pictures.append(masked(image, guess, box_corners(box)))
                facts.append((INDEX[label], upside))
                names.append(deck)
        if n % 50 == 49:
            print(f"\rscenes cut {n + 1}/{len(records)}", end="", flush=True)
    print()
    return np.stack(pictures), np.array(facts, np.int64), np.array(names)


def which_end(quad: np.ndarray, corners: np.ndarray) -> int:
    """1 where the found corners begin at the other end than the true ones, −1 where that cannot be said."""
    here, turned = (float(np.abs(np.roll(quad, k, 0) - corners).sum()) for k in (0, 2))
    if min(here, turned) > 0.5 * max(here, turned):
        return -1
    return int(turned < here)


def _some(job: tuple[Path, Path, int, int, bool]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    data, cache, count, seed, drawn = job
    cv2.setNumThreads(1)
    grounds = load_backgrounds(data, 600)
    decks = drawn_decks(cache) if drawn else load_decks(data)
    decks = {name: {label: halve(art) for label, art in deck.items()} for name, deck in decks.items()}
    owners = {label: [n for n, d in decks.items() if label in d] for label in LABELS}
    rng = np.random.default_rng(seed)
    pictures = np.empty((count, PATCH[1], PATCH[0], 4), np.uint8)
    facts = np.empty((count, 2), np.int64)
    names = []
    for i in range(count):
        pictures[i], facts[i, 0], facts[i, 1], name = scanned_flat(decks, owners, grounds, rng)
        names.append(name)
    return pictures, facts, names


def scanned_flats(
    data: Path,
    cache: Path,
    count: int,
    seed: int,
    *,
    leave_out: tuple[str, ...] = (),
    drawn: bool = False,
    workers: int = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """Flat cards with their facts (face, upside down), scanned or drawn, `count` made once and kept.

    Those of the decks left out are made all the same and not given: one cache serves every choice of decks.
    """
    kind = "drawn" if drawn else "scanned"
    path = cache / f"flats-{count}-{seed}-{kind}-{PATCH[1]}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        if drawn:
            drawn_decks(cache)  # drawn before the workers start, so that each only loads them
        size = 1000
        jobs = [(data, cache, min(size, count - i), seed * 7919 + i, drawn) for i in range(0, count, size)]
        parts = []
        if len(jobs) == 1 or workers <= 1:
            made = map(_some, jobs)
            for part in made:
                parts.append(part)
                print(f"\rflat cards {len(parts) * size}/{count}", end="", flush=True)
        else:
            with get_context("spawn").Pool(workers) as pool:
                for part in pool.imap_unordered(_some, jobs):
                    parts.append(part)
                    print(f"\rflat cards {len(parts) * size}/{count}", end="", flush=True)
        print()
        names = np.array([name for part in parts for name in part[2]])
        pictures, facts = (np.concatenate([part[k] for part in parts]) for k in range(2))
        np.savez(path, pictures=pictures, facts=facts, decks=names)
    with np.load(path) as saved:
        known = ~np.isin(saved["decks"], leave_out)
        return saved["pictures"][known], saved["facts"][known]


__all__ = ["MARGIN", "masked", "photo_flat", "scanned_flat", "scanned_flats", "scene_flats"]
