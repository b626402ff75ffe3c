"""What every referee says: a table is explained as a move, as something illegal, as a question, or as an order to wait.

A referee is a pure function of the game so far and the stable table: it keeps nothing between two looks, so that a
restarted program judges as the running one would have.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from rules.game import Game, Violation
from vision.state import Piece, Point, TableState

AnyGame = Game[Any, Any]
Json = dict[str, Any]
Words = tuple[str, str]  # Spanish, English


@dataclass(frozen=True, slots=True)
class Seen:
    """A legal move that the table shows, and the pieces that show it. `replaces`: it stands for the last one, too."""

    move: str
    pieces: tuple[Piece, ...] = ()
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Nearest:
    """What the player could have done instead, as near as possible to what was done."""

    move: str
    words: Words
    corners: tuple[Point, ...] | None = None


@dataclass(frozen=True, slots=True)
class Illegal:
    """Something on the table that the rules forbid. `key` names it over several looks, so that it is said once."""

    key: str
    violations: tuple[Violation, ...]
    pieces: tuple[Piece, ...] = ()
    move: str | None = None
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to a question: it fixes the reading of a piece (`label`), is a whole move, or is something said."""

    words: Words
    label: str | None = None
    probability: float | None = None
    move: str | None = None
    call: Json | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What the eyes or the rules cannot know. `key` names it over several looks."""

    key: str
    kind: str
    words: Words
    options: tuple[Option, ...]
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """What the players must do before the game can go on."""

    code: str
    words: Words
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """How a piece is shown: `accepted`, `seen`, `unsure` or `illegal`."""

    piece: Piece
    status: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that a referee says of one table.

    `call` is something that the table itself has said and that must be remembered until the next move (that it was
    seen empty, for instance); it goes into the log.
    """

    move: Seen | None = None
    call: Json | None = None
    illegal: tuple[Illegal, ...] = ()
    question: Question | None = None
    instruction: Instruction | None = None
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Control:
    """A button for what the camera cannot see: sent back as it is to `/declare`."""

    id: str
    group: str
    words: Words
    action: Json
    fields: tuple[Json, ...] = ()

    def to_json(self) -> Json:
        """As the API sends it."""
        es, en = self.words
        shown = {"id": self.id, "group": self.group, "es": es, "en": en}
        return {**shown, "action": self.action, "fields": list(self.fields)}


@dataclass(frozen=True, slots=True)
class Context:
    """What a referee needs besides the game and the table.

    `shown` are the pieces by which the last moves were seen, as the log keeps them, oldest first.
    """

    names: tuple[str, ...]
    ask_below: float = 0.6
    calls: tuple[Json, ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)
    shown: tuple[Json, ...] = ()

    def name(self, player: int) -> str:
        """A player's name."""
        return self.names[player] if 0 <= player < len(self.names) else f"#{player + 1}"

    def calls_of(self, call: str) -> list[Json]:
        """Everything said under that name since the last move."""
        return [entry for entry in self.calls if entry.get("call") == call]

    def called(self, call: str) -> Json | None:
        """The last thing said under that name since the last move."""
        return next((entry for entry in reversed(self.calls) if entry.get("call") == call), None)


class Referee(ABC):
    """One game's referee."""

    game: ClassVar[str]

    @abstractmethod
    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """Explain the difference between the accepted position and a stable table. Says one move at a time."""

    @abstractmethod
    def position(self, game: AnyGame) -> Json:
        """What the page shows of the position, in plain JSON."""

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """The buttons that make sense now."""
        return []

    def calls(self) -> frozenset[str]:
        """The calls that this referee listens to (see `Context.called`)."""
        return frozenset()

    def check_call(self, game: AnyGame, call: Json) -> None:
        """Raise `RulesError` for a call whose contents make no sense."""
        return None

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """A move in words; by default its notation."""
        who = "" if player is None else f"{context.name(player)}: "
        return f"{who}{text}", f"{who}{text}"

    def cause(self, cause: str) -> Words:
        """The cause of a score line in words."""
        return CAUSES.get(cause, (cause.replace("_", " "), cause.replace("_", " ")))


CAUSES: dict[str, Words] = {}


def size_of(piece: Piece) -> float:
    """A length in pixels that stands for the piece: the mean of its sides."""
    n = len(piece.corners)
    return sum(math.dist(piece.corners[i], piece.corners[(i + 1) % n]) for i in range(n)) / n


def same_pose(piece: Piece, corners: Sequence[Sequence[float]], within: float = 0.012) -> bool:
    """Whether a piece lies exactly where these corners say, to a fraction of its size, from whichever corner."""
    n = len(piece.corners)
    if len(corners) != n:
        return False
    turns = (sum(math.dist(piece.corners[i], corners[(i + k) % n]) for i in range(n)) / n for k in range(n))
    return min(turns) < within * size_of(piece)


def unsure(piece: Piece, context: Context) -> bool:
    """Whether the eyes are not sure enough of what this piece is to act on it, or know that it is of another deck."""
    return bool(piece.facts.get("unknown")) or (bool(piece.alternatives) and piece.confidence < context.ask_below)


