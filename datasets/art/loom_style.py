"""How a loom looks: board, holes, cords and light, drawn from seeded families of styles."""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass
from math import cos, sin

from datasets.art.loom_facts import COLORS
from vision.looms.dyes import DYES

Rgb = tuple[float, float, float]

TRAIN_FAMILIES = ("card_panel", "card_plain", "wood_frame", "plastic_window", "notched", "pegs", "dark_panel")
TEST_FAMILIES = ("cork_panel", "painted_window")  # never drawn for training
FAMILIES = TRAIN_FAMILIES + TEST_FAMILIES

@dataclass(frozen=True, slots=True)
class LoomStyle:
    """One look of a loom. Lengths are in lane pitches, heights in cord radii, colours 0 to 1 in RGB."""

    family: str
    pitch_mm: float
    margin: tuple[float, float, float, float]  # board beyond the outer lanes: left, top, right, bottom
    end_at: float  # how far beyond the outer lanes the cords end
    board: Rgb
    panel: Rgb | None
    panel_at: float  # how far beyond the outer lanes the panel or window reaches
    window: bool
    ends: str  # "hole", "notch", "peg"
    knot: bool
    hole_radius: float
    hole: Rgb
    corner_radius: float
    grain: str  # "flat", "wood", "cork", "paper"
    dyes: dict[str, Rgb]
    radius: float
    twist: float
    wobble: float
    stiffness: float
    lift: float
    lean: tuple[float, float]  # sideways shift per height: how far from straight above the eye is
    light: tuple[float, float]
    shade: float
    fuzz: float
    thickness_mm: float


def hsv(hue: float, saturation: float, value: float) -> Rgb:
    """A colour from hue in degrees, saturation and value."""
    return colorsys.hsv_to_rgb((hue % 360) / 360, min(max(saturation, 0), 1), min(max(value, 0), 1))


def dye_set(rng: random.Random) -> dict[str, Rgb]:
    """One colour for each of the five names, as one maker's set of cords would have them."""
    return {name: hsv(*(rng.uniform(*span) for span in DYES[name])) for name in COLORS}


def _board_color(rng: random.Random, dyes: dict[str, Rgb]) -> Rgb:
    kind = rng.random()
    if kind < 0.45:  # a board in one of the cords' own colours, or near it: the hard case
        return tuple(min(1.0, max(0.0, c + rng.uniform(-0.06, 0.06))) for c in dyes[rng.choice(COLORS)])  # type: ignore[return-value]
    if kind < 0.8:
        return hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.25, 1.0))
    return hsv(rng.uniform(20, 45), rng.uniform(0.0, 0.25), rng.uniform(0.15, 1.0))


def _panel_color(rng: random.Random) -> Rgb:
    if rng.random() < 0.8:
        return hsv(rng.uniform(20, 48), rng.choice((0.02, 0.1, 0.25, 0.35)), rng.uniform(0.7, 1.0))
    return hsv(rng.uniform(0, 360), rng.uniform(0.0, 0.35), rng.uniform(0.6, 1.0))


def loom_style(seed: int, family: str | None = None) -> LoomStyle:
    """The style of a seed, within a family (by default one of those that training may see)."""
    rng = random.Random(f"loom-style-{seed}")
    family = family or rng.choice(TRAIN_FAMILIES)
    if family not in FAMILIES:
        raise ValueError(f"no loom style {family!r}: one of {', '.join(FAMILIES)}")
    dyes = dye_set(rng)
    board, panel, window, grain = _board_color(rng, dyes), None, False, rng.choice(("flat", "flat", "paper"))
    ends, panel_at = "hole", rng.choice((0.5, 0.5, 0.35, 0.6))
    end_at = rng.uniform(0.85, 1.1)
    if family == "card_panel":
        panel = _panel_color(rng)
    elif family == "wood_frame":
        board, grain = hsv(rng.uniform(18, 40), rng.uniform(0.25, 0.65), rng.uniform(0.35, 0.9)), "wood"
        window = rng.random() < 0.5
        panel = None if window else _panel_color(rng)
    elif family in ("plastic_window", "painted_window"):
        window = True
    elif family == "notched":
        ends, panel = "notch", _panel_color(rng) if rng.random() < 0.5 else None
    elif family == "pegs":
        ends, window = "peg", rng.random() < 0.4
    elif family == "dark_panel":
        panel = hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.08, 0.4))
    elif family == "cork_panel":
        board, grain, panel = hsv(30, rng.uniform(0.3, 0.5), rng.uniform(0.6, 0.8)), "cork", _panel_color(rng)
    rim = rng.uniform(0.45, 0.95)
    if ends == "notch":
        end_at, rim = rng.uniform(0.7, 1.3), 0.0
    margins = tuple(end_at + max(0.0, rim + rng.choice((0.0, 0.0, rng.uniform(-0.15, 0.3)))) for _ in range(4))
    if rng.random() < 0.75 or ends == "notch":
        margins = (end_at + rim,) * 4
    shade = rng.uniform(0.0, 0.12)
    far = rng.uniform(0.0, 0.9) if rng.random() < 0.7 else 0.0
    angle, sun = rng.uniform(0, 6.283), rng.uniform(0, 6.283)
    slope = rng.uniform(0.2, 2.2)
    return LoomStyle(
        family=family,
        pitch_mm=rng.choice((12.0, 14.0, 15.0, 16.0, 18.0)),
        margin=margins,  # type: ignore[arg-type]
        end_at=end_at,
        board=board,
        panel=panel,
        panel_at=panel_at,
        window=window,
        ends=ends,
        knot=ends == "hole" and rng.random() < 0.15,
        hole_radius=rng.uniform(0.12, 0.18),
        hole=(shade, shade * rng.uniform(0.7, 1.0), shade * rng.uniform(0.7, 1.0)),
        corner_radius=rng.choice((0.0, 0.0, 0.15, 0.4)),
        grain=grain,
        dyes=dyes,
        radius=rng.uniform(0.075, 0.17),
        twist=rng.uniform(0.0, 0.5),
        wobble=rng.choice((0.0, 0.02, 0.04, 0.07)),
        stiffness=rng.uniform(0.22, 0.5),
        lift=rng.uniform(0.65, 1.25),
        lean=(far * cos(angle), far * sin(angle)),
        light=(slope * cos(sun), slope * sin(sun)),
        shade=rng.uniform(0.15, 0.75),
        fuzz=rng.uniform(0.0, 0.08),
        thickness_mm=rng.uniform(1.0, 5.0),
    )
