"""Trichón: `Trichon` is the game, `cards` explains cells, lines and the notation."""

from rules.trichon.cards import Card, Cell, Line, Play, line_text, parse_card, parse_cell
from rules.trichon.engine import Trichon
from rules.trichon.position import Position
from rules.trichon.state import Hand, Rules, State

__all__ = [
    "Card",
    "Cell",
    "Hand",
    "Line",
    "Play",
    "Position",
    "Rules",
    "State",
    "Trichon",
    "line_text",
    "parse_card",
    "parse_cell",
]
