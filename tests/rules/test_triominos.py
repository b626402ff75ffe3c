"""Triominos as the rulebook and its rulings say, case by case."""

from dataclasses import replace
from typing import Any

import pytest
from properties import perft
from triominos_slow import Slow

from rules.game import IllegalMove, RulesError, ScoreLine
from rules.triominos import STANDARD, Cell, DeclareHand, Draw, Hand, Pass, Place, Rules, Triominos, board, parse_cell
from rules.triominos.lattice import Corner, around, corners
from rules.triominos.tiles import Values

V0 = Cell(0, 0, False)
UP0 = Cell(0, 0, True)


def game_after(*texts: str, players: int = 2, rules: Rules | None = None, **more: Any) -> Triominos:
    game = Triominos(players, rules, **more)
    for text in texts:
        game.push(game.parse_move(text))
    return game


def codes(game: Triominos, text: str) -> list[str]:
    return [violation.code for violation in game.check(game.parse_move(text))]


def earned(game: Triominos) -> dict[str, int]:
    """What the last move earned, by cause."""
    ply = len(game.moves) - 1
    return {line.cause: line.points for s in game.score() for line in s.lines if line.ply == ply}


def from_corners(value: dict[Corner, int], *cells: Cell) -> list[tuple[Values, Cell]]:
    return [(tuple(value[p] for p in corners(c)), c) for c in cells]


def hand_of(*labels: str, fill: str = "") -> list[str]:
    return [*labels, *fill.split()]


# -- opening ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "points"), [("3-3-3", 19), ("3-4-5", 12), ("0-0-0", 40), ("5-5-5", 25), ("1-1-1", 13), ("4-5-5", 14)]
)
def test_opening_points(tile: str, points: int) -> None:
    game = game_after(f"B {tile}@0,0v")
    assert game.score()[1].total == points
    assert game.turn == 0


LOW = ["0-0-1", "0-0-2", "0-0-3", "0-1-1", "0-1-2", "0-1-3", "0-2-2"]
OTHER = ["0-0-4", "0-0-5", "0-1-4", "0-1-5", "0-2-3", "0-2-4", "0-2-5"]


def test_highest_triple_opens_when_hands_are_known() -> None:
    game = Triominos(2, hands=[[*LOW, "3-3-3", "5-5-4"], [*OTHER, "2-2-2", "0-0-0"]])
    assert game.turn == 0
    assert codes(game, "A 3-3-3@0,0v") == []
    assert codes(game, "A 4-5-5@0,0v") == ["wrong_opening"]
    assert codes(game, "B 2-2-2@0,0v") == ["out_of_turn", "wrong_opening"]
    assert codes(game, "B 0-0-0@0,0v") == ["out_of_turn", "wrong_opening"]
    assert codes(game, "A 5-5-5@0,0v") == ["not_in_hand"]
    assert game.check(game.parse_move("A 4-5-5@0,0v"))[0].where["right"] == ["A 3-3-3"]
    assert [str(m) for m in game.legal_moves] == ["A 3-3-3@0,0v", "A 3-3-3@0,0^"]


def test_highest_triple_with_the_zero_may_choose() -> None:
    game = Triominos(2, hands=[[*LOW, "3-3-3", "0-0-0"], [*OTHER, "2-2-2", "1-1-1"]])
    assert codes(game, "A 3-3-3@0,0v") == codes(game, "A 0-0-0@0,0v") == []
    assert codes(game, "B 2-2-2@0,0v") == ["out_of_turn", "wrong_opening"]


def test_without_triples_the_highest_sum_opens_first_seat_first() -> None:
    game = Triominos(2, hands=[[*LOW, "1-5-5", "2-2-3"], [*OTHER, "2-4-5", "3-3-5"]])
    assert game.turn == 0
    assert codes(game, "A 1-5-5@0,0v") == []
    assert codes(game, "A 2-2-3@0,0v") == ["wrong_opening"]
    assert codes(game, "B 2-4-5@0,0v") == ["out_of_turn", "wrong_opening"]


