"""Trama's options: the loom's size, the cords' colours and how patterns are counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, no_extra, require

ROUNDS = 4
CORDS_PER_ROUND = 4
COPIES = 20
OBJECTIVE_POINTS = 5
#: So many cords of a colour on one axis are free; each one more costs a point.
FREE_PER_AXIS = 3
BUTTONS = {"round": 2, "square": 2}

_NAME = re.compile(r"[^\W\d_](?:[\w-]{0,30})")
_HEX = re.compile(r"#[0-9a-f]{6}", re.ASCII)

DEFAULT_COLORS = (
    ("rojo", "#c62f2f"),
    ("rosado", "#ee8fb4"),
    ("celeste", "#6fc3e8"),
    ("azul", "#2b4fa8"),
    ("morado", "#7b3fa0"),
)


@dataclass(frozen=True, slots=True)
class Rules:
    """House rules.

    `lanes`: lanes per axis. `colors`: pairs of name and reference colour (`#rrggbb`), learnt from the player's own set.
    `same_color`: an adjacent card with A = B counts each ordered pair (false: it scores 0). `neighbours`: the two B
    cords of an interlaced pattern lie in neighbouring lanes (false: they follow one another along A, whatever lies
    between). `either_end`: interlaced patterns are read from both ends of A (false: from the left or the top).
    `share_b`: two pairs along one A cord may share a B cord.
    """

    lanes: int = 8
    colors: tuple[tuple[str, str], ...] = DEFAULT_COLORS
    same_color: bool = True
    neighbours: bool = True
    either_end: bool = True
    share_b: bool = True

    def __post_init__(self) -> None:
        if type(self.lanes) is not int or not 1 <= self.lanes <= 64:
            raise NotationError("'lanes' must be a whole number from 1 to 64")
        object.__setattr__(self, "colors", _colors(self.colors))
        for name in ("same_color", "neighbours", "either_end", "share_b"):
            if not isinstance(getattr(self, name), bool):
                raise NotationError(f"{name!r} must be true or false")

    @property
    def names(self) -> tuple[str, ...]:
        """The colours' names."""
        return tuple(name for name, _ in self.colors)

    def to_json(self) -> Json:
        """A plain dictionary."""
        return {
            "lanes": self.lanes,
            "colors": [list(pair) for pair in self.colors],
            "same_color": self.same_color,
            "neighbours": self.neighbours,
            "either_end": self.either_end,
            "share_b": self.share_b,
        }

    @classmethod
    def from_json(cls, data: Any) -> Rules:
        """The rules that `to_json` gave; options that are left out keep their defaults."""
        base = cls()
        options: Json = {
            "lanes": require(data, "lanes", int, base.lanes),
            "colors": require(data, "colors", (list, tuple), base.colors),
        }
        for name in ("same_color", "neighbours", "either_end", "share_b"):
            options[name] = require(data, name, bool, getattr(base, name))
        no_extra(data, tuple(options), "Trama")
        return cls(**options)


def _colors(value: Any) -> tuple[tuple[str, str], ...]:
    """Checked pairs of a name and a reference colour."""
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= 32:
        raise NotationError("'colors' must be a list of 1 to 32 pairs of name and reference colour")
    pairs = []
    for pair in value:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise NotationError("a colour is a pair of a name and '#rrggbb'")
        name, reference = color_name(pair[0]), pair[1].lower()
        if _HEX.fullmatch(reference) is None:
            raise NotationError(f"the reference of {name!r} must be '#rrggbb', not {reference[:40]!r}")
        pairs.append((name, reference))
    if len({name for name, _ in pairs}) != len(pairs):
        raise NotationError("two colours have the same name")
    return tuple(pairs)


def color_name(name: Any) -> str:
    """A colour's name, checked to be one word that notation can carry."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise NotationError(f"a colour's name is a word of letters, not {str(name)[:40]!r}")
    return name
