"""Trama as a picture: looms with their cords over and under, the cards in the middle, and the buttons on them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rules.trama.cards import Adjacent, Objective, Pattern
from rules.trama.loom import Cord, Loom
from rules.trama.rulebook import Rules
from rules.trama.state import State, Table

LANE, CORD, EDGE = 30, 13, 26
CARD_W, CARD_H, GAP = 96, 78, 10
INK, PAPER, WOOD, DARK = "#fbf3e2", "#fffaf0", "#d9b98a", "#4a3421"
#: A button has its owner's colour and number, so that it can be told apart without seeing colours.
PLAYERS = ("#2e7d5b", "#c2571a", "#5a4fcf", "#a8322f", "#1f6f8b")


def _text(x: float, y: float, words: object, size: int = 13, fill: str = INK, *, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{escape(str(words))}</text>'
    )


def _strand(x1: float, y1: float, x2: float, y2: float, color: str, *, cap: str = "butt") -> str:
    """A piece of cord: a dark casing, the colour, and a thin light on top."""
    at = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return (
        f'<line {at} stroke="{DARK}" stroke-width="{CORD + 4}" stroke-linecap="{cap}"/>'
        f'<line {at} stroke="{color}" stroke-width="{CORD}" stroke-linecap="{cap}"/>'
        f'<line {at} stroke="#fff" stroke-opacity=".28" stroke-width="3" stroke-linecap="{cap}"/>'
    )


def _side(lanes: int) -> float:
    return 2 * EDGE + LANE * (lanes - 1) + 2 * EDGE


def draw_loom(loom: Loom, rules: Rules, x: float = 0, y: float = 0) -> str:
    """One loom with its upper left corner at (x, y)."""
    hues = dict(rules.colors)
    side = _side(loom.lanes)

    def at(lane: int) -> float:
        return 2 * EDGE + LANE * lane

    def strand(cord: Cord, start: float, end: float, cap: str = "butt") -> str:
        hue = hues.get(cord.color, "#888888")
        one, two = at(cord.lane), at(cord.to)
        if cord.axis == "v":
            return _strand(one, start, two, end, hue, cap=cap)
        return _strand(start, one, end, two, hue, cap=cap)

    parts = [
        f'<g transform="translate({x:g} {y:g})">',
        f'<rect width="{side:g}" height="{side:g}" rx="12" fill="{WOOD}" stroke="{DARK}" stroke-width="3"/>',
        f'<rect x="{EDGE}" y="{EDGE}" width="{side - 2 * EDGE:g}" height="{side - 2 * EDGE:g}" rx="4" fill="#f1e2c6"/>',
    ]
    for lane in range(loom.lanes):
        for px, py in ((at(lane), EDGE / 2), (at(lane), side - EDGE / 2)):
            parts.append(f'<circle cx="{px:g}" cy="{py:g}" r="4" fill="{DARK}"/>')
            parts.append(f'<circle cx="{py:g}" cy="{px:g}" r="4" fill="{DARK}"/>')
    shown = [cord for cord in loom.cords if max(cord.lane, cord.to) < loom.lanes]
    # Vertical cords first, horizontal ones over them; then the vertical cord is drawn again where it is on top.
    for cord in sorted(shown, key=lambda cord: cord.axis, reverse=True):
        parts.append(strand(cord, EDGE / 2, side - EDGE / 2, "round"))
    cords = loom.by_place
    for (h, v), top in loom.tops.items():
        if top == "v" and ("v", v) in cords and ("h", h) in cords:
            parts.append(strand(cords["v", v], at(h) - LANE / 2, at(h) + LANE / 2))
    return "".join([*parts, "</g>"])


def draw_pattern(card: Pattern, rules: Rules, x: float, y: float) -> str:
    """The pattern itself in a box of 80 × 44: two parallel cords, or one cord through two."""
    hues = dict(rules.colors)
    a, b = hues.get(card.a, "#888888"), hues.get(card.b, "#888888")
    parts = [f'<g transform="translate({x:g} {y:g})">']
    if isinstance(card, Adjacent):
        parts += [_strand(30, 4, 30, 40, a, cap="round"), _strand(50, 4, 50, 40, b, cap="round")]
    else:
        parts += [_strand(28, 3, 28, 41, b, cap="round"), _strand(54, 3, 54, 41, b, cap="round")]
        parts.append(_strand(10, 22, 72, 22, a, cap="round"))
        parts += [_strand(at, 11, at, 33, b) for at, how in zip((28, 54), card.passes, strict=True) if how == "under"]
    return "".join([*parts, "</g>"])


def _draw_button(player: int, shape: str, x: float, y: float) -> str:
    fill = PLAYERS[player]
    if shape == "round":
        body = f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{fill}" stroke="#fff" stroke-width="1.5"/>'
    else:
        body = f'<rect x="{x - 8:g}" y="{y - 8:g}" width="16" height="16" rx="3" fill="{fill}" stroke="#fff"/>'
    return body + _text(x, y + 4, player + 1, 11, "#ffffff")


def _draw_card(card: Pattern | Objective, rules: Rules, x: float, y: float, owners: Sequence[int]) -> str:
    width = CARD_W * 2 if isinstance(card, Objective) else CARD_W
    parts = [
        f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{CARD_H}" rx="8" fill="{PAPER}" stroke="{DARK}"/>',
        _text(x + width / 2, y + 14, card.name or card.id, 11, DARK),
    ]
    if isinstance(card, Objective):
        parts += [draw_pattern(pattern, rules, x + 8 + 96 * k, y + 22) for k, pattern in enumerate(card.patterns)]
        parts.append(_text(x + width / 2, y + 50, "+", 18, DARK))
    else:
        parts.append(draw_pattern(card, rules, x + 8, y + 22))
        parts += [_draw_button(who, card.shape, x + 10 + 19 * k, y + CARD_H) for k, who in enumerate(owners)]
    return "".join(parts)


def _draw_row(cards: Sequence[Pattern], state: State, rules: Rules, y: float) -> str:
    parts = []
    for place, card in enumerate(cards):
        owners = [player for player, own in enumerate(state.buttons) if card.id in own]
        parts.append(_draw_card(card, rules, 16 + place * (CARD_W + GAP), y, owners))
    return "".join(parts)


WORDS = {
    "es": {"round": "ronda {} de {} · {}", "player": "jugador {}", "weave": "tejer", "button": "botones", "end": "fin"},
    "en": {"round": "round {} of {} · {}", "player": "player {}", "weave": "weave", "button": "buttons", "end": "end"},
}


def draw_state(
    state: State,
    table: Table,
    rules: Rules,
    totals: Sequence[int],
    names: Sequence[str] = (),
    lang: str = "es",
) -> str:
    """The whole position as SVG: looms side by side, three to a row, and the cards below."""
    side = _side(rules.lanes)
    columns = min(3, len(state.looms))
    rows = -(-len(state.looms) // columns)
    cards_w = 16 + 4 * (CARD_W + GAP) + 2 * CARD_W + 16
    width = max(columns * (side + 16) + 16, cards_w)
    top = 40.0
    cards_y = top + rows * (side + 40)
    height = cards_y + 2 * (CARD_H + 26) + 8
    said = WORDS[lang]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        'font-family="system-ui, sans-serif"><title>Trama</title>',
        f'<rect width="{width:g}" height="{height:g}" rx="18" fill="#3b2a4a"/>',
        _text(16, 26, said["round"].format(min(state.round + 1, 4), 4, said[state.phase]), 15, anchor="start"),
    ]
    for player, loom in enumerate(state.looms):
        row, column = divmod(player, columns)
        x, y = 16 + column * (side + 16), top + row * (side + 40)
        parts.append(draw_loom(loom, rules, x, y))
        done = (state.placed if state.phase == "button" else state.woven)[player]
        parts.append(f'<circle cx="{x + 12:g}" cy="{y + side + 16:g}" r="8" fill="{PLAYERS[player]}" stroke="#fff"/>')
        name = names[player] if player < len(names) else said["player"].format(player + 1)
        label = f"{name} · {totals[player]} PV{' ✓' if done else ''}"
        parts.append(_text(x + 28, y + side + 21, label, 14, anchor="start"))
    parts.append(_draw_row(table.adjacent, state, rules, cards_y))
    parts.append(_draw_row(table.interlaced, state, rules, cards_y + CARD_H + 26))
    parts.append(_draw_card(table.objective, rules, 16 + 4 * (CARD_W + GAP), cards_y + (CARD_H + 26) / 2, ()))
    return "".join([*parts, "</svg>"])
