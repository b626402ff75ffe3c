"""The table as SVG: ivory tiles that read on a light and on a dark page alike; the rest takes the page's own colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import escape

from rules.triominos.lattice import Cell, centre, corners, position
from rules.triominos.tiles import Values, label

SIDE = 72.0
MARGIN = 18.0
INK = ("#3d5a80", "#b23a48", "#2a7f62", "#8a5a00", "#6a4c93", "#1f2933", "#7a3e9d", "#00707a", "#99402b", "#555555")


def _polygon(points: Sequence[tuple[float, float]], style: str) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{text}" {style}/>'


def _toward(point: tuple[float, float], middle: tuple[float, float], share: float) -> tuple[float, float]:
    return point[0] + (middle[0] - point[0]) * share, point[1] + (middle[1] - point[1]) * share


def _tile(cell: Cell, values: Values, last: bool, bad: bool) -> list[str]:
    middle = centre(cell, SIDE)
    outline = [position(c, SIDE) for c in corners(cell)]
    edge = "#c1121f" if bad else "#e09f3e" if last else "#8d8471"
    width = 3 if bad or last else 1.4
    style = f'fill="#f6efdf" stroke="{edge}" stroke-width="{width}" stroke-linejoin="round"'
    parts = [f"<g><title>{escape(label(values))} · {escape(str(cell))}</title>"]
    parts.append(_polygon([_toward(p, middle, 0.06) for p in outline], style))
    parts.append(f'<circle cx="{middle[0]:.1f}" cy="{middle[1]:.1f}" r="2.6" fill="#d8cdb4"/>')
    for point, value in zip(outline, values, strict=True):
        x, y = _toward(point, middle, 0.42)
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK[value]}" font-size="17" font-weight="700" '
            f'text-anchor="middle" dominant-baseline="central">{value}</text>'
        )
    return [*parts, "</g>"]


def draw_table(
    table: Mapping[Cell, Values],
    last: Cell | None,
    caption: Sequence[str],
    bad: AbstractSet[Cell] = frozenset(),
) -> str:
    """The tiles of `table`, the last one and the wrong ones outlined, and a line of text below."""
    points = [position(c, SIDE) for cell in table for c in corners(cell)] or [(0.0, 0.0), (4 * SIDE, SIDE)]
    left, right = min(p[0] for p in points) - MARGIN, max(p[0] for p in points) + MARGIN
    top, bottom = min(p[1] for p in points) - MARGIN, max(p[1] for p in points) + MARGIN
    text = "   ".join(caption)
    least = 9.0 * len(text) + 2 * MARGIN
    if right - left < least:
        left, right = (left + right - least) / 2, (left + right + least) / 2
    height = bottom - top + (30 if text else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {right - left:.1f} {height:.1f}" '
        'role="img" font-family="system-ui, sans-serif">',
        f"<title>Triominos: {len(table)} · {escape(text)}</title>",
        f'<rect x="{left + 1:.1f}" y="{top + 1:.1f}" width="{right - left - 2:.1f}" height="{height - 2:.1f}" rx="14" '
        'fill="#3f7d5a" fill-opacity="0.16" stroke="currentColor" stroke-opacity="0.25"/>',
    ]
    for cell in sorted(table, key=lambda c: (c in bad, c == last, c)):
        parts += _tile(cell, table[cell], cell == last, cell in bad)
    if text:
        parts.append(
            f'<text x="{(left + right) / 2:.1f}" y="{bottom + 14:.1f}" fill="currentColor" font-size="15" '
            f'text-anchor="middle">{escape(text)}</text>'
        )
    return "\n".join([*parts, "</svg>"])
