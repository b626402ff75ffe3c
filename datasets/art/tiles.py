"""Triomino tiles drawn by rule: numbered or with pips, plastic or wood, in as many styles as there are seeds.

A tile is an equilateral triangle, its first value at the top, the others clockwise. Styles whose seed is a multiple
of `TEST_EVERY` are reserved for tests: no training may use them (`STYLE_SEEDS` and `TEST_STYLE_SEEDS` keep them apart).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from datasets.art.canvas import Canvas, Color, Point, ellipse
from datasets.art.digits import Typeface, draw_number
from datasets.art.sprite import Sprite

MARGIN = 1.0  # mm of empty space around the triangle
TEST_EVERY = 7
STYLE_SEEDS = tuple(seed for seed in range(1, 1500) if seed % TEST_EVERY)
TEST_STYLE_SEEDS = tuple(range(TEST_EVERY, 211, TEST_EVERY))

BLACK: Color = (22, 22, 24)
# One colour per value, 0 to 5, as tile sets have them.
PALETTES: tuple[tuple[Color, ...], ...] = (
    ((30, 30, 32), (200, 35, 40), (25, 70, 185), (25, 140, 60), (215, 130, 20), (120, 40, 150)),
    ((60, 60, 60), (215, 60, 130), (20, 120, 200), (110, 160, 30), (230, 90, 30), (90, 60, 40)),
    ((30, 30, 32), (235, 235, 230), (20, 90, 60), (240, 200, 30), (60, 150, 220), (210, 30, 30)),
    ((20, 80, 40), (20, 20, 20), (190, 25, 30), (240, 160, 20), (70, 40, 140), (20, 110, 180)),
    ((150, 90, 30), (0, 130, 130), (180, 0, 90), (40, 40, 120), (200, 60, 0), (0, 90, 30)),
)
# Where 1 to 5 pips sit: across and toward the corner, in pip spacings.
PIPS: dict[int, tuple[tuple[Point, ...], ...]] = {
    0: ((),),
    1: (((0, 0),),),
    2: (((-0.6, 0), (0.6, 0)), ((0, -0.6), (0, 0.6)), ((-0.5, -0.4), (0.5, 0.4))),
    3: (
        ((-0.6, -0.45), (0.6, -0.45), (0, 0.6)),
        ((-0.6, 0.45), (0.6, 0.45), (0, -0.6)),
        ((-0.8, -0.8), (0, 0), (0.8, 0.8)),
    ),
    4: (((-0.6, -0.6), (0.6, -0.6), (-0.6, 0.6), (0.6, 0.6)), ((0, -0.9), (0.85, 0), (0, 0.9), (-0.85, 0))),
    5: (
        ((-0.8, -0.8), (0.8, -0.8), (0, 0), (-0.8, 0.8), (0.8, 0.8)),
        ((0, -1.05), (1.0, 0), (0, 0), (-1.0, 0), (0, 1.05)),
        ((-1.0, -0.65), (0, -0.65), (1.0, -0.65), (-0.5, 0.35), (0.5, 0.35)),
    ),
}


@dataclass(frozen=True, slots=True)
class TileStyle:
    """How one set of tiles looks. Lengths are in millimetres."""

    seed: int = 0
    pips: bool = False
    wood: bool = False
    face: Color = (243, 238, 222)
    inks: tuple[Color, ...] = (BLACK,) * 6
    typeface: Typeface = field(default_factory=Typeface)
    side: float = 38.0
    rounding: float = 1.2
    inset: float = 9.0  # from the corner to the middle of its value
    height: float = 6.5  # of the numerals
    turn: str = "corner"  # numeral tops toward their corner, toward the centre, or all "upright"
    pin: float = 0.0  # radius of the centre pin, 0 for none
    pin_color: Color = (170, 150, 90)
    border: float = 0.0  # distance of a printed line from the rim, 0 for none
    pip_radius: float = 1.1
    pip_gap: float = 3.4
    pip_rim: bool = False
    drilled: bool = False  # pips are holes: a shaded side, a lit one, and often paint at the bottom
    thickness: float = 4.0
    gloss: float = 0.4

    @staticmethod
    def seeded(seed: int) -> TileStyle:
        """The style of a seed: three numbered sets for every two with pips."""
        r = np.random.default_rng([seed, 90523])
        pips = bool(r.random() < 0.45)
        wood = bool(r.random() < (0.6 if pips else 0.12))
        dark = bool(not wood and r.random() < 0.12)
        if wood:
            woods = ((196, 138, 82), (150, 94, 50), (222, 184, 132), (120, 70, 40), (205, 130, 80), (84, 50, 34))
            base = np.array(woods[int(r.integers(len(woods)))])
            face = _tint(r, base, 18)
        elif dark:
            face = _tint(r, np.array((30, 30, 34)), 12)
        else:
            face = _tint(
                r, np.array([(244, 239, 224), (250, 250, 248), (226, 214, 184), (232, 232, 236)][int(r.integers(4))]), 8
            )
        if r.random() < (0.4 if not pips else 0.2):
            ink: Color = BLACK if not dark else (240, 238, 230)
            if r.random() < 0.25 and not dark:
                ink = [(25, 50, 130), (150, 20, 30), (20, 80, 50), (80, 45, 20)][int(r.integers(4))]
            inks: tuple[Color, ...] = (ink,) * 6
        else:
            inks = PALETTES[int(r.integers(len(PALETTES)))]
            if dark or (wood and sum(face) < 300):
                inks = tuple(_tint(r, np.array(c) * 0.55 + 115, 10) for c in inks)
            else:
                order = r.permutation(6)
                inks = tuple(_tint(r, np.array(inks[i]), 14) for i in order)
        inks = tuple(_readable(c, face, 50 if wood else 70) for c in inks)
        height = float(r.uniform(4.6, 8.6))
        radius = float(r.uniform(0.7, 1.5))
        gap = min(5.2, radius * float(r.uniform(2.6, 5.0)))
        return TileStyle(
            seed=seed,
            pips=pips,
            wood=wood,
            face=face,
            inks=inks,
            typeface=Typeface.seeded(seed),
            rounding=float(r.choice([0.15, 0.6, 1.2, 2.0])),
            inset=float(r.uniform(0.95, 1.25)) * (4.2 + height * 0.62)
            if not pips
            else min(14.0, 1.45 * gap + 1.8 * radius + float(r.uniform(0.8, 4.0))),
            height=height,
            turn=str(r.choice(["corner", "centre", "upright"], p=[0.62, 0.2, 0.18])),
            pin=float(r.uniform(1.0, 2.6)) if r.random() < 0.25 and not wood else 0.0,
            pin_color=_tint(r, np.array([(180, 150, 80), (150, 150, 155), (200, 195, 180)][int(r.integers(3))]), 15),
            border=float(r.uniform(0.9, 1.8)) if r.random() < 0.12 else 0.0,
            pip_radius=radius,
            pip_gap=gap,
            pip_rim=bool(r.random() < 0.5),
            drilled=bool(r.random() < (0.75 if wood else 0.3)),
            thickness=float(r.uniform(2.5, 6.0)),
            gloss=float(r.uniform(0.05, 0.3)) if wood else float(r.uniform(0.2, 0.8)),
        )


def _tint(r: np.random.Generator, color: np.ndarray, spread: float) -> Color:
    shifted = np.clip(color + r.normal(0, spread, 3), 0, 255)
    return (int(shifted[0]), int(shifted[1]), int(shifted[2]))


def _readable(ink: Color, face: Color, apart: float) -> Color:
    """Keep the ink apart from the face: a person must be able to read every set that we draw."""
    a, b = np.array(ink, float), np.array(face, float)
    if np.abs(a - b).max() >= apart:
        return ink
    moved = a * 0.3 if b.mean() > 110 else a * 0.3 + 178
    return (int(moved[0]), int(moved[1]), int(moved[2]))


def values(label: str) -> tuple[int, int, int]:
    """The three values of a label such as `0-3-5`; raises ValueError for anything else."""
    parts = label.split("-")
    if len(parts) != 3 or any(part not in "012345" or len(part) != 1 for part in parts):
        raise ValueError(f"a tile is three values from 0 to 5, as in 0-3-5, not {label!r}")
    a, b, c = (int(part) for part in parts)
    return a, b, c


def tile_corners(style: TileStyle) -> tuple[Point, Point, Point]:
    """The ideal corners on the tile's own drawing: the top, then clockwise."""
    rise = style.side * math.sqrt(3) / 2
    middle = MARGIN + style.side / 2
    return (middle, MARGIN), (MARGIN + style.side, MARGIN + rise), (MARGIN, MARGIN + rise)


