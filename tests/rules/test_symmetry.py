"""Symmetries of the card games: Trichón's board mirrored, El Truco's suits exchanged, seats changed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from rules.trichon import Card, Play, Rules, Trichon
from rules.trichon.cards import COLUMNS, Cell
from rules.truco import Card as TrucoCard
from rules.truco import Play as TrucoPlay
from rules.truco import Say, Truco

MIRRORS: dict[str, Callable[[Cell], Cell]] = {
    "left and right": lambda cell: Cell(cell.row, COLUMNS + 1 - cell.column),
    "top and bottom": lambda cell: Cell(3 - cell.row, cell.column),
    "half turn": lambda cell: Cell(3 - cell.row, COLUMNS + 1 - cell.column),
}


def mirrored(move: Play, image: Callable[[Cell], Cell], player: int) -> Play:
    cards = tuple(Card(image(card.cell), card.joker) for card in move.cards)
    lines = tuple(tuple(sorted(image(cell) for cell in line)) for line in move.lines)
    return Play(player, cards, lines)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MIRRORS)
@pytest.mark.parametrize("swapped", [False, True])
def test_trichon_mirrored(name: str, swapped: bool) -> None:
    """The mirrored game has as many legal moves and the same score, also with the players changed."""
    image, scored = MIRRORS[name], 0
    for seed in range(2):
        rng = Random(seed)
        rules = Rules(must_claim=seed == 0)
        game, other = Trichon(0, rules), Trichon(int(swapped), rules)
        while game.outcome() is None:
            legal = list(game.legal_moves)
            claims = [move for move in legal if move.lines]
            move = rng.choice(claims if claims and rng.random() < 0.5 else legal)
            assert other.legal_moves.count() == len(legal)
            game.push(move)
            other.push(mirrored(move, image, 1 - move.player if swapped else move.player))
            totals = [score.total for score in game.score()]
            assert [score.total for score in other.score()] == (totals[::-1] if swapped else totals)
        assert other.outcome() is not None
        scored += sum(totals)
    assert scored > 5


def test_truco_suits_are_equal() -> None:
    """Exchanging suits changes nothing but the names: same legal moves, same winners, same tantos."""
    suits = ("oros", "copas", "espadas", "bastos")
    for seed in range(4):
        rng = Random(seed)
        turned = dict(zip(suits, rng.sample(suits, 4), strict=True))
        seats = rng.choice([2, 4])
        game, other = Truco(seats), Truco(seats)
        for _ in range(60):
            legal = list(game.legal_moves)
            if not legal:
                break
            cards = [move for move in legal if isinstance(move, TrucoPlay)]
            move = rng.choice(cards if cards and rng.random() < 0.7 else legal)
            assert other.legal_moves.count() == len(legal)
            game.push(move)
            if isinstance(move, TrucoPlay):
                other.push(TrucoPlay(move.player, TrucoCard(move.card.rank, turned[move.card.suit])))
            else:
                other.push(move)
            assert game.score() == other.score()
            assert game.turn == other.turn


def test_truco_seats_are_equal() -> None:
    """With the other dealer the sides change places."""
    for seed in range(4):
        rng = Random(seed)
        game, other = Truco(2, dealer=0), Truco(2, dealer=1)
        for _ in range(60):
            legal = list(game.legal_moves)
            if not legal:
                break
            cards = [move for move in legal if isinstance(move, TrucoPlay)]
            move = rng.choice(cards if cards and rng.random() < 0.7 else legal)
            game.push(move)
            if isinstance(move, TrucoPlay):
                other.push(TrucoPlay(1 - move.player, move.card))
            elif isinstance(move, Say):
                other.push(Say(1 - move.player, move.word))
            else:
                other.push(move)
            assert [score.total for score in other.score()] == [score.total for score in game.score()][::-1]
