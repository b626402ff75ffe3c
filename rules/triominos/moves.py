"""The moves of Triominos and how they are written.

| text | move |
| --- | --- |
| `A 5-5-5@0,0v` | player A lays a tile: its values clockwise from the first corner of the cell (see `lattice`) |
| `B 0-1-2@?` | a tile laid where no cell is (what the eyes report for a crooked tile; never legal) |
| `B draw`, `B draw 0-1-2` | B takes a tile from the stock; its name where hands are open |
| `B pass` | B ends the turn without placing |
| `C hand 23` | at the end of a round: C's remaining tiles add up to 23 |
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.game import NotationError, RulesError
from rules.triominos.lattice import Cell, checked_cell, parse_cell
from rules.triominos.tiles import PLAYER_LETTERS, Tile, Values, checked_values, label, parse_values, tile_of


def _check_player(player: object) -> None:
    if type(player) is not int or not 0 <= player < len(PLAYER_LETTERS):
        raise RulesError("a player is a number from 0 to 3")


@dataclass(frozen=True, slots=True)
class Place:
    """A tile laid on the table: `values[i]` lies at `lattice.corners(cell)[i]`. Without a cell it lies crooked."""

    player: int
    values: Values
    cell: Cell | None

    def __post_init__(self) -> None:
        _check_player(self.player)
        object.__setattr__(self, "values", checked_values(self.values))
        if self.cell is not None:
            object.__setattr__(self, "cell", checked_cell(self.cell))

    @property
    def tile(self) -> Tile:
        """The tile's name, however it is turned."""
        return tile_of(self.values)

    def __str__(self) -> str:
        return f"{PLAYER_LETTERS[self.player]} {label(self.values)}@{'?' if self.cell is None else self.cell}"


@dataclass(frozen=True, slots=True)
class Draw:
    """A tile taken from the stock, named only where hands are open."""

    player: int
    tile: Tile | None = None

    def __post_init__(self) -> None:
        _check_player(self.player)
        if self.tile is not None:
            object.__setattr__(self, "tile", tile_of(checked_values(self.tile)))

    def __str__(self) -> str:
        return f"{PLAYER_LETTERS[self.player]} draw" + ("" if self.tile is None else f" {label(self.tile)}")


@dataclass(frozen=True, slots=True)
class Pass:
    """The end of a turn in which nothing was placed."""

    player: int

    def __post_init__(self) -> None:
        _check_player(self.player)

    def __str__(self) -> str:
        return f"{PLAYER_LETTERS[self.player]} pass"


@dataclass(frozen=True, slots=True)
class DeclareHand:
    """What a player's remaining tiles add up to, said (or read off the table) at the end of a round."""

    player: int
    points: int

    def __post_init__(self) -> None:
        _check_player(self.player)
        if type(self.points) is not int or not 0 <= self.points <= 1512:
            raise RulesError("a hand's points are a whole number that tiles can add up to")

    def __str__(self) -> str:
        return f"{PLAYER_LETTERS[self.player]} hand {self.points}"


Move = Place | Draw | Pass | DeclareHand

_MOVE = re.compile(r"([A-D]) (?:(draw|pass)(?: ([0-9]-[0-9]-[0-9]))?|hand (0|[1-9][0-9]{0,3})|([0-9-]{5})@(\S{1,12}))")


def parse_move(text: str) -> Move:
    """The move that `str(move)` printed; `NotationError` says what is expected."""
    match = _MOVE.fullmatch(text) if isinstance(text, str) else None
    if match is None or (match[2] == "pass" and match[3]):
        raise NotationError(f"{str(text)[:60]!r} is no move; write 'A 0-1-2@0,0v', 'A draw', 'A pass' or 'A hand 23'")
    player = PLAYER_LETTERS.index(match[1])
    if match[2] == "draw":
        return Draw(player, parse_values(match[3]) if match[3] else None)
    if match[2] == "pass":
        return Pass(player)
    if match[4]:
        return DeclareHand(player, int(match[4]))
    return Place(player, parse_values(match[5]), None if match[6] == "?" else parse_cell(match[6]))
