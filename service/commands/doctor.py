"""`tapete doctor`: everything that can be checked before a game, as a report to paste into an issue.

It names no private data: no names, no pictures, no folder of yours (the home folder is written as `~`).
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import platform
import shutil
import socket
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from service.commands.common import settings_of
from service.games import GAMES
from service.store import Store, StoreError
from vision import onnx
from vision.camera import list_cameras, open_camera
from vision.eyes import Eyes
from vision.quality import assess

Json = dict[str, Any]
PACKAGES = ("numpy", "opencv-python-headless", "onnxruntime", "fastapi", "uvicorn", "pydantic", "cryptography")
ROOM = 200_000_000  # bytes free: some thousand events with their pictures
SLOW = 700  # ms for a look at an empty table: slower is a computer on which a player waits
PICTURE_SECONDS = 3.0


def run_doctor(arguments: argparse.Namespace) -> int:
    """`tapete doctor`: 0 if all is well, 1 if something needs attention."""
    settings, _ = settings_of(arguments)
    page = port(settings.host, settings.port)
    found = [*packages(), *weights(), *eyes(), *cameras(), *page, *storage(settings.data)]
    checks = [{key: private(value) for key, value in check.items()} for check in found]
    bad = [check for check in checks if not check["ok"]]
    if arguments.json:
        print(json.dumps({"ok": not bad, "checks": checks}, ensure_ascii=False))
    else:
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        print(f"Tapete {version('tapete')}, Python {platform.python_version()}, {machine}")
        for check in checks:
            print(f"  {'ok ' if check['ok'] else 'BAD'} {check['what']}: {check['found']}")
            if check["advice"]:
                print(f"      → {check['advice']}")
        print("All is well." if not bad else f"{len(bad)} thing(s) need attention.")
    return 1 if bad else 0


def private(value: Any) -> Any:
    """Without the home folder, and without the user's name where it is part of another path."""
    if not isinstance(value, str):
        return value
    text = value.replace(str(Path.home()), "~")
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        return text
    return text.replace(f"{os.sep}{name}{os.sep}", f"{os.sep}…{os.sep}")


def _check(what: str, ok: bool, found: str, advice: str = "") -> Json:
    return {"what": what, "ok": ok, "found": found, "advice": advice}


def packages() -> list[Json]:
    """The libraries and their versions."""
    result = []
    for name in PACKAGES:
        try:
            result.append(_check(name, True, version(name)))
        except PackageNotFoundError:
            result.append(_check(name, False, "not installed", "install Tapete again: pip install ."))
    return result


def weights() -> list[Json]:
    """Every network opened by itself: a damaged one is named even if no game needs it at once."""
    files = sorted(onnx.WEIGHTS.glob("*.onnx"))
    if not files:
        return [_check("networks", False, "none found", "install Tapete again, or git checkout models/weights")]
    result, good = [], 0
    for path in files:
        try:
            onnx.Network(path)
            good += 1
        except onnx.ModelError as error:
            result.append(_check(f"network {path.name}", False, str(error), "git checkout models/weights"))
    return [_check("networks", good == len(files), f"{good} of {len(files)} open"), *result]


def eyes() -> list[Json]:
    """The eyes of every game on an empty table, twice: the second look is what a game costs."""
    result = []
    table = np.full((720, 1280, 3), 90, np.uint8)
    for game in GAMES:
        try:
            ready = Eyes(game)
            ready.read(table)
            started = time.perf_counter()
            ready.read(table)
            took = 1000 * (time.perf_counter() - started)
        except Exception as error:
            advice = "the weights in models/weights are missing or damaged: restore them (git checkout models/weights)"
            result.append(_check(f"eyes for {game}", False, f"{type(error).__name__}: {error}", advice))
            continue
        advice = "" if took < SLOW else "slow: close other programs; a game can be followed, with some delay"
        result.append(_check(f"eyes for {game}", True, f"ready, an empty table takes {took:.0f} ms", advice))
    return result


def cameras() -> list[Json]:
    """Each camera that opens: whether it gives a picture, how large, and what could be better about it."""
    found = list_cameras()
    if not found:
        advice = "plug one in, close other programs that use it, or try `tapete demo`, which needs none"
        return [_check("cameras", True, "none found", advice)]
    return [_camera(index) for index in found]


def _camera(index: int) -> Json:
    camera = open_camera(index)
    try:
        end = time.monotonic() + PICTURE_SECONDS
        frame = camera.read()
        while frame is None and time.monotonic() < end:
            time.sleep(0.05)
            frame = camera.read()
        if frame is None:
            return _check(f"camera {index}", False, "opens but gives no picture", camera.status.en)
    finally:
        camera.close()
    height, width = frame.image.shape[:2]
    advice = " ".join(en for _, en in assess(frame.image).advice)
    return _check(f"camera {index}", True, f"{width} × {height}", advice)


def port(host: str, number: int) -> list[Json]:
    """Whether the page can be served where the settings say."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, number))
        except OSError as error:
            advice = "Tapete may be running already: open its page, or choose another port with --port"
            return [_check(f"port {number}", True, f"in use ({error.strerror})", advice)]
    return [_check(f"port {number}", True, "free")]


def storage(folder: Path) -> list[Json]:
    """The data folder: opens, answers, and has room."""
    try:
        store = Store(folder)
        try:
            store.ping()
            count = len(store.records())
        finally:
            store.close()
        free = shutil.disk_usage(folder).free
    except (StoreError, OSError) as error:
        return [_check("data folder", False, str(error), "choose another with --data or TAPETE_DATA")]
    enough = free > ROOM
    advice = "" if enough else "free some space: every event keeps a picture"
    return [_check("data folder", enough, f"{count} matches, {free / 1e9:.1f} GB free", advice)]
