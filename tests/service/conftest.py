"""A store in a temporary folder and matches in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.match import Match, start_match
from service.store import Store


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
