"""Moves of Tronix and their notation.

0,0=NS/EW           a card from the hand to cell 0,0 (x to the right, y down), green line N–S, pink line E–W
0,0>1,0=NE/SW       god mode: the card of 0,0 to 1,0, showing that face; 0,0>0,0=… turns or flips it in place
0,0<>1,0            two cards change places; pass: nothing happens. Both are seen, neither is ever legal
p3:0,0=NS/EW        as any of these, by the player in seat 3 (else by whoever's turn it is)
0.5,0=NS/EW~        a card between two cells, lying on its side: what a camera may see
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from rules.game import NotationError
from rules.tronix.deck import Cell, Face

Spot = tuple[float, float]  # a cell, or a place between cells: whole numbers are ints

_FARTHEST = 9999
_NUMBER = r"(-?[0-9]{1,4}(?:\.[0-9]{1,3})?)"
_CELL = re.compile(rf"{_NUMBER},{_NUMBER}")
_MOVE = re.compile(r"(?:p(?P<player>[0-9]{1,2}):)?(?P<what>[^:]+)")


def spot(data: Any) -> Spot:
    """A place on the table from a pair of numbers; `NotationError` for anything else."""
    if not isinstance(data, list | tuple) or len(data) != 2:
        raise NotationError(f"a cell is a pair of numbers, not {str(data)[:40]!r}")
    result = []
    for number in data:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise NotationError(f"a cell is a pair of numbers, not {str(data)[:40]!r}")
        if abs(number) > _FARTHEST:
            raise NotationError(f"no table reaches as far as {str(number)[:40]}")
        rounded = round(number, 3)
        result.append(int(rounded) if rounded == int(rounded) else rounded)
    return result[0], result[1]


def whole(place: Spot) -> Cell | None:
    """The cell at `place`, or None between cells."""
    x, y = place
    return (x, y) if isinstance(x, int) and isinstance(y, int) else None


@dataclass(frozen=True)
class Move:
    """What a player did: `place` a card, `move` one (god mode; also turning and flipping), `swap` two, or `pass`.

    `cell` is where the card lies afterwards and `face` what it shows there; `source` is where it lay before. `sideways`
    says that it lies a quarter turn off the others. `player` is None for whoever's turn it is.
    """

    kind: str
    cell: Spot | None = None
    face: Face | None = None
    source: Spot | None = None
    player: int | None = None
    sideways: bool = False

    def __post_init__(self) -> None:
        wanted = {
            "place": (True, True, False),
            "move": (True, True, True),
            "swap": (True, False, True),
            "pass": (False, False, False),
        }.get(self.kind if isinstance(self.kind, str) else "")
        if wanted is None:
            raise NotationError(f"a move is place, move, swap or pass, not {str(self.kind)[:40]!r}")
        if wanted != (self.cell is not None, self.face is not None, self.source is not None):
            raise NotationError(f"a {self.kind} does not have these parts")
        for name in ("cell", "source"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, spot(getattr(self, name)))
        if self.face is not None:
            object.__setattr__(self, "face", Face.of(self.face))
        if self.player is not None and (type(self.player) is not int or not 0 <= self.player < 100):
            raise NotationError(f"a player is a seat's number, not {str(self.player)[:40]!r}")
        if type(self.sideways) is not bool or (self.sideways and self.face is None):
            raise NotationError("only a card that is laid lies sideways: true or false")

    @classmethod
    def place(cls, cell: Any, face: Any, player: int | None = None) -> Move:
        """A card from the hand to `cell`."""
        return cls("place", cell, face, None, player)

    @classmethod
    def shift(cls, source: Any, cell: Any, face: Any, player: int | None = None) -> Move:
        """The card at `source` moved to `cell` (the same cell: turned or flipped), where it shows `face`."""
        return cls("move", cell, face, source, player)

    @classmethod
    def trusted(cls, kind: str, cell: Cell, face: Face, source: Cell | None = None, player: int | None = None) -> Move:
        """A move whose parts the engine itself made: generating thousands, it need not look at them again."""
        move = object.__new__(cls)
        parts = {"kind": kind, "cell": cell, "face": face, "source": source, "player": player, "sideways": False}
        move.__dict__.update(parts)
        return move

    def __str__(self) -> str:
        by = "" if self.player is None else f"p{self.player}:"
        if self.cell is None:
            return by + "pass"
        cell = _text(self.cell)
        if self.source is not None:
            cell = f"{_text(self.source)}{'<>' if self.face is None else '>'}{cell}"
        return by + cell + (f"={self.face}" if self.face is not None else "") + "~" * self.sideways

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move that `str` printed; `NotationError` for anything else."""
        match = _MOVE.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise NotationError(f"a move reads like 0,0=NS/EW or 0,0>1,0=NE/SW, not {str(text)[:60]!r}")
        player = int(match["player"]) if match["player"] else None
        what = match["what"]
        if what == "pass":
            return cls("pass", player=player)
        if "<>" in what:
            first, _, second = what.partition("<>")
            return cls("swap", _cell(second), None, _cell(first), player)
        where, _, shown = what.partition("=")
        source, arrow, target = where.rpartition(">")
        sideways = shown.endswith("~")
        face = Face.parse(shown.removesuffix("~"))
        if arrow:
            return cls("move", _cell(target), face, _cell(source), player, sideways)
        return cls("place", _cell(target), face, None, player, sideways)


def _text(place: Spot) -> str:
    return f"{place[0]},{place[1]}"


def _cell(text: str) -> Spot:
    match = _CELL.fullmatch(text)
    if match is None:
        raise NotationError(f"a cell reads like 2,-1, not {text[:40]!r}")
    return spot((float(match[1]), float(match[2])))
