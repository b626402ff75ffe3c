"""The eyes of one game: a frame goes in, a `TableState` comes out, with the time of each stage."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import numpy as np

from vision.quality import assess
from vision.state import Piece, TableState
from vision.table import Calibration

Reader = Callable[[np.ndarray], list[Piece]]

# The family of pieces that each game is played with, and the function that reads it. Imported when first needed:
# a table of triominoes must not wait for the card networks to load.
READERS = {
    "triominos": ("vision.tiles", "read_tiles"),
    "truco": ("vision.cards", "read_cards"),
    "trichon": ("vision.cards", "read_cards"),
    "trama": ("vision.looms", "read_looms"),
    "tronix": ("vision.circuits", "read_circuits"),
}


class UnknownGame(ValueError):
    """A game that the eyes have no reader for."""


def reader_for(game: str) -> Reader:
    """The function that reads the pieces of a game."""
    try:
        module, name = READERS[game]
    except KeyError:
        raise UnknownGame(f"unknown game {game!r}; the games are {', '.join(sorted(READERS))}") from None
    reader: Reader = getattr(import_module(module), name)
    return reader


class Eyes:
    """Reads frames of one game's table."""

    def __init__(self, game: str, calibration: Calibration | None = None, reader: Reader | None = None) -> None:
        self.game = game
        self.calibration = calibration
        self._reader = reader or reader_for(game)

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        """Everything on the table in this frame. An image too small to hold a piece gives an empty table."""
        height, width = image.shape[:2]
        if min(height, width) < 32:
            return TableState(time, (), (width, height))
        started = clock.perf_counter()
        pieces = self._reader(image)
        read = clock.perf_counter()
        quality = assess(image)
        done = clock.perf_counter()
        if self.calibration is not None:
            pieces = [replace(piece, pose=self.calibration.pose(piece.corners)) for piece in pieces]
        timing = {"read": (read - started) * 1000, "quality": (done - read) * 1000, "total": (done - started) * 1000}
        return TableState(time, tuple(pieces), (width, height), quality=quality, timing=timing)
