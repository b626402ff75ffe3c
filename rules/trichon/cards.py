"""Cells of the board, cards, lines and moves of Trichón, and how they are written.

The board has 12 columns (the numbers) and 4 rows in the order espada, copa, oro, basto. A cell is written by the row's
letter and the column: `C7`. A card is its cell (`C7`) or a comodín played as one (`*C7`); a line is `C5-C6-C7`.

| text | move |
| --- | --- |
| `A C7` | player A plays the 7 of copas and claims nothing (or the only line there is) |
| `A C7 =C5-C6-C7` | and claims a line |
| `B *O1 O2 =O1-O2-O3` | two cards in a turn, the first a comodín |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rules.game import NotationError, RulesError

ROWS = ("espadas", "copas", "oros", "bastos")
LETTERS = "ECOB"
COLUMNS = 12
JOKERS = 2
PLAYERS = "AB"


class Cell(NamedTuple):
    """A place on the board: row 0 to 3 (espada, copa, oro, basto) and column 1 to 12."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"{LETTERS[self.row]}{self.column}"

    @property
    def label(self) -> str:
        """The card of this cell as the eyes name it: `7-copas`."""
        return f"{self.column}-{ROWS[self.row]}"


class Card(NamedTuple):
    """A card played: the cell that it stands for, and whether it is a comodín."""

    cell: Cell
    joker: bool = False

    def __str__(self) -> str:
        return f"{'*' if self.joker else ''}{self.cell}"


Line = tuple[Cell, Cell, Cell]

ALL_CELLS = tuple(Cell(row, column) for row in range(4) for column in range(1, COLUMNS + 1))

_CELL = re.compile(r"([ECOB])([1-9]|1[0-2])")
_LABEL = re.compile(r"([1-9]|1[0-2])-(espadas|copas|oros|bastos)")


def parse_cell(text: object) -> Cell:
    """A cell from `C7` or from the card's label `7-copas`."""
    if isinstance(text, str):
        if match := _CELL.fullmatch(text):
            return Cell(LETTERS.index(match[1]), int(match[2]))
        if match := _LABEL.fullmatch(text):
            return Cell(ROWS.index(match[2]), int(match[1]))
    raise NotationError(f"{str(text)[:40]!r} is no cell or card; write C7 or 7-copas")


def parse_card(text: object) -> Card:
    """A card from `C7`, `7-copas` or, for a comodín played as a cell, `*C7`."""
    if isinstance(text, str) and text.startswith("*"):
        return Card(parse_cell(text[1:]), True)
    return Card(parse_cell(text))


def checked_cell(cell: object) -> Cell:
    """A cell from a pair or a text; `RulesError` for anything else."""
    if isinstance(cell, str):
        return parse_cell(cell)
    if not isinstance(cell, tuple) or len(cell) != 2 or any(type(n) is not int for n in cell):
        raise RulesError(f"a cell is (row, column), not {str(cell)[:40]}")
    if cell not in ALL_CELLS:
        raise RulesError("the board has rows 0 to 3 and columns 1 to 12")
    return Cell(*cell)


def checked_card(card: object) -> Card:
    """A card from a text or from (cell, joker)."""
    if isinstance(card, str):
        return parse_card(card)
    if not isinstance(card, tuple) or len(card) != 2 or type(card[1]) is not bool:
        raise RulesError(f"a card is (cell, comodín or not), not {str(card)[:40]}")
    return Card(checked_cell(card[0]), card[1])


def checked_line(line: object) -> Line:
    """Three different cells in order, which need not lie in line (the engine says so); a text like `C5-C6-C7` too."""
    if isinstance(line, str):
        line = tuple(line.split("-"))
    if not isinstance(line, tuple | list) or len(line) != 3:
        raise RulesError(f"a line has three cells: {str(line)[:40]}")
    cells = sorted(checked_cell(c) for c in line)
    if len(set(cells)) != 3:
        raise RulesError("a line has three different cells")
    return cells[0], cells[1], cells[2]


def line_text(line: Line) -> str:
    """`C5-C6-C7`."""
    return "-".join(map(str, line))


def is_straight(line: Line) -> bool:
    """Three neighbours in a row or in a column."""
    rows, columns = [c.row for c in line], [c.column for c in line]
    if len(set(rows)) == 1:
        return columns[2] - columns[0] == 2
    return len(set(columns)) == 1 and rows[2] - rows[0] == 2


ALL_LINES: tuple[Line, ...] = tuple(
    [(Cell(r, c), Cell(r, c + 1), Cell(r, c + 2)) for r in range(4) for c in range(1, COLUMNS - 1)]
    + [(Cell(r, c), Cell(r + 1, c), Cell(r + 2, c)) for r in range(2) for c in range(1, COLUMNS + 1)]
)

LINES_OF: dict[Cell, tuple[Line, ...]] = {c: tuple(line for line in ALL_LINES if c in line) for c in ALL_CELLS}


@dataclass(frozen=True, slots=True)
class Play:
    """A turn: the cards played (in the order of the board) and the lines claimed, which should be one at most."""

    player: int
    cards: tuple[Card, ...]
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if type(self.player) is not int or not 0 <= self.player < len(PLAYERS):
            raise RulesError("a player is 0 or 1")
        if not isinstance(self.cards, tuple | list) or not isinstance(self.lines, tuple | list):
            raise RulesError("a play is a list of cards and a list of lines")
        if not 1 <= len(self.cards) <= 50 or len(self.lines) > 16:
            raise RulesError("a play has at least one card, and not more than there are")
        object.__setattr__(self, "cards", tuple(sorted(checked_card(c) for c in self.cards)))
        object.__setattr__(self, "lines", tuple(sorted(checked_line(line) for line in self.lines)))

    def __str__(self) -> str:
        words = [PLAYERS[self.player], *map(str, self.cards), *(f"={line_text(line)}" for line in self.lines)]
        return " ".join(words)


def parse_play(text: object) -> Play:
    """The play that `str(play)` printed."""
    words = text.split(" ") if isinstance(text, str) else []
    if len(words) < 2 or words[0] not in ("A", "B"):
        raise NotationError(f"{str(text)[:60]!r} is no play; write 'A C7' or 'A C7 =C5-C6-C7'")
    cards = [word for word in words[1:] if not word.startswith("=")]
    lines = [word[1:] for word in words[1:] if word.startswith("=")]
    return Play(PLAYERS.index(words[0]), tuple(map(parse_card, cards)), tuple(map(checked_line, lines)))
