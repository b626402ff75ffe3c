"""Tronix circuits against an independent slow checker, in cost, and in pictures and photos."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from tronix_tables import EIGHT, RECTANGLE, SQUARE, face_with, odd_deck, small_deck, table_of

from rules.game import RulesError
from rules.tronix import Cell, Deck, Face, Move, Reading, Seen, Tronix, award, circuits, lines_through_all, read_table, walks

Segment = tuple[Cell, str]


class SlowChecker:
    """Circuits by brute force. Line ends meet where they are the same point of the plane; every path is tried."""

    def __init__(self, deck: Deck, table: dict[Cell, Face]) -> None:
        ends: dict[Segment, list[tuple[int, int]]] = {}
        for (x, y), face in table.items():
            for line in face.lines:
                ends[(x, y), line["color"]] = [self.point(deck, x, y, port) for port in line["ports"]]
        self.cells = set(table)
        self.near: dict[Segment, list[tuple[int, Segment, int]]] = {
            a: [
                (i, b, j)
                for b, theirs in ends.items()
                if b[0] != a[0]
                for i, p in enumerate(own)
                for j, q in enumerate(theirs)
                if p == q
            ]
            for a, own in ends.items()
        }

    @staticmethod
    def point(deck: Deck, x: int, y: int, port: Any) -> tuple[int, int]:
        side, p = (port, 0.5) if isinstance(port, str) else port
        across = {"N": (p, 0.0), "E": (1.0, p), "S": (1 - p, 1.0), "W": (0.0, 1 - p)}[side]
        return round((x + across[0]) * deck.width * 1000), round((y + across[1]) * deck.height * 1000)

    def paths(self, path: list[Segment], leave: int) -> Iterator[tuple[list[Segment], bool]]:
        """Every way to go on from the end `leave` of the last segment: the path so far, and whether it closed."""
        yield path, False
        for i, other, j in self.near[path[-1]]:
            if i == leave:
                if other == path[0] and j == 0:
                    yield path, True
                elif other not in path:
                    yield from self.paths([*path, other], 1 - j)

    def circuits(self) -> set[frozenset[Segment]]:
        return {frozenset(path) for start in self.near for path, closed in self.paths([start], 1) if closed}

    def through_all(self) -> set[frozenset[Segment]]:
        found = set()
        for start in self.near:
            for leave in (0, 1):
                for path, _ in self.paths([start], leave):
                    if {cell for cell, _ in path} == self.cells and len(self.cells) > 1:
                        found.add(frozenset(path))
        return {one for one in found if not any(one < other for other in found)}


def shares(found: set[frozenset[Segment]]) -> tuple[set[Cell], set[Cell], set[Cell]]:
    """Who gets which card, said again from the rule's own words."""
    used = {segment for one in found for segment in one}
    green, pink = {cell for cell, color in used if color == "green"}, {cell for cell, color in used if color == "pink"}
    return green - pink, pink - green, green & pink


def random_table(rng: Random, deck: Deck, width: int, height: int, gaps: float) -> dict[Cell, Face]:
    faces = list(deck.shows)
    return {(x, y): rng.choice(faces) for x in range(width) for y in range(height) if rng.random() >= gaps}


@pytest.mark.parametrize("kind", ["default", "odd portrait", "odd square"])
def test_engine_agrees_with_the_slow_checker(kind: str) -> None:
    rng = Random(kind)
    closed = tronix = doubled = 0
    for number in range(1500):
        deck = Deck.default() if kind == "default" else odd_deck(rng, "square" in kind)
        width, height = rng.choice([(1, 2), (2, 1), (2, 2), (2, 3), (3, 3), (4, 3), (4, 4)])
        table = random_table(rng, deck, width, height, rng.choice([0.0, 0.1, 0.3]))
        slow = SlowChecker(deck, table)
        expected = slow.circuits()
        found = circuits(table)
        assert {frozenset(walk.segments) for walk in found} == expected, number
        assert len(found) == len(expected)
        shared = award(found)
        assert (set(shared.green), set(shared.pink), set(shared.stay)) == shares(expected)
        lines = slow.through_all()
        assert {frozenset(walk.segments) for walk in lines_through_all(table)} == lines
        closed, tronix, doubled = closed + bool(expected), tronix + bool(lines), doubled + bool(shared.stay)
    assert closed > 50, "the boards must have circuits for this to say anything"
    assert tronix > 20
    assert doubled > (5 if kind == "default" else 0)


def test_every_move_scores_what_the_slow_checker_says() -> None:
    """Games with the engine's own moves: what is lifted is what the circuits of the table before lifting award."""
    scored = 0
    for seed in range(60):
        rng = Random(seed)
        game = Tronix(rng.choice([2, 4, 6]), deck=small_deck(6, 4))
        while game.outcome() is None and len(game.moves) < 40:
            before = dict(game.state.table)
            move = rng.choice(list(game.legal_moves))
            won = [score.total for score in game.score()]
            god = game.state.god
            game.push(move)
            if move.source is not None:
                del before[int(move.source[0]), int(move.source[1])]
            assert move.cell is not None
            assert move.face is not None
            before[int(move.cell[0]), int(move.cell[1])] = move.face
            slow = SlowChecker(game.deck, before)
            green, pink, _ = shares(slow.circuits() | (slow.through_all() if god else set()))
            assert [score.total - old for score, old in zip(game.score(), won, strict=True)] == [len(green), len(pink)]
            assert set(game.state.lifted) == green | pink
            scored += bool(green | pink)
    assert scored > 100


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
    assert codes(reading) == ["cell_occupied", "off_grid", "wrong_orientation", "face_not_in_deck", "isolated", "isolated"]
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
    paths = [p.get("d") or "" for p in svg(game.draw()).iter("{http://www.w3.org/2000/svg}path") if p.get("class") == "green"]
    assert len(paths) == 1
    assert paths[0].startswith("M31.5 0C")
    assert paths[0].endswith("63 44")
    assert deck.aspect == pytest.approx(63 / 88)


@pytest.mark.parametrize("bad", [None, 3, "x", [1], [None], [((0, 0),)], [((0, 0), 5)], [{"cell": [0, 0]}], [{"cell": 1, "face": "NS/EW"}],
                                 [{"cell": [0, float("nan")], "face": "NS/EW"}], [((0, 10**9), "NS/EW")], [((0, 0, 0), "NS/EW")],
                                 [{"cell": [0, 0], "face": "NS/EW", "colour": 1}], [((True, 0), "NS/EW")], {3: "NS/EW"}])  # fmt: skip
def test_bad_tables(bad: Any) -> None:
    with pytest.raises(RulesError):
        read_table(bad)
    with pytest.raises(RulesError):
        Tronix.from_table(bad)
