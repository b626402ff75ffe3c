"""Which piece that was read is which piece that lies there, and whether it was read right.

Pieces are paired one to one: first those that are in place and read right, then by place alone (those are
misreadings). `uncertain` pieces take part, so that what was read there is no false alarm, and count neither way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from datasets.labels import SIDES, SOME_CARD, Box, PieceLabel, Point, port
from vision.state import Piece

MIN_IOU = 0.45
MAX_DISTANCE = 0.3  # of the size
CARDS = ("card", "back")


@dataclass(frozen=True, slots=True)
class Pair:
    """A truth and the reading that was paired with it; `right` where it was read right."""

    truth: PieceLabel
    read: Piece
    right: bool


@dataclass(frozen=True, slots=True)
class Matching:
    """The outcome for one scene. `ignored` are the readings that fell to uncertain truths."""

    pairs: tuple[Pair, ...]
    missed: tuple[PieceLabel, ...]
    false: tuple[Piece, ...]
    ignored: tuple[Piece, ...]

    @property
    def exact(self) -> bool:
        """Whether everything that counts was read right and nothing else was seen."""
        return not self.missed and not self.false and all(pair.right for pair in self.pairs)

    @property
    def errors(self) -> int:
        """How many things are wrong with the reading."""
        return len(self.missed) + len(self.false) + sum(not pair.right for pair in self.pairs)


def match(truths: Sequence[PieceLabel], readings: Sequence[Piece]) -> Matching:
    """Pair the truths of a scene with what was read in it."""
    costs = [
        (cost, t, r)
        for t, truth in enumerate(truths)
        for r, reading in enumerate(readings)
        if (cost := place_cost(truth, reading)) is not None
    ]
    costs.sort()
    of_truth: dict[int, int] = {}
    of_reading: dict[int, int] = {}

    def take(wanted: Sequence[tuple[float, int, int]]) -> None:
        for _, t, r in wanted:
            if t not in of_truth and r not in of_reading:
                of_truth[t], of_reading[r] = r, t

    take([c for c in costs if reads_right(truths[c[1]], readings[c[2]])])
    take([c for c in costs if not truths[c[1]].uncertain])
    take(costs)
    pairs, missed = [], []
    for t, truth in enumerate(truths):
        if truth.uncertain:
            continue
        if t in of_truth:
            reading = readings[of_truth[t]]
            pairs.append(Pair(truth, reading, reads_right(truth, reading)))
        else:
            missed.append(truth)
    false = tuple(p for r, p in enumerate(readings) if r not in of_reading)
    ignored = tuple(p for r, p in enumerate(readings) if r in of_reading and truths[of_reading[r]].uncertain)
    return Matching(tuple(pairs), tuple(missed), false, ignored)


def place_cost(truth: PieceLabel, reading: Piece) -> float | None:
    """How far the reading is from the truth (0 is exactly there, 1 the limit), or None where it is another place."""
    if truth.kind != reading.kind and not (truth.kind in CARDS and reading.kind in CARDS):
        return None
    costs = []
    if not truth.corners or (truth.uncertain and truth.box is not None):
        overlap = iou(truth.extent, box_of(reading))
        if overlap >= MIN_IOU:
            costs.append((1 - overlap) / (1 - MIN_IOU))
    if truth.corners:
        (x1, y1), (x2, y2) = truth.centre, reading.centre
        distance = math.hypot(x1 - x2, y1 - y2) / max(truth.size, 1e-9)
        if distance < MAX_DISTANCE:
            costs.append(distance / MAX_DISTANCE)
    return min(costs) if costs else None


def box_of(reading: Piece) -> Box:
    """The box that was read, or the one around its corners."""
    if reading.box is not None:
        return reading.box
    xs, ys = zip(*reading.corners, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    shared = w * h
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def reads_right(truth: PieceLabel, reading: Piece) -> bool:
    """Whether what was read is what lies there, wherever it was seen."""
    if truth.kind in CARDS and truth.label == SOME_CARD:
        return reading.kind in CARDS
    if truth.kind != reading.kind:
        return False
    if truth.kind == "tile":
        return reading.label in turned_tiles(truth.label)
    if truth.kind == "loom":
        return loom_hits(truth.facts, reading.facts).exact
    if truth.kind == "circuit_card":
        return same_circuit(truth, reading)
    return truth.kind == "back" or truth.label == reading.label


def turned_tiles(label: str) -> tuple[str, str, str]:
    """The three ways to say a tile, from each of its corners on, clockwise. Its mirror image is none of them."""
    a, b, c = label.split("-")
    return (f"{a}-{b}-{c}", f"{b}-{c}-{a}", f"{c}-{a}-{b}")


# -- corners ------------------------------------------------------------------------------------------------------


def corner_shift(truth: Sequence[Point], read: Sequence[Point]) -> int | None:
    """The k for which corner i of what was read is corner i + k of the truth, or None where they cannot be compared."""
    n = len(truth)
    if n == 0 or len(read) != n:
        return None
    return min(range(n), key=lambda k: sum(math.dist(truth[(i + k) % n], read[i]) for i in range(n)))


def corner_error(truth: PieceLabel, reading: Piece) -> float | None:
    """The mean distance of the corners as a fraction of the piece's size."""
    k = corner_shift(truth.corners, reading.corners)
    if k is None:
        return None
    n = len(truth.corners)
    total = sum(math.dist(truth.corners[(i + k) % n], reading.corners[i]) for i in range(n))
    return total / n / max(truth.size, 1e-9)


