"""One network, the same pictures, size, precision and threads, by several libraries in one run: times and ratios.

On a busy computer only the figures of one thread mean something: torch's threads wait for one another by spinning, and
one that is not given a core holds up all the others.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from service.bench.machine import busy
from service.bench.table import Row
from vision import onnx
from vision.backends import BACKENDS, Run, Unavailable, open_network
from vision.detector import Detector, letterbox, pixels
from vision.onnx import ModelError, Network

NETWORK, SIDE = "cards-detector", 640
Calls = dict[str, list[tuple[Callable[[np.ndarray], object], np.ndarray]]]
OURS, EVERY_BOX, TORCH = "ONNX Runtime", "ONNX Runtime, every box", "ultralytics/torch"
LEAST = 0.25  # the score from which boxes are wanted, which is what ultralytics asks for too
SAME = 0.02  # pixels and probabilities by which two libraries' answers may differ
PAUSE = 0.02  # seconds between two calls: threads of the last library that still spin must not slow the next one


def compare(frames: list[np.ndarray], times: int) -> list[Row]:
    """The card detector by every library that is here, alone and as a whole detector, against ONNX Runtime."""
    path = onnx.WEIGHTS / f"{NETWORK}.onnx"
    if not path.is_file():
        return [Row("libraries compared", float("nan"), "×", f"the network {path.name} is missing")]
    threads_before = cv2.getNumThreads()
    try:
        found = []
        for threads in (1, 2):
            found += _networks(path, [_batch(frame) for frame in frames], threads, times)
            found += _detectors(path, frames, threads, times)
        return found
    finally:
        cv2.setNumThreads(threads_before)


def _batch(frame: np.ndarray) -> np.ndarray:
    return pixels(letterbox(frame, SIDE)[0])


def _torch(path: Path, threads: int) -> Run:
    try:
        from models.cards.as_torch import runner

        return runner(path, threads)
    except ImportError as error:
        raise Unavailable(f"not installed ({error.name or error})") from error


def _networks(path: Path, batches: list[np.ndarray], threads: int, times: int) -> list[Row]:
    """The network alone. Our graph computes the boxes of the places that score; once it is made to compute them all."""
    kinds: dict[str, Callable[[], Run]] = {
        EVERY_BOX: lambda: partial(Network(path, threads), least=0.0),
        **{name: lambda name=name: open_network(name, path, threads) for name in BACKENDS},  # type: ignore[misc]
        OURS: lambda: partial(Network(path, threads), least=LEAST),
        TORCH: lambda: _torch(path, threads),
    }
    runs: dict[str, Run] = {}
    found: list[Row] = []
    what = f"{path.stem}, {threads} thread{'s' * (threads > 1)}"
    truth: np.ndarray | None = None
    for name, make in kinds.items():
        try:
            run = make()
            answer = run(batches[0])[0]
        except (Unavailable, ModelError, cv2.error) as error:
            found.append(Row(f"{what}: {name}", float("nan"), "ms", str(error).strip()))
            continue
        truth = answer if truth is None else truth
        differ = np.abs(answer - truth).max(axis=(0, 1))
        wanted = truth[0, 4:].max(0) >= (0.0 if name == TORCH else LEAST)  # the others leave boxes out as we do
        gap = float(differ[wanted].max(initial=0.0))
        if gap > SAME:
            found.append(Row(f"{what}: {name}", float("nan"), "ms", f"answers differ by {gap:.3g}: not compared"))
            continue
        runs[name] = run
    height, width = batches[0].shape[2:]
    note = f"{width} × {height}, float32, {len(batches) * times} calls in turn"
    return found + _timed(what, {name: [(run, batch) for batch in batches] for name, run in runs.items()}, times, note)


def _detectors(path: Path, frames: list[np.ndarray], threads: int, times: int) -> list[Row]:
    """From the frame to the boxes: our detector against that of ultralytics, each as a program would call it."""
    what = f"detector whole, {threads} thread{'s' * (threads > 1)}"
    try:
        from models.cards.as_torch import save, set_threads
        from vision.backends.with_ultralytics import UltralyticsDetector

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cards-detector.pt"
            save(path, file)
            theirs = UltralyticsDetector(file, side=SIDE)
            theirs.find(frames[0])
            set_threads(threads)  # the first call sets its own number
    except ImportError as error:
        return [Row(f"{what}: {TORCH}", float("nan"), "ms", f"not installed ({error.name or error})")]
    ours = Detector(Network(path, threads), side=SIDE)
    calls: Calls = {name: [(kind.find, frame) for frame in frames] for name, kind in ((OURS, ours), (TORCH, theirs))}
    return _timed(what, calls, times, f"a frame of {frames[0].shape[1]} × {frames[0].shape[0]} to boxes")


def _timed(what: str, calls: Calls, times: int, note: str) -> list[Row]:
    """Every library in turn on every picture, so that a busy moment hits all of them; medians, then ratios."""
    wall: dict[str, list[float]] = defaultdict(list)
    work: dict[str, list[float]] = defaultdict(list)
    for _ in range(times):
        for number in range(max((len(list_) for list_ in calls.values()), default=0)):
            for name, list_ in calls.items():
                act, given = list_[number]
                time.sleep(PAUSE)
                began, worked = time.perf_counter(), time.process_time()
                act(given)
                work[name].append((time.process_time() - worked) * 1000)
                wall[name].append((time.perf_counter() - began) * 1000)
    found = [
        Row(f"{what}: {name}", median(values), "ms", f"{note}; processor time {median(work[name]):.3g} ms")
        for name, values in wall.items()
    ]
    fair = "; unfair on this busy computer, see one thread" if busy() and "1 thread:" not in f"{what}:" else ""
    for ours in (OURS, EVERY_BOX):
        for name in (name for name in wall if ours in wall and name not in (OURS, EVERY_BOX)):
            if ours == EVERY_BOX and name != TORCH:
                continue
            ratio, worked = (median(clock[name]) / median(clock[ours]) for clock in (wall, work))
            found.append(
                Row(f"{what}: {ours} against {name}", ratio, "×", f"faster; by processor time {worked:.3g} ×{fair}")
            )
    return found
