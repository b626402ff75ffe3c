"""What a frame costs on its whole way: gate, eyes, stabiliser, referee, log, message, live view; start-up and memory.

A short game of each kind is walked by the real eyes and every step of the way is timed. Processor time is given beside
the wall's, because only it stays comparable on a busy computer; the shares say where the time goes.
"""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import uvicorn

from datasets.played import play
from datasets.simcam import Film
from datasets.splits import seed_of
from service.app import create_app
from service.bench.table import Row
from service.bench.vision import clocks, pair
from service.desk import Desk
from service.eyes import table_eyes
from service.match import Match
from service.overlay import jpeg
from service.recorder import Recorder
from service.referee.base import Mark
from service.settings import load
from service.store import Store
from service.table import Looks
from service.walk import walk
from vision.camera import CameraStatus, Frame
from vision.gate import Gate
from vision.stabiliser import Stabiliser
from vision.state import TableState

GAMES = ("triominos", "truco", "trama", "tronix")
SEED = 41
WAY = ("gate", "eyes", "stabiliser", "referee, event, store")  # the rest is part of these or comes after
Spent = dict[str, list[np.ndarray]]


def rows(quick: bool) -> list[Row]:
    """Every game's walk, what the live view costs and gives, start-up and memory."""
    found: list[Row] = []
    for game in GAMES[:1] if quick else GAMES:
        found += walk_rows(game)
    found += live_rows(2.0 if quick else 6.0)
    found += start_rows(1 if quick else 3)
    return found


# -- the walk ----------------------------------------------------------------------------------------------------------


