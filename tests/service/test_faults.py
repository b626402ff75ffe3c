"""Short forms of the faults that `tapete bench faults` counts in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.bench import camera_faults, faults, store_faults


def test_nothing_acknowledged_is_lost_by_a_kill() -> None:
    found = store_faults.sigkill(4, seed=7)
    assert found.kills == 4
    assert found.acknowledged > 4
    assert (found.lost, found.unreadable, found.evidence_missing) == (0, 0, 0)


def test_a_full_disk_and_a_locked_database_are_told_and_survived() -> None:
    assert "disk is full" in store_faults.disk_full()
    assert "another process" in store_faults.locked()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_an_event_without_room_for_its_picture_is_not_kept() -> None:
    words = store_faults.evidence_full()
    assert "No space left" in words
    assert "free some space" in words


def test_two_processes_see_one_order() -> None:
    acknowledged, found = store_faults.two_writers(15)
    assert acknowledged == 30
    assert found == acknowledged


def test_clocks_that_jump_lose_nothing() -> None:
    assert store_faults.wall_clock_jumps(30) == 0
    assert camera_faults.clock_jumps(300) == 0


def test_every_camera_fault_is_told_and_survived() -> None:
    found = camera_faults.camera_troubles(1, patience=0.3)
    assert {trouble.fault for trouble in found} == set(camera_faults.FAULTS)
    assert [trouble for trouble in found if not (trouble.told and trouble.back and trouble.words)] == []


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
