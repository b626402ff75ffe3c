"""Spanish cards: frame with the pinta, corner indices, pips laid out as on real decks, figures; many styles."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, field, replace

import numpy as np

from datasets.art.canvas import Canvas, Color, Point, ellipse, rounded_rect
from datasets.art.courts import draw_comodin, draw_court
from datasets.art.digits import Typeface, draw_number
from datasets.art.sprite import Sprite
from datasets.art.suits import SUITS, SuitInk, draw_suit

SIZE_MM = (61.5, 95.0)
PINTA = {"oros": 0, "copas": 1, "espadas": 2, "bastos": 3}  # breaks in the frame's short sides
LABELS = tuple(f"{number}-{suit}" for suit in SUITS for number in range(1, 13))

# Where the pips of each number lie, as fractions of the picture inside the frame (x, y from the middle).
_L, _R, _U, _D = -0.29, 0.29, -0.32, 0.32
LAYOUT: dict[int, list[Point]] = {
    1: [(0, 0)],
    2: [(0, -0.25), (0, 0.25)],
    3: [(0, -0.33), (0, 0), (0, 0.33)],
    4: [(_L, -0.26), (_R, -0.26), (_L, 0.26), (_R, 0.26)],
    5: [(_L, -0.3), (_R, -0.3), (0, 0), (_L, 0.3), (_R, 0.3)],
    6: [(_L, -0.33), (_R, -0.33), (_L, 0), (_R, 0), (_L, 0.33), (_R, 0.33)],
    7: [(_L, -0.34), (_R, -0.34), (0, -0.17), (_L, 0.02), (_R, 0.02), (_L, 0.35), (_R, 0.35)],
    8: [(x, y) for y in (-0.36, -0.12, 0.12, 0.36) for x in (_L, _R)],
    9: [(x, y) for y in (-0.34, 0.0, 0.34) for x in (-0.33, 0.0, 0.33)],
}
SCALE = {1: 0.62, 2: 0.44, 3: 0.33, 4: 0.36, 5: 0.31, 6: 0.31, 7: 0.27, 8: 0.26, 9: 0.24}
LONG_SCALE = {1: 0.82, 2: 0.46, 3: 0.36, 4: 0.44, 5: 0.38, 6: 0.36, 7: 0.29, 8: 0.31, 9: 0.30}
# Swords and clubs are long: where there is room they stand side by side.
LONG_LAYOUT: dict[int, list[Point]] = {
    **LAYOUT,
    3: [(0, -0.27), (-0.27, 0.25), (0.27, 0.25)],
    6: [(x, y) for y in (-0.25, 0.25) for x in (-0.32, 0.0, 0.32)],
    8: [(-0.32, -0.34), (0, -0.34), (0.32, -0.34), (-0.17, 0), (0.17, 0), (-0.32, 0.34), (0, 0.34), (0.32, 0.34)],
}


@dataclass(frozen=True, slots=True)
class CardStyle:
    """How a deck is drawn and printed."""

    name: str
    paper: Color = (252, 250, 244)
    ink: SuitInk = field(default_factory=SuitInk)
    face: Typeface = field(default_factory=Typeface)
    index_mm: float = 6.0
    index_color: Color | None = None  # None: the ink of the deck
    index_suit: bool = False  # a small sign of the suit under the number
    frame: str = "single"  # single, double, none
    frame_color: Color = (40, 60, 120)
    margin_mm: float = 4.2
    radius_mm: float = 3.5
    gloss: float = 0.45
    back: int = 0


def _tone(color: Color, saturation: float, value: float, turn: float = 0.0) -> Color:
    h, s, v = colorsys.rgb_to_hsv(*(c / 255 for c in color))
    r, g, b = colorsys.hsv_to_rgb((h + turn) % 1.0, min(1.0, s * saturation), min(1.0, v * value))
    return (round(r * 255), round(g * 255), round(b * 255))


def _toned(saturation: float, value: float, **more: object) -> SuitInk:
    base = SuitInk()
    colors = {n: _tone(getattr(base, n), saturation, value) for n in ("gold", "red", "blue", "green", "brown", "light")}
    return replace(base, **{**colors, **more})  # type: ignore[arg-type]


STYLES: dict[str, CardStyle] = {
    style.name: style
    for style in [
        CardStyle("taberna", frame="single", back=0),
        CardStyle("antigua", (244, 232, 202), _toned(0.75, 0.85, line=0.028), Typeface(serif=0.12, contrast=0.6), 5.5,
                  frame="double", frame_color=(90, 60, 40), gloss=0.1, back=1),
        CardStyle("plana", (255, 255, 255), _toned(1.1, 1.0, detail=0, slim=1.3, round_cup=False),
                  Typeface(weight=0.16), 8.5, index_suit=True, frame="none", margin_mm=3.0, back=2),
        CardStyle("porteña", (250, 250, 250), _toned(1.2, 1.0, slim=0.85), Typeface(width=0.5, slant=8), 5.0,
                  frame="single", frame_color=(20, 20, 20), margin_mm=5.0, back=3),
        CardStyle("escolar", (253, 252, 235), _toned(0.9, 1.1, detail=1, line=0.035, slim=1.2),
                  Typeface(round_caps=True),
                  7.0, index_color=(180, 30, 40), frame="single", frame_color=(180, 30, 40), back=4),
        CardStyle("noche", (236, 238, 243), _toned(1.0, 0.8, detail=1), Typeface(square=3.5, weight=0.12), 6.5,
                  index_suit=True, frame="double", frame_color=(30, 40, 80), back=5),
        CardStyle("marina", (246, 250, 252), _toned(0.85, 0.95, slim=0.75, line=0.016), Typeface(serif=0.1, weight=0.1),
                  5.2, frame="single", frame_color=(20, 90, 130), margin_mm=3.6, back=6),
        # Reserved for tests: never trained on.
        CardStyle("test-feria", (255, 252, 240), _toned(1.25, 0.95, slim=1.1, line=0.03, round_cup=False),
                  Typeface(weight=0.17, width=0.6), 6.2, frame="double", frame_color=(150, 30, 90), back=7),
        CardStyle("test-mesón", (241, 236, 222), _toned(0.8, 0.9, detail=1, slim=0.9),
                  Typeface(serif=0.14, contrast=0.4),
                  5.8, frame="single", frame_color=(60, 50, 30), margin_mm=4.6, back=8),
    ]
}  # fmt: skip
RESERVED = tuple(name for name in STYLES if name.startswith("test-"))


def random_style(rng: np.random.Generator) -> CardStyle:
    """A style that no list holds."""
    base = SuitInk()
    colors = {}
    for name in ("gold", "red", "blue", "green", "brown", "light"):
        strength, value, turn = rng.uniform(0.6, 1.3), rng.uniform(0.75, 1.15), rng.normal(0, 0.015)
        colors[name] = _tone(getattr(base, name), float(strength), float(value), float(turn))
    ink = replace(
        base, **colors, line=float(rng.uniform(0.012, 0.04)), detail=int(rng.choice([0, 1, 2, 2])),
        slim=float(rng.uniform(0.7, 1.35)), round_cup=bool(rng.random() < 0.6),
    )  # fmt: skip
    paper = int(rng.integers(232, 256))
    return CardStyle(
        "random",
        (paper, max(0, paper - int(rng.integers(0, 8))), max(0, paper - int(rng.integers(0, 30)))),
        ink,
        Typeface.seeded(int(rng.integers(1 << 30))),
        float(rng.uniform(4.5, 9.0)),
        _tone((200, 40, 40), 1.0, float(rng.uniform(0.2, 1)), float(rng.random())) if rng.random() < 0.4 else None,
        bool(rng.random() < 0.3),
        str(rng.choice(["single", "single", "double", "none"])),
        _tone((40, 60, 160), 1.0, float(rng.uniform(0.2, 1.0)), float(rng.random())),
        float(rng.uniform(2.8, 6.0)),
        float(rng.uniform(2.0, 5.0)),
        float(rng.uniform(0.05, 0.8)),
        int(rng.integers(0, 1000)),
    )


def split_label(label: str) -> tuple[int, str]:
    """Number and suit of `7-copas`; `ValueError` for what is no card."""
    number, _, suit = label.partition("-")
    if not number.isdigit() or not 1 <= int(number) <= 12 or suit not in SUITS:
        raise ValueError(f"{label!r} is not a Spanish card")
    return int(number), suit


def card_canvas(label: str, style: CardStyle) -> Canvas:
    """A card's face as vectors: `7-copas`, or `comodin` (`comodin-2` is the second of a deck)."""
    canvas = Canvas(*SIZE_MM)
    w, h = SIZE_MM
    canvas.rect(0, 0, w, h, style.paper, style.radius_mm)
    ink = style.index_color or style.ink.ink
    if label.startswith("comodin"):
        _frame(canvas, style, 0)
        with canvas.at(w / 2, h / 2, 0, w * 0.55):
            draw_comodin(canvas, style.ink, 1 if label.endswith("2") else 0)
        return canvas
    number, suit = split_label(label)
    _frame(canvas, style, PINTA[suit])
    m = style.margin_mm
    for turned in (False, True):
        with canvas.at(w if turned else 0, h if turned else 0, 180 if turned else 0):
            # The index stands in a notch of the frame, so the frame is wiped away behind it.
            size = style.index_mm * (0.8 if number > 9 else 1.0)
            canvas.rect(m * 0.35, m * 0.5, size * (1.35 if number > 9 else 0.85), style.index_mm * 1.2, style.paper)
            x = m * 0.5 + size * (0.62 if number > 9 else 0.38)
            with canvas.at(x, m * 0.6 + style.index_mm * 0.55):
                draw_number(canvas, str(number), size, style.face, ink)
            if style.index_suit:
                with canvas.at(x, m * 0.6 + style.index_mm * 1.75, 0, style.index_mm * 0.9):
                    draw_suit(canvas, suit, style.ink)
    _picture(canvas, number, suit, style)
    return canvas