@contextmanager
def timed(places: list[tuple[str, Any, str]]) -> Iterator[Spent]:
    """While open, every call of these functions (name, owner, attribute) is timed."""
    spent: Spent = defaultdict(list)

    def watch(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            began = clocks()
            try:
                return plain(*args, **more)
            finally:
                spent[name].append(clocks() - began)

        return call

    with ExitStack() as stack:
        for name, owner, attribute in places:
            stack.enter_context(patch.object(owner, attribute, watch(name, getattr(owner, attribute))))
        yield spent


def walk_rows(game: str, film: Film | None = None, eyes: Looks | None = None) -> list[Row]:
    """One short game: how long each stage takes, its share, and the latency from a stable frame to the event."""
    import service.walk as walking

    film = film or Film(play(game, seed_of("test", SEED), short=True))
    eyes = eyes or table_eyes(game)
    eyes.read(film.picture(0))  # networks are loaded on the first look
    places = [
        ("gate", Gate, "update"),
        ("eyes", type(eyes), "read"),
        ("stabiliser", Stabiliser, "update"),
        ("referee, event, store", walking, "follow"),
        ("of which the store", Store, "append"),
        ("the match as a message", Match, "state"),
    ]
    with tempfile.TemporaryDirectory(prefix="tapete-bench-") as folder, timed(places) as spent:
        store = Store(Path(folder))
        walked = walk(film, eyes=eyes, store=store, hands=False)
        for _ in range(5):
            walked.match.state()
        store.close()
    work = {name: float(np.sum(times, axis=0)[1]) for name, times in spent.items()}
    whole = sum(work.get(name, 0.0) for name in WAY)
    found = []
    if walked.latencies:
        note = f"{len(walked.latencies)} events, {walked.readings} looks"
        found.append(
            Row(f"{game}: stable frame to event, p95", float(np.quantile(walked.latencies, 0.95)), "ms", note)
        )
    for name, times in spent.items():
        share = f"{len(times)} calls, {100 * work[name] / max(whole, 1e-9):.1f} % of the walk's processor time"
        found += pair(f"{game}: {name}", times, note=share)[:1]
    return found


# -- the live view -----------------------------------------------------------------------------------------------------


class _Stage:
    """A camera of thirty frames a second that costs nothing to draw."""

    def __init__(self) -> None:
        film = Film(play("triominos", seed_of("test", SEED), short=True))
        at = round(film.rest_of(len(film.played.steps))[0] * film.fps) + 2
        self.pictures = [film.picture(at + i) for i in range(3)]
        self._began, self._taken = time.monotonic(), -1

    def read(self) -> Frame | None:
        """The frame whose time it is."""
        now = time.monotonic() - self._began
        index = int(now * 30)
        if index == self._taken:
            return None
        self._taken = index
        return Frame(self.pictures[index % 3], now, index)

    @property
    def status(self) -> CameraStatus:
        """Well."""
        return CameraStatus("ok")

    def close(self) -> None:
        """Nothing to let go of."""


def live_rows(seconds: float) -> list[Row]:
    """What one frame costs the page and the recorder, and how many a second arrive in a browser's place."""
    stage = _Stage()
    eyes = table_eyes("triominos")
    state: TableState = eyes.read(stage.pictures[0])
    marks = [Mark(piece, "accepted") for piece in state.pieces]
    frame = Frame(stage.pictures[0], 0.0, 1)
    places: dict[str, Callable[[], object]] = {
        "live view: a frame as JPEG": lambda: jpeg(frame),
        f"live view: a frame with {len(marks)} outlines": lambda: jpeg(frame, marks),
        "recorder: a frame kept": lambda: Recorder(per_second=1e9).saw(frame),
    }
    found = []
    for name, act in places.items():
        act()
        times = []
        for _ in range(12):
            began = clocks()
            act()
            times.append(clocks() - began)
        found += pair(name, times)[:1]
    return [*found, *_streamed(stage, seconds)]


def _streamed(stage: _Stage, seconds: float) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="tapete-bench-") as folder:
        settings = load({"data": Path(folder)}, environment={})[0]
        desk = Desk(settings, lambda source: stage)
        desk.table.use_match(desk.new_match("triominos", ["Ana", "Luis"], {}, {}))
        desk.table.use_camera("0")
        server = uvicorn.Server(uvicorn.Config(create_app(desk), host="127.0.0.1", port=0, log_level="error"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            counts = [_frames_of(port, view, seconds) for view in ("", "?overlay=true")]
        finally:
            server.should_exit = True
            thread.join(timeout=15)
            desk.close()
    asked = f"of {settings.stream_fps:g} asked for, camera at 30 a second, eyes reading beside it"
    return [
        Row("live view: frames", counts[0], "per s", asked),
        Row("live view with outlines: frames", counts[1], "per s", asked),
    ]


def _frames_of(port: int, view: str, seconds: float) -> float:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    link.request("GET", f"/api/v1/table/stream{view}")
    answer = link.getresponse()
    count, began = 0, 0.0
    while not began or time.monotonic() - began < seconds:
        line = answer.fp.readline()
        if line.startswith(b"--frame"):
            began = began or time.monotonic()
            count += 1
    took = time.monotonic() - began
    link.close()
    return (count - 1) / took


# -- start-up ----------------------------------------------------------------------------------------------------------


def start_rows(times: int) -> list[Row]:
    """From the command `tapete demo` to the first picture on the page, in fresh processes, and their memory."""
    took, memory = [], []
    for _ in range(times):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        began = time.monotonic()
        command = [sys.executable, "-m", "service.cli", "demo", "--no-browser", "--port", str(port)]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}/api/v1/table"
            while not _sees(url):
                if process.poll() is not None or time.monotonic() - began > 180:
                    return [Row("start-up of the demo", float("nan"), "s", "it did not come up")]
                time.sleep(0.05)
            took.append(time.monotonic() - began)
            time.sleep(3.0)
            memory.append(_largest(process.pid))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
    note = f"command to the first table read, least of {times}"
    return [
        Row("start-up of the demo", min(took), "s", note),
        Row("memory of the demo", max(memory), "MB", "largest resident size with eyes, server and simulated camera"),
    ]


def _sees(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # nosec B310
            return json.load(answer)["state"] is not None
    except OSError:
        return False


def _largest(process: int) -> float:
    status = Path(f"/proc/{process}/status")
    for line in status.read_text().splitlines() if status.is_file() else ():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")
