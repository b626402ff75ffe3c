"""The cards of Tronix as data: ports on the border, faces with a green and a pink line, and a deck of them.

A port is a (side, position) pair; the position runs from 0 to 1 along its side, clockwise around the card. That makes
a quarter turn a change of side alone, and lets the port that faces (N, p) on the card above be (S, 1 − p).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from rules.game import Json, NotationError, RulesError, no_extra, parse_json, require

SIDES = "NESW"
COLORS = ("green", "pink")
Cell = tuple[int, int]

STEP: Mapping[str, Cell] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE: Mapping[str, str] = {"N": "S", "E": "W", "S": "N", "W": "E"}

_DIGITS = 4  # positions are kept to four decimals, so that p and 1 − p meet exactly
_MOST_PORTS = 16
_MOST_KINDS = 500
_MOST_CARDS = 10_000
_PORT = re.compile(r"([NESW])(?:\.([0-9]{1,4}))?")


class Port(NamedTuple):
    """A point of a card's border where a line may end."""

    side: str
    position: float = 0.5

    @classmethod
    def of(cls, data: Any) -> Port:
        """A port from `"N"`, `["N", 0.33]` or a port; `NotationError` for anything else."""
        side, position = data, 0.5
        if isinstance(data, list | tuple):
            if len(data) != 2:
                raise NotationError(f"a port is a side and a position, not {data!r}")
            side, position = data
        if not isinstance(side, str) or len(side) != 1 or side not in SIDES:
            raise NotationError(f"a port's side is N, E, S or W, not {side!r}")
        if isinstance(position, bool) or not isinstance(position, int | float) or not math.isfinite(position):
            raise NotationError(f"a port's position is a number between 0 and 1, not {position!r}")
        position = round(float(position), _DIGITS)
        if not 0 < position < 1:
            raise NotationError(f"a port's position lies between 0 and 1, not at {position!r}")
        return cls(side, position)

    @property
    def facing(self) -> Port:
        """The port of the neighbouring card that touches this one."""
        return Port(OPPOSITE[self.side], round(1 - self.position, _DIGITS))

    def turned(self, quarters: int) -> Port:
        """The same port after turning the card clockwise by quarter turns."""
        return Port(SIDES[(SIDES.index(self.side) + quarters) % 4], self.position)

    def point(self, width: float, height: float) -> tuple[float, float]:
        """Where the port lies on a card of this size, from its top left corner."""
        p, q = self.position, 1 - self.position
        places = {"N": (p * width, 0.0), "E": (width, p * height), "S": (q * width, height), "W": (0.0, q * height)}
        return places[self.side]

    @property
    def label(self) -> Any:
        """The port in the label format: `"N"`, or `["N", 0.33]` away from the middle."""
        return self.side if self.position == 0.5 else [self.side, self.position]

    def __str__(self) -> str:
        if self.position == 0.5:
            return self.side
        return f"{self.side}.{round(self.position * 10**_DIGITS):0{_DIGITS}d}".rstrip("0")


Line = tuple[Port, Port]


def _order(port: Port) -> tuple[int, float]:
    return SIDES.index(port.side), port.position


def _line(data: Any) -> Line:
    if not isinstance(data, list | tuple) or len(data) != 2:
        raise NotationError(f"a line joins two ports, not {data!r}")
    a, b = sorted((Port.of(end) for end in data), key=_order)
    return a, b


