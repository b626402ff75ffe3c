"""Triominos: drawing and passing, going out, blocks, the end of a game."""

from dataclasses import replace

import pytest
from triominos_games import codes, earned, game_after, with_stock

from rules.game import ScoreLine
from rules.triominos import DeclareHand, Draw, Pass, Place, Rules, Triominos

# -- drawing and passing ---------------------------------------------------------------------------------------------


def test_three_draws_and_no_placement_cost_25() -> None:
    game = game_after("A 5-5-5@0,0v", "B draw", "B draw")
    assert codes(game, "B pass") == ["must_draw"]
    game.push(Draw(1))
    assert codes(game, "B draw") == ["fourth_draw"]
    assert game.state.hands[1].size == 12
    assert game.state.stock == 56 - 18 - 3
    after = game.score()[1].total
    assert after == -15
    placed = next(m for m in game.legal_moves if isinstance(m, Place))
    assert game.check(placed) == []
    game.push(Pass(1))
    assert game.score()[1].total == -25
    assert game.turn == 0


@pytest.mark.parametrize("ends", [False, True])
def test_option_third_draw_ends(ends: bool) -> None:
    game = game_after("A 5-5-5@0,0v", "B draw", "B draw", "B draw", rules=Rules(third_draw_ends=ends))
    assert game.turn == (0 if ends else 1)
    assert game.score()[1].total == (-25 if ends else -15)


def test_empty_stock_costs_ten_and_the_turn() -> None:
    game = with_stock(1)
    assert codes(game, "B pass") == ["must_draw"]
    game.push(Draw(1))
    assert codes(game, "B draw") == ["empty_stock"]
    game.push(Pass(1))
    assert game.score()[1].total == -15
    assert game.turn == 0


@pytest.mark.parametrize(("stock", "draws", "cost"), [(0, 0, -10), (1, 1, -15), (2, 2, -20), (3, 3, -25), (9, 3, -25)])
def test_a_turn_without_a_placement_costs_at_most_25(stock: int, draws: int, cost: int) -> None:
    """5 for each tile drawn, and 10 whether three were drawn or the stock ran out; never both."""
    game = with_stock(stock)
    for _ in range(draws):
        assert codes(game, "B pass") == ["must_draw"]
        game.push(Draw(1))
    game.push(Pass(1))
    assert game.score()[1].total == cost
    assert game.turn == 0


# -- the end of rounds -----------------------------------------------------------------------------------------------


def test_going_out_takes_25_and_the_other_hands() -> None:
    game = with_stock(20, players=3, sizes=(2, 1, 3))
    game.push(next(m for m in game.legal_moves if isinstance(m, Place)))
    assert game.turn is None
    assert codes(game, "C draw") == ["round_over"]
    assert codes(game, "B hand 3") == ["hand_known"]
    assert codes(game, "A hand 200") == ["hand_sum"]
    game.push(DeclareHand(0, 9))
    game.push(DeclareHand(2, 21))
    assert earned(game) == {"going_out": 25, "rivals_hands": 30}
    assert game.state.phase == "opening"
    assert game.state.round == 1
    assert game.state.table == {}
    assert [hand.size for hand in game.state.hands] == [7, 7, 7]


def blocked(sums: tuple[int, ...], tie: str) -> Triominos:
    game = with_stock(0, players=len(sums), rules=Rules(blocked_tie=tie), sizes=(2,) * len(sums))
    for _ in sums:
        assert codes(game, f"{'ABCD'[game.turn or 0]} hand 5") == ["round_not_over"]
        game.push(Pass(game.turn or 0))
    for player, points in enumerate(sums):
        game.push(DeclareHand(player, points))
    return game


def test_block_lowest_hand_wins() -> None:
    game = blocked((12, 5, 20), "share")
    assert [s.total for s in game.score()] == [25 - 10, -10 - 5 + 32, -10]


@pytest.mark.parametrize(("tie", "gain"), [("share", -5 + 20), ("none", 0)])
def test_option_blocked_tie(tie: str, gain: int) -> None:
    game = blocked((5, 5, 20), tie)
    assert [s.total for s in game.score()] == [15 + gain, -10 + gain, -10]


def test_game_ends_at_the_end_of_a_round_with_the_target() -> None:
    game = with_stock(20, rules=Rules(target=60), sizes=(3, 1))
    game.push(next(m for m in game.legal_moves if isinstance(m, Place)))
    assert game.outcome() is None
    game.push(DeclareHand(0, 39))
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == (1,)
    assert outcome.reason == "target_reached"
    assert codes(game, "A pass") == ["game_over"]
    assert codes(game, "A hand 3") == ["game_over"]
    assert not game.legal_moves


@pytest.mark.parametrize("missing", [0, 1])
def test_the_target_is_reached_by_exactly_that_many_points(missing: int) -> None:
    game = with_stock(20, rules=Rules(target=70), sizes=(3, 1))
    game.push(next(m for m in game.legal_moves if isinstance(m, Place)))
    game.push(DeclareHand(0, 70 - 25 - game.score()[1].total - missing))
    assert game.score()[1].total == 70 - missing
    assert (game.outcome() is None) == bool(missing)


def test_equal_totals_share_the_victory() -> None:
    game = with_stock(0, rules=Rules(target=10, blocked_tie="none"), sizes=(2, 2))
    game._states[-1] = replace(game.state, lines=(ScoreLine(0, "tile", 30), ScoreLine(1, "tile", 30)))
    for move in (Pass(1), Pass(0), DeclareHand(0, 5), DeclareHand(1, 5)):
        assert game.outcome() is None
        game.push(move)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.winners, outcome.totals) == ((0, 1), (20, 20))


def test_default_target_is_400() -> None:
    assert Rules().target == 400
