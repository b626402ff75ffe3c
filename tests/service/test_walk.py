"""Short played games through the whole pipeline: filmed, gated, looked at, stabilised, judged and kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from datasets.played import GAMES, VISIBLE_CODES, play
from datasets.simcam import Film
from service.match import Match
from service.report import export_json, import_json
from service.walk import TrueEyes, walk

SMALL = (640, 360)
# One code of every game in the tests; `tapete bench referee` stages them all.
STAGED = (
    ("triominos", "value_clash"),
    ("truco", "third_card"),
    ("trichon", "card_played"),
    ("tronix", "last_moved"),
    ("tronix", "cell_occupied"),
    ("trama", "crossing_flipped"),
    ("trama", "diagonal"),
    ("trama", "lane_occupied"),
    ("trama", "too_few_cords"),
)
# With the networks that come with the program: whole games are for `tapete bench referee`.
REAL = (("tronix", 1_100_002), ("trama", 1_100_002))
FEW = 6


def carried(match: Match) -> None:
    """What the referee wrote can be taken in elsewhere: the checks against made-up logs know every kind of event."""
    whole = json.loads(export_json(match))
    record, drafts, _ = import_json(whole)
    assert [draft.kind for draft in drafts] == [event["kind"] for event in whole["events"]]
    assert record.players == match.record.players


@pytest.mark.parametrize("game", GAMES)
def test_a_short_game_ends_with_the_score_of_the_script(game: str) -> None:
    played = play(game, 1_100_000, short=True, size=SMALL)
    film = Film(played)
    found = walk(film, eyes=TrueEyes(film), hands=game == "truco")
    assert found.totals == played.scores
    assert found.exact
    assert found.lost == []
    assert found.questions == []
    assert found.flags == []
    carried(found.match)
    moves = [step for step in played.steps if step.move]
    assert len(found.match.position.entries) == len(moves)
    for entry, step in zip(found.match.position.entries, moves, strict=True):
        # What was seen has its picture; what was said has none, and a cleared table has nothing to show.
        assert bool(entry.evidence) == (step.seen and bool(step.table)), step.move


@pytest.mark.parametrize(("game", "seed"), REAL)
def test_the_games_own_eyes_follow_a_few_moves_exactly(game: str, seed: int) -> None:
    played = play(game, seed, short=True)
    short = replace(played, steps=played.steps[:FEW])
    found = walk(Film(short))
    assert found.lost == []
    assert found.totals == short.scores
    assert found.exact
    assert found.flags == []
    assert len(found.questions) <= 2
    carried(found.match)


@pytest.mark.parametrize(("game", "code"), STAGED)
def test_an_illegal_placement_is_flagged_with_its_code_and_taken_back(game: str, code: str) -> None:
    assert code in VISIBLE_CODES[game]
    film = Film(play(game, 1_100_001, illegal=code, short=True, size=SMALL))
    found = walk(film, eyes=TrueEyes(film), hands=False)
    assert code in {name for flag in found.flags for name in flag.codes}
    assert found.caught
    assert found.false_alarms == []
    assert not found.match.position.illegal
    assert found.exact
    carried(found.match)
