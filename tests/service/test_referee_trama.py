"""The referee of Trama on looms made by hand: whose loom, which cords are new, doubts about single details."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from rules.game import RulesError
from rules.trama import Loom, Trama
from rules.trama.loom import Cord, Crossing
from rules.trama.moves import Weave
from service.follow import follow
from service.match import Match
from service.referee.trama import reading_order, whose
from vision.state import Piece, TableState

Make = Callable[..., Match]
PLACES = ((100.0, 100.0), (700.0, 120.0))


def piece(loom: Loom, at: tuple[float, float], sure: float = 0.99, **alter: Any) -> Piece:
    """A loom as the eyes report it."""
    x, y = at
    cords = [{**cord.to_json(), "confidence": sure} for cord in loom.cords]
    crossings = [{**crossing.to_json(), "confidence": sure} for crossing in loom.crossings]
    facts = {"lanes": loom.lanes, "cords": cords, "crossings": crossings}
    corners = ((x, y), (x + 400, y), (x + 400, y + 400), (x, y + 400))
    return Piece("loom", "", corners, sure, alter.get("alternatives", ()), facts=facts)


def table(*pieces: Piece) -> TableState:
    return TableState(0.0, pieces, (1280, 720))


def shown(match: Match) -> TableState:
    return table(*(piece(loom, at) for loom, at in zip(match.game.state.looms, PLACES, strict=True)))


def weave(game: Trama, player: int, rng: random.Random) -> Weave:
    """Four new cords in free lanes, everything over and under at random."""
    old = {cord.place for cord in game.state.looms[player].cords}
    free = [(axis, lane) for axis in "hv" for lane in range(8) if (axis, lane) not in old]
    places = rng.sample(free, 4)
    cords = [Cord(axis, lane, rng.choice(game.rules.names)) for axis, lane in places]
    everything = old | set(places)
    crossings = [
        Crossing(h, v, rng.choice("hv"))
        for a, h in everything
        if a == "h"
        for b, v in everything
        if b == "v" and (("h", h) in places or ("v", v) in places)
    ]
    return Weave(player, tuple(cords), tuple(crossings))


def woven(loom: Loom, move: Weave) -> Loom:
    return loom.with_more(move.cords, move.crossings)


def codes(match: Match) -> set[str]:
    return {v["code"] for flag in match.position.illegal.values() for v in flag["violations"]}


def test_a_whole_game_is_followed_loom_by_loom(new_match: Make) -> None:
    rng = random.Random(4)
    match = new_match("trama", ["Ana", "Luis"])
    script = Trama.from_setup(match.record.setup)
    while script.outcome() is None:
        for player in (1, 0):
            script.push(weave(script, player, rng))
            follow(match, table(*(piece(loom, at) for loom, at in zip(script.state.looms, PLACES, strict=True))))
            assert codes(match) == set()
            assert not match.position.questions
        for _ in range(2):
            move = next(iter(script.legal_moves))
            script.push(move)
            match.play(str(move))
    assert match.game.to_json() == script.to_json()
    assert match.state()["outcome"]["totals"] == [score.total for score in script.score()]


@pytest.fixture
def begun(new_match: Make) -> Match:
    """A match in which Ana has woven four cords."""
    match = new_match("trama", ["Ana", "Luis"])
    move = "0 weave h0=rojo h3=azul v1=celeste v2=morado h0v1=h h0v2=v h3v1=v h3v2=h"
    match.play(move)
    follow(match, shown(match))
    assert codes(match) == set()
    return match


def changed(match: Match, cords: list[str], crossings: list[str]) -> TableState:
    loom = Loom(8, tuple(map(Cord.parse, cords)), tuple(map(Crossing.parse, crossings)))
    return table(piece(loom, PLACES[0]), piece(match.game.state.looms[1], PLACES[1]))


@pytest.mark.parametrize(
    ("cords", "crossings", "code"),
    [
        (["h0=rojo", "h3=azul", "v1=celeste", "v4=morado"], ["h0v1=h", "h0v4=v", "h3v1=v", "h3v4=h"], "cord_moved"),
        (["h0=rojo", "h3=azul", "v1=celeste"], ["h0v1=h", "h3v1=v"], "cord_removed"),
        (
            ["h0=rojo", "h3=rosado", "v1=celeste", "v2=morado"],
            ["h0v1=h", "h0v2=v", "h3v1=v", "h3v2=h"],
            "cord_recolored",
        ),
        (
            ["h0=rojo", "h3=azul", "v1=celeste", "v2=morado"],
            ["h0v1=h", "h0v2=h", "h3v1=v", "h3v2=h"],
            "crossing_flipped",
        ),
    ],
)
def test_old_cords_that_changed_are_flagged(begun: Match, cords: list[str], crossings: list[str], code: str) -> None:
    follow(begun, changed(begun, cords, crossings))
    assert code in codes(begun)
    follow(begun, shown(begun))
    assert codes(begun) == set()


def test_weaving_twice_in_a_round_is_flagged(begun: Match) -> None:
    loom = begun.game.state.looms[0]
    more = loom.with_more([Cord("v", 7, "rojo")], [Crossing(0, 7, "h"), Crossing(3, 7, "h")])
    follow(begun, table(piece(more, PLACES[0]), piece(begun.game.state.looms[1], PLACES[1])))
    assert "already_woven" in codes(begun)


def test_half_woven_looms_are_waited_for(begun: Match) -> None:
    half = Loom(8, (Cord("v", 0, "rojo"), Cord("v", 5, "azul")))
    follow(begun, table(piece(begun.game.state.looms[0], PLACES[0]), piece(half, PLACES[1])))
    assert codes(begun) == set()
    assert begun.instruction is not None
    assert begun.instruction.code == "weaving"
    assert "Luis" in begun.instruction.words[0]


def test_half_woven_looms_are_flagged_once_the_player_says_that_this_was_all(begun: Match) -> None:
    half = Loom(8, (Cord("v", 0, "rojo"), Cord("v", 5, "azul")))
    seen = table(piece(begun.game.state.looms[0], PLACES[0]), piece(half, PLACES[1]))
    with pytest.raises(RulesError):
        begun.call({"call": "woven", "player": 7})
    begun.call({"call": "woven", "player": 1})
    follow(begun, seen)
    assert codes(begun) == {"too_few_cords"}
    assert "woven1" in {control["id"] for control in begun.state()["controls"]}


def with_problems(cords: list[str], *problems: dict[str, Any]) -> Piece:
    seen = piece(Loom(8, tuple(map(Cord.parse, cords))), PLACES[1])
    return Piece("loom", "", seen.corners, 0.99, facts={**seen.facts, "problems": list(problems)})


def test_two_cords_in_a_lane_and_diagonal_ones_are_flagged(begun: Match) -> None:
    mine = piece(begun.game.state.looms[0], PLACES[0])
    two = {"code": "doubled", "axis": "v", "lane": 4, "colors": ["rojo", "celeste"]}
    follow(begun, table(mine, with_problems(["v0=rojo", "v2=azul", "v4=rojo"], two)))
    assert codes(begun) == {"lane_occupied"}
    # A diagonal cord that others cross is seen in two stretches; the ends are those of the whole cord.
    stretches = [
        {"code": "diagonal", "from": [2.4, 0.6], "to": [3.4, 2.7]},
        {"code": "diagonal", "from": [4.0, 4.0], "to": [5.0, 6.1]},
    ]
    follow(begun, table(mine, with_problems(["v0=rojo", "v1=azul", "v7=rojo"], *stretches)))
    assert codes(begun) == {"diagonal"}
    (flag,) = begun.position.illegal.values()
    (wrong,) = flag["violations"]
    assert (wrong["where"]["axis"], wrong["where"]["lane"], wrong["where"]["to"]) == ("v", 2, 6)
    follow(begun, table(mine, with_problems([], {"code": "slack", "axis": "v", "lane": 1, "by": 0.4})))
    assert codes(begun) == set()


def test_a_doubtful_crossing_is_asked_for_once(begun: Match) -> None:
    loom = Loom(
        8,
        tuple(map(Cord.parse, ["h1=rojo", "h2=rojo", "v0=azul", "h4=azul"])),
        tuple(map(Crossing.parse, ["h1v0=h", "h2v0=v", "h4v0=h"])),
    )
    seen = piece(loom, PLACES[1])
    seen.facts["crossings"][1]["confidence"] = 0.55  # type: ignore[index]
    state = table(piece(begun.game.state.looms[0], PLACES[0]), seen)
    follow(begun, state)
    ((name, asked),) = begun.position.questions.items()
    assert "horizontal 3 crosses vertical 1" in asked["en"]
    assert len(begun.game.moves) == 1
    wanted = next(option["id"] for option in asked["options"] if option["label"] == "h2v0 h")
    begun.answer(name, wanted)
    follow(begun, state)
    assert "h2v0=h" in begun.position.entries[-1].text
    follow(begun, state)
    assert codes(begun) == set()  # the answer still holds: the crossing that the eyes see otherwise is not flipped


def test_an_old_crossing_read_doubtfully_is_the_old_one(begun: Match) -> None:
    seen = piece(begun.game.state.looms[0], PLACES[0])
    seen.facts["crossings"][0].update(top="v", confidence=0.7)  # type: ignore[index]
    seen.facts["cords"][0].update(color="rosado", confidence=0.6)  # type: ignore[index]
    follow(begun, table(seen, piece(begun.game.state.looms[1], PLACES[1])))
    assert codes(begun) == set()


def test_looms_belong_to_players_in_reading_order_or_by_calibration(new_match: Make) -> None:
    empty = Loom(8)
    places = [(700, 40), (100, 20), (120, 520), (690, 500)]
    looms = [piece(empty, at) for at in places]
    assert reading_order(looms) == [looms[1], looms[0], looms[2], looms[3]]
    assert whose(looms, 3, {}) is None
    by_place = whose(looms[:2], 2, {"looms": {"0": [900, 240], "1": [300, 220]}})
    assert by_place == {0: looms[0], 1: looms[1]}
    match = new_match("trama", ["Ana", "Luis"])
    follow(match, table(looms[0]))
    assert match.instruction is not None
    assert match.instruction.code == "looms"


# -- cords that can hardly be told from their board ------------------------------------------------------------------


def with_hint(cords: list[str], place: tuple[str, int], crossings: list[str], hinted: list[str]) -> Piece:
    """A loom on which a lane may hold a cord of the board's colour, at the second place."""
    seen = piece(Loom(8, tuple(map(Cord.parse, cords)), tuple(map(Crossing.parse, crossings))), PLACES[1])
    perhaps = {
        "cords": [{"axis": place[0], "lane": place[1], "color": "morado", "confidence": 0.05}],
        "crossings": [{**Crossing.parse(text).to_json(), "confidence": 0.9} for text in hinted],
    }
    return Piece("loom", "", seen.corners, 0.9, facts={**seen.facts, "perhaps": perhaps})