@dataclass(frozen=True)
class Face:
    """One side of a card as it lies: its green line and its pink line, four different ports in all.

    Because no two lines of a face share a port, a walk along lines and facing ports never forks.
    """

    green: Line
    pink: Line
    ends: Mapping[Port, tuple[str, Port]] = field(init=False, repr=False, compare=False)
    #: For each port: the step to the cell it opens to, and the port that faces it there.
    doors: Mapping[Port, tuple[Cell, Port]] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "green", _line(self.green))
        object.__setattr__(self, "pink", _line(self.pink))
        ends: dict[Port, tuple[str, Port]] = {}
        for color in COLORS:
            a, b = self.line(color)
            ends[a], ends[b] = (color, b), (color, a)
        if len(ends) != 4:
            raise NotationError(f"the two lines of a face join four different ports: {self}")
        object.__setattr__(self, "ends", ends)
        object.__setattr__(self, "doors", {port: (STEP[port.side], port.facing) for port in ends})
        object.__setattr__(self, "_hash", hash((self.green, self.pink)))

    def __hash__(self) -> int:
        return self._hash  # faces are looked up far more often than made

    def line(self, color: str) -> Line:
        """The line of that colour."""
        return self.green if color == "green" else self.pink

    def turned(self, quarters: int) -> Face:
        """The face after turning the card clockwise by quarter turns."""
        (a, b), (c, d) = self.green, self.pink
        return Face((a.turned(quarters), b.turned(quarters)), (c.turned(quarters), d.turned(quarters)))

    @property
    def lines(self) -> list[Json]:
        """The face in the label format of the datasets."""
        return [{"color": color, "ports": [port.label for port in self.line(color)]} for color in COLORS]

    @classmethod
    def from_lines(cls, data: Any) -> Face:
        """The face of the label format: a list of one green and one pink line."""
        if not isinstance(data, list | tuple) or len(data) != 2:
            raise NotationError("a face is a list of two lines")
        found = {require(line, "color", str): require(line, "ports", (list, tuple)) for line in data}
        if set(found) != set(COLORS):
            raise NotationError(f"a face has one green and one pink line, not {sorted(found)}")
        return cls(found["green"], found["pink"])

    @classmethod
    def of(cls, data: Any) -> Face:
        """A face from itself, its text, its lines or `{"green": [...], "pink": [...]}`."""
        if isinstance(data, Face):
            return data
        if isinstance(data, str):
            return cls.parse(data)
        if isinstance(data, Mapping):
            no_extra(data, COLORS, "a face")
            return cls(require(data, "green", (list, tuple)), require(data, "pink", (list, tuple)))
        return cls.from_lines(data)

    @classmethod
    def parse(cls, text: str) -> Face:
        """A face from text such as `NS/EW`: the green line's ports, then the pink line's (`N.25` is off the middle)."""
        halves = text.split("/") if isinstance(text, str) else []
        if len(halves) != 2:
            raise NotationError(f"a face reads like NS/EW (green/pink), not {text!r}")
        lines = []
        for half in halves:
            ports = [(side, float(f"0.{digits}") if digits else 0.5) for side, digits in _PORT.findall(half)]
            if _PORT.sub("", half) or len(ports) != 2:
                raise NotationError(f"a line reads like NS or N.25S.75, not {half!r}")
            lines.append(ports)
        return cls(_line(lines[0]), _line(lines[1]))

    def __str__(self) -> str:
        return "/".join("".join(map(str, self.line(color))) for color in COLORS)


@dataclass(frozen=True)
class Kind:
    """One design of the deck: its two faces, upright, and how many such cards the deck has."""

    id: str
    front: Face
    back: Face
    count: int = 1

    @property
    def faces(self) -> tuple[Face, Face]:
        """Front and back."""
        return self.front, self.back


