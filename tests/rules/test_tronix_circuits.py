"""Tronix circuits against an independent slow checker, in cost, and in pictures and photos."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from tronix_slow import Lines, SlowChecker, lines_of, shares
from tronix_tables import CROSS, EIGHT, RECTANGLE, SQUARE, WIDE, face_with, odd_deck, small_deck, table_of

from rules.game import RulesError
from rules.tronix import (
    Cell,
    Deck,
    Face,
    Move,
    Reading,
    Seen,
    Tronix,
    award,
    circuits,
    lines_through_all,
    read_table,
    walks,
)


def plain(table: Mapping[Cell, Face]) -> dict[Cell, Lines]:
    """The table as the slow checker takes it."""
    return {cell: lines_of(face.lines) for cell, face in table.items()}


CROSSINGS = (CROSS, WIDE, Face.parse("NW/ES"), Face.parse("ES/NW"))  # two that cross and two that only touch


def random_table(rng: Random, deck: Deck, width: int, height: int, gaps: float) -> dict[Cell, Face]:
    faces = list(deck.shows)
    return {(x, y): rng.choice(faces) for x in range(width) for y in range(height) if rng.random() >= gaps}


def planted(rng: Random, width: int, height: int) -> dict[Cell, Face]:
    """A random table of the default deck with a loop in it, in any colours, perhaps spoilt: a rectangle or an eight."""
    table = random_table(rng, Deck.default(), width, height, 0.2)
    if width == height == 3 and rng.random() < 0.6:
        pink = tuple(cell for cell in EIGHT if rng.random() < 0.3)
        return table | table_of(EIGHT, pink) | {(1, 1): rng.choice(CROSSINGS)}
    left, top = rng.randrange(width - 1), rng.randrange(height - 1)
    right, bottom = rng.randrange(left + 1, width), rng.randrange(top + 1, height)
    for x in range(left, right + 1):
        for y in range(top, bottom + 1):
            sides = ("N" if y > top else "") + ("E" if x < right else "")
            sides += ("S" if y < bottom else "") + ("W" if x > left else "")
            if len(sides) == 3:  # on a straight edge of the rectangle
                sides = "EW" if y in (top, bottom) else "NS"
            if len(sides) == 2 and rng.random() < 0.95:
                table[x, y] = face_with(sides, rng.choice(["green", "pink"]))
    return table


@pytest.mark.parametrize("kind", ["default", "odd portrait", "odd square"])
def test_engine_agrees_with_the_slow_checker(kind: str) -> None:
    """1500 boards for each kind of deck: the same circuits, the same shares, the same lines through all cards."""
    rng = Random(kind)
    closed = tronix = doubled = several = 0
    deck = Deck.default()
    for number in range(1500):
        if kind != "default" and number % 15 == 0:
            deck = odd_deck(rng, "square" in kind)
        width, height = rng.choice([(1, 2), (2, 2), (2, 3), (3, 3), (4, 3), (4, 4)])
        if kind == "default" and number % 2 and width > 1:
            table = planted(rng, width, height)
        else:
            table = random_table(rng, deck, width, height, rng.choice([0.0, 0.1, 0.3]))
        slow = SlowChecker(plain(table))
        expected = slow.circuits()
        found = circuits(table)
        assert {frozenset(walk.segments) for walk in found} == expected, number
        assert len(found) == len(expected)
        shared = award(found)
        assert (set(shared.green), set(shared.pink), set(shared.stay)) == shares(expected)
        lines = slow.through_all()
        assert {frozenset(walk.segments) for walk in lines_through_all(table)} == lines
        closed, tronix, doubled = closed + bool(expected), tronix + bool(lines), doubled + bool(shared.stay)
        several += len(expected) > 1
    assert closed > (500 if kind == "default" else 40), "the boards must have circuits for this to say anything"
    assert tronix > 20
    if kind == "default":
        assert doubled > 30
        assert several > 30


def test_every_move_scores_what_the_slow_checker_says() -> None:
    """Lay or move a card into a gap of a table: what is lifted is what all circuits there award together."""
    scored = ended = 0
    for seed in range(400):
        rng = Random(seed)
        god = seed % 2 == 1
        table = planted(rng, *rng.choice([(2, 2), (3, 2), (3, 3), (4, 3)]))
        for walk in circuits(table):  # circuits that are there already belong to nobody's move
            table.pop(walk.segments[0][0], None)
        if len(table) < 3:
            continue
        game = Tronix.from_table(table, god=god, players=rng.choice([2, 4, 6]), starter=0)
        options = list(game.legal_moves)
        likely = [move for move in options if closes(table, move)]
        for move in rng.sample(options, min(2, len(options))) + rng.sample(likely, min(3, len(likely))):
            after = moved(table, move)
            slow = SlowChecker(plain(after))
            tronix = slow.through_all() if god else set()
            green, pink, _ = shares(slow.circuits() | tronix)
            game.push(move)
            assert [score.total for score in game.score()] == [len(green), len(pink)]
            assert set(game.state.lifted) == green | pink
            assert (game.state.ended == "tronix") == bool(tronix)
            game.pop()
            scored += bool(green | pink)
            ended += bool(tronix)
    assert scored > 200
    assert ended > 50


def moved(table: Mapping[Cell, Face], move: Move) -> dict[Cell, Face]:
    """The table after a move, before anything is lifted."""
    assert move.cell is not None
    assert move.face is not None
    after = dict(table)
    if move.source is not None:
        del after[whole_cell(move.source)]
    after[whole_cell(move.cell)] = move.face
    return after


def whole_cell(spot: tuple[float, float]) -> Cell:
    return int(spot[0]), int(spot[1])


def closes(table: Mapping[Cell, Face], move: Move) -> bool:
    """Whether it is likely to score: it touches at least two cards."""
    after = moved(table, move)
    x, y = whole_cell(move.cell or (0, 0))
    return sum(there in after for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))) > 1


class Counting(dict[Cell, Face]):
    """A table that counts how often it is looked at."""

    looks = 0

    def get(self, key: Cell, default: Any = None) -> Any:
        self.looks += 1
        return super().get(key, default)

    def __getitem__(self, key: Cell) -> Face:
        self.looks += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("side", [2, 10, 40])
def test_finding_all_circuits_costs_as_much_as_there_are_cards(side: int) -> None:
    rng = Random(side)
    table = Counting(random_table(rng, Deck.default(), side, side, 0.05))
    found = walks(table)
    assert sum(len(walk.segments) for walk in found) == 2 * len(table)
    assert table.looks <= 16 * len(table)


def test_walks_are_canonical() -> None:
    table = table_of(RECTANGLE)
    found = {trace for cell in table for trace in circuits({**table, cell: table[cell]})}
    assert len(found) == 1
    (walk,) = found
    assert walk.closed
    assert walk.segments[0] == min(walk.segments)
    assert walk.segments[1] < walk.segments[-1]


def codes(reading: Reading) -> list[str]:
    return [violation.code for violation in reading.violations]


def test_a_photo_of_a_circuit() -> None:
    table = {**table_of(EIGHT), (1, 1): Face.parse("NS/EW")}
    reading = read_table([{"cell": list(cell), "lines": face.lines} for cell, face in table.items()])
    assert reading.violations == ()
    assert reading.award.points == (6, 0)
    assert reading.to_json()["score"] == {"green": 6, "pink": 0, "stay": [[1, 1]]}
    assert len(reading.to_json()["circuits"][0]) == 8
    game = Tronix.from_table(table)
    assert game.reading.award == reading.award
    assert len(game.circuits) == 1
    assert [score.total for score in game.score()] == [0, 0], "nobody has taken the cards yet"


def test_a_photo_scores_a_tronix_only_in_god_mode() -> None:
    row = {(x, 0): face_with("EW", "green") for x in range(3)}
    assert read_table(row).award.points == (0, 0)
    assert read_table(row, god=True).award.points == (3, 0)
    assert len(read_table(row).tronix) == 1
    assert read_table({(0, 0): "NS/EW"}, god=True).tronix == ()


def test_everything_wrong_about_a_photo() -> None:
    cards = [
        ((0, 0), "NS/EW"),
        {"cell": [0, 0], "face": "EW/NS"},
        {"cell": (0.5, 1), "face": "EW/NS"},
        {"cell": (1, 0), "face": {"green": ["N", "S"], "pink": ["E", "W"]}, "sideways": True},
        ((2, 0), "N.25S/EW"),
        Seen((9, 9), Face.parse("NS/EW")),
    ]
    reading = read_table(cards, fresh=True)
    assert codes(reading) == [
        "cell_occupied", "off_grid", "wrong_orientation", "face_not_in_deck", "isolated", "isolated",
    ]  # fmt: skip
    assert [v.where.get("cell") for v in reading.violations] == [[0, 0], [0.5, 1], [1, 0], [2, 0], [2, 0], [9, 9]]
    assert "isolated" not in codes(read_table(cards)), "later in the game islands are legal"
    assert set(reading.table) == {(0, 0), (2, 0), (9, 9)}
    assert codes(read_table([], fresh=True)) == []


def test_sideways_means_nothing_for_square_cards() -> None:
    deck = odd_deck(Random(1))
    face = next(iter(deck.shows))
    assert codes(read_table([Seen((0, 0), face, True)], deck)) == []


def test_a_photo_with_more_cards_than_the_deck_has() -> None:
    deck = small_deck(1, 2)
    row = [((x, 0), "NS/EW") for x in range(4)]
    reading = read_table(row, deck)
    assert codes(reading) == ["deck_exhausted"]
    assert reading.violations[0].where == {"cell": [2, 0], "face": "NS/EW"}
    game = Tronix.from_table(row, deck=deck, god=True)
    assert game.outcome() is None
    assert game.check(Move.shift((0, 0), (4, 0), "EW/NS")) == [], "cards of a foreign set can still be followed"
    foreign = Tronix.from_table([((0, 0), "NS/EW"), ((1, 0), "N.1S.9/EW")], god=True)
    assert [v.code for v in foreign.check(Move.shift((1, 0), (0, 1), "NS/EW"))] == ["wrong_card"]
    assert all(move.source == (0, 0) for move in foreign.legal_moves)


def svg(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def test_draw_shows_the_table_and_the_cards_to_lift() -> None:
    table = table_of(SQUARE)
    face = table.pop((1, 1))
    game = Tronix.from_table({**table, (2, 0): "NS/EW"}, starter=0)
    assert game.draw().count("data-cell") == 4
    assert "stroke-dasharray" not in game.draw()
    game.push(Move.place((1, 1), face))
    drawn = game.draw()
    assert drawn.count("data-cell") == 5
    assert drawn.count("stroke-dasharray") == 4, "the four lifted cards are marked"
    svg(drawn)
    empty = svg(Tronix().draw())
    assert empty.get("viewBox") == "-8 -8 79 104"
    photo = Tronix.from_table(table_of(SQUARE)).draw()
    assert photo.count("#f5c451") == 4, "a circuit on a photo is lit"


def test_lines_run_from_port_to_port() -> None:
    deck = Deck.default()
    game = Tronix()
    game.push(Move.place((0, 0), "NE/SW"))
    drawn = svg(game.draw()).iter("{http://www.w3.org/2000/svg}path")
    paths = [path.get("d") or "" for path in drawn if path.get("class") == "green"]
    assert len(paths) == 1
    assert paths[0].startswith("M31.5 0C")
    assert paths[0].endswith("63 44")
    assert deck.aspect == pytest.approx(63 / 88)


BAD_TABLES: list[Any] = [
    None, 3, "x", [1], [None], [((0, 0),)], [((0, 0), 5)], [{"cell": [0, 0]}], [{"cell": 1, "face": "NS/EW"}],
    [{"cell": [0, float("nan")], "face": "NS/EW"}], [((0, 10**9), "NS/EW")], [((0, 0, 0), "NS/EW")],
    [{"cell": [0, 0], "face": "NS/EW", "colour": 1}], [((True, 0), "NS/EW")], {3: "NS/EW"},
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_TABLES)
def test_bad_tables(bad: Any) -> None:
    with pytest.raises(RulesError):
        read_table(bad)
    with pytest.raises(RulesError):
        Tronix.from_table(bad)
