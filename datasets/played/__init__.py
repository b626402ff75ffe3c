"""Played games: a legal game by the engine, laid on a table, with what the camera sees and what is only said.

`play(game, seed)` gives a `Played`; `datasets.simcam.SimCamera` films it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from datasets.played.model import NotPossible, Played, Step

__all__ = ["GAMES", "NotPossible", "Played", "Step", "illegal_codes", "play"]

GAMES = ("triominos", "truco", "trichon", "tronix", "trama")


def play(game: str, seed: int, illegal: str | None = None, **options: Any) -> Played:
    """Play `game` by `seed`: the same seed, the same game. With `illegal`, exactly one placement of that code."""
    player: Callable[..., Played] = getattr(_module(game), f"play_{game}")
    return player(seed, illegal=illegal, **options)


def illegal_codes(game: str) -> tuple[str, ...]:
    """The codes that `play` can put into a game."""
    codes: tuple[str, ...] = _module(game).ILLEGAL
    return codes


def _module(game: str) -> Any:
    if game not in GAMES:
        raise ValueError(f"{game!r} is none of {', '.join(GAMES)}")
    return import_module(f"datasets.played.{game}")
