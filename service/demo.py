"""The demonstration: a simulated camera over a played game, and the players who wait for the table.

The film shows hands, pieces and lamps; what is made of them is made by the same eyes, referee and engine as on a real
table. The players behave as people do: they wait until their move is understood, take an illegal piece back once it is
flagged, say aloud what no camera can see, and name a piece that was misread (which is counted openly as `helped`).
Once in the game there is grease on the lens over the piece just laid, so that the eyes have to ask (see `smear`).
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from datasets.played import NotPossible, Played, illegal_codes, play
from datasets.scene import label_stage
from datasets.simcam import Declaration, Film
from rules.game import RulesError
from service.games import GAMES
from service.match import Match, MatchError
from service.smear import Rehearsal, Smear, ladders, right_answer
from service.store import StoreError
from service.table import Looks
from vision.camera import CameraStatus, Frame

log = logging.getLogger("tapete.demo")
Json = dict[str, Any]
NAMES = ("Ana", "Luis", "Marta", "Pablo", "Elena")
SEEDS = range(7_000, 8_000)
# A game that comes to its end on the film: one in which somebody weaves the TRONIX is rare.
FIRST = {"tronix": 7_018}
SHORT = {"triominos": {"target": 200}}  # a match that one round decides
ILLEGAL = {"triominos": "value_clash"}
FPS = 20.0  # what the simulated camera films, as smoothly as a usual webcam in the light of a room
ANSWER = 14.0  # seconds after which the players answer a question themselves
HELP = 20.0  # seconds after which they stop waiting for the eyes and say what the piece is,
LOST = 60.0  # seconds after which they do so in any case: a table that rests is not looked at for ever
SPOKEN = {"truco", "trichon", "trama"}  # whose moves can be told without knowing how the camera counts places
HELP_LOOKS = 4  # but not before the eyes have had so many looks: a slow computer is not a bad reader
MOST_HELP = 12
SMEARED = 40.0  # seconds after which somebody wipes the lens, asked or not
REHEARSED = 12  # steps at which a smear is tried before the demonstration does without
PICTURES = 6  # of the step, each with its own noise: what is asked must be asked about all of them


def stage_game(game: str, seed: int | None = None) -> Played:
    """A game with one illegal placement; the seed chooses it, and where it has no room for one the next is taken."""
    first = FIRST.get(game, SEEDS.start) if seed is None else seed
    code = ILLEGAL.get(game) or illegal_codes(game)[0]
    for number in range(first, first + 40):
        try:
            return _decided(play(game, number, illegal=code))
        except NotPossible:
            continue
    return _decided(play(game, first))


def _decided(played: Played) -> Played:
    """The same game under the rules of a short match, if these make its last move, and no earlier one, the end."""
    rules = SHORT.get(played.game)
    if rules is None:
        return played
    setup = {**played.setup, "rules": {**played.setup.get("rules", {}), **rules}}
    game = GAMES[played.game].start(setup)
    for text in played.moves:
        if game.outcome() is not None:
            return played
        game.push(game.parse_move(text))
    return replace(played, setup=setup) if game.outcome() is not None else played


def _turns(label: str) -> set[str]:
    """The ways to read a label: a tile has no first corner of its own."""
    parts = label.split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return {label}
    return {"-".join(parts[turn:] + parts[:turn]) for turn in range(3)}


class DemoCamera:
    """A camera (see `vision.camera.Camera`) that films a played game and waits where people would wait."""

    def __init__(
        self,
        played: Played,
        match: Match,
        speed: float = 1.0,
        eyes: Callable[[], Looks] | None = None,
        looks: Callable[[], int] | None = None,
        changed: Callable[[], None] | None = None,
    ) -> None:
        """`eyes` opens eyes to rehearse the smear, `looks` counts the looks at the table, `changed` hears of news."""
        self.played, self.match = played, match
        self.film = Film(played, fps=FPS)
        self._lock = threading.Lock()
        self._position, self._since = 0.0, time.monotonic()
        self._speed, self._paused, self._stop_after = speed, False, -1
        self._index, self._due = 0, 0.0
        self._closed = threading.Event()
        self._pending: list[Declaration] = list(self.film.declarations)
        self._waiting_since: float | None = None
        self._waiting_looks = 0
        self._flagged: set[int] = set()
        self.helped = 0
        self._helped_at = 0
        self._hurried = False
        self._expected = [0]
        for step in played.steps:
            self._expected.append(self._expected[-1] + bool(step.move and not step.illegal))
        self._eyes, self._looks, self._changed = eyes, looks, changed
        self._told: Json = {}
        self._hard = self._hard_steps() if eyes is not None else []
        self._smear: tuple[int, Smear] | None = None
        self._smeared_since: float | None = None
        self._asked = False
        self._player = threading.Thread(target=self._play, name="demo-players", daemon=True)
        self._player.start()

    def _hard_steps(self) -> list[int]:
        """The steps at which a smear may be tried: legal ones, from about a third into the game on."""
        seen = [n for n, s in enumerate(self.played.steps, 1) if s.seen and s.move and not s.illegal and s.at and n > 1]
        seen = [n for n in seen if self.played.steps[n - 1].move != "deal"]
        return seen[len(seen) // 3 :][:REHEARSED] if len(seen) > 3 else []

    # -- the camera protocol ----------------------------------------------------------------------------------

    def read(self) -> Frame | None:
        """The newest frame, or None while it is too early for another."""
        now = time.monotonic()
        if self._closed.is_set() or now < self._due:
            return None
        with self._lock:
            self._due = max(self._due + 1 / FPS, now)  # a late frame does not make all later ones late
            self._advance(now)
            step, phase = self.film.step_at(self._position)
            wanted = min(int(self._position * FPS), self.film.frames - 1)
            self._index += 1
            if phase == "rest":  # any frame of the rest shows the same table with other noise
                start, end = self.film.rest_of(step)
                wanted = int(start * FPS) + 1 + self._index % max(1, int((end - start) * FPS) - 2)
        picture = self.film.picture(wanted)
        if phase == "rest" and self._smear is not None and step == self._smear[0]:
            picture = self._through_smear(picture, now)
        return Frame(picture, now, self._index)

    def _through_smear(self, picture: np.ndarray, now: float) -> np.ndarray:
        """The lens is wiped once somebody was asked and has answered, or after a while."""
        assert self._smear is not None
        if self._smeared_since is None:
            self._smeared_since = now
        answered = self._asked and not self.match.position.questions
        return picture if answered or now - self._smeared_since > SMEARED else self._smear[1].over(picture)

    def _advance(self, now: float) -> None:
        passed, self._since = now - self._since, now
        step, phase = self.film.step_at(self._position)
        if phase == "rest" and (self._paused or step + 1 in self._hard[:1] or not self._understood(step)):
            end = self.film.rest_of(step)[1] - 1.5 / FPS
            room = 0.0 if self._paused else max(0.0, end - self._position)
            self._position += min(passed * self._speed, room)
            return
        # However fast it goes, no rest is jumped over: there the players wait.
        self._position = min(self._position + min(passed * self._speed, 0.5), self.film.length)
        reached, now_phase = self.film.step_at(self._position)
        if now_phase == "rest" and (reached, phase) != (step, "rest") and self._stop_after == reached:
            self._paused, self._stop_after = True, -1

    @property
    def status(self) -> CameraStatus:
        """`ok`, or `ended` once the game is over or the camera was closed."""
        if self._closed.is_set() or self.finished:
            return CameraStatus("ended", "La partida simulada ha terminado.", "The simulated game is over.")
        return CameraStatus("ok")

    def close(self) -> None:
        """Stop; may be called twice."""
        self._closed.set()
        if threading.current_thread() is not self._player:
            self._player.join(timeout=2)

    # -- for the page -----------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the film is at its end and everything in it was understood."""
        return self._position >= self.film.length - 2 / FPS and self._understood(len(self.played.steps))

    def demo_status(self) -> Json:
        """How far the demonstration is."""
        with self._lock:
            step, _ = self.film.step_at(self._position)
            return {
                "game": self.played.game,
                "seed": self.played.seed,
                "paused": self._paused,
                "speed": self._speed,
                "step": step,
                "steps": len(self.played.steps),
                "finished": self.finished,
                "helped": self.helped,
            }

    @property
    def as_played(self) -> bool:
        """Whether the match ended with the score of the script."""
        return tuple(score.total for score in self.match.game.score()) == self.played.scores

    def control(self, paused: bool | None = None, speed: float | None = None, step: bool | None = None) -> None:
        """Pause or go on, change the speed, or play one more step and then pause (always at a rest, never mid-hand)."""
        with self._lock:
            now = time.monotonic()
            self._advance(now)
            if speed is not None:
                self._speed = speed
            at, phase = self.film.step_at(self._position)
            if step:
                self._paused = False
                self._stop_after = min(at + (phase == "rest"), len(self.played.steps))
            elif paused is True and phase != "rest":
                self._stop_after = at
            elif paused is not None:
                self._paused, self._stop_after = paused, -1

    # -- the players ------------------------------------------------------------------------------------------

    def _understood(self, step: int) -> bool:
        """Whether everything up to a step was recognised: people do not go on before."""
        if step == 0 or self._hurried:
            return True
        position = self.match.position
        if self.played.steps[step - 1].illegal:
            return step in self._flagged
        if step - 1 in self._flagged and position.illegal:
            return False
        done = self.played.steps[step - 1]
        if done.seen and not done.move and self.match.instruction is not None:
            return False  # what they were told to do (lift a circuit) is done, but has not been seen yet
        if len(self.match.context().calls_of("laid")) < self._laid_at(step):
            return False  # one of several cards of a turn: the next would cover it before it was read
        return len(self.match.game.moves) >= self._expected[step] and not position.questions

    def _laid_at(self, step: int) -> int:
        """How many cards of an unfinished turn lie there after a step; only in Trichón are there any."""
        if self.played.game != "trichon":
            return 0
        count = 0
        while step > 0 and (done := self.played.steps[step - 1]).seen and not done.move and self._label(step):
            count, step = count + 1, step - 1
        return count

    def _play(self) -> None:
        while not self._closed.wait(0.05):
            try:
                self._behave(time.monotonic())
                self._tell()
            except (RulesError, MatchError, StoreError) as error:
                log.warning("the simulated players: %s", error)
                self._closed.wait(1.0)
            except Exception:  # a demonstration must not end in silence
                log.exception("the simulated players")
                self._closed.wait(1.0)

    def _tell(self) -> None:
        """Let the page know how far the demonstration is, whenever that changes."""
        status = self.demo_status()
        if self._changed is not None and status != self._told:
            self._told = status
            self._changed()

    def _behave(self, now: float) -> None:
        with self._lock:
            position, paused = self._position, self._paused
            step, phase = self.film.step_at(position)
        if phase == "rest" and step and self.played.steps[step - 1].illegal and self.match.position.illegal:
            self._flagged.add(step)
        self._say(position)
        if self.match.position.questions and self._smeared_since is not None:
            self._asked = True
        understood = self._understood(step)
        if phase == "rest" and understood and step + 1 in self._hard[:1]:
            self._rehearse(step + 1)
        if paused or phase != "rest" or understood:
            self._waiting_since = None
            return
        looks = self._looks() if self._looks is not None else HELP_LOOKS
        if self._waiting_since is None:
            self._waiting_since, self._waiting_looks = now, looks if self._looks is not None else 0
        waited = now - self._waiting_since
        if self.match.position.questions:
            if waited > ANSWER:
                self._answer(step)
                self._waiting_since = None
        elif waited > HELP and (looks - self._waiting_looks >= HELP_LOOKS or waited > LOST):
            self._help(step)
            self._waiting_since = None

    def _rehearse(self, step: int) -> None:
        """Before a step that may be hard to see: is there a smear through which the eyes would have to ask?"""
        done = self.played.steps[step - 1]
        try:
            if self._eyes is not None and done.at is not None and not self._hurried:
                film = Film(self.played, fps=FPS)  # one of its own: the other one is drawn by the camera's thread
                first = int(film.rest_of(step)[0] * FPS) + 2
                pictures = [film.picture(first + number) for number in range(PICTURES)]
                labels = label_stage(film.stage(step))
                tries = ladders(self.played.game, done.at, self._pixel, labels, done.move)
                found = Rehearsal(self.match, self._eyes(), pictures, done.move).find(tries)
                if found is not None:
                    self._smear = (step, found)
        finally:  # whatever happens here, the game goes on
            self._hard = [] if self._smear is not None else self._hard[1:]

    def _say(self, position: float) -> None:
        """Declare what is due, once everything before it has been understood."""
        while self._pending and self._pending[0].time <= position:
            due = self._pending[0]
            if len(self.match.game.moves) < due.after or self.match.position.questions:
                return
            self._pending.pop(0)
            if due.call is not None:
                self.match.call(dict(due.call))
            if due.move and len(self.match.game.moves) == due.after:
                self.match.play(due.move)

    def _label(self, step: int) -> str:
        """What the piece laid in a step says."""
        before = self.played.steps[step - 2].table if step > 1 else ()
        new = [piece for piece in self.played.steps[step - 1].table if not any(piece is other for other in before)]
        return str(getattr(new[-1].sprite, "label", "")) if new else ""

    def _answer(self, step: int) -> None:
        """What a player says who knows what was laid; where nothing offered is right, the likeliest."""
        name, asked = next(iter(self.match.position.questions.items()))
        table, done = self.match.table, self.played.steps[step - 1]
        chosen = right_answer(self.match, table, asked, done.move) if table is not None and done.move else None
        turns = _turns(self._label(step))
        named = next((option["id"] for option in asked["options"] if option.get("label") in turns), None)
        best = max(asked["options"], key=lambda option: float(option.get("probability") or 0.0))
        self.match.answer(name, chosen or named or best["id"])

    def _help(self, step: int) -> None:
        """What a player does when the table does not understand: tap the piece and say what it is."""
        self.helped += 1
        done = self.played.steps[step - 1]
        again, self._helped_at = self._helped_at == step, step
        log.warning("step %d (%s) was not understood: the players help", step, done.move or done.call or "no move")
        if done.illegal:
            self._flagged.add(step)  # nobody noticed; the player owns up
        elif again and done.move and self.played.game in SPOKEN:
            self.match.play(done.move)  # naming the piece was not enough: the move itself is told
        elif done.at is not None and self.match.table is not None:
            with contextlib.suppress(RulesError):  # where no piece was found there is nothing to tap
                self.match.call({"call": "reading", "at": list(self._pixel(done.at)), "label": self._label(step)})
        if self.helped >= MOST_HELP:
            self._hurried = True  # the eyes are lost: the film goes on, and the count says how it went

    def _pixel(self, spot: tuple[float, float]) -> tuple[float, float]:
        x, y = self.played.camera.project([[*spot, 0.0]])[0]
        return float(x), float(y)
