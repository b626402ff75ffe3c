"""What the store does when things go wrong: kills, full disks, locks, two processes, clocks that jump; all counted.

Every function makes one kind of trouble for real and returns what was counted; the tests run short forms of the same.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from service.bench.table import Row
from service.match import Match, start_match
from service.store import Store, StoreError

MOST_EVENTS = 60  # that a writer may acknowledge before it is killed

WRITER = """
import random, sys, time
from pathlib import Path
from service.match import Match
from service.store import Conflict, Store
from rules.triominos.moves import Place
store = Store(Path(sys.argv[1]))
match = Match(store, store.record("m_fault"))
rng = random.Random(int(sys.argv[2]))
most = int(sys.argv[3])
while most:
    try:
        game = match.game
        if game.outcome() is not None or len(game.moves) > 20:
            match.undo()
        else:
            move = next(m for m in game.legal_moves if rng.random() < 0.2 or not isinstance(m, Place))
            match.play(str(move), "camera", bytes([255, 216]) + bytes(3000))
        print(match.position.seq, flush=True)
        most -= 1
    except (StopIteration, Conflict):
        match.refresh()
"""


@contextmanager
def folder_for_faults() -> Iterator[Path]:
    """A data folder that is thrown away."""
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
    with folder_for_faults() as folder:
        _begin(folder)
        last = 0
        for number in range(times):
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, str(folder), str(number), "-1"], stdout=subprocess.PIPE, text=True
            )
            assert writer.stdout is not None
            # By events and not by the clock: on a busy computer a writer would be killed before it wrote anything.
            for _ in range(rng.randint(1, MOST_EVENTS)):
                last = int(writer.stdout.readline())
            time.sleep(rng.uniform(0.0, 0.02))  # anywhere between two events, or within the writing of one
            writer.kill()
            rest = writer.stdout.read().split("\n")
            whole = [int(word) for word in rest[:-1] if word]  # the last line may be cut
            last = max([last, *whole])
            writer.wait()
            result.kills += 1
            result.acknowledged = last  # numbered on through all kills
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
    with folder_for_faults() as folder:
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
    with folder_for_faults() as folder:
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
    """Two processes write to one match as fast as they can: (acknowledged, found), which must be equal."""
    with folder_for_faults() as folder:
        _begin(folder)
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(folder), str(which), str(moves)], stdout=subprocess.PIPE, text=True
            )
            for which in (0, 1)
        ]
        lines = [len(writer.communicate()[0].split()) for writer in writers]
        store = Store(folder)
        events = store.events("m_fault")
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        kept = sum(1 for event in events if event.kind in ("move", "undo"))
        store.close()
        return sum(lines), kept


def evidence_full() -> str:
    """No room for an event's picture (the device that is always full): nothing of the event may be kept."""
    with folder_for_faults() as folder:
        _begin(folder)
        store = Store(folder)
        match = _match(store)
        _act(match)
        seq = match.position.seq
        picture = folder / "evidence" / "m_fault" / f"{seq + 1}.jpg"
        picture.symlink_to("/dev/full")
        words = ""
        try:
            _act(match)
        except StoreError as error:
            words = str(error)
        assert len(store.events("m_fault")) == seq, "an event without its picture was kept"
        picture.unlink()
        _act(match)
        assert store.evidence("m_fault", seq + 1) is not None
        store.close()
        return words


def wall_clock_jumps(moves: int, seed: int = 3) -> int:
    """The computer's clock is set by up to a day, both ways, before every event: how many are lost or out of order."""
    rng, real = random.Random(seed), time.time
    with folder_for_faults() as folder:
        _begin(folder)
        store = Store(folder)
        match = _match(store)
        start = match.position.seq
        for _ in range(moves):
            with patch("time.time", return_value=real() + rng.uniform(-86_400, 86_400)):
                _act(match)
        events = store.events("m_fault")
        again = _match(store)
        wrong = sum(event.seq != n for n, event in enumerate(events, 1)) + abs(len(events) - start - moves)
        wrong += again.game.moves != match.game.moves
        store.close()
        return wrong


def _match(store: Store) -> Match:
    record = store.record("m_fault")
    assert record is not None
    return Match(store, record)


def _act(match: Match) -> None:
    """One event: a legal move, or an undo where there is none or the game grows long."""
    move = next(iter(match.game.legal_moves), None)
    if move is None or len(match.game.moves) > 20:
        match.undo()
    else:
        match.play(match.game.format_move(move), "camera", bytes([255, 216]) + bytes(2000))


def rows(quick: bool) -> list[Row]:
    """All of them; `quick` makes fewer of each."""
    kills = sigkill(5 if quick else 50)
    times = 3 if quick else 20
    found = [
        Row("SIGKILL", kills.kills, "kills", f"{kills.acknowledged} events acknowledged"),
        Row("SIGKILL: acknowledged events lost", kills.lost, "events"),
        Row("SIGKILL: stores that did not open", kills.unreadable, "stores"),
        Row("SIGKILL: evidence missing", kills.evidence_missing, "pictures"),
        Row("disk full: said and survived", sum(bool(disk_full()) for _ in range(times)), "times", disk_full()),
        Row("database locked: said and survived", sum(bool(locked()) for _ in range(times)), "times", locked()),
    ]
    if Path("/dev/full").exists():
        said = [evidence_full() for _ in range(times)]
        found.append(Row("no room for a picture: said and survived", sum(map(bool, said)), "times", said[-1]))
    acknowledged, there = two_writers(30 if quick else 300)
    found.append(Row("two processes: events lost", abs(acknowledged - there), "events", f"of {acknowledged}"))
    jumps = 30 if quick else 500
    found.append(Row("wall clock jumping: events lost", wall_clock_jumps(jumps), "events", f"of {jumps}"))
    return found
