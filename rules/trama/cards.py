"""Trama's cards: adjacent and interlaced patterns, shared objectives, and sets of them as data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from rules.game import Json, NotationError, no_extra, parse_json, require
from rules.trama.rulebook import color_name

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", re.ASCII)
SIDES = ("over", "under")


def _named(id: Any, name: Any) -> None:
    if not isinstance(id, str) or _ID.fullmatch(id) is None:
        raise NotationError(f"a card's id is a word of letters, digits, '-' and '_', not {str(id)[:40]!r}")
    if not isinstance(name, str) or len(name) > 80:
        raise NotationError(f"the name of card {id!r} must be a short text")


@dataclass(frozen=True, slots=True)
class Adjacent:
    """For every cord of colour `a`, a point per cord of colour `b` in a neighbouring lane of the same axis."""

    id: str
    a: str
    b: str
    name: str = ""

    def __post_init__(self) -> None:
        _named(self.id, self.name)
        color_name(self.a)
        color_name(self.b)

    @property
    def shape(self) -> str:
        """The button that goes on it."""
        return "round"

    def to_json(self) -> Json:
        """As in a file of cards."""
        return {"kind": "adjacent", "id": self.id, "name": self.name, "a": self.a, "b": self.b}


@dataclass(frozen=True, slots=True)
class Interlaced:
    """A cord of colour `a` that crosses two cords of colour `b`, going `over` or `under` each as `passes` says."""

    id: str
    a: str
    b: str
    passes: tuple[str, str]
    name: str = ""

    def __post_init__(self) -> None:
        _named(self.id, self.name)
        color_name(self.a)
        color_name(self.b)
        passes = self.passes
        if not isinstance(passes, list | tuple) or len(passes) != 2 or any(p not in SIDES for p in passes):
            raise NotationError(f"'passes' of card {self.id!r} must be two of 'over' and 'under'")
        object.__setattr__(self, "passes", tuple(passes))

    @property
    def shape(self) -> str:
        """The button that goes on it."""
        return "square"

    def to_json(self) -> Json:
        """As in a file of cards."""
        passes = list(self.passes)
        return {"kind": "interlaced", "id": self.id, "name": self.name, "a": self.a, "b": self.b, "passes": passes}


Pattern = Adjacent | Interlaced


@dataclass(frozen=True, slots=True)
class Objective:
    """Two patterns; a loom that has both at least once earns the objective."""

    id: str
    patterns: tuple[Pattern, Pattern]
    name: str = ""

    def __post_init__(self) -> None:
        _named(self.id, self.name)
        patterns = self.patterns
        if not isinstance(patterns, list | tuple) or len(patterns) != 2:
            raise NotationError(f"objective {self.id!r} needs two patterns")
        if not all(isinstance(pattern, Adjacent | Interlaced) for pattern in patterns):
            raise NotationError(f"the patterns of objective {self.id!r} must be adjacent or interlaced")
        object.__setattr__(self, "patterns", tuple(patterns))

    def to_json(self) -> Json:
        """As in a file of cards."""
        patterns = [pattern.to_json() for pattern in self.patterns]
        return {"kind": "objective", "id": self.id, "name": self.name, "patterns": patterns}


def parse_pattern(data: Any, fallback_id: str | None = None) -> Pattern:
    """A pattern from its JSON; inside an objective the id may be left out."""
    if isinstance(data, Adjacent | Interlaced):
        return data
    kind = require(data, "kind", str)
    id = require(data, "id", str, ... if fallback_id is None else fallback_id)
    name = require(data, "name", str, "")
    a, b = require(data, "a", str), require(data, "b", str)
    if kind == "adjacent":
        no_extra(data, ("kind", "id", "name", "a", "b"), "an adjacent card")
        return Adjacent(id, a, b, name)
    if kind == "interlaced":
        no_extra(data, ("kind", "id", "name", "a", "b", "passes"), "an interlaced card")
        return Interlaced(id, a, b, require(data, "passes", (list, tuple)), name)
    raise NotationError(f"a pattern is 'adjacent' or 'interlaced', not {kind[:40]!r}")


def parse_objective(data: Any) -> Objective:
    """An objective from its JSON."""
    if isinstance(data, Objective):
        return data
    id = require(data, "id", str)
    if require(data, "kind", str, "objective") != "objective":
        raise NotationError("expected an objective card")
    no_extra(data, ("kind", "id", "name", "patterns"), "an objective card")
    entries = require(data, "patterns", (list, tuple))
    patterns = tuple(parse_pattern(entry, f"{id[:30]}-{number}") for number, entry in enumerate(entries, start=1))
    return Objective(id, patterns, require(data, "name", str, ""))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class CardSet:
    """All cards in a box."""

    adjacent: tuple[Adjacent, ...]
    interlaced: tuple[Interlaced, ...]
    objectives: tuple[Objective, ...]

    def __post_init__(self) -> None:
        ids = [*(card.id for card in self.patterns), *(card.id for card in self.objectives)]
        twice = sorted({id for id in ids if ids.count(id) > 1})
        if twice:
            raise NotationError(f"card ids appear twice: {', '.join(twice)}")

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The adjacent cards, then the interlaced ones."""
        return (*self.adjacent, *self.interlaced)

    def pattern(self, id: Any) -> Pattern:
        """The adjacent or interlaced card of that id."""
        for card in self.patterns:
            if card.id == id:
                return card
        raise NotationError(f"there is no pattern card {str(id)[:40]!r}")

    def objective(self, id: Any) -> Objective:
        """The objective of that id."""
        for card in self.objectives:
            if card.id == id:
                return card
        raise NotationError(f"there is no objective card {str(id)[:40]!r}")

    def to_json(self) -> Json:
        """As in a file of cards."""
        return {
            "adjacent": [card.to_json() for card in self.adjacent],
            "interlaced": [card.to_json() for card in self.interlaced],
            "objectives": [card.to_json() for card in self.objectives],
        }

    @classmethod
    def from_json(cls, data: Any) -> CardSet:
        """A player's own cards, from JSON or its text; `kind` may be left out in the two lists of patterns."""
        if isinstance(data, str | bytes):
            data = parse_json(data)
        groups = {key: require(data, key, (list, tuple)) for key in ("adjacent", "interlaced", "objectives")}
        no_extra(data, (*groups, "title"), "a set of Trama cards")
        require(data, "title", str, "")
        adjacent = tuple(parse_pattern(_of_kind(entry, "adjacent")) for entry in groups["adjacent"])
        interlaced = tuple(parse_pattern(_of_kind(entry, "interlaced")) for entry in groups["interlaced"])
        objectives = tuple(parse_objective(entry) for entry in groups["objectives"])
        return cls(adjacent, interlaced, objectives)  # type: ignore[arg-type]


def _of_kind(entry: Any, kind: str) -> Json:
    if require(entry, "kind", str, kind) != kind:
        raise NotationError(f"among the {kind} cards there is one of kind {str(entry['kind'])[:40]!r}")
    return {**entry, "kind": kind}


@cache
def default_cards() -> CardSet:
    """The set that comes with the program: ten cards of each kind."""
    # Imported late: it would double the time that the engines take to load.
    from importlib import resources

    return CardSet.from_json(resources.files("rules").joinpath("data/trama_cards.json").read_text("utf-8"))