def test_the_last_missing_cord_is_asked_about_where_there_is_a_hint_of_it(begun: Match) -> None:
    mine = piece(begun.game.state.looms[0], PLACES[0])
    theirs = with_hint(["h1=rojo", "h2=rojo", "v0=azul"], ("v", 7), ["h1v0=h", "h2v0=v"], ["h1v7=v", "h2v7=h"])
    follow(begun, table(mine, theirs))
    ((name, asked),) = begun.position.questions.items()
    assert "vertical 8" in asked["en"]
    begun.answer(name, next(option["id"] for option in asked["options"] if option["label"] == "v7 morado"))
    follow(begun, table(mine, theirs))
    woven = begun.position.entries[-1].text
    assert all(part in woven for part in ("v7=morado", "h1v7=v", "h2v7=h"))
    assert codes(begun) == set()
    # Now it is an old cord. That it is not seen at all for a while does not mean that somebody took it away.
    bare = piece(Loom(8, tuple(map(Cord.parse, ["h1=rojo", "h2=rojo", "v0=azul"]))), PLACES[1])
    bare.facts["crossings"].extend({**Crossing.parse(t).to_json(), "confidence": 1.0} for t in ("h1v0=h", "h2v0=v"))
    follow(begun, table(mine, bare))
    assert codes(begun) == set()


