"""The page in a real browser: how soon something is painted, and how many frames a second the live table shows.

A headless Chromium on this computer opens the page of a running demonstration: the simulated camera is filmed, gated,
read by the game's own eyes and judged while the frames are counted where they arrive, in the browser.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import uvicorn

from service.app import create_app
from service.bench.table import Row
from service.desk import Desk
from service.settings import load

GAME = "tronix"
SPEED = 4.0  # so that the eyes have something to read all the time
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
COUNT = """async seconds => {
  const reader = (await fetch('/api/v1/table/stream')).body.getReader();
  const text = new TextDecoder('latin1');
  await reader.read();
  let frames = 0;
  const begin = performance.now();
  while (performance.now() - begin < seconds * 1000) {
    const { value, done } = await reader.read();
    if (done) break;
    frames += text.decode(value).split('--frame').length - 1;
  }
  reader.cancel();
  return frames / ((performance.now() - begin) / 1000);
}"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[Desk, str]]:
    """A server of its own on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    desk = Desk(load({"data": folder}, environment={})[0])
    config = uvicorn.Config(create_app(desk), port=port, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield desk, f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def _paints(browser: Any, url: str, times: int) -> tuple[list[float], list[float]]:
    """Milliseconds until the first contentful paint and until the games can be chosen, each visit with a cold cache."""
    first, ready = [], []
    for _ in range(times):
        context = browser.new_context(viewport={"width": 1366, "height": 768})
        page = context.new_page()
        page.goto(f"{url}/#/")
        page.wait_for_selector(".game-card")
        ready.append(float(page.evaluate("performance.now()")))
        first.append(float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")))
        context.close()
    return first, ready


def rows(quick: bool = False) -> list[Row]:
    """First paint without a camera; then the live view, the pipeline at work and a page open as a player has it."""
    from playwright.sync_api import sync_playwright

    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        raise RuntimeError("there is no chromium here")
    times, seconds = (3, 3.0) if quick else (9, 15.0)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (desk, url), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        first, ready = _paints(browser, url, times + 1)
        desk.start_demo(GAME, speed=SPEED)
        page = browser.new_page()
        page.goto(f"{url}/#/table")
        page.wait_for_selector(".score")
        desk.table.wait(lambda: desk.table.readings > 0, 60)  # the networks are open
        frames, looks, began = desk.table.frames, desk.table.readings, time.monotonic()
        shown = float(page.evaluate(COUNT, seconds))
        passed = time.monotonic() - began
        filmed, looks = (desk.table.frames - frames) / passed, desk.table.readings - looks
        browser.close()
    note = f"of {filmed:.3g} filmed, {looks} looks of the eyes meanwhile, two live views open"
    return [
        Row("first contentful paint, cold", median(first[1:]), "ms", f"median of {times}, worst {max(first[1:]):.0f}"),
        Row("games can be chosen, cold", median(ready[1:]), "ms", f"worst {max(ready[1:]):.0f}"),
        Row("live view in the browser", shown, "frames/s", note),
    ]
