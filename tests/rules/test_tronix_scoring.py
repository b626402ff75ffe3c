"""Tronix: every caption of the rulebook, circuits, TRONIX, singularity, ends, and the two options."""

from __future__ import annotations

import json

import pytest
from properties import perft
from tronix_slow import Card, Slow, lines_of
from tronix_tables import CROSS, EIGHT, RECTANGLE, ROW, SQUARE, WIDE, before_last, face_with, small_deck, table_of

from rules.tronix import Cell, Deck, Face, Move, Rules, Tronix, circuits, read_table


def totals(game: Tronix) -> tuple[int, int]:
    green, pink = game.score()
    return green.total, pink.total


CAPTIONS = {
    "circuito completamente verde: verde 4": (table_of(SQUARE), (1, 1), (4, 0)),
    "circuito completamente rosa: rosa 4": (table_of(SQUARE, pink=tuple(SQUARE)), (0, 1), (0, 4)),
    "3 verdes y 1 rosa: verde 3, rosa 1": (table_of(SQUARE, pink=((1, 0),)), (0, 0), (3, 1)),
    "5 verdes y 1 rosa: verde 5, rosa 1": (table_of(RECTANGLE, pink=((2, 1),)), (1, 0), (5, 1)),
}


@pytest.mark.parametrize("caption", CAPTIONS)
@pytest.mark.parametrize("player", [0, 1])
def test_caption(caption: str, player: int) -> None:
    """The cards go by colour, whoever closed the circuit."""
    table, last, expected = CAPTIONS[caption]
    game, face = before_last(table, last)
    game = Tronix.from_table(dict(game.state.table), starter=player)
    assert game.turn == player
    game.push(Move.place(last, face))
    assert totals(game) == expected
    assert not game.state.table
    assert set(game.state.lifted) == set(table)
    assert {line.cause for score in game.score() for line in score.lines} == {"circuit"}
    assert {line.ply for score in game.score() for line in score.lines} == {0}


def test_caption_6_green_and_one_shared_card() -> None:
    """CIRCUITO con 6 cartas verdes y 1 compartida: verde 6, la carta del centro queda en la mesa."""
    table = {**table_of(EIGHT), (1, 1): CROSS}
    for last in table:
        game, face = before_last(table, last)
        game.push(Move.place(last, face))
        assert totals(game) == (6, 0)
        assert dict(game.state.table) == {(1, 1): CROSS}
        assert len(game.state.scored) == 1
        assert len(game.state.scored[0].segments) == 8


def tronix_game(pink: tuple[tuple[int, int], ...] = ((3, 0),), rules: Rules | None = None) -> Tronix:
    """Seven cards of which six make a row; the seventh hangs below the first."""
    table = table_of(ROW, pink)
    table[0, 1] = table.pop((6, 0))
    return Tronix.from_table(table, god=True, rules=rules)


def test_caption_tronix_6_green_and_1_pink() -> None:
    """TRONIX con 6 cartas verdes y 1 rosa: 6 y 1, y fin del juego."""
    game = tronix_game()
    game.push(Move.shift((0, 1), (6, 0), face_with("EW", "green")))
    assert totals(game) == (6, 1)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.totals, outcome.reason) == ((0,), (6, 1), "tronix")
    assert {line.cause for score in game.score() for line in score.lines} == {"tronix"}
    assert game.turn is None
    assert [v.code for v in game.check(Move.place((0, 0), CROSS))] == ["game_over"]
    assert list(game.legal_moves) == []


def test_a_line_through_all_cards_is_no_tronix_while_cards_are_placed() -> None:
    game, face = before_last(table_of(ROW), (6, 0))
    game.push(Move.place((6, 0), face))
    assert totals(game) == (0, 0)
    assert len(game.state.table) == 7
    # Nor does the last card of all hands make one: it is formed by moving.
    game = Tronix.from_table({(0, 0): CROSS}, hand_sizes=(1, 0))
    game.push(Move.place((1, 0), CROSS))
    assert game.state.god
    assert game.outcome() is None
    assert totals(game) == (0, 0)


def test_tronix_must_use_every_card() -> None:
    game = tronix_game()
    game.push(Move.shift((0, 1), (6, 0), face_with("NS", "green")))
    assert totals(game) == (5, 2), "the crossing card carries the line on in its pink"
    game = tronix_game()
    game.push(Move.shift((0, 1), (5, 1), face_with("EW", "green")))
    assert totals(game) == (0, 0)
    assert game.outcome() is None


