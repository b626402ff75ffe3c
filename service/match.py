"""One match: its log on disk, its state in memory, and everything that a person or the table may do to it."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from rules.game import IllegalMove, NotationError, RulesError
from service import match_json
from service.findings import aligned, illegal_draft, placed, question_draft, reading
from service.games import GAMES, GameInfo
from service.referee.base import Context, Illegal, Instruction, Question, Words, nearest_piece
from service.replay import AnyGame, Position, changes, replay
from service.store import Conflict, Draft, Event, Record, Store
from vision.state import TableState

Json = dict[str, Any]
Listener = Callable[["Match", Sequence[Event]], None]
MAX_NAME = 60


class MatchError(RuntimeError):
    """Something that cannot be done to a match, with a stable code."""

    def __init__(self, code: str, es: str, en: str) -> None:
        super().__init__(en)
        self.code, self.es, self.en = code, es, en


class Match:
    """A game being kept. All methods are safe to call from several threads; one order of events for everybody."""

    def __init__(self, store: Store, record: Record, ask_below: float = 0.6) -> None:
        self.store, self.record, self.ask_below = store, record, ask_below
        self.info: GameInfo = GAMES[record.game]
        self.referee = self.info.referee()
        self.lock = threading.RLock()
        self.listeners: list[Listener] = []
        self.instruction: Instruction | None = None  # what the referee waits for now; not part of the log
        self.table: TableState | None = None  # the last stable table
        self.position: Position = replay(self._start, store.events(record.id))

    def _start(self) -> AnyGame:
        return self.info.start(self.record.setup)

    @property
    def id(self) -> str:
        """Its name in the API."""
        return self.record.id

    @property
    def game(self) -> AnyGame:
        """The engine at the present position. Do not push to it: `play` does, and writes it down."""
        return self.position.game

    def context(self) -> Context:
        """What the referee is told."""
        position = self.position
        calibration = position.calibration or {}
        return Context(self.record.players, self.ask_below, tuple(position.calls), calibration, position.shown())

    # -- writing ----------------------------------------------------------------------------------------------

    def write(self, drafts: Sequence[Draft]) -> list[Event]:
        """Append events, all or none, and let the listeners know. What this returns is on disk."""
        with self.lock:
            if not drafts:
                return []
            try:
                events = self.store.append(self.id, self.position.seq, drafts)
            except Conflict:
                self.refresh()
                raise
            for event in events:
                self.position.apply(event)
            for listener in list(self.listeners):
                listener(self, events)
            return events

    def refresh(self) -> None:
        """Take in events that another process wrote."""
        with self.lock:
            new = self.store.events(self.id, after=self.position.seq)
            for event in new:
                self.position.apply(event)
            if new:
                for listener in list(self.listeners):
                    listener(self, new)

    def play(
        self, text: str, source: str = "declared", evidence: bytes | None = None, more: Json | None = None
    ) -> None:
        """Play a move given in notation; `IllegalMove` if it is not legal, and then nothing is written."""
        with self.lock:
            self.write([*self._closing(), self._move(text, source, evidence, more)])

    def _move(self, text: str, source: str, evidence: bytes | None = None, more: Json | None = None) -> Draft:
        move = self.game.parse_move(text)
        complete = getattr(self.game, "complete", None)  # an engine may fill in what the rules leave no choice about
        move = complete(move) if callable(complete) else move
        violations = self.game.check(move)
        if violations:
            raise IllegalMove(violations)
        named = getattr(move, "player", None)
        player = named if isinstance(named, int) else self.game.turn
        data = {"move": self.game.format_move(move), "player": player, **(more or {})}
        return Draft("move", data, source, evidence)

    def _closing(self) -> list[Draft]:
        """A move makes the open questions and flags void: they were about the position before it."""
        illegal, questions = list(self.position.illegal), list(self.position.questions)
        if not illegal and not questions:
            return []
        return [Draft("resolved", {"illegal": illegal, "questions": questions}, "system")]

    def call(self, data: Json) -> None:
        """Something said to the referee: `{"call": "together"}`, or that a piece is something else than was read."""
        name = data.get("call")
        with self.lock:
            if name == "reading":
                self._name_piece(data)
            elif name in self.referee.calls():
                self.referee.check_call(self.game, data)
                self.write([Draft("call", data)])
            else:
                raise NotationError(f"{self.record.game} knows no call {str(name)[:40]!r}")

    def _name_piece(self, data: Json) -> None:
        at, label = data.get("at"), data.get("label")
        if not isinstance(label, str) or not isinstance(at, list | tuple) or len(at) != 2:
            raise NotationError("a reading is {'call': 'reading', 'at': [x, y], 'label': '...'}")
        piece = nearest_piece(self.table.pieces, (float(at[0]), float(at[1]))) if self.table else None
        if piece is None:
            raise NotationError("there is no piece at that place")
        self.write([Draft("answer", {"reading": reading(piece, aligned(piece, label))})])

    def undo(self) -> None:
        """Take the last action (move or correction) back."""
        self._step("undo", self.position.can_undo, "no hay nada que deshacer", "there is nothing to undo")

    def redo(self) -> None:
        """Do again what was undone last."""
        self._step("redo", self.position.can_redo, "no hay nada que rehacer", "there is nothing to redo")

    def _step(self, kind: str, possible: bool, es: str, en: str) -> None:
        with self.lock:
            possible = self.position.can_undo if kind == "undo" else self.position.can_redo
            if not possible:
                raise MatchError(f"nothing_to_{kind}", es, en)
            self.write([*self._closing(), Draft(kind, {"table": self._held()})])

    def _held(self) -> list[Json] | None:
        return [placed(piece) for piece in self.table.pieces] if self.table is not None else None

    def correct(self, event: int, text: str | None, source: str = "person") -> Json:
        """Replace the move of a past event, or strike it out; says what changed by it.

        After a person's correction the table as it lies is not judged again until it changes; the camera's own
        corrections (a turn that turns out to have one card more) do not stop it.
        """
        with self.lock:
            if self.position.move_event(event) is None:
                known = any(entry.seq == event for entry in self.store.events(self.id))
                raise MatchError(
                    "not_a_move" if known else "unknown_event",
                    f"el suceso {event} no es una jugada en vigor",
                    f"event {event} is no move in force",
                )
            if text is not None:
                move = self.game.parse_move(text)
                text = self.game.format_move(move)
                self._check_in_place(event, text)
            before = replay(self._start, self.store.events(self.id))
            held = self._held() if source == "person" else None
            draft = Draft("correction", {"event": event, "move": text, "table": held}, source)
            self.write([*self._closing(), draft])
            result = changes(before, self.position)
            es, en = self._explain(result)
            return {**result, "es": es, "en": en}

    def game_before(self, event: int) -> AnyGame:
        """The engine as it stood when the move of a past event was about to be played (corrections included)."""
        game = self._start()
        for entry in sorted((*self.position.entries, *self.position.aside), key=lambda entry: entry.event):
            if entry.event >= event:
                break
            if entry.ply is not None:
                game.push(game.parse_move(entry.text))
        return game

    def _check_in_place(self, event: int, text: str) -> None:
        """A correction must be legal where it stands: a wrong move is not mended by another wrong one."""
        game = self.game_before(event)
        violations = game.check(game.parse_move(text))
        if violations:
            raise IllegalMove(violations)

    def _explain(self, change: Json) -> Words:
        names = match_json.scorers(self)
        pairs = list(zip(names, change["before"], change["after"], strict=True))
        moved = ", ".join(f"{name} {old} → {new}" for name, old, new in pairs if old != new)
        es = moved or "La puntuación no cambia"
        en = moved or "The score does not change"
        if change["set_aside"]:
            count = len(change["set_aside"])
            es += f". {count} jugada(s) posteriores ya no son legales y quedan aparte"
            en += f". {count} later move(s) are no longer legal and are set aside"
        return es + ".", en + "."

    def answer(self, question: str, option: str) -> None:
        """Answer an open question by the letter of one of its options."""
        with self.lock:
            asked = self.position.questions.get(question)
            if asked is None:
                raise MatchError("unknown_question", "esa pregunta no está abierta", "that question is not open")
            chosen = next((o for o in asked["options"] if o["id"] == option), None)
            if chosen is None:
                raise MatchError("unknown_option", "esa respuesta no existe", "there is no such answer")
            data: Json = {"question": question, "option": option}
            if chosen.get("reading"):
                self.write([Draft("answer", {**data, "reading": chosen["reading"]})])
            elif chosen.get("call"):
                self.write([Draft("answer", data), Draft("call", chosen["call"])])
            else:
                picture = self.store.evidence(self.id, asked["event"]) if asked["evidence"] else None
                self.write([Draft("answer", data), self._move(chosen["move"], "answer", picture)])

    def dismiss(self, illegal: str) -> None:
        """Take an illegal flag back: a person says that it is wrong."""
        with self.lock:
            if illegal not in self.position.illegal:
                raise MatchError("unknown_event", "ese aviso no está abierto", "that flag is not open")
            self.write([Draft("dismissed", {"illegal": illegal})])

    def calibrate(self, calibration: Json | None) -> None:
        """Remember where the table is."""
        self.write([Draft("calibration", {"calibration": calibration})])

    def check(self, text: str) -> Json:
        """Whether a move would be legal now, and everything wrong with it if not."""
        with self.lock:
            violations = self.game.check(self.game.parse_move(text))
        return {"legal": not violations, "violations": [v.to_json() for v in violations]}

    def illegal_draft(self, found: Illegal, evidence: bytes | None, number: int) -> Draft:
        """The event that flags something illegal."""
        return illegal_draft(found, evidence, number)

    def question_draft(self, question: Question, evidence: bytes | None, number: int) -> Draft:
        """The event that asks."""
        return question_draft(question, evidence, number)

    # -- reading ----------------------------------------------------------------------------------------------

    def scorers(self) -> list[str]:
        """Who has a score: the players, or the teams with their players' names."""
        return match_json.scorers(self)

    def evidence_url(self, event: int) -> str:
        """Where the API serves an event's picture."""
        return match_json.evidence_url(self, event)

    def score_json(self) -> list[Json]:
        """Every score with its lines in words."""
        return match_json.score_json(self)

    def summary(self) -> Json:
        """The match in one line."""
        with self.lock:
            return match_json.summary(self)

    def state(self) -> Json:
        """Everything that the page shows of a match."""
        with self.lock:
            return match_json.state(self)


def printable(name: str) -> bool:
    """Whether a name is only written, and does nothing, where it is shown."""
    return all(unicodedata.category(letter) != "Cc" for letter in name)


def start_match(
    store: Store, match_id: str, created: float, *, game: str, players: Sequence[str], options: Json, setup: Json
) -> Record:
    """Begin a match in the store. `RulesError` where the engine refuses the set-up."""
    info = GAMES[game]
    names = tuple(str(name).strip()[:MAX_NAME] for name in players)
    if not all(names):
        raise NotationError("every player needs a name")
    if not all(map(printable, names)):
        raise NotationError("a name may not have control characters: they act on the terminal that shows it")
    try:
        complete = info.setup(len(names), options, setup)
    except RulesError:
        raise
    except (TypeError, ValueError, KeyError) as error:  # an engine that trips over strange JSON must not be a 500
        raise NotationError(f"this set-up cannot be used: {error}") from error
    record = Record(match_id, game, names, complete, created)
    store.create(record)
    store.append(match_id, 0, [Draft("created", {"game": game, "players": list(names), "setup": complete}, "system")])
    return record
