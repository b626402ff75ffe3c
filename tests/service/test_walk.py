"""Short played games through the whole pipeline: filmed, gated, looked at, stabilised, judged and kept."""

from __future__ import annotations

import pytest

from datasets.played import GAMES, VISIBLE_CODES, play
from datasets.simcam import Film
from service.walk import TrueEyes, walk

SMALL = (640, 360)
# One code of every game in the tests; `tapete bench referee` stages them all.
STAGED = (
    ("triominos", "value_clash"),
    ("truco", "third_card"),
    ("trichon", "card_played"),
    ("tronix", "last_moved"),
    ("trama", "crossing_flipped"),
)


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
    seen = [step for step in played.steps if step.seen and step.move]
    pictures = [entry for entry in found.match.position.entries if entry.evidence]
    assert len(pictures) >= len(seen) - 8  # a cleared table has nothing to show


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
