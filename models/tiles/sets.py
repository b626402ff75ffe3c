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
from datasets.art.tiles import STYLE_SEEDS

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
def typefaces(count: int = OWN_TYPEFACES) -> list[list[np.ndarray]]:
    """Masks (GLYPH × GLYPH, 0 to 255) of the numerals 0 to 5: our own typefaces, then every font that is installed."""
    faces = []
    for seed in STYLE_SEEDS[:count]:
        masks = []
        for value in range(6):
            canvas = Canvas(10, 10)
            with canvas.at(5, 5, 0):
                draw_number(canvas, str(value), 7.0, Typeface.seeded(seed), (0, 0, 0))
            masks.append(cv2.resize(canvas.to_pixels(GLYPH / 10, 2)[..., 3], (GLYPH, GLYPH)))
        faces.append(masks)
    return faces + _installed()


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
    wood: float
    face: Color
    inks: np.ndarray
    glyphs: list[np.ndarray]
    height: float
    inset: float
    turn: float
    upright: bool
    radius: float
    gap: float
    layouts: list[int]
    flips: list[float]
    loose: float
    drilled: float
    light: float  # where the light comes from, radians
    pin: float
    border: float
    wall: Color
    lean: tuple[float, float]
    gutter: float


def random_set(r: np.random.Generator) -> TileSet:
    """Another set each time: wood or plastic, printed or drilled, numbers or pips."""
    pips = bool(r.random() < 0.6)
    wood = float(r.uniform(0.03, 0.3)) if r.random() < (0.6 if pips else 0.15) else 0.0
    if wood:
        woods = [
            (82, 138, 196),
            (50, 94, 150),
            (132, 184, 222),
            (40, 70, 120),
            (80, 130, 205),
            (34, 50, 84),
            (60, 80, 110),
        ]
        face = np.array(woods[int(r.integers(len(woods)))], np.float32) + r.normal(0, 16, 3)
    elif r.random() < 0.12:
        face = np.array([34, 30, 30], np.float32) + r.normal(0, 14, 3)
    elif r.random() < 0.15:
        face = r.uniform(20, 250, 3)
    else:
        face = np.array(
            [[224, 239, 244], [248, 250, 250], [184, 214, 226], [236, 232, 232], [200, 200, 200]][r.integers(5)]
        )
        face = face + r.normal(0, 9, 3)
    face = np.clip(face, 5, 255).astype(np.float32)
    if r.random() < 0.35:
        inks = np.repeat(_ink(r, face)[None], 6, 0)
    else:
        inks = np.stack([_ink(r, face) for _ in range(6)])
    radius = float(r.uniform(0.016, 0.042))
    loose = float(r.uniform(0.3, 1)) if wood and r.random() < 0.8 else float(r.random() < 0.2) * 0.4
    faces = typefaces()
    mine = int(r.integers(len(faces)))
    if r.random() < 0.35:  # the fonts of computers are few, and sets are often printed in them
        mine = int(r.integers(min(OWN_TYPEFACES, len(faces)), len(faces))) if len(faces) > OWN_TYPEFACES else mine
    angle = float(r.uniform(0, 2 * math.pi))
    thick = float(r.uniform(0, 0.12))
    return TileSet(
        pips=pips, wood=wood, face=face, inks=inks, glyphs=faces[mine], height=float(r.uniform(0.10, 0.24)),
        inset=float(r.uniform(0, 1)), turn=float(r.choice([0, 180], p=[0.75, 0.25])), upright=bool(r.random() < 0.18),
        radius=radius, gap=min(0.17, radius * float(r.uniform(2.4, 6.0))),
        layouts=[int(r.integers(9)) for _ in range(6)],
        flips=[float(r.choice([0, 180, 0, 90, 60, -60])) for _ in range(6)], loose=loose,
        drilled=float(r.random() < (0.75 if wood else 0.3)) * float(r.uniform(0.2, 0.9)),
        light=float(r.uniform(0, 2 * math.pi)), pin=float(r.uniform(0.025, 0.07)) if r.random() < 0.2 else 0.0,
        border=float(r.uniform(0.03, 0.07)) if r.random() < 0.12 else 0.0,
        wall=face * float(r.uniform(0.35, 0.95)), lean=(thick * math.cos(angle), thick * math.sin(angle)),
        gutter=float(r.uniform(0.0, 0.025)),
    )  # fmt: skip


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
