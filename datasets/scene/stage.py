"""A table that pieces are laid on one after the other, drawn in the pinhole canvas, with who owns every pixel."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from datasets.art.sprite import Sprite
from datasets.scene import textures
from datasets.scene.camera import CameraModel
from datasets.scene.develop import canvas_frame
from datasets.scene.look import Look

Point = tuple[float, float]
SHIFT = 4


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece on the table: (`x`, `y`) mm is where the middle of its corners lies (of its picture, where it has none),
    `turn` degrees clockwise, `z` the height of its underside. `shade` multiplies its brightness, `rest` is the height
    of what its shadow falls on (by default what it lies on, or the table where it is held above it).
    """

    sprite: Sprite
    x: float
    y: float
    turn: float = 0.0
    z: float = 0.0
    shade: float = 1.0
    rest: float | None = None

    @property
    def top(self) -> float:
        """The height of its face."""
        return self.z + self.sprite.thickness_mm

    def matrix(self) -> np.ndarray:
        """From millimetres of the sprite to millimetres of the table."""
        corners = self.sprite.corners_mm
        w, h = self.sprite.size_mm
        n = max(1, len(corners))
        ax, ay = (sum(p[0] for p in corners) / n, sum(p[1] for p in corners) / n) if corners else (w / 2, h / 2)
        c, s = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        return np.array([[c, -s, self.x - c * ax + s * ay], [s, c, self.y - s * ax - c * ay], [0, 0, 1]])

    def on_table(self, points_mm: Sequence[Point] | np.ndarray) -> np.ndarray:
        """Where points of the sprite (mm) lie on the table (mm)."""
        m = self.matrix()
        return np.asarray(np.asarray(points_mm, float).reshape(-1, 2) @ m[:2, :2].T + m[:2, 2])

    def corners(self) -> np.ndarray:
        """The labelled corners on the table, in mm."""
        return self.on_table(self.sprite.corners_mm)

    @classmethod
    def by_corners(cls, sprite: Sprite, first: Point, second: Point, **more: Any) -> Placed:
        """Lay the piece so that its first corner lies at `first` and the second one in the direction of `second`."""
        (x0, y0), (x1, y1) = sprite.corners_mm[:2]
        angle = math.atan2(second[1] - first[1], second[0] - first[0]) - math.atan2(y1 - y0, x1 - x0)
        piece = cls(sprite, 0.0, 0.0, math.degrees(angle), **more)
        at = piece.on_table([(x0, y0)])[0]
        return replace(piece, x=first[0] - at[0], y=first[1] - at[1])


class _SpriteCache:
    """Outlines and smaller, premultiplied copies of sprites; the same few sprites are drawn many times."""

    def __init__(self, limit: int = 160) -> None:
        self._entries: OrderedDict[int, tuple[np.ndarray, dict[int, np.ndarray], np.ndarray, bool]] = OrderedDict()
        self._limit = limit

    def _entry(self, sprite: Sprite) -> tuple[np.ndarray, dict[int, np.ndarray], np.ndarray, bool]:
        key = id(sprite.image)
        entry = self._entries.get(key)
        if entry is None or entry[0] is not sprite.image:
            outline, convex = _outline(sprite)
            entry = (sprite.image, {}, outline, convex)
            self._entries[key] = entry
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)
        self._entries.move_to_end(key)
        return entry

    def outline(self, sprite: Sprite) -> tuple[np.ndarray, bool]:
        """The outer outline in mm and whether it is convex."""
        _, _, outline, convex = self._entry(sprite)
        return outline, convex

    def level(self, sprite: Sprite, density: float) -> tuple[np.ndarray, float]:
        """The premultiplied picture at about `density` px/mm, and its true px/mm."""
        entry = self._entry(sprite)
        step = max(0, math.floor(2 * math.log2(max(1e-6, sprite.px_per_mm / (1.2 * density)))))
        scale = 2.0 ** (-step / 2)
        if step not in entry[1]:
            image = sprite.image
            alpha = image[..., 3:].astype(np.float32) / 255
            flat: np.ndarray = np.dstack([image[..., :3] * alpha, image[..., 3]]).astype(np.uint8)
            if step:
                h, w = flat.shape[:2]
                size = (max(2, round(w * scale)), max(2, round(h * scale)))
                flat = cv2.resize(flat, size, interpolation=cv2.INTER_AREA)
            entry[1][step] = flat
        level = entry[1][step]
        return level, sprite.px_per_mm * level.shape[1] / sprite.image.shape[1]


