"""Tronix: legality code by code, turns, and what hands and deck let a card be."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tronix_tables import CROSS, SQUARE, WIDE, small_deck, table_of

from rules.tronix import Move, Rules, Tronix
from rules.tronix.state import default_seating
from rules.tronix.supply import possible


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
    table = {(x, 0): CROSS for x in range(6)} | {(5, 1): CROSS}  # the card below keeps the row from being a TRONIX
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
    row = {(0, 0): CROSS, (1, 0): CROSS, (2, 0): CROSS, (1, 1): CROSS}
    game = Tronix.from_table(row, god=True, players=4)
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
