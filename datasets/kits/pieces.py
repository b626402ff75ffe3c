"""Kits of loose pieces: the Spanish deck, the Tronix deck on both sides, the 56 triominoes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files
from typing import Any

from datasets.art import cards, circuits, tiles
from datasets.art.canvas import Canvas
from datasets.kits.grid import BLEED, lay_out
from datasets.kits.sheet import EDGE, GREY, HAIR, Book, Page

WHITE = (255, 255, 255)
TURN_OVER = {False: "doble cara, borde largo / flip on long edge", True: "doble cara, borde corto / flip on short edge"}


def deck(book: Book) -> None:
    """The 48 cards and two comodines, each page followed by its backs."""
    style = replace(cards.STYLES["taberna"], paper=WHITE)
    faces = [cards.card_canvas(label, style) for label in (*cards.LABELS, "comodin", "comodin-2")]
    back = cards.back_canvas(style)
    lay_out(book, faces, f"baraja · {TURN_OVER[True]}", style.radius_mm, backs=lambda _: back)


def tronix_cards() -> list[dict[str, Any]]:
    """Every single card of the default deck: its two faces as lines in the label format."""
    data = json.loads(files("rules").joinpath("data/tronix_deck.json").read_text("utf-8"))
    return [
        {side: [{"color": color, "ports": ports} for color, ports in card[side].items()] for side in ("front", "back")}
        for card in data["cards"]
        for _ in range(int(card["count"]))
    ]


def tronix(book: Book) -> None:
    """The default deck, both sides. Lines go on beyond the cut, so that a cut that is a little off still meets them."""
    style = replace(circuits.STYLES["day"], paper=WHITE, radius_mm=0.0)
    deck_cards = tronix_cards()
    size = circuits.SIZE_MM

    def face(lines: list[dict[str, Any]]) -> Canvas:
        canvas = circuits.circuit_canvas(lines, style, size)
        for line in lines:
            for port in line["ports"]:
                x, y = circuits.port_point(port, size)
                dx, dy = circuits.OUTWARD[circuits.split_port(port)[0]]
                color = style.green if line["color"] == "green" else style.pink
                canvas.line([(x, y), (x + 2 * dx, y + 2 * dy)], color, style.width_mm)
        return canvas

    faces = [face(card["front"]) for card in deck_cards]
    backs = [face(card["back"]) for card in deck_cards]
    words = TURN_OVER[book.paper == "letter"]
    lay_out(book, faces, f"Tronix · {words}", bleed=BLEED, backs=lambda k: backs[k])


def triominos(book: Book) -> None:
    """All 56 tiles on one sheet, in rows of triangles whose sides lie on lines that cross the whole sheet."""
    style = replace(tiles.TileStyle(), face=WHITE, side=38.0, inks=tiles.PALETTES[0], height=7.0)
    labels = [f"{a}-{b}-{c}" for a in range(6) for b in range(a, 6) for c in range(b, 6)]
    page = book.page()
    columns, rows, side = 8, 7, style.side
    rise = side * math.sqrt(3) / 2
    left = (page.width - (columns + 1) / 2 * side) / 2
    top = (page.height - rows * rise) / 2 - 2
    for k, label in enumerate(labels):
        row, column = divmod(k, columns)
        _tile(page, label, style, left + column * side / 2, top + row * rise, (row + column) % 2 == 1)
    _tile_lines(page, left, top, columns, rows, side)
    page.ruler(left, page.height - EDGE - 5.0)
    page.text(page.width - left, page.height - EDGE - 2.3, "Tapete · triominós · 56 fichas", 2.6, "right", GREY)


def _tile(page: Page, label: str, style: tiles.TileStyle, x: float, y: float, upside_down: bool) -> None:
    """A tile whose bounding box has its upper left corner at (x, y)."""
    art = tiles.tile_canvas(label, style, face=False)
    canvas = Canvas(art.width, art.height)
    canvas.shapes = art.shapes
    if upside_down:
        turned = [
            replace(s, rings=tuple(tuple((art.width - px, art.height - py) for px, py in ring) for ring in s.rings))
            for s in art.shapes
        ]
        canvas.shapes = turned
    page.put(canvas, x - tiles.MARGIN, y - tiles.MARGIN)


def _tile_lines(page: Page, left: float, top: float, columns: int, rows: int, side: float) -> None:
    """Every tile's outline as a hairline, and marks where the cuts leave the block."""
    rise = side * math.sqrt(3) / 2
    seen: set[tuple[tuple[float, float], tuple[float, float]]] = set()
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * side / 2, top + row * rise
            if (row + column) % 2:
                points = [(x, y), (x + side, y), (x + side / 2, y + rise)]
            else:
                points = [(x + side / 2, y), (x + side, y + rise), (x, y + rise)]
            for i in range(3):
                a, b = sorted((tuple(round(v, 3) for v in points[i]), tuple(round(v, 3) for v in points[(i + 1) % 3])))
                seen.add(((a[0], a[1]), (b[0], b[1])))
    for a, b in sorted(seen):
        page.line([a, b], HAIR, 0.15)
    # A cut goes on where no other edge continues it: there it gets its mark.
    ends = {point for edge in seen for point in edge}
    for a, b in seen:
        dx, dy = (b[0] - a[0]) / side, (b[1] - a[1]) / side
        for (px, py), sign in ((a, -1), (b, 1)):
            following = (round(px + sign * dx * side, 3), round(py + sign * dy * side, 3))
            if not any(abs(following[0] - e[0]) < 0.01 and abs(following[1] - e[1]) < 0.01 for e in ends):
                start = (px + sign * dx * 1.5, py + sign * dy * 1.5)
                page.line([start, (px + sign * dx * 5, py + sign * dy * 5)], GREY, 0.15)
