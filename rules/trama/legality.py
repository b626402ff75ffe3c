"""Everything that can be wrong with a move of Trama, or with a loom that was just read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules.game import Json, NotationError, Violation
from rules.trama.loom import Cord, Loom, changes
from rules.trama.moves import Button, Move, Weave
from rules.trama.rulebook import BUTTONS, COPIES, CORDS_PER_ROUND, Rules
from rules.trama.state import Drafts, State, Table, colors_spoken_for, draft_of
from rules.trama.words import violation

_SHAPES = {"round": "redondo", "square": "cuadrado"}
_PHASES = {"weave": ("tejer", "weaving"), "button": ("poner botones", "placing buttons")}


def violations(state: State, move: Move, table: Table, rules: Rules, drafts: Drafts) -> list[Violation]:
    """Everything wrong with a move; empty means legal."""
    if not isinstance(move, Weave | Button):
        raise NotationError(f"not a move of Trama: {type(move).__name__}")
    if move.player >= len(state.looms):
        raise NotationError(f"there is no player {move.player} among {len(state.looms)}")
    if isinstance(move, Button):
        return phase_violations(state, move.player, "button") + _button(state, move, table)
    found = phase_violations(state, move.player, "weave")
    loom = state.looms[move.player]
    where = {"player": move.player}
    old_tops = loom.tops
    fresh = []
    for crossing in move.crossings:
        top = old_tops.get(crossing.place)
        if top is None:
            fresh.append(crossing)
            continue
        code = "crossing_not_new" if top == crossing.top else "crossing_flipped"
        at = {**where, "h": crossing.h, "v": crossing.v}
        words = {"crossing": f"h{crossing.h}v{crossing.v}", "top": top}
        found.append(violation(code, at, **words))
    found += count_violations(len(move.cords), where)
    found += loom.with_more(move.cords, fresh).violations(rules, where)
    return found + color_violations(state, move.player, move.cords, drafts)


def phase_violations(state: State, player: int, trying: str) -> list[Violation]:
    """Whether a player may weave or place a button at all now."""
    where = {"player": player}
    if state.over:
        return [violation("game_over", where)]
    if state.phase != trying:
        (es, en), (es_tried, en_tried) = _PHASES[state.phase], _PHASES[trying]
        wrong = violation("wrong_phase", where, es=es, en=en, es_tried=es_tried, en_tried=en_tried)
        return [wrong]
    if trying == "weave" and state.woven[player]:
        return [violation("already_woven", where, player=player)]
    if trying == "button" and state.placed[player]:
        return [violation("second_button", where, player=player)]
    return []


def count_violations(count: int, where: Json) -> list[Violation]:
    """Four new cords, no more and no fewer."""
    if count == CORDS_PER_ROUND:
        return []
    code = "too_many_cords" if count > CORDS_PER_ROUND else "too_few_cords"
    return [violation(code, where, count=count, due=CORDS_PER_ROUND)]


def color_violations(state: State, player: int, cords: Sequence[Cord], drafts: Drafts) -> list[Violation]:
    """More cords of a colour than there are, or others than the player drafted."""
    where = {"player": player}
    new = Counter(cord.color for cord in cords)
    gone = colors_spoken_for(state, drafts, player)
    found = [
        violation("color_exhausted", {**where, "color": color}, color=color, count=count + gone[color], limit=COPIES)
        for color, count in sorted(new.items())
        if count + gone[color] > COPIES
    ]
    draft = draft_of(drafts, state.round, player)
    if draft is not None and new != Counter(draft):
        found.append(violation("not_drafted", where, player=player, draft=", ".join(draft)))
    return found


def _button(state: State, move: Button, table: Table) -> list[Violation]:
    where = {"player": move.player, "card": move.card}
    words = {"player": move.player, "card": move.card, "shape": move.shape, "es_shape": _SHAPES[move.shape]}
    found = []
    patterns, own = table.patterns, state.buttons[move.player]
    card = patterns.get(move.card)
    if move.card == table.objective.id:
        found.append(violation("button_on_objective", where))
    elif card is None:
        found.append(violation("card_not_on_table", where, **words))
    elif card.shape != move.shape:
        found.append(violation("wrong_button", where, **words))
    if move.card in own:
        found.append(violation("same_card_twice", where, **words))
    if sum(1 for id in own if patterns[id].shape == move.shape) >= BUTTONS[move.shape]:
        found.append(violation("no_button_left", where, **words))
    return found


def reading(
    state: State, player: int, seen: Loom, rules: Rules, drafts: Drafts
) -> tuple[Weave, list[Violation]]:  # fmt: skip
    """A loom as the camera sees it after weaving: the move that leads there, and everything wrong with it.

    The list is empty exactly if the move is legal; cords that were moved or recoloured are named as such and not
    counted as new.
    """
    before, where = state.looms[player], {"player": player}
    altered, explained = changes(before, seen, where)
    old = before.by_place
    new = [cord for cord in seen.cords if cord not in before.cords and cord not in explained]
    new = [cord for cord in new if cord.diagonal or cord.place not in old or _doubled(seen, cord)]
    fresh = [crossing for crossing in seen.crossings if crossing.place not in before.tops]
    found = phase_violations(state, player, "weave") + altered
    found += count_violations(len(new), where) + seen.violations(rules, where)
    return Weave(player, tuple(new), tuple(fresh)), found + color_violations(state, player, new, drafts)


def _doubled(loom: Loom, cord: Cord) -> bool:
    """Whether another straight cord shares this one's lane."""
    return sum(1 for other in loom.cords if other.place == cord.place) > 1
