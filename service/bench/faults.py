"""What happens when things go wrong, counted: kills, full disks, locks, bad models, stalled clients, a long evening.

Every function makes one kind of trouble for real and returns what was counted; the tests run short forms of the same.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
import websockets

from service.app import create_app
from service.bench.table import Row
from service.desk import Desk
from service.games import GAMES
from service.hub import Hub
from service.match import Match, start_match
from service.settings import load
from service.store import Conflict, Store, StoreError
from vision.camera import CameraStatus, Frame
from vision.state import TableState

WRITER = """
import random, sys, time
from pathlib import Path
from service.match import Match
from service.store import Conflict, Store
from rules.triominos.moves import Place
store = Store(Path(sys.argv[1]))
match = Match(store, store.record("m_fault"))
rng = random.Random(int(sys.argv[2]))
while True:
    try:
        game = match.game
        if game.outcome() is not None or len(game.moves) > 20:
            match.undo()
        else:
            move = next(m for m in game.legal_moves if rng.random() < 0.2 or not isinstance(m, Place))
            match.play(str(move), "camera", bytes([255, 216]) + bytes(3000))
        print(match.position.seq, flush=True)
    except (StopIteration, Conflict):
        match.refresh()
"""


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tapete-faults-") as name:
        yield Path(name)


def _begin(folder: Path) -> None:
    store = Store(folder)
    start_match(store, "m_fault", time.time(), game="triominos", players=["Ana", "Luis"], options={}, setup={})
    store.close()


@dataclass(slots=True)
class Killed:
    """What was left after kills."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    unreadable: int = 0
    evidence_missing: int = 0


def sigkill(times: int, seed: int = 1) -> Killed:
    """Kill a writing process at random moments; whatever it had acknowledged must be there."""
    rng, result = random.Random(seed), Killed()
    with _folder() as folder:
        _begin(folder)
        for number in range(times):
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(folder), str(number)], stdout=subprocess.PIPE, text=True
            )
            assert writer.stdout is not None
            last = int(writer.stdout.readline())
            end = time.monotonic() + rng.uniform(0.0, 0.3)
            while time.monotonic() < end:
                last = int(writer.stdout.readline())
            writer.kill()
            rest = writer.stdout.read().split("\n")
            whole = [int(word) for word in rest[:-1] if word]  # the last line may be cut
            last = max([last, *whole])
            writer.wait()
            result.kills += 1
            result.acknowledged = last
            _after_kill(folder, last, result)
    return result


def _after_kill(folder: Path, last: int, result: Killed) -> None:
    try:
        store = Store(folder)
        try:
            record = store.record("m_fault")
            assert record is not None
            events = store.events("m_fault")
            Match(store, record).state()
            result.lost += max(0, last - len(events))
            result.lost += sum(1 for n, event in enumerate(events, 1) if event.seq != n)
            result.evidence_missing += sum(1 for e in events if e.evidence and store.evidence("m_fault", e.seq) is None)
        finally:
            store.close()
    except (StoreError, AssertionError):
        result.unreadable += 1


def disk_full() -> str:
    """Let the disk run full in the middle of a match, then make room; returns what the person is told."""
    with _folder() as folder:
        _begin(folder)
        store = Store(folder)
        record = store.record("m_fault")
        assert record is not None
        match = Match(store, record)
        _act(match)
        before = match.position.seq
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count={pages}")
        words = ""
        for _ in range(400):
            try:
                _act(match)
                before = match.position.seq
            except StoreError as error:
                words = str(error)
                break
        assert words, "the disk never ran full"
        store._db.execute("PRAGMA max_page_count=1073741823")
        _act(match)
        after = Match(store, record)
        assert after.position.seq == before + 1, "an event was lost or written twice"
        store.close()
        return words


