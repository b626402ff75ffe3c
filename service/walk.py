"""The whole walk, in process and as fast as it goes: a played game is filmed, read, judged and kept.

A `Film` is stepped through by its rests instead of by the clock: of each movement of a hand only a few frames are
drawn, enough for the gate to see it, and of each rest as many as the eyes need to settle. What the camera cannot see
is declared when it is due; a question is answered as the script knows, and counted.
"""

from __future__ import annotations

import logging
import math
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from datasets.labels import PieceLabel
from datasets.played import Played, Step
from datasets.scene import label_stage
from datasets.simcam import REACH, Film
from rules.game import RulesError
from service.eyes import table_eyes
from service.follow import follow
from service.match import Match, MatchError, start_match
from service.store import Store
from service.table import Looks
from vision.gate import Gate
from vision.stabiliser import Stabiliser
from vision.state import Piece, TableState

Json = dict[str, Any]
log = logging.getLogger("tapete.walk")
HAND_FRAMES = (0.55, 0.98)  # which part of a hand's way, coming and leaving, is drawn
MOST_LOOKS = 8  # looks at one resting table after which the walk goes on
NAMES = ("Ana", "Luis", "Eva", "Juan", "Sara", "Iván", "Olga", "Raúl")


@dataclass(slots=True)
class Flag:
    """Something that the referee flagged, and during which step of the script."""

    step: int
    codes: tuple[str, ...]
    pieces: tuple[Json, ...]
    expected: tuple[str, ...]  # the codes of the script's step, empty for a legal one


