"""Things that lie on a table and are no tiles: hands, papers, coins, leaves, boxes (sprites without a `kind`)."""

from __future__ import annotations

import math

import numpy as np

from datasets.art.canvas import Canvas, Color, ellipse, smooth
from datasets.art.digits import Typeface, draw_number
from datasets.art.sprite import Sprite


def _sprite(canvas: Canvas, thickness: float, gloss: float = 0.2, edge: Color = (120, 110, 100)) -> Sprite:
    image = canvas.to_pixels(3.0, 2)
    cover = np.maximum(image[..., 3:].astype(np.float32) / 255, 1e-3)
    image[..., :3] = np.clip(image[..., :3] / cover, 0, 255).astype(np.uint8)  # undo the premultiplied edges
    return Sprite(image, 3.0, (), "", "", thickness, gloss, edge)


def _color(r: np.random.Generator) -> Color:
    a, b, c = (int(v) for v in r.integers(15, 250, 3))
    return (a, b, c)


def hand(r: np.random.Generator) -> Sprite:
    """Four fingers and a thumb on a palm, with a sleeve, pointing upwards."""
    skin = np.array(
        [(224, 172, 140), (240, 205, 180), (150, 100, 70), (96, 64, 44), (236, 228, 218)][int(r.integers(5))], float
    )
    tone: Color = tuple(int(v) for v in np.clip(skin * r.uniform(0.85, 1.08), 0, 255))  # type: ignore[assignment]
    canvas = Canvas(130, 260)
    for k in range(4):
        x = 34 + 19 * k
        top = 22 - (4, 14, 16, 8)[k] + float(r.uniform(0, 12)) + 12
        canvas.line([(x + float(r.normal(0, 3)), top), (38 + 17 * k, 110)], tone, float(r.uniform(13, 17)))
        canvas.line([(x + 5, top + 12), (x + 7, 95)], tuple(int(v * 0.8) for v in tone), 1.5, alpha=0.5)  # type: ignore[arg-type]
    canvas.line([(112, 95 + float(r.uniform(-15, 20))), (85, 140)], tone, 18)
    canvas.fill(ellipse(64, 128, 38, 44), color=tone)
    canvas.line([(64, 130), (64, 258)], tone, 46)
    canvas.rect(30, float(r.uniform(170, 215)), 70, 100, _color(r), 6)
    return _sprite(canvas, float(r.uniform(8, 25)), 0.05, tone)


def paper(r: np.random.Generator) -> Sprite:
    """A card, a note or a box: a rectangle with something written on it."""
    w, h = float(r.uniform(25, 110)), float(r.uniform(25, 140))
    canvas = Canvas(w, h)
    ground = (245, 243, 236) if r.random() < 0.6 else _color(r)
    canvas.rect(0, 0, w, h, ground, float(r.choice([0.2, 3.0])))
    face = Typeface.seeded(int(r.integers(1, 10**6)))
    for _ in range(int(r.integers(0, 7))):
        with canvas.at(float(r.uniform(6, w - 6)), float(r.uniform(6, h - 6)), float(r.uniform(0, 360))):
            if r.random() < 0.5:
                draw_number(canvas, str(int(r.integers(0, 99))), float(r.uniform(4, 12)), face, _color(r))
            else:
                canvas.circle(0, 0, float(r.uniform(1, 6)), _color(r))
    return _sprite(canvas, float(r.choice([0.2, 0.3, 8.0, 20.0])))


def disc(r: np.random.Generator) -> Sprite:
    """A coin, a chip, a cup."""
    radius = float(r.uniform(8, 45))
    canvas = Canvas(2 * radius, 2 * radius)
    canvas.circle(radius, radius, radius, _color(r))
    canvas.circle(radius, radius, radius * float(r.uniform(0.5, 0.92)), _color(r))
    with canvas.at(radius, radius, float(r.uniform(0, 360))):
        draw_number(
            canvas, str(int(r.integers(0, 9))), radius * 0.6, Typeface.seeded(int(r.integers(1, 10**6))), _color(r)
        )
    return _sprite(canvas, float(r.choice([1.5, 3.0, 30.0])), 0.5)


def leaf(r: np.random.Generator) -> Sprite:
    """An organic shape, as printed on cloth (no thickness) or lying about."""
    n = int(r.integers(5, 12))
    size = float(r.uniform(8, 30))
    points = []
    for i in range(n):
        a = 2 * math.pi * i / n
        radius = size * float(r.uniform(0.45, 1.0))
        points.append((size + radius * math.cos(a), size + radius * math.sin(a)))
    canvas = Canvas(2 * size, 2 * size)
    color = _color(r)
    canvas.fill(smooth(points), color=color)
    for _ in range(int(r.integers(0, 12))):
        x, y = (float(v) for v in r.uniform(size * 0.6, size * 1.4, 2))
        canvas.circle(x, y, float(r.uniform(0.4, 1.6)), _color(r))
    return _sprite(canvas, 0.01 if r.random() < 0.7 else 2.0, 0.1, color)


def wedge(r: np.random.Generator) -> Sprite:
    """A polygon that is not an equilateral triangle: a slice, a kite, a thin or square-cornered triangle."""
    size = float(r.uniform(18, 50))
    forms = (
        [(0, 0), (1, 0), (0, 1)],
        [(0.5, 0), (0.72, 1), (0.28, 1)],
        [(0, 0.1), (0.8, 0), (1, 0.9), (0.3, 1)],
        [(0.5, 0), (1, 0.4), (0.5, 1), (0, 0.4)],
        [(0, 0), (1, 0.02), (0.5, 0.3)],
        [(0.25, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0.25, 1), (0, 0.5)],
    )
    form = forms[int(r.integers(len(forms)))]
    canvas = Canvas(size, size)
    color = _color(r)
    canvas.fill([(x * size, y * size) for x, y in form], color=color)
    return _sprite(canvas, float(r.choice([0.01, 0.3, 4.0])), 0.2, color)


MAKERS = (paper, paper, disc, disc, leaf, leaf, leaf, wedge)


def clutter(r: np.random.Generator) -> Sprite:
    """Any of these, without the hand."""
    return MAKERS[int(r.integers(len(MAKERS)))](r)
