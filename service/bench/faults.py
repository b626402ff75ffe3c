"""What happens when things go wrong, counted: bad models, stalled clients, a long evening; the rest is beside it.

Every function makes one kind of trouble for real and returns what was counted; the tests run short forms of the same.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
import websockets

from service.app import create_app
from service.bench import camera_faults, store_faults
from service.bench.store_faults import folder_for_faults
from service.bench.table import Row
from service.desk import Desk
from service.games import GAMES
from service.hub import Hub
from service.settings import load
from vision.camera import CameraStatus, Frame
from vision.state import TableState


def damaged_models() -> int:
    """Every model missing, then cut in half: how many games fail to say in words what is wrong."""
    from vision import onnx
    from vision.eyes import Eyes

    silent = 0
    real = onnx.WEIGHTS
    image = np.full((360, 640, 3), 90, np.uint8)
    with folder_for_faults() as folder:
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
    with folder_for_faults() as folder:
        desk = Desk(load({"data": folder}, environment={})[0])
        desk.hub = Hub(kept=max(256, messages + 10))
        config = uvicorn.Config(
            create_app(desk), host="127.0.0.1", port=0, log_level="error", ws_max_queue=8, ws_ping_interval=None
        )
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
    # No pings of their own: on a busy computer the clients, which share this process, would give up before the server.
    sockets = [
        await websockets.connect(url, max_queue=None if n % 2 else 1, open_timeout=120, ping_interval=None)
        for n in range(count)
    ]
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
            got = str(await asyncio.wait_for(socket.recv(), 120))
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
    with folder_for_faults() as folder:
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
    found = [*store_faults.rows(quick), *camera_faults.rows(quick)]
    silent = damaged_models()
    found.append(Row("models missing or damaged: games without words", silent, "games", f"of {2 * len(GAMES)}"))
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
