"""Whole tables painted flat: a set of its own in a light of its own, twenty times faster than a scene of the renderer.

The renderer's scenes (`scenes`) teach true perspective, walls and shadows, but each costs a third of a second and shows
one style of some 1,280. Painted ones show a new set each time, on a table with prints and things that are no tiles,
and what a camera makes of it. Both are `TileScene`s, and every network learns from both.
"""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

from datasets.scene.textures import KINDS, RESERVED, noise, texture
from models.tiles.camera import developed
from models.tiles.scenes import VALIDATION, TileScene, chain, corner_seen, lattice_cell
from models.tiles.sets import GLYPH, TileSet, random_set, typefaces
from vision.tiles.geometry import upright

SIZE = (640, 480)
GROUNDS = tuple((kind, seed) for kind in KINDS if kind not in RESERVED for seed in range(5))
GRAINS = 24
GRAIN_SIDE = 384


@cache
def _table(kind: str, seed: int) -> np.ndarray:
    """A table's picture at half its size."""
    image = texture(kind, seed)
    return cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)


@cache
def _grain(seed: int) -> np.ndarray:
    """Wood's light and dark, of mean 0 and unit deviation: rings, streaks and pores, or no more than a cloud."""
    r = np.random.default_rng([seed, 31])
    warp = noise(r, GRAIN_SIDE, 220, 60, 3) * float(r.uniform(2, 14))
    y = np.arange(GRAIN_SIDE, dtype=np.float32)[:, None] + warp
    rings = np.sin(y / float(r.uniform(2, 9))) + np.sin(y / float(r.uniform(8, 25)))
    streaks = noise(r, GRAIN_SIDE, float(r.uniform(60, 200)), float(r.uniform(1.5, 4)), 2)
    pores = -np.clip(noise(r, GRAIN_SIDE, float(r.uniform(8, 40)), 1.5, 1) - float(r.uniform(0.8, 1.8)), 0, 3)
    cloud = noise(r, GRAIN_SIDE, 200, 70, 3)
    mixed = np.tensordot(r.uniform(0, 1, 4), np.stack([rings, streaks, pores, cloud]), 1)
    return np.asarray((mixed - mixed.mean()) / mixed.std(), np.float32)