def test_half_known_hands_decide_as_far_as_they_can() -> None:
    known = [*OTHER, "2-2-2", "1-1-1"]
    game = Triominos(2, hands=[None, known])
    assert game.turn is None
    assert codes(game, "A 3-3-3@0,0v") == codes(game, "B 2-2-2@0,0v") == []
    assert codes(game, "A 4-5-5@0,0v") == ["wrong_opening"]
    assert codes(game, "A 0-0-0@0,0v") == []  # A may hold a higher triple too
    assert codes(game, "B 1-1-1@0,0v") == ["wrong_opening"]
    assert codes(game, "A 2-2-2@0,0v") == ["not_in_hand"]
    top = Triominos(2, hands=[None, [*OTHER, "2-2-2", "5-5-5"]])
    assert codes(top, "A 0-0-0@0,0v") == ["wrong_opening"]


def test_opening_comes_first_and_at_the_origin() -> None:
    game = Triominos(3)
    assert codes(game, "A draw") == codes(game, "B pass") == ["opening_first"]
    assert codes(game, "A 5-5-5@1,0v") == ["opening_cell"]
    assert game.legal_moves.count() == 3 * 2 * (6 + 50 * 3)
    assert len(game.placements("0-1-2")) == 6


# -- placing ---------------------------------------------------------------------------------------------------------


def test_rulebook_sums_nine_and_eight() -> None:
    game = game_after("A 4-4-4@0,0v")
    nine = next(p for p in game.placements("1-4-4") if not game.check(p))
    assert sum(line.points for line in game.points_of(nine)) == 9
    game.push(nine)
    assert earned(game) == {"tile": 9}
    eight = next(p for p in game.placements("1-3-4", 0) if nine.cell in neighbours_of(p.cell))
    game.push(eight)
    assert earned(game) == {"tile": 8}


def neighbours_of(cell: Cell | None) -> tuple[Cell, ...]:
    from rules.triominos.lattice import neighbours

    assert cell is not None
    return neighbours(cell)


@pytest.mark.parametrize(("values", "points"), [((4, 4, 1), 49), ((5, 1, 1), 47)])
def test_rulebook_bridges(values: Values, points: int) -> None:
    """One side joined, and a tile at the opposite corner."""
    a, b, c = values
    value = {(0, 0): a, (1, 0): b, (0, 1): c, (1, -1): 2, (-1, 2): 3, (0, 2): 2}
    across, beyond = Cell(0, -1, True), Cell(-1, 1, True)
    laid = from_corners(value, V0, across, beyond)
    assert sum(line.points for line in Triominos.from_table(laid).earns(V0)) == points
    game = Triominos(2)
    table = {cell: v for v, cell in laid[1:]}
    game._states[-1] = replace(game.state, phase="play", turn=0, table=table)
    game.push(Place(0, values, V0))
    assert earned(game) == {"tile": points - 40, "bridge": 40}


def test_rulebook_hexagon() -> None:
    """0+5+5+50: the sixth tile about a corner."""
    value = {(0, 0): 5, (1, 0): 5, (0, 1): 0, (-1, 1): 1, (-1, 0): 2, (0, -1): 3, (1, -1): 4}
    ring = [Cell(-1, 0, True), Cell(-1, 0, False), Cell(-1, -1, True), Cell(0, -1, False), Cell(0, -1, True)]
    position = Triominos.from_table(from_corners(value, V0, *ring))
    assert [(line.cause, line.points) for line in position.earns(V0)] == [("tile", 10), ("hexagon_1", 50)]
    assert position.hexagons == [(0, 0)]


