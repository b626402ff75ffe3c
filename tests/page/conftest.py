"""A real Chromium, a real server on a free port, and a table that a test moves on."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from filmed_table import FilmedTable

from datasets.played import Played
from service.app import create_app
from service.desk import Desk
from service.match import Match
from service.settings import Settings

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
NAMES = ["Ana", "Luis", "Marta", "Pablo", "Elena"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium. Where there is none the tests are skipped, but never where BROWSER_TESTS=required."""
    needed = os.environ.get("BROWSER_TESTS") == "required"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        if needed:
            raise
        pytest.skip("playwright is not installed")
    if CHROMIUM is None:
        if needed:
            pytest.fail("there is no chromium and BROWSER_TESTS says that there must be: apt-get install chromium")
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Served:
    """A server in a thread of this process, with its `desk` at hand; stopped and started, it is a new one."""

    def __init__(self, folder: Path, table: FilmedTable | None) -> None:
        self.folder, self.table = folder, table
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Begin to serve."""
        self.desk = Desk(Settings(data=self.folder), lambda source: self.table, lambda game, calibration: self.table)
        config = uvicorn.Config(create_app(self.desk), port=self.port, log_level="error", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        end = time.monotonic() + 20
        while not self._server.started and time.monotonic() < end:
            time.sleep(0.02)

    def stop(self) -> None:
        """End it as Ctrl+C would."""
        self._server.should_exit = True
        self._thread.join(timeout=15)
        self.desk.close()

    def begin(self, played: Played) -> Match:
        """The match of a played game, on the table."""
        setup = {key: value for key, value in played.setup.items() if key not in ("game", "players", "rules")}
        match = self.desk.new_match(played.game, NAMES[: played.seats], played.setup.get("rules", {}), setup)
        self.desk.table.use_camera("0")
        self.desk.table.use_match(match)
        return match


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts a server: `serve()` without a camera, `serve(FilmedTable(...))` with one."""
    running: list[Served] = []

    def start(table: FilmedTable | None = None) -> Served:
        running.append(Served(tmp_path / "data", table))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page: `tab(width=1366, height=768, lang="es")`. At the end, no page may have logged an error."""
    contexts, errors = [], []

    def note(kind: str, text: str, page: Any) -> None:
        if not getattr(page, "forgiving", False):
            errors.append(f"{kind}: {text}")

    def opened(width: int = 1366, height: int = 768, lang: str = "es", **more: Any) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="es-ES" if lang == "es" else "en-GB", **more
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: note("error", str(error), page))
        page.on("console", lambda line: line.type == "error" and note("console", line.text, page))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def shots() -> Path:
    """Where the pictures of each state go: the folder that CI keeps."""
    folder = Path(os.environ.get("PAGE_SHOTS", Path(__file__).resolve().parents[2] / "build" / "page"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
