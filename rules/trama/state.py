"""A game of Trama at one moment, and the cards on its table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from rules.game import NotationError
from rules.trama.cards import Adjacent, Interlaced, Objective, Pattern
from rules.trama.loom import Loom
from rules.trama.rulebook import COPIES, CORDS_PER_ROUND, ROUNDS, Rules

#: Per round and player the four colours drafted, sorted; None where nobody told.
Drafts = tuple[tuple[tuple[str, ...] | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """What lies in the middle and never changes: four adjacent cards, four interlaced cards, one objective."""

    adjacent: tuple[Adjacent, ...]
    interlaced: tuple[Interlaced, ...]
    objective: Objective

    @property
    def patterns(self) -> dict[str, Pattern]:
        """The cards that take buttons, by id."""
        cards: tuple[Pattern, ...] = (*self.adjacent, *self.interlaced)
        return {card.id: card for card in cards}


@dataclass(frozen=True, slots=True)
class State:
    """A position. `woven` and `placed` say who has finished this round's weaving and its button."""

    looms: tuple[Loom, ...]
    round: int
    woven: tuple[bool, ...]
    placed: tuple[bool, ...]
    #: Per player the ids of the cards with their button, in the order they were placed.
    buttons: tuple[tuple[str, ...], ...]

    @property
    def over(self) -> bool:
        """Whether the last round is finished."""
        return self.round >= ROUNDS

    @property
    def phase(self) -> str:
        """`weave`, `button` or `end`."""
        if self.over:
            return "end"
        return "button" if all(self.woven) else "weave"


def start_state(players: int, rules: Rules) -> State:
    """Empty looms, first round."""
    nobody = (False,) * players
    return State((Loom(rules.lanes),) * players, 0, nobody, nobody, ((),) * players)


def parse_drafts(value: Any, players: int, rules: Rules) -> Drafts:
    """Supplied drafts, checked: at most four rounds, an entry per player, four known colours, no colour over 20."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or len(value) > ROUNDS:
        raise NotationError(f"drafts are a list of at most {ROUNDS} rounds")
    drafts: list[tuple[tuple[str, ...] | None, ...]] = []
    used: Counter[str] = Counter()
    for entry in value:
        if not isinstance(entry, list | tuple) or len(entry) != players:
            raise NotationError("a round's drafts are a list with one entry per player")
        row: list[tuple[str, ...] | None] = []
        for colors in entry:
            if colors is None:
                row.append(None)
                continue
            if not isinstance(colors, list | tuple) or len(colors) != CORDS_PER_ROUND:
                raise NotationError(f"a draft is {CORDS_PER_ROUND} colours or null")
            if not all(isinstance(color, str) and color in rules.names for color in colors):
                raise NotationError(f"a draft names colours of this game: {', '.join(rules.names)}")
            row.append(tuple(sorted(colors)))
            used.update(colors)
        drafts.append(tuple(row))
    if any(count > COPIES for count in used.values()):
        raise NotationError(f"the drafts hold more than {COPIES} cords of a colour")
    return tuple(drafts)


def draft_of(drafts: Drafts, round: int, player: int) -> tuple[str, ...] | None:
    """The colours a player drafted in a round, if somebody told."""
    return drafts[round][player] if round < len(drafts) else None


def colors_spoken_for(state: State, drafts: Drafts, player: int) -> Counter[str]:
    """How many cords of each colour `player` cannot have now: woven on any loom, or drafted by somebody for later."""
    counts = Counter(cord.color for loom in state.looms for cord in loom.cords)
    for number, row in enumerate(drafts[state.round :], start=state.round):
        for who, colors in enumerate(row):
            done = number == state.round and (state.woven[who] or who == player)
            counts.update(() if done or colors is None else colors)
    return counts
