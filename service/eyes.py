"""The eyes of a table that is followed: they report doubtful pieces too, because a referee can ask about them.

A photograph without a match is another matter: nobody is asked there, so `vision.cards` leaves doubtful cards out.
"""

from __future__ import annotations

from collections.abc import Sequence

from vision.cards import CardReader, Gallery, default_reader
from vision.eyes import Eyes
from vision.table import Calibration

CARD_GAMES = frozenset({"truco", "trichon"})
LEAST = 0.2  # cards less sure than this are taken for something else on the table
SHARE = 0.9  # an enrolled deck knows its own cards better than a network that has never seen them


def table_eyes(game: str, calibration: Calibration | None = None, galleries: Sequence[Gallery] = ()) -> Eyes:
    """Eyes for a game; `galleries` are the decks that they have been taught."""
    if game == "trama":
        from vision.looms import LoomWatcher  # no other game's table shall wait for its networks

        return Eyes(game, calibration, LoomWatcher())
    if game not in CARD_GAMES:
        return Eyes(game, calibration)
    reader = taught_reader(galleries)
    return Eyes(game, calibration, lambda image: reader.read(image, least=LEAST))


def taught_reader(galleries: Sequence[Gallery]) -> CardReader:
    """The card reader with these decks; the networks are shared, whoever asks for them."""
    shared = default_reader()
    return CardReader(galleries, detector=shared.detector, finder=shared.finder, faces=shared.faces, share=SHARE)