CERTAIN = 0.97  # a card read this surely is not one that had to be asked about
THIRD = 0.12  # the least probability of a third reading that is worth offering


def which(piece: Piece, words: Mapping[str, Words] | None = None) -> Question:
    """The question which of its two best readings a piece is; a third one is offered where it is not far behind."""
    best = [(piece.label, piece.confidence), *piece.alternatives][:3]
    best = best[:2] + [entry for entry in best[2:] if entry[1] >= THIRD]
    options = tuple(Option((words or {}).get(label, (label, label)), label, p) for label, p in best)
    labels = sorted(label for label, _ in best)
    x, y = (round(v / max(size_of(piece) / 2, 1.0)) for v in piece.centre)
    es = "¿" + " o ".join(option.words[0] for option in options) + "?"
    en = " or ".join(option.words[1] for option in options) + "?"
    return Question(f"which:{','.join(labels)}@{x},{y}", "which", (es, en), options, piece)


def with_readings(table: TableState, readings: Sequence[Json]) -> TableState:
    """The table with the pieces that a person has named read as that person said.

    A reading holds for the piece near its place as long as the eyes see there something it could be confused with.
    """
    if not readings:
        return table
    pieces = []
    for piece in table.pieces:
        named = piece
        for reading in reversed(readings):
            near = math.dist(piece.centre, reading["at"]) < 0.4 * size_of(piece)
            if piece.kind == "card" and "corners" in reading:  # cards follow each other at one place: be exact
                near = same_pose(piece, reading["corners"], 0.02)
            if not near or reading["kind"] != piece.kind:
                continue
            if piece.kind == "card" and reading.get("confidence", 1.0) < CERTAIN <= piece.confidence:
                continue  # what was doubtful then is plain now: another card that lies exactly on the one asked about
            if piece.kind == "loom":  # a loom has many details, and each of them may have been asked for
                named = replace(named, facts=with_detail(named.facts, reading["label"]))
            elif piece.label in reading["instead_of"]:
                facts = {name: fact for name, fact in piece.facts.items() if name != "unknown"}
                named = replace(piece, label=reading["label"], confidence=1.0, alternatives=(), facts=facts)
                if piece.kind == "circuit_card":
                    named = replace(named, facts={**piece.facts, "lines": lines_of(reading["label"])})
                break
        pieces.append(named)
    return replace(table, pieces=tuple(pieces))


def lines_of(label: str) -> list[Json]:
    """The lines of a circuit card from its short name, `gNSpEW`; ports off the middle are written `N33`."""
    lines = []
    for letter, color in (("g", "green"), ("p", "pink")):
        found = re.search(letter + r"((?:[NESW]\d{0,2}){2})", label)
        ports = re.findall(r"([NESW])(\d{0,2})", found[1]) if found else []
        lines.append({"color": color, "ports": [[s, int(n) / 100] if n else s for s, n in ports]})
    return lines


def with_detail(facts: Mapping[str, Any], label: str) -> Json:
    """A loom's facts with one detail as a person said: `h2v5 h` (the top cord), `v3 rojo`, or `v3 -` (no cord)."""
    place, _, value = label.partition(" ")
    cords, crossings = list(facts.get("cords", ())), list(facts.get("crossings", ()))
    crossing = re.fullmatch(r"h(\d+)v(\d+)", place)
    if crossing:
        h, v = int(crossing[1]), int(crossing[2])
        named = {"h": h, "v": v, "top": value, "confidence": 1.0}
        crossings = [named if (c["h"], c["v"]) == (h, v) else c for c in crossings]
    else:
        axis, lane = place[:1], int(place[1:] or 0)
        others = [c for c in cords if (c["axis"], c["lane"]) != (axis, lane)]
        found = len(others) < len(cords)
        if value == "-":
            cords = others
            crossings = [c for c in crossings if c[axis] != lane]
            perhaps = facts.get("perhaps", {})
            hints = [c for c in perhaps.get("cords", ()) if (c["axis"], c["lane"]) != (axis, lane)]
            facts = {**facts, "perhaps": {**perhaps, "cords": hints}} if perhaps else facts
        elif found or place in hinted(facts):
            cords = [*others, {"axis": axis, "lane": lane, "color": value, "confidence": 1.0}]
            there = {(c["axis"], c["lane"]) for c in cords}
            new = [c for c in facts.get("perhaps", {}).get("crossings", ()) if c[axis] == lane and not found]
            crossings += [c for c in new if {("h", c["h"]), ("v", c["v"])} <= there]
        if value != "-":
            facts = {**facts, "named": [*facts.get("named", ()), place]}
    return {**facts, "cords": cords, "crossings": crossings}


def hinted(facts: Mapping[str, Any]) -> set[str]:
    """The lanes of a loom (`v3`) that may hold a cord which the eyes can hardly tell from the board."""
    return {f"{cord['axis']}{cord['lane']}" for cord in facts.get("perhaps", {}).get("cords", ())}


def nearest_piece(pieces: Sequence[Piece], at: Point) -> Piece | None:
    """The piece under a point, or the nearest one within its own size."""
    best = min(pieces, key=lambda piece: math.dist(piece.centre, at), default=None)
    return best if best is not None and math.dist(best.centre, at) < size_of(best) else None
