"""Tronix: decks, faces, ports, the notation of moves, and nonsense at every entrance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from properties import NONSENSE, bad_inputs, never_crashes
from tronix_tables import CROSS, SQUARE, WIDE, odd_deck, small_deck, table_of

from rules.game import IllegalMove, NotationError, RulesError
from rules.tronix import Deck, Face, Kind, Move, Port, Rules, Tronix

# -- decks ---------------------------------------------------------------------------------------------------------


def test_default_deck() -> None:
    deck = Deck.default()
    assert deck.total == 48 == len(list(deck.copies()))
    assert (deck.width, deck.height, deck.rotations) == (63, 88, (0, 2))
    assert set(map(str, deck.shows)) == {"NS/EW", "EW/NS", "NE/SW", "SW/NE", "NW/ES", "ES/NW"}
    for kind in deck.kinds:
        assert kind.back not in (kind.front, kind.front.turned(2))
    assert Deck.from_json(deck.to_json()) == deck


def test_square_cards_turn_by_quarters() -> None:
    deck = odd_deck(Random(3))
    assert deck.rotations == (0, 1, 2, 3)
    assert Deck.from_json(deck.to_json()) == deck
    face = deck.kinds[0].front
    assert face.turned(1).turned(3) == face
    assert face.turned(1) in deck.shows


def test_ports() -> None:
    assert Port("N", 0.33).facing == Port("S", 0.67)
    assert Port("E", 0.25).facing == Port("W", 0.75)
    assert Port("E").turned(1) == Port("S")
    assert Port.of(["W", 0.3]).label == ["W", 0.3]
    assert Port("S", 0.25).point(60, 90) == (45, 90)
    assert Port("W", 0.25).point(60, 90) == (0, 67.5)
    assert Port("E", 0.25).point(60, 90) == (60, 22.5)
    face = Face.parse("S.75N.1/EW")
    assert str(face) == "N.1S.75/EW"
    assert Face.from_lines(face.lines) == face == Face.of(face)
    assert Face.of(face.lines) == face


BAD_FACES = ["", "NS", "NS/", "NS/EW/NS", "NN/EW", "NS/NE", "NX/EW", "NSE/W", "N.0S/EW", "N.99999S/EW", 3, None, [], {},
             [1, 2], {"green": ["N", "S"]}, {"green": ["N"], "pink": ["E", "W"]},
             {"green": ["N", "S"], "pink": ["E", "W"], "x": 1},
             {"green": ["N", ["S", 2]], "pink": ["E", "W"]}, {"green": ["N", ["S", float("nan")]], "pink": ["E", "W"]},
             {"green": ["N", ["S", 0.5, 1]], "pink": ["E", "W"]}, {"green": ["N", 7], "pink": ["E", "W"]},
             {"green": ["N", ["S", True]], "pink": ["E", "W"]}, [{"color": "green", "ports": ["N", "S"]}] * 2,
             [{"color": "green", "ports": ["N", "S"]}, {"color": "red", "ports": ["E", "W"]}]]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_FACES)
def test_bad_faces(bad: Any) -> None:
    with pytest.raises(RulesError):
        Face.of(bad)
    with pytest.raises(RulesError):
        Move.place((0, 0), bad)


def test_face_parse_takes_text_only() -> None:
    with pytest.raises(NotationError):
        Face.parse(5)  # type: ignore[arg-type]


def test_bad_decks() -> None:
    good = Deck.default().to_json()
    first = good["cards"][0]
    bad: list[Any] = [
        {**good, "size_mm": [63]}, {**good, "size_mm": [63, -1]}, {**good, "size_mm": [True, 3]},
        {**good, "size_mm": [63, float("nan")]}, {**good, "size_mm": ["a", 3]}, {**good, "cards": []},
        {**good, "cards": [first, first]}, {**good, "cards": [{**first, "count": 0}]},
        {**good, "cards": [{**first, "count": 10**30}]}, {**good, "cards": [{**first, "count": True}]},
        {**good, "cards": [{**first, "front": "N.2S/EW"}]}, {**good, "cards": [{**first, "colour": 1}]},
        {**good, "cards": [{**first, "id": str(i)} for i in range(501)]}, {**good, "ports": {"N": [0.5, 0.5]}},
        {**good, "ports": {"Q": [0.5]}}, {**good, "ports": {**good["ports"], "N": [i / 20 for i in range(1, 20)]}},
        {**good, "extra": 1}, {**good, "ports": {**good["ports"], "N": [0.5, 0.5]}}, {**good, "cards": [3]},
    ]  # fmt: skip
    for data in bad:
        with pytest.raises(RulesError):
            Deck.from_json(data)
    never_crashes(Deck.from_json)
    for key in good:
        never_crashes(Deck.from_json, [{**good, key: value} for value in NONSENSE])
    with pytest.raises(RulesError):
        Deck("x", 60, 90, (Port("N"), Port("E"), Port("S"), Port("W")), (Kind("a", CROSS, WIDE, True),))


# -- notation and bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "1,0=NS/EW", "-1,0=NE/SW", "0.5,1=NS/EW", "1,0=NS/EW~", "1,0=N.25S/EW", "3,3=N.25S/EW~", "pass", "0,0<>1,0",
    "p0:pass", "0,0>1,0=NS/EW", "p7:1,0=NS/EW", "p1:0,0>3,0=NS/EW", "0.5,0>3,0=NS/EW", "0,0>1.5,1=NS/EW",
    "0,0>3,0=EW/NS~", "-3,2.25>-1,0=N.3333E.1/S.75W", "p15:0,0<>-1,4",
])  # fmt: skip
def test_moves_read_back(text: str) -> None:
    move = Move.parse(text)
    assert Move.parse(str(move)) == move
    assert str(move) == text


BAD_MOVES = ["", "0,0", "0=NS/EW", "0,0=NS", "x,0=NS/EW", "0,0>=NS/EW", "p:0,0=NS/EW", "p100:pass", "q", "0,0<>",
             "99999,0=NS/EW", "0,0>1,0>2,0=NS/EW", "0,0=NS/EW~~", "pass~", "0,0=NS/EW=NS/EW", "p1:p1:pass"]  # fmt: skip


@pytest.mark.parametrize("text", BAD_MOVES)
def test_bad_moves(text: str) -> None:
    with pytest.raises(NotationError):
        Move.parse(text)


@pytest.mark.parametrize("make", [
    lambda: Move("fly"), lambda: Move(3), lambda: Move("place"), lambda: Move("pass", (0, 0)),  # type: ignore[arg-type]
    lambda: Move("place", (0,), CROSS),  # type: ignore[arg-type]
    lambda: Move("place", (0, 0), CROSS, player=-1), lambda: Move("place", (0, 0), CROSS, player=True),
    lambda: Move("pass", sideways=True), lambda: Move("place", (0, 0), CROSS, sideways=1),  # type: ignore[arg-type]
    lambda: Move("place", (float("nan"), 0), CROSS), lambda: Move("place", (10**30, 0), CROSS),
    lambda: Move("place", ("a", 0), CROSS),  # type: ignore[arg-type]
])  # fmt: skip
def test_bad_parts_of_moves(make: Callable[[], Move]) -> None:
    with pytest.raises(RulesError):
        make()


BAD_SETUPS: list[dict[str, Any]] = [
    {"players": 3}, {"players": 0}, {"players": 18}, {"players": True}, {"players": "2"}, {"teams": ["green"]},
    {"teams": ["green", "green"]}, {"teams": ["green", "red"]}, {"teams": 5}, {"starter": 2}, {"starter": True},
    {"hand_sizes": [1]}, {"hand_sizes": [-1, 1]}, {"hand_sizes": [30, 30]}, {"hand_sizes": [1.5, 1]},
    {"hands": [[], ["x"]]}, {"hands": [[]]}, {"hands": [[], 3]}, {"hands": [[1], []]}, {"rules": 3},
    {"hands": [["cross-cross"] * 9, []]}, {"hands": [["cross-cross"], []], "hand_sizes": [2, 0]}, {"taken": [1]},
    {"deck": "default"}, {"taken": [-1, 0]}, {"table": 3}, {"rules": {"all_circuits": True}},
]  # fmt: skip


@pytest.mark.parametrize("setup", BAD_SETUPS)
def test_bad_setups(setup: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        Tronix(**setup)


def test_bad_rules() -> None:
    with pytest.raises(RulesError):
        Rules(all_circuits=1)  # type: ignore[arg-type]
    for bad in ({"all_circuits": 1}, {"colour": True}, [], None):
        with pytest.raises(RulesError):
            Rules.from_json(bad)
    assert Rules.from_json({"god_islands": False}) == Rules(god_islands=False)


def test_bad_from_table() -> None:
    bad: list[dict[str, Any]] = [{"players": None}, {"players": 3}, {"colour": 1}]
    for setup in [*bad, {"players": 10**30, "god": True}, {"players": -4, "god": True}]:
        with pytest.raises(RulesError):
            Tronix.from_table([], **setup)


def test_nonsense_everywhere() -> None:
    game = Tronix(4, hands=[["tall-left"], ["tall-right"], [], ["cross-cross"]], starter=0, deck=small_deck())
    game.push(Move.place((0, 0), CROSS))
    bad_inputs(game)
    bad_inputs(Tronix.from_table({(0, 0): CROSS, (1, 0): WIDE}, taken=(3, 4)))
    with pytest.raises(RulesError):
        Tronix.from_setup({"game": "truco", "players": 2})


def test_an_illegal_move_changes_nothing_and_says_everything() -> None:
    game = Tronix(4, starter=0)
    with pytest.raises(IllegalMove) as caught:
        game.push(Move("place", (1, 0), Face.parse("N.2S/EW"), None, 2, True))
    found = [v.code for v in caught.value.violations]
    assert found == ["out_of_turn", "wrong_orientation", "face_not_in_deck", "opening_cell"]
    assert game.moves == ()


def test_position_for_the_page() -> None:
    game = Tronix.from_table(table_of({k: v for k, v in SQUARE.items() if k != (1, 1)}), starter=0, taken=(2, 1))
    assert [line.cause for score in game.score() for line in score.lines] == ["taken", "taken"]
    game.push(Move.place((1, 1), "NW/ES"))
    position = game.position()
    assert position["won"] == [6, 1]
    assert position["phase"] == "place"
    assert position["cells"] == []
    assert position["lift"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert sum(position["hands"]) == 48 - 3 - 3 - 1
    row = Tronix.from_table({(0, 0): CROSS, (1, 0): CROSS, (2, 0): CROSS}, god=True)
    assert row.position()["cells"][0] == {"cell": [0, 0], "face": "NS/EW"}
    assert row.position()["phase"] == "god"
    assert Tronix.from_setup(game.setup_json()).setup_json() == game.setup_json()
