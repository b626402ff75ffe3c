"""What the five engines share, where no single game's tests reach it: JSON of values, refusals, words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rules.game import Game, IllegalMove, NotationError, Outcome, RulesError, Violation, no_extra, parse_json, require
from rules.trama import Trama
from rules.trichon import Trichon
from rules.triominos import Triominos
from rules.tronix import Tronix
from rules.truco import Truco

GAMES: dict[str, Callable[[], Game[Any, Any]]] = {
    "trama": Trama, "trichon": Trichon, "triominos": Triominos, "tronix": Tronix, "truco": Truco,
}  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_the_same_shape(name: str) -> None:
    game = GAMES[name]()
    assert game.name == name
    assert repr(game).endswith("after 0 moves>")
    assert name in repr(game.legal_moves)
    first = next(iter(game.legal_moves))
    assert first in game.legal_moves
    assert object() not in game.legal_moves
    game.push(first)
    assert game.peek() == first
    assert game.moves == (first,)
    assert json.loads(json.dumps([score.to_json() for score in game.score()]))[0]["player"] == 0
    assert game.draw().startswith("<svg")
    assert type(game).from_json(json.dumps(game.to_json())).state == game.state


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_not_another_game(name: str) -> None:
    game = GAMES[name]()
    other = next(cls for key, cls in GAMES.items() if key != name)
    with pytest.raises(RulesError):
        type(game).from_json({**game.to_json(), "game": other().name})
    with pytest.raises(RulesError):
        type(game).from_json({**game.to_json(), "setup": {"colour": 3}})
    with pytest.raises(NotationError, match=r"move 1|nothing"):
        type(game).parse_game(game.format_game() + "nothing that is a move\n")


def test_an_illegal_line_of_a_game_is_an_illegal_move() -> None:
    with pytest.raises(IllegalMove) as caught:
        Triominos.parse_game(Triominos(2).format_game() + "A draw\n")
    assert [v.code for v in caught.value.violations] == ["opening_first"]


def test_values_are_plain_json() -> None:
    violation = Violation("code", "es", "en", {"cell": "0,0v"})
    assert violation.to_json() == {"code": "code", "es": "es", "en": "en", "where": {"cell": "0,0v"}}
    assert (violation.message(), violation.message("es")) == ("en", "es")
    assert Outcome((0, 1), (5, 5), "tie").to_json() == {"winners": [0, 1], "totals": [5, 5], "reason": "tie"}


@pytest.mark.parametrize("text", ["", "[]", "3", '{"a": NaN}', '{"a": -Infinity}', '{"a": ', b"\xff", "[" * 100_000])
def test_what_is_no_json_object(text: str | bytes) -> None:
    with pytest.raises(NotationError):
        parse_json(text)


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), "1", None, [1]])
def test_require_takes_the_kind_it_asks_for(value: Any) -> None:
    with pytest.raises(NotationError):
        require({"n": value}, "n", (int, float))


def test_require_and_no_extra() -> None:
    assert require({"n": 3}, "n", int) == 3
    assert require({}, "n", int, 7) == 7
    assert require({"b": True}, "b", bool) is True
    for data in ({}, None, [("n", 3)]):
        with pytest.raises(NotationError):
            require(data, "n", int)
    no_extra({"a": 1}, ("a", "b"), "it")
    with pytest.raises(NotationError, match="'c'"):
        no_extra({"a": 1, "c": 2}, ("a", "b"), "it")
