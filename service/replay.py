"""A match's state is the replay of its log. This module is the replay: pure, without store, clock or camera.

Moves and corrections are *actions*; `undo` takes the last action out and `redo` puts it back. A correction replaces (or
strikes out) the move of an earlier event; everything after it is played again, and a move that has become illegal by
it is set aside, with what is wrong with it, not lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rules.game import Game, IllegalMove, RulesError, Violation
from service.store import Event

AnyGame = Game[Any, Any]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One move of the log as it stands after corrections. `ply` is None for a move that was set aside."""

    event: int
    text: str
    source: str
    evidence: bool
    player: int | None
    ply: int | None
    violations: tuple[Violation, ...] = ()


@dataclass(slots=True)
class Position:
    """Everything that the log says at one moment. `apply` adds an event; the log alone decides the result."""

    start: Callable[[], AnyGame]
    game: AnyGame = field(init=False)
    entries: list[Entry] = field(default_factory=list)
    aside: list[Entry] = field(default_factory=list)
    illegal: dict[str, Json] = field(default_factory=dict)
    questions: dict[str, Json] = field(default_factory=dict)
    readings: list[Json] = field(default_factory=list)  # what a person said that a piece is
    calls: list[Json] = field(default_factory=list)  # what was said since the last move
    dismissed: set[str] = field(default_factory=set)
    calibration: Json | None = None
    hold: list[Json] | None = None  # the table that must change before the camera may move again
    seq: int = 0
    time: float = 0.0
    _moves: dict[int, Event] = field(default_factory=dict)
    _corrections: dict[int, Event] = field(default_factory=dict)
    _done: list[int] = field(default_factory=list)
    _undone: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = self.start()

    @property
    def can_undo(self) -> bool:
        """Whether there is an action to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether an action was taken back and nothing new was done since."""
        return bool(self._undone)

    def move_event(self, seq: int) -> Event | None:
        """The event of a move that is in force (corrected or not), or None."""
        return self._moves.get(seq) if seq in self._done else None

    def text_of(self, seq: int) -> str | None:
        """The move of an event as it stands after corrections; None if it was struck out or is unknown."""
        return next((text for event, text in self._line() if event.seq == seq), None)

    def shown(self, moves: int = 4) -> tuple[Json, ...]:
        """The pieces by which the last moves in force were seen."""
        events = [self._moves[entry.event] for entry in self.entries[-moves:]]
        return tuple(piece for event in events for piece in event.data.get("pieces", ()))

    def apply(self, event: Event) -> None:
        """Add one event of the log."""
        self.seq, self.time = event.seq, event.time
        handler = getattr(self, f"_on_{event.kind}", None)
        if handler is not None:
            handler(event)

    def _on_move(self, event: Event) -> None:
        self._moves[event.seq] = event
        self._done.append(event.seq)
        self._undone.clear()
        self._push(event, event.data["move"])
        self.calls.clear()
        self.hold = None
        self.dismissed.clear()

    def _on_correction(self, event: Event) -> None:
        self._corrections[event.seq] = event
        self._done.append(event.seq)
        self._undone.clear()
        self._changed_by_hand(event)

    def _on_undo(self, event: Event) -> None:
        self._undone.append(self._done.pop())
        self._changed_by_hand(event)

    def _on_redo(self, event: Event) -> None:
        self._done.append(self._undone.pop())
        self._changed_by_hand(event)

    def _changed_by_hand(self, event: Event) -> None:
        self.rebuild()
        self.calls.clear()
        self.hold = event.data.get("table")

    def _on_illegal(self, event: Event) -> None:
        self.illegal[event.data["id"]] = {**event.data, "event": event.seq, "evidence": event.evidence}

    def _on_dismissed(self, event: Event) -> None:
        gone = self.illegal.pop(event.data["illegal"], None)
        if gone is not None:
            self.dismissed.add(gone["key"])

    def _on_question(self, event: Event) -> None:
        self.questions[event.data["id"]] = {**event.data, "event": event.seq, "evidence": event.evidence}

    def _on_resolved(self, event: Event) -> None:
        for name in event.data.get("illegal", ()):
            self.illegal.pop(name, None)
        for name in event.data.get("questions", ()):
            self.questions.pop(name, None)

    def _on_answer(self, event: Event) -> None:
        self.questions.pop(event.data.get("question", ""), None)
        if "reading" in event.data:
            self.readings.append(event.data["reading"])
            self.hold = None

    def _on_call(self, event: Event) -> None:
        self.calls.append(event.data)
        self.hold = None

    def _on_calibration(self, event: Event) -> None:
        self.calibration = event.data.get("calibration")

    def _line(self) -> list[tuple[Event, str]]:
        """The moves in force, in order, each with its text after corrections."""
        texts: dict[int, str | None] = {}
        for seq in self._done:
            if seq in self._corrections:
                data = self._corrections[seq].data
                texts[data["event"]] = data["move"]
        line = []
        for seq in self._done:
            if seq in self._moves:
                text = texts.get(seq, self._moves[seq].data["move"])
                if text is not None:
                    line.append((self._moves[seq], text))
        return line

    def rebuild(self) -> None:
        """Play all moves in force again from the start."""
        self.game = self.start()
        self.entries.clear()
        self.aside.clear()
        for event, text in self._line():
            self._push(event, text)

    def _push(self, event: Event, text: str) -> None:
        player = self.game.turn
        try:
            move = self.game.parse_move(text)
            named = getattr(move, "player", None)
            player = named if isinstance(named, int) else player
            self.game.push(move)
        except IllegalMove as error:
            self.aside.append(Entry(event.seq, text, event.source, event.evidence, player, None, error.violations))
        except RulesError as error:
            wrong = Violation("bad_notation", f"no es una jugada: {error}", f"not a move: {error}")
            self.aside.append(Entry(event.seq, text, event.source, event.evidence, player, None, (wrong,)))
        else:
            ply = len(self.game.moves) - 1
            self.entries.append(Entry(event.seq, text, event.source, event.evidence, player, ply))


def replay(start: Callable[[], AnyGame], events: Sequence[Event]) -> Position:
    """The position that a whole log leads to."""
    position = Position(start)
    for event in events:
        position.apply(event)
    return position


def changes(before: Position, after: Position) -> Json:
    """What a correction (or an undo) did, for a person: totals, moves whose points differ, moves set aside."""

    def points(position: Position) -> dict[int, int]:
        by_ply = {entry.ply: entry.event for entry in position.entries}
        result = dict.fromkeys(by_ply.values(), 0)
        for player in position.game.score():
            for line in player.lines:
                if line.ply in by_ply:
                    result[by_ply[line.ply]] += line.points
        return result

    old, new = points(before), points(after)
    texts_old = {entry.event: entry.text for entry in (*before.entries, *before.aside)}
    texts_new = {entry.event: entry.text for entry in (*after.entries, *after.aside)}
    moves = []
    for event in sorted(set(texts_old) | set(texts_new)):
        was, now = texts_old.get(event), texts_new.get(event)
        if was != now or old.get(event, 0) != new.get(event, 0):
            moves.append(
                {"event": event, "was": was, "is": now}
                | {"points_before": old.get(event, 0), "points_after": new.get(event, 0)}
            )
    totals = [[s.total for s in position.game.score()] for position in (before, after)]
    aside_old, aside_new = ({entry.event for entry in position.aside} for position in (before, after))
    set_aside, restored = sorted(aside_new - aside_old), sorted((aside_old - aside_new) & set(texts_new))
    return {"before": totals[0], "after": totals[1], "moves": moves, "set_aside": set_aside, "restored": restored}
