"""Sota, caballo and rey, and the comodín: figures built from simple shapes, each suit in its own colours."""

from __future__ import annotations

from datasets.art.canvas import Canvas, Color, Point, ellipse, smooth
from datasets.art.suits import SuitInk, draw_suit

SKIN: Color = (238, 200, 165)


def draw_court(canvas: Canvas, number: int, suit: str, ink: SuitInk) -> None:
    """Draw the figure of a 10, 11 or 12 in a box of 1 × 1.6 units around the origin."""
    coat, trim = {
        "oros": (ink.gold, ink.red),
        "copas": (ink.red, ink.gold),
        "espadas": (ink.blue, ink.gold),
        "bastos": (ink.green, ink.brown),
    }[suit]
    {10: _sota, 11: _caballo, 12: _rey}[number](canvas, suit, ink, coat, trim)


def _part(canvas: Canvas, ring: list[Point], color: Color, ink: SuitInk) -> None:
    canvas.fill(ring, color=color)
    if ink.detail > 0:
        canvas.line(ring, ink.ink, ink.line * 0.7, closed=True)


def _head(canvas: Canvas, x: float, y: float, ink: SuitInk, beard: bool) -> None:
    _part(
        canvas,
        smooth([(x - 0.13, y - 0.05), (x - 0.15, y + 0.14), (x, y + 0.2), (x + 0.15, y + 0.14), (x + 0.13, y - 0.05)]),
        ink.brown,
        ink,
    )
    _part(canvas, ellipse(x, y, 0.1, 0.125), SKIN, ink)
    for side in (-1, 1):
        canvas.circle(x + side * 0.04, y - 0.02, 0.013, ink.ink)
    if beard:
        _part(canvas, smooth([(x - 0.09, y + 0.05), (x, y + 0.2), (x + 0.09, y + 0.05), (x, y + 0.07)]), ink.brown, ink)
    else:
        canvas.line([(x - 0.03, y + 0.06), (x + 0.03, y + 0.06)], ink.red, 0.014)


def _held(canvas: Canvas, suit: str, x: float, y: float, ink: SuitInk, size: float = 0.4) -> None:
    with canvas.at(x, y, 0, size):
        draw_suit(canvas, suit, ink)


def _sota(canvas: Canvas, suit: str, ink: SuitInk, coat: Color, trim: Color) -> None:
    for side in (-1, 1):
        leg = [(side * 0.03, 0.3), (side * 0.15, 0.3), (side * 0.14, 0.72), (side * 0.22, 0.78), (side * 0.03, 0.78)]
        _part(canvas, leg, trim, ink)
    tunic = smooth([(-0.16, -0.33), (-0.22, 0.0), (-0.28, 0.36), (0, 0.42), (0.28, 0.36), (0.22, 0.0), (0.16, -0.33)])
    _part(canvas, tunic, coat, ink)
    canvas.line([(-0.21, 0.03), (0.21, 0.03)], trim, 0.06)
    for side in (-1, 1):
        arm = smooth(
            [(side * 0.14, -0.3), (side * 0.3, -0.2), (side * 0.34, 0.02), (side * 0.26, 0.04), (side * 0.2, -0.12)]
        )
        _part(canvas, arm, coat, ink)
        canvas.circle(side * 0.31, 0.04, 0.04, SKIN)
    _head(canvas, 0, -0.48, ink, beard=False)
    hat = smooth([(-0.2, -0.56), (-0.12, -0.7), (0.05, -0.74), (0.2, -0.66), (0.17, -0.56), (0, -0.6)])
    _part(canvas, hat, trim, ink)
    canvas.line(smooth([(0.1, -0.68), (0.25, -0.78), (0.32, -0.66)], closed=False), ink.light, 0.04)
    _held(
        canvas,
        suit,
        0.3,
        -0.3 if suit in ("oros", "copas") else -0.18,
        ink,
        0.36 if suit in ("oros", "copas") else 0.62,
    )


