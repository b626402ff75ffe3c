"""Single corners of tiles drawn straight into the reader's crop, by the hundred thousand and in any style.

A whole scene costs a third of a second and shows a dozen tiles of one style. The reader only ever sees the upper half
of one tile with what happens to lie around it; that can be painted in a millisecond, each time as another set in
another light. Scenes still teach it what true perspective, walls and shadows look like.
"""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np

from models.tiles.samples import NOTHING
from models.tiles.sets import GLYPH, PIP_LAYOUTS, TileSet, random_set
from vision.tiles.geometry import READ_SIZE, READ_TRIANGLE, side

FINER = 2  # the crop is painted this much finer and then made small
SIDE = float(side(READ_TRIANGLE)) * FINER


def _texture(r: np.random.Generator, size: int, s: TileSet) -> np.ndarray:
    """The face of one tile before anything is printed on it."""
    tint = float(r.uniform(0.75, 1.2)) if s.wood else float(r.uniform(0.95, 1.05))
    base = np.ones((size, size), np.float32) * tint
    if s.wood:
        angle = float(r.uniform(0, math.pi))
        ys, xs = np.mgrid[0:size, 0:size].astype(np.float32) * (38.0 / SIDE)
        along, across = xs * math.cos(angle) + ys * math.sin(angle), -xs * math.sin(angle) + ys * math.cos(angle)
        wave = across + 1.5 * np.sin(along / float(r.uniform(6, 30)) + float(r.uniform(0, 6))) + 0.01 * along**2
        rings = sum(
            np.sin(wave * float(r.uniform(0.8, 6)) + float(r.uniform(0, 6))) * float(r.uniform(0.3, 1))
            for _ in range(3)
        )
        pores = r.normal(0, 1, (size // 2, size // 12)).astype(np.float32)
        pores = cv2.resize(pores, (size * 2, size * 2))
        turn = cv2.getRotationMatrix2D((size, size), math.degrees(-angle), 1.0)
        pores = cv2.warpAffine(pores, turn, (size * 2, size * 2), borderMode=cv2.BORDER_REFLECT)[
            size // 2 : size // 2 + size, size // 2 : size // 2 + size
        ]
        base *= 1 + s.wood * (0.4 * rings + 0.5 * pores)
    else:
        slow = cv2.resize(r.normal(0, 1, (4, 4)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
        base *= 1 + 0.012 * slow
    return np.clip(s.face * base[..., None], 0, 255)


def _paint(canvas: np.ndarray, mask: np.ndarray, color: np.ndarray, alpha: float = 1.0) -> None:
    cover = (mask.astype(np.float32) * (alpha / 255))[..., None]
    canvas += cover * (color - canvas)


def _polygon(size: int, points: np.ndarray) -> np.ndarray:
    mask = np.zeros((size, size), np.uint8)
    cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return mask


def _tile(canvas: np.ndarray, corners: np.ndarray, numbers: np.ndarray, s: TileSet, r: np.random.Generator) -> None:
    """Paint a tile: wall, face, border, pin, and the values at its corners."""
    size = canvas.shape[0]
    middle = corners.mean(0)
    shrunk = middle + (corners - middle) * (1 - s.gutter)
    wall = shrunk + np.array(s.lean) * SIDE
    hull = cv2.convexHull(np.concatenate([shrunk, wall]).astype(np.float32))[:, 0]
    _paint(canvas, _polygon(size, hull), s.wall * float(r.uniform(0.85, 1.05)))
    mask = _polygon(size, shrunk)
    if r.random() < 0.5:
        mask = cv2.GaussianBlur(mask, (0, 0), float(r.uniform(0.5, 2.5)))
    cover = (mask.astype(np.float32) / 255)[..., None]
    canvas += cover * (_texture(r, size, s) - canvas)
    if s.border:
        line = np.zeros((size, size), np.uint8)
        inner = middle + (corners - middle) * (1 - 3.46 * s.border)
        cv2.polylines(line, [np.round(inner * 16).astype(np.int32)], True, 255, int(r.integers(1, 4)), cv2.LINE_AA, 4)
        _paint(canvas, line, s.inks[0])
    if s.pin:
        _disc(canvas, middle, s.pin * SIDE, np.array([110, 150, 170.0]) * float(r.uniform(0.6, 1.3)))
    reach = s.height * 0.5 if not s.pips else s.gap * 0.85 + s.radius
    near, far = reach * 1.75 + 0.05, min(0.42, reach * 2.2 + 0.16)
    inset = (near + (max(far, near + 0.02) - near) * s.inset) * SIDE
    for k in range(3):
        toward = middle - corners[k]
        toward = toward / np.linalg.norm(toward)
        spot = corners[k] + toward * inset
        turn = math.degrees(math.atan2(toward[1], toward[0])) - 90  # 0: the corner is up
        if s.pips:
            _pips(canvas, spot, turn, int(numbers[k]), s, r)
        else:
            turn = (turn if not s.upright else float(r.choice([0.0, 120.0, 240.0]))) + s.turn
            _numeral(canvas, spot, turn + float(r.normal(0, 2)), int(numbers[k]), s)


def _numeral(canvas: np.ndarray, spot: np.ndarray, turn: float, value: int, s: TileSet) -> None:
    scale = s.height * SIDE / (0.7 * GLYPH)
    matrix = cv2.getRotationMatrix2D((GLYPH / 2, GLYPH / 2), -turn, scale)
    matrix[:, 2] += spot - GLYPH / 2
    mask = cv2.warpAffine(s.glyphs[value], matrix, canvas.shape[1::-1], flags=cv2.INTER_LINEAR)
    _paint(canvas, mask, s.inks[value])


def _disc(canvas: np.ndarray, at: np.ndarray, radius: float, color: np.ndarray, alpha: float = 1.0) -> None:
    size = canvas.shape[0]
    x0, y0 = (max(0, int(v - radius - 2)) for v in at)
    x1, y1 = (min(size, int(v + radius + 3)) for v in at)
    if x0 >= x1 or y0 >= y1:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    centre = (round((at[0] - x0) * 16), round((at[1] - y0) * 16))
    cv2.circle(mask, centre, max(1, round(radius * 16)), 255, -1, cv2.LINE_AA, 4)
    _paint(canvas[y0:y1, x0:x1], mask, color, alpha)


def _pips(canvas: np.ndarray, spot: np.ndarray, turn: float, value: int, s: TileSet, r: np.random.Generator) -> None:
    if value == 0:
        return
    layouts = PIP_LAYOUTS[value]
    layout = layouts[(s.layouts[value] if r.random() > s.loose * 0.3 else int(r.integers(9))) % len(layouts)]
    angle = math.radians(turn + s.flips[value] + float(r.normal(0, 9)) * s.loose)
    c, n = math.cos(angle), math.sin(angle)
    shift = r.normal(0, 0.012, 2) * s.loose * SIDE
    lit = np.array([math.cos(s.light), math.sin(s.light)])
    for across, down in layout:
        x, y = across + float(r.normal(0, 0.08)) * s.loose, down + float(r.normal(0, 0.08)) * s.loose
        at = spot + shift + np.array([c * x - n * y, n * x + c * y]) * s.gap * 0.85 * SIDE
        radius = s.radius * SIDE * (1 + 0.1 * s.loose * float(r.normal()))
        ink = s.inks[value] * (1 + 0.15 * s.loose * float(r.normal()))
        if s.drilled:
            _disc(canvas, at, radius * 1.15, s.face * 0.5, s.drilled)
        _disc(canvas, at, radius, ink)
        if s.drilled:
            _disc(canvas, at + lit * radius * 0.3, radius * 0.68, ink * 0.55, s.drilled * 0.8)
            _disc(canvas, at - lit * radius * 0.45, radius * 0.35, ink * 0.7 + 75, s.drilled * 0.7)


def _ground(r: np.random.Generator, size: int, tables: list[np.ndarray]) -> np.ndarray:
    """The table behind: a photograph's patch, or a colour with blotches."""
    if tables and r.random() < 0.6:
        table = tables[int(r.integers(len(tables)))]
        part = int(r.integers(24, 160))
        y, x = int(r.integers(0, table.shape[0] - part)), int(r.integers(0, table.shape[1] - part))
        return cv2.resize(table[y : y + part, x : x + part], (size, size)).astype(np.float32)
    base = r.uniform(10, 250, 3).astype(np.float32)
    few = int(r.integers(2, 24))
    blotch = cv2.resize(r.normal(0, 1, (few, few)).astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)
    return np.clip(base * (1 + float(r.uniform(0, 0.25)) * blotch[..., None]), 0, 255).astype(np.float32)


def corner_sample(r: np.random.Generator, tables: list[np.ndarray]) -> tuple[np.ndarray, int]:
    """One crop (READ_SIZE square, BGR) as the reader gets it, and its value (`NOTHING` where there is none)."""
    size = READ_SIZE * FINER
    canvas = _ground(r, size, tables)
    s = random_set(r)
    home = (READ_TRIANGLE.astype(np.float64) + 0.5) * FINER - 0.5
    loose = SIDE / math.sqrt(3)
    true = home + r.normal(0, 0.018 * loose, 2) + r.normal(0, 0.014 * loose, (3, 2))
    value = int(r.integers(6))
    nothing = r.random() < 0.06
    a, b, c = true
    around = [np.array([a, c, a + c - b]), np.array([b, a, a + b - c])]  # those that share a side at the corner
    opposite = [np.array([a, a + c - b, a + a - b]), np.array([a, a + a - c, a + b - c])]
    for triangle in opposite + around:
        if r.random() < (0.25 if triangle is opposite[0] or triangle is opposite[1] else 0.5):
            shake = r.normal(0, 0.01 * SIDE, 2) if r.random() < 0.4 else 0.0
            _tile(canvas, triangle + shake, r.integers(0, 6, 3), s, r)
    if r.random() < 0.5 and not nothing:
        shadow = _polygon(size, true + np.array(s.lean) * SIDE * float(r.uniform(1, 3)) + r.normal(0, 0.03 * SIDE, 2))
        shadow = cv2.GaussianBlur(shadow, (0, 0), float(r.uniform(1, 8)))
        canvas *= 1 - float(r.uniform(0.2, 0.7)) * (shadow.astype(np.float32) / 255)[..., None]
    if not nothing:
        _tile(canvas, true, np.array([value, r.integers(6), r.integers(6)]), s, r)
        if r.random() < 0.03:  # a hand or a cup over the value
            _cover(canvas, r)
            nothing = True
    return developed(canvas, r), NOTHING if nothing else value


def _cover(canvas: np.ndarray, r: np.random.Generator) -> None:
    size = canvas.shape[0]
    color = np.array([130, 160, 210.0]) * float(r.uniform(0.4, 1.1)) if r.random() < 0.6 else r.uniform(0, 255, 3)
    mask = np.zeros((size, size), np.uint8)
    at = (int(size * r.uniform(0.4, 0.6)), int(size * r.uniform(0.45, 0.6)))
    cv2.ellipse(
        mask,
        at,
        (int(size * r.uniform(0.32, 0.7)), int(size * r.uniform(0.32, 0.7))),
        float(r.uniform(0, 180)),
        0,
        360,
        255,
        -1,
    )
    _paint(canvas, cv2.GaussianBlur(mask, (0, 0), 2), color)


def developed(canvas: np.ndarray, r: np.random.Generator) -> np.ndarray:
    """What a camera makes of it: light, lens, sensor and JPEG."""
    size = canvas.shape[0]
    out = canvas * np.exp(r.normal(0, 0.1, 3)).astype(np.float32)
    if r.random() < 0.3:
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * float(r.uniform(0.15, 1.4))
    out *= math.exp(float(r.normal(-0.12, 0.3)))
    if r.random() < 0.35:
        angle, ys = float(r.uniform(0, 6.3)), np.linspace(-1, 1, size, dtype=np.float32)
        slope = ys[None, :] * math.cos(angle) + ys[:, None] * math.sin(angle)
        out *= np.exp(slope * float(r.uniform(0.05, 0.5)))[..., None]
    if r.random() < 0.25:  # haze or glare: black is no longer black
        angle, ys = float(r.uniform(0, 6.3)), np.linspace(-1, 1, size, dtype=np.float32)
        slope = ys[None, :] * math.cos(angle) + ys[:, None] * math.sin(angle) - float(r.uniform(-1, 1))
        out += (float(r.uniform(20, 130)) / (1 + np.exp(-slope * float(r.uniform(1, 5)))))[..., None]
    # how large the tile was on the sensor: from far smaller than the crop to larger
    seen = int(np.clip(READ_SIZE * math.exp(float(r.uniform(math.log(0.5), math.log(2.2)))), 12, size))
    blur = (
        float(r.choice([0.0, 0.3, 0.5, 0.7, 1.0]))
        * FINER
        * READ_SIZE
        / max(seen, READ_SIZE)
        * (0.5 + 0.8 * float(r.random()))
    )
    if blur:
        out = cv2.GaussianBlur(out, (0, 0), blur)
    out = cv2.resize(np.clip(out, 0, 255), (seen, seen), interpolation=cv2.INTER_AREA)
    if r.random() < 0.12:
        length = int(r.integers(2, 5))
        kernel = np.zeros((length, length), np.float32)
        if r.random() < 0.5:
            kernel[length // 2] = 1
        else:
            kernel[:, length // 2] = 1
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    if r.random() < 0.6:
        out = out + r.normal(0, float(r.uniform(1, 9)), out.shape).astype(np.float32)
    small = np.clip(out, 0, 255).astype(np.uint8)
    if r.random() < 0.5:
        coded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, int(r.integers(45, 97))])[1]
        small = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return cv2.resize(
        small, (READ_SIZE, READ_SIZE), interpolation=cv2.INTER_AREA if seen > READ_SIZE else cv2.INTER_LINEAR
    )


def patches(tables: tuple[str, ...]) -> list[np.ndarray]:
    """Photographs of tables at half their size, to lie behind the tiles."""
    pictures = [cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_2) for path in tables]
    return [picture for picture in pictures if picture is not None and min(picture.shape[:2]) > 170]


def corner_shards(folder: Path, count: int, each: int, tables: list[np.ndarray], first: int = 0) -> list[Path]:
    """`count` files of `each` crops in the folder, drawn where they are missing; the values are beside the crops."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for seed in range(first, first + count):
        path = folder / f"corners_{seed}.npz"
        if not path.exists():
            crops, values = corner_samples(each, seed, tables)
            half = path.with_suffix(".part.npz")
            np.savez(half, crops=crops, values=values)
            half.replace(path)
        paths.append(path)
    return paths


def corner_samples(count: int, seed: int, tables: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """`count` crops (n, READ_SIZE, READ_SIZE, 3) and their values (n); the same for the same seed."""
    crops = np.empty((count, READ_SIZE, READ_SIZE, 3), np.uint8)
    values = np.empty(count, np.int64)
    r = np.random.default_rng([seed, 515])
    for i in range(count):
        crops[i], values[i] = corner_sample(r, tables)
    return crops, values
