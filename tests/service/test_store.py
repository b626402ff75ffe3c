"""The store: append-only, all or none, one order, and honest about what it cannot do."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from service.store import SCHEMA_VERSION, Conflict, Draft, Record, Store, StoreError

RECORD = Record("m_1", "truco", ("Ana", "Luis"), {"players": 2}, 1.0)


def begun(folder: Path) -> Store:
    store = Store(folder)
    store.create(RECORD)
    return store


def test_events_are_kept_in_order_with_their_evidence(tmp_path: Path) -> None:
    store = begun(tmp_path)
    store.append("m_1", 0, [Draft("created", {"ñ": "á"}), Draft("move", {"move": "x"}, "camera", b"\xff\xd8picture")])
    store.close()
    again = Store(tmp_path)
    events = again.events("m_1")
    assert [(e.seq, e.kind, e.source, e.evidence) for e in events] == [
        (1, "created", "person", False),
        (2, "move", "camera", True),
    ]
    assert events[0].data == {"ñ": "á"}
    assert again.evidence("m_1", 2) == b"\xff\xd8picture"
    assert again.evidence("m_1", 1) is None
    assert again.events("m_1", after=1, limit=1)[0].seq == 2
    assert again.record("m_1") == RECORD
    assert again.record("m_2") is None
    again.close()


def test_a_stale_writer_is_told_and_writes_nothing(tmp_path: Path) -> None:
    store = begun(tmp_path)
    store.append("m_1", 0, [Draft("a")])
    with pytest.raises(Conflict):
        store.append("m_1", 0, [Draft("b"), Draft("c")])
    assert [e.kind for e in store.events("m_1")] == ["a"]
    with pytest.raises(ValueError, match="Out of range"):
        store.append("m_1", 1, [Draft("b"), Draft("bad", {"x": float("nan")})])
    assert [e.kind for e in store.events("m_1")] == ["a"]  # all or none
    store.close()


def test_the_journal_is_synced_and_the_schema_versioned(tmp_path: Path) -> None:
    store = begun(tmp_path)
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    store._db.execute("PRAGMA user_version=99")
    store.close()
    with pytest.raises(StoreError, match="newer Tapete"):
        Store(tmp_path)


def test_threads_write_one_gapless_order(tmp_path: Path) -> None:
    store = begun(tmp_path)
    lock, last = threading.Lock(), [0]

    def write(name: str) -> None:
        for number in range(20):
            with lock:
                store.append("m_1", last[0], [Draft(name, {"n": number})])
                last[0] += 1

    threads = [threading.Thread(target=write, args=(f"t{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = store.events("m_1")
    assert [e.seq for e in events] == list(range(1, 81))
    for i in range(4):
        assert [e.data["n"] for e in events if e.kind == f"t{i}"] == list(range(20))
    store.close()


def test_a_deleted_match_leaves_nothing_behind(tmp_path: Path) -> None:
    store = begun(tmp_path)
    store.append("m_1", 0, [Draft("move", {}, "camera", b"\xff\xd8")])
    store.delete("m_1")
    assert store.records() == []
    assert store.events("m_1") == []
    assert store.evidence("m_1", 1) is None
    store.close()


def test_no_path_is_built_from_a_strange_id(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with pytest.raises(StoreError, match="no match id"):
        store.evidence("../m_1", 1)
    store.close()


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "tapete.sqlite").write_bytes(b"this is not a database, but it is long enough to look like one" * 40)
    with pytest.raises((StoreError, sqlite3.DatabaseError), match=r"cannot be used|not a database"):
        Store(tmp_path)


WRITER = """
import sys
from pathlib import Path
from service.store import Draft, Store
store = Store(Path(sys.argv[1]))
last = len(store.events("m_1"))
while True:
    store.append("m_1", last, [Draft("move", {"n": last}, "camera", b"\\xff\\xd8" + bytes(2000)), Draft("call", {})])
    last += 2
    print(last, flush=True)
"""


def test_a_killed_process_loses_no_acknowledged_event(tmp_path: Path) -> None:
    begun(tmp_path).close()
    for kill in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        acknowledged = 0
        for _ in range(3 + 4 * kill):
            acknowledged = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = [line for line in writer.stdout.read().split("\n")[:-1] if line]
        acknowledged = int(rest[-1]) if rest else acknowledged
        writer.wait()
        store = Store(tmp_path)
        events = store.events("m_1")
        assert len(events) >= acknowledged
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        assert len(events) % 2 == 0  # what is written together stays together
        assert all(store.evidence("m_1", e.seq) for e in events if e.evidence)
        store.close()
