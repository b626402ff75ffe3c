"""The four suits as drawn shapes: each fits a box of one unit around the origin, upright."""

from __future__ import annotations

from dataclasses import dataclass

from datasets.art.canvas import Canvas, Color, Point, ellipse, smooth

SUITS = ("oros", "copas", "espadas", "bastos")


@dataclass(frozen=True, slots=True)
class SuitInk:
    """The colours of a deck's suits and how they are drawn: `detail` 0 is flat, 1 has outlines, 2 is ornate."""

    gold: Color = (240, 190, 40)
    red: Color = (205, 40, 45)
    blue: Color = (45, 105, 190)
    green: Color = (40, 135, 70)
    brown: Color = (150, 90, 40)
    light: Color = (250, 240, 205)
    ink: Color = (25, 25, 30)
    line: float = 0.02
    detail: int = 2
    slim: float = 1.0  # how slender blades and clubs are
    round_cup: bool = True


def draw_suit(canvas: Canvas, suit: str, ink: SuitInk) -> None:
    """Draw a suit's sign in the unit box around the origin."""
    {"oros": _oro, "copas": _copa, "espadas": _espada, "bastos": _basto}[suit](canvas, ink)


def _edge(canvas: Canvas, ring: list[Point], ink: SuitInk) -> None:
    if ink.detail > 0:
        canvas.line(ring, ink.ink, ink.line, closed=True)


def _oro(canvas: Canvas, ink: SuitInk) -> None:
    disc = ellipse(0, 0, 0.47, 0.47)
    canvas.fill(disc, color=ink.gold)
    _edge(canvas, disc, ink)
    if ink.detail == 0:
        canvas.circle(0, 0, 0.30, ink.light)
        canvas.circle(0, 0, 0.22, ink.gold)
        return
    inner = ellipse(0, 0, 0.36, 0.36)
    canvas.line(inner, ink.red if ink.detail > 1 else ink.ink, ink.line * 1.3, closed=True)
    if ink.detail > 1:
        for k in range(12):
            with canvas.at(0, 0, k * 30):
                canvas.fill([(0.30, 0), (0.19, 0.055), (0.19, -0.055)], color=ink.red)
        for k in range(24):
            with canvas.at(0, 0, k * 15):
                canvas.circle(0.415, 0, 0.018, ink.ink)
    canvas.circle(0, 0, 0.17, ink.light)
    _edge(canvas, ellipse(0, 0, 0.17, 0.17), ink)
    canvas.circle(0, 0, 0.08, ink.red)


def _copa(canvas: Canvas, ink: SuitInk) -> None:
    if ink.round_cup:
        bowl = smooth(
            [(-0.32, -0.40), (-0.34, -0.16), (-0.2, 0.06), (0, 0.12), (0.2, 0.06), (0.34, -0.16), (0.32, -0.40)]
        )
    else:
        bowl = [(-0.36, -0.42), (-0.26, 0.02), (-0.08, 0.12), (0.08, 0.12), (0.26, 0.02), (0.36, -0.42)]
    stem = [(-0.06, 0.08), (0.06, 0.08), (0.08, 0.32), (-0.08, 0.32)]
    foot = smooth([(-0.28, 0.47), (-0.2, 0.36), (0, 0.31), (0.2, 0.36), (0.28, 0.47), (0, 0.49)])
    for ring, color in ((stem, ink.gold), (foot, ink.red), (bowl, ink.red)):
        canvas.fill(ring, color=color)
        _edge(canvas, ring, ink)
    rim = ellipse(0, -0.40, 0.33, 0.075)
    canvas.fill(rim, color=ink.gold)
    _edge(canvas, rim, ink)
    if ink.detail > 0:
        canvas.circle(0, 0.2, 0.085, ink.gold)
        _edge(canvas, ellipse(0, 0.2, 0.085, 0.085), ink)
    if ink.detail > 1:
        canvas.line(smooth([(-0.3, -0.2), (-0.1, -0.12), (0.1, -0.12), (0.3, -0.2)], closed=False), ink.gold, 0.05)
        for x in (-0.18, 0.0, 0.18):
            canvas.circle(x, -0.24 + 0.4 * (0.03 - x * x), 0.035, ink.green)


def _espada(canvas: Canvas, ink: SuitInk) -> None:
    w = 0.085 * ink.slim
    blade = [(0, -0.5), (w, -0.38), (w * 1.05, 0.22), (-w * 1.05, 0.22), (-w, -0.38)]
    canvas.fill(blade, color=ink.blue)
    _edge(canvas, blade, ink)
    if ink.detail > 1:
        canvas.line([(0, -0.42), (0, 0.2)], ink.light, ink.line * 1.2)
    guard = smooth(
        [(-0.27, 0.19), (-0.2, 0.28), (0, 0.25), (0.2, 0.28), (0.27, 0.19), (0.1, 0.2), (0, 0.19), (-0.1, 0.2)]
    )
    canvas.fill(guard, color=ink.gold)
    _edge(canvas, guard, ink)
    grip = [(-0.045, 0.25), (0.045, 0.25), (0.045, 0.41), (-0.045, 0.41)]
    canvas.fill(grip, color=ink.red)
    _edge(canvas, grip, ink)
    canvas.circle(0, 0.44, 0.055, ink.gold)
    _edge(canvas, ellipse(0, 0.44, 0.055, 0.055), ink)


def _basto(canvas: Canvas, ink: SuitInk) -> None:
    w = ink.slim
    club = smooth(
        [(-0.10 * w, -0.47), (0.02, -0.5), (0.13 * w, -0.44), (0.16 * w, -0.3), (0.11 * w, -0.16), (0.14 * w, -0.02),
         (0.08 * w, 0.14), (0.09 * w, 0.3), (0.05 * w, 0.47), (-0.04 * w, 0.48), (-0.07 * w, 0.3), (-0.06 * w, 0.12),
         (-0.12 * w, -0.02), (-0.09 * w, -0.18), (-0.16 * w, -0.32)]
    )  # fmt: skip
    canvas.fill(club, color=ink.green)
    _edge(canvas, club, ink)
    if ink.detail == 0:
        canvas.circle(0, -0.3, 0.05, ink.brown)
        return
    for x, y, r in ((0.14 * w, -0.22, 0.05), (-0.13 * w, -0.1, 0.05), (0.1 * w, 0.08, 0.045)):
        canvas.circle(x, y, r, ink.brown)
        _edge(canvas, ellipse(x, y, r, r), ink)
    end = ellipse(0, 0.46, 0.06 * w, 0.03)
    canvas.fill(end, color=ink.red)
    _edge(canvas, end, ink)
    if ink.detail > 1:
        canvas.line(
            smooth([(-0.05 * w, -0.4), (0.03 * w, -0.2), (-0.03 * w, 0.05), (0.01, 0.35)], closed=False),
            ink.light,
            0.025,
        )
