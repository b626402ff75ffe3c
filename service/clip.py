"""A failure clip: the last seconds of clean frames, what was read in them, and the match, in one zip file.

`service.recorder` keeps them while the table runs; `pack` writes the file; `replay_clip` shows it to the eyes and the
referee of today. A clip with the key `expected` (the moves that should have been understood) is a regression test.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import tempfile
import time
import zipfile
import zlib
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rules.game import RulesError
from service.calibration import checked
from service.follow import follow
from service.games import GAMES
from service.match import Match, start_match
from service.recorder import Recorder
from service.store import Draft, Record, Store
from service.table import Looks
from vision.eyes import Eyes
from vision.gate import Gate
from vision.images import ImageError, decode_image
from vision.stabiliser import Stabiliser
from vision.state import TableState

Json = dict[str, Any]
FORMAT = 1
MAX_FILE = 100_000_000
MAX_FRAMES = 2000
MAX_ENTRY = 8_000_000
MAX_PLAYERS = 16
# What a zip file of any kind of wrongness makes its reader raise, and JSON of any other shape than ours.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, LookupError, TypeError, AttributeError,
          RuntimeError, OverflowError)  # fmt: skip


class ClipError(ValueError):
    """A file that is no clip, or one that cannot be used; the message says why."""


def pack(recorder: Recorder, match: Match | None, note: str = "") -> bytes:
    """A clip as the bytes of a zip file. It holds pictures of the table and the players' moves, no names or paths."""
    frames, states = recorder.taken()
    first = frames[0][1] if frames else time.time()
    clip: Json = {
        "format": FORMAT,
        "tapete": version("tapete"),
        "note": note[:2000],
        "frames": [{"file": f"frames/{n:04d}.jpg", "time": round(t, 4)} for n, (t, _, _) in enumerate(frames)],
        "readings": [{"time": round(t, 4), "table": state} for t, state in states],
    }
    if match is not None:
        with match.lock:
            events = match.store.events(match.id)
            times = {event.seq: event.time for event in events}
            entries = match.position.entries
            clip |= {
                "game": match.record.game,
                "players": len(match.record.players),
                "setup": match.record.setup,
                "calibration": match.position.calibration,
                "before": [entry.text for entry in entries if times.get(entry.event, 0.0) < first],
                "moves": [entry.text for entry in entries if times.get(entry.event, 0.0) >= first],
                "flags": [e.data["violations"] for e in events if e.kind == "illegal" and e.time >= first],
            }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        file.writestr("clip.json", json.dumps(clip, ensure_ascii=False, indent=1))
        for n, (_, _, data) in enumerate(frames):
            file.writestr(f"frames/{n:04d}.jpg", data)
    return out.getvalue()


@dataclass(slots=True)
class Replayed:
    """What the eyes and the referee of today make of a clip."""

    moves: list[str] = field(default_factory=list)
    flags: list[list[str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    readings: list[TableState] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)
    expected: list[str] | None = None

    @property
    def right(self) -> bool:
        """Whether what was expected was understood (a clip without expectation is right if it plays)."""
        return self.expected is None or self.moves == self.expected


def load_clip(path: Path) -> tuple[Json, list[tuple[float, bytes]]]:
    """The description and the frames of a clip; `ClipError` for anything else. Nothing is unpacked to disk."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise ClipError(f"{path.name}: a clip is smaller than {MAX_FILE // 1_000_000} MB")
        with zipfile.ZipFile(path) as file:
            sizes = {info.filename: info.file_size for info in file.infolist()}
            if sizes.get("clip.json", MAX_ENTRY + 1) > MAX_ENTRY:
                raise ClipError(f"{path.name}: there is no clip.json in it")
            clip = json.loads(file.read("clip.json"))
            frames: list[tuple[float, bytes]] = []
            whole = 0
            for entry in clip["frames"][:MAX_FRAMES]:
                name, moment = str(entry["file"]), float(entry["time"])
                size = sizes.get(name, MAX_ENTRY + 1)
                whole += size  # pictures do not shrink in a zip: a clip that grows in memory is a trap
                if size > MAX_ENTRY or whole > MAX_FILE or not math.isfinite(moment):
                    raise ClipError(f"{path.name}: the frame {name[:40]} is missing or too large")
                frames.append((moment, file.read(name)))
    except OSError as error:
        raise ClipError(f"{path.name}: {error.strerror or error}") from error
    except BROKEN as error:
        if isinstance(error, ClipError):
            raise
        raise ClipError(f"{path.name} is no clip of Tapete ({type(error).__name__})") from error
    if clip.get("format") != FORMAT:
        raise ClipError(f"{path.name}: its format {str(clip.get('format'))[:20]!r} is not known here")
    return clip, frames


def replay_clip(path: Path, eyes: Looks | None = None, looks: int = 2) -> Replayed:
    """Show a clip to the gate, the eyes, the stabiliser and the referee, in a match of its own."""
    clip, frames = load_clip(path)
    game = clip.get("game")
    if not isinstance(game, str) or game not in GAMES:
        raise ClipError(f"{path.name}: no match was being followed, so there is nothing to replay but its pictures")
    result = Replayed(recorded=_texts(clip, "moves") or [], expected=_texts(clip, "expected"))
    looker = eyes or Eyes(game)
    with tempfile.TemporaryDirectory(prefix="tapete-replay-") as folder:
        store = Store(Path(folder))
        try:
            match = _begin(store, clip, game)
            before = len(match.position.entries)
            _show(match, frames, looker, looks, result)
            result.moves = [entry.text for entry in match.position.entries[before:]]
            for event in store.events(match.id):
                if event.kind == "illegal":
                    result.flags.append([str(found["code"]) for found in event.data["violations"]])
                elif event.kind == "question":
                    result.questions.append(str(event.data["en"]))
        finally:
            store.close()
    return result


def _texts(clip: Json, key: str) -> list[str] | None:
    """A list of moves in notation; None where there is none."""
    found = clip.get(key)
    if found is not None and not (isinstance(found, list) and all(isinstance(text, str) for text in found)):
        raise ClipError(f"the clip's {key!r} are no moves")
    return found


def _begin(store: Store, clip: Json, game: str) -> Match:
    try:
        calibration = checked(clip.get("calibration"))
        names = [f"Player {n + 1}" for n in range(min(int(clip.get("players", 2)), MAX_PLAYERS))]
        kept = dict(clip.get("setup") or {})
        options = kept.pop("rules", {})
        kept.pop("players", None)
        record: Record = start_match(
            store, "m_clip", time.time(), game=game, players=names, options=options, setup=kept
        )
        match = Match(store, record)
        for text in _texts(clip, "before") or []:
            match.play(text)
    except (RulesError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ClipError(f"the clip's match cannot be set up: {error}") from error
    if calibration:
        match.write([Draft("calibration", {"calibration": calibration}, "system")])
    return match


def _show(match: Match, frames: list[tuple[float, bytes]], eyes: Looks, looks: int, result: Replayed) -> None:
    gate, stabiliser = Gate(looks), Stabiliser(looks)
    for moment, data in frames:
        try:
            image: np.ndarray = decode_image(data)
        except ImageError:
            continue  # a frame that was damaged on its way is one frame less
        seen = gate.update(image, moment)
        if seen.busy:
            stabiliser.reset()
        if not seen.read:
            continue
        state = eyes.read(image, moment)
        result.readings.append(state)
        stable = stabiliser.update(state)
        if stable is None:
            gate.look_again(1)
        else:
            follow(match, stable, image)
