"""The table as an SVG: dark cards that stand on a light page and on a dark one, glowing circuits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.tronix.circuits import Segment, Walk
from rules.tronix.deck import COLORS, Cell, Deck, Face, Port

_INK = {"green": "#2fe39a", "pink": "#ff5fae"}
_DIM = {"green": "#17855a", "pink": "#a83a73"}
_INWARD = {"N": (0.0, 1.0), "E": (-1.0, 0.0), "S": (0.0, -1.0), "W": (1.0, 0.0)}
_GAP = 3.0  # mm between cards, so that the grid shows
_MARGIN = 8.0


def curve(deck: Deck, start: Port, end: Port) -> str:
    """The path data of a line between two ports of a card: it leaves both at right angles to the border."""
    (x1, y1), (x2, y2) = start.point(deck.width, deck.height), end.point(deck.width, deck.height)
    bend = 0.55 * min(deck.width, deck.height)
    (dx1, dy1), (dx2, dy2) = _INWARD[start.side], _INWARD[end.side]
    points = ((x1 + bend * dx1, y1 + bend * dy1), (x2 + bend * dx2, y2 + bend * dy2), (x2, y2))
    return f"M{x1:.4g} {y1:.4g}C" + " ".join(f"{x:.4g} {y:.4g}" for x, y in points)


def draw_face(deck: Deck, face: Face, lit: Iterable[str] = (), pale: bool = False) -> str:
    """One card as an SVG group at the origin, in mm; `lit` colours glow, a `pale` card is about to leave the table."""
    w, h, lit = deck.width, deck.height, set(lit)
    stroke = 0.09 * min(w, h)
    body = f'<rect x="0.4" y="0.4" width="{w - 0.8:.4g}" height="{h - 0.8:.4g}" rx="{0.07 * min(w, h):.3g}"'
    border = "#f5c451" if lit else "#7d879c"
    parts = [f'{body} fill="#151b2b" stroke="{border}" stroke-width="{1.6 if lit else 0.8}"/>']
    for color in sorted(COLORS, key=lambda name: (name in lit, name)):  # lit lines lie on top
        path = f'"{curve(deck, *face.line(color))}"'
        if color in lit:
            parts.append(f'<path d={path} stroke="{_INK[color]}" stroke-width="{2.1 * stroke:.3g}" opacity="0.35"/>')
        ink = _INK[color] if color in lit or not lit else _DIM[color]
        parts.append(f'<path d={path} stroke="#151b2b" stroke-width="{1.6 * stroke:.3g}"/>')
        parts.append(f'<path class="{color}" d={path} stroke="{ink}" stroke-width="{stroke:.3g}"/>')
    shade = ' opacity="0.72"' if pale else ""
    return f'<g fill="none"{shade}>{"".join(parts)}</g>'


def draw_table(deck: Deck, table: Mapping[Cell, Face], lifted: Mapping[Cell, Face], closed: Iterable[Walk]) -> str:
    """All cards in their cells, those just lifted included (pale, dashed), with the segments of `closed` walks lit."""
    lit: set[Segment] = {segment for walk in closed for segment in walk.segments}
    cards = {**lifted, **table}
    xs, ys = [x for x, _ in cards] or [0], [y for _, y in cards] or [0]
    step_x, step_y = deck.width + _GAP, deck.height + _GAP
    left, top = min(xs) * step_x - _MARGIN, min(ys) * step_y - _MARGIN
    width = (max(xs) - min(xs) + 1) * step_x - _GAP + 2 * _MARGIN
    height = (max(ys) - min(ys) + 1) * step_y - _GAP + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.5g} {top:.5g} {width:.5g} {height:.5g}" role="img">',
        f"<title>Tronix: {len(table)}</title>",
    ]
    for cell in sorted(cards):
        x, y = cell[0] * step_x, cell[1] * step_y
        leaving = cell in lifted and cell not in table
        colors = [color for color in COLORS if (cell, color) in lit]
        parts.append(f'<g transform="translate({x:.5g} {y:.5g})" data-cell="{cell[0]},{cell[1]}">')
        parts.append(draw_face(deck, cards[cell], colors, leaving))
        if leaving:
            parts.append(
                f'<rect x="-1.2" y="-1.2" width="{deck.width + 2.4:.4g}" height="{deck.height + 2.4:.4g}" rx="6" '
                'fill="none" stroke="#f5c451" stroke-width="1.2" stroke-dasharray="5 4"/>'
            )
        parts.append("</g>")
    if not cards:
        parts.append(
            f'<rect width="{deck.width:.4g}" height="{deck.height:.4g}" rx="5" fill="none" stroke="#7d879c" '
            'stroke-width="0.8" stroke-dasharray="4 4"/>'
        )
    return "".join(parts) + "</svg>"