def _face(r: np.random.Generator, size: tuple[int, int], side: float, s: TileSet) -> np.ndarray:
    """The face of one tile before anything is printed on it."""
    tint = s.face * math.exp(float(r.normal(0, s.uneven)))
    if not s.wood:
        slow = cv2.resize(r.normal(0, 1, (4, 4)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
        return np.asarray(tint * (1 + 0.012 * slow[..., None]), np.float32)
    zoom = GRAIN_SIDE / side * math.exp(float(r.uniform(-1.6, -0.5)))
    matrix = cv2.getRotationMatrix2D((0, 0), float(r.uniform(0, 360)), zoom)
    matrix[:, 2] = r.uniform(0, GRAIN_SIDE, 2)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    grain = cv2.warpAffine(_grain(int(r.integers(GRAINS))), matrix, size, flags=flags, borderMode=cv2.BORDER_REFLECT)
    strength = s.wood * math.exp(float(r.normal(0, 0.3)))
    dark = np.clip(1 + strength * grain, 0.15, 1.8)[..., None]
    return np.asarray(tint * dark ** np.array([1.25, 1.0, 0.8], np.float32), np.float32)


def _paint(canvas: np.ndarray, mask: np.ndarray, color: np.ndarray, alpha: float = 1.0) -> None:
    cover = (mask.astype(np.float32) * (alpha / 255))[..., None]
    canvas += cover * (np.asarray(color, np.float32) - canvas)


def _box(canvas: np.ndarray, points: np.ndarray) -> tuple[slice, slice] | None:
    """The part of the canvas around some points, or None outside of it."""
    height, width = canvas.shape[:2]
    x0, y0 = (int(v) for v in np.clip(np.floor(points.min(0)) - 2, 0, (width, height)))
    x1, y1 = (int(v) for v in np.clip(np.ceil(points.max(0)) + 3, 0, (width, height)))
    return (slice(y0, y1), slice(x0, x1)) if x0 < x1 and y0 < y1 else None


def polygon(canvas: np.ndarray, points: np.ndarray, color: np.ndarray, alpha: float = 1.0) -> None:
    """Fill a polygon with smooth edges."""
    box = _box(canvas, points)
    if box is None:
        return
    mask = np.zeros(canvas[box].shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((points - (box[1].start, box[0].start)) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    _paint(canvas[box], mask, color, alpha)


def disc(canvas: np.ndarray, at: np.ndarray, radius: float, color: np.ndarray, alpha: float = 1.0) -> None:
    """Fill a circle with a smooth edge."""
    box = _box(canvas, np.array([at - radius, at + radius]))
    if box is None:
        return
    ys = np.arange(box[0].start, box[0].stop, dtype=np.float32)[:, None] - at[1]
    xs = np.arange(box[1].start, box[1].stop, dtype=np.float32)[None] - at[0]
    away = np.sqrt(xs * xs + ys * ys)  # true coverage: at a few pixels of radius, OpenCV's circles are diamonds
    _paint(canvas[box], 255 * np.clip(radius + 0.5 - away, 0, 1), color, alpha)


def rounded(corners: np.ndarray, rounding: float) -> np.ndarray:
    """The triangle's outline with its corners rounded off, `rounding` sides from each."""
    out = []
    for k in range(3):
        a, before, after = corners[k], corners[k - 1], corners[(k + 1) % 3]
        start, end = a + (before - a) * 2 * rounding, a + (after - a) * 2 * rounding
        for t in (0.0, 0.25, 0.5, 0.75, 1.0):
            out.append((1 - t) ** 2 * start + 2 * t * (1 - t) * a + t**2 * end)
    return np.array(out)


def paint_tile(r: np.random.Generator, s: TileSet, numbers: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray]:
    """A tile by itself (BGR, float), the first value up, and where its corners are on the picture."""
    size = (int(side * 1.1) + 4, int(side * 0.96) + 4)
    corners = upright(side / math.sqrt(3), size[0] / 2, side / math.sqrt(3) + side * 0.04).astype(float)
    canvas = _face(r, size, side, s)
    middle = corners.mean(0)
    if s.border:
        line = np.zeros(size[::-1], np.uint8)
        inner = middle + (corners - middle) * (1 - 3.46 * s.border)
        thick = max(1, round(side * float(r.uniform(0.008, 0.02))))
        cv2.polylines(line, [np.round(inner * 16).astype(np.int32)], True, 255, thick, cv2.LINE_AA, 4)
        _paint(canvas, line, s.inks[0])
    if s.pin:
        disc(canvas, middle, s.pin * side, np.array([110, 150, 170.0]) * float(r.uniform(0.6, 1.3)))
    for k in range(3):
        value = int(numbers[k])
        inward = (middle - corners[k]) / np.linalg.norm(middle - corners[k])
        spot = corners[k] + inward * s.insets[value] * side
        if s.pips:
            _pips(canvas, spot, inward, value, side, s, r)
        else:
            turn = float(r.choice([0.0, 120.0, 240.0])) if s.upright else 120.0 * k
            _numeral(canvas, spot, turn + s.turn + float(r.normal(0, 2)), value, side, s)
    return canvas, corners


def _numeral(canvas: np.ndarray, spot: np.ndarray, turn: float, value: int, side: float, s: TileSet) -> None:
    scale = s.height * side / (0.7 * GLYPH)
    glyph = s.glyphs[value]
    if scale < 0.5:
        glyph, scale = cv2.resize(glyph, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), scale * 2
    matrix = cv2.getRotationMatrix2D((glyph.shape[1] / 2, glyph.shape[0] / 2), -turn, scale)
    matrix[:, 2] += spot - (glyph.shape[1] / 2, glyph.shape[0] / 2)
    _paint(canvas, cv2.warpAffine(glyph, matrix, canvas.shape[1::-1], flags=cv2.INTER_LINEAR), s.inks[value])


def _pips(
    canvas: np.ndarray, spot: np.ndarray, inward: np.ndarray, value: int, side: float, s: TileSet,
    r: np.random.Generator,
) -> None:  # fmt: skip
    spots = s.arrangements[value]
    if s.loose and r.random() < 0.5:
        spots = spots * (-1, 1)
    turn = math.radians(float(r.normal(0, 7)) * s.loose)
    c, n = math.cos(turn), math.sin(turn)
    across = np.array([inward[1], -inward[0]])
    shift = r.normal(0, 0.012, 2) * s.loose
    lit = np.array([math.cos(s.light), math.sin(s.light)])
    for planned in spots:
        x, y = planned + r.normal(0, 0.006, 2) * s.loose
        at = spot + (shift + across * (c * x - n * y) + inward * (n * x + c * y)) * side
        radius = s.radius * side * (1 + 0.08 * s.loose * float(r.normal()))
        ink = np.clip(s.inks[value] * (1 + 0.12 * s.loose * float(r.normal())), 0, 255)
        if s.drilled:
            disc(canvas, at, radius * 1.15, s.face * 0.45, s.drilled)
        disc(canvas, at, radius, ink)
        if s.drilled:
            disc(canvas, at + lit * radius * 0.3, radius * 0.68, ink * 0.55, s.drilled * 0.8)
            disc(canvas, at - lit * radius * 0.45, radius * 0.35, ink * 0.7 + 75, s.drilled * 0.7)


def ground(r: np.random.Generator, tables: tuple[str, ...]) -> np.ndarray:
    """The table: a photograph's part or a drawn texture in any colour, now and then with prints upon it."""
    width, height = SIZE
    if tables and r.random() < 0.5:
        picture = _table(tables[int(r.integers(len(tables)))], 0)
    else:
        picture = _table(*GROUNDS[int(r.integers(len(GROUNDS)))])
    zoom = math.exp(float(r.uniform(-1.2, 0.3)))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), float(r.uniform(0, 360)), zoom)
    matrix[:, 2] += r.uniform(-100, 100, 2)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    canvas = cv2.warpAffine(picture, matrix, SIZE, flags=flags, borderMode=cv2.BORDER_REFLECT).astype(np.float32)
    if r.random() < 0.5:
        canvas *= np.exp(r.normal(0, 0.35, 3)).astype(np.float32)
    if r.random() < 0.25:  # a sheet of paper or a cloth lies on it
        signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        sheet = np.array(SIZE) * (0.5 + signs * r.uniform(0.25, 0.45, (4, 2)))
        polygon(canvas, sheet, r.uniform(0.6, 1) * np.array([225, 235, 240]) + r.normal(0, 12, 3))
    if r.random() < 0.45:
        _prints(canvas, r)
    return np.clip(canvas, 0, 255)


def _prints(canvas: np.ndarray, r: np.random.Generator) -> None:
    """Flowers, dots, leaves, slices: what cloths have on them and what is no tile."""
    width, height = SIZE
    colors = [r.uniform(5, 250, 3) for _ in range(3)]
    if r.random() < 0.3:
        step, radius = float(r.uniform(18, 80)), float(r.uniform(2, 7))
        for i in range(int(width * height / step**2)):
            row, column = divmod(i, int(width / step) + 1)
            disc(canvas, np.array([(column + 0.5 * (row % 2)) * step, row * step]), radius, colors[0])
    for _ in range(int(r.integers(2, 14))):
        at, reach = r.uniform(0, 1, 2) * SIZE, float(r.uniform(8, 60))
        color = colors[int(r.integers(3))] + r.normal(0, 15, 3)
        n = int(r.integers(3, 9))
        angles = np.sort(r.uniform(0, 2 * math.pi, n))
        form = at + np.stack([np.cos(angles), np.sin(angles)], -1) * reach * r.uniform(0.5, 1, (n, 1))
        if n == 3 and np.diff(np.append(angles, angles[0] + 2 * math.pi)).max() < 2.6:
            continue  # too much like a tile's own form
        if n > 4:
            form = np.concatenate([rounded(form[[i - 1, i, (i + 1) % n]], 0.25)[5:10] for i in range(n)])
        polygon(canvas, form, color)
        for _ in range(int(r.integers(0, 9))):
            disc(canvas, at + r.normal(0, reach * 0.4, 2), float(r.uniform(1, 5)), color * float(r.uniform(0.4, 1.8)))


def _poses(r: np.random.Generator, side: float) -> list[tuple[float, float, float]]:
    """Poses (x, y, turn in degrees) of tiles around the middle, in sides."""
    width, height = SIZE[0] / side, SIZE[1] / side
    kind = r.random()
    poses: list[tuple[float, float, float]] = []
    if kind < 0.3:
        gap = 1 + float(r.choice([0.0, 0.01, 0.03, 0.06]))
        wobble = float(r.choice([0.0, 0.004, 0.015]))
        cells = [lattice_cell(cell, gap) for cell in chain(r, int(r.integers(2, 12)))]
        middle = np.mean([cell[:2] for cell in cells], axis=0)
        return [(x - middle[0] + r.normal(0, wobble), y - middle[1] + r.normal(0, wobble), t) for x, y, t in cells]
    apart = float(r.uniform(0.82, 1.6))
    for _ in range(int(r.integers(1, 40))):
        x, y = float(r.uniform(-width, width) * 0.48), float(r.uniform(-height, height) * 0.48)
        if all(math.hypot(x - px, y - py) > apart for px, py, _ in poses):
            poses.append((x, y, float(r.uniform(0, 360))))
        if len(poses) >= 12:
            break
    return poses


def _project(r: np.random.Generator, poses: list[tuple[float, float, float]], side: float) -> np.ndarray:
    """The corners (n, 3, 2) of the tiles on a picture taken from somewhere above."""
    a, b = (float(r.uniform(0, 2 * math.pi)) for _ in range(2))
    squeeze = float(r.uniform(0.62, 1.0))
    view = rotation(a) @ np.diag([1.0, squeeze]) @ rotation(b)
    far = rotation(a)[:, 1] * (1 - squeeze) * float(r.uniform(0, 0.35)) * side / SIZE[0]
    corners = []
    for x, y, degrees in poses:
        flat = (upright(1 / math.sqrt(3), 0, 0) @ rotation(math.radians(degrees)).T + (x, y)) @ view.T
        corners.append(side * flat / (1 + flat @ far)[:, None] + np.array(SIZE) / 2)
    return np.array(corners, float).reshape(-1, 3, 2)


def rotation(angle: float) -> np.ndarray:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def walls(canvas: np.ndarray, corners: np.ndarray, foot: np.ndarray, s: TileSet, r: np.random.Generator) -> None:
    """What is seen of a tile's sides: `foot` is where the outline stands on the table."""
    polygon(canvas, cv2.convexHull(np.concatenate([corners, foot]).astype(np.float32))[:, 0], s.wall)
    lit = np.array([math.cos(s.light), math.sin(s.light)])
    middle = corners.mean(0)
    for k in range(3):
        a, b = corners[k], corners[(k + 1) % 3]
        outward = (a + b) / 2 - middle
        if float(outward @ (foot[k] - a)) > 0:
            shade = 1 + 0.5 * float(outward @ lit) / float(np.linalg.norm(outward)) + float(r.normal(0, 0.1))
            polygon(canvas, np.array([a, b, foot[(k + 1) % 3], foot[k]]), np.clip(s.wall * shade, 0, 255))


def _numbers(r: np.random.Generator) -> np.ndarray:
    """Three values, often with two or three alike, as on many tiles of a box."""
    numbers = r.integers(0, 6, 3)
    if r.random() < 0.3:
        numbers[1] = numbers[0]
    if r.random() < 0.1:
        numbers[2] = numbers[1]
    return np.asarray(np.roll(numbers, int(r.integers(3))))


def painted_scene(seed: int, tables: tuple[str, ...] = ()) -> TileScene:
    """The painted table of a seed; from `VALIDATION` on, with the reserved typefaces."""
    r = np.random.default_rng([seed, 6101])
    width, height = SIZE
    s = random_set(r, typefaces(seed >= VALIDATION))
    canvas = ground(r, tables)
    side = math.exp(float(r.uniform(math.log(44), math.log(150))))
    poses = _poses(r, side) if r.random() > 0.05 else []
    corners = _project(r, poses, side)
    inside = ((corners > 1) & (corners < (width - 2, height - 2))).all((1, 2)) if len(corners) else np.zeros(0, bool)
    corners = corners[inside]
    n = len(corners)
    lean = rotation(float(r.uniform(0, 6.3)))[0] * s.thick * side * float(r.uniform(0, 0.9))
    closeness = s.thick * float(r.uniform(0, 0.6))  # the nearer the camera, the more walls point to its middle
    feet = [c + lean - (c - np.array(SIZE) / 2) * closeness * side / width for c in corners]
    if r.random() < 0.8:
        shadows(canvas, feet, s, side, r)
    for top, foot in zip(corners, feet, strict=True):
        walls(canvas, rounded(top, s.rounding)[[2, 7, 12]], rounded(foot, s.rounding)[[2, 7, 12]], s, r)
    owners = np.zeros((height, width), np.uint8)
    values = np.array([_numbers(r) for _ in corners], np.int64).reshape(n, 3)
    rim = float(r.uniform(-0.5, 0.5)) if r.random() < 0.3 else 0.0
    for number, (top, numbers) in enumerate(zip(corners, values, strict=True)):
        mask = lay(canvas, top, numbers, s, rim, r)
        owners[mask > 127] = number + 1
    if n and r.random() < 0.2:
        _gloss(canvas, owners > 0, r)
    if r.random() < 0.06:
        _cover(canvas, owners, r)
    seen = [corner_seen(owners, k + 1, c) for k, c in enumerate(corners)]
    area = [max(1.0, 0.97 * cv2.contourArea(c.astype(np.float32))) for c in corners]
    visible = [min(1.0, np.count_nonzero(owners == k + 1) / area[k]) for k in range(n)]
    return TileScene(
        developed(canvas, r, side), corners.astype(np.float32), values, np.array(seen, np.float32).reshape(n, 3),
        np.array(visible, np.float32),
    )  # fmt: skip


def lay(
    canvas: np.ndarray, corners: np.ndarray, numbers: np.ndarray, s: TileSet, rim: float, r: np.random.Generator
) -> np.ndarray:
    """Lay one tile's face onto the table; returns where it is seen."""
    length = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())
    face, own = paint_tile(r, s, numbers, length)
    mask = np.zeros(canvas.shape[:2], np.uint8)
    outline = np.round(rounded(corners, s.rounding) * 16).astype(np.int32)
    cv2.fillPoly(mask, [outline], 255, cv2.LINE_AA, 4)
    box = _box(canvas, corners)
    if box is None:
        return mask
    matrix = cv2.getAffineTransform(own.astype(np.float32), (corners - (box[1].start, box[0].start)).astype(np.float32))
    part = canvas[box]
    laid = cv2.warpAffine(face, matrix, part.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    _paint(part, mask[box], laid)
    if rim:
        line = np.zeros_like(mask)
        cv2.polylines(line, [outline], True, 255, max(1, round(length * 0.015)), cv2.LINE_AA, 4)
        _paint(part, line[box], np.full(3, 255.0 if rim > 0 else 0.0), abs(rim))
    return mask


def shadows(canvas: np.ndarray, feet: list[np.ndarray], s: TileSet, side: float, r: np.random.Generator) -> None:
    """Dark around the tiles, and to the side away from the lamp."""
    shift = -np.array([math.cos(s.light), math.sin(s.light)]) * s.thick * side * float(r.uniform(0, 1.2))
    mask = np.zeros(canvas.shape[:2], np.uint8)
    for foot in feet:
        hull = cv2.convexHull(np.concatenate([foot, foot + shift]).astype(np.float32))[:, 0]
        cv2.fillPoly(mask, [np.round(hull).astype(np.int32)], 255)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.3 + side * float(r.uniform(0.005, 0.08))).astype(np.float32) / 255
    canvas *= 1 - float(r.uniform(0.15, 0.75)) * soft[..., None]


def _gloss(canvas: np.ndarray, where: np.ndarray, r: np.random.Generator) -> None:
    """A lamp mirrored in the tiles: white haze over some of them."""
    width, height = SIZE
    x, y = float(r.uniform(0, width)), float(r.uniform(0, height))
    reach = float(r.uniform(30, 250))
    xs, ys = np.arange(width, dtype=np.float32) - x, np.arange(height, dtype=np.float32) - y
    haze = np.exp(-(ys[:, None] ** 2 + xs[None, :] ** 2) / (2 * reach**2)) * where
    canvas += (float(r.uniform(20, 110)) * haze)[..., None]


def _cover(canvas: np.ndarray, owners: np.ndarray, r: np.random.Generator) -> None:
    """A hand, a sleeve or a cup over some of it."""
    width, height = SIZE
    skin = np.array([130, 160, 210.0]) * float(r.uniform(0.4, 1.1)) if r.random() < 0.6 else r.uniform(0, 255, 3)
    mask = np.zeros((height, width), np.uint8)
    at = (int(r.uniform(0, width)), int(r.uniform(0, height)))
    axes = (int(r.uniform(20, 60)), int(r.uniform(60, 260)))
    cv2.ellipse(mask, at, axes, float(r.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    _paint(canvas, mask, skin)
    owners[mask > 127] = 0
