"""What `tapete bench pipeline` measures with; the figures themselves are for quiet computers."""

from __future__ import annotations

import time

import pytest

from datasets.played import play
from datasets.simcam import Film
from service.bench import pipeline
from service.walk import TrueEyes
from vision.gate import Gate


def test_every_stage_of_the_walk_has_a_row() -> None:
    film = Film(play("trichon", 3, short=True))
    plain = Gate.update
    rows = {row.name: row for row in pipeline.walk_rows("trichon", film, TrueEyes(film))}
    assert Gate.update is plain
    for stage in ("gate", "eyes", "stabiliser", "referee, event, store", "of which the store"):
        assert rows[f"trichon: {stage}, p50"].value > 0
    shares = [float(rows[f"trichon: {stage}, p50"].note.split(" calls, ")[1].split(" %")[0]) for stage in pipeline.WAY]
    assert sum(shares) == pytest.approx(100, abs=0.5)
    assert rows["trichon: stable frame to event, p95"].value > 0


def test_calls_are_timed_and_put_back() -> None:
    class Thing:
        def act(self, seconds: float) -> str:
            time.sleep(seconds)
            return "done"

    plain = Thing.act
    with pipeline.timed([("thing", Thing, "act")]) as spent:
        assert Thing().act(0.02) == "done"
        with pytest.raises(TypeError):
            Thing().act("no number")  # type: ignore[arg-type]
    assert Thing.act is plain
    assert len(spent["thing"]) == 2
    assert spent["thing"][0][0] >= 19


def test_the_live_view_delivers_frames() -> None:
    rows = {row.name: row for row in pipeline.live_rows(0.5)}
    assert rows["live view: frames"].value > 0.5
    assert rows["live view with outlines: frames"].value > 0.5
    assert rows["recorder: a frame kept, p50"].value > 0
