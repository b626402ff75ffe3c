"""Games, hands and short cuts that the Triominos tests share."""

from dataclasses import replace
from typing import Any

from rules.triominos import Cell, Hand, Rules, Triominos
from rules.triominos.lattice import Corner, corners
from rules.triominos.tiles import Values

V0 = Cell(0, 0, False)
UP0 = Cell(0, 0, True)


def game_after(*texts: str, players: int = 2, rules: Rules | None = None, **more: Any) -> Triominos:
    game = Triominos(players, rules, **more)
    for text in texts:
        game.push(game.parse_move(text))
    return game


def codes(game: Triominos, text: str) -> list[str]:
    return [violation.code for violation in game.check(game.parse_move(text))]


def earned(game: Triominos) -> dict[str, int]:
    """What the last move earned, by cause."""
    ply = len(game.moves) - 1
    return {line.cause: line.points for s in game.score() for line in s.lines if line.ply == ply}


def from_corners(value: dict[Corner, int], *cells: Cell) -> list[tuple[Values, Cell]]:
    return [(tuple(value[p] for p in corners(c)), c) for c in cells]


LOW = ["0-0-1", "0-0-2", "0-0-3", "0-1-1", "0-1-2", "0-1-3", "0-2-2"]
OTHER = ["0-0-4", "0-0-5", "0-1-4", "0-1-5", "0-2-3", "0-2-4", "0-2-5"]


def with_stock(stock: int, players: int = 2, rules: Rules | None = None, sizes: tuple[int, ...] = ()) -> Triominos:
    game = game_after("A 5-5-5@0,0v", players=players, rules=rules)
    hands = tuple(Hand(frozenset(), size) for size in sizes) or game.state.hands
    game._states[-1] = replace(game.state, stock=stock, hands=hands)
    return game
