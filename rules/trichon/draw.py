"""The board as SVG: 12 columns by 4 rows, marks, comodines and the players' lines; reads on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import escape

from rules.trichon.cards import ALL_CELLS, COLUMNS, Cell, Line, line_text

SIZE = 44
LEFT, TOP = 84, 34
COLORS = ("#2a9d6f", "#d1495b")
NAMES = ("Espada", "Copa", "Oro", "Basto")


def _middle(cell: Cell) -> tuple[float, float]:
    return LEFT + (cell.column - 0.5) * SIZE, TOP + (cell.row + 0.5) * SIZE


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int = 15) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" fill="currentColor" font-size="{size}" text-anchor="{anchor}" '
        f'dominant-baseline="central">{escape(text)}</text>'
    )


def draw_board(
    marks: Mapping[Cell, bool],
    claims: Mapping[Line, int],
    last: AbstractSet[Cell],
    caption: Sequence[str],
) -> str:
    """Crosses for cards, stars for comodines, a coloured bar for each claimed line, `last` outlined."""
    width, height = LEFT + COLUMNS * SIZE + 16, TOP + 4 * SIZE + (44 if caption else 16)
    owner = {cell: player for line, player in claims.items() for cell in line}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif">',
        f"<title>Trichón: {len(marks)} · {escape('   '.join(caption))}</title>",
    ]
    parts += [_text(LEFT + (column - 0.5) * SIZE, TOP - 16, str(column)) for column in range(1, COLUMNS + 1)]
    parts += [_text(LEFT - 12, TOP + (row + 0.5) * SIZE, name, "end") for row, name in enumerate(NAMES)]
    for cell in ALL_CELLS:
        x, y = _middle(cell)
        color = COLORS[owner[cell]] if cell in owner else "currentColor"
        fill = f'fill="{color}" fill-opacity="0.22"' if cell in owner else 'fill="none"'
        edge = 'stroke="#e09f3e" stroke-width="3"' if cell in last else 'stroke="currentColor" stroke-opacity="0.35"'
        parts.append(
            f'<rect x="{x - SIZE / 2 + 2:.0f}" y="{y - SIZE / 2 + 2:.0f}" width="{SIZE - 4}" height="{SIZE - 4}" '
            f"rx='6' {fill} {edge}><title>{escape(cell.label)}</title></rect>"
        )
        if cell in marks:
            if marks[cell]:
                parts.append(_text(x, y, "★", size=22))
            else:
                parts.append(
                    f'<path d="M{x - 9:.0f} {y - 9:.0f}l18 18m0 -18l-18 18" stroke="{color}" stroke-width="3.5" '
                    'stroke-linecap="round"/>'
                )
    for line, player in claims.items():
        (x1, y1), (x2, y2) = _middle(line[0]), _middle(line[2])
        parts.append(
            f'<path d="M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}" stroke="{COLORS[player]}" stroke-width="7" '
            f'stroke-opacity="0.75" stroke-linecap="round"><title>{escape(line_text(line))}</title></path>'
        )
    if caption:
        parts.append(_text(width / 2, height - 20, "   ".join(caption)))
    return "\n".join([*parts, "</svg>"])
