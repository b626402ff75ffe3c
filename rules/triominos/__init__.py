"""Triominos: `Triominos` is the game, `lattice` explains the coordinates, `moves` the notation."""

from rules.triominos.engine import Triominos
from rules.triominos.lattice import Cell, parse_cell
from rules.triominos.moves import DeclareHand, Draw, Move, Pass, Place
from rules.triominos.position import Laid, Position, TableChange
from rules.triominos.state import State
from rules.triominos.tiles import STANDARD, Hand, Rules, Tile, Values, label, tile_of

__all__ = [
    "STANDARD",
    "Cell",
    "DeclareHand",
    "Draw",
    "Hand",
    "Laid",
    "Move",
    "Pass",
    "Place",
    "Position",
    "Rules",
    "State",
    "TableChange",
    "Tile",
    "Triominos",
    "Values",
    "label",
    "parse_cell",
    "tile_of",
]
