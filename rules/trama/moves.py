"""What players do in Trama, as values that print and parse back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rules.game import NotationError
from rules.trama.loom import Cord, Crossing, of_kind
from rules.trama.rulebook import BUTTONS

MAX_PLAYERS = 5
_MOVE = re.compile(r"([0-4]) (weave|button)((?: [^\s]+)*)")
_CARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", re.ASCII)


def _player(player: Any) -> None:
    if type(player) is not int or not 0 <= player < MAX_PLAYERS:
        raise NotationError(f"a player is a number from 0 to {MAX_PLAYERS - 1}, not {str(player)[:40]!r}")


@dataclass(frozen=True, slots=True)
class Weave:
    """A player's new cords of a round and every crossing in which one of them takes part. Both are kept sorted."""

    player: int
    cords: tuple[Cord, ...]
    crossings: tuple[Crossing, ...] = ()

    def __post_init__(self) -> None:
        _player(self.player)
        object.__setattr__(self, "cords", tuple(sorted(of_kind(self.cords, Cord))))
        object.__setattr__(self, "crossings", tuple(sorted(set(of_kind(self.crossings, Crossing)))))

    def __str__(self) -> str:
        return " ".join([f"{self.player} weave", *map(str, self.cords), *map(str, self.crossings)])


@dataclass(frozen=True, slots=True)
class Button:
    """A player lays a `round` or a `square` button on a pattern card."""

    player: int
    shape: str
    card: str

    def __post_init__(self) -> None:
        _player(self.player)
        if not isinstance(self.shape, str) or self.shape not in BUTTONS:
            raise NotationError(f"a button is 'round' or 'square', not {str(self.shape)[:40]!r}")
        if not isinstance(self.card, str) or _CARD.fullmatch(self.card) is None:
            raise NotationError(f"{str(self.card)[:40]!r} is not a card's id")

    def __str__(self) -> str:
        return f"{self.player} button {self.shape} {self.card}"


Move = Weave | Button


def parse_move(text: Any) -> Move:
    """The move that `str(move)` printed: `0 weave v0=rojo … h1v0=h …` or `0 button round a3`."""
    if not isinstance(text, str):
        raise NotationError(f"a move is text, not {type(text).__name__}")
    match = _MOVE.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:40]!r} is not a move; say '0 weave v0=rojo …' or '0 button round ID'")
    player, words = int(match[1]), match[3].split()
    if match[2] == "weave":
        crossings = [word for word in words if word[0] == "h" and "v" in word.split("=")[0]]
        cords = [word for word in words if word not in crossings]
        return Weave(player, tuple(map(Cord.parse, cords)), tuple(map(Crossing.parse, crossings)))
    if len(words) != 2:
        raise NotationError("a button move is 'PLAYER button SHAPE CARD'")
    return Button(player, words[0], words[1])
