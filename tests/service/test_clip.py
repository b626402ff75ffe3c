"""A failure clip: saved from a running table, replayed, dropped into tests/regressions; and files that are none."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from rules.triominos import Triominos
from rules.triominos.moves import Place
from service.cli import main
from service.clip import ClipError, load_clip, replay_clip
from service.desk import Desk
from tests.service.conftest import Stage
from tests.service.tables import camera, tile_table
from vision.state import TableState

API = "/api/v1"
REGRESSIONS = Path(__file__).resolve().parent.parent / "regressions"


class Memory:
    """Eyes that know the pictures a test has shown, and what lay there."""

    def __init__(self) -> None:
        self.known: list[tuple[np.ndarray, TableState]] = []

    def learn(self, stage: Stage) -> None:
        self.known.append((stage.read().image[::40, ::40].astype(float), stage.table))

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        small = image[::40, ::40].astype(float)
        return min(self.known, key=lambda entry: float(np.abs(entry[0] - small).mean()))[1]


@pytest.fixture
def clip(client: TestClient, desk: Desk, stage: Stage, tmp_path: Path) -> tuple[Path, Memory, list[str]]:
    """A clip of two tiles laid before the camera."""
    match_id = client.post(f"{API}/matches", json={"game": "triominos", "players": ["Ana", "Luis"]}).json()["id"]
    assert client.post(f"{API}/table/report", json={}).json()["code"] == "no_frame"
    game, rng, view = Triominos(2), random.Random(4), camera(10)
    for number in range(4):
        moves = [m for m in game.legal_moves if isinstance(m, Place) and (number or m.player == 1)]
        game.push(rng.choice(moves))
        if number < 2:
            client.post(f"{API}/matches/{match_id}/declare", json={"move": str(game.moves[-1])})
    memory, played = Memory(), Triominos(2)
    for move in game.moves[:2]:
        played.push(move)
    stage.show(tile_table(played.state.table, view))
    memory.learn(stage)
    client.put(f"{API}/table/camera", json={"source": "0"})
    assert desk.table.wait(lambda: desk.table.state is not None, 10)
    for number in (2, 3):
        played.push(game.moves[number])
        stage.show(tile_table(played.state.table, view))
        memory.learn(stage)
        assert desk.table.wait(lambda n=number: len(desk.match(match_id).game.moves) == n + 1, 10)
        frames = len(desk.table.recorder.taken()[0])
        assert desk.table.wait(lambda n=frames: len(desk.table.recorder.taken()[0]) > n + 3, 10)
    answer = client.post(f"{API}/table/report", json={"note": "looked fine"})
    assert answer.headers["content-type"] == "application/zip"
    path = tmp_path / "clip.zip"
    path.write_bytes(answer.content)
    return path, memory, [str(move) for move in game.moves]


def test_a_clip_plays_again(clip: tuple[Path, Memory, list[str]]) -> None:
    path, memory, moves = clip
    description, frames = load_clip(path)
    assert description["note"] == "looked fine"
    assert description["before"] == moves[:2]
    assert description["moves"] == moves[2:]
    assert "Ana" not in json.dumps(description), "a clip names nobody"
    assert len(frames) >= 4
    found = replay_clip(path, memory)
    assert found.moves == moves[2:]
    assert found.recorded == moves[2:]
    assert found.right
    assert found.flags == []


def test_a_clip_with_an_expectation_is_a_test(clip: tuple[Path, Memory, list[str]], tmp_path: Path) -> None:
    path, memory, moves = clip
    for expected, right in ((moves[2:], True), (moves[2:3], False)):
        copy = tmp_path / "expected.zip"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                if name == "clip.json":
                    data = json.dumps({**json.loads(data), "expected": expected}).encode()
                new.writestr(name, data)
        assert replay_clip(copy, memory).right is right


def test_files_that_are_no_clips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.zip"
    path.write_text("not a zip")
    with pytest.raises(ClipError, match="no clip"):
        load_clip(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("other.json", "{}")
    with pytest.raises(ClipError, match=r"clip\.json"):
        load_clip(path)
    for content in ("[1", '{"format": 1}', '{"format": 9, "frames": []}', "[]",
                    '{"format": 1, "frames": [{"file": "../../etc/passwd", "time": 0}]}'):  # fmt: skip
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("clip.json", content)
        with pytest.raises(ClipError):
            load_clip(path)
    assert main(["replay", str(path), str(tmp_path / "nowhere.zip")]) == 1
    assert "nowhere.zip" in capsys.readouterr().err
    assert main(["report", "--port", "1", "-o", str(tmp_path / "out.zip")]) == 1
    assert "tapete watch" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.zip")), ids=lambda path: path.stem)
def test_regressions_stay_fixed(path: Path) -> None:
    """Every clip in tests/regressions is understood as it says it should be."""
    found = replay_clip(path)
    assert found.expected is not None, "a regression says what is expected"
    assert found.moves == found.expected