@pytest.mark.parametrize(("count", "values", "points"), [(1, (5, 5, 0), 60), (2, (5, 5, 0), 70), (3, (5, 5, 5), 85)])
def test_one_two_and_three_hexagons_at_once(count: int, values: Values, points: int) -> None:
    """A tile laid where everything around its first, second and third corner lies already."""
    value = dict(zip(corners(V0), values, strict=True))
    ring = {cell for corner in corners(V0)[:count] for cell, _ in around(corner)} - {V0}
    table = {cell: tuple(value.get(corner, 1) for corner in corners(cell)) for cell in ring}
    game = Triominos(2)
    game._states[-1] = replace(game.state, phase="play", turn=0, table=table)
    game.push(Place(0, values, V0))
    assert earned(game) == {"tile": sum(values), f"hexagon_{count}": 40 + 10 * count}
    assert game.score()[0].total == points


def test_a_hexagon_that_is_also_a_bridge_counts_as_hexagon_only() -> None:
    """Supplements are not cumulative: a tile that joins one side, touches beyond it and fills a ring elsewhere."""
    ring = {cell for cell, _ in around((0, 0))} | {Cell(-1, 1, True)}
    assert board.supplement(dict.fromkeys(ring - {V0}, (0, 0, 0)), V0, Rules()) == ("hexagon_1", 50)


@pytest.mark.parametrize("two_sided", [False, True])
def test_option_two_sided_bridge(two_sided: bool) -> None:
    table = dict.fromkeys([Cell(0, -1, True), UP0], (0, 0, 0))
    game = Triominos(2, Rules(two_sided_bridge=two_sided))
    game._states[-1] = replace(game.state, phase="play", turn=0, table=table)
    lines = {line.cause: line.points for line in game.points_of(Place(0, (0, 0, 0), V0))}
    assert lines == ({"tile": 0, "bridge": 40} if two_sided else {"tile": 0})


def test_value_clash_says_corner_values_and_tile() -> None:
    game = game_after("A 0-1-2@0,0v")
    clash = game.check(game.parse_move("B 3-4-5@0,0^"))
    assert [v.code for v in clash] == ["value_clash", "value_clash"]
    assert clash[0].where["corner"] == [1, 0]
    assert clash[0].where["value"] == 3
    assert clash[0].where["other_values"] == [1]
    assert clash[0].where["others"] == [{"tile": "0-1-2", "cell": "0,0v"}]
    assert clash[0].where["tile"] == "3-4-5"
    assert "0-1-2" in clash[0].message("es")


def test_each_illegal_placement_has_its_code() -> None:
    game = game_after("A 0-1-2@0,0v")
    assert codes(game, "B 3-4-5@5,5v") == ["no_side"]
    assert codes(game, "B 0-1-2@1,0v") == ["tile_on_table", "no_side", "value_clash"]
    assert codes(game, "B 1-1-2@0,0^") == codes(game, "B 1-2-2@0,0^") == []
    assert codes(game, "B 1-3-2@0,0^") == ["mirrored_tile"]  # clockwise 1, 3, 2: only 1-2-3 is in the box
    assert codes(game, "B 2-1-2@0,0^") == ["value_clash"]  # 2 where 0-1-2 has its 1; the other corner agrees
    assert codes(game, "B 0-0-1@0,0v") == ["overlap", "no_side"]  # the tile below clashes with nothing: it is covered
    assert codes(game, "B 3-4-5@?") == ["off_lattice"]
    assert codes(game, "A 1-2-2@0,0^") == ["out_of_turn"]
    assert codes(game, "B 6-6-6@9,9v") == ["foreign_tile", "no_side"]
    with pytest.raises(IllegalMove, match="shares no side"):
        game.push(Place(1, (3, 4, 5), Cell(5, 5, False)))
    with pytest.raises(RulesError, match="no player C"):
        game.check(Pass(2))


def test_mirrored_tile_is_named_as_such() -> None:
    game = game_after("A 0-1-2@0,0v")
    found = game.check(Place(1, (0, 2, 1), Cell(0, -1, True)))
    assert found[0].code == "mirrored_tile"
    assert found[0].where["mirror"] == "0-1-2"


