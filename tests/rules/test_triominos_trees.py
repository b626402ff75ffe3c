"""Triominos: the number of legal sequences from fixed deals, counted twice."""

import pytest
from properties import perft
from triominos_games import LOW, OTHER
from triominos_slow import Slow

from rules.triominos import STANDARD, Rules, Triominos

TREES: dict[str, tuple[list[list[str]], list[str], list[int]]] = {
    "nothing to draw, a block and the next round": (
        [[*LOW, "3-3-3", "3-3-4"], [*OTHER, "2-3-3", "3-3-5"]], [], [2, 14, 44, 548, 5348]
    ),
    "two openings to choose from, two tiles to draw": (
        [[*LOW, "3-3-3", "0-0-0"], [*OTHER, "2-3-3", "3-3-5"]], ["3-3-4", "1-3-3"], [4, 36, 268, 1780]
    ),
    "no triple, three tiles to draw": (
        [[*LOW, "1-5-5", "2-4-5"], [*OTHER, "3-3-5", "1-4-5"]], ["1-1-5", "4-5-5", "1-2-5"], [12, 66, 402, 2304, 11724]
    ),
}  # fmt: skip


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


@pytest.mark.parametrize("tree", TREES)
def test_counted_trees(tree: str) -> None:
    """Legal sequences from fixed deals; a changed figure means changed rules. The slow generator agrees."""
    hands, stock, expected = TREES[tree]
    box = [numbers(tile) for tile in [*hands[0], *hands[1], *stock]]
    game = Triominos(2, Rules(tiles=tuple(box)), hands=hands)
    slow = Slow(frozenset(box), tuple(frozenset(map(numbers, hand)) for hand in hands), stock=len(stock))
    assert [perft(game, depth) for depth in range(1, len(expected) + 1)] == expected
    assert [slow.count(depth) for depth in (1, 2, 3)] == expected[:3]


def test_counted_tree_from_public_knowledge() -> None:
    """Whoever opens, with any of 6 triples or 50 other tiles in 3 readings, pointing up or down."""
    game, slow = Triominos(2), Slow(frozenset(STANDARD), None, stock=38)
    assert perft(game, 1) == slow.count(1) == 2 * 2 * (6 + 50 * 3)
    assert perft(game, 2) == slow.count(2) == 7104