@dataclass(slots=True)
class Walked:
    """How a walk went."""

    played: Played
    match: Match
    questions: list[Json] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)  # ms from the frame that made the table stable to the event
    lost: list[int] = field(default_factory=list)  # steps whose move did not arrive in the log
    readings: int = 0
    seconds: float = 0.0

    @property
    def totals(self) -> tuple[int, ...]:
        """The score at the end."""
        return tuple(score.total for score in self.match.game.score())

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves in the log, in order."""
        return tuple(entry.text for entry in self.match.position.entries)

    @property
    def exact(self) -> bool:
        """Whether the match ended with exactly the score of the script."""
        return self.totals == self.played.scores and len(self.moves) == len(self.played.moves)

    @property
    def false_alarms(self) -> list[Flag]:
        """Flags at steps where the script does nothing wrong."""
        return [flag for flag in self.flags if not flag.expected]

    @property
    def caught(self) -> bool:
        """Whether every illegal step of the script was flagged with its code, and with nothing else."""
        found = {flag.step: flag for flag in self.flags if flag.expected}
        wrong = [number for number, step in enumerate(self.played.steps, start=1) if step.illegal]
        return all(n in found and set(found[n].codes) == set(found[n].expected) for n in wrong)


class _Walk:
    """One walk: the film's clock, the eyes, and the match."""

    def __init__(self, film: Film, match: Match, eyes: Looks, hands: bool, looks: int) -> None:
        self.film, self.match, self.eyes, self.hands, self.looks = film, match, eyes, hands, looks
        self.gate, self.stabiliser = Gate(looks), Stabiliser(looks)
        self.result = Walked(film.played, match)
        self.step = 0
        match.listeners.append(self._heard)

    def _heard(self, match: Match, events: Any) -> None:
        for event in events:
            if event.kind == "illegal":
                expected = self.film.played.steps[self.step - 1].illegal if self.step else ()
                codes = tuple(v["code"] for v in event.data["violations"])
                self.result.flags.append(Flag(self.step, codes, tuple(event.data["pieces"]), expected))
            elif event.kind == "question":
                self.result.questions.append(event.data | {"step": self.step})

    def go(self) -> None:
        """The whole film, step by step."""
        self._rest(0.0, lambda: True)
        clock = self.film.rest
        moves = 0
        for number, step in enumerate(self.film.played.steps, start=1):
            self.step = number
            if step.seen and self.film.hands:
                if self.hands:
                    for part in HAND_FRAMES:
                        self._frame(clock + part * REACH)
                    self._frame(clock + (2 - HAND_FRAMES[0]) * REACH)
                else:  # a dark piece on a dark table moves the gate less than the hand that lays it
                    self.stabiliser.reset()
                    self.gate.look_again(self.looks)
                clock += 2 * REACH
            said = not step.seen or step.call is not None
            if said and not self._say(step):
                self.result.lost.append(number)
            legal_move = bool(step.move and not step.illegal)
            moves += legal_move
            if step.seen:
                self._rest(clock, self._done(step, moves))
                if legal_move and len(self.match.position.entries) < moves:
                    self.result.lost.append(number)
                    moves = len(self.match.position.entries)
            clock += self.film.rest

    def _done(self, step: Step, moves: int) -> Callable[[], bool]:
        """What the match says once it has taken in a step."""
        position = self.match.position
        if step.illegal:
            return lambda: bool(position.illegal)
        return lambda: len(position.entries) >= moves and not position.illegal and not position.questions

    def _say(self, step: Step) -> bool:
        try:
            if step.call is not None:
                self.match.call(dict(step.call))
            if step.move and not step.seen:
                self.match.play(step.move)
        except RulesError as error:
            log.info("step %d cannot be said: %s", self.step, error)
            return False
        return True

    def _frame(self, moment: float) -> bool:
        """Let the pipeline see the film at that moment; whether a stable table came out."""
        index = min(math.ceil(moment * self.film.fps), self.film.frames - 1)
        image, t = self.film.picture(index), index / self.film.fps
        gate = self.gate.update(image, t)
        if gate.busy:
            self.stabiliser.reset()
        if not gate.read:
            return False
        started = time.perf_counter()
        stable = self.stabiliser.update(self.eyes.read(image, t))
        self.result.readings += 1
        if stable is None:
            self.gate.look_again(1)
            return False
        before = self.match.position.seq
        follow(self.match, stable, image)
        if self.match.position.seq != before:
            self.result.latencies.append((time.perf_counter() - started) * 1000)
        return True

    def _rest(self, start: float, done: Callable[[], bool]) -> None:
        """Look at the resting table until the step is taken in, or as often as makes sense."""
        end = start + self.film.rest - 1.5 / self.film.fps
        self._frame(start + 0.01)
        moment = start + 0.01 + self.gate.rest + 1.0 / self.film.fps  # before that the gate does not let anybody look
        settled, reads = False, self.result.readings
        while moment < end and self.result.readings - reads < MOST_LOOKS and not (settled and done()):
            if self._frame(moment):
                settled = True
                if self._answer():  # what was answered counts at the next look
                    settled = False
                    self.gate.look_again(self.looks)
                elif not done():
                    self.gate.look_again(1)
            moment += 1.0 / self.film.fps

    def _answer(self) -> bool:
        """Answer an open question as the script knows; whether there was one.

        Where none of the answers offered is right, the player names the piece, as the page lets people do.
        """
        for name, asked in list(self.match.position.questions.items()):
            option = truthful(self.film, self.step, asked)
            try:
                if option is not None:
                    self.match.answer(name, option)
                    return True
                named = true_reading(self.film, self.step, asked)
                if named is not None:
                    self.match.call(named)
                    return True
            except (RulesError, MatchError) as error:
                log.info("step %d: the answer was refused: %s", self.step, error)
        return False


def truthful(film: Film, step: int, asked: Mapping[str, Any]) -> str | None:
    """The option that a player who knows the script would choose, or None where none is right."""
    script = film.played.steps[step - 1] if step else None
    moves = {s.move for s in film.played.steps[:step] if s.move}
    labels = label_stage(film.stage(step))
    for option in asked["options"]:
        if option.get("move") in moves:
            return str(option["id"])
    for option in asked["options"]:
        reading = option.get("reading")
        if reading is not None:
            near = _lying_at(labels, reading["at"])
            if near is not None and _is_true(near, reading, option["label"]):
                return str(option["id"])
        elif script is not None and option["label"] and option["label"] in script.move:
            return str(option["id"])
    return None