def _caballo(canvas: Canvas, suit: str, ink: SuitInk, coat: Color, trim: Color) -> None:
    horse_color = ink.light if suit in ("copas", "bastos") else ink.brown
    for x in (-0.3, -0.16, 0.14, 0.28):
        bend = 0.06 if x in (-0.16, 0.28) else 0.0
        _part(
            canvas,
            [(x - 0.05, 0.35), (x + 0.05, 0.35), (x + 0.04 + bend, 0.74), (x - 0.03 + bend, 0.74)],
            horse_color,
            ink,
        )
    body = smooth(
        [(-0.42, 0.2), (-0.3, 0.05), (0.1, 0.06), (0.36, 0.08), (0.42, 0.25), (0.3, 0.45), (-0.1, 0.44), (-0.36, 0.44)]
    )
    _part(canvas, body, horse_color, ink)
    neck = smooth([(-0.42, 0.22), (-0.46, -0.12), (-0.38, -0.3), (-0.26, -0.24), (-0.2, 0.08)])
    _part(canvas, neck, horse_color, ink)
    muzzle = smooth([(-0.4, -0.28), (-0.5, -0.12), (-0.48, -0.02), (-0.4, -0.05), (-0.3, -0.2), (-0.34, -0.32)])
    _part(canvas, muzzle, horse_color, ink)
    canvas.circle(-0.4, -0.2, 0.014, ink.ink)
    tail = smooth([(0.4, 0.15), (0.5, 0.25), (0.48, 0.55), (0.42, 0.5), (0.42, 0.3)])
    _part(canvas, tail, ink.ink if horse_color == ink.light else ink.light, ink)
    _part(canvas, [(-0.06, 0.05), (0.2, 0.05), (0.24, 0.32), (-0.08, 0.32)], trim, ink)
    _part(canvas, [(0.0, 0.1), (0.1, 0.1), (0.08, 0.46), (0.14, 0.52), (-0.02, 0.52)], ink.red, ink)
    _part(canvas, smooth([(-0.08, -0.34), (-0.12, 0.08), (0.06, 0.14), (0.22, 0.08), (0.2, -0.34)]), coat, ink)
    _part(canvas, smooth([(-0.04, -0.3), (-0.2, -0.12), (-0.16, -0.02), (-0.02, -0.12)]), coat, ink)
    _head(canvas, 0.06, -0.48, ink, beard=False)
    _part(canvas, smooth([(-0.12, -0.56), (-0.02, -0.7), (0.16, -0.7), (0.24, -0.56), (0.06, -0.6)]), trim, ink)
    _held(
        canvas,
        suit,
        0.33,
        -0.45 if suit in ("oros", "copas") else -0.28,
        ink,
        0.34 if suit in ("oros", "copas") else 0.6,
    )


def _rey(canvas: Canvas, suit: str, ink: SuitInk, coat: Color, trim: Color) -> None:
    robe = smooth([(-0.2, -0.33), (-0.3, 0.1), (-0.42, 0.74), (0, 0.79), (0.42, 0.74), (0.3, 0.1), (0.2, -0.33)])
    _part(canvas, robe, coat, ink)
    _part(canvas, [(-0.07, -0.3), (0.07, -0.3), (0.12, 0.76), (-0.12, 0.76)], trim, ink)
    if ink.detail > 1:
        for k in range(8):
            canvas.circle(0, -0.2 + 0.12 * k, 0.022, ink.light)
    canvas.line(smooth([(-0.4, 0.66), (0, 0.72), (0.4, 0.66)], closed=False), ink.light, 0.06)
    for side in (-1, 1):
        _part(
            canvas,
            smooth(
                [(side * 0.18, -0.3), (side * 0.36, -0.15), (side * 0.36, 0.1), (side * 0.22, 0.1), (side * 0.2, -0.1)]
            ),
            coat,
            ink,
        )
        canvas.circle(side * 0.29, 0.11, 0.04, SKIN)
    _head(canvas, 0, -0.46, ink, beard=True)
    crown = [(-0.14, -0.54), (-0.19, -0.74), (-0.08, -0.64), (0, -0.79), (0.08, -0.64), (0.19, -0.74), (0.14, -0.54)]
    _part(canvas, crown, ink.gold, ink)
    for x in (-0.19, 0.0, 0.19):
        canvas.circle(x, -0.75 if x else -0.79, 0.025, ink.red)
    _held(
        canvas, suit, 0.31, -0.2 if suit in ("oros", "copas") else -0.1, ink, 0.4 if suit in ("oros", "copas") else 0.66
    )


def draw_comodin(canvas: Canvas, ink: SuitInk, variant: int = 0) -> None:
    """A jester's head with a three-pointed cap, in a box of 1 × 1.6 units around the origin."""
    colors = (ink.red, ink.green, ink.blue) if variant == 0 else (ink.gold, ink.blue, ink.red)
    points = [[(-0.18, -0.1), (-0.42, -0.42), (-0.5, -0.12), (-0.3, 0.06)], [(-0.16, -0.12), (0, -0.66), (0.16, -0.12)],
              [(0.18, -0.1), (0.42, -0.42), (0.5, -0.12), (0.3, 0.06)]]  # fmt: skip
    for ring, color in zip(points, colors, strict=True):
        _part(canvas, smooth(ring), color, ink)
    for x, y in ((-0.5, -0.1), (0, -0.64), (0.5, -0.1)):
        canvas.circle(x, y, 0.055, ink.gold)
    _part(canvas, ellipse(0, 0.1, 0.24, 0.3), SKIN, ink)
    for side in (-1, 1):
        canvas.circle(side * 0.09, 0.04, 0.03, ink.ink)
        canvas.circle(side * 0.14, 0.16, 0.04, ink.red, alpha=0.5)
    canvas.line(smooth([(-0.11, 0.22), (0, 0.29), (0.11, 0.22)], closed=False), ink.red, 0.03)
    collar: list[Point] = []
    for k in range(11):
        collar.append((-0.4 + 0.08 * k, 0.42 if k % 2 else 0.6))
    _part(canvas, [*collar, (0.3, 0.36), (-0.3, 0.36)], colors[1], ink)
    for k in range(0, 11, 2):
        canvas.circle(-0.4 + 0.08 * k, 0.62, 0.03, ink.gold)
