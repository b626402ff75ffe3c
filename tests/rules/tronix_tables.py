"""Tables and decks that the Tronix tests share."""

from __future__ import annotations

from random import Random

from rules.tronix import Cell, Deck, Face, Kind, Port, Tronix

CROSS, WIDE = Face.parse("NS/EW"), Face.parse("EW/NS")

SQUARE: dict[Cell, str] = {(0, 0): "ES", (1, 0): "SW", (0, 1): "NE", (1, 1): "NW"}
RECTANGLE: dict[Cell, str] = {(0, 0): "ES", (1, 0): "EW", (2, 0): "SW", (0, 1): "NE", (1, 1): "EW", (2, 1): "NW"}
# Two loops through one straight crossing at (1, 1): a single circuit that uses that card twice.
EIGHT: dict[Cell, str] = {(0, 0): "ES", (1, 0): "SW", (0, 1): "NE", (2, 1): "SW", (1, 2): "NE", (2, 2): "NW"}
ROW: dict[Cell, str] = {(x, 0): "EW" for x in range(7)}


def face_with(line: str, color: str) -> Face:
    """The default deck's face that has `line` in `color` and the other two ports in the other one."""
    other = "".join(side for side in "NESW" if side not in line)
    return Face.parse(f"{line}/{other}" if color == "green" else f"{other}/{line}")


def table_of(lines: dict[Cell, str], pink: tuple[Cell, ...] = ()) -> dict[Cell, Face]:
    """A table where each cell's named line is green, or pink in the cells of `pink`."""
    return {cell: face_with(line, "pink" if cell in pink else "green") for cell, line in lines.items()}


def before_last(table: dict[Cell, Face], last: Cell, **setup: object) -> tuple[Tronix, Face]:
    """A game whose table lacks only the card at `last`, in the placement phase, and that card's face."""
    rest = {cell: face for cell, face in table.items() if cell != last}
    return Tronix.from_table(rest, starter=0, **setup), table[last]


def small_deck(kinds: int = 6, count: int = 2) -> Deck:
    """The first designs of the default deck in few copies, so that a game gets to its end."""
    full = Deck.default()
    cut = tuple(Kind(kind.id, kind.front, kind.back, count) for kind in full.kinds[:kinds])
    return Deck("small", full.width, full.height, full.ports, cut)


def odd_deck(rng: Random, square: bool = True, designs: int = 5, count: int = 3) -> Deck:
    """A deck with two ports off the middle on three sides and none on the fourth, faces drawn at random."""
    ports = tuple(Port(side, position) for side in "NES" for position in (0.3, 0.7))
    if square:
        ports += (Port("W", 0.5), Port("W", 0.3), Port("W", 0.7))

    def face() -> Face:
        a, b, c, d = rng.sample(ports, 4)
        return Face((a, b), (c, d))

    kinds = tuple(Kind(f"k{i}", face(), face(), count) for i in range(designs))
    return Deck("odd", 60, 60 if square else 90, ports, kinds)
