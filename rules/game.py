"""What the five engines share: the shape of a game, its moves, its violations and its score.

The model is python-chess: a `Game` is a stack of immutable positions. An engine supplies four pure functions of a
position (`_violations`, `_after`, `_candidates`, `_lines`) and the notation of its moves; `push`, `pop`, the lazy
`legal_moves`, whole-game notation and JSON come from here, so that they cannot differ between games.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar

Json = dict[str, Any]


class RulesError(ValueError):
    """Anything wrong with what was given to an engine: the message says what and where."""


class NotationError(RulesError):
    """Text or JSON that does not say a move, a piece or a game."""


class IllegalMove(RulesError):
    """A move that the rules forbid, with everything that is wrong with it."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations: tuple[Violation, ...] = tuple(violations)
        super().__init__("; ".join(v.en for v in self.violations))


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing wrong with a move or a position: a stable code, a sentence in each language, and the place."""

    code: str
    es: str
    en: str
    where: Mapping[str, Any] = field(default_factory=dict)

    def message(self, language: str = "en") -> str:
        """The sentence in `es` or `en`."""
        return self.es if language == "es" else self.en

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {"code": self.code, "es": self.es, "en": self.en, "where": dict(self.where)}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """Points and why they were given. `ply` is the index of the move that earned them, if a move did."""

    player: int
    cause: str
    points: int
    ply: int | None = None

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {"player": self.player, "cause": self.cause, "points": self.points, "ply": self.ply}


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """One player's (or team's) total and the lines it is the sum of."""

    player: int
    total: int
    lines: tuple[ScoreLine, ...]

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {"player": self.player, "total": self.total, "lines": [line.to_json() for line in self.lines]}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winners (several where a victory is shared), the totals and the reason's code."""

    winners: tuple[int, ...]
    totals: tuple[int, ...]
    reason: str

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {"winners": list(self.winners), "totals": list(self.totals), "reason": self.reason}


M = TypeVar("M")
S = TypeVar("S")


class LegalMoves(Generic[M]):
    """The legal moves of a position, generated only as far as they are asked for."""

    def __init__(self, game: Game[Any, M]) -> None:
        self._game = game

    def __iter__(self) -> Iterator[M]:
        yield from self._game._candidates(self._game.state)

    def __contains__(self, move: object) -> bool:
        try:
            return not self._game.check(move)  # type: ignore[arg-type]
        except RulesError:
            return False

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def count(self) -> int:
        """How many there are; generates all of them."""
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<LegalMoves of {self._game.name}>"


