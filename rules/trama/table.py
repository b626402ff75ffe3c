"""Trama from a single look at the table: the looms, with the buttons and the objective that the players name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, Violation
from rules.trama.cards import CardSet, Pattern, default_cards, parse_objective, parse_pattern
from rules.trama.loom import Loom
from rules.trama.rulebook import BUTTONS, COPIES, CORDS_PER_ROUND, ROUNDS, Rules
from rules.trama.score import LoomScore, score_loom
from rules.trama.words import violation

_SHAPES = {"round": "redondo", "square": "cuadrado"}


@dataclass(frozen=True, slots=True)
class TableReading:
    """What the looms score, who leads, and everything illegal about the table."""

    scores: tuple[LoomScore, ...]
    winners: tuple[int, ...]
    violations: tuple[Violation, ...]

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {
            "scores": [score.to_json() for score in self.scores],
            "winners": list(self.winners),
            "violations": [v.to_json() for v in self.violations],
        }


def read_table(
    looms: Any,
    buttons: Any = None,
    objective: Any = None,
    *,
    rules: Rules | None = None,
    cards: CardSet | None = None,
    rounds: int | None = None,
) -> TableReading:
    """Judge and score looms (`Loom`s or their label JSON), one per player.

    `buttons`: per player the pattern cards (ids of `cards`, or cards, or their JSON) that carry their buttons.
    `objective`: likewise. `rounds`: how many rounds are finished; then 4 cords and a button each are due per round.
    Left out, a loom may have any number of cords up to 16, as in a picture taken while people weave.
    """
    rules = Rules() if rules is None else rules
    if not isinstance(rules, Rules) or not isinstance(cards, CardSet | None):
        raise NotationError("rules must be Rules and cards a CardSet")
    if rounds is not None and (type(rounds) is not int or not 0 <= rounds <= ROUNDS):
        raise NotationError(f"rounds is a number from 0 to {ROUNDS}")
    box = cards or default_cards()
    if not isinstance(looms, list | tuple) or not 1 <= len(looms) <= 5:
        raise NotationError("a table has from 1 to 5 looms")
    seen = [loom if isinstance(loom, Loom) else Loom.from_json(loom) for loom in looms]
    chosen = _chosen(buttons, len(seen), box)
    goal = box.objective(objective) if isinstance(objective, str) else objective
    goal = None if goal is None else parse_objective(goal)
    found: list[Violation] = []
    for player, (loom, own) in enumerate(zip(seen, chosen, strict=True)):
        found += loom.violations(rules, {"player": player})
        found += _count(len(loom.cords), player, rounds)
        found += _buttons(own, player)
    counts = Counter(cord.color for loom in seen for cord in loom.cords)
    for color, count in sorted(counts.items()):
        if count > COPIES:
            found.append(violation("color_exhausted", {"color": color}, color=color, count=count, limit=COPIES))
    scores = tuple(
        score_loom(loom, own, goal, rules, player=player)
        for player, (loom, own) in enumerate(zip(seen, chosen, strict=True))
    )
    best = max(score.total for score in scores)
    winners = tuple(score.player for score in scores if score.total == best)
    return TableReading(scores, winners, tuple(found))


def _chosen(buttons: Any, players: int, box: CardSet) -> list[list[Pattern]]:
    """Per player the cards with their buttons."""
    if buttons is None:
        return [[] for _ in range(players)]
    if not isinstance(buttons, list | tuple) or len(buttons) != players:
        raise NotationError("buttons are a list with one entry per loom")
    chosen = []
    for own in buttons:
        if not isinstance(own, list | tuple):
            raise NotationError("a player's buttons are a list of pattern cards")
        chosen.append([box.pattern(card) if isinstance(card, str) else parse_pattern(card) for card in own])
    return chosen


def _count(cords: int, player: int, rounds: int | None) -> list[Violation]:
    """Whether a loom has the cords that so many rounds give."""
    due = CORDS_PER_ROUND * (ROUNDS if rounds is None else rounds)
    words = {"count": cords, "due": due, "player": player}
    if cords > due:
        return [violation("too_many_woven", {"player": player}, **words)]
    if cords < due and rounds is not None:
        return [violation("too_few_woven", {"player": player}, **words)]
    return []


def _buttons(own: list[Pattern], player: int) -> list[Violation]:
    """Two round, two square, never two on one card."""
    found = []
    ids = [card.id for card in own]
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        found.append(violation("same_card_twice", {"player": player, "card": id}, player=player, card=id))
    for shape, limit in BUTTONS.items():
        if sum(1 for card in own if card.shape == shape) > limit:
            words = {"player": player, "shape": shape, "es_shape": _SHAPES[shape]}
            found.append(violation("no_button_left", {"player": player, "shape": shape}, **words))
    return found
