"""Numerals drawn by rule: skeletons of strokes, swept by a nib, in as many typefaces as there are seeds.

A typeface is a handful of numbers (weight, contrast, slant, width, serifs, which form of 1, 3 or 4 …). The nib's sweep
is joined into clean outlines once per numeral and typeface; the outlines are then scaled as vectors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from datasets.art.canvas import Canvas, Color, Point, ellipse, smooth

EM = 480  # pixels per height in which the strokes are joined; the outline is good to about 1/1000 of the height
PAD = 160


@dataclass(frozen=True, slots=True)
class Typeface:
    """The rule of one typeface. Widths are in units of the numeral's height."""

    width: float = 0.56
    weight: float = 0.13
    contrast: float = 0.0  # 0: strokes of one width; 0.8: hairlines across, as in a Didone
    stress: float = 0.0  # degrees by which the nib is turned
    slant: float = 0.0  # degrees to the right
    square: float = 2.0  # exponent of the bowls: 2 round, 4 nearly square
    serif: float = 0.0  # length of the serifs, 0 for none
    round_caps: bool = False
    one_flag: float = 0.22  # length of the flag of 1; 0 is a bare stem
    one_base: bool = False
    flat_three: bool = False
    open_four: bool = False
    straight_six: bool = False

    @staticmethod
    def seeded(seed: int) -> Typeface:
        """A plausible typeface for each seed: sans, serif, rounded, slanted, light to black."""
        r = np.random.default_rng([seed, 40487])
        family = int(r.choice(4, p=[0.4, 0.3, 0.15, 0.15]))
        weight = float(r.uniform(0.075, 0.2))
        serif = float(r.uniform(0.04, 0.09)) if family == 1 else 0.0
        return Typeface(
            width=float(r.uniform(0.42, 0.68)),
            weight=weight,
            contrast=float(r.uniform(0.35, 0.8)) if family == 1 else float(r.uniform(0.0, 0.3)),
            stress=float(r.uniform(-25, 10)) if family in (1, 3) else 0.0,
            slant=float(r.uniform(4, 14)) if family == 3 or r.random() < 0.15 else 0.0,
            square=float(r.uniform(2.0, 3.4)) if family == 0 else float(r.uniform(1.9, 2.4)),
            serif=serif,
            round_caps=family in (2, 3),
            one_flag=float(r.choice([0.0, 0.16, 0.24, 0.32], p=[0.1, 0.3, 0.4, 0.2])),
            one_base=bool(serif > 0 or r.random() < 0.25),
            flat_three=bool(r.random() < 0.18),
            open_four=bool(r.random() < 0.18),
            straight_six=bool(r.random() < 0.3),
        )


Stroke = tuple[list[Point], bool]  # points, closed


def _bowl(cx: float, cy: float, rx: float, ry: float, power: float) -> list[Point]:
    """A superellipse: round for power 2, boxy above."""
    out = []
    for x, y in ellipse(0, 0, 1, 1, steps=72):
        sx = math.copysign(abs(x) ** (2 / power), x)
        sy = math.copysign(abs(y) ** (2 / power), y)
        out.append((cx + rx * sx, cy + ry * sy))
    return out


def _curve(*points: Point) -> list[Point]:
    return smooth(points, closed=False, steps=9)


def _skeleton(digit: str, face: Typeface) -> list[Stroke]:
    """Strokes in the unit square, y downwards; corners of a polyline stay sharp."""
    if digit == "0":
        return [(_bowl(0.5, 0.5, 0.5, 0.5, face.square), True)]
    if digit == "1":
        strokes: list[Stroke] = [([(0.55, 0.0), (0.55, 1.0)], False)]
        if face.one_flag:
            strokes.append(([(0.55, 0.02), (0.55 - 1.5 * face.one_flag, 0.02 + face.one_flag)], False))
        if face.one_base:
            strokes.append(([(0.2, 1.0), (0.9, 1.0)], False))
        return strokes
    if digit == "2":
        top = _curve((0.04, 0.28), (0.17, 0.08), (0.48, 0.0), (0.8, 0.08), (0.94, 0.28), (0.84, 0.5), (0.45, 0.77))
        return [([*top, (0.03, 1.0)], False), ([(0.0, 1.0), (1.0, 1.0)], False)]
    if digit == "3":
        low = _curve((0.42, 0.46), (0.8, 0.53), (0.98, 0.74), (0.84, 0.93), (0.48, 1.0), (0.15, 0.94), (0.02, 0.78))
        if face.flat_three:
            return [([(0.06, 0.0), (0.92, 0.0), (0.4, 0.45)], False), (low, False)]
        high = _curve((0.06, 0.2), (0.2, 0.05), (0.48, 0.0), (0.8, 0.07), (0.91, 0.24), (0.78, 0.41), (0.42, 0.465))
        return [(high, False), (low, False)]
    if digit == "4":
        if face.open_four:
            return [([(0.34, 0.0), (0.0, 0.66), (1.0, 0.66)], False), ([(0.72, 0.36), (0.72, 1.0)], False)]
        return [([(0.74, 1.0), (0.74, 0.0), (0.0, 0.71), (1.0, 0.71)], False)]
    if digit == "5":
        bowl = _curve((0.13, 0.47), (0.3, 0.385), (0.54, 0.365), (0.85, 0.46), (0.98, 0.68), (0.84, 0.92), (0.48, 1.0))
        return [
            ([(0.9, 0.0), (0.2, 0.0), (0.13, 0.47)], False),
            (bowl + _curve((0.48, 1.0), (0.16, 0.95), (0.01, 0.8)), False),
        ]
    if digit in "69":
        ring = _bowl(0.5, 0.68, 0.48, 0.32, 2.0 + (face.square - 2.0) * 0.6)
        if face.straight_six:
            tail = _curve((0.72, 0.0), (0.4, 0.28), (0.12, 0.52), (0.02, 0.68))
        else:
            tail = _curve((0.9, 0.12), (0.72, 0.01), (0.5, 0.0), (0.2, 0.12), (0.04, 0.4), (0.02, 0.68))
        strokes = [(ring, True), (tail, False)]
        if digit == "9":
            strokes = [([(1 - x, 1 - y) for x, y in points], closed) for points, closed in strokes]
        return strokes
    if digit == "7":
        return [([(0.0, 0.0), (0.98, 0.0), (0.35, 1.0)], False)]
    if digit == "8":
        return [
            (_bowl(0.5, 0.24, 0.42, 0.24, face.square), True),
            (_bowl(0.5, 0.73, 0.5, 0.27, face.square), True),
        ]
    raise ValueError(f"no numeral for {digit!r}")


