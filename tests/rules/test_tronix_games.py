"""Tronix: random games keep what every game must keep; turned, mirrored and recoloured games score alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from properties import game_properties
from tronix_tables import odd_deck, small_deck

from rules.tronix import Face, Move, Port, Rules, Tronix


def all_cards(game: Any) -> int:
    """Hands, table, what was won and what was discarded: always the whole deck."""
    state = game.state
    return sum(state.hands) + len(state.table) + sum(line.points for line in state.lines) + state.discarded


def odd_moves(game: Any, rng: Random) -> Iterator[Move]:
    """Moves of every kind around the table, most of them wrong somehow."""
    cells = [*game.state.table, (0, 0)]
    faces = [*game.deck.shows, Face.parse("N.2S/EW")]

    def somewhere() -> tuple[float, float]:
        x, y = rng.choice(cells)
        return x + rng.choice([-1, 0, 0, 1, 0.5]), y + rng.choice([-1, 0, 0, 1])

    others = [seat for seat in range(game.seats) if seat != game.turn]
    for _ in range(6):
        player = None if game.turn is None or rng.random() < 0.7 else rng.choice(others)
        sideways = len(game.deck.rotations) == 2 and rng.random() < 0.1
        yield Move("place", somewhere(), rng.choice(faces), None, player, sideways)
        yield Move("move", somewhere(), rng.choice(faces), rng.choice(cells), player, sideways)
    yield Move("swap", rng.choice(cells), None, rng.choice(cells))
    yield Move("pass")


def random_game(rng: Random) -> Tronix:
    players = rng.choice([2, 4, 6])
    deck = rng.choice([small_deck(6, 2), small_deck(4, 3), odd_deck(rng, True), odd_deck(rng, False)])
    hands: list[list[str]] | None = None
    if rng.random() < 0.5:
        cards = [kind.id for kind in deck.copies()]
        rng.shuffle(cards)
        hands = [cards[seat::players] for seat in range(players)]
    rules = Rules(rng.random() < 0.5, rng.random() < 0.5)
    return Tronix(players, deck=deck, hands=hands, rules=rules, starter=rng.randrange(players))


test_random_games = game_properties(
    random_game, pieces=all_cards, strangers=odd_moves, examples=12, cap=26, check_each=15
)
test_random_games_with_the_whole_deck = game_properties(
    lambda rng: Tronix(rng.choice([2, 8, 10])), pieces=all_cards, strangers=odd_moves, examples=2, cap=48, check_each=8
)


def mirrored(port: Port) -> Port:
    side = {"E": "W", "W": "E"}.get(port.side, port.side)
    return Port(side, round(1 - port.position, 4))


def change(move: Move, cell: Callable[[Any], Any], face: Callable[[Face], Face]) -> Move:
    assert move.cell is not None
    assert move.face is not None
    source = None if move.source is None else cell(move.source)
    return Move(move.kind, cell(move.cell), face(move.face), source, move.player)


SYMMETRIES: dict[str, tuple[Callable[[Any], Any], Callable[[Face], Face], bool]] = {
    "half turn": (lambda c: (-c[0], -c[1]), lambda f: f.turned(2), False),
    "mirror": (
        lambda c: (-c[0], c[1]),
        lambda f: Face((mirrored(f.green[0]), mirrored(f.green[1])), (mirrored(f.pink[0]), mirrored(f.pink[1]))),
        False,
    ),
    "colours changed": (lambda c: c, lambda f: Face(f.pink, f.green), True),
}


@pytest.mark.parametrize("name", SYMMETRIES)
def test_symmetry(name: str) -> None:
    """The same game turned, mirrored or with the colours changed scores the same (for the other team)."""
    cell, face, colors = SYMMETRIES[name]
    scored = 0
    deck = small_deck(6, 4)
    for seed in range(9):
        rng = Random(seed)
        game, image = Tronix(4, starter=0, deck=deck), Tronix(4, starter=0, deck=deck)
        while game.outcome() is None and len(game.moves) < 30:
            moves = list(game.legal_moves)
            move = rng.choice(moves)
            for _ in range(12):  # prefer moves that score, so that there is something to compare
                trial = rng.choice(moves)
                game.push(trial)
                good = bool(game.state.lifted)
                game.pop()
                if good:
                    move = trial
                    break
            if not game.state.god or len(game.moves) % 3 == 0:
                assert image.legal_moves.count() == len(moves)
            game.push(move)
            image.push(change(move, cell, face))
            totals = [score.total for score in game.score()]
            assert [score.total for score in image.score()] == (totals[::-1] if colors else totals)
            assert image.turn == game.turn
        scored += sum(score.total for score in game.score())
    assert scored > 20
