"""Tronix classic: circuits of green and pink lines, for any deck of circuit cards.

from rules.tronix import Deck, Tronix
game = Tronix(players=2)
game.push(game.parse_move("0,0=NS/EW"))
"""

from rules.tronix.circuits import Award, Walk, award, circuits, lines_through_all, walks
from rules.tronix.deck import Cell, Deck, Face, Kind, Port
from rules.tronix.draw import draw_face
from rules.tronix.engine import Tronix
from rules.tronix.moves import Move
from rules.tronix.state import Rules, State
from rules.tronix.table import Reading, Seen, read_table

__all__ = [
    "Award",
    "Cell",
    "Deck",
    "Face",
    "Kind",
    "Move",
    "Port",
    "Reading",
    "Rules",
    "Seen",
    "State",
    "Tronix",
    "Walk",
    "award",
    "circuits",
    "draw_face",
    "lines_through_all",
    "read_table",
    "walks",
]
