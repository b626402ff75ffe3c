"""What a taught set changes: how its game's tables are read, and what a match of it is checked against."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rules.triominos.tiles import STANDARD, label
from service.kinds.base import Deck, Json
from service.kinds.circuits import as_deck
from service.kinds.cords import Cords
from service.kinds.tiles import Tiles, against_set
from service.problems import Problem
from vision.eyes import Eyes
from vision.state import Piece
from vision.table import Calibration


def check_game(deck: Deck, game: str) -> None:
    """A `Problem` where the set is not one of that game, or has taught nothing yet."""
    from service.kinds import kind_of

    if game not in kind_of(deck.kind).games:
        raise Problem("bad_setup", f"{deck.name!r} is no set for {game}", f"{deck.name!r} no sirve para {game}")
    if not deck.known():
        raise Problem("bad_setup", f"{deck.name!r} has not been taught yet", f"{deck.name!r} aún no se ha enseñado")


def set_eyes(deck: Deck, game: str, calibration: Calibration | None = None) -> Eyes | None:
    """Eyes that know the set; None for cards, whose decks are recognised by themselves."""
    if deck.kind == "triominos":
        return Eyes(game, calibration, partial(_tiles, Tiles().learnt(deck)["tiles"]))
    if deck.kind == "trama":
        return Eyes(game, calibration, _looms(Cords().learnt(deck)["colors"]))
    if deck.kind == "tronix":
        return Eyes(game, calibration, partial(_circuits, _faces(deck)))
    return None


def _tiles(tiles: list[str], image: np.ndarray) -> list[Piece]:
    from vision.tiles import read_tiles

    return against_set(read_tiles(image), tiles)


def _looms(colors: dict[str, list[float]]) -> Callable[[np.ndarray], list[Piece]]:
    from vision.looms import LoomWatcher

    return LoomWatcher({name: (rgb[0], rgb[1], rgb[2]) for name, rgb in colors.items()})


def _faces(deck: Deck) -> list[list[Json]]:
    made = as_deck(deck)
    return [] if made is None else [face.lines for kind in made.kinds for face in kind.faces]


def _circuits(faces: list[list[Json]], image: np.ndarray) -> list[Piece]:
    from vision.circuits import read_circuits

    return read_circuits(image, faces)


def with_set(deck: Deck, options: Json, setup: Json) -> tuple[Json, Json]:
    """A match's options and set-up with the set's own tiles or cards, unless the table says otherwise."""
    if deck.kind == "triominos" and "tiles" not in options:
        tiles = Tiles().learnt(deck)["tiles"]
        if tiles != sorted(label(tile) for tile in STANDARD):
            options = {**options, "tiles": tiles}
    if deck.kind == "tronix" and setup.get("deck") is None:
        made = as_deck(deck)
        if made is not None:
            setup = {**setup, "deck": made.to_json()}
    return options, setup


def notes(pieces: list[Json], deck: Deck) -> list[Json]:
    """In words what does not belong to the set: foreign and doubled tiles, cards of another deck."""
    foreign = sorted({str(p.get("label")) for p in pieces if p.get("in_set") is False or p.get("in_deck") is False})
    twice = sorted({str(p.get("label")) for p in pieces if p.get("doubled")})
    found = []
    if foreign:
        names = ", ".join(foreign)
        found.append(
            {"es": f"No es del juego «{deck.name}»: {names}.", "en": f"Not in the set {deck.name!r}: {names}."}
        )
    if twice:
        names = ", ".join(twice)
        found.append({"es": f"Está dos veces: {names}.", "en": f"There twice: {names}."})
    return found
