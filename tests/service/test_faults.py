"""Short forms of the faults that `tapete bench faults` counts in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.bench import faults


def test_nothing_acknowledged_is_lost_by_a_kill() -> None:
    found = faults.sigkill(4, seed=7)
    assert found.kills == 4
    assert found.acknowledged > 4
    assert (found.lost, found.unreadable, found.evidence_missing) == (0, 0, 0)


def test_a_full_disk_and_a_locked_database_are_told_and_survived() -> None:
    assert "disk is full" in faults.disk_full()
    assert "another process" in faults.locked()


def test_two_writers_see_one_order() -> None:
    acknowledged, found = faults.two_writers(15)
    assert acknowledged == 30
    assert found == acknowledged


def test_a_damaged_model_is_named() -> None:
    assert faults.damaged_models() == 0


def test_stalled_clients_stall_nobody_else() -> None:
    found = faults.many_clients(16, 40)
    assert found.complete == 8
    assert found.slowest_publish_ms < 1000


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="memory is counted in /proc")
def test_a_long_evening_leaks_nothing() -> None:
    _, more_files = faults.soak(800)
    assert more_files <= 0
