"""The triangular lattice that tiles lie on: corners, cells and who touches whom.

A **lattice corner** is a pair of whole numbers `(x, y)`. Drawn with y downwards (as in an image) and sides of length 1
it lies at `(x + y/2, y·√3/2)`: x counts to the right, y counts down and half a side to the right.

A **cell** is a triangle of the lattice, `Cell(x, y, up)`. The corners of a cell, *clockwise* as seen, are

    ▽  Cell(x, y, False)   (x, y), (x+1, y), (x, y+1)          point down, flat side on top
    △  Cell(x, y, True)    (x+1, y), (x+1, y+1), (x, y+1)      point up, flat side below

so that ▽ and △ with the same x, y make one rhombus. As text a cell is `x,yv` or `x,y^`: `0,0v`, `-2,1^`.

A tile in a cell is the three values at the cell's corners in that order (`Values`); turning the tile by a third turns
the tuple. Side `i` of a cell runs from corner `i` to corner `i + 1`; the corner opposite to it is `i + 2` (modulo 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from rules.game import NotationError, RulesError

Corner = tuple[int, int]

# Far beyond any table (56 tiles in a row are 28 wide), small enough that nonsense is refused early.
LIMIT = 500

HEIGHT = sqrt(3) / 2


class Cell(NamedTuple):
    """One triangle of the lattice; see the module's text for the coordinates."""

    x: int
    y: int
    up: bool

    def __str__(self) -> str:
        return f"{self.x},{self.y}{'^' if self.up else 'v'}"


ORIGIN = (Cell(0, 0, False), Cell(0, 0, True))

_CELL = re.compile(r"(0|-?[1-9][0-9]{0,2}),(0|-?[1-9][0-9]{0,2})([v^])")


def parse_cell(text: str) -> Cell:
    """The cell that `str(cell)` printed."""
    match = _CELL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise NotationError(f"{str(text)[:40]!r} is no cell; write it like 0,0v or -2,1^")
    return checked_cell(Cell(int(match[1]), int(match[2]), match[3] == "^"))


def checked_cell(cell: object) -> Cell:
    """`cell` itself if it is a cell of a table-sized lattice, else `RulesError`."""
    if not isinstance(cell, tuple) or len(cell) != 3:
        raise RulesError(f"a cell is (x, y, up), not {str(cell)[:40]}")
    x, y, up = cell
    if type(x) is not int or type(y) is not int or type(up) is not bool:
        raise RulesError("a cell is two whole numbers and whether it points up")
    if abs(x) > LIMIT or abs(y) > LIMIT:
        raise RulesError(f"a cell so far away ({str(x)[:9]}, {str(y)[:9]}) is on no table")
    return Cell(x, y, up)


def corners(cell: Cell) -> tuple[Corner, Corner, Corner]:
    """The cell's three lattice corners, clockwise."""
    x, y, up = cell
    if up:
        return (x + 1, y), (x + 1, y + 1), (x, y + 1)
    return (x, y), (x + 1, y), (x, y + 1)


def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """The cells across side 0, 1 and 2."""
    x, y, up = cell
    if up:
        return Cell(x + 1, y, False), Cell(x, y + 1, False), Cell(x, y, False)
    return Cell(x, y - 1, True), Cell(x, y, True), Cell(x - 1, y, True)


def around(corner: Corner) -> tuple[tuple[Cell, int], ...]:
    """The six cells that touch a lattice corner, clockwise from the right, each with its own number of that corner."""
    x, y = corner
    return (
        (Cell(x, y, False), 0),
        (Cell(x - 1, y, True), 0),
        (Cell(x - 1, y, False), 1),
        (Cell(x - 1, y - 1, True), 1),
        (Cell(x, y - 1, False), 2),
        (Cell(x, y - 1, True), 2),
    )


def cell_at(points: Iterable[Corner]) -> Cell | None:
    """The cell with these three corners, given in any order; None if no cell has them."""
    wanted = set(points)
    if len(wanted) != 3:
        return None
    x, y = min(c[0] for c in wanted), min(c[1] for c in wanted)
    for cell in (Cell(x, y, False), Cell(x, y, True)):
        if set(corners(cell)) == wanted:
            return cell
    return None


def position(corner: tuple[float, float], side: float = 1.0) -> tuple[float, float]:
    """Where a lattice corner lies on a flat table (y downwards) with sides of that length."""
    x, y = corner
    return (x + y / 2) * side, y * HEIGHT * side


def centre(cell: Cell, side: float = 1.0) -> tuple[float, float]:
    """The middle of a cell on a flat table (y downwards)."""
    points = [position(c, side) for c in corners(cell)]
    return sum(p[0] for p in points) / 3, sum(p[1] for p in points) / 3
