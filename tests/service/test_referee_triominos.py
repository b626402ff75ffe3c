"""The referee of Triominos: legal games give the engine's score, and each thing that a camera can see is flagged."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from rules.triominos import Triominos
from rules.triominos.lattice import Cell, centre, corners, neighbours, position
from rules.triominos.moves import DeclareHand, Place
from rules.triominos.tiles import STANDARD, label, tile_of, turned
from service.follow import follow
from service.match import Match
from tests.service.tables import camera, tile_piece, tile_table

Make = Callable[..., Match]


def random_move(game: Triominos, rng: random.Random) -> object:
    moves = list(game.legal_moves)
    places = [m for m in moves if isinstance(m, Place) and (m.cell is None or max(map(abs, m.cell[:2])) < 6)]
    if game.state.phase == "hands":
        return rng.choice([m for m in moves if isinstance(m, DeclareHand)])
    if places and (rng.random() < 0.85 or game.state.phase == "opening"):
        return rng.choice(places)
    return rng.choice([m for m in moves if not isinstance(m, Place)] or places)


def opened(new_match: Make, moves: int, seed: int = 3) -> Match:
    """A match after some random placements, entered by hand."""
    rng = random.Random(seed)
    match = new_match("triominos", ["Ana", "Luis"])
    while len(match.game.state.table) < moves:
        places = [m for m in match.game.legal_moves if isinstance(m, Place)]
        match.play(str(rng.choice(places)))
    return match


@pytest.mark.parametrize("seed", range(6))
def test_whole_rounds_through_the_table_score_what_the_engine_scores(new_match: Make, seed: int) -> None:
    rng = random.Random(seed)
    players = 2 + seed % 3
    script = Triominos(players)
    match = new_match("triominos", [f"P{i}" for i in range(players)])
    view = camera(tilt=rng.uniform(0, 35), turn=rng.uniform(0, 360), scale=55)
    while script.state.round == 0 and script.outcome() is None:
        move = random_move(script, rng)
        first = isinstance(move, Place) and not script.state.table
        script.push(move)
        if first:
            match.call({"call": "opener", "player": move.player})
        if isinstance(move, Place) and script.state.round == 0:
            follow(match, tile_table(script.state.table, view, rng))
        elif script.state.round == 0 or not isinstance(move, Place):
            match.play(str(move))
        assert not match.position.illegal, list(match.position.illegal.values())
        assert not match.position.questions
    assert [s.total for s in match.game.score()] == [s.total for s in script.score()]


def codes(match: Match) -> set[str]:
    return {v["code"] for flag in match.position.illegal.values() for v in flag["violations"]}


def free_cell(match: Match) -> Cell:
    table = match.game.state.table
    return next(n for c in table for n in neighbours(c) if n not in table)


@pytest.mark.parametrize("seed", range(5))
def test_a_clashing_tile_is_flagged_with_its_corner_and_a_legal_place(new_match: Make, seed: int) -> None:
    match = opened(new_match, 8, seed)
    cell, view = free_cell(match), camera(30, 40)
    clash = next(
        v
        for t in STANDARD
        if t not in match.game.state.placed
        for v in (turned(t, k) for k in range(3))
        if {x.code for x in match.game.check(Place(match.game.turn, v, cell))} == {"value_clash"}
    )
    before = [s.total for s in match.game.score()]
    follow(match, tile_table(match.game.state.table, view, random.Random(seed), [tile_piece(clash, cell, view)]))
    (flag,) = match.position.illegal.values()
    assert {v["code"] for v in flag["violations"]} == {"value_clash"}
    assert flag["violations"][0]["where"]["cell"] == str(cell)
    if flag["nearest"]:
        assert match.check(flag["nearest"]["move"])["legal"]
    assert [s.total for s in match.game.score()] == before
    # The same table again says nothing new; the tile taken back clears the flag.
    seq = match.position.seq
    follow(match, tile_table(match.game.state.table, view, random.Random(seed), [tile_piece(clash, cell, view)]))
    assert match.position.seq == seq
    follow(match, tile_table(match.game.state.table, view))
    assert not match.position.illegal


def test_every_other_illegal_thing_that_a_camera_sees(new_match: Make) -> None:
    match, view = opened(new_match, 8), camera(25, 10)
    game = match.game
    table = game.state.table
    unplayed = [t for t in STANDARD if t not in game.state.placed]
    far = Cell(5, 5, True)
    cell = free_cell(match)
    fit = next(m for m in game.legal_moves if isinstance(m, Place))
    x, y = centre(cell)
    crooked = [
        (x + (px - x) * 0.7 + (py - y) * 0.7, y + (py - y) * 0.7 - (px - x) * 0.7)
        for px, py in (position(c) for c in corners(cell))
    ]
    some = next(iter(table))
    gone = dict(list(table.items())[:-1])
    last_cell, last_values = list(table.items())[-1]
    cases = {
        "no_side": tile_table(table, view, extra=[tile_piece(unplayed[0], far, view)]),
        "mirrored_tile": tile_table(table, view, extra=[tile_piece((0, 2, 1), cell, view)]),
        "foreign_tile": tile_table(table, view, extra=[tile_piece((7, 7, 7), cell, view)]),
        "off_lattice": tile_table(table, view, extra=[tile_piece(unplayed[0], None, view, flat=crooked)]),
        "tile_on_table": tile_table(table, view, extra=[tile_piece(table[some], fit.cell, view)]),
        "overlap": tile_table({**table, some: unplayed[0]}, view),
        "tile_removed": tile_table(gone, view),
        "tile_moved": tile_table(gone, view, extra=[tile_piece(last_values, far, view)]),
    }
    for code, seen in cases.items():
        follow(match, seen)
        assert code in codes(match), (code, codes(match))
        follow(match, tile_table(table, view))
        assert not match.position.illegal
    turned_tile = next((c, v) for c, v in table.items() if len(set(v)) > 1)
    follow(match, tile_table({**table, turned_tile[0]: turned(turned_tile[1], 1)}, view))
    assert codes(match) == {"tile_moved"}
    assert last_cell in table


def test_a_doubtful_tile_is_asked_about_and_the_answer_is_played(new_match: Make) -> None:
    match, view = opened(new_match, 5), camera(20)
    legal = next(m for m in match.game.legal_moves if isinstance(m, Place))
    other = next(t for t in STANDARD if t not in match.game.state.placed and t != legal.tile)
    doubtful = tile_piece(legal.values, legal.cell, view, confidence=0.5, alternatives=((label(other), 0.45),))
    seen = tile_table(match.game.state.table, view, extra=[doubtful])
    follow(match, seen)
    follow(match, seen)
    (question,) = match.position.questions.values()
    assert len(question["options"]) == 2
    plies = len(match.game.moves)
    match.answer(question["id"], "a")
    follow(match, seen)
    assert len(match.game.moves) == plies + 1
    assert match.game.peek() == legal
    assert not match.position.questions


def test_a_tile_that_may_be_another_legal_one_is_asked_about(new_match: Make) -> None:
    match, view = opened(new_match, 5), camera(20)
    places = [m for m in match.game.legal_moves if isinstance(m, Place)]
    # Two tiles that fit one cell and differ in the corner that touches nothing.
    first, second = next(
        (a, b)
        for a in places
        for b in places
        if a.cell == b.cell and sum(x != y for x, y in zip(a.values, b.values, strict=True)) == 1
    )
    name = "-".join(map(str, second.values))
    plies = len(match.game.moves)
    doubtful = tile_piece(first.values, first.cell, view, confidence=0.8, alternatives=((name, 0.15),))
    follow(match, tile_table(match.game.state.table, view, extra=[doubtful]))
    ((asked, question),) = match.position.questions.items()
    assert len(match.game.moves) == plies
    match.answer(asked, next(option["id"] for option in question["options"] if option["label"] == name))
    follow(match, tile_table(match.game.state.table, view, extra=[doubtful]))
    assert match.game.peek().tile == second.tile


def test_nobody_is_accused_of_a_tile_that_may_well_be_another(new_match: Make) -> None:
    match, view = opened(new_match, 5), camera(20)
    legal = next(m for m in match.game.legal_moves if isinstance(m, Place))
    values = next(
        (a, b, c)
        for a, b, c in ((x, y, z) for x in range(6) for y in range(6) for z in range(6))
        if {v.code for v in match.game.check(Place(legal.player, (a, b, c), legal.cell))} == {"value_clash"}
    )
    for sure, others, flagged in ((0.92, ((label(legal.tile), 0.06),), False), (0.97, (), True)):
        wrong = tile_piece(values, legal.cell, view, confidence=sure, alternatives=others)
        follow(match, tile_table(match.game.state.table, view, extra=[wrong]))
        assert bool(match.position.illegal) == flagged
        assert bool(match.position.questions) != flagged


def test_a_known_tile_badly_read_is_no_alarm(new_match: Make) -> None:
    match, view = opened(new_match, 6), camera(20)
    table = dict(match.game.state.table)
    cell, values = list(table.items())[2]
    wrong = tile_piece((0, 0, 5), cell, view, confidence=0.5, alternatives=((label(tile_of(values)), 0.4),))
    rest = {c: v for c, v in table.items() if c != cell}
    follow(match, tile_table(rest, view, extra=[wrong]))
    assert not match.position.illegal
    assert len(match.game.moves) == len(table)


def test_undo_holds_until_the_table_changes(new_match: Make) -> None:
    match, view = opened(new_match, 4), camera(0)
    legal = next(m for m in match.game.legal_moves if isinstance(m, Place))
    seen = tile_table({**match.game.state.table, legal.cell: legal.values}, view)
    follow(match, seen)
    assert len(match.game.moves) == 5
    match.undo()
    follow(match, seen)
    assert len(match.game.moves) == 4
    follow(match, tile_table(match.game.state.table, view))
    follow(match, seen)
    assert len(match.game.moves) == 5


def test_hands_laid_open_end_the_round(new_match: Make) -> None:
    rng = random.Random(5)
    match = new_match("triominos", ["Ana", "Luis"])
    while match.game.state.phase != "hands":
        places = [m for m in match.game.legal_moves if isinstance(m, Place)]
        match.play(str(rng.choice(places or list(match.game.legal_moves))))
    view = camera(0, scale=30)
    state = match.game.state
    player = state.declared.index(None)
    left = [t for t in STANDARD if t not in state.placed][: state.hands[player].size]
    hand = [
        tile_piece(t, None, view, flat=[(-18 + 1.6 * i, 9.5), (-17 + 1.6 * i, 9.5), (-17.5 + 1.6 * i, 10.37)])
        for i, t in enumerate(left)
    ]
    before = match.game.score()
    table = dict(state.table)
    follow(match, tile_table(table, view, extra=hand))
    assert match.game.state.round == 1
    gained = sum(s.total for s in match.game.score()) - sum(s.total for s in before)
    assert gained == 25 + sum(map(sum, left))
    assert match.instruction is not None
    assert match.instruction.code == "clear"
    follow(match, tile_table({}, view))
    opening = tile_piece((5, 5, 5), Cell(0, 0, True), view)
    match.call({"call": "opener", "player": 1})
    follow(match, tile_table({}, view, extra=[opening]))
    assert len(match.game.state.table) == 1
    assert match.game.state.turn == 0
