"""Who opens a round, and with which tile, as far as the known hands decide it."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from rules.triominos.tiles import Hand, Tile, is_triple

ZERO: Tile = (0, 0, 0)


def right_openings(hands: Sequence[Hand]) -> list[tuple[int, Tile]]:
    """The openings that the known tiles call for: the highest triple (or 0-0-0 of the same hand), else the highest sum.

    Among equal sums the first in seating order opens, with any of theirs. Empty while nothing is known.
    """
    held = [(player, tile) for player, hand in enumerate(hands) for tile in sorted(hand.known)]
    triples = [(player, tile) for player, tile in held if is_triple(tile)]
    if triples:
        best = max(triples, key=lambda entry: entry[1])
        zero = (best[0], ZERO)
        return [best, zero] if best != zero and zero in triples else [best]
    if not held:
        return []
    top = max(sum(tile) for _, tile in held)
    first = min(player for player, tile in held if sum(tile) == top)
    return [(player, tile) for player, tile in held if player == first and sum(tile) == top]


def may_open(hands: Sequence[Hand], unseen: AbstractSet[Tile], player: int, tile: Tile) -> bool:
    """Can it be right that `player` opens with `tile`? With unknown hands: does no known tile speak against it?"""
    held = [(p, t) for p, hand in enumerate(hands) for t in hand.known if (p, t) != (player, tile)]
    if not is_triple(tile):
        return not any(is_triple(t) or sum(t) > sum(tile) or (sum(t) == sum(tile) and p < player) for p, t in held)
    if tile != ZERO:
        return not any(is_triple(t) and t > tile for _, t in held)
    # 0-0-0 may open only from the hand with the highest triple, which may be one that nobody has seen yet.
    rivals = max((t for p, t in held if p != player and is_triple(t)), default=ZERO)
    if rivals == ZERO or any(is_triple(t) and t > rivals for p, t in held if p == player):
        return True
    spare = hands[player].unknown - (tile not in hands[player].known)
    return spare > 0 and any(is_triple(t) and t > rivals for t in unseen if t != tile)