class Game(ABC, Generic[S, M]):
    """A game in progress: a stack of positions (`S`, immutable) and the moves (`M`, immutable) between them.

    Subclasses set `name`, build the first position in `__init__` and hand it to `super().__init__`.
    """

    name: ClassVar[str]

    def __init__(self, start: S) -> None:
        self._states: list[S] = [start]
        self._moves: list[M] = []

    # -- what an engine supplies ------------------------------------------------------------------------------

    @abstractmethod
    def _violations(self, state: S, move: M) -> list[Violation]:
        """Everything wrong with `move` in `state`; empty means legal. `RulesError` for what is no move at all."""

    @abstractmethod
    def _after(self, state: S, move: M) -> S:
        """The position after a legal move."""

    @abstractmethod
    def _candidates(self, state: S) -> Iterator[M]:
        """Every legal move of `state`, each once, in a fixed order; lazily."""

    @abstractmethod
    def _lines(self, state: S) -> Sequence[ScoreLine]:
        """All score lines so far, in the order they were earned."""

    @abstractmethod
    def _outcome(self, state: S) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @property
    @abstractmethod
    def players(self) -> int:
        """How many scores there are: players, or teams where teams score."""

    @property
    @abstractmethod
    def turn(self) -> int | None:
        """Whose move it is (a player's index), or None where all play at once or the game is over."""

    @abstractmethod
    def format_move(self, move: M) -> str:
        """The move as compact text without spaces at the ends or line breaks inside."""

    @abstractmethod
    def parse_move(self, text: str) -> M:
        """The move that `format_move` printed; `NotationError` for anything else."""

    @abstractmethod
    def setup_json(self) -> Json:
        """Everything needed to start this game again: players, rules, deck, supplied hands. Plain JSON."""

    @classmethod
    @abstractmethod
    def from_setup(cls, setup: Json) -> Self:
        """A fresh game from what `setup_json` gave."""

    @abstractmethod
    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The position as an SVG string. With `names` it is for the people at the table: no seat is numbered then."""

    # -- what every engine gets -------------------------------------------------------------------------------

    @property
    def state(self) -> S:
        """The present position."""
        return self._states[-1]

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves played so far."""
        return tuple(self._moves)

    @property
    def legal_moves(self) -> LegalMoves[M]:
        """The legal moves, lazily: iterate, test with `in`, or `count()`."""
        return LegalMoves(self)

    def check(self, move: M) -> list[Violation]:
        """Everything wrong with `move` now; an empty list means that it is legal."""
        return self._violations(self.state, move)

    def push(self, move: M) -> None:
        """Play a move; raises `IllegalMove` with everything that is wrong and changes nothing in that case."""
        violations = self.check(move)
        if violations:
            raise IllegalMove(violations)
        after = self._after(self.state, move)
        self._states.append(after)
        self._moves.append(move)

    def pop(self) -> M:
        """Take the last move back and return it."""
        if not self._moves:
            raise RulesError("there is no move to take back")
        self._states.pop()
        return self._moves.pop()

    def peek(self) -> M:
        """The last move."""
        if not self._moves:
            raise RulesError("no move has been played")
        return self._moves[-1]

    def score(self) -> tuple[PlayerScore, ...]:
        """Per player the total and its lines by cause; the total is always the sum of its lines."""
        lines = self._lines(self.state)
        result = []
        for player in range(self.players):
            own = tuple(line for line in lines if line.player == player)
            result.append(PlayerScore(player, sum(line.points for line in own), own))
        return tuple(result)

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self._outcome(self.state)

    def format_game(self) -> str:
        """The whole game as text: the set-up as one line of JSON, then one move a line."""
        head = json.dumps({"game": self.name, **self.setup_json()}, ensure_ascii=False, sort_keys=True)
        return "\n".join([head, *(self.format_move(move) for move in self._moves)]) + "\n"

    @classmethod
    def parse_game(cls, text: str) -> Self:
        """The game that `format_game` printed, replayed move by move (so an illegal one is found)."""
        if not isinstance(text, str):
            raise NotationError(f"a game is text, not {type(text).__name__}")
        head, *rest = text.split("\n")
        game = cls.from_setup(parse_json(head))
        for number, line in enumerate(rest, start=1):
            if line.strip():
                try:
                    game.push(game.parse_move(line.strip()))
                except IllegalMove:
                    raise
                except RulesError as error:
                    raise NotationError(f"move {number} ({line.strip()!r}): {error}") from error
        return game

    def to_json(self) -> Json:
        """The whole game as plain JSON: set-up and moves in notation."""
        return {"game": self.name, "setup": self.setup_json(), "moves": [self.format_move(m) for m in self._moves]}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The game that `to_json` gave, replayed; also takes the JSON as text."""
        if isinstance(data, str | bytes):
            data = parse_json(data)
        setup = require(data, "setup", dict)
        moves = require(data, "moves", list)
        if data.get("game", cls.name) != cls.name:
            raise NotationError(f"this is a game of {data.get('game')!r}, not of {cls.name!r}")
        game = cls.from_setup(setup)
        for text in moves:
            game.push(game.parse_move(text))
        return game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} after {len(self._moves)} moves>"


def parse_json(text: str | bytes) -> Json:
    """A JSON object from text; `NotationError` for anything that is not one (NaN and infinities included)."""

    def no_constant(name: str) -> Any:
        raise NotationError(f"{name} is not a number that a game can use")

    try:
        data = json.loads(text, parse_constant=no_constant)
    except NotationError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise NotationError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise NotationError(f"expected a JSON object, not {type(data).__name__}")
    return data


def require(data: Any, key: str, kind: type | tuple[type, ...], default: Any = ...) -> Any:
    """`data[key]`, checked to be of `kind` (a bool is no int); `NotationError` says what is missing or wrong."""
    if not isinstance(data, Mapping):
        raise NotationError(f"expected an object with {key!r}, not {type(data).__name__}")
    if key not in data:
        if default is ...:
            raise NotationError(f"{key!r} is missing")
        return default
    value = data[key]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, bool) and bool not in kinds:
        raise NotationError(f"{key!r} must not be true or false")
    if not isinstance(value, kinds):
        names = " or ".join(k.__name__ for k in kinds)
        raise NotationError(f"{key!r} must be {names}, not {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotationError(f"{key!r} must be a finite number")
    return value


def no_extra(data: Mapping[str, Any], allowed: Sequence[str], what: str) -> None:
    """Refuse keys that nobody will read: a misspelt option must not pass in silence."""
    extra = sorted(str(key) for key in set(data) - set(allowed))
    if extra:
        raise NotationError(f"{what} has no {', '.join(map(repr, extra))}; it knows {', '.join(allowed)}")
