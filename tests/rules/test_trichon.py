"""Trichón as the rulebook and its rulings say, case by case."""

import pytest
from properties import perft

from rules.game import IllegalMove, RulesError
from rules.trichon import Play, Rules, Trichon, parse_cell
from rules.trichon.cards import ALL_CELLS, ALL_LINES

FIGURE = ["E2", "C1", "C5", "C6", "C11", "O1", "O2", "O3", "O10", "B1", "B9"]


def played(*plays: str, rules: Rules | None = None, first: int = 0) -> Trichon:
    game = Trichon(first, rules)
    for text in plays:
        game.push(game.parse_move(text))
    return game


def codes(game: Trichon, text: str) -> list[str]:
    return [violation.code for violation in game.check(game.parse_move(text))]


def the_figure() -> Trichon:
    """Green (A) holds C1-O1-B1; red (B) is to play the 7 of copas."""
    return played(
        "A C1", "B C5", "A B1", "B C6", "A O1 =C1-O1-B1", "B E2", "A O2", "B O3", "A C11", "B O10", "A B9"
    )  # fmt: skip


def test_figure_red_completes_copas() -> None:
    game = the_figure()
    assert {str(cell) for cell in game.state.marks} == set(FIGURE)
    game.push(game.parse_move("B C7"))
    assert game.format_move(game.peek()) == "B C7 =C5-C6-C7"
    assert [s.total for s in game.score()] == [1, 1]
    assert game.score()[1].lines[0].cause == "line C5-C6-C7"
    assert {str(cell) for cell in game.state.marks} == {*FIGURE, "C7"}


def test_figure_claimed_cell_serves_no_other_line() -> None:
    """O1-O2-O3 is no line: O1 belongs to C1-O1-B1 (so laying O3 claimed nothing, and nobody may claim it now)."""
    game = the_figure()
    assert game.moves[7].lines == ()
    assert codes(game, "B C7 =O1-O2-O3") == ["line_claimed", "line_without_card"]
    position = Trichon.from_table([*FIGURE, "7-copas"], [(0, "C1-O1-B1")])
    assert position.violations == []
    assert [line.points for line in position.lines] == [1]
    assert position.open_lines == (tuple(map(parse_cell, ("C5", "C6", "C7"))),)
    assert position.lines_of("C7") == position.open_lines
    assert position.lines_of("E2") == ()


def test_board_has_64_lines_and_no_diagonal_or_wrap() -> None:
    assert len(ALL_CELLS) == 48
    assert len(ALL_LINES) == len(set(ALL_LINES)) == 4 * 10 + 2 * 12
    for text in ("E1-C2-O3", "E11-E12-E1", "O1-B1-E1", "C1-C2-C4"):
        game = played("A E1", "B E12")
        assert "line_not_straight" in codes(game, f"A E11 ={text}")


def test_stock_counts_and_penalty_draws() -> None:
    game = Trichon()
    assert game.state.stock == 41
    assert [hand.size for hand in game.state.hands] == [5, 4]
    game = played("A C1", "B C2")
    assert game.state.stock == 39
    game.push(game.parse_move("A C3"))
    assert game.state.stock == 36
    assert [hand.size for hand in game.state.hands] == [4, 7]
    game.push(game.parse_move("B E9"))
    assert game.state.stock == 35


def test_game_ends_when_the_player_to_draw_cannot() -> None:
    game = Trichon(1, Rules(must_claim=False))
    while game.outcome() is None:
        quiet = (m for m in game.legal_moves if not m.lines and not m.cards[0].joker)
        game.push(next(quiet))
    assert game.state.stock == 0
    assert len(game.moves) == 42
    assert game.outcome().reason == "stock_empty"
    assert game.outcome().winners == (0, 1)
    assert game.turn is None
    assert "game_over" in codes(game, "A B12")
    assert not game.legal_moves


def test_penalty_that_the_stock_cannot_supply_ends_the_game() -> None:
    game = Trichon(rules=Rules(must_claim=False))
    while game.state.stock > 2:
        game.push(next(m for m in game.legal_moves if not m.lines and not m.cards[0].joker))
    game.push(next(m for m in game.legal_moves if m.lines))
    assert game.state.stock == 2
    assert game.outcome().reason == "stock_empty"
    assert len(game.outcome().winners) == 1


def test_one_card_that_completes_two_lines_needs_a_choice() -> None:
    game = played("A C5", "B C6", "A E7", "B O7")
    assert codes(game, "A C7") == ["line_not_named"]
    assert codes(game, "A C7 =C5-C6-C7") == []
    assert codes(game, "A C7 =E7-C7-O7") == []
    assert codes(game, "A C7 =C5-C6-C7 =E7-C7-O7") == ["second_line"]
    assert len(game.lines_for(["C7"])) == 2


