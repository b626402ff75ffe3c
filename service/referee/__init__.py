"""From a stable table to a move, one referee per game: the only place where pixels and rules meet."""

from __future__ import annotations

from importlib import import_module

from service.referee.base import Context, Referee, Verdict

__all__ = ["Context", "Referee", "Verdict", "referee_for"]

REFEREES = {
    "triominos": ("service.referee.triominos", "TriominosReferee"),
    "truco": ("service.referee.truco", "TrucoReferee"),
    "trichon": ("service.referee.trichon", "TrichonReferee"),
    "tronix": ("service.referee.tronix", "TronixReferee"),
    "trama": ("service.referee.trama", "TramaReferee"),
}


def referee_for(game: str) -> Referee:
    """The referee of a game by name; `KeyError` for a game that there is none for."""
    module, name = REFEREES[game]
    referee: Referee = getattr(import_module(module), name)()
    return referee
