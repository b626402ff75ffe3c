"""A match: its log decides everything, nothing is lost, and every change of the past is explained."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.game import IllegalMove, NotationError
from rules.triominos.moves import Place
from service.findings import aligned, letters
from service.follow import crop, follow
from service.games import GAMES
from service.match import Match, MatchError, start_match
from service.problems import Problem
from service.replay import replay
from service.report import export_html, export_json, import_json
from service.store import Store
from tests.service.tables import camera, tile_table
from vision.state import Piece

Make = Callable[..., Match]
PLAYERS = {"triominos": 2, "truco": 4, "trichon": 2, "tronix": 2, "trama": 2}


def some_move(match: Match, rng: random.Random) -> str:
    moves = []
    for move in match.game.legal_moves:
        moves.append(move)
        if len(moves) >= 60:
            break
    return match.game.format_move(rng.choice(moves))


def placements(match: Match, count: int, seed: int = 1) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        match.play(str(rng.choice([m for m in match.game.legal_moves if isinstance(m, Place)])))


def facts(match: Match) -> dict[str, object]:
    """Everything that the log decides."""
    state = match.state()
    return {key: value for key, value in state.items() if key != "instruction"}


@settings(max_examples=25, deadline=None)
@given(
    game=st.sampled_from(sorted(GAMES)),
    actions=st.lists(st.sampled_from(["move", "move", "move", "undo", "redo", "correct", "strike"]), max_size=10),
    seed=st.integers(0, 10_000),
)
def test_replaying_the_log_gives_the_same_state(game: str, actions: list[str], seed: int) -> None:
    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        names = [f"P{i}" for i in range(PLAYERS[game])]
        match = Match(store, start_match(store, "m_1", 0.0, game=game, players=names, options={}, setup={}))
        for action in actions:
            # Nothing to undo, or the game is over: then nothing happens.
            with suppress(MatchError, IndexError):
                act(match, action, rng)
        again = Match(store, match.record)
        assert facts(again) == facts(match)
        assert again.game.to_json() == match.game.to_json()
        record, drafts, times = import_json(json.loads(export_json(match)))
        store.create(record)
        store.append(record.id, 0, drafts, times)
        copy = Match(store, record)
        assert copy.game.to_json() == match.game.to_json()
        assert [entry.text for entry in copy.position.aside] == [entry.text for entry in match.position.aside]
        assert copy.position.can_redo == match.position.can_redo
        store.close()


def act(match: Match, action: str, rng: random.Random) -> None:
    """Something that a person may do to a match."""
    if action == "move":
        match.play(some_move(match, rng))
    elif action in ("undo", "redo"):
        getattr(match, action)()
    else:
        entry = rng.choice(match.position.entries)
        first = next(iter(match.game_before(entry.event).legal_moves))
        match.correct(entry.event, None if action == "strike" else match.game.format_move(first))


def test_a_correction_recomputes_what_follows_and_says_so(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    placements(match, 4)
    before = [score.total for score in match.game.score()]
    entry = match.position.entries[1]
    others = [
        str(move)
        for move in match.game_before(entry.event).legal_moves
        if isinstance(move, Place) and str(move) != entry.text
    ]
    changed = match.correct(entry.event, others[0])
    assert changed["before"] == before
    assert changed["after"] == [score.total for score in match.game.score()]
    assert any(line["event"] == entry.event and line["is"] == others[0] for line in changed["moves"])
    assert changed["es"]
    assert changed["en"]
    assert match.position.entries[1].text == others[0]
    match.undo()
    assert [score.total for score in match.game.score()] == before
    match.redo()
    assert match.position.entries[1].text == others[0]


def test_moves_that_a_correction_makes_illegal_are_set_aside_not_lost(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    placements(match, 5, seed=2)
    first = match.position.entries[0].event
    changed = match.correct(first, None)
    assert changed["set_aside"]
    state = match.state()
    assert {move["event"] for move in state["set_aside"]} == set(changed["set_aside"])
    assert all(move["violations"] for move in state["set_aside"])
    assert str(len(changed["set_aside"])) in changed["en"]
    match.undo()
    assert match.state()["set_aside"] == []
    assert len(match.game.moves) == 5


def test_an_illegal_correction_changes_nothing(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    placements(match, 3)
    last = match.position.seq
    with pytest.raises(IllegalMove):
        match.correct(match.position.entries[2].event, match.position.entries[0].text)
    with pytest.raises(NotationError):
        match.correct(match.position.entries[2].event, "nonsense")
    with pytest.raises(MatchError, match="no move in force"):
        match.correct(1, None)
    assert match.position.seq == last


def test_after_an_undo_the_table_as_it_lies_is_not_judged_again(new_match: Make) -> None:
    rng = random.Random(5)
    match = new_match("triominos", ["Ana", "Luis"])
    placements(match, 3)
    view = camera(20, 10)
    table = tile_table(match.game.state.table, view, rng)
    follow(match, table)
    match.undo()
    follow(match, table)
    assert len(match.game.moves) == 2  # the tile still lies there, but a person has said that it does not count
    without = tile_table(match.game.state.table, view, rng)
    follow(match, without)
    assert not match.position.illegal
    follow(match, table)
    assert len(match.game.moves) == 3


def test_evidence_is_a_clean_crop_around_the_piece(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    match.call({"call": "opener", "player": 1})
    view = camera(0, 0)
    script = new_match("triominos", ["Ana", "Luis"])
    placements(script, 1)
    image = np.full((720, 1280, 3), 90, np.uint8)
    follow(match, tile_table(script.game.state.table, view), image)
    entry = match.position.entries[0]
    assert entry.evidence
    picture = match.store.evidence(match.id, entry.event)
    assert picture is not None
    assert picture[:2] == b"\xff\xd8"
    far = Piece("tile", "0-0-0", ((5000.0, 5000.0), (5100.0, 5000.0), (5050.0, 5080.0)), 1.0)
    assert crop(image, [far]) is None
    assert crop(None, [far]) is None


def test_the_report_has_totals_moves_and_evidence_and_escapes_names(new_match: Make) -> None:
    match = new_match("triominos", ["<b>Ana</b>", "Luis"])
    rng = random.Random(1)
    move = str(rng.choice([m for m in match.game.legal_moves if isinstance(m, Place)]))
    match.play(move, "camera", b"\xff\xd8 not much of a picture")
    page = export_html(match)
    assert "<b>Ana" not in page
    assert "&lt;b&gt;Ana" in page
    assert "data:image/jpeg;base64," in page
    assert str(match.game.score()[match.position.entries[0].player or 0].total) in page


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.update(format="other"),
        lambda data: data.update(game="chess"),
        lambda data: data["events"].pop(1),
        lambda data: data["events"][1]["data"].update(move="nonsense"),
        lambda data: data["events"].append({"kind": "undo"}),
        lambda data: data["score"][0].update(total=999),
        lambda data: data["events"][1].update(picture="bm90IGEgcGljdHVyZQ=="),
        lambda data: data.update(players=[1, 2]),
    ],
)
def test_a_damaged_export_is_refused(new_match: Make, damage: Callable[[dict[str, object]], object]) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    placements(match, 3)
    data = json.loads(export_json(match))
    damage(data)
    with pytest.raises(Problem) as error:
        import_json(data)
    assert error.value.code == "bad_setup"


def test_a_question_waits_and_its_answer_plays(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Luis"])
    script = new_match("triominos", ["Ana", "Luis"])
    placements(script, 1)
    follow(match, tile_table(script.game.state.table, camera()))
    (name, asked), *_ = match.position.questions.items()
    assert asked["kind"] == "player"
    assert match.game.moves == ()
    with pytest.raises(MatchError, match="no such answer"):
        match.answer(name, "zz")
    match.answer(name, "b")
    assert match.position.entries[0].player == 1
    assert match.position.entries[0].source == "answer"
    with pytest.raises(MatchError, match="not open"):
        match.answer(name, "a")


def test_a_tile_named_by_a_person_keeps_the_corner_that_the_eyes_began_at() -> None:
    corners = ((0.0, 0.0), (10.0, 0.0), (5.0, 9.0))
    tile = Piece("tile", "1-1-5", corners, 0.4, (("2-1-5", 0.2),))
    assert aligned(tile, "1-2-1") == "1-1-2"
    assert aligned(tile, "5-1-1") == "1-1-5"
    assert aligned(Piece("card", "7-copas", (*corners, (0.0, 9.0)), 0.4), "1-copas") == "1-copas"


def test_letters_of_answers() -> None:
    assert [letters(n) for n in (0, 25, 26, 27, 51, 52)] == ["a", "z", "aa", "ab", "az", "ba"]


def test_a_log_of_another_process_is_taken_in(store: Store) -> None:
    record = start_match(store, "m_1", 0.0, game="truco", players=["Ana", "Luis"], options={}, setup={})
    one, two = Match(store, record), Match(store, record)
    one.play("1 7-copas")
    two.refresh()
    assert facts(one) == facts(two)
    assert replay(two._start, store.events("m_1")).game.to_json() == one.game.to_json()