def _frame(canvas: Canvas, style: CardStyle, breaks: int) -> None:
    """The frame line, open in `breaks` places on each short side: the pinta."""
    if style.frame == "none":
        return
    for inset in (style.margin_mm, style.margin_mm + 1.1) if style.frame == "double" else (style.margin_mm,):
        w, h = SIZE_MM
        x1, y1, x2, y2 = inset, inset, w - inset, h - inset
        for x in (x1, x2):
            canvas.line([(x, y1), (x, y2)], style.frame_color, 0.35)
        gap, span = 3.2, x2 - x1
        centres = [x1 + span * (0.5 + 0.17 * (k - (breaks - 1) / 2)) for k in range(breaks)]
        starts = [x1, *(c + gap / 2 for c in centres)]
        ends = [*(c - gap / 2 for c in centres), x2]
        for y in (y1, y2):
            for a, b in zip(starts, ends, strict=True):
                canvas.line([(a, y), (b, y)], style.frame_color, 0.35)


def _picture(canvas: Canvas, number: int, suit: str, style: CardStyle) -> None:
    w, h = SIZE_MM
    inner_w, inner_h = w - 2 * style.margin_mm - 4, h - 2 * style.margin_mm - 6
    if number >= 10:
        with canvas.at(w / 2, h / 2, 0, min(inner_w / 1.05, inner_h / 1.65)):
            draw_court(canvas, number, suit, style.ink)
        return
    long = suit in ("espadas", "bastos")
    layout, scale = (LONG_LAYOUT, LONG_SCALE) if long else (LAYOUT, SCALE)
    size = scale[number] * (inner_h if long else inner_h * 0.78)
    for x, y in layout[number]:
        # On most decks the lower half stands on its head, except for cups, which would spill.
        turned = 180 if y > 0.05 and suit != "copas" and number not in (1, 3) else 0
        with canvas.at(w / 2 + x * inner_w, h / 2 + y * inner_h, turned, size):
            draw_suit(canvas, suit, style.ink)


