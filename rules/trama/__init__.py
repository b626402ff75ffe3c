"""Trama: cords on looms, two to five players.

`Trama(players=3)` starts a game; `score_loom(loom, patterns, objective)` scores a finished loom by itself, which is
what one photograph gives.
"""

from rules.trama.cards import (
    Adjacent,
    CardSet,
    Interlaced,
    Objective,
    Pattern,
    default_cards,
    parse_objective,
    parse_pattern,
)
from rules.trama.engine import Trama
from rules.trama.loom import Cord, Crossing, Loom, changes
from rules.trama.moves import Button, Move, Weave
from rules.trama.rulebook import Rules
from rules.trama.score import LoomScore, adjacent_points, interlaced_pairs, interlaced_points, penalties, score_loom
from rules.trama.state import State, Table
from rules.trama.table import TableReading, read_table

__all__ = [
    "Adjacent",
    "Button",
    "CardSet",
    "Cord",
    "Crossing",
    "Interlaced",
    "Loom",
    "LoomScore",
    "Move",
    "Objective",
    "Pattern",
    "Rules",
    "State",
    "Table",
    "TableReading",
    "Trama",
    "Weave",
    "adjacent_points",
    "changes",
    "default_cards",
    "interlaced_pairs",
    "interlaced_points",
    "parse_objective",
    "parse_pattern",
    "penalties",
    "read_table",
    "score_loom",
]