def tile_outline(style: TileStyle, shrink: float = 0.0) -> list[Point]:
    """The rounded triangle, or one lying `shrink` mm inside it."""
    corners = np.array(tile_corners(style))
    centre = corners.mean(axis=0)
    inner = style.side / (2 * math.sqrt(3))
    corners = centre + (corners - centre) * ((inner - shrink) / inner)
    radius = max(style.rounding, 0.05)
    out: list[Point] = []
    for k, (x, y) in enumerate(corners):
        toward = centre - (x, y)
        toward = toward / np.linalg.norm(toward)
        cx, cy = x + toward[0] * 2 * radius, y + toward[1] * 2 * radius
        out += ellipse(cx, cy, radius, radius, 210 + 120 * k, 120, 10)
    return out


def tile_canvas(label: str, style: TileStyle | int, face: bool = True) -> Canvas:
    """The tile as vectors, at true size; without its face where only the printed marks are wanted."""
    style = TileStyle.seeded(style) if isinstance(style, int) else style
    numbers = values(label)
    corners = tile_corners(style)
    canvas = Canvas(style.side + 2 * MARGIN, style.side * math.sqrt(3) / 2 + 2 * MARGIN)
    if face:
        canvas.fill(tile_outline(style), color=style.face)
    centre = (sum(x for x, _ in corners) / 3, sum(y for _, y in corners) / 3)
    # Layout and drilling vary from tile to tile in a set with pips, but always alike for one tile of one set.
    r = np.random.default_rng([style.seed, 7, *numbers])
    if style.border:
        canvas.line(tile_outline(style, style.border), style.inks[0], 0.35, closed=True)
    if style.pin:
        canvas.circle(*centre, style.pin, style.pin_color)
        canvas.circle(
            centre[0] - style.pin * 0.2, centre[1] - style.pin * 0.2, style.pin * 0.55, _lighter(style.pin_color)
        )
    for k, (value, corner) in enumerate(zip(numbers, corners, strict=True)):
        reach = math.dist(corner, centre)
        t = style.inset / reach
        x, y = corner[0] + (centre[0] - corner[0]) * t, corner[1] + (centre[1] - corner[1]) * t
        if style.pips:
            with canvas.at(x, y, 120.0 * k):
                _draw_pips(canvas, style, value, r)
            continue
        turn = {"corner": 120.0 * k, "centre": 120.0 * k + 180.0, "upright": 0.0}[style.turn]
        with canvas.at(x, y, turn):
            draw_number(canvas, str(value), style.height, style.typeface, style.inks[value])
    return canvas


