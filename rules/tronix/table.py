"""Tronix from a single look at the table: what is wrong about it, its circuits, and what they score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, Violation, no_extra, require
from rules.tronix.circuits import Award, Walk, award, circuits, groups, lines_through_all
from rules.tronix.deck import Cell, Deck, Face
from rules.tronix.moves import Spot, spot, whole
from rules.tronix.supply import possible
from rules.tronix.words import violation


@dataclass(frozen=True)
class Seen:
    """A card as a photo shows it: where (between cells too), which face, and whether it lies on its side."""

    cell: Spot
    face: Face
    sideways: bool = False

    @classmethod
    def of(cls, data: Any) -> Seen:
        """From itself, a pair `(cell, face)` or an object with `cell`, `face` or `lines`, and `sideways`."""
        if isinstance(data, Seen):
            return data
        if isinstance(data, list | tuple) and len(data) == 2:
            return cls(spot(data[0]), Face.of(data[1]))
        if not isinstance(data, Mapping):
            raise NotationError(f"a card on the table is a cell and a face, not {str(data)[:40]!r}")
        no_extra(data, ("cell", "face", "lines", "sideways"), "a card on the table")
        face = Face.from_lines(data["lines"]) if "lines" in data else Face.of(require(data, "face", (str, dict, Face)))
        return cls(spot(require(data, "cell", (list, tuple))), face, require(data, "sideways", bool, False))

    def to_json(self) -> Json:
        """A plain dictionary that `of` reads."""
        return {"cell": list(self.cell), "face": str(self.face), "sideways": self.sideways}


@dataclass(frozen=True)
class Reading:
    """What a photo says. `table` has the cards that lie soundly in cells of their own."""

    table: Mapping[Cell, Face]
    violations: tuple[Violation, ...]
    circuits: tuple[Walk, ...]
    #: Lines through every card; they count in god mode only.
    tronix: tuple[Walk, ...]
    award: Award

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""

        def walk_json(walk: Walk) -> list[Json]:
            return [{"cell": list(cell), "color": color} for cell, color in walk.segments]

        green, pink = self.award.points
        cells = sorted(self.table)
        return {
            "cells": [{"cell": list(cell), "face": str(self.table[cell])} for cell in cells],
            "violations": [v.to_json() for v in self.violations],
            "circuits": [walk_json(walk) for walk in self.circuits],
            "tronix": [walk_json(walk) for walk in self.tronix],
            "score": {"green": green, "pink": pink, "stay": [list(cell) for cell in self.award.stay]},
        }


def checked_cards(cards: Any) -> tuple[Seen, ...]:
    """The cards of a photo from a list of anything `Seen.of` reads, or from a mapping of cells to faces."""
    if isinstance(cards, Mapping):
        cards = list(cards.items())
    if not isinstance(cards, list | tuple):
        raise NotationError(f"a table is a list of cards, not {type(cards).__name__}")
    return tuple(Seen.of(card) for card in cards)


def read_table(cards: Any, deck: Deck | None = None, *, god: bool = False, fresh: bool = False) -> Reading:
    """Judge the cards on one photo.

    `god`: all hands are empty, so a line through all cards is a TRONIX and scores. `fresh`: nothing has been taken off
    the table yet, so that every card must hang together with the rest (later, islands are legal).
    """
    deck = deck or Deck.default()
    found: list[Violation] = []
    table: dict[Cell, Face] = {}
    designs: Counter[int] = Counter()
    last: Face | None = None
    for card in checked_cards(cards):
        cell = whole(card.cell)
        if cell is None:
            found.append(violation("off_grid", cell=card.cell))
        if card.sideways and 1 not in deck.rotations:
            found.append(violation("wrong_orientation", cell=card.cell))
            continue
        mask = deck.shows.get(card.face)
        if mask is None:
            found.append(violation("face_not_in_deck", cell=card.cell, face=card.face))
        else:
            designs[mask] += 1
            if last is None and not possible(tuple(sorted(designs.items())), deck.supply):
                last = card.face
                found.append(violation("deck_exhausted", cell=card.cell, face=card.face))
        if cell is not None and cell in table:
            found.append(violation("cell_occupied", cell=cell))
        elif cell is not None:
            table[cell] = card.face
    if fresh:
        label = groups(table)
        sizes = Counter(label.values())
        main = max(sizes, key=lambda first: sizes[first], default=None)
        found += [violation("isolated", cell=cell) for cell in sorted(table) if label[cell] != main]
    closed, through = tuple(circuits(table)), tuple(lines_through_all(table))
    return Reading(table, tuple(found), closed, through, award((*closed, *through) if god else closed))
