"""El Truco as a picture: the boards with their tricks, the bids, and the coins of each side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rules.truco.board import ACCEPTED, Board, trick_winner
from rules.truco.cards import Card
from rules.truco.moves import LEVELS
from rules.truco.state import BIG, Rules, State, coins

CARD_W, CARD_H = 64, 98
BOARD_W, BOARD_H = 360, 340
TALLY_H = 96

#: One drawing per suit in a 24 × 24 box around the origin; the felt and the paper are drawn too, so that the picture
#: reads the same on a light and on a dark page.
GLYPHS = {
    "oros": '<circle r="10.5" fill="#e8b023" stroke="#8a5a00" stroke-width="1.5"/>'
    '<circle r="6" fill="none" stroke="#8a5a00" stroke-width="1.2"/><circle r="2" fill="#8a5a00"/>',
    "copas": '<path d="M-9-10H9C9-1 6 3 2 4V8H7V11H-7V8H-2V4C-6 3-9-1-9-10Z" fill="#c8322b" stroke="#6d120e" '
    'stroke-width="1.2"/><path d="M-5-7C-5-3-4-1-2 1" fill="none" stroke="#fff" stroke-opacity=".7"/>',
    "espadas": '<path d="M0-12L3-6V4H8V7H2V12H-2V7H-8V4H-3V-6Z" fill="#3a6ea5" stroke="#16385c" stroke-width="1.2"/>'
    '<path d="M0-9V4" stroke="#dbe8f5" stroke-width="1"/>',
    "bastos": '<path d="M-3 12C-4 4-7 0-6-6C-5-11-2-12 0-12C2-12 5-11 6-6C7 0 4 4 3 12Z" fill="#3f8f3a" '
    'stroke="#1d4d1a" stroke-width="1.2"/><path d="M-6-3L-9-6M6-1L9-4M-4 4L-7 2" stroke="#1d4d1a" stroke-width="2"/>',
}
INK = {"oros": "#8a5a00", "copas": "#a3211b", "espadas": "#23507f", "bastos": "#2a6626"}
FACES = {10: "sota", 11: "caballo", 12: "rey"}
WORDS = {
    "es": {"player": "jugador {}", "void": "mano nula", "wins": "gana {}", "conceded": " (se va el rival)",
           "lead": "es mano", "players": "jugadores {} y {}", "and": " y "},
    "en": {"player": "player {}", "void": "void hand", "wins": "{} wins", "conceded": " (the rival gave up)",
           "lead": "mano", "players": "players {} and {}", "and": " and "},
}  # fmt: skip


def text(x: float, y: float, words: object, size: int = 14, fill: str = "#f4f1e6", *, anchor: str = "middle") -> str:
    """A line of escaped text."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{escape(str(words))}</text>'
    )


def draw_card(card: Card, x: float, y: float, *, won: bool = False) -> str:
    """A card with its upper left corner at (x, y): number in two corners, the suit in the middle."""
    ink = INK.get(card.suit, "#444")
    edge = '#ffd75e" stroke-width="3.5' if won else '#9a927c" stroke-width="1'
    parts = [
        f'<g transform="translate({x:g} {y:g})"><title>{escape(str(card))}</title>',
        f'<rect width="{CARD_W}" height="{CARD_H}" rx="7" fill="#fffdf5" stroke="{edge}"/>',
        text(6, 19, card.rank, 17, ink, anchor="start"),
        text(CARD_W - 6, CARD_H - 7, card.rank, 17, ink, anchor="end"),
        f'<g transform="translate({CARD_W / 2:g} {CARD_H / 2:g}) scale(1.5)">{GLYPHS.get(card.suit, "")}</g>',
    ]
    if card.rank in FACES:
        parts.append(text(CARD_W - 6, 18, FACES[card.rank], 9, ink, anchor="end"))
    return "".join([*parts, "</g>"])


def draw_coins(tantos: int, x: float, y: float) -> str:
    """The coins of a tally, big ones first."""
    tally = coins(tantos)
    parts, at = [], x
    for value in [BIG] * tally.big + [1] * tally.small:
        radius = 14 if value == BIG else 9
        fill = "#e8b023" if value == BIG else "#cfd3d8"
        at += radius
        parts.append(f'<circle cx="{at:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="#4b3a10" stroke-width="1.5"/>')
        parts.append(text(at, y + 5, value, 13, "#3a2c08"))
        at += radius + 5
    return "".join(parts)