def test_that_there_is_no_cord_is_believed_and_the_game_waits(begun: Match) -> None:
    mine = piece(begun.game.state.looms[0], PLACES[0])
    theirs = with_hint(["h1=rojo", "h2=rojo", "v0=azul"], ("v", 7), ["h1v0=h", "h2v0=v"], ["h1v7=v", "h2v7=h"])
    follow(begun, table(mine, theirs))
    ((name, asked),) = begun.position.questions.items()
    begun.answer(name, next(option["id"] for option in asked["options"] if option["label"] == "v7 -"))
    follow(begun, table(mine, theirs))
    assert begun.position.questions == {}
    assert len(begun.game.moves) == 1


def test_a_hint_is_not_asked_about_while_more_cords_are_missing(begun: Match) -> None:
    mine = piece(begun.game.state.looms[0], PLACES[0])
    follow(begun, table(mine, with_hint(["h1=rojo", "v0=azul"], ("v", 7), ["h1v0=h"], ["h1v7=v"])))
    assert begun.position.questions == {}
    begun.call({"call": "woven", "player": 1})
    follow(begun, table(mine, with_hint(["h1=rojo", "v0=azul"], ("v", 7), ["h1v0=h"], ["h1v7=v"])))
    assert len(begun.position.questions) == 1
    assert codes(begun) == set()