def back_canvas(style: CardStyle) -> Canvas:
    """A card's back: a pattern of chance that the deck's number decides."""
    rng = np.random.default_rng(7000 + style.back)
    canvas = Canvas(*SIZE_MM)
    w, h = SIZE_MM
    canvas.rect(0, 0, w, h, (252, 252, 250), style.radius_mm)
    color = _tone((40, 70, 170), float(rng.uniform(0.5, 1.1)), float(rng.uniform(0.5, 1.1)), float(rng.random()))
    m, pitch = float(rng.uniform(2, 5)), float(rng.uniform(3, 7))
    kind = int(rng.integers(0, 4))
    if rng.random() < 0.5:
        canvas.rect(m, m, w - 2 * m, h - 2 * m, color, 1.5)
        color = (252, 252, 250)
    else:
        canvas.line(rounded_rect(m, m, w - 2 * m, h - 2 * m, 1.5), color, 0.6, closed=True)
    xs, ys = np.arange(m + pitch, w - m - pitch / 2, pitch), np.arange(m + pitch, h - m - pitch / 2, pitch)
    for j, y in enumerate(ys):
        for i, x in enumerate(xs):
            px, py = float(x), float(y)
            if kind == 0:
                canvas.line([(px - pitch / 2, py - pitch / 2), (px + pitch / 2, py + pitch / 2)], color, 0.4)
                canvas.line([(px + pitch / 2, py - pitch / 2), (px - pitch / 2, py + pitch / 2)], color, 0.4)
            elif kind == 1:
                canvas.circle(px, py, pitch * (0.32 if (i + j) % 2 else 0.18), color)
            elif kind == 2:
                k = pitch * 0.42
                canvas.fill([(px, py - k), (px + k, py), (px, py + k), (px - k, py)], color=color)
            else:
                canvas.line(ellipse(px, py, pitch * 0.45, pitch * 0.45), color, 0.35, closed=True)
    return canvas


def _sprite(canvas: Canvas, style: CardStyle, px_per_mm: float, kind: str, label: str) -> Sprite:
    w, h = SIZE_MM
    corners = ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))
    return Sprite(canvas.to_pixels(px_per_mm), px_per_mm, corners, kind, label, 0.3, style.gloss)


def card_sprite(label: str, style: CardStyle, px_per_mm: float = 4.0) -> Sprite:
    """A card's face as pixels; the label of any comodín is `comodin`."""
    name = "comodin" if label.startswith("comodin") else label
    return _sprite(card_canvas(label, style), style, px_per_mm, "card", name)


def back_sprite(style: CardStyle, px_per_mm: float = 4.0) -> Sprite:
    """A face-down card as pixels."""
    return _sprite(back_canvas(style), style, px_per_mm, "back", "")
