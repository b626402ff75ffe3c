"""The points at the end of a round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.game import ScoreLine
from rules.triominos.tiles import Hand, Tile

GOING_OUT = 25


def points_range(hand: Hand, unseen: Iterable[Tile]) -> tuple[int, int]:
    """The least and the most that a hand can add up to when its unknown tiles are among the unseen ones."""
    sums = sorted(map(sum, unseen))
    known, count = hand.points, hand.unknown
    return known + sum(sums[:count]), known + sum(sums[len(sums) - count :])


def going_out_lines(player: int, sums: Sequence[int], ply: int) -> list[ScoreLine]:
    """25 and everything that the others still hold; whoever goes out holds nothing."""
    return [
        ScoreLine(player, "going_out", GOING_OUT, ply),
        ScoreLine(player, "rivals_hands", sum(sums), ply),
    ]


def blocked_lines(sums: Sequence[int], tie: str, ply: int) -> list[ScoreLine]:
    """The lowest hand loses its own sum and takes the others'; equal lowest hands share (or nobody scores)."""
    low = min(sums)
    winners = [player for player, points in enumerate(sums) if points == low]
    if len(winners) > 1 and tie == "none":
        return []
    others = sum(points for points in sums if points != low)
    lines = []
    for player in winners:
        lines.append(ScoreLine(player, "own_hand", -low, ply))
        lines.append(ScoreLine(player, "rivals_hands", others, ply))
    return lines