def test_option_tiles_a_box_with_0_5_3() -> None:
    wooden = Rules(tiles=(*(t for t in STANDARD if t != (0, 3, 5)), (0, 5, 3)))
    for rules, right, wrong in ((Rules(), "0-3-5", "0-5-3"), (wooden, "0-5-3", "0-3-5")):
        game = Triominos(2, rules)
        assert codes(game, f"A {right}@0,0v") == []
        assert codes(game, f"A {wrong}@0,0v") == ["mirrored_tile"]
    game = game_after("A 5-3-0@0,0v", rules=wooden)
    assert Triominos.parse_game(game.format_game()).rules == wooden


def test_open_hands_forbid_other_tiles() -> None:
    game = Triominos(2, hands=[[*LOW, "3-3-3", "3-3-4"], [*OTHER, "2-2-2", "3-3-5"]])
    game.push(Place(0, (3, 3, 3), V0))
    assert codes(game, "B 3-4-3@0,0^") == ["not_in_hand"]
    assert codes(game, "B 3-3-4@0,0^") == ["not_in_hand", "value_clash"]
    assert codes(game, "B 3-5-3@0,0^") == []
    assert codes(game, "B draw 3-3-4") == ["tile_not_in_stock"]
    assert codes(game, "B draw 4-4-4") == codes(game, "B draw") == []
    assert codes(game, "B draw 9-9-9") == ["foreign_tile"]
    game.push(Draw(1, (4, 4, 4)))
    assert (4, 4, 4) in game.state.hands[1].known
    assert codes(game_after("A 3-3-3@0,0v"), "B draw 4-4-4") == ["hidden_draw"]


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


def with_stock(stock: int, players: int = 2, rules: Rules | None = None, sizes: tuple[int, ...] = ()) -> Triominos:
    game = game_after("A 5-5-5@0,0v", players=players, rules=rules)
    hands = tuple(Hand(frozenset(), size) for size in sizes) or game.state.hands
    game._states[-1] = replace(game.state, stock=stock, hands=hands)
    return game


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


# -- tables ----------------------------------------------------------------------------------------------------------


def test_position_lists_everything_wrong() -> None:
    position = Triominos.from_table(
        [
            ("0-1-2", "0,0v"),
            ("1-3-2", "0,0^"),
            ("5-5-5", [0, -1, True]),
            ("0-1-2", Cell(4, 4, False)),
            ("4-4-4", None),
            ("4-4-4", None),
            ("1-1-1", "0,0v"),
            ("7-7-7", None),
        ]
    )
    found = [v.code for v in position.violations]
    assert found == [
        "mirrored_tile", "tile_on_table", "no_side", "off_lattice", "tile_on_table", "off_lattice", "overlap",
        "foreign_tile", "off_lattice", "value_clash", "value_clash",
    ]  # fmt: skip
    assert position.points == sum(line.points for line in position.lines) == 3 + 6 + 15 + 3 + 12 + 12 + 3 + 21
    assert position.draw().count("#c1121f") >= 3
    with pytest.raises(RulesError):
        position.earns(Cell(9, 9, True))


def test_legal_position_has_nothing_wrong() -> None:
    position = Triominos.from_table([("0-1-2", "0,0v"), ("1-2-2", "0,0^")])
    assert position.violations == ()
    assert {str(p.cell) for p in position.placements("0-1-1")}
    assert [line.points for line in position.earns(UP0)] == [5]


def test_compare_table_finds_new_moved_turned_and_removed_tiles() -> None:
    game = game_after("A 0-1-2@0,0v", "B 1-2-2@0,0^")
    same = game.compare_table([("0-1-2", "0,0v"), ("1-2-2", "0,0^"), ("0-1-5", "0,-1^")])
    assert same.violations == ()
    assert [str(laid.cell) for laid in same.new] == ["0,-1^"]
    changed = game.compare_table([("1-2-0", "0,0v")])
    assert [v.code for v in changed.violations] == ["tile_moved", "tile_removed"]
    assert "turned" in changed.violations[0].en
    moved = game.compare_table([("0-1-2", "0,0v"), ("1-2-2", None)])
    assert [v.where["to"] for v in moved.violations] == ["?"]
    assert moved.new == ()


