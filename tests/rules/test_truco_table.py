"""El Truco from one picture: tricks on the table, who took them, and what is wrong with them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from properties import never_crashes

from rules.game import RulesError
from rules.truco import DECK, Play, Truco, read_tricks


def test_a_finished_hand_in_order_of_play() -> None:
    reading = Truco.from_table([["5-oros", "6-oros"], ["4-copas", "7-copas"], ["10-copas", "10-oros"]])
    assert reading.violations == ()
    assert reading.winners == (0, 1, None)
    assert reading.winner == 0
    assert reading.to_play is None
    assert reading.tricks[1][0] == (0, DECK[13])
    json.dumps(reading.to_json())


def test_an_open_hand_says_who_plays() -> None:
    assert Truco.from_table([]).to_play == 1
    assert Truco.from_table([["5-oros"]]).to_play == 0
    reading = Truco.from_table([["5-oros", "6-oros"], ["4-copas"]])
    assert (reading.to_play, reading.winner, reading.winners) == (1, None, (0, None))
    assert Truco.from_table([["5-oros", "6-oros"], []]).to_play == 0


def test_cards_by_seat_need_no_order() -> None:
    one = read_tricks([[[1, "5-oros"], [0, "6-oros"]], [[1, "7-copas"], [0, "4-copas"]]])
    two = read_tricks(
        [[{"player": 0, "card": "6-oros"}, {"player": 1, "card": "5-oros"}], [[0, "4-copas"], [1, "7-copas"]]]
    )
    assert one == two
    assert one.violations == ()
    assert one.winners == (0, 1)


def test_other_board_of_four() -> None:
    assert read_tricks([["3-oros", "3-copas"], ["2-oros", "2-copas"], ["4-oros", "4-copas"]], 3, 2).winner == 2


@pytest.mark.parametrize(
    ("tricks", "expected"),
    [
        ([["8-oros", "6-oros"]], {"rank_not_used"}),
        ([["comodin"]], {"joker_not_used"}),
        ([["6-oros", "6-oros"]], {"card_seen"}),
        ([["6-oros", "7-oros"], ["6-oros"]], {"card_seen"}),
        ([["6-oros", "7-oros", "1-oros"]], {"third_card"}),
        ([["6-oros"], ["7-oros"]], {"trick_incomplete"}),
        ([[], ["7-oros"]], {"trick_incomplete"}),
        ([["6-oros", "7-oros"], ["3-oros", "2-oros"], ["1-oros"]], {"hand_over"}),
        ([["4-oros", "4-copas"]] * 1 + [["5-oros", "5-copas"], ["6-oros", "6-copas"], ["7-oros"]],
         {"too_many_tricks", "hand_over"}),
        ([[[0, "6-oros"]]], {"out_of_turn"}),
        ([[[1, "6-oros"], [1, "7-oros"]]], {"same_player_twice"}),
        ([[[2, "6-oros"]]], {"not_on_board"}),
        ([["6-oros", "7-oros"], [[1, "1-oros"]]], {"out_of_turn"}),
    ],
)  # fmt: skip
def test_illegal_tables(tricks: Any, expected: set[str]) -> None:
    reading = read_tricks(tricks)
    assert {v.code for v in reading.violations} == expected
    assert reading.winner is None
    assert reading.to_play is None


def test_all_problems_are_named_and_later_tricks_still_read() -> None:
    reading = read_tricks([["8-oros", "9-oros", "comodin"], ["7-oros", "6-oros"]])
    assert [v.code for v in reading.violations] == ["rank_not_used", "rank_not_used", "joker_not_used", "third_card"]
    assert [len(trick) for trick in reading.tricks] == [3, 2]
    assert reading.violations[0].where == {"trick": 0, "card": "8-oros"}


def test_a_reading_agrees_with_the_game() -> None:
    for seed in range(60):
        rng = Random(seed)
        game = Truco(dealer=seed % 2)
        while not game.deal_over:
            game.push(rng.choice([move for move in game.legal_moves if isinstance(move, Play)]))
            board = game.state.boards[0]
            by_seat = read_tricks([list(trick) for trick in board.tricks], board.lead, board.postre)
            in_order = read_tricks([[str(c) for _, c in t] for t in board.tricks], board.lead, board.postre)
            assert by_seat == in_order
            assert by_seat.violations == ()
            assert by_seat.winner == board.winner
            assert by_seat.to_play == game.turn
            assert by_seat.tricks == board.tricks


def test_bad_input() -> None:
    never_crashes(read_tricks)
    never_crashes(lambda v: read_tricks([v]))
    never_crashes(lambda v: read_tricks([[v]]))
    never_crashes(lambda v: read_tricks([[[v, "7-oros"]]]))
    never_crashes(lambda v: read_tricks([[[1, v]]]))
    never_crashes(lambda v: read_tricks([[{"player": 1, "card": v}]]))
    never_crashes(lambda v: read_tricks([], lead=v))
    never_crashes(lambda v: read_tricks([], postre=v))
    for lead, postre in ((1, 1), (4, 0), (True, 0)):
        with pytest.raises(RulesError):
            read_tricks([], lead, postre)