def locked() -> str:
    """Another program holds the database; returns what the person is told. Afterwards the match goes on."""
    with _folder() as folder:
        _begin(folder)
        store = Store(folder, busy_seconds=0.2)
        record = store.record("m_fault")
        assert record is not None
        match = Match(store, record)
        other = sqlite3.connect(folder / "tapete.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        words = ""
        try:
            _act(match)
        except StoreError as error:
            words = str(error)
        other.execute("ROLLBACK")
        other.close()
        _act(match)
        assert len(match.game.moves) == 1
        store.close()
        return words


def two_writers(moves: int) -> tuple[int, int]:
    """Two processes' worth of writers on one match: (acknowledged, found), which must be equal, in one order."""
    with _folder() as folder:
        _begin(folder)
        counts = [0, 0]

        def write(which: int) -> None:
            store = Store(folder)
            record = store.record("m_fault")
            assert record is not None
            match = Match(store, record)
            while counts[which] < moves:
                try:
                    _act(match)
                    counts[which] += 1
                except Conflict:
                    match.refresh()
            store.close()

        threads = [threading.Thread(target=write, args=(which,)) for which in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        store = Store(folder)
        events = store.events("m_fault")
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        store.close()
        return sum(counts), len(events) - 1


def _act(match: Match) -> None:
    """One event: a legal move, or an undo where there is none or the game grows long."""
    move = next(iter(match.game.legal_moves), None)
    if move is None or len(match.game.moves) > 20:
        match.undo()
    else:
        match.play(match.game.format_move(move), "camera", bytes([255, 216]) + bytes(2000))


def damaged_models() -> int:
    """Every model missing, then cut in half: how many games fail to say in words what is wrong."""
    from vision import onnx
    from vision.eyes import Eyes

    silent = 0
    real = onnx.WEIGHTS
    image = np.full((360, 640, 3), 90, np.uint8)
    with _folder() as folder:
        for damage in ("missing", "half"):
            for path in real.glob("*.onnx"):
                if damage == "half":
                    (folder / path.name).write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            onnx.WEIGHTS = folder
            onnx.load.cache_clear()
            try:
                for game in GAMES:
                    try:
                        Eyes(game).read(image)
                    except onnx.ModelError:
                        continue
                    except Exception:
                        silent += 1
            finally:
                onnx.WEIGHTS = real
                onnx.load.cache_clear()
    return silent


@dataclass(slots=True)
class Listened:
    """What many WebSocket clients got."""

    clients: int
    messages: int
    complete: int
    slowest_publish_ms: float


def many_clients(count: int, messages: int) -> Listened:
    """Half of the clients stall (they never read); the others must get everything, in order, and nobody waits."""
    with _folder() as folder:
        desk = Desk(load({"data": folder}, environment={})[0])
        desk.hub = Hub(kept=max(256, messages + 10))
        config = uvicorn.Config(create_app(desk), host="127.0.0.1", port=0, log_level="error", ws_max_queue=8)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            with ThreadPoolExecutor(1) as apart:  # a loop of its own, whoever runs one in this thread
                return apart.submit(asyncio.run, _listen(desk, port, count, messages)).result()
        finally:
            server.should_exit = True
            thread.join(timeout=15)


async def _listen(desk: Desk, port: int, count: int, messages: int) -> Listened:
    url = f"ws://127.0.0.1:{port}/api/v1/events"
    sockets = [await websockets.connect(url, max_queue=None if n % 2 else 1, open_timeout=60) for n in range(count)]
    awake = sockets[1::2]
    first = [await socket.recv() for socket in awake]
    assert all('"hello"' in str(text) for text in first)
    slowest = 0.0
    text = "x" * 2000
    for number in range(messages):
        started = time.perf_counter()
        desk.hub.publish({"type": "test", "number": number, "text": text})
        slowest = max(slowest, time.perf_counter() - started)
        if number % 10 == 0:
            await asyncio.sleep(0.01)

    async def take(socket: Any) -> bool:
        wanted = 0
        while wanted < messages:
            got = str(await asyncio.wait_for(socket.recv(), 60))
            if '"type": "test"' in got:
                if f'"number": {wanted},' not in got:
                    return False
                wanted += 1
        return True

    complete = sum(await asyncio.gather(*(take(socket) for socket in awake)))
    for socket in sockets:
        socket.transport.abort()
    return Listened(count, messages, complete, slowest * 1000)


class _Evening:
    """A camera for a long evening: resting tables with noise, and hands now and then, as fast as it is asked."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        base = rng.integers(60, 160, (45, 80, 3), np.uint8).repeat(16, 0).repeat(16, 1)
        self._rests = [np.clip(base + rng.normal(0, 3, base.shape), 0, 255).astype(np.uint8) for _ in range(4)]
        self._hands = []
        for x in (200, 500, 800):
            frame = self._rests[0].copy()
            frame[200:, x : x + 150] = (120, 150, 210)
            self._hands.append(frame)
        self.index = 0

    def read(self) -> Frame:
        """The next frame."""
        self.index += 1
        moving = self.index % 60 < 6
        picture = self._hands[self.index % 3] if moving else self._rests[self.index % 4]
        return Frame(picture, self.index / 15, self.index)

    @property
    def status(self) -> CameraStatus:
        """Well."""
        return CameraStatus("ok")

    def close(self) -> None:
        """Nothing to let go of."""


class _Blind:
    """Eyes that see an empty table: the soak is about what surrounds them."""

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        """An empty table."""
        return TableState(time, (), (image.shape[1], image.shape[0]))


def _resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def soak(frames: int) -> tuple[float, int]:
    """So many frames through the live table: growth of memory in percent after warming up, and of open files."""
    with _folder() as folder:
        camera = _Evening()
        settings = load({"data": folder}, environment={})[0]
        desk = Desk(settings, lambda source: camera, lambda game, calibration: _Blind())
        desk.table.use_match(desk.new_match("triominos", ["Ana", "Luis"], {}, {}))
        desk.table.use_camera("0")
        warm = min(frames // 4, 2000)
        desk.table.wait(lambda: desk.table.frames >= warm, 600)
        gc.collect()
        memory, files = _resident(), len(os.listdir("/proc/self/fd"))
        desk.table.wait(lambda: desk.table.frames >= frames, 3600)
        gc.collect()
        grown = 100 * (_resident() - memory) / max(memory, 1)
        more = len(os.listdir("/proc/self/fd")) - files
        desk.close()
        return grown, more


def rows(quick: bool) -> list[Row]:
    """All faults; `quick` makes fewer of each."""
    kills = sigkill(5 if quick else 50)
    found = [
        Row("SIGKILL", kills.kills, "kills", f"{kills.acknowledged} events acknowledged"),
        Row("SIGKILL: acknowledged events lost", kills.lost, "events"),
        Row("SIGKILL: stores that did not open", kills.unreadable, "stores"),
        Row("SIGKILL: evidence missing", kills.evidence_missing, "pictures"),
        Row("disk full", 1, "said", disk_full()),
        Row("database locked", 1, "said", locked()),
    ]
    acknowledged, there = two_writers(30 if quick else 300)
    found.append(Row("two writers: events lost", acknowledged - there, "events", f"of {acknowledged}"))
    found.append(Row("models missing or damaged: games without words", damaged_models(), "games", "of 10"))
    heard = many_clients(*((40, 100) if quick else (200, 200)))
    note = f"{heard.clients} clients, half stalled, {heard.messages} messages"
    found.append(Row("WebSockets: complete", heard.complete, "clients", note))
    found.append(Row("WebSockets: slowest publish", heard.slowest_publish_ms, "ms", note))
    if Path("/proc/self").is_dir():
        frames = 2500 if quick else 54_000
        grown, more = soak(frames)
        found.append(Row("soak: memory", grown, "% more", f"{frames} frames, {frames / 15 / 60:.0f} minutes of table"))
        found.append(Row("soak: open files", more, "more"))
    return found
