"""Sets of tiles as the drawn corners know them: faces, inks, numerals and pips, each set another one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from datasets.art.canvas import Canvas
from datasets.art.digits import Typeface, draw_number
from datasets.art.tiles import STYLE_SEEDS, TEST_STYLE_SEEDS

GLYPH = 72  # px of a numeral's mask
OWN_TYPEFACES = 260  # drawn by rule; the fonts of the computer come after them
WITHOUT_NUMERALS = ("siz", "sym", "math", "cmex", "cmsy", "cmmi", "stixnon", "lastresort")  # fonts of signs
Color = np.ndarray

PIP_LAYOUTS: dict[int, list[list[tuple[float, float]]]] = {
    1: [[(0, 0)]],
    2: [[(-0.6, 0), (0.6, 0)], [(0, -0.65), (0, 0.65)], [(-0.5, -0.5), (0.5, 0.5)]],
    3: [[(-0.65, -0.4), (0.65, -0.4), (0, 0.7)], [(-0.8, -0.8), (0, 0), (0.8, 0.8)], [(0, -1), (0, 0), (0, 1)],
        [(-1, 0), (0, 0), (1, 0)], [(-0.9, -0.25), (0.9, -0.25), (0, 0.35)]],
    4: [[(-0.65, -0.65), (0.65, -0.65), (-0.65, 0.65), (0.65, 0.65)], [(0, -0.9), (0.9, 0), (0, 0.9), (-0.9, 0)],
        [(-0.5, -0.75), (0.5, -0.75), (-0.75, 0.6), (0.75, 0.6)], [(0, -1), (0, 0), (-0.85, 0.75), (0.85, 0.75)]],
    5: [[(-0.8, -0.8), (0.8, -0.8), (0, 0), (-0.8, 0.8), (0.8, 0.8)], [(0, -1.05), (1, 0), (0, 0), (-1, 0), (0, 1.05)],
        [(-1, 0.65), (0, 0.65), (1, 0.65), (-0.5, -0.4), (0.5, -0.4)],
        [(0, -1), (-0.95, -0.31), (0.95, -0.31), (-0.59, 0.81), (0.59, 0.81)],
        [(0, -1.1), (-0.5, -0.1), (0.5, -0.1), (-0.9, 0.8), (0.9, 0.8)]],
}  # fmt: skip


@cache
def typefaces(reserved: bool = False, count: int = OWN_TYPEFACES) -> list[list[np.ndarray]]:
    """Masks (GLYPH × GLYPH, 0 to 255) of the numerals 0 to 5: our own typefaces, then every font that is installed
    (more than once, since sets are often printed in them); or the typefaces that are reserved for tests.
    """
    faces = []
    for seed in TEST_STYLE_SEEDS if reserved else STYLE_SEEDS[:count]:
        masks = []
        for value in range(6):
            canvas = Canvas(10, 10)
            with canvas.at(5, 5, 0):
                draw_number(canvas, str(value), 7.0, Typeface.seeded(seed), (0, 0, 0))
            masks.append(cv2.resize(canvas.to_pixels(GLYPH / 10, 2)[..., 3], (GLYPH, GLYPH)))
        faces.append(masks)
    return faces if reserved else faces + _installed() * 3


def _installed() -> list[list[np.ndarray]]:
    """Fonts of this computer, if Pillow is there to draw them; symbols and the like are left out."""
    try:
        import PIL
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        return []
    faces = []
    places = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path(PIL.__file__).parents[1] / "matplotlib"]
    for path in sorted({p for place in places if place.exists() for p in place.rglob("*.ttf")}):
        if any(word in path.name.lower() for word in WITHOUT_NUMERALS):
            continue
        font = ImageFont.truetype(str(path), 64)
        masks = []
        for value in range(6):
            image = Image.new("L", (GLYPH * 2, GLYPH * 2), 0)
            ImageDraw.Draw(image).text((GLYPH, GLYPH), str(value), fill=255, font=font, anchor="mm")
            mask = np.asarray(image)
            ys, xs = np.nonzero(mask > 64)
            if len(xs) < 40:
                break
            high, middle = ys.max() - ys.min() + 1, ((xs.min() + xs.max()) / 2, (ys.min() + ys.max()) / 2)
            scale = 0.7 * GLYPH / high
            matrix = np.array([[scale, 0, GLYPH / 2 - scale * middle[0]], [0, scale, GLYPH / 2 - scale * middle[1]]])
            masks.append(cv2.warpAffine(mask, matrix, (GLYPH, GLYPH), flags=cv2.INTER_AREA))
        if len(masks) == 6:
            faces.append(masks)
    return faces


@dataclass
class TileSet:
    """What the tiles of one set have in common. Lengths in sides of the tile."""

    pips: bool
    wood: float  # how strong the grain is, 0 for plastic
    face: Color
    inks: np.ndarray
    glyphs: list[np.ndarray]
    height: float
    insets: list[float]  # for each value, from the corner to its middle
    turn: float
    upright: bool
    radius: float
    arrangements: list[np.ndarray]  # for each value where its pips are: across, and from the corner inwards
    loose: float  # how irregularly they were drilled, 0 for a machine's work
    drilled: float
    light: float  # where the light comes from, radians
    pin: float
    border: float
    wall: Color
    thick: float
    rounding: float
    uneven: float  # how unlike each other the pieces of wood are


def random_set(r: np.random.Generator, faces: list[list[np.ndarray]]) -> TileSet:
    """Another set each time: wood or plastic, printed or drilled, numbers or pips."""
    pips = bool(r.random() < 0.62)
    wood = float(r.uniform(0.02, 0.2)) if r.random() < (0.62 if pips else 0.15) else 0.0
    face = _wood_color(r) if wood else _plastic_color(r)
    inks = np.stack([_ink(r, face) for _ in range(6)])
    if r.random() < 0.3:
        inks[:] = inks[0]
    radius = float(r.uniform(0.02, 0.048))
    arrangements = [arrangement(r, value, radius) for value in range(6)]
    height = float(r.uniform(0.12, 0.24))
    return TileSet(
        pips=pips, wood=wood, face=face, inks=inks, glyphs=faces[int(r.integers(len(faces)))], height=height,
        insets=pip_insets(r, arrangements, radius) if pips else _numeral_insets(r, height),
        turn=float(r.choice([0, 180], p=[0.75, 0.25])), upright=bool(r.random() < 0.18), radius=radius,
        arrangements=arrangements,
        loose=float(r.uniform(0, 1)) if wood else float(r.random() < 0.2) * 0.4,
        drilled=float(r.random() < (0.8 if wood else 0.3)) * float(r.uniform(0.2, 1.0)),
        light=float(r.uniform(0, 2 * math.pi)), pin=float(r.uniform(0.025, 0.07)) if r.random() < 0.15 else 0.0,
        border=float(r.uniform(0.03, 0.07)) if r.random() < 0.1 else 0.0,
        wall=face * float(r.uniform(0.3, 0.95)), thick=float(r.uniform(0.02, 0.2)),
        rounding=float(r.choice([0.004, 0.015, 0.03, 0.05])), uneven=float(r.uniform(0.05, 0.3)) if wood else 0.03,
    )  # fmt: skip


def _wood_color(r: np.random.Generator) -> Color:
    woods = [(82, 138, 196), (50, 94, 150), (132, 184, 222), (40, 70, 120), (80, 130, 205), (34, 50, 84), (60, 80, 110)]
    return np.clip(np.array(woods[int(r.integers(len(woods)))]) + r.normal(0, 14, 3), 8, 250).astype(np.float32)


def _plastic_color(r: np.random.Generator) -> Color:
    kind = r.random()
    if kind < 0.12:
        face = np.array([34, 30, 30]) + r.normal(0, 14, 3)
    elif kind < 0.25:
        face = r.uniform(20, 250, 3)
    else:
        usual = [(224, 239, 244), (248, 250, 250), (184, 214, 226), (236, 232, 232), (200, 200, 200)]
        face = np.array(usual[int(r.integers(5))]) + r.normal(0, 9, 3)
    return np.clip(face, 5, 255).astype(np.float32)


def arrangement(r: np.random.Generator, value: int, radius: float) -> np.ndarray:
    """Where the pips of a value lie (value, 2), in sides around their middle: a usual layout, or now and then any."""
    if value == 0:
        return np.zeros((0, 2))
    if value == 1:
        return np.zeros((1, 2))
    if r.random() < 0.08:
        while True:
            spots = r.uniform(-1, 1, (value, 2))
            if _closest(spots) > 0.55:
                break
    else:
        usual = PIP_LAYOUTS[value]
        spots = np.array(usual[int(r.integers(len(usual)))]) * (1, float(r.uniform(0.8, 1.25)))
    turn = math.radians(float(r.choice([0, 0, 0, 180, 180, 90, 60, -60])))
    spots = spots @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    spots = spots - spots.mean(0)
    # As wide for few pips as for many: else how far they reach would tell their number, and nothing need be counted.
    least, wide = 2.2 * radius / _closest(spots), float(r.uniform(0.07, 0.17))
    return np.asarray(spots * max(least, wide / float(np.linalg.norm(spots, axis=1).max())))


def _closest(spots: np.ndarray) -> float:
    gaps = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    return float(gaps[~np.eye(len(spots), dtype=bool)].min())


def pip_insets(r: np.random.Generator, arrangements: list[np.ndarray], radius: float) -> list[float]:
    """How far in the values lie: far enough that the rim cuts no pip, near enough to keep to their corner."""
    least = [0.0]
    for spots in arrangements[1:]:
        needed = 2 * (1.25 * radius + 0.01 + np.abs(spots[:, 0]) * math.sqrt(3) / 2) - spots[:, 1]
        least.append(float(needed.max()))
    common, loose = max(least), float(r.uniform(0, 1))
    alike = r.random() < 0.5
    inner = [common if alike else value for value in least]
    return [min(0.44, v) + loose * max(0.0, 0.44 - v) * 0.8 for v in inner]


def _numeral_insets(r: np.random.Generator, height: float) -> list[float]:
    near = height * 0.875 + 0.05
    far = min(0.42, height * 1.1 + 0.16)
    return [near + (max(far, near + 0.02) - near) * float(r.random())] * 6


def _ink(r: np.random.Generator, face: np.ndarray) -> np.ndarray:
    """A colour that a person would tell from the face, if only just."""
    while True:
        kind = r.random()
        if kind < 0.3:
            ink = np.array([24, 22, 22]) + r.normal(0, 10, 3)
        elif kind < 0.4:
            ink = np.array([238, 240, 240]) + r.normal(0, 10, 3)
        else:
            hue = cv2.cvtColor(
                np.array([[[r.integers(180), r.integers(110, 256), r.integers(60, 256)]]], np.uint8), cv2.COLOR_HSV2BGR
            )
            ink = hue[0, 0].astype(np.float32)
        ink = np.clip(ink, 0, 255)
        if (
            np.abs(ink - face).max() > 45
            and abs(float((ink - face).mean())) + 0.4 * float(np.abs(ink - face).max()) > 38
        ):
            return np.asarray(ink, np.float32)
