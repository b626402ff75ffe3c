"""El Truco as it is played in Almería, for two or four players.

`Truco(players=2, dealer=0)` starts a match; `game.push(game.parse_move("1 7-copas"))` plays a card.
"""

from rules.truco.board import Board, hand_winner, trick_winner
from rules.truco.cards import DECK, Card
from rules.truco.engine import Truco
from rules.truco.moves import BIDS, LEVELS, WORDS, Deal, Move, Play, Say
from rules.truco.state import Coins, Rules, State, Tally, coins
from rules.truco.table import Reading, read_tricks

__all__ = [
    "BIDS",
    "DECK",
    "LEVELS",
    "WORDS",
    "Board",
    "Card",
    "Coins",
    "Deal",
    "Move",
    "Play",
    "Reading",
    "Rules",
    "Say",
    "State",
    "Tally",
    "Truco",
    "coins",
    "hand_winner",
    "read_tricks",
    "trick_winner",
]