def _lighter(color: Color) -> Color:
    return (min(255, color[0] + 40), min(255, color[1] + 40), min(255, color[2] + 40))


def _draw_pips(canvas: Canvas, style: TileStyle, value: int, r: np.random.Generator) -> None:
    """Pips near a corner; hand-drilled wood is a little irregular, printed plastic is not."""
    layouts = PIPS[value]
    spots = layouts[int(r.integers(len(layouts)))] if style.wood else layouts[style.seed % len(layouts)]
    jitter = 0.12 if style.wood else 0.0
    dark = tuple(int(v * 0.45) for v in style.face)
    mirror = -1.0 if style.wood and r.random() < 0.5 else 1.0
    loose = 1.0 if style.wood else 0.0
    dx, dy, turn = (loose * float(v) for v in r.normal(0, (0.5, 0.5, 12.0)))
    with canvas.at(dx, dy, turn):
        for across, toward in spots:
            px = mirror * (across + float(r.normal(0, jitter))) * style.pip_gap * 0.8
            py = -(toward + float(r.normal(0, jitter))) * style.pip_gap * 0.8
            if style.pip_rim:
                canvas.circle(px, py, style.pip_radius * 1.22, (dark[0], dark[1], dark[2]))
            canvas.circle(px, py, style.pip_radius, style.inks[value])
            if style.drilled:
                _drill(canvas, style, value, px, py)


