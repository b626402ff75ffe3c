"""A set of triominoes: which tiles are in the box. Some boxes have a mirror image in place of a standard tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rules.game import RulesError
from rules.triominos.tiles import STANDARD, mirrored, parse_values, tile_of
from rules.triominos.tiles import label as written
from service.kinds.base import Deck, Found, Json, Look, cut, settle_single, unknown_label
from service.kinds.base import mirrored as mirror_image
from vision.state import Piece

USUAL = frozenset(written(tile) for tile in STANDARD)
MOST = 5  # no tile shows more


def name_of(text: str) -> str:
    """A tile's name from any of its three readings; `RulesError` for what is no tile."""
    return written(tile_of(parse_values(text)))


class Tiles:
    """Triomino sets."""

    name = "triominos"
    games: tuple[str, ...] = ("triominos",)

    def wanted(self, deck: Deck) -> list[str]:
        """The standard box, where a mirror image that was seen stands for the tile that it replaces."""
        known = deck.known()
        return [
            name
            for tile in STANDARD
            if (name := written(tile)) in known or written(mirrored(tile)) not in {*known} - USUAL
        ]

    def canonical(self, label: str) -> str:
        """The tile's smallest reading."""
        try:
            name = name_of(label)
        except RulesError as error:
            raise unknown_label(label, "a tile (write it like 0-3-5)", "una ficha (escríbela como 0-3-5)") from error
        if max(parse_values(name)) > MOST:
            raise unknown_label(label, "a tile of triominoes", "una ficha de triominó")
        return name

    def see(self, image: np.ndarray) -> list[Found]:
        """Tiles with their crops; most lopsided ones the wrong way round mean a mirrored picture."""
        from vision.tiles import read_tiles

        found = [replace(piece, label=name_of(piece.label)) for piece in read_tiles(image)]
        sure = [piece for piece in found if len(set(piece.label)) == 4 and piece.confidence >= 0.5]
        wrong = [piece for piece in sure if piece.label not in USUAL]
        if len(wrong) >= 3 and 2 * len(wrong) > len(sure):
            raise mirror_image()
        return [Found(_named(piece), cut(image, np.array(piece.corners), (112, 97))) for piece in found]

    def settle(self, deck: Deck, new: Sequence[Look]) -> None:
        """Standard tiles that are sure are taken; a mirror image is the player's to confirm."""
        settle_single(deck, new, [*USUAL, *deck.known()])

    def learnt(self, deck: Deck) -> Json:
        """The tiles of the box, and what is unusual about it."""
        known = deck.known()
        tiles = sorted(known) if len(known) >= len(STANDARD) else sorted({*known, *self.wanted(deck)})
        return {"tiles": tiles, "unusual": sorted({*known} - USUAL)}


def _named(piece: Piece) -> Piece:
    others = {name_of(text): p for text, p in reversed(piece.alternatives)}
    others.pop(piece.label, None)
    return replace(piece, alternatives=tuple(sorted(others.items(), key=lambda pair: -pair[1])))


def against_set(pieces: Sequence[Piece], tiles: Sequence[str]) -> list[Piece]:
    """The tiles of a table with what the set says: `in_set` false for a foreign one, `doubled` for one seen twice."""
    box = set(tiles)
    names = [name_of(piece.label) for piece in pieces]
    return [
        replace(
            piece, facts={**piece.facts, "in_set": name in box, **({"doubled": True} if names.count(name) > 1 else {})}
        )
        for piece, name in zip(pieces, names, strict=True)
    ]