def test_shared_card_of_a_tronix_stays_and_the_game_is_over() -> None:
    """A circuit through all cards is a TRONIX too; its crossing card, used twice, is nobody's."""
    table = {**table_of(EIGHT), (1, 1): CROSS}
    face = table.pop((0, 0))
    game = Tronix.from_table({**table, (3, 2): face}, god=True)
    game.push(Move.shift((3, 2), (0, 0), face))
    assert totals(game) == (6, 0)
    assert dict(game.state.table) == {(1, 1): CROSS}
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.reason == "tronix"
    assert game.state.discarded == 0


def two_circuits(rules: Rules, starter: int) -> Tronix:
    """One card at (1, 1) closes a circuit of 4 with its green line and one of 6 with its pink line."""
    table = {(0, 0): face_with("ES", "green"), (1, 0): face_with("SW", "green"), (0, 1): face_with("NE", "green")}
    table |= {(2, 1): face_with("EW", "pink"), (3, 1): face_with("SW", "pink"), (3, 2): face_with("NW", "pink")}
    table |= {(2, 2): face_with("EW", "pink"), (1, 2): face_with("NE", "pink")}
    return Tronix.from_table(table, rules=rules, starter=starter)


@pytest.mark.parametrize(
    ("all_circuits", "player", "expected", "left"),
    [(True, 0, (3, 5), 1), (True, 1, (3, 5), 1), (False, 0, (4, 0), 5), (False, 1, (0, 6), 3)],
)
def test_option_all_circuits(all_circuits: bool, player: int, expected: tuple[int, int], left: int) -> None:
    """True: both score and the card in both, with two colours, stays. False: the one that is best for the mover."""
    game = two_circuits(Rules(all_circuits=all_circuits), player)
    game.push(Move.place((1, 1), "NW/ES"))
    assert totals(game) == expected
    assert len(game.state.table) == left
    assert ((1, 1) in game.state.table) == all_circuits
    assert len(game.state.scored) == (2 if all_circuits else 1)


def test_one_circuit_only_of_equal_worth_takes_the_longer() -> None:
    table = {cell: face.turned(0) for cell, face in two_circuits(Rules(), 0).state.table.items()}
    table[0, 0] = face_with("ES", "pink")  # circuit one: green 3 and pink 1, a lead of 2 for green
    right = {(2, 1): "EW", (3, 1): "SW", (2, 2): "EW", (3, 2): "NW"}
    table |= {cell: face_with(line, "green") for cell, line in right.items()}
    game = Tronix.from_table(table, rules=Rules(all_circuits=False), starter=0)  # circuit two: green 4, pink 2: also 2
    game.push(Move.place((1, 1), "NW/ES"))
    assert totals(game) == (4, 2)


def test_tronix_wins_over_a_circuit_when_only_one_scores() -> None:
    """A line through all cards that ends in the loop it crosses: with one scorer only, the TRONIX is the one."""
    table = {**table_of(SQUARE), (1, 1): Face.parse("NW/ES")}
    table |= {(2, 1): face_with("NW", "green"), (2, 0): face_with("SW", "pink")}
    reading = read_table(table, god=True)
    assert len(reading.circuits) == 1
    assert reading.award.points == (4, 0)
    # A path green through every card plus a circuit in the other lines, in a deck of cards with doubled ports.
    deck = Deck.from_json(
        {
            "name": "double", "size_mm": [50, 50],
            "ports": {side: [0.25, 0.75] for side in "NESW"},
            "cards": [
                {"id": "end", "count": 4, "front": "N.25E.25/E.75S.25", "back": "E.25E.75/N.25S.25"},
                {"id": "loop", "count": 4, "front": "E.25E.75/N.25S.25", "back": "N.25E.25/N.75S.25"},
            ],
        }
    )  # fmt: skip
    loop, turned = Face.parse("E.25E.75/N.25S.25"), Face.parse("W.25W.75/N.25S.25")
    assert len(circuits({(0, 0): loop, (1, 0): turned})) == 1
    for all_circuits in (True, False):
        game = Tronix.from_table(
            {(0, 0): loop, (1, 0): "N.25E.25/N.75S.25"}, god=True, deck=deck, rules=Rules(all_circuits=all_circuits)
        )  # fmt: skip
        game.push(Move.shift((1, 0), (1, 0), turned))
        assert totals(game) == (2, 0)
        assert game.state.ended == "tronix"