def test_what_a_referee_asks() -> None:
    game = game_after("A 0-1-2@0,0v")
    wrong = Place(1, (2, 1, 2), UP0)
    nearest = game.nearest(wrong)
    assert nearest[0] == Place(1, (1, 2, 2), UP0)
    assert game.nearest(Place(1, (1, 2, 2), None), limit=1)
    assert game.nearest(Place(1, (4, 4, 4), UP0)) == []
    fitting = game.tiles_for(UP0)
    assert (1, 2, 2) in fitting
    assert all(v[0] == 1 and v[2] == 2 for v in fitting)
    assert game.tiles_for(V0) == game.tiles_for(Cell(7, 7, True)) == []
    assert game.points_of(Place(1, (1, 2, 2), None)) == ()
    assert game.hand_points_range(0)[0] < game.hand_points_range(0)[1]


def test_set_up_is_checked() -> None:
    for wrong in (
        lambda: Triominos(1),
        lambda: Triominos(2, Rules(tiles=STANDARD[:10])),
        lambda: Rules(tiles=((0, 1, 2), (1, 2, 0))),
        lambda: Triominos(2, hands=[LOW, None]),
        lambda: Triominos(2, hands=[[*LOW, *LOW[:2]], None]),
        lambda: Triominos(2, hands=[[*LOW, "0-2-1", "5-5-5"], None]),
        lambda: Triominos.from_setup({"players": 2, "game": "truco"}),
        lambda: parse_cell("999,999v"),
    ):
        with pytest.raises(RulesError):
            wrong()


def test_drawing_marks_the_last_tile_and_escapes() -> None:
    svg = game_after("A 0-1-2@0,0v", "B 1-2-2@0,0^").draw()
    assert svg.count("<polygon") == 2
    assert svg.count("#e09f3e") == 1
    assert "currentColor" in svg
    assert Triominos(4).draw().startswith("<svg")


TREES: dict[str, tuple[list[list[str]], list[str], list[int]]] = {
    "nothing to draw, a block and the next round": (
        [[*LOW, "3-3-3", "3-3-4"], [*OTHER, "2-3-3", "3-3-5"]], [], [2, 14, 44, 548, 5348]
    ),
    "two openings to choose from, two tiles to draw": (
        [[*LOW, "3-3-3", "0-0-0"], [*OTHER, "2-3-3", "3-3-5"]], ["3-3-4", "1-3-3"], [4, 36, 268, 1780]
    ),
    "no triple, three tiles to draw": (
        [[*LOW, "1-5-5", "2-4-5"], [*OTHER, "3-3-5", "1-4-5"]], ["1-1-5", "4-5-5", "1-2-5"], [12, 66, 402, 2304, 11724]
    ),
}  # fmt: skip


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


@pytest.mark.parametrize("tree", TREES)
def test_counted_trees(tree: str) -> None:
    """Legal sequences from fixed deals; a changed figure means changed rules. The slow generator agrees."""
    hands, stock, expected = TREES[tree]
    box = [numbers(tile) for tile in [*hands[0], *hands[1], *stock]]
    game = Triominos(2, Rules(tiles=tuple(box)), hands=hands)
    slow = Slow(frozenset(box), tuple(frozenset(map(numbers, hand)) for hand in hands), stock=len(stock))
    assert [perft(game, depth) for depth in range(1, len(expected) + 1)] == expected
    assert [slow.count(depth) for depth in (1, 2, 3)] == expected[:3]


def test_counted_tree_from_public_knowledge() -> None:
    """Whoever opens, with any of 6 triples or 50 other tiles in 3 readings, pointing up or down."""
    game, slow = Triominos(2), Slow(frozenset(STANDARD), None, stock=38)
    assert perft(game, 1) == slow.count(1) == 2 * 2 * (6 + 50 * 3)
    assert perft(game, 2) == slow.count(2) == 7104