@dataclass(frozen=True)
class Deck:
    """A set of circuit cards: their size in mm, the ports that sides may have, and the designs with their counts."""

    name: str
    width: float
    height: float
    ports: tuple[Port, ...]
    kinds: tuple[Kind, ...]

    def __post_init__(self) -> None:
        for number in (self.width, self.height):
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 10_000:
                raise RulesError(f"a card measures a positive number of millimetres, not {number!r}")
        if not self.kinds or len(self.kinds) > _MOST_KINDS:
            raise RulesError(f"a deck has 1 to {_MOST_KINDS} designs, not {len(self.kinds)}")
        if len({kind.id for kind in self.kinds}) != len(self.kinds):
            raise RulesError("two designs of the deck have the same id")
        for side in SIDES:
            if sum(port.side == side for port in self.ports) > _MOST_PORTS:
                raise RulesError(f"side {side} has more than {_MOST_PORTS} ports")
        known = set(self.ports)
        if len(known) != len(self.ports):
            raise RulesError("the deck names a port twice")
        for kind in self.kinds:
            if isinstance(kind.count, bool) or not isinstance(kind.count, int) or not 1 <= kind.count <= _MOST_CARDS:
                raise RulesError(f"card {kind.id!r}: a count is a whole number from 1, not {kind.count!r}")
            for face in kind.faces:
                if not set(face.ends) <= known:
                    raise RulesError(f"card {kind.id!r} uses a port that the deck does not have: {face}")

    @property
    def aspect(self) -> float:
        """Width over height; below 1 is portrait."""
        return self.width / self.height

    @property
    def rotations(self) -> tuple[int, ...]:
        """The quarter turns that keep a card aligned with the others: all four only for square cards."""
        return (0, 1, 2, 3) if self.width == self.height else (0, 2)

    @cached_property
    def total(self) -> int:
        """How many cards the deck has."""
        return sum(kind.count for kind in self.kinds)

    @cached_property
    def supply(self) -> tuple[int, ...]:
        """How many cards of each design, in the order of `kinds`."""
        return tuple(kind.count for kind in self.kinds)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """From a design's id to its place in `kinds`."""
        return {kind.id: i for i, kind in enumerate(self.kinds)}

    @cached_property
    def shows(self) -> Mapping[Face, int]:
        """Every face as it may lie on the table, with the designs that can show it as a set of bits."""
        result: dict[Face, int] = {}
        for i, kind in enumerate(self.kinds):
            for face in kind.faces:
                for quarters in self.rotations:
                    turned = face.turned(quarters)
                    result[turned] = result.get(turned, 0) | 1 << i
        return dict(sorted(result.items(), key=lambda item: str(item[0])))

    def copies(self) -> Iterator[Kind]:
        """Every single card of the deck, for dealing and printing."""
        for kind in self.kinds:
            for _ in range(kind.count):
                yield kind

    def to_json(self) -> Json:
        """Plain JSON in the format of `rules/data/tronix_deck.json`."""
        return {
            "name": self.name,
            "size_mm": [self.width, self.height],
            "ports": {side: [p.position for p in self.ports if p.side == side] for side in SIDES},
            "cards": [
                {
                    "id": kind.id,
                    "count": kind.count,
                    "front": {color: [p.label for p in kind.front.line(color)] for color in COLORS},
                    "back": {color: [p.label for p in kind.back.line(color)] for color in COLORS},
                }
                for kind in self.kinds
            ],
        }

    @classmethod
    def from_json(cls, data: Any) -> Deck:
        """The deck that `to_json` gave, or its text; `RulesError` says what is wrong with it."""
        if isinstance(data, str | bytes):
            data = parse_json(data)
        name = require(data, "name", str)
        no_extra(data, ("name", "size_mm", "ports", "cards"), "a deck")
        size = require(data, "size_mm", list)
        if len(size) != 2:
            raise NotationError("'size_mm' is width and height")
        sides = require(data, "ports", dict)
        no_extra(sides, tuple(SIDES), "'ports'")
        ports = [Port.of((side, p)) for side in SIDES for p in require(sides, side, list, [])]
        kinds = []
        for card in require(data, "cards", list):
            front, back = Face.of(require(card, "front", (dict, str))), Face.of(require(card, "back", (dict, str)))
            no_extra(card, ("id", "count", "front", "back"), "a card")
            kinds.append(Kind(require(card, "id", str), front, back, require(card, "count", int, 1)))
        return cls(name, size[0], size[1], tuple(ports), tuple(kinds))

    @classmethod
    def default(cls) -> Deck:
        """Tapete's own printable deck: 48 portrait cards, one port in the middle of each side."""
        return _default()


@lru_cache(maxsize=1)
def _default() -> Deck:
    from importlib.resources import files  # here, because it takes longer to import than all of the rules

    return Deck.from_json((files("rules") / "data" / "tronix_deck.json").read_text(encoding="utf-8"))


def even_deal(total: int, players: int) -> tuple[int, ...]:
    """Hand sizes when `total` cards are dealt round the table from the first seat: as even as it goes."""
    return tuple(total // players + (seat < total % players) for seat in range(players))