def tile_oriented(truth: PieceLabel, reading: Piece) -> bool:
    """Whether a tile's values were read at the corners where they are, not only in the right order."""
    k = corner_shift(truth.corners, reading.corners)
    return k is not None and reading.label == turned_tiles(truth.label)[k % 3]


# -- looms --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoomHits:
    """How much of a loom was read right, in the best of the four turns."""

    exact: bool
    cords: int
    cords_right: int
    cords_read: int
    crossings: int
    crossings_right: int


Cords = dict[tuple[str, int], str]
Crossings = dict[tuple[int, int], str]


def _loom(facts: Mapping[str, Any]) -> tuple[int, Cords, Crossings]:
    cords = {(c["axis"], c["lane"]): c["color"] for c in facts.get("cords", ())}
    crossings = {(c["h"], c["v"]): c["top"] for c in facts.get("crossings", ())}
    return int(facts.get("lanes", 0)), cords, crossings


def turn_loom(lanes: int, cords: Cords, crossings: Crossings) -> tuple[Cords, Crossings]:
    """The same loom with the next corner (clockwise) called the top left one."""
    swap = {"h": "v", "v": "h"}
    turned: Cords = {}
    for (axis, lane), color in cords.items():
        turned[("v", lane) if axis == "h" else ("h", lanes - 1 - lane)] = color
    return turned, {(lanes - 1 - v, h): swap[top] for (h, v), top in crossings.items()}


def loom_hits(truth: Mapping[str, Any], read: Mapping[str, Any]) -> LoomHits:
    """Compare two looms up to the four rotations."""
    lanes, cords, crossings = _loom(truth)
    read_lanes, seen_cords, seen_crossings = _loom(read)
    best: tuple[tuple[int, int, int], LoomHits] | None = None
    for _ in range(4):
        right = sum(seen_cords.get(place) == color for place, color in cords.items())
        tops = sum(seen_crossings.get(place) == top for place, top in crossings.items())
        exact = lanes == read_lanes and cords == seen_cords and crossings == seen_crossings
        hits = LoomHits(exact, len(cords), right, len(seen_cords), len(crossings), tops)
        rank = (int(exact), right, tops)
        if best is None or rank > best[0]:
            best = (rank, hits)
        seen_cords, seen_crossings = turn_loom(read_lanes, seen_cords, seen_crossings)
    assert best is not None
    return best[1]


# -- circuit cards ------------------------------------------------------------------------------------------------


def circuit_lines(lines: Sequence[Mapping[str, Any]], shift: int = 0) -> frozenset[tuple[str, frozenset[Any]]]:
    """The lines as a set that two ways of saying one card share; `shift` renames the sides as seen from a corner on."""

    def turned(value: Any) -> tuple[str, float]:
        side, at = port(value)
        return SIDES[(SIDES.index(side) + shift) % 4], round(at, 2)

    return frozenset((line["color"], frozenset(turned(p) for p in line["ports"])) for line in lines)


def same_circuit(truth: PieceLabel, reading: Piece) -> bool:
    """Whether the lines agree, whichever corner each side calls its first.

    The corners say which side is which: a card read a quarter turn wrong is another card, not a symmetric one.
    """
    k = corner_shift(truth.corners, reading.corners)
    return circuit_lines(truth.facts["lines"]) == circuit_lines(reading.facts.get("lines", ()), k or 0)
