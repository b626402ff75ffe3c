"""Trama's scoring: the rulebook's examples, Fran's sheet, every counting option at both values, symmetries."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from properties import never_crashes
from trama_looms import loom_of, random_loom

from rules.game import RulesError
from rules.trama import (
    Adjacent,
    Cord,
    Crossing,
    Interlaced,
    Loom,
    Objective,
    Rules,
    adjacent_points,
    default_cards,
    interlaced_pairs,
    interlaced_points,
    penalties,
    score_loom,
)

PINK_BLUE = Adjacent("x", "rosado", "celeste")
OVER_OVER = Interlaced("oo", "rojo", "azul", ("over", "over"))
OVER_UNDER = Interlaced("ou", "rojo", "azul", ("over", "under"))
UNDER_OVER = Interlaced("uo", "rojo", "azul", ("under", "over"))


def test_rulebook_adjacent_example() -> None:
    """A1 has one B neighbour, A2 two, A3 one: 4 PV."""
    loom = loom_of("rosado celeste . celeste rosado celeste rosado .", "")
    # A1 = v0 (v1); A2 = v4 (v3 and v5); A3 = v6 (v5).
    assert adjacent_points(loom, PINK_BLUE, Rules()) == 4


def test_adjacent_needs_the_same_axis_and_neighbouring_lanes() -> None:
    assert adjacent_points(loom_of("rosado . celeste", "celeste"), PINK_BLUE, Rules()) == 0
    assert adjacent_points(loom_of("", "rosado celeste"), PINK_BLUE, Rules()) == 1
    assert adjacent_points(loom_of("rosado . . . . . . celeste", ""), PINK_BLUE, Rules()) == 0


def test_a_b_cord_may_serve_two_a_cords() -> None:
    assert adjacent_points(loom_of("rosado celeste rosado", ""), PINK_BLUE, Rules()) == 2


@pytest.mark.parametrize(("same_color", "points"), [(True, 4), (False, 0)])
def test_option_same_color(same_color: bool, points: int) -> None:
    loom = loom_of("rojo rojo rojo", "")
    assert adjacent_points(loom, Adjacent("x", "rojo", "rojo"), Rules(same_color=same_color)) == points


def test_rulebook_interlaced_example() -> None:
    """A1 scores 1 (it passes under the last azul), A2 scores 2, A3 to A5 score 1 each: 6 PV."""
    vertical = "rojo rojo azul azul . rojo rojo rojo"
    horizontal = "azul azul azul . . . . ."
    tops = {(h, v): "v" for h in range(3) for v in range(8)}
    tops[2, 0] = "h"  # A1 = v0: over, over, under
    for v in (5, 6, 7):  # A3 to A5: under, over, over
        tops[0, v] = "h"
    pairs = interlaced_pairs(loom_of(vertical, horizontal, tops), OVER_OVER, Rules())
    assert [len(pairs["v", v]) for v in (0, 1, 5, 6, 7)] == [1, 2, 1, 1, 1]
    assert interlaced_points(loom_of(vertical, horizontal, tops), OVER_OVER, Rules()) == 6


def test_a_missing_cord_costs_the_second_pair() -> None:
    tops = {(h, 0): "v" for h in range(8)}
    loom = loom_of("rojo", "azul azul . azul", tops)
    assert interlaced_points(loom, OVER_OVER, Rules()) == 1
    assert interlaced_points(loom_of("rojo", "azul azul azul azul", tops), OVER_OVER, Rules()) == 3


def test_a_may_lie_on_either_axis() -> None:
    upright = loom_of("rojo", "azul azul", {(0, 0): "v", (1, 0): "h"})
    flat = loom_of("azul azul", "rojo", {(0, 0): "h", (0, 1): "v"})
    assert interlaced_points(upright, OVER_UNDER, Rules()) == interlaced_points(flat, OVER_UNDER, Rules()) == 1
    assert interlaced_points(upright, OVER_OVER, Rules()) == 0


@pytest.mark.parametrize(("neighbours", "points"), [(True, 0), (False, 2)])
def test_option_neighbours(neighbours: bool, points: int) -> None:
    loom = loom_of("azul morado azul . azul", "rojo", dict.fromkeys([(0, v) for v in range(5)], "h"))
    assert interlaced_points(loom, OVER_OVER, Rules(neighbours=neighbours)) == points


def test_without_neighbours_the_pair_is_still_consecutive() -> None:
    tops = {(0, 0): "h", (0, 2): "v", (0, 4): "h"}
    loom = loom_of("azul . azul . azul", "rojo", tops)
    assert interlaced_points(loom, OVER_OVER, Rules(neighbours=False)) == 0
    assert interlaced_points(loom, OVER_UNDER, Rules(neighbours=False)) == 2


@pytest.mark.parametrize(("either_end", "over_under", "under_over"), [(True, 1, 1), (False, 1, 0)])
def test_option_either_end(either_end: bool, over_under: int, under_over: int) -> None:
    rules = Rules(either_end=either_end)
    for loom in (
        loom_of("azul azul", "rojo", {(0, 0): "h", (0, 1): "v"}),
        loom_of("rojo", "azul azul", {(0, 0): "v", (1, 0): "h"}),
    ):
        assert interlaced_points(loom, OVER_UNDER, rules) == over_under
        assert interlaced_points(loom, UNDER_OVER, rules) == under_over


@pytest.mark.parametrize(("share_b", "points"), [(True, [0, 1, 2, 3, 4]), (False, [0, 1, 1, 2, 2])])
def test_option_share_b(share_b: bool, points: list[int]) -> None:
    for count, expected in enumerate(points, start=1):
        loom = loom_of(" ".join(["azul"] * count), "rojo", {(0, v): "h" for v in range(count)})
        assert interlaced_points(loom, OVER_OVER, Rules(share_b=share_b)) == expected


def test_without_sharing_two_a_cords_may_still_use_the_same_b_cords() -> None:
    loom = loom_of("azul azul", "rojo rojo", {(h, v): "h" for h in range(2) for v in range(2)})
    assert interlaced_points(loom, OVER_OVER, Rules(share_b=False)) == 2


def test_a_crossing_that_nobody_saw_does_not_score() -> None:
    loom = Loom(8, (Cord("h", 0, "rojo"), Cord("v", 0, "azul"), Cord("v", 1, "azul")), (Crossing(0, 0, "h"),))
    score = score_loom(loom, [OVER_OVER])
    assert score.total == 0
    assert [v.code for v in score.violations] == ["crossing_missing"]
    both = Loom(8, loom.cords, (Crossing(0, 0, "h"), Crossing(0, 1, "h"), Crossing(0, 1, "v")))
    assert score_loom(both, [OVER_OVER]).total == 0


def test_rulebook_penalty_example() -> None:
    """Five red vertical and three red horizontal cords cost 2."""
    assert penalties(loom_of("rojo rojo rojo rojo rojo", "rojo rojo rojo")) == [("v", "rojo", -2)]
    assert penalties(loom_of("rojo rojo rojo", "")) == []
    assert penalties(loom_of("rojo rojo rojo rojo", "azul azul azul azul")) == [("v", "rojo", -1), ("h", "azul", -1)]


@pytest.mark.parametrize(
    ("vertical", "points"),
    [("rojo azul . celeste morado", 5), ("rojo azul . celeste .", 0), ("rojo . azul celeste morado", 0), (".", 0)],
)
def test_objective_needs_both_patterns(vertical: str, points: int) -> None:
    goal = Objective("o", (Adjacent("p", "rojo", "azul"), Adjacent("q", "celeste", "morado")))
    score = score_loom(loom_of(vertical, ""), [], goal)
    assert [(line.cause, line.points) for line in score.lines] == [("objective o", points)]


def test_an_objective_may_mix_kinds_and_share_cords() -> None:
    goal = Objective("o", (Adjacent("p", "azul", "azul"), OVER_OVER))
    loom = loom_of("azul azul", "rojo", {(0, 0): "h", (0, 1): "h"})
    assert score_loom(loom, [OVER_OVER], goal).total == 6
    assert score_loom(loom, [OVER_OVER], goal, Rules(same_color=False)).total == 1


def test_frans_sheet() -> None:
    """Objective 5, round 3 and 3, square 6 and 0, two morado too many: 15."""
    loom = loom_of(
        "morado celeste rojo morado azul morado morado morado",
        "rosado rosado rosado azul morado celeste rojo celeste",
        {(h, v): "h" for h in range(3) for v in range(8) if h < 2 or v == 7},
    )
    assert len(loom.cords) == 16
    goal = Objective(
        "goal", (Adjacent("g1", "azul", "morado"), Interlaced("g2", "celeste", "rosado", ("over", "under")))
    )
    cards = [
        Adjacent("round-1", "morado", "azul"),
        Adjacent("round-2", "celeste", "rojo"),
        Interlaced("square-1", "morado", "rosado", ("under", "under")),
        Interlaced("square-2", "rojo", "rosado", ("over", "over")),
    ]
    score = score_loom(loom, cards, goal, player=2)
    assert score.violations == ()
    by_cause = {line.cause: line.points for line in score.lines}
    assert by_cause == {
        "objective goal": 5,
        "adjacent round-1": 3,
        "adjacent round-2": 3,
        "interlaced square-1": 6,
        "interlaced square-2": 0,
        "penalty v morado": -2,
    }
    assert score.total == 15 == sum(line.points for line in score.lines)
    assert {line.player for line in score.lines} == {2}
    assert score.to_json()["total"] == 15


def test_illegal_cords_are_named_and_do_not_score() -> None:
    cords = (Cord("v", 0, "rosado"), Cord("v", 1, "celeste", 2), Cord("v", 9, "rosado"), Cord("v", 0, "verde"))
    score = score_loom(Loom(8, cords), [PINK_BLUE])
    assert score.total == 0
    assert {v.code for v in score.violations} == {"diagonal", "lane_off_loom", "lane_occupied", "unknown_color"}
    assert all(v.where["player"] == 0 for v in score.violations)


# -- the default cards ---------------------------------------------------------------------------------------------


def test_default_cards_are_ten_of_each_and_balanced() -> None:
    box = default_cards()
    assert [len(cards) for cards in (box.adjacent, box.interlaced, box.objectives)] == [10, 10, 10]
    assert len({frozenset((card.a, card.b)) for card in box.adjacent}) == 10
    assert set(Counter(c for card in box.adjacent for c in (card.a, card.b)).values()) == {4}
    assert set(Counter(card.a for card in box.interlaced).values()) == {2}
    assert set(Counter(card.b for card in box.interlaced).values()) == {2}
    colors = Counter(c for goal in box.objectives for p in goal.patterns for c in (p.a, p.b))
    assert set(colors.values()) == {8}
    assert len({goal.patterns for goal in box.objectives}) == 10
    assert len({card.name for card in (*box.patterns, *box.objectives)}) == 30


# -- symmetries and a second opinion -------------------------------------------------------------------------------


def mirrored(loom: Loom, axis: str) -> Loom:
    """The loom seen in a mirror that reverses the lanes of one axis."""
    last = loom.lanes - 1
    cords = [Cord(c.axis, last - c.lane if c.axis == axis else c.lane, c.color) for c in loom.cords]
    crossings = [
        Crossing(last - c.h if axis == "h" else c.h, last - c.v if axis == "v" else c.v, c.top) for c in loom.crossings
    ]
    return Loom(loom.lanes, tuple(cords), tuple(crossings))


def transposed(loom: Loom) -> Loom:
    """The loom with its axes exchanged."""
    other = {"v": "h", "h": "v"}
    cords = [Cord(other[c.axis], c.lane, c.color) for c in loom.cords]
    return Loom(loom.lanes, tuple(cords), tuple(Crossing(c.v, c.h, other[c.top]) for c in loom.crossings))


def turned_over(loom: Loom) -> Loom:
    """The loom seen from behind: what was on top is below."""
    other = {"v": "h", "h": "v"}
    return Loom(loom.lanes, loom.cords, tuple(Crossing(c.h, c.v, other[c.top]) for c in loom.crossings))


def brute_force(loom: Loom, card: Interlaced) -> int:
    """Interlaced patterns by trying every triple of cords, for the default options."""
    tops = {(c.h, c.v): c.top for c in loom.crossings}
    points = 0
    for a in loom.cords:
        for b1 in loom.cords:
            for b2 in loom.cords:
                if (a.color, b1.color, b2.color) != (card.a, card.b, card.b):
                    continue
                if a.axis == b1.axis or b1.axis != b2.axis or b2.lane != b1.lane + 1:
                    continue
                ways = []
                for b in (b1, b2):
                    top = tops[(a.lane, b.lane) if a.axis == "h" else (b.lane, a.lane)]
                    ways.append("over" if top == a.axis else "under")
                points += sorted(ways) == sorted(card.passes)
    return points


@pytest.mark.parametrize("seed", range(40))
def test_symmetries_and_brute_force(seed: int) -> None:
    rng = Random(seed)
    rules = Rules(neighbours=rng.random() < 0.5, share_b=rng.random() < 0.5, same_color=rng.random() < 0.5)
    loom = random_loom(rng, rng.randrange(17), colors=rng.choice([2, 3, 5]))
    box = default_cards()
    goal = rng.choice(box.objectives)
    expected = score_loom(loom, box.patterns, goal, rules)
    assert expected.violations == ()
    half_turn = mirrored(mirrored(loom, "v"), "h")
    for image in (mirrored(loom, "v"), mirrored(loom, "h"), half_turn, transposed(loom), transposed(half_turn)):
        seen = score_loom(image, box.patterns, goal, rules)
        assert seen.violations == ()
        assert seen.total == expected.total
    flip = {"over": "under", "under": "over"}
    for card in box.interlaced:
        assert interlaced_points(loom, card, Rules()) == brute_force(loom, card)
        inverse = Interlaced("x", card.a, card.b, (flip[card.passes[0]], flip[card.passes[1]]))
        assert interlaced_points(turned_over(loom), inverse, rules) == interlaced_points(loom, card, rules)


def test_bad_input() -> None:
    for call in (
        score_loom,
        lambda v: score_loom(Loom(), v),
        lambda v: score_loom(Loom(), [v]),
        lambda v: score_loom(Loom(), [], v),
        lambda v: score_loom(Loom(), [], None, v),
    ):
        never_crashes(call)
    for arguments in ((None,), (Loom(), 3), (Loom(), ["a1"]), (Loom(), [], "o1"), (Loom(), [], None, {})):
        with pytest.raises(RulesError):
            score_loom(*arguments)  # type: ignore[arg-type]
