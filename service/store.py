"""Matches on disk: an append-only log in SQLite and one picture per event that the camera saw.

An event is acknowledged only after SQLite has synced it (`synchronous=FULL` on a write-ahead log). Its evidence is
written and synced before it, so that a logged picture always exists; a picture without an event is overwritten later.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, players TEXT NOT NULL, setup TEXT NOT NULL, created REAL NOT NULL
) STRICT;
CREATE TABLE events (
    match TEXT NOT NULL REFERENCES matches(id) ON DELETE CASCADE, seq INTEGER NOT NULL, time REAL NOT NULL,
    kind TEXT NOT NULL, source TEXT NOT NULL, data TEXT NOT NULL, evidence INTEGER NOT NULL,
    PRIMARY KEY (match, seq)
) STRICT, WITHOUT ROWID;
"""


class StoreError(RuntimeError):
    """The store cannot do its work (disk full, locked, not ours); the message says what to do."""


class Conflict(StoreError):
    """Somebody else has written to this match since it was read: read it again."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has not been written yet. `evidence` is a JPEG."""

    kind: str
    data: dict[str, Any] = field(default_factory=dict)
    source: str = "person"
    evidence: bytes | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a match's log."""

    seq: int
    time: float
    kind: str
    source: str
    data: dict[str, Any]
    evidence: bool

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, as the API sends it."""
        return {
            "seq": self.seq,
            "time": self.time,
            "kind": self.kind,
            "source": self.source,
            "data": self.data,
            "evidence": self.evidence,
        }


@dataclass(frozen=True, slots=True)
class Record:
    """What is fixed when a match begins."""

    id: str
    game: str
    players: tuple[str, ...]
    setup: dict[str, Any]
    created: float


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class Store:
    """The database and the evidence folder under one data folder. Safe to use from several threads."""

    def __init__(self, folder: Path, *, busy_seconds: float = 5.0) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(
                folder / "tapete.sqlite", timeout=busy_seconds, check_same_thread=False, isolation_level=None
            )
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open the data folder {folder}: {error}") from error
        with self._guard():
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA foreign_keys=ON")
            self._migrate()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """One thread at a time, and SQLite's errors in words that a person can use."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                words = str(error)
                if "locked" in words or "busy" in words:
                    advice = "another process holds the database; close it and try again"
                elif "full" in words:
                    advice = "the disk is full; free some space and try again"
                else:
                    advice = f"the database {self.folder / 'tapete.sqlite'} cannot be used"
                raise StoreError(f"{advice} ({words})") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
                    self._db.execute("ROLLBACK")
                raise

    def _migrate(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise StoreError(f"{self.folder} was written by a newer Tapete (schema {version}); update Tapete")
        if version == 0:
            with self._transaction():
                (again,) = self._db.execute("PRAGMA user_version").fetchone()
                if again == 0:  # another process may have been quicker
                    for statement in SCHEMA.split(";\n"):
                        if statement.strip():
                            self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    def create(self, record: Record) -> None:
        """Begin a match."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO matches VALUES (?, ?, ?, ?, ?)",
                (record.id, record.game, _dumps(list(record.players)), _dumps(record.setup), record.created),
            )

    def records(self) -> list[Record]:
        """All matches, newest first."""
        with self._guard():
            rows = self._db.execute("SELECT id, game, players, setup, created FROM matches ORDER BY created DESC, id")
            return [Record(r[0], r[1], tuple(json.loads(r[2])), json.loads(r[3]), r[4]) for r in rows.fetchall()]

    def record(self, match: str) -> Record | None:
        """One match, or None."""
        with self._guard():
            row = self._db.execute("SELECT id, game, players, setup, created FROM matches WHERE id=?", (match,))
            found = row.fetchone()
        if found is None:
            return None
        return Record(found[0], found[1], tuple(json.loads(found[2])), json.loads(found[3]), found[4])

    def events(self, match: str, after: int = 0, limit: int = -1) -> list[Event]:
        """The log of a match after a sequence number."""
        with self._guard():
            rows = self._db.execute(
                "SELECT seq, time, kind, source, data, evidence FROM events"
                " WHERE match=? AND seq>? ORDER BY seq LIMIT ?",
                (match, after, limit),
            ).fetchall()
        return [Event(r[0], r[1], r[2], r[3], json.loads(r[4]), bool(r[5])) for r in rows]

    def append(self, match: str, last: int, drafts: Sequence[Draft], times: Sequence[float] = ()) -> list[Event]:
        """Write events after number `last`, all or none. `Conflict` if the log has grown since it was read."""
        stamps = times or [time.time()] * len(drafts)
        events = [
            Event(last + n, stamps[n - 1], draft.kind, draft.source, draft.data, draft.evidence is not None)
            for n, draft in enumerate(drafts, start=1)
        ]
        with self._transaction():
            (there,) = self._db.execute("SELECT COALESCE(MAX(seq), 0) FROM events WHERE match=?", (match,)).fetchone()
            if there != last:
                raise Conflict(f"match {match} has {there} events, not {last}: another process is writing to it")
            for event, draft in zip(events, drafts, strict=True):
                if draft.evidence is not None:
                    self._write_evidence(match, event.seq, draft.evidence)
                self._db.execute(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (match, event.seq, event.time, event.kind, event.source, _dumps(event.data), int(event.evidence)),
                )
        return events

    def delete(self, match: str) -> None:
        """Forget a match and its evidence."""
        with self._transaction():
            self._db.execute("DELETE FROM matches WHERE id=?", (match,))
        shutil.rmtree(self._evidence_folder(match), ignore_errors=True)

    def evidence(self, match: str, seq: int) -> bytes | None:
        """The picture of an event, or None."""
        try:
            return (self._evidence_folder(match) / f"{int(seq)}.jpg").read_bytes()
        except OSError:
            return None

    def _evidence_folder(self, match: str) -> Path:
        if not match.replace("_", "").isalnum():  # ids are ours, but no path is built from anything else
            raise StoreError(f"{match!r} is no match id")
        return self.folder / "evidence" / match

    def _write_evidence(self, match: str, seq: int, picture: bytes) -> None:
        folder = self._evidence_folder(match)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open(folder / f"{seq}.jpg", "wb") as file:
                file.write(picture)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            advice = "free some space and try again" if error.errno == errno.ENOSPC else "check the data folder"
            raise StoreError(f"the picture of event {seq} cannot be written ({error.strerror}); {advice}") from error

    def ping(self) -> None:
        """Raise `StoreError` if the database does not answer."""
        with self._guard():
            self._db.execute("SELECT 1").fetchone()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()
