"""Every command in the README and in docs/ is run: as written, on drawn photographs, in an empty folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import pytest

from datasets.art.cards import STYLES
from datasets.played import play
from datasets.simcam import Film
from service.app import create_app
from service.desk import Desk
from service.games import GAMES, GameInfo
from service.problems import STATUS
from service.settings import Settings
from tests.drawn_decks import sheet
from vision.cards.labels import FACES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TAPETE = [sys.executable, "-m", "service.cli"]
SETS_UP = ("make ", "py -m ", ".venv\\", "python3 -m venv", ".venv-train/bin/pip")  # tests/fresh_clone.sh tries them
TRAINS = ".venv-train/bin/python -m models.train "


def commands(page: Path) -> list[str]:
    """The lines of indented code blocks, joined where they end in a backslash, without their comments."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found = [re.sub(r"\s+# .*", "", line).strip() for line in joined.splitlines()]
    starts = ("tapete ", "curl ", "make ", "py ", "python3 ", ".venv")
    return [line for line in found if line.startswith(starts)]


ALL = [(page.name, command) for page in PAGES for command in commands(page)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands name."""
    made = tmp_path_factory.mktemp("docs")
    film = Film(play("triominos", 5, short=True))
    step = len(film.played.steps)
    cv2.imwrite(str(made / "photo.jpg"), film.picture(int(film.rest_of(step)[0] * film.fps) + 1))
    loom = play("trama", 5, short=True)
    film = Film(loom)
    cv2.imwrite(str(made / "loom.jpg"), film.picture(int(film.rest_of(len(loom.steps))[0] * film.fps) + 1))
    (made / "setup.json").write_text(json.dumps({}))
    faces = [face for face in FACES if face != "comodin"]
    for number in range(1, 5):
        (made / f"row{number}.jpg").write_bytes(sheet(faces[10 * number - 10 : 10 * number], STYLES["plana"], number))
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[int]:
    """`tapete watch` on a free port, with a simulated camera."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = {**os.environ, "TAPETE_DATA": str(folder / "data")}
    arguments = [*TAPETE, "watch", "--port", str(port), "--camera", "demo:triominos"]
    process = subprocess.Popen(arguments, env=environment, cwd=folder, stderr=subprocess.DEVNULL)
    wait_for(f"http://127.0.0.1:{port}/api/v1/table/snapshot")
    yield port
    process.terminate()
    process.wait(timeout=15)


def wait_for(url: str) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < end, f"{url} never answered"
            time.sleep(0.2)


def test_the_pages_have_commands() -> None:
    assert len(ALL) > 15


@pytest.mark.parametrize(("page", "command"), ALL, ids=[f"{page}: {command}"[:70] for page, command in ALL])
def test_a_command_works(page: str, command: str, folder: Path, request: pytest.FixtureRequest) -> None:
    if command.startswith(SETS_UP):
        if command.startswith("make "):
            target = command.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    if command.startswith(TRAINS):  # a training takes its time; tests/models runs a tiny one of each family
        from models import train

        options, rest = train.parse(shlex.split(command.removeprefix(TRAINS)))
        assert train.jobs(options, rest)
        return
    words = shlex.split(command)
    if words[0] == "curl":
        if shutil.which("curl") is None:
            pytest.skip("there is no curl here")
        port = request.getfixturevalue("server")
        words = [word.replace("8770", str(port)) for word in words]
        done = subprocess.run([*words, "--fail"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
        return
    environment = {**os.environ, "TAPETE_DATA": str(folder / "data"), "BROWSER": "true"}
    if words[1] == "report":
        environment["TAPETE_PORT"] = str(request.getfixturevalue("server"))
    if words[1] == "replay" and not (folder / "clip.zip").exists():
        pytest.skip("the report before it was not written")
    if words[1] in ("watch", "demo"):
        starts(words[1:], environment, folder)
        return
    done = subprocess.run(
        [*TAPETE, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout


def starts(words: list[str], environment: dict[str, str], folder: Path) -> None:
    """A server command: it comes up and answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        environment = {**environment, "TAPETE_PORT": str(probe.getsockname()[1]), "TAPETE_DATA": str(folder / "other")}
    process = subprocess.Popen([*TAPETE, *words], env=environment, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert any("Tapete is at" in line for line in process.stderr)
    finally:
        process.terminate()
        process.communicate(timeout=15)


def test_the_python_of_the_readme(server: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code
    for block in code:
        exec(block.replace("8770", str(server)), {})
    assert "triominos" in capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_option_of_a_game_is_explained(game: GameInfo) -> None:
    """docs/games.md names all options that a table may agree on, and no other, in the section of their game."""
    sections = (ROOT / "docs" / "games.md").read_text(encoding="utf-8").split("\n## ")
    (section,) = [text for text in sections if text.startswith(game.title[0])]
    words = " ".join(re.findall(r"Options?:.*", section, re.DOTALL)).split("Other decks")[0]
    told = set(re.findall(r"`([a-z_]+)`", words))
    rules = game.rules_class()
    assert rules is not None
    known = {option.name for option in fields(rules)}
    assert known <= told
    assert told - known <= {"share", "none"}, "what is explained must exist"


def test_every_route_and_error_of_the_api_is_listed() -> None:
    """docs/api.md has each method and path once, and each code."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = {
        f"{method} {re.sub('{[^}]*}', '*', path.partition('?')[0])}"
        for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/[^` ]*)", text)
    }
    with TemporaryDirectory() as folder:
        desk = Desk(Settings(data=Path(folder)))
        paths = create_app(desk).openapi()["paths"]
        desk.close()
    routes = {
        f"{method.upper()} {re.sub('{[^}]*}', '*', path.removeprefix('/api/v1'))}"
        for path in paths
        for method in paths[path]
    }
    assert routes - listed == set()
    assert listed - routes == set()
    assert {code for code in STATUS if f"`{code}`" not in text} == set()


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