SERIFS = {"1": [(0.55, 1.0)], "4": [(0.74, 1.0)], "7": [(0.35, 1.0)]}  # feet
DROPS = {"2": (0.04, 0.28), "3": (0.06, 0.2), "5": (0.01, 0.8)}  # the ball that ends a curve in many serif faces


@lru_cache(maxsize=4096)
def digit_outline(digit: str, face: Typeface) -> tuple[tuple[tuple[Point, ...], ...], float]:
    """Closed rings (to be filled even-odd) of a numeral one unit high, from x = 0, and its width."""
    thin = face.weight * (1 - face.contrast)
    width = face.width * (0.72 if digit == "1" else 1.06 if digit == "4" else 1.0)
    inset_y = (thin if face.contrast > 0.25 else face.weight) / 2
    mask = np.zeros((EM + 2 * PAD, int(EM * 1.4) + 2 * PAD), np.uint8)
    lean = math.tan(math.radians(face.slant))

    def place(p: Point) -> np.ndarray:
        y = inset_y + p[1] * (1 - 2 * inset_y)
        x = face.weight / 2 + p[0] * (width - face.weight)
        return np.array([PAD + (x + lean * (0.5 - y)) * EM, PAD + y * EM])

    def nib(direction: np.ndarray) -> float:
        """Half the width of a stroke that runs in this direction, for an elliptical nib."""
        angle = math.atan2(direction[1], direction[0]) - math.radians(face.stress)
        across = math.hypot(face.weight * math.sin(angle), max(thin, 0.035) * math.cos(angle))
        return across * EM / 2

    for points, closed in _skeleton(digit, face):
        placed = [place(p) for p in points]
        pairs = list(zip(placed, placed[1:] + placed[:1] if closed else placed[1:], strict=False))
        for i, (a, b) in enumerate(pairs):
            step = b - a
            length = float(np.linalg.norm(step))
            if length < 1e-6:
                continue
            half = nib(step / length)
            side = np.array([-step[1], step[0]]) / length * half
            quad = np.round(np.array([a + side, b + side, b - side, a - side]) * 16).astype(np.int32)
            cv2.fillPoly(mask, [quad], 255, cv2.LINE_8, 4)
            joints = ([a] if i > 0 or closed or face.round_caps else []) + (
                [b] if i + 1 < len(pairs) or closed or face.round_caps else []
            )
            for joint in joints:
                cv2.circle(mask, tuple(int(v) for v in np.round(joint * 16)), int(half * 16), 255, -1, cv2.LINE_8, 4)
    if face.serif:
        for foot in SERIFS.get(digit, []):
            x, y = place(foot)
            reach = (face.weight / 2 + face.serif) * EM
            rise = max(thin, 0.035) * EM
            cv2.rectangle(mask, (int(x - reach), int(y - rise / 2)), (int(x + reach), int(y + rise / 2)), 255, -1)
        if digit in DROPS and face.contrast > 0.4:
            x, y = place(DROPS[digit])
            cv2.circle(mask, (int(x), int(y)), int(face.weight * 0.55 * EM), 255, -1)
    mask = cv2.GaussianBlur(mask, (0, 0), 1.5)
    found, _ = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    rings = []
    for contour in found:
        ring = cv2.approxPolyDP(contour, 0.7, True)[:, 0, :].astype(float)
        if len(ring) >= 3:
            rings.append(tuple(((x + 0.5 - PAD) / EM, (y + 0.5 - PAD) / EM) for x, y in ring))
    return tuple(rings), width


def draw_number(canvas: Canvas, text: str, height: float, face: Typeface, color: Color) -> None:
    """Write a number `height` mm high, centred on the canvas's present origin (see `Canvas.at`)."""
    parts = [digit_outline(char, face) for char in text]
    gap = 0.12 + face.weight * 0.3
    left = -(sum(width for _, width in parts) + gap * (len(parts) - 1)) / 2
    for rings, width in parts:
        canvas.fill(*[[((x + left) * height, (y - 0.5) * height) for x, y in ring] for ring in rings], color=color)
        left += width + gap
