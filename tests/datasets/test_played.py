"""Played games: legal by the engine, exact about what is illegal, in the players' zones, the same for the same seed."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from datasets.art import cards, circuits, looms, tiles
from datasets.played import GAMES, VISIBLE_CODES, NotPossible, Played, play, trama, tronix
from datasets.played.codes import UNSEEN_CODES
from datasets.played.deck import CardDeck
from datasets.scene import Stage, label_stage
from datasets.splits import seed_of
from rules.trama.loom import Loom
from service.referee.zones import on_table, seat_of

ENGINES = {"triominos": "Triominos", "truco": "Truco", "trichon": "Trichon", "tronix": "Tronix", "trama": "Trama"}
CASES = [(game, code) for game in GAMES for code in VISIBLE_CODES[game]]


def engine(played: Played):
    """A fresh game as the played one began."""
    return getattr(import_module(f"rules.{played.game}"), ENGINES[played.game]).from_setup(played.setup)


@cache
def game_of(game: str, seed: int = 4, **options) -> Played:
    return play(game, seed, **options)


@pytest.mark.parametrize("game", GAMES)
def test_the_moves_replay_to_the_scores(game: str) -> None:
    played = game_of(game)
    game_ = engine(played)
    for step in played.steps:
        assert not step.illegal
        if step.move:
            move = game_.parse_move(step.move)
            assert game_.check(move) == [], step.move
            game_.push(move)
            assert step.scores == tuple(s.total for s in game_.score())
    assert played.scores == tuple(s.total for s in game_.score())
    assert len(played.moves) >= 16
    truth = played.truth()
    assert truth["moves"] == list(played.moves)
    assert truth["scores"] == list(played.scores)
    assert truth["illegal"] == []


@pytest.mark.parametrize(("game", "code"), CASES)
def test_a_variant_has_exactly_one_illegal_step_of_that_code(game: str, code: str) -> None:
    played = play(game, 1, illegal=code, short=True)
    assert len(played.illegal) == 1
    wrong = played.illegal[0]
    assert code in wrong.illegal
    assert wrong.seen
    number = played.steps.index(wrong)
    before, back = played.steps[number - 1], played.steps[number + 1]
    assert {id(p) for p in before.table} == {id(p) for p in back.table}, "the next step takes it back"
    assert {id(p) for p in wrong.table} != {id(p) for p in before.table}
    game_ = engine(played)
    for step in played.steps[:number]:
        if step.move:
            game_.push(game_.parse_move(step.move))
    if wrong.move:
        assert {v.code for v in game_.check(game_.parse_move(wrong.move))} == set(wrong.illegal)
    for step in played.steps[number + 1 :]:
        if step.move:
            game_.push(game_.parse_move(step.move))
    assert played.scores == tuple(s.total for s in game_.score())


def codes_in(*files: Path) -> set[str]:
    """Every code that a violation is made with in these files, from their text: none can be forgotten."""
    found: set[str] = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Violation", "violation") and node.args:
                found |= _values(node.args[0])
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "").strip("_") == "SENTENCES":
                found |= {key.value for key in node.value.keys}
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "code":
                found |= _values(node.value)
    return found


def _values(node: ast.expr) -> set[str]:
    """The texts that an expression may be: itself, or either branch of a condition."""
    if isinstance(node, ast.IfExp):
        return _values(node.body) | _values(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


@pytest.mark.parametrize("game", GAMES)
def test_every_code_is_staged_or_has_a_reason_why_no_camera_sees_it(game: str) -> None:
    root = Path(__file__).parents[2]
    made = codes_in(*(root / "rules" / game).glob("*.py"), root / "service" / "referee" / f"{game}.py")
    staged, unseen = set(VISIBLE_CODES[game]), set(UNSEEN_CODES[game])
    assert staged & unseen == set()
    assert made == staged | unseen
    assert all(len(reason) > 10 for reason in UNSEEN_CODES[game].values())


@pytest.mark.parametrize("game", GAMES)
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


@pytest.mark.parametrize("game", GAMES)
def test_a_short_game_is_short_and_has_scores(game: str) -> None:
    short, whole = play(game, 6, short=True), game_of(game)
    assert len(short.steps) < len(whole.steps)
    assert short.scores


@pytest.mark.parametrize("game", GAMES)
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


@pytest.mark.parametrize("game", GAMES)
def test_test_seeds_and_reserved_games_are_drawn_in_reserved_styles(game: str, monkeypatch) -> None:
    asked = []
    module = import_module(f"datasets.played.{game}")
    monkeypatch.setattr(module, f"play_{game}", lambda seed, **options: asked.append((seed, options["reserved"])))
    play(game, 6)
    play(game, 6, reserved=True)
    play(game, seed_of("validation", 6))
    play(game, seed_of("test", 6))
    assert [reserved for _, reserved in asked] == [False, True, False, True]


@pytest.mark.parametrize("reserved", [False, True])
def test_reserved_styles_are_those_that_training_never_sees(reserved: bool, monkeypatch) -> None:
    seeds = []
    seeded = tiles.TileStyle.seeded
    monkeypatch.setattr(tiles.TileStyle, "seeded", lambda seed: seeds.append(seed) or seeded(seed))
    play("triominos", 6, short=True, reserved=reserved, max_placements=2)
    assert seeds
    assert all((seed in tiles.TEST_STYLE_SEEDS) == reserved for seed in seeds)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        assert (CardDeck(rng, reserved).style.name in cards.RESERVED) == reserved
        assert (tronix._Table(rng, 2, reserved, 6).style.name in circuits.RESERVED) == reserved
    assert (trama._Table(np.random.default_rng(1), 1, 2, reserved).style.family in looms.TEST_FAMILIES) == reserved


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


@pytest.mark.parametrize("players", [2, 4])
def test_cards_of_el_truco_lie_in_their_players_zone_of_the_picture(players: int) -> None:
    for seed in range(8):
        played = play("truco", seed, players=players, short=True)
        for step in played.steps:
            if not step.seen or not step.table:
                continue
            piece = step.table[-1]
            x, y = played.camera.project([(piece.x, piece.y, 0.0)])[0]
            width, height = played.camera.width, played.camera.height
            assert seat_of((x / width, y / height), players) == step.player, step.move
            corners = played.extra["calibration"]["corners"]
            (u, v), *_ = on_table([(x, y)], (width, height), {"corners": corners})
            assert seat_of((u, v), players) == step.player


def test_el_truco_clears_the_table_for_each_deal() -> None:
    played = game_of("truco")
    deals = [number for number, step in enumerate(played.steps) if step.move == "deal"]
    assert len(deals) >= 3
    for number in deals:
        assert played.steps[number].table == ()
        assert played.steps[number - 1].table != ()


def test_trichon_says_what_a_card_cannot_show() -> None:
    played = game_of("trichon")
    waiting: dict[str, object] = {}
    cards = 0
    for step in played.steps:
        if step.call:
            assert not step.seen
            waiting[step.call["call"]] = step.call
            continue
        cards += 1
        if step.move:
            assert cards == waiting.get("together", {"cards": 1})["cards"]
            assert ("wild" in waiting) == ("*" in step.move)
            waiting, cards = {}, 0
    assert [len(step.table) for step in played.steps if step.seen] == list(range(1, len(played.steps[-1].table) + 1))


def test_tronix_takes_closed_circuits_away() -> None:
    played = game_of("tronix")
    game = engine(played)
    lifted = 0
    for number, step in enumerate(played.steps):
        if step.move:
            game.push(game.parse_move(step.move))
            if game.state.lifted:
                lifted += 1
                assert len(played.steps[number + 1].table) == len(step.table) - len(game.state.lifted)
                assert played.steps[number + 1].move == ""
    assert lifted > 0
    assert game.state.god


def test_looms_of_trama_lie_in_reading_order_and_show_the_cords() -> None:
    played = play("trama", 3, players=4, short=True)
    game = engine(played)
    for step in played.steps:
        if step.move:
            game.push(game.parse_move(step.move))
        rows = [(piece.y, piece.x) for piece in step.table]
        assert max(y for y, _ in rows[:3]) < min(y for y, _ in rows[3:])
        assert [x for _, x in rows[:3]] == sorted(x for _, x in rows[:3])
        for piece, loom in zip(step.table, game.state.looms, strict=True):
            drawn = Loom.from_json({"kind": "loom", **piece.sprite.facts})
            assert drawn == loom
