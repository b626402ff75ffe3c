"""Played games: a legal game by the engine, laid on a table, with what the camera sees and what is only said.

`play(game, seed)` gives a `Played`; `datasets.simcam.SimCamera` films it. See README.md for how the tables lie.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from datasets import splits
from datasets.played.codes import VISIBLE_CODES
from datasets.played.model import NotPossible, Played, Step

__all__ = ["GAMES", "VISIBLE_CODES", "NotPossible", "Played", "Step", "illegal_codes", "play"]

GAMES = tuple(VISIBLE_CODES)
ATTEMPTS = 24  # games of one seed that are tried until one has room for the illegal placement


def play(
    game: str,
    seed: int,
    illegal: str | None = None,
    reserved: bool = False,
    players: int = 2,
    short: bool = False,
    **more: Any,
) -> Played:
    """Play `game` by `seed`: the same arguments, the same game.

    With `illegal`, a code of `VISIBLE_CODES[game]`, exactly one placement of that code is made and taken back.
    `reserved` draws it in the styles that only tests may see, as the seeds of the test split always do. `short` stops
    after a few moves (a hand, a round). `more` is for one game alone (`rounds`, `size`: see its module).
    """
    codes = illegal_codes(game)
    if illegal is not None and illegal not in codes:
        raise NotPossible(f"{illegal!r} is no code that a camera can see in {game}; those are {', '.join(codes)}")
    player: Callable[..., Played] = getattr(import_module(f"datasets.played.{game}"), f"play_{game}")
    styles = reserved or splits.reserved(seed)
    for attempt in range(ATTEMPTS):
        try:
            return player(seed, players=players, illegal=illegal, reserved=styles, short=short, attempt=attempt, **more)
        except NotPossible:
            if illegal is None or attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def illegal_codes(game: str) -> tuple[str, ...]:
    """The codes that `play` can put into a game; `ValueError` for a game that there is not."""
    if game not in VISIBLE_CODES:
        raise ValueError(f"{game!r} is none of {', '.join(VISIBLE_CODES)}")
    return VISIBLE_CODES[game]
