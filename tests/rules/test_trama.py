"""Trama as a game: phases, weaving, buttons, drafts, looms read again, random games to the end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import Any

import pytest
from properties import bad_inputs, check_notation, check_reversible, check_score, check_stranger, never_crashes, perft
from trama_looms import loom_of, random_weave

from rules.game import IllegalMove, NotationError, RulesError
from rules.trama import Adjacent, Button, CardSet, Cord, Crossing, Interlaced, Loom, Objective, Rules, Trama, Weave
from rules.trama.words import SENTENCES

FIRST = "0 weave h0=celeste h1=morado v0=rojo v1=azul h0v0=h h0v1=v h1v0=v h1v1=h"
SECOND = "1 weave v0=rojo v1=rojo v2=rojo v3=rojo"


def play(game: Trama, *moves: str) -> Trama:
    for move in moves:
        game.push(game.parse_move(move))
    return game


def codes(game: Trama, move: str) -> set[str]:
    return {v.code for v in game.check(game.parse_move(move))}


def woven() -> Trama:
    return play(Trama(), FIRST, SECOND)


def next_round() -> Trama:
    return play(woven(), "0 button round a1", "1 button square e1")


def test_phases() -> None:
    game = Trama(3)
    assert (game.phase, game.waiting_for, game.turn) == ((1, "weave"), (0, 1, 2), None)
    assert game.hand_sizes == (4, 4, 4)
    play(game, SECOND)
    assert (game.phase, game.waiting_for, game.hand_sizes) == ((1, "weave"), (0, 2), (4, 0, 4))
    play(game, FIRST, SECOND.replace("1 ", "2 ", 1))
    assert (game.phase, game.waiting_for, game.hand_sizes) == ((1, "button"), (0, 1, 2), (0, 0, 0))
    play(game, "2 button square e1", "0 button round a1")
    assert game.waiting_for == (1,)
    play(game, "1 button round a1")
    assert (game.phase, game.waiting_for) == ((2, "weave"), (0, 1, 2))


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (SECOND, set()),
        ("1 weave v0=rojo v1=rojo v2=rojo", {"too_few_cords"}),
        ("1 weave", {"too_few_cords"}),
        ("1 weave v0=rojo v1=rojo v2=rojo v3=rojo v4=azul", {"too_many_cords"}),
        ("1 weave v0>1=rojo v1=rojo v2=rojo v3=rojo", {"diagonal"}),
        ("1 weave v0=rojo v0=azul v2=rojo v3=rojo", {"lane_occupied"}),
        ("1 weave v0=rojo v0=rojo v2=rojo v3=rojo", {"lane_occupied"}),
        ("1 weave v0=rojo v8=rojo v2=rojo v3=rojo", {"lane_off_loom"}),
        ("1 weave v0=verde v1=rojo v2=rojo v3=rojo", {"unknown_color"}),
        ("1 weave v0=rojo v1=rojo v2=rojo h3=rojo h3v0=h h3v1=h", {"crossing_missing"}),
        ("1 weave v0=rojo v1=rojo v2=rojo v3=rojo h3v0=h", {"crossing_without_cords"}),
        ("1 weave v0=rojo v1=rojo v2=rojo h3=rojo h3v0=h h3v0=v h3v1=h h3v2=h", {"crossing_contradiction"}),
        ("1 button round a1", {"wrong_phase"}),
        ("0 weave v4=rojo v5=rojo v6=rojo v7=rojo", {"already_woven", "crossing_missing"}),
        ("1 weave v0>9=verde v1=rojo", {"too_few_cords", "diagonal", "lane_off_loom", "unknown_color"}),
    ],
)
def test_first_weaving(move: str, expected: set[str]) -> None:
    game = play(Trama(), FIRST)
    assert codes(game, move) == expected
    assert (game.parse_move(move) in game.legal_moves) == (not expected)


NEW = "0 weave v2=rojo v3=rojo v4=rojo v5=azul " + " ".join(f"h{h}v{v}=h" for v in (2, 3, 4, 5) for h in (0, 1))


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (NEW, set()),
        (
            NEW.replace("v5=azul", "v0=azul").replace("v5", "v0"),
            {"lane_occupied", "crossing_flipped", "crossing_not_new"},
        ),
        (NEW + " h0v0=v", {"crossing_flipped"}),
        (NEW + " h0v0=h", {"crossing_not_new"}),
        (NEW.replace("h1v5=h", ""), {"crossing_missing"}),
    ],
)
def test_later_weaving(move: str, expected: set[str]) -> None:
    assert codes(next_round(), " ".join(move.split())) == expected


def test_buttons() -> None:
    game = woven()
    assert codes(game, "0 button round a1") == set()
    assert codes(game, "0 button square a1") == {"wrong_button"}
    assert codes(game, "0 button round e1") == {"wrong_button"}
    assert codes(game, "0 button round a9") == {"card_not_on_table"}
    assert codes(game, "0 button round o1") == {"button_on_objective"}
    assert codes(game, FIRST) >= {"wrong_phase"}
    play(game, "0 button round a1")
    assert codes(game, "0 button round a2") == {"second_button"}
    assert codes(game, "0 button round a1") == {"second_button", "same_card_twice"}
    assert codes(game, "1 button round a1") == set()
    assert game.legal_moves.count() == 8


def finish(game: Trama, rng: Random, buttons: Iterable[str] = ()) -> Trama:
    """Play on with random weaves and, for player 0, these buttons."""
    wanted = list(buttons)
    while game.outcome() is None:
        if game.phase[1] == "weave":
            game.push(random_weave(game, game.waiting_for[0], rng))
        elif 0 in game.waiting_for and wanted:
            play(game, wanted.pop(0))
        else:
            game.push(rng.choice(list(game.legal_moves)))
    return game


def test_two_round_and_two_square_buttons() -> None:
    rng, game = Random(1), Trama()
    chosen = ["0 button round a1", "0 button round a2"]
    while game.phase != (3, "button"):
        if game.phase[1] == "weave":
            game.push(random_weave(game, game.waiting_for[0], rng))
        else:
            move = chosen[game.phase[0] - 1] if 0 in game.waiting_for else f"1 button square e{game.phase[0]}"
            play(game, move)
    assert codes(game, "0 button round a3") == {"no_button_left"}
    assert codes(game, "0 button round a1") == {"no_button_left", "same_card_twice"}
    assert codes(game, "0 button square e1") == set()
    assert {str(move) for move in game.legal_moves if move.player == 0} == {
        f"0 button square e{k}" for k in range(1, 5)
    }


def test_the_end() -> None:
    game = finish(Trama(3), Random(5))
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.reason == "four_rounds"
    assert outcome.winners == tuple(p for p, t in enumerate(outcome.totals) if t == max(outcome.totals))
    assert (game.phase, game.waiting_for, game.hand_sizes) == ((4, "end"), (), (0, 0, 0))
    assert "game_over" in codes(game, "0 button round a1")
    assert "game_over" in codes(game, SECOND)
    assert "fin" in game.draw()
    assert all(len(loom.cords) == 16 for loom in game.state.looms)
    looms, buttons = game.state.looms, game.state.buttons
    reading = Trama.from_table(looms, buttons=buttons, objective="o1", rounds=4)
    assert reading.violations == ()
    assert tuple(score.total for score in reading.scores) == outcome.totals
    assert reading.winners == outcome.winners


def test_a_tie_is_shared() -> None:
    game = Trama()
    lanes = [("v", 0), ("v", 4), ("h", 0), ("h", 4)]
    for turn, (axis, first) in enumerate(lanes):
        for player in (0, 1):
            loom = game.state.looms[player]
            places = [(axis, first + k) for k in range(4)]
            cords = tuple(Cord(a, lane, ("rojo", "azul", "celeste", "morado")[lane % 4]) for a, lane in places)
            upright = [c.lane for c in loom.cords if c.axis == "v"] if axis == "h" else []
            game.push(Weave(player, cords, tuple(Crossing(h, v, "h") for _, h in places for v in upright)))
        for player in (0, 1):
            play(game, f"{player} button " + ["round a1", "round a2", "square e1", "square e2"][turn])
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winners == (0, 1)


# -- knowledge and options -----------------------------------------------------------------------------------------


def test_color_exhausted_over_all_looms() -> None:
    game = Trama(2)
    lanes = [("v", 0), ("v", 4), ("h", 0)]
    for number, (axis, first) in enumerate(lanes):
        for player in (0, 1):
            tops = [Crossing(h, v, "h") for h in range(first, first + 4) for v in range(8)] if axis == "h" else []
            cords = tuple(Cord(axis, first + k, "rojo") for k in range(4))
            move = Weave(player, cords, tuple(tops))
            if (number, player) == (2, 1):
                found = game.check(move)
                assert [v.code for v in found] == ["color_exhausted"]
                assert found[0].where == {"player": 1, "color": "rojo"}
                assert "24" in found[0].en
                assert all("rojo" not in {c.color for c in m.cords} for m in islice(game.legal_moves, 40))  # type: ignore[union-attr]
                return
            game.push(move)
        play(game, *(f"{p} button round a{number + 1}" for p in (0, 1)))


DRAFT = ["rojo", "rojo", "azul", "celeste"]


def test_drafts_are_full_knowledge() -> None:
    game = Trama(drafts=[[DRAFT, None]])
    assert codes(game, "0 weave v0=rojo v1=rojo v2=rojo v3=rojo") == {"not_drafted"}
    assert codes(game, "0 weave v0=azul v1=rojo v2=celeste v3=rojo") == set()
    assert codes(game, SECOND) == set()
    firsts = [move for move in islice(game.legal_moves, 60) if move.player == 0]
    assert all(sorted(c.color for c in move.cords) == sorted(DRAFT) for move in firsts)  # type: ignore[union-attr]
    assert Trama.from_setup(game.setup_json()).drafts == game.drafts


def test_cords_drafted_for_later_are_spoken_for() -> None:
    reds = ["rojo"] * 4
    game = Trama(drafts=[[None, reds], [reds, reds], [reds, reds]])
    assert codes(game, "0 weave v0=rojo v1=azul v2=azul v3=azul") == {"color_exhausted"}
    assert codes(game, SECOND) == set()
    play(game, "0 weave v0=azul v1=azul v2=azul v3=azul", SECOND)


@pytest.mark.parametrize(
    "drafts",
    [3, [[DRAFT]], [[DRAFT, DRAFT]] * 5, [[DRAFT[:3], None]], [[["verde"] * 4, None]], [[[1, 2, 3, 4], None]],
     [[["rojo"] * 4, ["rojo"] * 4]] * 3, ["ab"], [["abcd", None]]],
)  # fmt: skip
def test_wrong_drafts(drafts: Any) -> None:
    with pytest.raises(NotationError):
        Trama(drafts=drafts)


@pytest.mark.parametrize(("lanes", "legal"), [(8, False), (9, True)])
def test_option_lanes(lanes: int, legal: bool) -> None:
    game = Trama(rules=Rules(lanes=lanes))
    assert (codes(game, "0 weave v0=rojo v1=rojo v2=rojo v8=rojo") == set()) == legal
    with pytest.raises(RulesError):
        Trama(rules=Rules(lanes=7))


WOOL = (("lana", "#ffffff"), ("lino", "#DDDDAA"))


def test_option_colors() -> None:
    rules = Rules(colors=WOOL)
    assert rules.colors[1] == ("lino", "#ddddaa")
    with pytest.raises(RulesError, match="not in this game"):
        Trama(rules=rules)
    adjacent = [Adjacent(f"a{k}", "lana", "lino") for k in range(4)]
    interlaced = [Interlaced(f"e{k}", "lana", "lino", ("over", "over")) for k in range(4)]
    own = {"rules": rules, "adjacent": adjacent, "interlaced": interlaced}
    game = Trama(objective=Objective("o", (adjacent[0], interlaced[0])), **own)  # type: ignore[arg-type]
    assert codes(game, "0 weave v0=lana v1=lino v2=lino v3=lana") == set()
    assert codes(game, SECOND) == {"unknown_color"}
    assert Trama.from_json(game.to_json()).table == game.table
    with pytest.raises(RulesError, match="not enough"):
        Trama(3, objective=Objective("o", (adjacent[0], interlaced[0])), **own)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "colors",
    [[], "rojo", [["rojo"]], [["rojo", "red"]], [["rojo", 3]], [["rojo", "#000000"]] * 2, [["dos palabras", "#000000"]],
     [["", "#000000"]], [["<b>", "#000000"]], [["rojo", "#000000"]] * 40],
)  # fmt: skip
def test_wrong_colors(colors: Any) -> None:
    with pytest.raises(NotationError):
        Rules(colors=colors)


def test_rules_as_json() -> None:
    rules = Rules(9, WOOL, same_color=False, neighbours=False, either_end=False, share_b=False)
    assert Rules.from_json(json.loads(json.dumps(rules.to_json()))) == rules
    assert Rules.from_json({}) == Rules()
    for wrong in ({"lanes": 0}, {"lanes": 8.0}, {"share_b": 1}, {"shareb": True}, {"colors": 3}, [], None):
        with pytest.raises(NotationError):
            Rules.from_json(wrong)
    with pytest.raises(NotationError):
        Rules(share_b=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [{"adjacent": ["a1", "a2", "a3"]}, {"adjacent": ["a1", "a2", "a3", "e1"]}, {"adjacent": ["a1"] * 4},
     {"interlaced": ["e1", "e2", "e3", "zz"]}, {"objective": "a1"}, {"objective": 3}, {"adjacent": "a1a2"},
     {"cards": {}}, {"rules": {}}, {"players": 6}, {"players": 1}, {"players": True},
     {"cards": CardSet((), (), ())}],
)  # fmt: skip
def test_wrong_setups(wrong: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        Trama(**wrong)


def test_cards_may_be_ids_or_json() -> None:
    game = Trama.from_setup({"players": 2, "adjacent": ["a5", "a6", "a7", "a8"], "objective": "o7"})
    assert [card.id for card in game.table.adjacent] == ["a5", "a6", "a7", "a8"]
    assert game.table.objective.name == "Bufanda"


# -- looms read again ----------------------------------------------------------------------------------------------


def seen(game: Trama, loom: Loom) -> list[str]:
    move, found = game.read_loom(0, loom.to_json())
    if not found:
        assert game.check(move) == []
    return [v.code for v in found]


def test_a_reading_becomes_the_move() -> None:
    rng = Random(8)
    for _ in range(30):
        game = next_round()
        move = random_weave(game, 0, rng)
        after = game.state.looms[0].with_more(move.cords, move.crossings)
        assert game.read_loom(0, after) == (move, [])
        game.push(move)
        assert game.state.looms[0] == after


def altered(loom: Loom, old: Cord, new: Cord | None) -> Loom:
    """The loom with a cord exchanged or taken out, and its crossings along with it."""
    gone = {(h, v) for h, v in loom.tops if (old.axis, {"h": h, "v": v}[old.axis]) == old.place}
    crossings = [c for c in loom.crossings if c.place not in gone]
    if new is not None:
        for c in loom.crossings:
            if c.place in gone:
                crossings.append(Crossing(new.lane, c.v, c.top) if old.axis == "h" else Crossing(c.h, new.lane, c.top))
    cords = [c for c in loom.cords if c != old] + ([] if new is None else [new])
    return Loom(loom.lanes, tuple(cords), tuple(crossings))


def test_moved_recoloured_removed_and_flipped() -> None:
    game = next_round()
    four = game.parse_move(NEW)
    assert isinstance(four, Weave)
    good = game.state.looms[0].with_more(four.cords, four.crossings)
    assert seen(game, good) == []
    azul, morado = Cord("v", 1, "azul"), Cord("h", 1, "morado")
    assert seen(game, altered(good, morado, Cord("h", 6, "morado"))) == ["cord_moved"]
    # The azul cord that is gone is taken for the nearest new azul one.
    assert seen(game, altered(good, azul, Cord("v", 7, "azul"))) == ["cord_moved"]
    assert seen(game, altered(good, azul, Cord("v", 1, "celeste"))) == ["cord_recolored"]
    assert seen(game, altered(good, morado, None)) == ["cord_removed"]
    flipped = [Crossing(c.h, c.v, "v") if c.place == (0, 0) else c for c in good.crossings]
    assert seen(game, Loom(8, good.cords, tuple(flipped))) == ["crossing_flipped"]
    assert seen(game, game.state.looms[0]) == ["too_few_cords"]
    extra = Loom(8, (*good.cords, Cord("v", 0, "morado")), good.crossings)
    assert set(seen(game, extra)) == {"lane_occupied", "too_many_cords"}
    slanted = Loom(8, (*good.cords, Cord("v", 6, "morado", 7)), good.crossings)
    assert set(seen(game, slanted)) == {"diagonal", "too_many_cords"}
    assert seen(game, Loom(9, good.cords, good.crossings)) == ["wrong_lanes"]


def test_where_a_change_is() -> None:
    game = next_round()
    loom = altered(game.state.looms[0], Cord("v", 1, "azul"), Cord("v", 5, "azul"))
    found = game.read_loom(0, loom)[1]
    assert found[0].where == {"player": 0, "axis": "v", "lane": 1, "color": "azul", "to": 5}
    assert found[0].message("es") == "El cordel v1=azul se ha movido a v5; un cordel tejido no se mueve."


def test_from_table_names_everything() -> None:
    five = "rojo rojo rojo rojo rojo rojo rojo rojo"
    looms = [loom_of(five, five), loom_of(five, "")]
    buttons: Any = [["a1", "a1", "a2"], ["e1", "e2", "e3"]]
    reading = Trama.from_table(looms, buttons=buttons, rounds=3)
    assert [v.code for v in reading.violations] == [
        "too_many_woven", "same_card_twice", "no_button_left", "too_few_woven", "no_button_left", "color_exhausted",
    ]  # fmt: skip
    json.dumps(reading.to_json())
    assert [score.total for score in reading.scores] == [-10, -5]
    assert reading.winners == (1,)
    free = Trama.from_table([loom_of("rojo", "").to_json()])
    assert free.violations == ()
    assert Trama.from_table([Loom()], objective=Trama().table.objective).scores[0].lines[0].points == 0


# -- notation and bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [FIRST, SECOND, "4 weave", "0 weave v0>3=rojo", "3 button square e-1_x"])
def test_moves_print_and_parse(text: str) -> None:
    game = Trama()
    assert game.format_move(game.parse_move(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "0", "5 weave", "0 weave v0", "0 weave x0=rojo", "0 weave v0=", "0 weave v0=1", "0 weave h0v0=x", "0 weave  ",
     "0 weave v9999=rojo", "0 button", "0 button round", "0 button oval a1", "0 button round a b", "0 button round ¿",
     "0 weave v0=rojo\n", "0 weave v٣=rojo"],
)  # fmt: skip
def test_unknown_notation(text: str) -> None:
    with pytest.raises(NotationError):
        Trama().parse_move(text)


def test_bad_input() -> None:
    game = Trama(drafts=[[DRAFT, None]])
    bad_inputs(game)
    for call in (
        game.format_move, Loom, Loom.from_json, Cord.from_json, Crossing.from_json, CardSet.from_json, Rules,
        Trama.from_table,
        lambda v: Trama(players=v), lambda v: Trama(adjacent=v), lambda v: Trama(interlaced=[v] * 4),
        lambda v: Trama(objective=v), lambda v: Trama(rules=v), lambda v: Trama(cards=v), lambda v: Trama(drafts=v),
        lambda v: Rules(colors=v), lambda v: Loom(8, v), lambda v: Loom(8, (), v), lambda v: Loom(8, [v]),
        lambda v: Cord(v, 0, "rojo"), lambda v: Cord("v", v, "rojo"), lambda v: Cord("v", 0, v),
        lambda v: Cord("v", 0, "rojo", v), lambda v: Crossing(v, 0, "h"), lambda v: Crossing(0, v, "h"),
        lambda v: Crossing(0, 0, v), lambda v: Weave(v, ()), lambda v: Weave(0, v), lambda v: Weave(0, (), v),
        lambda v: Button(v, "round", "a1"), lambda v: Button(0, v, "a1"), lambda v: Button(0, "round", v),
        lambda v: game.read_loom(v, Loom()), lambda v: game.read_loom(0, v), lambda v: Trama.from_table([v]),
        lambda v: Trama.from_table([Loom()], buttons=v), lambda v: Trama.from_table([Loom()], buttons=[v]),
        lambda v: Trama.from_table([Loom()], buttons=[[v]]), lambda v: Trama.from_table([Loom()], objective=v),
        lambda v: Trama.from_table([Loom()], rules=v), lambda v: Trama.from_table([Loom()], cards=v),
        lambda v: Trama.from_table([Loom()], rounds=v), lambda v: Adjacent(v, "rojo", "azul"),
        lambda v: Adjacent("a", v, "azul"), lambda v: Adjacent("a", "rojo", "azul", v),
        lambda v: Interlaced("a", "rojo", "azul", v), lambda v: Interlaced("a", "rojo", "azul", (v, "over")),
        lambda v: Objective("o", v), lambda v: Objective("o", (v, v)),
        lambda v: CardSet.from_json({"adjacent": [v], "interlaced": [], "objectives": []}),
        lambda v: CardSet.from_json({"adjacent": [], "interlaced": [], "objectives": [v]}),
    ):  # fmt: skip
        never_crashes(call)


def test_players_that_do_not_exist() -> None:
    with pytest.raises(RulesError):
        Trama(2).check(Button(2, "round", "a1"))
    with pytest.raises(RulesError):
        Trama(2).read_loom(2, Loom())


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "tile", "cords": []}, {"lanes": 0, "cords": []}, {"cords": 3}, {"cords": [{"axis": "v", "lane": 0}]},
     {"cords": [{"axis": "x", "lane": 0, "color": "rojo"}]}, {"cords": [{"axis": "v", "lane": -1, "color": "rojo"}]},
     {"cords": [], "crossings": [{"h": 0, "v": 0, "top": "x"}]}, {"cords": [], "crossings": [{"h": 0, "v": 10**9}]}],
)  # fmt: skip
def test_wrong_looms(wrong: dict[str, Any]) -> None:
    with pytest.raises(NotationError):
        Loom.from_json(wrong)


def test_a_label_may_carry_more_than_the_loom() -> None:
    label = loom_of("rojo", "azul").to_json()
    label["corners"] = [[0, 0]] * 4
    label["cords"][0]["confidence"] = 0.9
    assert Loom.from_json(label) == loom_of("rojo", "azul")
    slanted = Loom(8, (Cord("v", 0, "rojo", 2),))
    assert Loom.from_json(slanted.to_json()) == slanted


CARDS: dict[str, Any] = {
    "adjacent": [{"id": "x1", "a": "rojo", "b": "azul"}],
    "interlaced": [{"id": "y1", "a": "rojo", "b": "azul", "passes": ["over", "under"]}],
    "objectives": [{"id": "z1", "patterns": [{"kind": "adjacent", "a": "rojo", "b": "azul"},
                                             {"kind": "interlaced", "a": "a", "b": "b", "passes": ["over", "over"]}]}],
}  # fmt: skip


def test_a_players_own_cards() -> None:
    box = CardSet.from_json(json.dumps({"title": "mías", **CARDS}))
    assert box.pattern("x1") == Adjacent("x1", "rojo", "azul")
    assert box.objective("z1").patterns[1].id == "z1-2"
    assert CardSet.from_json(box.to_json()) == box
    for key, wrong in (
        ("adjacent", [{"id": "x1", "a": "rojo"}]), ("adjacent", [{**CARDS["adjacent"][0], "c": 1}]),
        ("adjacent", CARDS["interlaced"]), ("adjacent", CARDS["adjacent"] * 2), ("objectives", [{"id": "z"}]),
        ("interlaced", [{**CARDS["interlaced"][0], "passes": ["over"]}]),
        ("interlaced", [{**CARDS["interlaced"][0], "kind": "adjacent"}]),
        ("objectives", [{**CARDS["objectives"][0], "kind": "adjacent"}]),
        ("objectives", [{"id": "z", "patterns": [{"kind": "knot", "a": "rojo", "b": "azul"}] * 2}]), ("extra", []),
    ):  # fmt: skip
        with pytest.raises(NotationError):
            CardSet.from_json({**CARDS, key: wrong})


def test_every_code_has_both_languages() -> None:
    for code, (es, en) in SENTENCES.items():
        assert code == code.lower()
        assert es != en


def test_draw_escapes_and_shows_everything() -> None:
    cards = [{"kind": "adjacent", "id": f"a{k}", "name": "<script>&", "a": "rojo", "b": "azul"} for k in range(4)]
    game = play(Trama(4, adjacent=cards), FIRST)
    picture = game.draw()
    assert "<script>" not in picture
    assert "&lt;script&gt;&amp;" in picture
    assert picture.count("jugador") == 4
    assert "tejer" in picture


# -- random games and counted trees --------------------------------------------------------------------------------


class EveryLegal:
    """Stands in for a list of all legal moves: too many to write down, so membership is decided by construction."""

    def __init__(self, moves: set[Any]) -> None:
        self.moves = moves

    def __contains__(self, move: object) -> bool:
        return move in self.moves

    def __len__(self) -> int:
        return len(self.moves)


def spoilt(move: Any, rng: Random, game: Trama) -> Any:
    """An illegal move made from a legal one."""
    if isinstance(move, Button):
        return Button(move.player, "round" if move.shape == "square" else "square", move.card)
    cord = rng.choice(move.cords)
    rest = tuple(c for c in move.cords if c != cord)
    choices = [
        Weave(move.player, rest, move.crossings),
        Weave(move.player, (*move.cords, cord), move.crossings),
        Weave(move.player, (*rest, Cord(cord.axis, cord.lane, "verde")), move.crossings),
        Weave(move.player, (*rest, Cord(cord.axis, cord.lane, cord.color, (cord.lane + 1) % 8)), move.crossings),
        Weave(move.player, move.cords, (*move.crossings, Crossing(60, 60, "h"))),
    ]
    old = game.state.looms[move.player]
    if move.crossings:
        choices.append(Weave(move.player, move.cords, move.crossings[1:]))
    if old.crossings:
        choices.append(Weave(move.player, move.cords, (*move.crossings, rng.choice(old.crossings))))
    return rng.choice(choices)


@pytest.mark.parametrize("seed", range(12))
def test_random_games(seed: int) -> None:
    rng = Random(seed)
    players = rng.randrange(2, 6)
    drafts = [[rng.choices(Rules().names, k=4) if p == 0 else None for p in range(players)]] if seed % 3 == 0 else None
    options = {name: rng.random() < 0.5 for name in ("same_color", "neighbours", "either_end", "share_b")}
    game = Trama(players, rules=Rules(lanes=rng.choice([8, 9]), **options), drafts=drafts)  # type: ignore[arg-type]
    start = game.state
    while game.outcome() is None:
        listed = list(islice(game.legal_moves, 30))
        assert len(set(listed)) == len(listed)
        if game.phase[1] == "weave":
            chosen: Any = random_weave(game, rng.choice(game.waiting_for), rng)
        else:
            listed = list(game.legal_moves)
            chosen = rng.choice(listed)
        for move in [*rng.sample(listed, min(5, len(listed))), chosen]:
            assert game.check(move) == []
            assert game.parse_move(game.format_move(move)) == move
        check_stranger(game, spoilt(chosen, rng, game), EveryLegal(set(listed)))  # type: ignore[arg-type]
        before = sum(len(loom.cords) for loom in game.state.looms)
        check_reversible(game, chosen)
        added = len(chosen.cords) if isinstance(chosen, Weave) else 0
        assert sum(len(loom.cords) for loom in game.state.looms) == before + added
        assert all(loom.violations(game.rules) == [] for loom in game.state.looms)
        check_score(game)
    assert not game.legal_moves
    check_notation(game)
    assert game.draw().startswith("<svg")
    while game.moves:
        game.pop()
    assert game.state == start


def test_legal_moves_are_lazy_and_take_turns() -> None:
    game = Trama(3)
    assert [move.player for move in islice(game.legal_moves, 6)] == [0, 1, 2, 0, 1, 2]
    assert bool(game.legal_moves)


def test_counted_tree() -> None:
    """Four red cords on an empty loom: 2·C(8,4) + 2·C(8,1)·C(8,3)·2³ + C(8,2)²·2⁴ ways, for one player."""
    reds = ["rojo"] * 4
    one = 2 * 70 + 2 * 8 * 56 * 2**3 + 28 * 28 * 2**4
    game = Trama(drafts=[[reds, reds]])
    assert perft(game, 1) == 2 * one == 39704
    play(game, "0 weave v0=rojo v1=rojo v2=rojo v3=rojo")
    assert perft(game, 1) == one


def test_counted_tree_of_buttons() -> None:
    """One button each in any order: 2 · 8 · 8 sequences of two."""
    assert [perft(woven(), depth) for depth in (1, 2)] == [16, 128]
    assert perft(play(woven(), "0 button round a1"), 1) == 8


def test_illegal_push_names_everything() -> None:
    game = Trama()
    with pytest.raises(IllegalMove) as caught:
        game.push(Weave(0, (Cord("v", 0, "verde"),)))
    assert {v.code for v in caught.value.violations} == {"too_few_cords", "unknown_color"}
