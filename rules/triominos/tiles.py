"""Tiles, their labels, the set in the box and the options of a table.

A tile is three values read clockwise. `1-2-0` and `0-1-2` are the same tile turned; `0-2-1` is its mirror image and
another tile, which the standard box does not have. The name of a tile is its smallest reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

from rules.game import Json, NotationError, RulesError, no_extra, require

Values = tuple[int, int, int]
Tile = Values  # the smallest of its three readings

_LABEL = re.compile(r"([0-9])-([0-9])-([0-9])")

STANDARD: tuple[Tile, ...] = tuple((a, b, c) for a in range(6) for b in range(a, 6) for c in range(b, 6))

PLAYER_LETTERS = "ABCD"


def turned(values: Values, thirds: int) -> Values:
    """The same tile read from another corner: `turned((0, 1, 2), 1) == (1, 2, 0)`."""
    k = thirds % 3
    return values[k], values[(k + 1) % 3], values[(k + 2) % 3]


def tile_of(values: Values) -> Tile:
    """The tile's name, whichever corner it is read from."""
    a, b, c = values
    return min(values, (b, c, a), (c, a, b))


def mirrored(tile: Values) -> Tile:
    """The mirror image's name."""
    a, b, c = tile
    return tile_of((a, c, b))


def label(values: Values) -> str:
    """`0-3-5`, as everything outside writes it."""
    return f"{values[0]}-{values[1]}-{values[2]}"


def parse_values(text: str) -> Values:
    """Three values from a label, in the order they are written."""
    match = _LABEL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise NotationError(f"{str(text)[:40]!r} is no tile; write it like 0-3-5")
    return int(match[1]), int(match[2]), int(match[3])


def checked_values(values: object) -> Values:
    """Three digits from a tuple, a list or a label; `RulesError` for anything else."""
    if isinstance(values, str):
        return parse_values(values)
    if not isinstance(values, tuple | list) or len(values) != 3:
        raise RulesError(f"a tile is three values, not {str(values)[:40]}")
    if any(type(v) is not int or not 0 <= v <= 9 for v in values):
        raise RulesError("a tile's values are whole numbers from 0 to 9")
    return values[0], values[1], values[2]


def is_triple(tile: Values) -> bool:
    """Three times the same value."""
    return tile[0] == tile[1] == tile[2]


class Hand(NamedTuple):
    """What is known of a hand: the tiles that somebody named, and how many more there are."""

    known: frozenset[Tile]
    unknown: int

    @property
    def size(self) -> int:
        """How many tiles."""
        return len(self.known) + self.unknown

    @property
    def points(self) -> int:
        """The sum of the known tiles."""
        return sum(map(sum, self.known))


@dataclass(frozen=True, slots=True)
class Rules:
    """What a table may agree on. `tiles` is the set in the box; the other fields are the open points of the rulebook.

    `two_sided_bridge`: joining two or three sides without a hexagon earns the bridge too. `blocked_tie`: when a round
    is blocked and the lowest hands are equal, `share` (each loses its own sum and takes that of the others) or `none`.
    `target`: the game ends with the round in which somebody reaches it. `third_draw_ends`: the third draw ends the turn
    at once, without a chance to place the tile.
    """

    tiles: tuple[Tile, ...] = STANDARD
    two_sided_bridge: bool = False
    blocked_tie: str = "share"
    target: int = 400
    third_draw_ends: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.tiles, tuple | list):
            raise RulesError("the set of tiles is a list")
        names = sorted(tile_of(checked_values(t)) for t in self.tiles)
        if len(set(names)) != len(names):
            raise RulesError("a set has each tile once")
        object.__setattr__(self, "tiles", tuple(names))
        for name in ("two_sided_bridge", "third_draw_ends"):
            if type(getattr(self, name)) is not bool:
                raise RulesError(f"{name} is true or false")
        if self.blocked_tie not in ("share", "none"):
            raise RulesError("blocked_tie is 'share' or 'none'")
        if type(self.target) is not int or not 1 <= self.target <= 100_000:
            raise RulesError("target is a number of points from 1 to 100000")

    def to_json(self) -> Json:
        """Only what differs from the usual rules."""
        changed: Json = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value != f.default:
                changed[f.name] = [label(t) for t in value] if f.name == "tiles" else value
        return changed

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rules:
        """The rules that `to_json` gave; unknown options are refused."""
        if not isinstance(data, Mapping):
            raise NotationError("the rules are an object")
        no_extra(data, [f.name for f in fields(cls)], "the rules of Triominos")
        tiles = require(data, "tiles", list, None)
        rest = {key: value for key, value in data.items() if key != "tiles"}
        return cls(tiles=STANDARD if tiles is None else tuple(checked_values(t) for t in tiles), **rest)


@lru_cache(maxsize=32)
def tile_set(tiles: tuple[Tile, ...]) -> frozenset[Tile]:
    """The set as a set."""
    return frozenset(tiles)


@lru_cache(maxsize=32)
def fitting(tiles: tuple[Tile, ...]) -> dict[tuple[int | None, int | None, int | None], tuple[Values, ...]]:
    """For the values required at a cell's corners (None: free), every reading of a tile that fits there.

    Made once for a set, so that finding the moves of a position is a look-up per empty cell.
    """
    index: dict[tuple[int | None, int | None, int | None], list[Values]] = {}
    for tile in tiles:
        for a, b, c in sorted({turned(tile, k) for k in range(3)}):
            for key in ((a, b, c), (None, b, c), (a, None, c), (a, b, None)):
                index.setdefault(key, []).append((a, b, c))
    return {key: tuple(found) for key, found in index.items()}
