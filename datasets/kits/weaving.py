"""The Trama kit: five looms to punch, the thirty cards, the buttons, and how much cord to cut."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from datasets.art.canvas import Canvas, Color, ellipse, rounded_rect
from datasets.kits.grid import lay_out
from datasets.kits.sheet import EDGE, GREY, HAIR, Book, Page

LANES = 8
PITCH = 15.0
END = 1.0  # the holes' distance from the outer lanes, in pitches
RIM = 0.7  # and the board's rim beyond the holes
HOLE_MM = 2.0
CARD = (63.0, 88.0)
DYES: dict[str, Color] = {
    "rojo": (214, 40, 48), "rosado": (247, 150, 178), "celeste": (120, 200, 235), "azul": (30, 80, 180),
    "morado": (120, 60, 160),
}  # fmt: skip
PANEL: Color = (250, 246, 236)
KINDS = {"adjacent": "Patrón Adyacente", "interlaced": "Patrón Entrelazado", "objective": "Objetivo Compartido"}


def loom_canvas(color: Color, lanes: int = LANES, pitch: float = PITCH) -> Canvas:
    """A loom's board: coloured rim with a hole at both ends of every lane, and a pale field for the weaving."""
    first = (END + RIM) * pitch
    size = (lanes - 1) * pitch + 2 * first
    canvas = Canvas(size, size)
    canvas.rect(0, 0, size, size, color, 4)
    field = first - 0.5 * pitch
    canvas.rect(field, field, size - 2 * field, size - 2 * field, PANEL, 1)
    for lane in range(lanes):
        at = first + lane * pitch
        for near in (RIM * pitch, size - RIM * pitch):
            for x, y in ((at, near), (near, at)):
                canvas.circle(x, y, HOLE_MM, (20, 20, 20))
                canvas.circle(x, y, 0.35, (255, 255, 255))
    return canvas


def cord(canvas: Canvas, a: tuple[float, float], b: tuple[float, float], color: Color, width: float) -> None:
    """A piece of cord: a dark rim, the dye, and the slanted marks of its twist."""
    dark = (int(color[0] * 0.55), int(color[1] * 0.55), int(color[2] * 0.55))
    length = math.dist(a, b)
    with canvas.at(*a, math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))):
        canvas.rect(0, -width / 2, length, width, dark)
        canvas.rect(0, -width / 2 + 0.35, length, width - 0.7, color)
        steps = max(1, round(length / (0.9 * width)))
        for k in range(steps):
            x = (k + 0.5) * length / steps
            canvas.line([(x - 0.2 * width, 0.32 * width), (x + 0.2 * width, -0.32 * width)], dark, 0.3)


def draw_pattern(canvas: Canvas, pattern: dict[str, Any], size: float) -> None:
    """A pattern in a square of `size` mm around the origin: neighbours side by side, or A across two cords of B."""
    a, b = DYES[pattern["a"]], DYES[pattern["b"]]
    half, width = size / 2, size * 0.13
    if pattern["kind"] == "adjacent":
        for x, color in ((-0.16 * size, a), (0.16 * size, b)):
            cord(canvas, (x, -half), (x, half), color, width)
        return
    spots = (-0.2 * size, 0.2 * size)
    for x, passes in zip(spots, pattern["passes"], strict=True):
        if passes == "over":
            cord(canvas, (x, -half), (x, half), b, width)
    cord(canvas, (-half, 0), (half, 0), a, width)
    for x, passes in zip(spots, pattern["passes"], strict=True):
        if passes == "under":
            cord(canvas, (x, -half), (x, half), b, width)


def card_canvas(kind: str, patterns: Sequence[dict[str, Any]]) -> Canvas:
    """A card's art; its words are written beside it."""
    canvas = Canvas(*CARD)
    w, h = CARD
    tint = {"adjacent": (226, 238, 226), "interlaced": (228, 230, 244), "objective": (248, 236, 214)}[kind]
    canvas.rect(0, 0, w, h, (255, 255, 255), 3.5)
    canvas.rect(3, 3, w - 6, 11, tint, 1.5)
    canvas.line(rounded_rect(3, 3, w - 6, h - 6, 1.5), (150, 140, 120), 0.35, closed=True)
    # Where a button goes: round on neighbours, square on interlaced ones.
    if kind == "adjacent":
        canvas.line(ellipse(w - 10.5, 8.5, 3.4, 3.4), (120, 120, 120), 0.35, closed=True)
    elif kind == "interlaced":
        canvas.line(rounded_rect(w - 13.7, 5.3, 6.4, 6.4, 0.6), (120, 120, 120), 0.35, closed=True)
    if len(patterns) == 1:
        with canvas.at(w / 2, 44):
            draw_pattern(canvas, patterns[0], 44)
    else:
        for pattern, y in zip(patterns, (29.5, 62.5), strict=True):
            with canvas.at(w / 2, y):
                draw_pattern(canvas, pattern, 24)
    return canvas


