"""A loom: cords in lanes, crossings with one cord on top, and what can be wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, Violation, require
from rules.trama.rulebook import Rules, color_name
from rules.trama.words import violation

AXES = ("v", "h")
MAX_LANE = 999

_CORD = re.compile(r"([vh])(\d{1,3})(?:>(\d{1,3}))?=(.+)", re.ASCII)
_CROSSING = re.compile(r"h(\d{1,3})v(\d{1,3})=([vh])", re.ASCII)


def _lane(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_LANE:
        raise NotationError(f"a lane is a whole number from 0, not {str(value)[:40]!r}")
    return value


@dataclass(frozen=True, slots=True, order=True)
class Cord:
    """A cord in a lane of an axis (`v` lanes count from the left, `h` lanes from the top).

    `to` is the lane where it ends; another one than `lane` means a diagonal, which can be seen but is never legal.
    """

    axis: str
    lane: int
    color: str
    to: int = -1

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise NotationError(f"an axis is 'v' or 'h', not {str(self.axis)[:40]!r}")
        _lane(self.lane)
        color_name(self.color)
        if self.to == -1 and type(self.to) is int:
            object.__setattr__(self, "to", self.lane)
        _lane(self.to)

    @property
    def place(self) -> tuple[str, int]:
        """Axis and lane."""
        return (self.axis, self.lane)

    @property
    def diagonal(self) -> bool:
        """Whether it ends in another lane than it starts in."""
        return self.to != self.lane

    def __str__(self) -> str:
        return f"{self.axis}{self.lane}{f'>{self.to}' if self.diagonal else ''}={self.color}"

    @classmethod
    def parse(cls, text: str) -> Cord:
        """The cord that `str` printed, such as `v3=rojo`."""
        match = _CORD.fullmatch(text)
        if match is None:
            raise NotationError(f"{text[:40]!r} is not a cord; say 'v3=rojo'")
        return cls(match[1], int(match[2]), match[4], int(match[3]) if match[3] else -1)

    def to_json(self) -> Json:
        """As in the label format."""
        cord: Json = {"axis": self.axis, "lane": self.lane, "color": self.color}
        return {**cord, "to": self.to} if self.diagonal else cord

    @classmethod
    def from_json(cls, data: Any) -> Cord:
        """A cord of the label format; keys beyond it (confidence and the like) are left alone."""
        axis, color = require(data, "axis", str), require(data, "color", str)
        lane = require(data, "lane", int)
        return cls(axis, lane, color, require(data, "to", int, -1))


@dataclass(frozen=True, slots=True, order=True)
class Crossing:
    """Where horizontal lane `h` meets vertical lane `v`, and which of the two is on `top`."""

    h: int
    v: int
    top: str

    def __post_init__(self) -> None:
        _lane(self.h)
        _lane(self.v)
        if self.top not in AXES:
            raise NotationError(f"the cord on top is 'v' or 'h', not {str(self.top)[:40]!r}")

    @property
    def place(self) -> tuple[int, int]:
        """Both lanes, the horizontal first."""
        return (self.h, self.v)

    def __str__(self) -> str:
        return f"h{self.h}v{self.v}={self.top}"

    @classmethod
    def parse(cls, text: str) -> Crossing:
        """The crossing that `str` printed, such as `h2v5=h`."""
        match = _CROSSING.fullmatch(text)
        if match is None:
            raise NotationError(f"{text[:40]!r} is not a crossing; say 'h2v5=h'")
        return cls(int(match[1]), int(match[2]), match[3])

    def to_json(self) -> Json:
        """As in the label format."""
        return {"h": self.h, "v": self.v, "top": self.top}

    @classmethod
    def from_json(cls, data: Any) -> Crossing:
        """A crossing of the label format; further keys are left alone."""
        return cls(require(data, "h", int), require(data, "v", int), require(data, "top", str))


@dataclass(frozen=True, slots=True)
class Loom:
    """Cords and crossings as they are seen, sorted; nothing is taken for legal until `violations` says so."""

    lanes: int = 8
    cords: tuple[Cord, ...] = ()
    crossings: tuple[Crossing, ...] = ()

    def __post_init__(self) -> None:
        if type(self.lanes) is not int or not 1 <= self.lanes <= 64:
            raise NotationError("'lanes' must be a whole number from 1 to 64")
        object.__setattr__(self, "cords", tuple(sorted(of_kind(self.cords, Cord))))
        object.__setattr__(self, "crossings", tuple(sorted(set(of_kind(self.crossings, Crossing)))))

    @property
    def by_place(self) -> dict[tuple[str, int], Cord]:
        """The cords that count, by axis and lane: straight, on the loom, and alone or first in their lane."""
        found: dict[tuple[str, int], Cord] = {}
        for cord in self.cords:
            if not cord.diagonal and cord.lane < self.lanes:
                found.setdefault(cord.place, cord)
        return found

    @property
    def tops(self) -> dict[tuple[int, int], str]:
        """Which axis is on top at (h, v); crossings that are named both ways are left out."""
        named = [crossing.place for crossing in self.crossings]
        return {crossing.place: crossing.top for crossing in self.crossings if named.count(crossing.place) == 1}

    def with_more(self, cords: Iterable[Cord], crossings: Iterable[Crossing]) -> Loom:
        """The loom with further cords and crossings."""
        return Loom(self.lanes, (*self.cords, *cords), (*self.crossings, *crossings))

    def violations(self, rules: Rules, where: Mapping[str, Any] | None = None) -> list[Violation]:
        """Everything illegal about this loom by itself. `where` is put in front of every place that is named."""
        base = dict(where or {})
        found: list[Violation] = []
        if self.lanes != rules.lanes:
            found.append(violation("wrong_lanes", base, count=self.lanes, lanes=rules.lanes))
        taken: set[tuple[str, int]] = set()
        for cord in self.cords:
            at = {**base, "axis": cord.axis, "lane": cord.lane, "color": cord.color}
            if cord.diagonal:
                found.append(violation("diagonal", {**at, "to": cord.to}, cord=cord, lane=cord.lane, to=cord.to))
            for lane in sorted({cord.lane, cord.to}):
                if lane >= self.lanes:
                    found.append(violation("lane_off_loom", at, lane=f"{cord.axis}{lane}", lanes=self.lanes))
            if cord.color not in rules.names:
                found.append(violation("unknown_color", at, color=cord.color))
            if cord.place in taken:
                found.append(violation("lane_occupied", at, lane=f"{cord.axis}{cord.lane}"))
            taken.add(cord.place)
        return found + self._crossing_violations(base)

    def _crossing_violations(self, base: Json) -> list[Violation]:
        cords = self.by_place
        due = {(h, v) for axis, h in cords if axis == "h" for other, v in cords if other == "v"}
        named = [crossing.place for crossing in self.crossings]
        found = []
        for h, v in sorted(due - set(named)):
            found.append(violation("crossing_missing", {**base, "h": h, "v": v}, crossing=f"h{h}v{v}"))
        for h, v in sorted(set(named)):
            at = {**base, "h": h, "v": v}
            if (h, v) not in due:
                found.append(violation("crossing_without_cords", at, crossing=f"h{h}v{v}"))
            if named.count((h, v)) > 1:
                found.append(violation("crossing_contradiction", at, crossing=f"h{h}v{v}"))
        return found

    def to_json(self) -> Json:
        """The loom in the label format (without its corners)."""
        return {
            "kind": "loom",
            "lanes": self.lanes,
            "cords": [cord.to_json() for cord in self.cords],
            "crossings": [crossing.to_json() for crossing in self.crossings],
        }

    @classmethod
    def from_json(cls, data: Any) -> Loom:
        """A loom of the label format; corners, confidence and other facts about the picture are left alone."""
        kind = require(data, "kind", str, "loom")
        if kind != "loom":
            raise NotationError(f"expected a loom, not a {kind[:40]!r}")
        lanes = require(data, "lanes", int, 8)
        cords = require(data, "cords", (list, tuple))
        crossings = require(data, "crossings", (list, tuple), ())
        return cls(lanes, tuple(map(Cord.from_json, cords)), tuple(map(Crossing.from_json, crossings)))


def of_kind(values: Any, kind: type) -> list[Any]:
    """The values as a list, each checked to be of `kind`."""
    if not isinstance(values, list | tuple | set | frozenset):
        raise NotationError(f"expected a list of {kind.__name__}s, not {type(values).__name__}")
    for value in values:
        if not isinstance(value, kind):
            raise NotationError(f"expected a {kind.__name__}, not {type(value).__name__}")
    return list(values)


def changes(before: Loom, now: Loom, where: Mapping[str, Any] | None = None) -> tuple[list[Violation], set[Cord]]:
    """What happened to cords that were woven before: removed, moved, recoloured, or a crossing flipped.

    A cord is taken as moved if it is gone and a newcomer has its colour. The second value is the cords of `now` that
    these changes explain, so that nobody counts them as new.
    """
    base = dict(where or {})
    found: list[Violation] = []
    old, new = before.by_place, now.by_place
    gone = [cord for place, cord in old.items() if place not in new]
    newcomers = [cord for place, cord in new.items() if place not in old]
    explained: set[Cord] = set()
    for cord in old.values():
        seen = new.get(cord.place)
        if seen is not None and cord not in now.cords:
            explained.add(seen)
            at = {**base, "axis": cord.axis, "lane": cord.lane, "color": seen.color}
            found.append(violation("cord_recolored", at, cord=cord, color=seen.color))
    for cord in gone:
        at = {**base, "axis": cord.axis, "lane": cord.lane, "color": cord.color}
        moved = _moved(cord, newcomers)
        if moved is None:
            found.append(violation("cord_removed", at, cord=cord))
        else:
            newcomers.remove(moved)
            explained.add(moved)
            found.append(violation("cord_moved", {**at, "to": moved.lane}, cord=cord, to=f"{moved.axis}{moved.lane}"))
    tops = now.tops
    for (h, v), top in before.tops.items():
        if tops.get((h, v), top) != top:
            found.append(violation("crossing_flipped", {**base, "h": h, "v": v}, crossing=f"h{h}v{v}", top=top))
    return found, explained


def _moved(cord: Cord, newcomers: list[Cord]) -> Cord | None:
    """Where a missing cord went: the nearest newcomer of its colour, the same axis before the other."""
    alike = [other for other in newcomers if other.color == cord.color]
    return min(alike, key=lambda o: (o.axis != cord.axis, abs(o.lane - cord.lane), o.lane), default=None)