def true_reading(film: Film, step: int, asked: Mapping[str, Any]) -> Json | None:
    """The call that names the piece a question is about, or None where no such piece lies there."""
    reading = next((option["reading"] for option in asked["options"] if option.get("reading")), None)
    if reading is None:
        return None
    at = reading["at"]
    near = _lying_at(label_stage(film.stage(step)), at)
    if near is None or not near.label:
        return None
    return {"call": "reading", "at": [float(at[0]), float(at[1])], "label": near.label}


def _lying_at(labels: Sequence[PieceLabel], at: Sequence[float]) -> PieceLabel | None:
    """The piece that is seen at a place: of a pile, the one laid last."""
    for piece in reversed(labels):
        if math.dist(_centre(piece.corners), at) < 0.35 * math.dist(piece.corners[0], piece.corners[1]):
            return piece
    return None


def _centre(corners: Sequence[tuple[float, float]]) -> tuple[float, float]:
    n = max(1, len(corners))
    return sum(x for x, _ in corners) / n, sum(y for _, y in corners) / n


def _is_true(piece: PieceLabel, reading: Mapping[str, Any], label: str) -> bool:
    """Whether a reading's label says what is so: of a loom it says one detail, `v3 rojo`, `v3 -` or `h2v3 h`."""
    if piece.kind != "loom":
        return _seen_label(piece, reading) == label
    place, _, value = label.partition(" ")
    said = {f"{cord['axis']}{cord['lane']}": cord["color"] for cord in piece.facts["cords"]}
    said |= {f"h{crossing['h']}v{crossing['v']}": crossing["top"] for crossing in piece.facts["crossings"]}
    return bool(said.get(place, "-") == value)


def _seen_label(piece: PieceLabel, reading: Mapping[str, Any]) -> str:
    """A piece's label as the eyes would give it: a tile's begins at the corner that they begin at."""
    parts, corners = piece.label.split("-"), reading.get("corners")
    if piece.kind != "tile" or len(parts) != 3 or not corners:
        return piece.label
    first = min(range(3), key=lambda k: math.dist(piece.corners[k], corners[0]))
    return "-".join(parts[first:] + parts[:first])


class TrueEyes:
    """Eyes that know the film: for tests of everything but the reading. Covered pieces they do not see."""

    def __init__(self, film: Film, confidence: float = 0.99) -> None:
        self.film, self.confidence = film, confidence

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        """The labels of the film at that time as pieces."""
        height, width = image.shape[:2]
        labels = label_stage(self.film.stage(self.film.step_at(time)[0]))
        pieces = tuple(
            Piece(found.kind, found.label, found.corners, self.confidence, (), found.box, None, dict(found.facts))
            for found in labels
            if not found.uncertain or found.kind == "loom"  # some looms are frames, and the table shows through
        )
        return TableState(time, pieces, (width, height))


def walk(
    film: Film | Played,
    *,
    eyes: Looks | None = None,
    store: Store | None = None,
    hands: bool = True,
    looks: int = 2,
    ask_below: float = 0.6,
) -> Walked:
    """Play a film through the real pipeline: gate, eyes, stabiliser, referee, match.

    `eyes` are the game's own unless given; `hands` false leaves the moving hands out, which is quicker to draw.
    """
    film = film if isinstance(film, Film) else Film(film)
    played = film.played
    started = time.perf_counter()
    store = store or Store(Path(tempfile.mkdtemp(prefix="tapete-walk-")))
    record = start_match(store, f"m_{secrets.token_hex(8)}", time.time(), **start_of(played))
    match = Match(store, record, ask_below)
    run = _Walk(film, match, eyes or table_eyes(played.game), hands, looks)
    run.go()
    run.result.seconds = time.perf_counter() - started
    return run.result


def start_of(played: Played) -> Json:
    """What `start_match` needs to keep a played game: names are made up, options and set-up are the script's."""
    more = {key: value for key, value in played.setup.items() if key not in ("game", "players", "rules")}
    count = int(played.setup.get("players") or played.extra.get("players") or played.seats)
    names = [NAMES[i % len(NAMES)] + str(i // len(NAMES) or "") for i in range(count)]
    options = dict(played.setup.get("rules") or {})
    return {"game": played.game, "players": names, "options": options, "setup": more}
