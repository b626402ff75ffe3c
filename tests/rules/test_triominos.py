"""Triominos as the rulebook and its rulings say, case by case: opening, placing, supplements, what is illegal."""

from dataclasses import replace

import pytest
from triominos_games import LOW, OTHER, UP0, V0, codes, earned, from_corners, game_after

from rules.game import IllegalMove, RulesError
from rules.triominos import STANDARD, Cell, Draw, Pass, Place, Rules, Triominos, board
from rules.triominos.lattice import around, corners
from rules.triominos.tiles import Values

# -- opening ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tile", "points"), [("3-3-3", 19), ("3-4-5", 12), ("0-0-0", 40), ("5-5-5", 25), ("1-1-1", 13), ("4-5-5", 14)]
)
def test_opening_points(tile: str, points: int) -> None:
    game = game_after(f"B {tile}@0,0v")
    assert game.score()[1].total == points
    assert game.turn == 0


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