def _outline(sprite: Sprite) -> tuple[np.ndarray, bool]:
    mask = np.pad((sprite.image[..., 3] > 127).astype(np.uint8), 1)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        raise ValueError(f"a sprite without a single opaque pixel: {sprite.kind} {sprite.label}")
    contour = max(contours, key=cv2.contourArea)
    area, hull = cv2.contourArea(contour), cv2.contourArea(cv2.convexHull(contour))
    points = cv2.approxPolyDP(contour, 0.12 * sprite.px_per_mm, True)[:, 0, :] - 1.0
    return (points + 0.5) / sprite.px_per_mm, bool(area > 0.94 * hull)


_CACHE = _SpriteCache()


def outline(sprite: Sprite) -> np.ndarray:
    """The outer outline of a sprite in its own millimetres."""
    return _CACHE.outline(sprite)[0]


class Stage:
    """The drawn table. `canvas` is BGR, `owners` the number of the piece seen at each pixel (from 1; 0 is nobody's),
    `gloss` how strongly each pixel reflects lamps.
    """

    def __init__(self, camera: CameraModel, look: Look) -> None:
        self.camera, self.look = camera, look
        x, y, w, h = canvas_frame(camera)
        self._shift = np.array([[1, 0, -x], [0, 1, -y], [0, 0, 1]], float)
        self.placed: list[Placed] = []
        self._tops = np.full(1, -1.0, np.float32)  # by owner, the height of its face; nobody's pixels are low
        self.canvas = self._table(w, h)
        self.owners = np.zeros((h, w), np.uint16)
        self.gloss = np.full((h, w), round(255 * look.table_gloss), np.uint8)

    def copy(self) -> Stage:
        """An independent copy, for a hand that comes and goes."""
        other = object.__new__(Stage)
        other.camera, other.look, other._shift = self.camera, self.look, self._shift
        other.placed, other._tops = list(self.placed), self._tops
        other.canvas, other.owners, other.gloss = self.canvas.copy(), self.owners.copy(), self.gloss.copy()
        return other

    def _table(self, w: int, h: int) -> np.ndarray:
        look = self.look
        picture = textures.texture(look.table, look.table_seed)
        c, s = math.cos(math.radians(look.table_turn)), math.sin(math.radians(look.table_turn))
        k = look.table_scale  # pixels of the texture per mm
        th, tw = picture.shape[:2]
        to_texture = np.array([[c * k, s * k, tw / 2], [-s * k, c * k, th / 2], [0, 0, 1]])
        density = self.camera.focal / self.camera.distance
        step = k / max(density, 1e-6)
        if step > 1.6:  # seen from afar: shrink first, else it aliases
            picture = cv2.resize(picture, None, fx=1.2 / step, fy=1.2 / step, interpolation=cv2.INTER_AREA)
            to_texture = np.diag([picture.shape[1] / tw, picture.shape[0] / th, 1.0]) @ to_texture
        back = to_texture @ np.linalg.inv(self._shift @ self.camera.plane(0.0))
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpPerspective(picture, back, (w, h), flags=flags, borderMode=cv2.BORDER_REFLECT)

    # -- laying pieces ----------------------------------------------------------------------------------------

    def add(self, placed: Placed) -> None:
        """Lay a piece over everything that is there: its shadow, its sides, its face."""
        self.placed.append(placed)
        self._tops = np.append(self._tops, np.float32(placed.top))
        number = len(self.placed)
        shape, convex = _CACHE.outline(placed.sprite)
        ground = placed.on_table(shape)
        if not self._in_front(ground, placed.top):
            return
        self._cast(placed, ground, convex)
        self._sides(placed, ground, convex)
        self._face(placed, ground, number if placed.sprite.kind else 0)

    def _in_front(self, ground: np.ndarray, h: float) -> bool:
        m = self.camera.plane(h)
        return bool((ground @ m[2, :2] + m[2, 2] > 1.0).all())

    def _pixels(self, ground: np.ndarray, h: float) -> np.ndarray:
        m = self._shift @ self.camera.plane(h)
        p = ground @ m[:, :2].T + m[:, 2]
        return np.asarray(p[:, :2] / p[:, 2:])

    def _window(self, polygons: Sequence[np.ndarray], margin: float) -> tuple[int, int, int, int] | None:
        points = np.concatenate(polygons)
        h, w = self.owners.shape
        x1, y1 = np.floor(points.min(axis=0) - margin).astype(int)
        x2, y2 = np.ceil(points.max(axis=0) + margin).astype(int) + 1
        x1, y1, x2, y2 = max(0, int(x1)), max(0, int(y1)), min(w, int(x2)), min(h, int(y2))
        return (x1, y1, x2, y2) if x2 > x1 and y2 > y1 else None

    @staticmethod
    def _fill(polygons: Sequence[np.ndarray], window: tuple[int, int, int, int], convex: bool) -> np.ndarray:
        x1, y1, x2, y2 = window
        mask = np.zeros((y2 - y1, x2 - x1), np.uint8)
        if convex:
            polygons = [cv2.convexHull(np.concatenate(polygons).astype(np.float32))[:, 0, :]]
        for polygon in polygons:
            fixed = np.round((polygon - (x1, y1)) * (1 << SHIFT)).astype(np.int32)
            cv2.fillPoly(mask, [fixed], 255, cv2.LINE_AA, SHIFT)
        return mask

    def _spared(self, placed: Placed, window: tuple[int, int, int, int]) -> np.ndarray | None:
        """The pixels of a window that show a face as high as this piece's own, or higher, beside it.

        Neither its shadow nor its side can be seen there: the eye's ray meets that face first.
        """
        top = placed.top - 0.05
        if not (self._tops[:-1] >= top).any():
            return None
        x1, y1, x2, y2 = window
        return np.asarray(self._tops[self.owners[y1:y2, x1:x2]] >= top)

    def _darken(self, placed: Placed, mask: np.ndarray, window: tuple[int, int, int, int], strength: float) -> None:
        x1, y1, x2, y2 = window
        spared = self._spared(placed, window)
        if spared is not None:
            mask = np.where(spared, np.uint8(0), mask)
        keep = 255 - cv2.convertScaleAbs(mask, alpha=strength)
        part = self.canvas[y1:y2, x1:x2]
        cv2.multiply(part, cv2.merge([keep, keep, keep]), dst=part, scale=1 / 255.0)

    def _cast(self, placed: Placed, ground: np.ndarray, convex: bool) -> None:
        look = self.look
        level = placed.rest if placed.rest is not None else (placed.z if placed.z < 15 else 0.0)
        a, slope = math.radians(look.light_from), 1 / math.tan(math.radians(look.light_height))
        away = -np.array([math.cos(a), math.sin(a)]) * slope
        low, high = max(0.0, placed.z - level), max(0.3, placed.top - level)
        steps = (low, high) if convex else np.linspace(low, high, 4)
        polygons = [self._pixels(ground + away * t, level) for t in steps]
        density = self.camera.focal / self.camera.distance
        blur = max(0.6, look.softness * density * (low + high) / 2)
        window = self._window(polygons, 3 * blur + 2)
        if window is not None and look.shadow > 0:
            mask = self._fill(polygons, window, convex)
            self._darken(placed, _blurred(mask, blur), window, look.shadow)
        if placed.z - level < 2.0:  # where it touches, no light gets in from any side
            touch = [self._pixels(ground, level)]
            blur = max(0.7, 0.35 * density * min(6.0, high))
            window = self._window(touch, 3 * blur + 2)
            if window is not None:
                self._darken(placed, _blurred(self._fill(touch, window, convex), blur), window, 0.45)

    def _sides(self, placed: Placed, ground: np.ndarray, convex: bool) -> None:
        if placed.sprite.thickness_mm <= 0.05:
            return
        steps = (placed.z, placed.top) if convex else np.linspace(placed.z, placed.top, 5)
        polygons = [self._pixels(ground, t) for t in steps]
        window = self._window(polygons, 2)
        if window is None:
            return
        x1, y1, x2, y2 = window
        mask = self._fill(polygons, window, convex)
        spared = self._spared(placed, window)
        if spared is not None:
            mask[spared] = 0
        # A side that faces the lamp is brighter than one that turns away; the camera sees the one on its own side.
        facing = math.cos(math.radians(self.look.light_from - self.camera.azimuth))
        tone = placed.shade * (0.68 + 0.17 * facing)
        color = np.array(placed.sprite.edge_color[::-1], np.float32) * tone
        part = self.canvas[y1:y2, x1:x2]
        cover = mask.astype(np.float32)[..., None] / 255
        part[:] = part * (1 - cover) + color * cover
        self.owners[y1:y2, x1:x2][mask > 127] = 0
        self.gloss[y1:y2, x1:x2][mask > 127] = 0

    def _face(self, placed: Placed, ground: np.ndarray, number: int) -> None:
        sprite = placed.sprite
        window = self._window([self._pixels(ground, placed.top)], 2)
        if window is None:
            return
        x1, y1, x2, y2 = window
        plane = self._shift @ self.camera.plane(placed.top)
        picture, ppm = _CACHE.level(sprite, _density(plane, placed))
        from_px = np.array([[1 / ppm, 0, 0.5 / ppm], [0, 1 / ppm, 0.5 / ppm], [0, 0, 1]])
        to_window = np.array([[1, 0, -x1], [0, 1, -y1], [0, 0, 1]], float)
        h = to_window @ plane @ placed.matrix() @ from_px
        warped = cv2.warpPerspective(picture, h, (x2 - x1, y2 - y1), flags=cv2.INTER_LINEAR)
        cover = warped[..., 3]
        part = self.canvas[y1:y2, x1:x2]
        keep = 255 - cover
        under = cv2.multiply(part, cv2.merge([keep, keep, keep]), scale=1 / 255.0)
        cv2.addWeighted(under, 1.0, warped[..., :3], placed.shade, 0.0, dst=part)
        seen = cover > 127
        self.owners[y1:y2, x1:x2][seen] = number
        self.gloss[y1:y2, x1:x2][seen] = min(255, round(255 * sprite.gloss))


def _blurred(mask: np.ndarray, sigma: float) -> np.ndarray:
    if sigma > 4:  # a wide blur of a small picture is the same picture
        k = 2.5 / sigma
        h, w = mask.shape
        small = cv2.resize(mask, (max(2, round(w * k)), max(2, round(h * k))), interpolation=cv2.INTER_AREA)
        return cv2.resize(cv2.GaussianBlur(small, (0, 0), 2.5), (w, h), interpolation=cv2.INTER_LINEAR)
    return cv2.GaussianBlur(mask, (0, 0), sigma)


def _density(plane: np.ndarray, placed: Placed) -> float:
    """Pixels per mm of the face, at its middle."""
    x, y = placed.x, placed.y
    points = np.array([[x, y, 1], [x + 1, y, 1], [x, y + 1, 1]]) @ plane.T
    flat = points[:, :2] / points[:, 2:]
    (ax, ay), (bx, by) = flat[1] - flat[0], flat[2] - flat[0]
    return math.sqrt(abs(ax * by - ay * bx)) or 1.0