def _seat(seat: int, names: Sequence[str], lang: str) -> str:
    """A player's name, or which player it is."""
    return names[seat] if seat < len(names) else WORDS[lang]["player"].format(seat + 1)


def _status(board: Board, names: Sequence[str], lang: str) -> str:
    """The stake, the pending bid or the end of the hand, in a few words."""
    if board.ended == "void":
        return WORDS[lang]["void"]
    if board.winner is not None:
        ends = {"cards": "", "refused": " (no quiero)", "conceded": WORDS[lang]["conceded"]}
        return WORDS[lang]["wins"].format(_seat(board.winner, names, lang)) + ends[board.ended]
    if board.pending:
        return f"{_seat(board.bidder or 0, names, lang)}: ¡{LEVELS[board.pending].replace('-', ' ')}!"
    stake = ACCEPTED[board.level]
    return f"{LEVELS[board.level].replace('-', ' ')}: {'el toro' if stake is None else stake}"


def _draw_board(board: Board, left: float, top: float, names: Sequence[str], lang: str) -> str:
    rows = {board.postre: top + 42, board.lead: top + 42 + CARD_H + 44}
    acting = board.to_act
    parts = [f'<rect x="{left + 8:g}" y="{top + 4:g}" width="{BOARD_W - 16}" height="{BOARD_H - 8}" rx="16" '
             'fill="#1f6b4a" stroke="#0f3c29" stroke-width="2"/>']  # fmt: skip
    for seat, y in rows.items():
        role = "de postre" if seat == board.postre else WORDS[lang]["lead"]
        mark = " ◂" if seat == acting else ""
        label_y = y - 12 if seat == board.postre else y + CARD_H + 22
        parts.append(text(left + BOARD_W / 2, label_y, f"{_seat(seat, names, lang)} · {role}{mark}"))
        for column in range(3):
            x = left + 54 + column * (CARD_W + 30)
            parts.append(f'<rect x="{x:g}" y="{y:g}" width="{CARD_W}" height="{CARD_H}" rx="7" fill="none" '
                         'stroke="#8fc4a8" stroke-opacity=".5" stroke-dasharray="4 4"/>')  # fmt: skip
    for column, trick in enumerate(board.tricks):
        winner = trick_winner(trick) if len(trick) == 2 else None
        for seat, card in trick:
            parts.append(draw_card(card, left + 54 + column * (CARD_W + 30), rows[seat], won=seat == winner))
    parts.append(text(left + BOARD_W / 2, top + 42 + CARD_H + 28, _status(board, names, lang), 17, "#ffe9a8"))
    return "".join(parts)


def _side(side: int, boards: int, names: Sequence[str], lang: str) -> str:
    """Who scores together: one player, or two who sit opposite."""
    if boards == 1:
        return _seat(side, names, lang)
    if names:
        return WORDS[lang]["and"].join(names[side::2])
    return WORDS[lang]["players"].format(side + 1, side + 3)


def draw_state(state: State, rules: Rules, names: Sequence[str] = (), lang: str = "es") -> str:
    """The whole position as SVG."""
    width = BOARD_W * len(state.boards)
    height = BOARD_H + TALLY_H
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif"><title>El Truco</title>',
        f'<rect width="{width}" height="{height}" rx="18" fill="#123f2d"/>',
        *(_draw_board(board, index * BOARD_W, 0, names, lang) for index, board in enumerate(state.boards)),
    ]
    for side in (0, 1):
        name = _side(side, len(state.boards), names, lang)
        x, y = side * width / 2 + 18, BOARD_H + 20
        tantos, toros = state.tantos[side], state.toros[side]
        head = f"{name} · toros {toros}/{rules.toros}"
        parts.append(text(x, y, head, 14, anchor="start"))
        parts.append(text(x, y + 20, f"{coins(tantos).half}: {tantos}", 13, "#cfe8da", anchor="start"))
        parts.append(draw_coins(tantos, x, y + 48))
    return "".join([*parts, "</svg>"])