def trama_cards() -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Kind, name and patterns of every card of the project's own set."""
    data = json.loads(files("rules").joinpath("data/trama_cards.json").read_text("utf-8"))
    out = [(kind, card["name"], [{"kind": kind, **card}]) for kind in ("adjacent", "interlaced") for card in data[kind]]
    return out + [("objective", card["name"], card["patterns"]) for card in data["objectives"]]


def trama(book: Book) -> None:
    """Five looms, thirty cards, twenty buttons."""
    for name, color in DYES.items():
        _loom_page(book, name, color)
    every = trama_cards()

    def write(page: Page, index: int, x: float, y: float) -> None:
        kind, name, patterns = every[index]
        page.text(x + 6, y + 8, name, 4.2, bold=True)
        page.text(x + 6, y + 12, KINDS[kind], 2.6, color=GREY)
        for k, pattern in enumerate(patterns):
            foot = y + CARD[1] - 6 if len(patterns) == 1 else y + (46.0, 79.0)[k]
            page.text(x + CARD[0] / 2, foot, _told(pattern), 2.7, "middle", (60, 60, 60))

    lay_out(book, [card_canvas(kind, patterns) for kind, _, patterns in every], "Trama · cartas", 3.5, write=write)
    _button_page(book)


def _told(pattern: dict[str, Any]) -> str:
    """A pattern in words, for those who cannot tell the inks apart."""
    a, b = pattern["a"], pattern["b"]
    if pattern["kind"] == "adjacent":
        return f"{a} junto a {b}"
    first, second = ("encima" if p == "over" else "debajo" for p in pattern["passes"])
    ways = first if first == second else f"{first} y {second}"
    return f"{a} por {ways} de {b}"


def _loom_page(book: Book, name: str, color: Color) -> None:
    page = book.page()
    art = loom_canvas(color)
    x, y = (page.width - art.width) / 2, 40.0
    page.text(x, 24, f"Telar {name}", 7, bold=True)
    page.text(x, 31, "Pegue la hoja sobre cartón, recorte y perfore los puntos negros (4 mm).", 3.2, color=GREY)
    page.put(art, x, y)
    for cx, cy, sx, sy in ((x, y, -1, -1), (x + art.width, y, 1, -1), (x, y + art.height, -1, 1),
                           (x + art.width, y + art.height, 1, 1)):  # fmt: skip
        page.line([(cx + sx, cy), (cx + 5 * sx, cy)], GREY, 0.15)
        page.line([(cx, cy + sy), (cx, cy + 5 * sy)], GREY, 0.15)
    below = y + art.height + 12
    page.text(x, below, "Cordeles: 20 de cada color (rojo, rosado, celeste, azul, morado), de 20 cm y 3 a 4 mm de "
              "grueso.", 3.2)  # fmt: skip
    page.text(x, below + 5, "Cords: 20 of each colour, 20 cm long, 3 to 4 mm thick, with a knot or bead at each end.",
              3.2, color=GREY)  # fmt: skip
    page.ruler(x, page.height - EDGE - 8)
    page.text(x + art.width, page.height - EDGE - 5, f"Tapete · Trama · telar {name}", 2.6, "right", GREY)


def _button_page(book: Book) -> None:
    page = book.page()
    size, step = 18.0, 26.0
    x0 = (page.width - 3 * step - size) / 2
    page.text(x0, 24, "Botones", 7, bold=True)
    page.text(x0, 31, "Dos redondos (Patrón Adyacente) y dos cuadrados (Patrón Entrelazado) de cada color.", 3.2,
              color=GREY)  # fmt: skip
    for row, (name, color) in enumerate(DYES.items()):
        y = 42 + row * step
        for column in range(4):
            canvas = Canvas(size, size)
            if column < 2:
                canvas.circle(size / 2, size / 2, size / 2, color)
            else:
                canvas.rect(0, 0, size, size, color, 1.5)
            for dx, dy in ((-2, -2), (2, -2), (-2, 2), (2, 2)):
                canvas.circle(size / 2 + dx, size / 2 + dy, 1.0, (255, 255, 255))
            page.put(canvas, x0 + column * step, y)
            outline = (ellipse(x0 + column * step + size / 2, y + size / 2, size / 2, size / 2) if column < 2
                       else rounded_rect(x0 + column * step, y, size, size, 1.5))  # fmt: skip
            page.line(outline, HAIR, 0.1, closed=True)
        page.text(x0 + 4 * step, y + size / 2 + 1, name, 3.2, color=GREY)
    page.ruler(x0, page.height - EDGE - 8)
    page.text(page.width - EDGE - 8, page.height - EDGE - 5, "Tapete · Trama · botones", 2.6, "right", GREY)
