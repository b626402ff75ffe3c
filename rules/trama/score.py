"""How a loom scores: adjacent and interlaced patterns, the shared objective, and the price of monotony."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rules.game import Json, NotationError, ScoreLine, Violation
from rules.trama.cards import Adjacent, Interlaced, Objective, Pattern
from rules.trama.loom import AXES, Loom
from rules.trama.rulebook import FREE_PER_AXIS, OBJECTIVE_POINTS, Rules


def adjacent_points(loom: Loom, card: Adjacent, rules: Rules) -> int:
    """Ordered pairs of neighbouring parallel cords, the first of colour A and the second of colour B."""
    if card.a == card.b and not rules.same_color:
        return 0
    cords = loom.by_place
    points = 0
    for (axis, lane), cord in cords.items():
        if cord.color == card.a:
            near = (cords.get((axis, lane + step)) for step in (-1, 1))
            points += sum(1 for other in near if other is not None and other.color == card.b)
    return points


def interlaced_points(loom: Loom, card: Interlaced, rules: Rules) -> int:
    """Over all cords of colour A: pairs of B cords that it passes in the card's order of over and under."""
    return sum(len(pairs) for pairs in interlaced_pairs(loom, card, rules).values())


def interlaced_pairs(loom: Loom, card: Interlaced, rules: Rules) -> dict[tuple[str, int], list[tuple[int, int]]]:
    """Per A cord (axis and lane) the pairs of lanes, on the other axis, of the B cords that make the pattern."""
    cords, tops = loom.by_place, loom.tops
    found = {}
    for (axis, lane), cord in cords.items():
        if cord.color != card.a:
            continue
        across = "v" if axis == "h" else "h"
        lanes = sorted(place[1] for place, other in cords.items() if place[0] == across and other.color == card.b)
        pairs: list[tuple[int, int]] = []
        for one, two in pairwise(lanes):
            if rules.neighbours and two - one != 1:
                continue
            if not rules.share_b and pairs and pairs[-1][1] == one:
                continue
            seen = tuple(_passes(tops, axis, lane, other) for other in (one, two))
            if seen == card.passes or (rules.either_end and seen == card.passes[::-1]):
                pairs.append((one, two))
        found[(axis, lane)] = pairs
    return found


def _passes(tops: dict[tuple[int, int], str], axis: str, lane: int, across: int) -> str:
    """How the cord at (axis, lane) passes the one in lane `across`; empty where nobody has seen it."""
    top = tops.get((lane, across) if axis == "h" else (across, lane))
    return "" if top is None else "over" if top == axis else "under"


def pattern_points(loom: Loom, card: Pattern, rules: Rules) -> int:
    """The points of one card on a loom."""
    if isinstance(card, Adjacent):
        return adjacent_points(loom, card, rules)
    return interlaced_points(loom, card, rules)


def penalties(loom: Loom) -> list[tuple[str, str, int]]:
    """(axis, colour, points lost) where an axis has more than three cords of a colour."""
    counts = Counter((cord.axis, cord.color) for cord in loom.by_place.values())
    return [
        (axis, color, FREE_PER_AXIS - counts[axis, color])
        for axis in AXES
        for color in sorted({color for _, color in counts})
        if counts[axis, color] > FREE_PER_AXIS
    ]


@dataclass(frozen=True, slots=True)
class LoomScore:
    """What a loom scores, line by line, and what is illegal about it."""

    player: int
    total: int
    lines: tuple[ScoreLine, ...]
    violations: tuple[Violation, ...]

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {
            "player": self.player,
            "total": self.total,
            "lines": [line.to_json() for line in self.lines],
            "violations": [v.to_json() for v in self.violations],
        }


def score_loom(
    loom: Loom,
    patterns: Iterable[Pattern] = (),
    objective: Objective | None = None,
    rules: Rules | None = None,
    *,
    player: int = 0,
) -> LoomScore:
    """The score of a finished loom: its objective, the patterns its owner's buttons lie on, and penalties.

    Illegal cords (diagonal, off the loom, second in a lane) and crossings that nobody has seen do not score; they are
    named in `violations`. Every pattern has its line, even for 0 points, as on the score sheet.
    """
    rules = Rules() if rules is None else rules
    if not isinstance(loom, Loom) or not isinstance(rules, Rules) or not _is_list(patterns):
        raise NotationError("score_loom needs a Loom, patterns, an Objective or None, and Rules")
    lines: list[ScoreLine] = []
    if objective is not None:
        if not isinstance(objective, Objective):
            raise NotationError(f"expected an Objective, not {type(objective).__name__}")
        met = all(pattern_points(loom, pattern, rules) for pattern in objective.patterns)
        lines.append(ScoreLine(player, f"objective {objective.id}", OBJECTIVE_POINTS if met else 0))
    for card in patterns:
        if not isinstance(card, Adjacent | Interlaced):
            raise NotationError(f"expected a pattern, not {type(card).__name__}")
        kind = "adjacent" if isinstance(card, Adjacent) else "interlaced"
        lines.append(ScoreLine(player, f"{kind} {card.id}", pattern_points(loom, card, rules)))
    lines += [ScoreLine(player, f"penalty {axis} {color}", points) for axis, color, points in penalties(loom)]
    where = {"player": player}
    total = sum(line.points for line in lines)
    return LoomScore(player, total, tuple(lines), tuple(loom.violations(rules, where)))


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
