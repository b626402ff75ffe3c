"""Tronix: legality code by code, turns, knowledge, notation, bad input, random games and symmetry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from properties import NONSENSE, bad_inputs, game_properties, never_crashes
from tronix_tables import SQUARE, odd_deck, small_deck, table_of

from rules.game import IllegalMove, NotationError, RulesError
from rules.tronix import Deck, Face, Kind, Move, Port, Rules, Tronix
from rules.tronix.state import default_seating
from rules.tronix.supply import possible

CROSS, WIDE = Face.parse("NS/EW"), Face.parse("EW/NS")


def codes(game: Tronix, move: Move | str) -> list[str]:
    """The codes of everything wrong with a move; every violation speaks both languages."""
    found = game.check(game.parse_move(move) if isinstance(move, str) else move)
    assert all(v.es and v.en and v.es != v.en and "{" not in v.es + v.en for v in found)
    assert all(v.message("es") == v.es for v in found)
    return [v.code for v in found]


def god(**setup: Any) -> Tronix:
    """Three crossing cards in a row in god mode."""
    return Tronix.from_table({(0, 0): CROSS, (1, 0): CROSS, (2, 0): CROSS}, god=True, **setup)


# -- legality ------------------------------------------------------------------------------------------------------

PLACING = {
    "1,0=NS/EW": [],
    "-1,0=NE/SW": [],
    "0,0=NS/EW": ["cell_occupied"],
    "1,1=NS/EW": ["no_connection"],
    "5,5=NS/EW": ["no_connection"],
    "0.5,1=NS/EW": ["off_grid"],
    "1,0=NS/EW~": ["wrong_orientation"],
    "1,0=N.25S/EW": ["face_not_in_deck"],
    "3,3=N.25S/EW~": ["wrong_orientation", "face_not_in_deck", "no_connection"],
    "pass": ["no_passing"],
    "0,0<>1,0": ["swap", "no_such_card"],
    "0,0>1,0=NS/EW": ["not_god_mode", "no_connection"],
    "0,0>0,0=NS/EW": ["not_god_mode", "unchanged", "no_connection"],
    "p1:1,0=NS/EW": [],
    "p0:1,0=NS/EW": ["too_many_cards"],
    "p2:1,0=NS/EW": ["out_of_turn"],
    "p7:1,0=NS/EW": ["no_such_player"],
    "p0:pass": ["too_many_cards", "no_passing"],
}


@pytest.mark.parametrize("text", PLACING)
def test_placement_codes(text: str) -> None:
    game = Tronix(4, starter=0)
    game.push(Move.place((0, 0), CROSS))
    expected = PLACING[text]
    assert codes(game, text) == expected
    assert (game.parse_move(text) in game.legal_moves) == (not expected)


MOVING = {
    "0,0>3,0=NS/EW": [],
    "0,0>0,0=EW/NS": [],
    "0,0>0,0=NE/SW": [],
    "0,0>0,0=NS/EW": ["unchanged"],
    "1,0>0,0=NS/EW": ["cell_occupied"],
    "0,0>0,1=NS/EW": ["no_connection"],
    "0,0>5,5=NS/EW": ["no_connection"],
    "0,0>1.5,1=NS/EW": ["off_grid"],
    "0,0>3,0=EW/NS~": ["wrong_orientation"],
    "0,0>3,0=N.1S/EW": ["face_not_in_deck"],
    "7,7>3,0=NS/EW": ["no_such_card"],
    "0.5,0>3,0=NS/EW": ["no_such_card"],
    "0,0<>1,0": ["swap"],
    "pass": ["no_passing"],
    "3,0=NS/EW": ["hand_empty"],
    "p1:0,0>3,0=NS/EW": ["out_of_turn"],
}


@pytest.mark.parametrize("text", MOVING)
def test_god_mode_codes(text: str) -> None:
    assert codes(god(), text) == MOVING[text]


def test_where_names_the_cell() -> None:
    (found,) = god().check(Move.shift((0, 0), (5, 5), CROSS))
    assert found.where == {"cell": [5, 5]}
    (found,) = god().check(Move.parse("0,0<>1,0"))
    assert found.where == {"source": [0, 0], "cell": [1, 0]}
    (found,) = Tronix().check(Move.place((0, 0), "N.25S/EW"))
    assert found.where == {"cell": [0, 0], "face": "N.25S/EW"}


def test_the_card_moved_last_must_rest() -> None:
    game = Tronix.from_table({(x, 0): CROSS for x in range(4)} | {(0, 1): WIDE}, god=True, players=4)
    game.push(Move.shift((0, 1), (3, 1), WIDE))
    assert codes(game, "3,1>0,1=EW/NS") == ["last_moved"]
    assert all(move.source != (3, 1) for move in game.legal_moves)
    game.push(Move.shift((3, 0), (2, 1), CROSS))
    assert codes(game, "2,1>3,0=NS/EW") == ["last_moved"]
    assert "last_moved" not in codes(game, "3,1>0,1=EW/NS")


def test_a_card_placed_last_is_free() -> None:
    game = Tronix.from_table({(0, 0): CROSS, (1, 0): CROSS}, hand_sizes=(1, 0), starter=0)
    game.push(Move.place((2, 0), CROSS))
    assert game.state.god
    assert game.turn == 1
    assert codes(game, "2,0>2,0=EW/NS") == []


def test_the_last_moved_card_is_forgotten_once_it_is_lifted() -> None:
    table = table_of(SQUARE)
    face = table.pop((1, 1))
    game = Tronix.from_table({**table, (-1, 0): CROSS, (-2, 0): CROSS, (-3, 0): CROSS, (-3, 1): face}, god=True)
    game.push(Move.shift((-3, 1), (1, 1), face))
    assert game.score()[0].total == 4
    assert game.state.last_moved is None
    assert codes(game, "-1,0>-4,0=NS/EW") == []


@pytest.mark.parametrize(("god_islands", "expected"), [(True, []), (False, ["island"])])
def test_option_god_islands(god_islands: bool, expected: list[str]) -> None:
    game = god(rules=Rules(god_islands=god_islands))
    assert codes(game, "1,0>3,0=NS/EW") == expected
    assert (Move.shift((1, 0), (3, 0), CROSS) in list(game.legal_moves)) == god_islands
    assert codes(game, "1,0>1,0=EW/NS") == []
    assert codes(game, "2,0>0,1=NS/EW") == []
    ring = {(0, 0): CROSS, (1, 0): CROSS, (0, 1): CROSS, (2, 0): CROSS}
    game = Tronix.from_table(ring, god=True, rules=Rules(god_islands=god_islands))
    assert codes(game, "0,0>1,1=NS/EW") == [], "the card may join again what it leaves behind"
    if not god_islands:
        (found,) = god(rules=Rules(god_islands=False)).check(Move.shift((1, 0), (3, 0), CROSS))
        assert found.where == {"source": [1, 0], "cell": [2, 0]}


def test_an_island_that_is_there_already_is_no_fault_of_the_move() -> None:
    table = {(0, 0): CROSS, (1, 0): CROSS, (7, 0): CROSS, (8, 0): CROSS}
    game = Tronix.from_table(table, god=True, rules=Rules(god_islands=False))
    assert codes(game, "0,0>2,0=NS/EW") == []
    assert codes(game, "0,0>9,0=NS/EW") == []


# -- turns ---------------------------------------------------------------------------------------------------------


def line_of_cards(game: Tronix, count: int) -> list[int | None]:
    """Lay crossing and turning cards in a row that never closes; whose turn it was each time."""
    turns = []
    for x in range(count):
        turns.append(game.turn)
        game.push(Move.place((x, 0), CROSS))
    return turns


def test_two_players_place_two_cards_a_turn_and_the_opening_is_a_turn() -> None:
    assert line_of_cards(Tronix(2, starter=1), 7) == [1, 0, 0, 1, 1, 0, 0]


def test_more_players_place_one_card() -> None:
    assert line_of_cards(Tronix(6, starter=4), 8) == [4, 5, 0, 1, 2, 3, 4, 5]


def test_anybody_may_open() -> None:
    game = Tronix(4)
    assert game.turn is None
    assert {move.player for move in game.legal_moves} == {None, 1, 2, 3}
    game.push(Move.place((0, 0), CROSS, player=2))
    assert game.turn == 3
    game.pop()
    game.push(Move.place((0, 0), CROSS))
    assert game.turn == 1


def test_the_whole_deck_is_dealt_as_evenly_as_it_goes() -> None:
    assert Tronix(2).state.hands == (24, 24)
    assert Tronix(10).state.hands == (5,) * 8 + (4,) * 2
    assert Tronix(16).state.hands == (3,) * 16


def test_a_player_without_cards_is_passed_over() -> None:
    assert line_of_cards(Tronix(4, hand_sizes=[1, 0, 2, 2], starter=1), 5) == [2, 3, 0, 2, 3]
    game = Tronix(2, hand_sizes=[1, 4], starter=1)
    assert line_of_cards(game, 5) == [1, 0, 1, 1, 1]
    assert game.state.god
    assert game.turn == 0


def test_god_mode_turns() -> None:
    table = {(x, 0): CROSS for x in range(6)}
    game = Tronix.from_table(table, god=True)
    turns = []
    for x in range(5):
        turns.append(game.turn)
        game.push(Move.shift((x, 0), (x, 0), "NE/SW"))
    assert turns == [0, 0, 1, 1, 0]
    game = Tronix.from_table(table, god=True, players=4, starter=3)
    turns = []
    for x in range(3):
        turns.append(game.turn)
        game.push(Move.shift((x, 0), (x, 0), "NE/SW"))
    assert turns == [3, 0, 1]


def test_seating() -> None:
    assert default_seating(2) == ("green", "pink")
    assert default_seating(4) == ("green", "green", "pink", "pink")
    assert default_seating(6) == ("green", "green", "pink", "pink", "green", "pink")
    assert all(default_seating(n).count("green") * 2 == n for n in range(2, 17, 2))
    assert Tronix(4, teams=["pink", "green", "pink", "green"]).teams == ("pink", "green", "pink", "green")


# -- knowledge -----------------------------------------------------------------------------------------------------


def test_supplied_hands_limit_the_faces() -> None:
    """tall-right shows NS/EW or NE/SW; wide-left EW/NS or NW/ES."""
    game = Tronix(2, hands=[["tall-right"], ["wide-left", "wide-left"]], starter=0)
    assert {str(move.face) for move in game.legal_moves} == {"NS/EW", "NE/SW", "SW/NE"}
    assert codes(game, "0,0=EW/NS") == ["not_in_hand"]
    game.push(Move.place((0, 0), "SW/NE"))
    assert codes(game, "1,0=NS/EW") == ["not_in_hand"]
    game.push(Move.place((1, 0), "EW/NS"))
    game.push(Move.place((2, 0), "NW/ES"))
    assert game.state.god
    assert codes(game, "1,0>1,0=NE/SW") == ["wrong_card"]
    assert codes(game, "1,0>1,0=ES/NW") == []
    assert codes(game, "0,0>0,1=EW/NS") == ["no_connection", "wrong_card"]


def test_which_card_was_laid_may_stay_open() -> None:
    """A crossing card from this hand may be either; the second crossing uses up both, so nothing else is left."""
    game = Tronix(2, hands=[["tall-right", "tall-left", "right-left"], ["cross-cross"]], starter=1)
    game.push(Move.place((0, 0), CROSS))
    game.push(Move.place((1, 0), CROSS))
    assert codes(game, "2,0=NW/ES") == []
    game.push(Move.place((2, 0), "NE/SW"))
    assert game.turn == 0
    assert {str(move.face) for move in game.legal_moves} == {"NS/EW", "NE/SW", "SW/NE", "NW/ES", "ES/NW"}
    game.push(Move.place((3, 0), CROSS))
    # Both crossings are now tall-right and tall-left, so the curve is right-left and can turn to the left.
    assert codes(game, "2,0>2,0=NW/ES") == []
    assert codes(game, "2,0>2,0=NS/EW") == ["wrong_card"]


def test_a_flip_tells_what_the_card_is() -> None:
    game = god(players=4)
    game.push(Move.shift((0, 0), (0, 0), "NE/SW"))
    game.push(Move.shift((2, 0), (2, 0), WIDE))
    assert codes(game, "0,0>0,0=NW/ES") == ["wrong_card"]
    assert codes(game, "0,0>0,0=SW/NE") == []
    assert codes(game, "0,0>0,0=NS/EW") == []


def test_public_knowledge_counts_the_deck() -> None:
    deck = small_deck(1, 2)  # two cards, crossing on both sides
    game = Tronix(2, deck=deck, hand_sizes=[1, 1], starter=0)
    game.push(Move.place((0, 0), CROSS))
    assert codes(game, "1,0=NE/SW") == ["face_not_in_deck"]
    deck = small_deck(2, 1)  # one crossing both ways, one with a curve
    game = Tronix(4, deck=deck, hand_sizes=[1, 1, 0, 0], starter=0)
    game.push(Move.place((0, 0), "NE/SW"))
    assert codes(game, "1,0=SW/NE") == ["deck_exhausted"]
    assert {str(move.face) for move in game.legal_moves} == {"NS/EW", "EW/NS"}


def test_possible_is_exact() -> None:
    """Against trying every assignment."""

    def slow(cards: list[int], supply: list[int]) -> bool:
        if not cards:
            return True
        return any(
            cards[0] >> i & 1 and n and slow(cards[1:], [m - (i == j) for j, m in enumerate(supply)])
            for i, n in enumerate(supply)
        )

    rng, yes = Random(5), 0
    for _ in range(2000):
        supply = [rng.randrange(3) for _ in range(3)]
        cards = [rng.randrange(1, 8) for _ in range(rng.randrange(6))]
        seen = tuple(sorted((mask, cards.count(mask)) for mask in set(cards)))
        assert possible(seen, tuple(supply)) == slow(cards, supply)
        yes += slow(cards, supply)
    assert 500 < yes < 1500


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


BAD_FACES = ["", "NS", "NS/", "NS/EW/NS", "NN/EW", "NS/NE", "NX/EW", "NSE/W", "N.0S/EW", "N.99999S/EW", 3, None, [], [1, 2], {},
             {"green": ["N", "S"]}, {"green": ["N"], "pink": ["E", "W"]}, {"green": ["N", "S"], "pink": ["E", "W"], "x": 1},
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


@pytest.mark.parametrize("text", [*PLACING, *MOVING, "-3,2.25>-1,0=N.3333E.1/S.75W", "p15:0,0<>-1,4"])
def test_moves_read_back(text: str) -> None:
    move = Move.parse(text)
    assert Move.parse(str(move)) == move
    assert str(move) == text


BAD_MOVES = ["", "0,0", "0=NS/EW", "0,0=NS", "x,0=NS/EW", "0,0>=NS/EW", "p:0,0=NS/EW", "p100:pass", "q", "0,0<>", "99999,0=NS/EW",
             "0,0>1,0>2,0=NS/EW", "0,0=NS/EW~~", "pass~", "0,0=NS/EW=NS/EW", "p1:p1:pass"]  # fmt: skip


@pytest.mark.parametrize("text", BAD_MOVES)
def test_bad_moves(text: str) -> None:
    with pytest.raises(NotationError):
        Move.parse(text)


@pytest.mark.parametrize("make", [
    lambda: Move("fly"), lambda: Move(3), lambda: Move("place"), lambda: Move("pass", (0, 0)), lambda: Move("place", (0,), CROSS),  # type: ignore[arg-type]
    lambda: Move("place", (0, 0), CROSS, player=-1), lambda: Move("place", (0, 0), CROSS, player=True),
    lambda: Move("pass", sideways=True), lambda: Move("place", (0, 0), CROSS, sideways=1),  # type: ignore[arg-type]
    lambda: Move("place", (float("nan"), 0), CROSS), lambda: Move("place", (10**30, 0), CROSS), lambda: Move("place", ("a", 0), CROSS),  # type: ignore[arg-type]
])  # fmt: skip
def test_bad_parts_of_moves(make: Callable[[], Move]) -> None:
    with pytest.raises(RulesError):
        make()


BAD_SETUPS: list[dict[str, Any]] = [
    {"players": 3}, {"players": 0}, {"players": 18}, {"players": True}, {"players": "2"}, {"teams": ["green"]},
    {"teams": ["green", "green"]}, {"teams": ["green", "red"]}, {"teams": 5}, {"starter": 2}, {"starter": True},
    {"hand_sizes": [1]}, {"hand_sizes": [-1, 1]}, {"hand_sizes": [30, 30]}, {"hand_sizes": [1.5, 1]}, {"hands": [[], ["x"]]},
    {"hands": [[]]}, {"hands": [[], 3]}, {"hands": [[1], []]}, {"hands": [["cross-cross"] * 9, []]}, {"rules": 3},
    {"hands": [["cross-cross"], []], "hand_sizes": [2, 0]}, {"deck": "default"}, {"taken": [1]}, {"taken": [-1, 0]},
    {"table": 3}, {"rules": {"all_circuits": True}},
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
    for setup in ({"players": None}, {"players": 3}, {"players": 10**30, "god": True}, {"colour": 1}, {"players": -4, "god": True}):
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
    assert [v.code for v in caught.value.violations] == ["out_of_turn", "wrong_orientation", "face_not_in_deck", "opening_cell"]
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
    assert god().position()["cells"][0] == {"cell": [0, 0], "face": "NS/EW"}
    assert god().position()["phase"] == "god"
    assert Tronix.from_setup(game.setup_json()).setup_json() == game.setup_json()


# -- random games --------------------------------------------------------------------------------------------------


def all_cards(game: Any) -> int:
    """Hands, table, what was won and what was discarded: always the whole deck."""
    state = game.state
    return sum(state.hands) + len(state.table) + sum(line.points for line in state.lines) + state.discarded


def odd_moves(game: Any, rng: Random) -> Iterator[Move]:
    """Moves of every kind around the table, most of them wrong somehow."""
    cells = [*game.state.table, (0, 0)]
    faces = [*game.deck.shows, Face.parse("N.2S/EW")]

    def somewhere() -> tuple[float, float]:
        x, y = rng.choice(cells)
        return x + rng.choice([-1, 0, 0, 1, 0.5]), y + rng.choice([-1, 0, 0, 1])

    others = [seat for seat in range(game.seats) if seat != game.turn]
    for _ in range(6):
        player = None if game.turn is None or rng.random() < 0.7 else rng.choice(others)
        sideways = len(game.deck.rotations) == 2 and rng.random() < 0.1
        yield Move("place", somewhere(), rng.choice(faces), None, player, sideways)
        yield Move("move", somewhere(), rng.choice(faces), rng.choice(cells), player, sideways)
    yield Move("swap", rng.choice(cells), None, rng.choice(cells))
    yield Move("pass")


def random_game(rng: Random) -> Tronix:
    players = rng.choice([2, 4, 6])
    deck = rng.choice([small_deck(6, 2), small_deck(4, 3), odd_deck(rng, True), odd_deck(rng, False)])
    hands: list[list[str]] | None = None
    if rng.random() < 0.5:
        cards = [kind.id for kind in deck.copies()]
        rng.shuffle(cards)
        hands = [cards[seat::players] for seat in range(players)]
    rules = Rules(rng.random() < 0.5, rng.random() < 0.5)
    return Tronix(players, deck=deck, hands=hands, rules=rules, starter=rng.randrange(players))


test_random_games = game_properties(random_game, pieces=all_cards, strangers=odd_moves, examples=12, cap=26, check_each=15)
test_random_games_with_the_whole_deck = game_properties(
    lambda rng: Tronix(rng.choice([2, 8, 10])), pieces=all_cards, strangers=odd_moves, examples=2, cap=48, check_each=8
)


def mirrored(port: Port) -> Port:
    side = {"E": "W", "W": "E"}.get(port.side, port.side)
    return Port(side, round(1 - port.position, 4))


def change(move: Move, cell: Callable[[Any], Any], face: Callable[[Face], Face]) -> Move:
    assert move.cell is not None
    assert move.face is not None
    source = None if move.source is None else cell(move.source)
    return Move(move.kind, cell(move.cell), face(move.face), source, move.player)


SYMMETRIES: dict[str, tuple[Callable[[Any], Any], Callable[[Face], Face], bool]] = {
    "half turn": (lambda c: (-c[0], -c[1]), lambda f: f.turned(2), False),
    "mirror": (
        lambda c: (-c[0], c[1]),
        lambda f: Face((mirrored(f.green[0]), mirrored(f.green[1])), (mirrored(f.pink[0]), mirrored(f.pink[1]))),
        False,
    ),
    "colours changed": (lambda c: c, lambda f: Face(f.pink, f.green), True),
}


@pytest.mark.parametrize("name", SYMMETRIES)
def test_symmetry(name: str) -> None:
    """The same game turned, mirrored or with the colours changed scores the same (for the other team)."""
    cell, face, colors = SYMMETRIES[name]
    scored = 0
    for seed in range(6):
        rng = Random(seed)
        game, image = Tronix(4, starter=0), Tronix(4, starter=0)
        while game.outcome() is None and len(game.moves) < 54:
            moves = list(game.legal_moves)
            move = rng.choice(moves)
            for _ in range(6):  # prefer moves that score, so that there is something to compare
                trial = rng.choice(moves)
                game.push(trial)
                good = bool(game.state.lifted)
                game.pop()
                if good:
                    move = trial
                    break
            assert game.legal_moves.count() == image.legal_moves.count()
            game.push(move)
            image.push(change(move, cell, face))
            totals = [score.total for score in game.score()]
            assert [score.total for score in image.score()] == (totals[::-1] if colors else totals)
            assert image.turn == game.turn
        scored += sum(score.total for score in game.score())
    assert scored > 20
