"""A store, matches, and a whole server with a camera and eyes that a test controls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from service.app import create_app
from service.desk import Desk
from service.match import Match, start_match
from service.settings import Settings
from service.store import Store
from vision.camera import CameraStatus, Frame
from vision.state import TableState


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    opened = Store(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def new_match(store: Store) -> Callable[..., Match]:
    """Makes matches: `new_match("triominos", ["Ana", "Luis"])`."""
    count = iter(range(1000))

    def make(game: str, players: list[str], options: dict[str, Any] | None = None, **setup: Any) -> Match:
        record = start_match(
            store,
            f"m_{next(count)}",
            time.time(),
            game=game,
            players=players,
            options=options or {},
            setup=setup,
        )
        return Match(store, record)

    return make


class Stage:
    """A camera and eyes in one: shows whatever table a test puts on it."""

    def __init__(self) -> None:
        self.table = TableState(0.0, (), (1280, 720))
        self.reads = 0
        self._index = 0
        self._noise = np.random.default_rng(1)
        self._picture = np.full((720, 1280, 3), 100, np.uint8)

    def show(self, table: TableState) -> None:
        """Change the table; the picture changes with it, so that the gate takes notice."""
        self.table = table
        self._picture = self._noise.integers(0, 255, (9, 16, 3), np.uint8).repeat(80, 0).repeat(80, 1)

    def read(self, image: np.ndarray | None = None, time: float = 0.0) -> Any:
        """As a camera: a frame. As eyes: the table."""
        if image is not None:
            self.reads += 1
            return self.table
        self._index += 1
        return Frame(self._picture, self._index / 10, self._index)

    @property
    def status(self) -> CameraStatus:
        return CameraStatus("ok")

    def close(self) -> None:
        pass


@pytest.fixture
def stage() -> Stage:
    """What the server's camera sees."""
    return Stage()


@pytest.fixture
def desk(tmp_path: Path, stage: Stage) -> Iterator[Desk]:
    """A desk whose camera `0` is the stage."""
    opened = Desk(Settings(data=tmp_path / "data"), lambda source: stage, lambda game, calibration: stage)
    yield opened
    opened.close()


@pytest.fixture
def client(desk: Desk) -> Iterator[TestClient]:
    """A client of the whole app."""
    with TestClient(create_app(desk), base_url="http://127.0.0.1:8770", raise_server_exceptions=False) as opened:
        yield opened