def test_tronix_and_circuit_in_one_move() -> None:
    """Two cards joined by a closed line and by an open one: together every card has both colours and stays."""
    deck = Deck.from_json(
        {
            "name": "three", "size_mm": [50, 50],
            "ports": {side: [0.2, 0.5, 0.8] for side in "NESW"},
            "cards": [{"id": "a", "count": 2, "front": "E.2E.8/EN", "back": "E.2E.8/ES"}],
        }
    )  # fmt: skip
    left, right = Face.parse("E.2E.8/EN"), Face.parse("W.2W.8/SW")
    for all_circuits, expected, lifted in ((True, (0, 0), 0), (False, (2, 0), 2)):
        game = Tronix.from_table(
            {(0, 0): left, (0, 1): "N.2N.8/NW"}, god=True, deck=deck, rules=Rules(all_circuits=all_circuits)
        )  # fmt: skip
        game.push(Move.shift((0, 1), (1, 0), right))
        assert game.state.ended == "tronix"
        assert len(game.state.scored) == (2 if all_circuits else 1)
        assert totals(game) == expected
        assert len(game.state.lifted) == lifted


@pytest.mark.parametrize(("all_circuits", "expected", "stay"), [(True, (0, 1), 2), (False, (0, 3), 0)])
def test_a_tronix_goes_before_a_circuit_that_is_better_for_the_mover(
    all_circuits: bool, expected: tuple[int, int], stay: int
) -> None:
    """Green's move closes a green loop of two cards and a pink line through all three."""
    deck = Deck.from_json(
        {
            "name": "three", "size_mm": [50, 50],
            "ports": {side: [0.2, 0.5, 0.8] for side in "NESW"},
            "cards": [{"id": "a", "count": 3, "front": "E.2E.8/EN", "back": "E.2E.8/ES"}],
        }
    )  # fmt: skip
    table = {(0, 0): "E.2E.8/EN", (0, -1): "E.2E.8/ES", (5, 5): "N.2N.8/NW"}
    game = Tronix.from_table(table, god=True, deck=deck, rules=Rules(all_circuits=all_circuits), starter=0)
    assert game.teams[0] == "green"
    game.push(Move.shift((5, 5), (1, 0), "W.2W.8/SW"))
    assert totals(game) == expected
    assert len(game.state.table) == stay
    assert game.state.ended == "tronix"


def test_singularity_is_discarded_and_ends_the_game() -> None:
    table = {**table_of(EIGHT), (1, 1): CROSS}
    game, face = before_last(table, (2, 2), hand_sizes=(1, 0))
    game.push(Move.place((2, 2), face))
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.reason == "singularity"
    assert game.state.discarded == 1
    assert not game.state.table
    assert outcome.winners == (0,)


def test_end_with_an_empty_table_and_a_shared_victory() -> None:
    game, face = before_last(table_of(SQUARE, pink=((0, 0), (1, 0))), (1, 1), hand_sizes=(1, 0))
    game.push(Move.place((1, 1), face))
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.totals, outcome.reason) == ((0, 1), (2, 2), "empty")


def test_a_table_emptied_by_a_circuit_is_opened_again() -> None:
    game, face = before_last(table_of(SQUARE), (1, 1))
    game.push(Move.place((1, 1), face))
    assert game.turn == 0, "two players: two cards a turn"
    assert [v.code for v in game.check(Move.place((1, 0), CROSS))] == ["opening_cell"]
    game.push(Move.place((0, 0), CROSS))
    assert game.turn == 1
    game.push(Move.place((1, 0), CROSS))
    assert game.turn == 1


def test_islands_remain_when_cards_are_taken() -> None:
    table = {**table_of(SQUARE), (2, 0): CROSS, (-1, 1): CROSS}
    game, face = before_last(table, (0, 1))
    game = Tronix.from_table({cell: f for cell, f in table.items() if cell != (0, 0)}, starter=0)
    game.push(Move.place((0, 0), face_with("ES", "green")))
    assert set(game.state.table) == {(2, 0), (-1, 1)}
    assert game.check(Move.place((3, 0), CROSS)) == []
    assert game.check(Move.place((-2, 1), CROSS)) == []
    assert face == table[0, 1]