@pytest.mark.parametrize("must_claim", [True, False])
def test_option_must_claim(must_claim: bool) -> None:
    game = played("A C5", "B C6", rules=Rules(must_claim=must_claim))
    assert codes(game, "A C7") == []
    game.push(game.parse_move("A C7"))
    assert len(game.peek().lines) == must_claim
    assert game.score()[0].total == must_claim
    again = Trichon.parse_game(game.format_game())
    assert again.rules.must_claim == must_claim
    two = played("A C5", "B C6", "A E7", "B O7", rules=Rules(must_claim=must_claim))
    assert codes(two, "A C7") == (["line_not_named"] if must_claim else [])


def test_declined_line_needs_a_new_card_later() -> None:
    game = played("A C5", "B C6", "A C7", rules=Rules(must_claim=False))
    assert codes(game, "B E1 =C5-C6-C7") == ["line_without_card"]
    assert codes(game, "B C8 =C5-C6-C7") == ["line_without_card"]
    assert codes(game, "B C8 =C6-C7-C8") == []


def test_several_cards_must_all_be_in_the_claimed_line() -> None:
    game = played("A C5")
    assert codes(game, "B C6 C7") == []
    assert codes(game, "B C6 C7 =C5-C6-C7") == []
    assert codes(game, "B E1 E2 E3") == []
    assert codes(game, "B C6 E1") == ["cards_not_in_line"]
    assert codes(game, "B E1 E2") == ["cards_not_in_line"]
    assert codes(game, "B C6 C7 E1 =C5-C6-C7") == ["cards_not_in_line", "line_without_card"]
    assert "too_many_cards" in codes(game, "B C6 C7 C8 C9 =C6-C7-C8")
    game.push(game.parse_move("B E1 E2 E3"))
    assert game.state.hands[1].size == 2
    assert game.score()[1].total == 1
    two = played("A C5", "B C8")
    assert codes(two, "A C6 C7") == ["line_not_named"]
    assert codes(two, "A C6 C7 =C6-C7-C8") == []


def test_lone_extra_card_is_out_of_turn() -> None:
    assert codes(played("A C5"), "A C6") == ["out_of_turn"]


def test_hand_too_small_for_three_cards() -> None:
    game = played("A E1 E2 E3", "B B1", "A C1 C2 C3", "B B12")
    assert game.state.hands[0].size == 1
    assert codes(game, "A O4 O5 O6") == ["not_in_hand"]
    assert codes(game, "A O4") == []
    assert all(len(move.cards) == 1 for move in game.legal_moves)


def test_comodin_marks_a_named_cell_and_the_real_card_is_dead() -> None:
    game = played("A *C7", "B C5")
    assert codes(game, "A *C7") == ["cell_marked"]
    assert codes(game, "A *C5") == ["cell_marked"]
    game.push(game.parse_move("A C7"))  # dead
    assert len(game.state.marks) == 2
    assert game.state.marks[parse_cell("C7")] is True
    assert codes(game, "B C7") == ["card_played"]
    game.push(game.parse_move("B C6 =C5-C6-C7"))
    assert game.score()[1].total == 1
    game.push(game.parse_move("A *E1"))
    assert codes(game, "B *E2") == ["too_many_jokers"]


def test_dead_card_completes_nothing() -> None:
    game = played("A *C7", "B C5", "A C6", rules=Rules(must_claim=False))
    assert codes(game, "B C7 =C5-C6-C7") == ["line_without_card"]
    assert codes(game, "B C7 C8") == ["cards_not_in_line"]
    assert codes(game, "B C7 C8 =C6-C7-C8") == ["cards_not_in_line"]


def test_repeated_cards_in_one_play() -> None:
    game = played("A C5")
    assert codes(game, "B C6 *C6 =C5-C6-C7") == ["cell_marked", "cards_not_in_line", "line_unmarked"]
    assert "card_repeated" in codes(game, "B C6 C6")
    assert "card_played" in codes(game, "B C5")
    assert "line_unmarked" in codes(game, "B C6 =C5-C6-C7")


def test_every_violation_at_once() -> None:
    game = played("A C1", "B C2", "A C3 =C1-C2-C3")
    assert codes(game, "A C1 =C1-C2-C4 =O1-O2-O3") == [
        "out_of_turn", "card_played", "second_line", "line_not_straight", "line_unmarked", "line_claimed",
        "line_without_card", "line_unmarked", "line_without_card",
    ]  # fmt: skip
    with pytest.raises(IllegalMove, match="not A's turn"):
        game.push(Play(0, ("E1",)))


