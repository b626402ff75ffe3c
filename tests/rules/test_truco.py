"""El Truco: the rulebook's eight opciones, the ladder of bids, toros and coins, two boards, random matches."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from properties import bad_inputs, game_properties, never_crashes, perft

from rules.game import IllegalMove, NotationError, RulesError
from rules.truco import DECK, LEVELS, WORDS, Card, Coins, Deal, Play, Rules, Say, Truco, coins, hand_winner
from rules.truco.words import SENTENCES


def play(game: Truco, *moves: str) -> Truco:
    for move in moves:
        game.push(game.parse_move(move))
    return game


def codes(game: Truco, move: str) -> set[str]:
    return {v.code for v in game.check(game.parse_move(move))}


def totals(game: Truco) -> tuple[int, ...]:
    return tuple(score.total for score in game.score())


# -- the eight opciones: A (seat 0) deals, B (seat 1) leads -----------------------------------------------------------

CUTS_TWICE = ["1 5-oros", "0 6-oros", "0 4-copas", "1 7-copas", "1 10-copas"]
FROM_MALAS = ["1 12-oros", "0 4-oros", "1 5-copas", "0 7-copas", "0 10-copas"]
ONE_TIE = ["1 12-oros", "0 12-copas", "1 6-bastos"]
TWO_TIES = ["1 12-oros", "0 12-copas", "1 6-bastos", "0 6-oros", "1 11-oros"]

#: name: (moves up to the decision, who decides, the cards left to them, whether playing those wins)
OPTIONS: dict[str, tuple[list[str], int, list[str], bool]] = {
    "opcion_1_igual": (CUTS_TWICE, 0, ["10-oros"], True),
    "opcion_1_superior": (CUTS_TWICE, 0, ["3-oros"], True),
    "opcion_2": (CUTS_TWICE, 0, ["7-oros"], False),
    "opcion_3_igual": (FROM_MALAS, 1, ["10-oros"], True),
    "opcion_3_superior": (FROM_MALAS, 1, ["1-oros"], True),
    "opcion_4": (FROM_MALAS, 1, ["7-oros"], False),
    "opcion_5": (ONE_TIE, 0, ["7-bastos", "4-oros"], True),
    "opcion_6": (ONE_TIE, 0, ["5-bastos", "4-oros"], False),
    "opcion_7_igual": (TWO_TIES, 0, ["11-copas"], True),
    "opcion_7_superior": (TWO_TIES, 0, ["2-copas"], True),
    "opcion_8": (TWO_TIES, 0, ["10-copas"], False),
}


@pytest.fixture(params=OPTIONS, ids=str)
def opcion(request: pytest.FixtureRequest) -> tuple[Truco, int, str, int]:
    moves, who, cards, wins = OPTIONS[request.param]
    return play(Truco(), *moves), who, f"{who} {cards[0]}", who if wins else 1 - who


def award(winner: int, points: int) -> tuple[int, int]:
    return (points, 0) if winner == 0 else (0, points)


def test_opcion_played_out_without_a_bid(opcion: tuple[Truco, int, str, int]) -> None:
    game, _, card, winner = opcion
    assert totals(play(game, card)) == award(winner, 1)
    assert game.deal_over
    assert game.turn is None


def test_opcion_given_up(opcion: tuple[Truco, int, str, int]) -> None:
    game, who, _, _ = opcion
    assert totals(play(game, f"{who} me-voy")) == award(1 - who, 1)
    assert game.score()[1 - who].lines[0].cause == "mano conceded"


@pytest.mark.parametrize(("bid", "accepted", "refused"), [(1, 3, 1), (2, 6, 3), (3, 9, 6), (4, 18, 9)])
def test_opcion_with_each_bid(opcion: tuple[Truco, int, str, int], bid: int, accepted: int, refused: int) -> None:
    """The player who decides bids, the rival raises while answering, and so on up to `bid`."""
    game, who, card, winner = opcion
    for level in range(1, bid + 1):
        speaker = who if level % 2 else 1 - who
        play(game, f"{speaker} {LEVELS[level]}")
    listener = 1 - speaker
    assert game.turn == listener
    play(game, f"{listener} no-quiero")
    assert totals(game) == award(speaker, refused)
    assert game.score()[speaker].lines[-1].cause == f"{LEVELS[bid]} refused"
    game.pop()
    play(game, f"{listener} quiero")
    assert game.turn == who
    play(game, f"{who} me-voy")
    assert totals(game) == award(1 - who, accepted)
    game.pop()
    play(game, card)
    assert totals(game) == award(winner, accepted)
    assert game.score()[winner].lines[-1].cause == LEVELS[bid]
    assert game.tally()[winner].toros == (1 if bid == 4 else 0)


def test_opcion_6_a_second_tie_goes_on_to_the_third_trick() -> None:
    game = play(Truco(), *ONE_TIE, "0 6-oros")
    assert not game.deal_over
    assert game.turn == 1
    assert game.hand_sizes == (1, 1)


# -- tricks --------------------------------------------------------------------------------------------------------


def test_ranks_from_high_to_low() -> None:
    by_strength = sorted({c.rank for c in DECK}, key=lambda r: -Card(r, "oros").strength)
    assert by_strength == [3, 2, 1, 12, 11, 10, 7, 6, 5, 4]
    assert len(DECK) == 40


@pytest.mark.parametrize(
    ("results", "winner"),
    [
        ([], None), ([1], None), ([None], None), ([0, 0], 0), ([1, 1], 1), ([1, None], 1), ([0, None], 0),
        ([0, 1], None), ([None, 1], 1), ([None, 0], 0), ([None, None], None), ([0, 1, 1], 1), ([0, 1, 0], 0),
        ([0, 1, None], 0), ([1, 0, None], 1), ([None, None, 1], 1), ([None, None, 0], 0), ([None, None, None], 0),
    ],
)  # fmt: skip
def test_who_takes_the_hand(results: list[int | None], winner: int | None) -> None:
    assert hand_winner(results, postre=0) == winner


def test_three_ties_go_to_whoever_is_de_postre() -> None:
    assert hand_winner([None] * 3, postre=3) == 3
    for dealer in (0, 1):
        b = 1 - dealer
        game = Truco(dealer=dealer)
        play(game, f"{b} 3-oros", f"{dealer} 3-copas", f"{b} 2-oros", f"{dealer} 2-copas", f"{b} 4-oros")
        assert totals(play(game, f"{dealer} 4-copas")) == award(dealer, 1)


def test_the_winner_leads_and_after_a_tie_the_same_player() -> None:
    game = play(Truco(), "1 4-oros", "0 3-oros")
    assert game.turn == 0
    game = play(Truco(), "1 4-oros", "0 4-copas")
    assert game.turn == 1
    play(game, "1 5-oros", "0 5-copas")
    assert game.turn == 1


# -- bids ----------------------------------------------------------------------------------------------------------


def test_either_player_may_say_truco_on_their_turn() -> None:
    assert codes(Truco(), "1 truco") == set()
    assert codes(Truco(), "0 truco") == {"out_of_turn"}
    game = play(Truco(), "1 4-oros")
    assert codes(game, "0 truco") == set()
    assert codes(game, "1 truco") == {"out_of_turn"}


def test_a_raise_belongs_to_the_side_that_accepted() -> None:
    game = play(Truco(), "1 truco", "0 quiero")
    assert codes(game, "1 retruco") == {"bid_wrong_side"}
    assert codes(game, "0 retruco") == {"out_of_turn"}
    play(game, "1 4-oros")
    assert codes(game, "0 retruco") == set()
    play(game, "0 retruco", "1 quiero")
    assert codes(game, "0 para-nueve") == {"bid_wrong_side"}
    play(game, "0 5-oros", "0 3-oros")
    assert codes(game, "1 para-nueve") == set()
    play(game, "1 para-nueve", "0 quiero")
    play(game, "1 3-copas")
    assert totals(game) == (9, 0)  # the tie in the second trick goes to the winner of the first


def test_raise_later_then_para_el_toro_later() -> None:
    game = play(Truco(), "1 truco", "0 retruco", "1 para-nueve", "0 quiero", "1 4-oros")
    assert codes(game, "0 para-el-toro") == set()
    play(game, "0 para-el-toro", "1 quiero")
    assert codes(game, "0 para-el-toro") == {"bid_out_of_order", "bid_wrong_side"}
    assert all(not isinstance(m, Say) or m.word == "me-voy" for m in game.legal_moves)
    play(game, "0 5-oros", "0 5-copas", "1 4-copas")
    assert game.tally()[0].toros == 1


@pytest.mark.parametrize("word", ["retruco", "para-nueve", "para-el-toro"])
def test_bids_come_in_order(word: str) -> None:
    assert codes(Truco(), f"1 {word}") == {"bid_out_of_order"}
    assert codes(play(Truco(), "1 truco", "0 quiero"), "1 truco") == {"bid_out_of_order", "bid_wrong_side"}


def test_a_pending_bid_must_be_answered_first() -> None:
    game = play(Truco(), "1 truco")
    assert codes(game, "1 4-oros") == {"bid_pending"}
    assert codes(game, "0 4-oros") == {"bid_pending", "out_of_turn"}
    assert codes(game, "0 me-voy") == {"bid_pending"}
    assert codes(game, "1 quiero") == {"own_bid"}
    assert codes(game, "1 no-quiero") == {"own_bid"}
    assert codes(game, "1 retruco") == {"own_bid"}
    assert codes(game, "0 para-nueve") == {"bid_out_of_order"}
    assert {str(m) for m in game.legal_moves} == {"0 quiero", "0 no-quiero", "0 retruco"}
    play(game, "0 retruco", "1 para-nueve", "0 para-el-toro")
    assert {str(m) for m in game.legal_moves} == {"1 quiero", "1 no-quiero"}
    message = game.check(game.parse_move("1 truco"))[0]
    assert message.code == "bid_out_of_order"
    assert "—" in message.en


def test_answers_need_a_bid() -> None:
    for word in ("quiero", "no-quiero"):
        assert codes(Truco(), f"1 {word}") == {"no_bid"}
    assert codes(Truco(), "0 me-voy") == {"out_of_turn"}


# -- illegal cards -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "move", "expected"),
    [
        ([], "1 8-oros", {"rank_not_used"}),
        ([], "1 9-bastos", {"rank_not_used"}),
        ([], "1 comodin", {"joker_not_used"}),
        ([], "0 7-oros", {"out_of_turn"}),
        (["1 7-oros"], "0 7-oros", {"card_seen"}),
        (["1 7-oros"], "1 6-oros", {"out_of_turn"}),
        (["1 7-oros", "0 6-oros"], "0 5-oros", {"out_of_turn", "third_card"}),
        (["1 7-oros", "0 6-oros"], "0 7-oros", {"out_of_turn", "third_card", "card_seen"}),
        (["1 7-oros", "0 6-oros"], "0 comodin", {"out_of_turn", "third_card", "joker_not_used"}),
        (["1 7-oros", "0 6-oros", "1 3-oros", "0 4-oros"], "1 1-oros", {"hand_over", "third_card"}),
        (["1 me-voy"], "0 truco", {"hand_over"}),
        (["1 me-voy"], "0 7-oros", {"hand_over"}),
        (["1 7-oros"], "deal", {"deal_not_over"}),
        (["1 me-voy"], "deal 1-oros,2-oros,3-oros", {"hands_count"}),
        (["1 me-voy"], "deal 1-oros,2-oros/?", {"hand_size"}),
        (["1 me-voy"], "deal 1-oros,2-oros,3-oros/1-oros,1-copas,8-oros", {"card_repeated", "rank_not_used"}),
    ],
)
def test_illegal(before: list[str], move: str, expected: set[str]) -> None:
    game = play(Truco(), *before)
    assert codes(game, move) == expected
    with pytest.raises(IllegalMove) as caught:
        game.push(game.parse_move(move))
    assert {v.code for v in caught.value.violations} == expected
    assert len(game.moves) == len(before)


def test_sentences_name_the_card_and_the_player() -> None:
    seen = play(Truco(), "1 7-oros").check(Play(0, Card(7, "oros")))[0]
    assert seen.message("es") == "El 7-oros ya se ha visto en este reparto (jugador 1)."
    assert seen.message() == "7-oros has been seen before in this deal (player 1)."
    assert seen.where == {"board": 0, "player": 0, "card": "7-oros"}


def test_every_code_has_both_languages() -> None:
    for code, (es, en) in SENTENCES.items():
        assert code == code.lower()
        assert es
        assert en
        assert es != en


# -- supplied hands ------------------------------------------------------------------------------------------------

HANDS = [["1-oros", "2-oros", "3-oros"], ["4-oros", "5-oros", "6-oros"]]


def test_hands_restrict_cards() -> None:
    game = Truco(hands=HANDS)
    assert codes(game, "1 7-oros") == {"not_in_hand"}
    assert codes(game, "1 1-oros") == {"not_in_hand", "in_other_hand"}
    assert [str(m) for m in game.legal_moves] == ["1 4-oros", "1 5-oros", "1 6-oros", "1 truco", "1 me-voy"]
    play(game, "1 4-oros", "0 3-oros", "0 2-oros", "1 5-oros")
    assert totals(game) == (1, 0)
    play(game, "deal")
    assert game.state.hands == (None, None)


def test_a_hand_known_for_one_player_alone() -> None:
    game = Truco(hands=[HANDS[0], None])
    assert codes(game, "1 1-oros") == {"in_other_hand"}
    assert codes(game, "1 7-oros") == set()
    assert game.legal_moves.count() == 37 + 2


def test_a_deal_can_bring_hands() -> None:
    game = play(Truco(), "1 me-voy", "deal ?/4-oros,5-oros,6-oros")
    assert game.state.dealer == 1
    assert game.turn == 0
    play(game, "0 7-oros")
    assert codes(game, "1 1-oros") == {"not_in_hand"}
    assert Truco.parse_game(game.format_game()).state == game.state


def test_bad_hands_are_refused_at_the_start() -> None:
    with pytest.raises(IllegalMove) as caught:
        Truco(hands=[["1-oros", "1-oros"], ["comodin", "9-oros", "2-oros"], None])
    found = {v.code for v in caught.value.violations}
    assert found == {"hands_count", "hand_size", "card_repeated", "joker_not_used", "rank_not_used"}


# -- toros, coins, deals -------------------------------------------------------------------------------------------


def give(game: Truco, side: int, points: int) -> None:
    """Let a side of a two-player match win a whole hand by a bid that the rival refuses."""
    level = {1: 1, 3: 2, 6: 3, 9: 4}[points]
    b = 1 - game.state.dealer
    speaker = b if (level % 2 == 1) == (b == side) else 1 - b
    if speaker != b:
        play(game, f"{b} 4-oros")
    for step in range(1, level + 1):
        play(game, f"{speaker if step % 2 else 1 - speaker} {LEVELS[step]}")
    play(game, f"{1 - side} no-quiero")
    if game.outcome() is None:
        play(game, "deal")


@pytest.mark.parametrize("points", [1, 3, 6, 9])
@pytest.mark.parametrize("side", [0, 1])
def test_give(side: int, points: int) -> None:
    game = Truco()
    give(game, side, points)
    assert totals(game) == award(side, points)


def test_a_toro_is_18_and_the_surplus_is_lost() -> None:
    game = Truco()
    for points in (9, 6):
        give(game, 0, points)
    give(game, 1, 3)
    assert [t.tantos for t in game.tally()] == [15, 3]
    assert totals(game) == (15, 3)
    give(game, 0, 6)
    assert [(t.toros, t.tantos) for t in game.tally()] == [(1, 0), (0, 0)]
    assert totals(game) == (18, 0)
    assert [(line.cause, line.points) for line in game.score()[0].lines[-2:]] == [
        ("para-nueve refused", 6), ("surplus", -3),
    ]  # fmt: skip
    assert [(line.cause, line.points) for line in game.score()[1].lines] == [("retruco refused", 3), ("toro lost", -3)]


def test_exactly_18_leaves_no_surplus_line() -> None:
    game = Truco()
    for _ in range(2):
        give(game, 1, 9)
    assert [line.cause for line in game.score()[1].lines] == ["para-el-toro refused"] * 2
    assert game.score()[0].lines == ()
    assert game.tally()[1].toros == 1


def test_17_is_not_a_toro() -> None:
    game = Truco()
    for points in (9, 6, 1, 1):
        give(game, 0, points)
    assert game.tally()[0].to_json() == {
        "team": 0, "toros": 0, "tantos": 17, "coins": {"half": "buenas", "big": 2, "small": 2},
    }  # fmt: skip


@pytest.mark.parametrize("toros", [1, 2, 3])
def test_option_toros_ends_the_match(toros: int) -> None:
    game = Truco(rules=Rules(toros=toros))
    for _ in range(2 * toros - 1):
        give(game, 1, 9)
        assert game.outcome() is None
    give(game, 1, 9)
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.to_json() == {"winners": [1], "totals": [0, 18 * toros], "reason": "toros"}
    assert game.turn is None
    assert game.acting == ()
    assert not game.legal_moves
    assert codes(game, "deal") == {"game_over"}
    assert "game_over" in codes(game, "0 4-oros")


def test_default_is_three_toros() -> None:
    assert Rules().toros == 3
    assert Truco().rules == Rules(3)


@pytest.mark.parametrize(
    ("tantos", "half", "big", "small"),
    [(0, "malas", 0, 0), (1, "malas", 0, 1), (5, "malas", 1, 2), (9, "malas", 3, 0), (10, "buenas", 0, 1),
     (14, "buenas", 1, 2), (17, "buenas", 2, 2), (18, "buenas", 3, 0)],
)  # fmt: skip
def test_coins(tantos: int, half: str, big: int, small: int) -> None:
    assert coins(tantos) == Coins(half, big, small)


def test_coins_never_need_more_than_the_box_has() -> None:
    assert all(coins(t).big <= 4 and coins(t).small <= 4 for t in range(19))
    never_crashes(coins)
    for wrong in (-1, 19, True, 2.0, "3"):
        with pytest.raises(RulesError):
            coins(wrong)  # type: ignore[arg-type]


def test_the_deal_alternates_and_the_cards_come_back() -> None:
    game = play(Truco(), "1 7-oros", "0 me-voy")
    assert codes(game, "1 7-copas") == {"hand_over"}
    assert [str(m) for m in game.legal_moves] == ["deal"]
    play(game, "deal")
    assert (game.state.dealer, game.turn) == (1, 0)
    assert codes(game, "0 7-oros") == set()


# -- four players --------------------------------------------------------------------------------------------------


def test_two_boards_at_once() -> None:
    game = Truco(4, dealer=0)
    assert [b.seats for b in game.state.boards] == [(1, 0), (3, 2)]
    assert game.turn is None
    assert game.acting == (1, 3)
    play(game, "3 3-oros", "1 4-oros", "2 2-oros")
    assert codes(game, "0 3-oros") == {"card_seen"}
    play(game, "0 5-oros", "3 3-copas", "2 2-copas")
    assert totals(game) == (0, 1)
    assert game.turn == 0
    play(game, "0 6-oros", "1 7-oros", "1 7-copas", "0 6-copas")
    assert totals(game) == (0, 2)
    assert game.hand_sizes == (0, 0, 1, 1)


def test_bids_stay_on_their_board() -> None:
    game = play(Truco(4), "1 truco")
    assert codes(game, "3 4-oros") == set()
    assert codes(game, "3 truco") == set()
    assert codes(game, "2 quiero") == {"no_bid"}


def test_one_board_after_the_other_scores_the_same() -> None:
    one = ["1 4-oros", "0 5-oros", "0 6-oros", "1 7-oros", "1 7-copas", "0 6-copas"]
    two = ["3 3-oros", "2 2-oros", "3 3-copas", "2 2-copas"]
    first, second = play(Truco(4), *one, *two), play(Truco(4), *two, *one)
    assert totals(first) == totals(second) == (0, 2)


def test_the_deal_passes_to_the_right() -> None:
    game = Truco(4, dealer=2)
    for dealer in (2, 3, 0, 1, 2):
        assert game.state.dealer == dealer
        leads = [board.lead for board in game.state.boards]
        assert leads == [(dealer + 1) % 4, (dealer + 3) % 4]
        play(game, f"{leads[0]} me-voy", f"{leads[1]} me-voy", "deal")


def test_a_hand_that_wins_the_toro_voids_the_other() -> None:
    game = play(Truco(4), "1 4-oros", "3 truco")
    play(
        game, "0 truco", "1 retruco", "0 para-nueve", "1 para-el-toro", "0 quiero", "0 3-oros", "0 3-copas", "1 2-oros"
    )
    assert [(t.toros, t.tantos) for t in game.tally()] == [(1, 0), (0, 0)]
    assert game.state.boards[1].ended == "void"
    assert codes(game, "2 quiero") == {"hand_void"}
    assert codes(game, "3 7-oros") == {"hand_void"}
    assert [str(m) for m in game.legal_moves] == ["deal"]
    assert "mano nula" in game.draw()


def test_a_hand_finished_before_the_toro_keeps_its_points() -> None:
    game = play(Truco(4), "3 me-voy", "1 truco", "0 retruco", "1 para-nueve", "0 para-el-toro", "1 quiero", "1 me-voy")
    assert game.state.boards[1].ended == "conceded"
    lines = [(line.cause, line.points) for line in game.score()[0].lines]
    assert lines == [("mano conceded", 1), ("para-el-toro conceded", 17)]
    assert totals(game) == (18, 0)


def test_seats_that_do_not_exist() -> None:
    with pytest.raises(RulesError):
        Truco(2).check(Play(2, Card(7, "oros")))
    assert Play(3, Card(7, "oros")) in Truco(4).legal_moves
    assert Play(3, Card(7, "oros")) not in Truco(2).legal_moves


# -- notation, bad input, pictures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["0 7-copas", "3 12-oros", "1 comodin", *(f"2 {word}" for word in WORDS), "deal", "deal ?/?",
     "deal 1-bastos,2-copas,3-oros/?"],
)  # fmt: skip
def test_moves_print_and_parse(text: str) -> None:
    game = Truco()
    assert game.format_move(game.parse_move(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "0", "4 7-copas", "0  7-copas", "0 13-oros", "0 07-oros", "0 7-oro", "deal ", "deal 1-oros;2-oros", "0 Truco",
     "0 truco\n", " 0 truco", "-1 truco", "٣ truco"],
)  # fmt: skip
def test_unknown_notation(text: str) -> None:
    with pytest.raises(NotationError):
        Truco().parse_move(text)


@pytest.mark.parametrize("players", [2, 4])
def test_bad_input(players: int) -> None:
    game = Truco(players, dealer=1, hands=None if players == 4 else HANDS)
    bad_inputs(game)
    never_crashes(game.format_move)
    never_crashes(Card.parse)
    never_crashes(lambda v: Card(v, "oros"))
    never_crashes(lambda v: Card(3, v))
    never_crashes(lambda v: Play(v, Card(3, "oros")))
    never_crashes(lambda v: Play(0, v))
    never_crashes(lambda v: Say(v, "truco"))
    never_crashes(lambda v: Say(0, v))
    never_crashes(Deal)
    never_crashes(Rules)
    never_crashes(Rules.from_json)
    never_crashes(lambda v: Truco(players=v))
    never_crashes(lambda v: Truco(dealer=v))
    never_crashes(lambda v: Truco(rules=v))
    never_crashes(lambda v: Truco(hands=v))
    never_crashes(lambda v: Truco(hands=[v, None]))


@pytest.mark.parametrize("wrong", [{"players": 3}, {"players": 2, "dealer": 2}, {"players": 2, "rules": {"toros": 0}},
                                   {"players": 2, "rules": {"toro": 3}}, {"players": True}, {"players": 2.0},
                                   {"players": 2, "rules": None}, {"players": 2, "hands": {}}])  # fmt: skip
def test_wrong_setups(wrong: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        Truco.from_setup(wrong)


def test_draw_shows_cards_bids_and_coins() -> None:
    game = play(Truco(), "1 12-oros", "0 4-copas")
    assert "12-oros" in game.draw()
    assert "mano: 1" in game.draw()
    assert "¡truco!" in play(game, "1 truco").draw()
    assert "truco: 3" in play(game, "0 quiero").draw()
    game.pop()
    assert "no quiero" in play(game, "0 no-quiero").draw()
    play(game, "deal", "0 truco", "1 retruco", "0 para-nueve", "1 para-el-toro", "0 quiero")
    assert "el toro" in game.draw()
    assert "se va el rival" in play(game, "0 me-voy").draw()
    assert game.draw().count("<svg") == 1


# -- random matches and counted trees ------------------------------------------------------------------------------


def some_match(rng: Random) -> Truco:
    players = rng.choice([2, 4])
    cards = rng.sample(DECK, 3 * players)
    hands = [None if rng.random() < 0.4 else cards[3 * seat : 3 * seat + 3] for seat in range(players)]
    return Truco(players, rng.randrange(players), Rules(1), rng.choice([None, hands]))


def odd_moves(game: Any, rng: Random) -> list[Any]:
    every = [Card(rank, suit) for rank in range(1, 13) for suit in ("oros", "copas", "espadas", "bastos")]
    moves: list[Any] = [Play(rng.randrange(game.seats), rng.choice([*every, Card(0, "")])) for _ in range(6)]
    moves += [Say(rng.randrange(game.seats), rng.choice(WORDS)) for _ in range(6)]
    return [*moves, Deal(((Card(1, "oros"),),) * game.seats), Play(3, Card(8, "oros"))]


def cards_known(game: Any) -> object:
    """Laid and held cards of each seat: three, always, and no card in two places."""
    state = game.state
    laid = [card for _, card in state.laid]
    held = [card for hand in state.hands if hand for card in hand]
    assert len(set(laid + held)) == len(laid + held)
    assert all(hand is None or len(hand) == size for hand, size in zip(state.hands, game.hand_sizes, strict=True))
    return all(0 <= size <= 3 for size in game.hand_sizes)


def lively(game: Any, moves: list[Any], rng: Random) -> Any:
    """Cards as often as words, so that hands get played out."""
    cards = [move for move in moves if isinstance(move, Play)]
    return rng.choice(cards) if cards and rng.random() < 0.7 else rng.choice(moves)


test_random_matches = game_properties(
    some_match, pieces=cards_known, strangers=odd_moves, choose=lively, examples=8, check_each=8
)


def test_totals_are_toros_and_tantos() -> None:
    for seed in range(12):
        rng = Random(seed)
        game = some_match(rng)
        while game.outcome() is None:
            game.push(lively(game, list(game.legal_moves), rng))
            for tally, score in zip(game.tally(), game.score(), strict=True):
                assert score.total == 18 * tally.toros + tally.tantos
                assert 0 <= tally.tantos < 18


# These counts were also worked out by hand, up to depth 4 (two players), 3 (public) and 2 (four players).
FULL = [["3-oros", "6-copas", "4-oros"], ["3-copas", "6-oros", "12-bastos"]]


@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 5, 19, 98, 1969])))
def test_counted_tree_full_knowledge(depth: int, count: int) -> None:
    assert perft(Truco(hands=FULL), depth) == count


@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 42, 1644, 62647])))
def test_counted_tree_public_knowledge(depth: int, count: int) -> None:
    assert perft(Truco(), depth) == count


@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 10, 86, 646, 4502])))
def test_counted_tree_four_players(depth: int, count: int) -> None:
    hands = [*FULL, ["3-bastos", "7-oros", "5-oros"], ["2-oros", "7-copas", "5-copas"]]
    assert perft(Truco(4, hands=hands), depth) == count


def test_json_text_round_trip() -> None:
    game = play(Truco(4, dealer=3), "0 truco", "3 quiero", "2 4-oros")
    assert Truco.from_json(json.dumps(game.to_json())).state == game.state
    assert Truco.from_setup({"players": 4}).state == Truco(4).state
