"""How fast the eyes are: each family whole and by stage, the gate, start-up, and the same network by other libraries.

Wall time is what a player waits for; it means something only on a computer that does nothing else, so the load is
measured along. Processor time of one thread is what stays comparable on a busy one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from datasets.played import play
from datasets.simcam import Film
from datasets.splits import seed_of
from service.bench.backends import compare
from service.bench.machine import busy
from service.bench.table import Row
from vision.eyes import Eyes
from vision.gate import Gate
from vision.onnx import THREADS, ModelError, Network
from vision.quality import assess

FAMILIES = {"tiles": "triominos", "cards": "truco", "looms": "trama", "circuits": "tronix"}
ALLOWED, GATE_ALLOWED = 350.0, 8.0  # ms of a whole frame and of the gate, p95
ROOT = Path(__file__).resolve().parents[2]

_START = """
import sys, time
from pathlib import Path
import numpy as np
from vision.eyes import Eyes
Eyes(sys.argv[1]).read(np.full((720, 1280, 3), 90, np.uint8))
# Not getrusage: its largest size is inherited from the process that started this one.
status = Path("/proc/self/status")
lines = status.read_text().splitlines() if status.is_file() else []
print(time.process_time(), next((line.split()[1] for line in lines if line.startswith("VmHWM")), "nan"))
"""


def rows(quick: bool) -> list[Row]:
    """Each family; gate and quality; start-up; the comparison of libraries."""
    found = [Row("threads a network", THREADS, "threads")]
    frames = {family: film_frames(game, 6 if quick else 24) for family, game in FAMILIES.items()}
    for family, game in FAMILIES.items():
        try:
            found += family_rows(family, game, frames[family], 1 if quick else 2)
        except ModelError as error:
            found.append(Row(f"{family}: not measured", float("nan"), "ms", str(error)))
    found += gate_rows(frames["tiles"])
    for family, game in FAMILIES.items():
        found += start_rows(family, game, 1 if quick else 3)
    found += compare(frames["cards"][: 2 if quick else 4], 4 if quick else 12)
    return found


def film_frames(game: str, count: int) -> list[np.ndarray]:
    """Frames of resting tables in a game of the test split, from the empty table to the fullest, 1280 × 720."""
    film = Film(play(game, seed_of("test", 40), short=True))
    seen = [number for number, step in enumerate(film.played.steps, 1) if step.seen and step.table]
    chosen = [seen[round(i)] for i in np.linspace(0, len(seen) - 1, count)]
    return [film.picture(round(film.rest_of(number)[0] * film.fps) + 2 + i % 3) for i, number in enumerate(chosen)]


def clocks() -> np.ndarray:
    """Milliseconds of the wall clock and of the processor, all threads together."""
    return np.array([time.perf_counter(), time.process_time()]) * 1000


@contextmanager
def stages() -> Iterator[dict[str, np.ndarray]]:
    """While open, the times spent in each network are added up by its name."""
    spent: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(2))
    plain = Network.__call__

    def timed(self: Network, batch: np.ndarray, **named: float) -> list[np.ndarray]:
        began = clocks()
        try:
            return plain(self, batch, **named)
        finally:
            spent[self.name] = spent[self.name] + clocks() - began

    Network.__call__ = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        Network.__call__ = plain  # type: ignore[method-assign]


def family_rows(family: str, game: str, frames: list[np.ndarray], times: int) -> list[Row]:
    """Whole reading of a frame, then its parts: every network, quality, and all that is no network."""
    eyes = Eyes(game)
    eyes.read(frames[-1])  # networks are loaded on the first look; start-up is measured apart
    whole, pieces = [], []
    parts: dict[str, list[np.ndarray]] = defaultdict(list)
    with stages() as spent:
        for _ in range(times):
            for frame in frames:
                spent.clear()
                began = clocks()
                state = eyes.read(frame)
                whole.append(clocks() - began)
                pieces.append(len(state.pieces))
                for name, value in spent.items():
                    parts[name].append(value)
                parts["all but the networks"].append(whole[-1] - sum(spent.values(), np.zeros(2)))
    height, width = frames[0].shape[:2]
    note = f"{len(whole)} frames {width} × {height}, {min(pieces)} to {max(pieces)} pieces"
    found = pair(f"{family}: a frame read", whole, ALLOWED, note)
    for name, values in parts.items():
        found += pair(f"{family}: {name}", values)[:1]
    return found


def pair(name: str, times: list[np.ndarray], allowed: float | None = None, note: str = "") -> list[Row]:
    """Two rows for times of `clocks`: the usual one and the slow one, each with its processor time beside it."""
    (usual, work), (slow, slow_work) = np.quantile(times, 0.5, axis=0), np.quantile(times, 0.95, axis=0)
    within = f"; {verdict(float(slow), allowed)}" if allowed else ""
    if allowed and busy() and slow > allowed:
        within += f", but other programs run: by processor time {verdict(float(slow_work), allowed)}"
    return [
        Row(f"{name}, p50", float(usual), "ms", f"processor time {work:.3g} ms{'; ' * bool(note)}{note}"),
        Row(f"{name}, p95", float(slow), "ms", f"processor time {slow_work:.3g} ms{within}"),
    ]


def verdict(value: float, allowed: float) -> str:
    """In words whether a time is within what is allowed."""
    return f"{'within' if value <= allowed else 'ABOVE'} the {allowed:g} allowed"


def gate_rows(frames: list[np.ndarray], times: int = 60) -> list[Row]:
    """The gate alone on every frame, and the quality of the picture."""
    gate, took, judged = Gate(), [], []
    for number in range(times):
        frame = frames[number * len(frames) // times]  # some rest, some changes
        began = clocks()
        gate.update(frame, number / 15)
        passed = clocks()
        assess(frame)
        took.append(passed - began)
        judged.append(clocks() - passed)
    return pair("gate", took, GATE_ALLOWED, f"{times} frames") + pair("quality", judged)


def start_rows(family: str, game: str, times: int) -> list[Row]:
    """From nothing to the first frame read, in fresh Pythons, and the memory that this takes."""
    took, worked, memory = [], [], []
    for _ in range(times):
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _START, game], capture_output=True, text=True, cwd=ROOT, check=False
        )
        took.append(time.perf_counter() - began)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return [Row(f"{family}: start-up", float("nan"), "s", f"not measured: {last}")]
        seconds, kilobytes = done.stdout.split()
        worked.append(float(seconds))
        memory.append(float(kilobytes) / 1024)
    note = f"Python, networks, first frame; least of {times}; processor time {min(worked):.3g} s"
    return [
        Row(f"{family}: start-up", min(took), "s", note),
        Row(f"{family}: memory", max(memory), "MB", "largest resident size of that process"),
    ]
