"""Played games: legal by the engine, exact about what is illegal, in the players' zones, the same for the same seed."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import pytest

from datasets.played import GAMES, VISIBLE_CODES, NotPossible, Played, play
from datasets.scene import Stage, label_stage
from datasets.splits import seed_of

ENGINES = {"triominos": "Triominos", "truco": "Truco", "trichon": "Trichon", "tronix": "Tronix", "trama": "Trama"}
READY = [game for game in GAMES if game in ("triominos", "truco", "trichon")]
CASES = [(game, code) for game in READY for code in VISIBLE_CODES[game]]


def engine(played: Played):
    """A fresh game as the played one began."""
    return getattr(import_module(f"rules.{played.game}"), ENGINES[played.game]).from_setup(played.setup)


@cache
def game_of(game: str, seed: int = 4, **options) -> Played:
    return play(game, seed, **options)


@pytest.mark.parametrize("game", READY)
def test_the_moves_replay_to_the_scores(game: str) -> None:
    played = game_of(game)
    engine_ = engine(played)
    for step in played.steps:
        assert not step.illegal
        if step.move:
            move = engine_.parse_move(step.move)
            assert engine_.check(move) == [], step.move
            engine_.push(move)
            assert step.scores == tuple(s.total for s in engine_.score())
    assert played.scores == tuple(s.total for s in engine_.score())
    assert len(played.moves) >= 10
    truth = played.truth()
    assert truth["moves"] == list(played.moves)
    assert truth["scores"] == list(played.scores)
    assert truth["illegal"] == []


@pytest.mark.parametrize(("game", "code"), CASES)
def test_a_variant_has_exactly_one_illegal_step_of_that_code(game: str, code: str) -> None:
    for seed, short in ((1, True), (2, False)):
        played = play(game, seed, illegal=code, short=short)
        assert len(played.illegal) == 1
        wrong = played.illegal[0]
        assert code in wrong.illegal
        assert wrong.seen
        number = played.steps.index(wrong)
        before, back = played.steps[number - 1], played.steps[number + 1]
        assert {id(p) for p in before.table} == {id(p) for p in back.table}, "the next step takes it back"
        assert {id(p) for p in wrong.table} != {id(p) for p in before.table}
        engine_ = engine(played)
        for step in played.steps[:number]:
            if step.move:
                engine_.push(engine_.parse_move(step.move))
        if wrong.move:
            assert {v.code for v in engine_.check(engine_.parse_move(wrong.move))} == set(wrong.illegal)
        for step in played.steps[number + 1 :]:
            if step.move:
                engine_.push(engine_.parse_move(step.move))


@pytest.mark.parametrize("game", READY)
def test_the_same_seed_is_the_same_game_and_another_is_another(game: str) -> None:
    one, two = play(game, 9, short=True), play(game, 9, short=True)
    assert one.truth() == two.truth()
    assert one.camera == two.camera
    assert one.look == two.look
    pictures = []
    for played in (one, two):
        stage = Stage(played.camera, played.look)
        for piece in played.steps[-1].table:
            stage.add(piece)
        pictures.append(stage.canvas)
    assert np.array_equal(*pictures)
    assert play(game, 10, short=True).moves != one.moves


@pytest.mark.parametrize("game", READY)
def test_a_short_game_is_short_and_has_scores(game: str) -> None:
    short, whole = play(game, 6, short=True), game_of(game)
    assert len(short.steps) < len(whole.steps)
    assert short.scores


@pytest.mark.parametrize("game", READY)
def test_the_camera_sees_the_whole_table_all_the_time(game: str) -> None:
    played = game_of(game)
    for step in (played.steps[0], played.steps[len(played.steps) // 2], played.steps[-1]):
        stage = Stage(played.camera, played.look)
        for piece in step.table:
            stage.add(piece)
        labels = label_stage(stage)
        for label in labels:
            assert all(0 <= x < played.camera.width and 0 <= y < played.camera.height for x, y in label.corners)
    assert played.camera.tilt <= 35
    assert 80 < played.camera.azimuth % 360 < 110


@pytest.mark.parametrize("game", READY)
def test_test_seeds_and_reserved_games_use_other_styles(game: str) -> None:
    module = import_module(f"datasets.played.{game}")
    assert hasattr(module, f"play_{game}")
    ours, theirs = play(game, 6, short=True), play(game, 6, short=True, reserved=True)
    assert ours.moves == theirs.moves or ours.look != theirs.look
    seed = seed_of("test", 6)
    assert play(game, seed, short=True).truth() == play(game, seed, short=True, reserved=True).truth()


def test_unknown_games_and_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="none of"):
        play("mus", 1)
    with pytest.raises(NotPossible, match="value_clash"):
        play("triominos", 1, illegal="out_of_luck")


@pytest.mark.parametrize("players", [3, 4])
def test_triominos_of_more_players(players: int) -> None:
    played = play("triominos", 2, players=players, short=True)
    assert played.seats == players
    assert len(played.scores) == players


def test_two_rounds_of_triominos_clear_the_table_between() -> None:
    played = play("triominos", 2, rounds=2)
    cleared = [step for step in played.steps if step.call == {"call": "cleared"}]
    assert len(cleared) == 1
    assert cleared[0].table == ()
    game = engine(played)
    for move in played.moves:
        game.push(game.parse_move(move))
    assert game.state.round == 2 or game.outcome() is not None
