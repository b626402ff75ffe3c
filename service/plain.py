"""The engines' sentences as people at a table say them: names instead of seats, no cells, cards by their names.

The engines number seats and cells, because their sentences must say exactly what is meant to whoever reads a log. At
the table the picture shows the place, and everybody knows who sits where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rules.trichon.cards import checked_line
from service.referee.trichon import line_words

Json = dict[str, Any]
Rule = tuple[re.Pattern[str], str]

CELL = r"-?\d+(?:\.\d+)?,-?\d+(?:\.\d+)?[v^]?"
LINE = re.compile(r"(?<![\w*])[ECOB]\d+-[ECOB]\d+-[ECOB]\d+\b")
SQUARE = re.compile(r"(?<!\w)(\*?)([ECOB])(1[0-2]|[1-9])\b")
SUITS = {"E": "espadas", "C": "copas", "O": "oros", "B": "bastos"}
CARD = re.compile(r"\b(1[0-2]|[1-9])-(oros|copas|espadas|bastos)\b")
CORD = re.compile(r"\b([hv])(\d+)(?:>\d+)?(?:=(\w+)|\b)")
CROSSING = re.compile(r"\bh(\d+)v(\d+)(?:=[hv])?\b")
SLANT = re.compile(r"(carril|lane) (\d+) (al|to lane) (\d+)")
AXES = {"h": "horizontal", "v": "vertical"}  # in both languages; lanes are counted from one, from the top and the left


def _rules(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple((re.compile(pattern.replace("CELL", CELL)), told) for pattern, told in pairs)


# In this order: what stands for a cell is said otherwise, or left out where the picture shows it.
CELLS = {
    "es": _rules(
        (r"las cartas de CELL y CELL", "dos cartas"),
        (r"(?<=Hay dos cartas) en CELL", " en el mismo sitio"),
        (r"(?<=No hay ninguna carta) en CELL", " ahí"),
        (r"^La salida ocupa .*", "La ficha de salida no está donde empieza la partida."),
        (r"^La primera carta de una mesa vacía .*", "La primera carta no está donde empieza la partida."),
        (r"\bcabe en CELL", "cabe donde señala la imagen"),
        (r"(:|,? en| de)? \(?CELL\)?(?!\d)", ""),
    ),
    "en": _rules(
        (r"the cards at CELL and CELL", "two cards"),
        (r"(?<=There are two cards) at CELL", " in one place"),
        (r"(?<=There is no card) at CELL", " there"),
        (r"^The opening tile takes .*", "The opening tile does not lie where the game began."),
        (r"^The first card of an empty table .*", "The first card does not lie where the game began."),
        (r"\bfits at CELL", "fits where the picture shows"),
        (r"(:|,? at)? \(?CELL\)?(?!\d)", ""),
    ),
}
SEATS = {
    "es": _rules(
        (r"\b([Aa])l (?:jugador )?(\d+)\b", r"\1 {\2}"),
        (r"\b([Dd])el jugador (\d+)\b", r"\1e {\2}"),
        (r"\b(?:[Ee]l )?jugador (\d+)\b", r"{\1}"),
    ),
    "en": _rules((r"\b(?:[Pp]layer )(\d+)\b", r"{\1}"), (r"\b(\d+)(?='s turn)", r"{\1}")),
}
LETTERS = re.compile(r"(?<![\w*])([A-D])(?![\w*-])")
LETTERED = {"triominos", "trichon"}
NUMBERED = {"truco", "tronix", "trama"}


def plain(text: str, lang: str, game: str, players: Sequence[str]) -> str:
    """A sentence of an engine in the words of the table."""

    def name(number: int, as_it_was: str) -> str:
        return players[number] if number < len(players) else as_it_was

    if game in ("triominos", "tronix"):
        for pattern, told in CELLS[lang]:
            text = pattern.sub(told, text)
    if game in NUMBERED:
        for pattern, told in SEATS[lang]:
            text = pattern.sub(told, text)
        text = re.sub(r"\{(\d+)\}", lambda found: name(int(found[1]), found[1]), text)
    elif game in LETTERED:
        text = LETTERS.sub(lambda found: name(ord(found[1]) - ord("A"), found[1]), text)
    if game == "trichon":
        text = LINE.sub(lambda found: line_words(checked_line(found[0]))[lang == "en"], text)
        text = SQUARE.sub(lambda found: f"{'comodín ' if found[1] else ''}{found[3]}-{SUITS[found[2]]}", text)
    if game == "trama":
        text = _lanes(text, lang)
    return CARD.sub(rf"\1 {'de' if lang == 'es' else 'of'} \2", text)


def _lanes(text: str, lang: str) -> str:
    """Lanes are counted from one by people, from the left and from the top."""
    between = {"es": "entre el horizontal {} y el vertical {}", "en": "of horizontal {} and vertical {}"}[lang]
    text = CROSSING.sub(lambda found: between.format(int(found[1]) + 1, int(found[2]) + 1), text)

    def cord(found: re.Match[str]) -> str:
        colour = f" ({found[3]})" if found[3] else ""
        return f"{AXES[found[1]]} {int(found[2]) + 1}{colour}"

    text = SLANT.sub(lambda found: f"{found[1]} {int(found[2]) + 1} {found[3]} {int(found[4]) + 1}", text)
    text = CORD.sub(cord, text)
    text = re.sub(r"(?<=por encima )[hv]\b", lambda found: f"el {AXES[found[0]]}", text)
    return re.sub(r"\b[hv](?= was on top)", lambda found: f"the {AXES[found[0]]} cord", text)


def lane_words(axis: str, lane: int) -> str:
    """A loom's lane as people count: `vertical 1` is the leftmost one, in both languages."""
    return f"{AXES[axis]} {lane + 1}"


def crossing_words(h: int, v: int) -> str:
    """Where two lanes cross, in both languages."""
    return f"{lane_words('h', h)} × {lane_words('v', v)}"


def plain_both(shown: Json, game: str, players: Sequence[str]) -> Json:
    """Something with an `es` and an `en`, both said plainly."""
    return {**shown, **{lang: plain(str(shown[lang]), lang, game, players) for lang in ("es", "en")}}


def plain_flag(shown: Json, game: str, players: Sequence[str]) -> Json:
    """What is flagged, with its reasons and the nearest legal place said plainly."""
    said = {**shown, "violations": [plain_both(one, game, players) for one in shown["violations"]]}
    if shown.get("nearest") is not None:
        seats = ["", *players] if game == "truco" else players  # there the referee counts seats from one
        said["nearest"] = plain_both(shown["nearest"], game, seats)
    return said
