"""How pieces lie when nobody plays by the book: chains, grids, rows, fans, piles and heaps, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets.art import cards, circuits, looms, tiles
from datasets.art.canvas import Canvas
from datasets.art.sprite import Sprite
from datasets.scene import Placed, settle
from rules.triominos import Rules
from rules.triominos.lattice import Cell, corners, neighbours, position
from rules.triominos.tiles import label

Rng = np.random.Generator
Decks = Sequence[Path]
PX_PER_MM = 3.2  # as fine as a camera sees pieces on a table
RANDOM_STYLES = 60  # drawn styles beyond the named ones


def tiles_layout(rng: Rng, reserved: bool, decks: Decks = ()) -> list[Placed]:
    """Triominoes in a chain on their lattice, in a row as in a hand, or strewn."""
    seeds = tiles.TEST_STYLE_SEEDS if reserved else tiles.STYLE_SEEDS
    style = tiles.TileStyle.seeded(int(rng.choice(seeds)))
    names = [label(tile) for tile in Rules().tiles]
    chosen = rng.permutation(len(names))[: rng.integers(1, 25)]
    fine = 6.0 if len(chosen) < 5 else PX_PER_MM  # a camera comes near to few tiles, and stays away from many
    bag = [tiles.tile_sprite(names[int(i)], style, fine) for i in chosen]
    how = rng.choice(["chain", "chain", "row", "strewn"])
    if how == "strewn":
        return _strewn(rng, bag, 1.05 * style.side)
    if how == "row":
        apart = style.side * float(rng.uniform(1.02, 1.4))
        rows = [(i % 8, i // 8) for i in range(len(bag))]
        return [
            Placed(sprite, apart * (x - 3.5) + rng.normal(0, 1), apart * y + rng.normal(0, 1), rng.normal(0, 5))
            for sprite, (x, y) in zip(bag, rows, strict=True)
        ]
    cells = [Cell(0, 0, True)]
    while len(cells) < len(bag):
        around = [c for c in neighbours(cells[int(rng.integers(len(cells)))]) if c not in cells]
        if around:
            cells.append(around[int(rng.integers(len(around)))])
    turn, pitch = math.radians(float(rng.uniform(0, 360))), style.side + float(rng.uniform(0.1, 1.5))
    c, s = math.cos(turn), math.sin(turn)
    placed = []
    for sprite, cell in zip(bag, cells, strict=True):
        flat = [position(corner, pitch) for corner in corners(cell)]
        points = [(c * x - s * y, s * x + c * y) for x, y in flat]
        first = int(rng.integers(3))
        placed.append(Placed.by_corners(sprite, points[first], points[(first + 1) % 3]))
    return placed


def cards_layout(rng: Rng, reserved: bool, decks: Decks = ()) -> list[Placed]:
    """Spanish cards side by side, fanned out, piled up or strewn; now and then a back or a comodín."""
    draw = _deck(rng, reserved, decks)
    how = rng.choice(["rows", "fan", "pile", "strewn", "strewn", "trick"])
    names = [*cards.LABELS, "comodin", "comodin", "back", "back"]
    count = int(rng.integers(1, {"rows": 11, "fan": 9, "pile": 9, "strewn": 13, "trick": 5}[str(how)]))
    bag = [draw(names[int(i)]) for i in rng.permutation(len(names))[:count]]
    if how == "rows":
        w, h = (float(v) for v in rng.uniform((63, 97), (90, 120)))
        return [
            Placed(sprite, w * (i % 5 - 2) + rng.normal(0, 2), h * (i // 5 - 0.5) + rng.normal(0, 2), rng.normal(0, 4))
            for i, sprite in enumerate(bag)
        ]
    if how == "fan":
        step, radius, start = float(rng.uniform(6, 22)), float(rng.uniform(110, 260)), float(rng.uniform(0, 360))
        placed = []
        for i, sprite in enumerate(bag):
            turn = start + step * (i - (count - 1) / 2)
            a = math.radians(turn - 90)
            placed.append(Placed(sprite, radius * (math.cos(a)), radius * math.sin(a), turn + rng.normal(0, 2)))
        x, y = np.mean([(p.x, p.y) for p in placed], axis=0)
        return settle([Placed(p.sprite, p.x - float(x), p.y - float(y), p.turn) for p in placed])
    if how == "pile":
        mess = float(rng.uniform(1, 14))
        turn = float(rng.uniform(0, 360))
        xy = rng.normal(0, mess, (count, 2))
        return settle(
            [Placed(s, float(x), float(y), turn + rng.normal(0, mess)) for s, (x, y) in zip(bag, xy, strict=True)]
        )
    if how == "trick":
        return [
            Placed(s, 60 * math.cos(i * math.pi / 2), 60 * math.sin(i * math.pi / 2), 90 * i + 90 + rng.normal(0, 8))
            for i, s in enumerate(bag)
        ]
    return _strewn(rng, bag, float(rng.choice([20.0, 45.0, 75.0])))


def circuits_layout(rng: Rng, reserved: bool, decks: Decks = ()) -> list[Placed]:
    """Tronix cards grown together on a grid, sometimes with loose ones beside it."""
    names = [name for name in circuits.STYLES if (name in circuits.RESERVED) == reserved]
    if reserved or rng.random() < 0.4:
        style = circuits.STYLES[names[int(rng.integers(len(names)))]]
    else:
        style = circuits.random_style(rng)
    over = str(rng.choice(["green", "pink"]))
    faces = [circuits.circuit_sprite(face, style, PX_PER_MM, over=over) for face in circuits.default_faces()]
    cells = [(0, 0)]
    for _ in range(int(rng.integers(0, 14))):
        x, y = cells[int(rng.integers(len(cells)))]
        dx, dy = [(1, 0), (-1, 0), (0, 1), (0, -1)][int(rng.integers(4))]
        cells.append((x + dx, y + dy))
    gap, turn, mess = float(rng.uniform(0, 3)), float(rng.uniform(0, 360)), float(rng.uniform(0, 1))
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    placed = []
    for x, y in dict.fromkeys(cells):
        u = x * (circuits.SIZE_MM[0] + gap) + rng.normal(0, mess)
        v = y * (circuits.SIZE_MM[1] + gap) + rng.normal(0, mess)
        sprite = faces[int(rng.integers(len(faces)))]
        placed.append(Placed(sprite, c * u - s * v, s * u + c * v, turn + rng.normal(0, mess)))
    if rng.random() < 0.2:
        reach = max(math.hypot(p.x, p.y) for p in placed) + 70
        a = float(rng.uniform(0, 2 * math.pi))
        placed.append(Placed(faces[0], reach * math.cos(a), reach * math.sin(a), float(rng.uniform(0, 360))))
    return placed


def looms_layout(rng: Rng, reserved: bool, decks: Decks = ()) -> list[Placed]:
    """One to four looms side by side, each with what may be woven in some rounds."""
    family = str(rng.choice(looms.TEST_FAMILIES)) if reserved else None
    style = looms.loom_style(int(rng.integers(1 << 30)), family)
    lanes = int(rng.choice([8, 8, 8, 6, 10]))
    placed: list[Placed] = []
    count = int(rng.choice([1, 1, 2, 2, 3, 4]))
    for i in range(count):
        facts = looms.random_loom(int(rng.integers(1 << 30)), lanes)
        sprite = looms.loom_sprite(facts, style, {1: PX_PER_MM, 2: 2.2}.get(count, 1.7))
        w, h = sprite.size_mm
        apart = float(rng.uniform(12, 50))
        x, y = (i % 2) * (w + apart), (i // 2) * (h + apart)
        placed.append(Placed(sprite, x, y, float(90 * rng.integers(4) + rng.normal(0, 6))))
    return placed


LAYOUTS: dict[str, Callable[[Rng, bool, Decks], list[Placed]]] = {
    "tiles": tiles_layout,
    "cards": cards_layout,
    "looms": looms_layout,
    "circuits": circuits_layout,
}


def _strewn(rng: Rng, bag: Sequence[Sprite], apart: float) -> list[Placed]:
    """Anywhere, but no two middles nearer than `apart` where there is room."""
    spots: list[tuple[float, float]] = []
    spread = 0.75 * apart * math.sqrt(len(bag)) + 30
    for _ in bag:
        tries = rng.normal(0, spread, (12, 2)) * (1.3, 0.8)
        far = [min([math.dist(t, s) for s in spots], default=apart) for t in tries]
        good = next((i for i, d in enumerate(far) if d >= apart), int(np.argmax(far)))
        spots.append((float(tries[good][0]), float(tries[good][1])))
    return settle([Placed(s, x, y, float(rng.uniform(0, 360))) for s, (x, y) in zip(bag, spots, strict=True)])


# -- decks ------------------------------------------------------------------------------------------------------------


def _deck(rng: Rng, reserved: bool, decks: Decks) -> Callable[[str], Sprite]:
    """A deck of one style: drawn, or (half of the time where there are any) scanned."""
    if decks and rng.random() < 0.5:
        folder = decks[int(rng.integers(len(decks)))]
        return lambda name: _scanned(folder, name)
    named = [name for name in cards.STYLES if (name in cards.RESERVED) == reserved]
    if reserved or rng.random() < 0.5:
        style = named[int(rng.integers(len(named)))]
    else:
        style = str(int(rng.integers(RANDOM_STYLES)))
    return lambda name: _drawn(style, name)


@lru_cache(maxsize=600)
def _drawn(style: str, name: str) -> Sprite:
    look = cards.random_style(np.random.default_rng([int(style), 41])) if style.isdigit() else cards.STYLES[style]
    return cards.back_sprite(look, PX_PER_MM) if name == "back" else cards.card_sprite(name, look, PX_PER_MM)


@lru_cache(maxsize=600)
def _scanned(folder: Path, name: str) -> Sprite:
    """A card of a folder with one upright picture per card; one that it lacks is drawn plainly instead."""
    found = sorted(folder.glob(f"{name}.*")) + sorted(folder.glob(f"{name}-[0-9].*"))
    image = cv2.imread(str(found[0]), cv2.IMREAD_COLOR) if found else None
    if image is None:
        return _drawn("taberna", name)
    ratio = image.shape[0] / image.shape[1]
    w, h = cards.SIZE_MM[0], cards.SIZE_MM[0] * ratio
    size = (round(w * PX_PER_MM), round(h * PX_PER_MM))
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    outline = Canvas(w, h)
    outline.rect(0, 0, w, h, (255, 255, 255), 3.0)
    alpha = cv2.resize(outline.to_pixels(PX_PER_MM)[..., 3], size)
    kind, text = ("back", "") if name == "back" else ("card", name)
    edge = ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))
    return Sprite(np.dstack([image, alpha]), PX_PER_MM, edge, kind, text, 0.3, 0.4)