def _drill(canvas: Canvas, style: TileStyle, value: int, x: float, y: float) -> None:
    """Turn a pip into a hole with a rounded bottom; the light falls the same way over the whole set."""
    a = 2.4 * style.seed
    radius, ink = style.pip_radius, np.array(style.inks[value], float)
    shade, lit = ink * 0.55, ink * 0.7 + 75
    dx, dy = math.cos(a) * radius * 0.3, math.sin(a) * radius * 0.3
    canvas.circle(x + dx, y + dy, radius * 0.68, (int(shade[0]), int(shade[1]), int(shade[2])), alpha=0.7)
    canvas.circle(x - dx * 1.5, y - dy * 1.5, radius * 0.35, (int(lit[0]), int(lit[1]), int(lit[2])), alpha=0.6)


def wood_grain(height: int, width: int, px_per_mm: float, color: Color, r: np.random.Generator) -> np.ndarray:
    """A piece of wood (float RGB, 0 to 255): wavy year rings seen from the side, pores, and a slow change of shade."""
    angle = float(r.uniform(0, math.pi))
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32) / px_per_mm
    along = xs * math.cos(angle) + ys * math.sin(angle)
    across = -xs * math.sin(angle) + ys * math.cos(angle)
    wave = across + 1.5 * np.sin(along / float(r.uniform(9, 30)) + float(r.uniform(0, 6))) + 0.002 * along**2
    rings = np.zeros_like(wave)
    for _ in range(3):
        rings += np.sin(wave * float(r.uniform(0.8, 6.0)) + float(r.uniform(0, 6))) * float(r.uniform(0.3, 1.0))
    pores = cv2.GaussianBlur(r.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 0.12 * px_per_mm + 0.3)
    length = max(3, int(2.5 * px_per_mm))
    kernel = np.zeros((length, length), np.float32)
    c, s = math.cos(angle) * length / 2, math.sin(angle) * length / 2
    mid = length / 2
    cv2.line(kernel, (int(mid - c), int(mid - s)), (int(mid + c), int(mid + s)), 1.0, 1)
    pores = cv2.filter2D(pores, -1, kernel / max(kernel.sum(), 1e-6))
    pores /= max(float(pores.std()), 1e-6)
    strength = float(r.uniform(0.02, 0.1))
    shade = 1 + strength * (0.7 * rings + 0.6 * pores)
    return np.clip(np.array(color, np.float32) * shade[..., None], 0, 255)


def tile_sprite(label: str, style: TileStyle | int = 0, px_per_mm: float = 6.0) -> Sprite:
    """The tile as a sprite, with the wood's grain or the plastic's faint unevenness."""
    style = TileStyle.seeded(style) if isinstance(style, int) else style
    marks = tile_canvas(label, style, face=False).to_pixels(px_per_mm, 2)
    plain = Canvas(style.side + 2 * MARGIN, style.side * math.sqrt(3) / 2 + 2 * MARGIN)
    plain.fill(tile_outline(style), color=style.face)
    body = plain.to_pixels(px_per_mm, 2)
    height, width = body.shape[:2]
    r = np.random.default_rng([style.seed, 11, *values(label)])
    if style.wood:
        tint = np.array(style.face) * float(r.uniform(0.72, 1.2))  # no two pieces of wood are alike
        ground = wood_grain(height, width, px_per_mm, (int(tint[0]), int(tint[1]), int(tint[2])), r)
    else:
        noise = cv2.GaussianBlur(r.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1.2 * px_per_mm)
        noise /= max(float(noise.std()), 1e-6)
        ground = np.array(style.face, np.float32) * (1 + 0.006 * noise[..., None])
    # Canvas pixels hold colour premultiplied by coverage after the supersampling: put them over the ground as such.
    cover = marks[..., 3:].astype(np.float32) / 255
    bgr = ground[..., ::-1] * (1 - cover) + marks[..., :3].astype(np.float32)
    image = np.dstack([np.clip(bgr, 0, 255).astype(np.uint8), body[..., 3]])
    edge = tuple(int(v * 0.82) for v in style.face)
    return Sprite(
        image=image,
        px_per_mm=px_per_mm,
        corners_mm=tile_corners(style),
        kind="tile",
        label=label,
        thickness_mm=style.thickness,
        gloss=style.gloss,
        edge_color=(edge[0], edge[1], edge[2]),
    )
