"""The five rules engines: pure Python, no dependency, no knowledge of pixels."""

from rules.game import (
    Game,
    IllegalMove,
    LegalMoves,
    NotationError,
    Outcome,
    PlayerScore,
    RulesError,
    ScoreLine,
    Violation,
)

__all__ = [
    "Game",
    "IllegalMove",
    "LegalMoves",
    "NotationError",
    "Outcome",
    "PlayerScore",
    "RulesError",
    "ScoreLine",
    "Violation",
]