def test_a_circuit_in_which_every_card_is_used_twice_awards_nobody_and_is_not_counted_again() -> None:
    deck = Deck.from_json(
        {
            "name": "knot", "size_mm": [50, 50],
            "ports": {side: [0.2, 0.4, 0.6, 0.8] for side in "NESW"},
            "cards": [{"id": "k", "count": 6, "front": "E.2E.4/E.6E.8", "back": "W.2W.8/W.4W.6"}],
        }
    )  # fmt: skip
    left, right = Face.parse("E.2E.4/E.6E.8"), Face.parse("W.2W.8/W.4W.6")
    game = Tronix(4, deck=deck, hand_sizes=[2, 1, 1, 1], starter=0)
    game.push(Move.place((0, 0), left))
    game.push(Move.place((1, 0), right))
    assert len(game.circuits) == 1
    assert len(game.state.scored) == 1
    assert totals(game) == (0, 0)
    assert len(game.state.table) == 2
    assert game.state.ended == "blocked", "neither card has a port left to connect to"


# Every face of the default deck has a port on each side, so any of 6 faces fits any free cell beside a card: 4 cells
# after one card, 6 after two. Whoever opens makes it twice (or four times) as many.
@pytest.mark.parametrize(
    ("players", "depth", "expected"), [(2, 1, 2 * 6), (2, 2, 2 * 6 * 24), (2, 3, 2 * 6 * 24 * 36), (4, 2, 4 * 6 * 24)]
)
def test_counted_trees(players: int, depth: int, expected: int) -> None:
    """The number of legal sequences from the first card; any change of behaviour shows here."""
    assert perft(Tronix(players), depth) == expected


# Two players: cross-cross and tall-left open with 4 faces. Then tall-right and wide-right, in either order: 3 faces
# remain after a crossing, 4 after a curve (which may be either), on 4 and 6 cells. Four players: one card each.
@pytest.mark.parametrize(("players", "expected"), [(2, 4 * 4 * 6 * (3 + 3 + 4 + 4)), (4, 2 * (3 * 4) * (3 * 6))])
def test_counted_trees_with_known_hands(players: int, expected: int) -> None:
    hands: list[list[str]] = [[] for _ in range(players)]
    for number, kind in enumerate(small_deck(4, 1).copies()):
        hands[number % players].append(kind.id)
    assert perft(Tronix(players, deck=small_deck(4, 1), hands=hands, starter=0), 3) == expected


def slow_game(table: dict[Cell, Face], deck: Deck, god: bool, islands: bool = True) -> Slow:
    faces = {cell: lines_of(face.lines) for cell, face in table.items()}
    cards = tuple(Card(cell, face, frozenset({face})) for cell, face in faces.items())
    return Slow(json.dumps(deck.to_json()), cards, god, islands)


CURVE = Face.parse("NE/SW")
THREE = {(0, 0): CROSS, (1, 0): CURVE, (2, 0): WIDE}
OPEN_SQUARE = {cell: face_with(line, "green") for cell, line in SQUARE.items() if cell != (1, 1)} | {(-1, 0): CROSS}


@pytest.mark.parametrize(
    ("table", "deck", "god", "islands", "expected", "slow_depth"),
    [
        pytest.param(THREE, Deck.default(), True, True, [111, 6478], 1, id="three in a row"),
        pytest.param(THREE, Deck.default(), True, False, [75, 2266], 2, id="three in a row, no islands"),
        pytest.param(OPEN_SQUARE, Deck.default(), False, True, [48, 2604], 1, id="a circuit to close"),
        pytest.param(OPEN_SQUARE | {(0, 2): WIDE}, Deck.default(), True, True, [277, 63690], 1, id="moving a circuit"),
        pytest.param(OPEN_SQUARE | {(0, 2): WIDE}, Deck.default(), True, False, [163], 1, id="moving, no islands"),
        pytest.param({(0, 0): CROSS, (1, 0): CURVE, (0, 1): CURVE}, small_deck(4, 1), True, True, [69, 2330], 2,
                     id="four cards that are known by what they showed"),
    ],
)  # fmt: skip
def test_counted_trees_on_a_table(
    table: dict[Cell, Face], deck: Deck, god: bool, islands: bool, expected: list[int], slow_depth: int
) -> None:
    """Both phases, both options, circuits and TRONIX on the way; the slow generator counts the same."""
    game = Tronix.from_table(table, god=god, deck=deck, rules=Rules(god_islands=islands), starter=0)
    assert [perft(game, depth + 1) for depth in range(len(expected))] == expected
    slow = slow_game(table, deck, god, islands)
    assert [slow.count(depth + 1) for depth in range(slow_depth)] == expected[:slow_depth]
