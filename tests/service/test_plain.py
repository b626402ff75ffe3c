"""The engines' sentences as people say them: no seats, no cells, no letters; nothing else is changed."""

from __future__ import annotations

import re

import pytest

from rules.trama import words as trama
from rules.tronix import words as tronix
from rules.truco import words as truco
from service.plain import plain, plain_flag

NAMES = ("Ana", "Luis", "Marta", "Pablo")
CODED = re.compile(r"\d,-?\d|\b[Jj]ugador \d|\b[Pp]layer \d|\b[hv]\d|\d-(oros|copas)|\bal \d|\b\d's")
FACTS = {
    "player": 1, "turn": 0, "by": 1, "owner": 2, "card": "7-copas", "bid": "truco", "next": "retruco", "seats": 4,
    "count": 5, "trick": 2, "cell": (3, -1), "source": (-2, 10), "face": "gNSpEW", "cord": "v3=rojo", "lane": "h2",
    "to": "v5", "lanes": 8, "color": "azul", "crossing": "h2v5", "top": "h", "due": 4, "limit": 3, "draft": "v1=rojo",
    "es": "tejer", "en": "weaving", "es_tried": "botón", "en_tried": "button", "es_shape": "redondo", "shape": "round",
}  # fmt: skip


@pytest.mark.parametrize("game", ["truco", "tronix", "trama"])
def test_no_sentence_keeps_a_seat_a_cell_or_a_lane(game: str) -> None:
    if game == "tronix":
        found = {code: tronix.violation(code, **FACTS) for code in tronix._SENTENCES}
    else:
        module = {"truco": truco, "trama": trama}[game]
        found = {code: module.violation(code, {}, **FACTS) for code in module.SENTENCES}
    assert len(found) > 15
    for code, violation in found.items():
        for lang, text in (("es", violation.es), ("en", violation.en)):
            said = plain(text, lang, game, NAMES)
            assert not CODED.search(said), (code, said)
            assert said[-1] == "."
            assert "  " not in said
            assert not re.search(r" [.,:]", said), said


@pytest.mark.parametrize(
    ("game", "lang", "text", "said"),
    [
        ("triominos", "es", "La ficha 1-1-1 en 1,1v pone 1 en una esquina donde hay 4: 4-4-4 (0,0^), 1-4-4 (1,0v).",
         "La ficha 1-1-1 pone 1 en una esquina donde hay 4: 4-4-4, 1-4-4."),
        ("triominos", "en", "Tile 1-1-1 at 1,-1v puts 1 on a corner that shows 4: 4-4-4 (0,0^).",
         "Tile 1-1-1 puts 1 on a corner that shows 4: 4-4-4."),
        ("triominos", "es", "La ficha 0-1-2 ya está en la mesa, en 2,-1^.", "La ficha 0-1-2 ya está en la mesa."),
        ("triominos", "en", "Tile 0-1-2 lies on top of 1-1-1 at 0,0v.", "Tile 0-1-2 lies on top of 1-1-1."),
        ("triominos", "es", "1-1-1 cabe en 2,-1^", "1-1-1 cabe donde señala la imagen"),
        ("triominos", "es", "No es el turno de A: juega B.", "No es el turno de Ana: juega Luis."),
        ("triominos", "en", "It is not A's turn: B is to play.", "It is not Ana's turn: Luis is to play."),
        ("triominos", "es", "No sale A con 5-5-5; la salida es B 4-4-4 o A 3-3-3.",
         "No sale Ana con 5-5-5; la salida es Luis 4-4-4 o Ana 3-3-3."),
        ("triominos", "es", "9 fichas de B no pueden sumar 100: suman de 9 a 88.",
         "9 fichas de Luis no pueden sumar 100: suman de 9 a 88."),
        ("trichon", "es", "El 5-copas ya se ha jugado.", "El 5 de copas ya se ha jugado."),
        ("trichon", "en", "10-oros was played already.", "10 of oros was played already."),
        ("trichon", "es", "Hay que decir qué juego se marca: B5-B6-B7 o C1-C2-C3.",
         "Hay que decir qué juego se marca: 5, 6 y 7 de bastos o 1, 2 y 3 de copas."),
        ("trichon", "en", "A cannot hold *C7, B3.", "Ana cannot hold comodín 7 of copas, 3 of bastos."),
        ("truco", "es", "El 1-oros ya se ha visto en este reparto (jugador 1).",
         "El 1 de oros ya se ha visto en este reparto (Luis)."),
        ("truco", "es", "No le toca al jugador 1, sino al 0.", "No le toca a Luis, sino a Ana."),
        ("truco", "en", "It is not player 1's turn but player 0's.", "It is not Luis's turn but Ana's."),
        ("tronix", "es", "La carta de 3,-1 no se conecta con otra.", "La carta no se conecta con otra."),
        ("tronix", "en", "Player 1 plays, but it is 0's turn.", "Luis plays, but it is Ana's turn."),
        ("tronix", "es", "Hay dos cartas en 0,2.", "Hay dos cartas en el mismo sitio."),
        ("tronix", "en", "The card is not aligned with the grid: 1.5,-2.25.", "The card is not aligned with the grid."),
        ("trama", "es", "Falta el cordel v0=rojo, que ya estaba tejido.",
         "Falta el cordel vertical 1 (rojo), que ya estaba tejido."),
        ("trama", "en", "Crossing h2v5 has flipped: h was on top before.",
         "Crossing of horizontal 3 and vertical 6 has flipped: the horizontal cord was on top before."),
        ("trama", "es", "Se tejen 4 cordeles por ronda, no 6.", "Se tejen 4 cordeles por ronda, no 6."),
    ],
)  # fmt: skip
def test_what_is_said(game: str, lang: str, text: str, said: str) -> None:
    assert plain(text, lang, game, NAMES) == said


def test_a_flag_is_plain_in_all_its_parts_and_keeps_its_codes() -> None:
    wrong = truco.violation("out_of_turn", {"player": 1}, player=1, turn=0)
    near = {"move": "0 7-copas", "es": "le toca al jugador 1", "en": "it is player 1's turn", "corners": None}
    flag = {"id": "i1", "violations": [wrong.to_json()], "nearest": near}
    said = plain_flag(flag, "truco", NAMES)
    assert said["violations"][0]["code"] == "out_of_turn"
    assert said["nearest"]["es"] == "le toca a Ana"
    assert said["nearest"]["en"] == "it is Ana's turn"
    assert flag["nearest"]["es"] == "le toca al jugador 1", "the log keeps what was written"
    assert plain_flag({"violations": [], "nearest": None}, "truco", NAMES)["nearest"] is None


def test_a_name_that_is_missing_stays_a_number() -> None:
    assert plain("El jugador 7 ya ha jugado.", "es", "tronix", NAMES) == "7 ya ha jugado."
