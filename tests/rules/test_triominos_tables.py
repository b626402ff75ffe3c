"""Triominos from a photo, what a referee asks, set-ups, the drawing."""

import pytest
from triominos_games import LOW, UP0, V0, game_after

from rules.game import RulesError
from rules.triominos import STANDARD, Cell, Place, Rules, Triominos, parse_cell


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