def test_open_hands_forbid_what_they_do_not_hold() -> None:
    hands = [["1-copas", "2-copas", "3-copas", "comodin"], ["1-oros", "2-oros", "3-oros", "4-oros"]]
    game = Trichon(hands=hands, stock=["12-bastos", "11-bastos"])
    assert codes(game, "A C1") == []
    assert codes(game, "A B12") == []
    assert codes(game, "A O1") == ["not_in_hand"]
    assert codes(game, "A B11") == ["not_in_hand"]
    assert codes(game, "A C1 *C2 C3") == []
    assert codes(game, "A *C1 *C2 C3") == ["not_in_hand"]
    assert game.legal_moves.count() == 4 + 48 + sum(1 for m in game.legal_moves if len(m.cards) > 1)
    half = Trichon(hands=[hands[0], None])
    assert codes(half, "A O1") == []  # the drawn card is unknown
    assert codes(half, "A O1 O2 O3") == ["not_in_hand"]
    half.push(half.parse_move("A C1"))
    assert codes(half, "B C2") == ["not_in_hand"]
    assert codes(half, "B *C2") == []
    assert codes(half, "B *C2 *C3") == ["not_in_hand"]


def test_only_comodines_left_and_no_cell_for_them() -> None:
    """All 48 cells are marked and the player holds a comodín alone: nothing can be played."""
    game = Trichon()
    cells = {cell: cell == parse_cell("B12") for cell in ALL_CELLS}
    played_cards = frozenset(set(ALL_CELLS) - {parse_cell("B12")})
    hands = (game.state.hands[0]._replace(unknown=0), game.state.hands[1]._replace(known=("B12",), unknown=0))
    state = type(game.state)(0, cells, played_cards, 1, {}, hands, 1, ("comodin",))
    assert game._draw(state, 1).end == "no_play"


def test_dealt_cards_are_checked() -> None:
    hand = ["1-copas", "2-copas", "3-copas", "comodin"]
    for wrong in ([hand, hand], [hand[:3], None], [hand], [["comodin"] * 4, None]):
        with pytest.raises(RulesError):
            Trichon(hands=wrong)
    with pytest.raises(RulesError, match="42"):
        Trichon(stock=[cell.label for cell in ALL_CELLS])
    with pytest.raises(RulesError, match="too often"):
        Trichon(hands=[hand, None], stock=["1-copas"])
    with pytest.raises(RulesError, match="truco"):
        Trichon.from_setup({"game": "truco"})


def test_position_names_what_is_wrong() -> None:
    position = Trichon.from_table(
        ["C1", "C1", "*C2", "*C2", "comodin", "C3", "E1", "E2", "2-copas"],
        [(0, "C1-C2-C3"), (1, "C3-O3-B3"), (1, "E1-C2-E3")],
    )
    found = [violation.code for violation in position.violations]
    assert found == [
        "card_played", "cell_marked", "joker_unnamed", "too_many_jokers", "line_unmarked", "line_claimed",
        "line_not_straight", "line_unmarked", "line_claimed",
    ]  # fmt: skip
    assert [str(cell) for cell in position.dead] == ["C2"]
    assert [(line.player, line.points) for line in position.lines] == [(0, 1)]
    assert position.draw().startswith("<svg")


def test_drawing_shows_marks_comodines_and_lines() -> None:
    game = played("A *C1", "B C2", "A C3")
    svg = game.draw()
    assert svg.count("<rect") == 48
    assert svg.count("★") == 1
    assert "C1-C2-C3" in svg
    assert "currentColor" in svg


def test_counted_trees() -> None:
    """Legal sequences from fixed deals; a changed figure means changed rules."""
    hands = [["1-copas", "2-copas", "3-copas", "5-espadas"], ["1-oros", "2-oros", "4-copas", "1-bastos"]]
    game = Trichon(hands=hands, stock=["12-bastos", "3-oros", "5-copas", "4-oros", "6-copas", "7-copas"])
    # 5 cards and a triple; then 6 for each (O1 B1 beside C1 too), and 9 after the penalty of 3 cards.
    assert [perft(game, depth) for depth in range(1, 4)] == [6, 40, 391]
    # 48 cards, 48 cells for a comodín, and 64 lines with 0, 1 or 2 comodines among their three cards.
    assert perft(Trichon(), 1) == 48 + 48 + 64 * 7
