"""The demonstration: a simulated camera over a played game, and the players who wait for the table.

The film shows hands, pieces and lamps; what is made of them is made by the same eyes, referee and engine as on a real
table. The players behave as people do: they wait until their move is understood, take an illegal piece back once it is
flagged, say aloud what no camera can see, and put a wrong reading right (which is counted in the open as `helped`).
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import cv2
import numpy as np

from datasets.played import NotPossible, Played, illegal_codes, play
from datasets.simcam import Declaration, Film
from rules.game import RulesError
from service.match import Match, MatchError
from service.store import StoreError
from vision.camera import CameraStatus, Frame

log = logging.getLogger("tapete.demo")
Json = dict[str, Any]
NAMES = ("Ana", "Luis", "Marta", "Pablo", "Elena")
SEEDS = range(7_000, 8_000)
ILLEGAL = {"triominos": "value_clash"}
FPS = 15.0
ANSWER = 14.0  # seconds after which the players answer a question themselves
HELP = 20.0  # seconds after which they give up waiting for the eyes and type the move in
GLARE = 9.0  # seconds for the reflection of a lamp to wander off a piece


def stage_game(game: str, seed: int | None = None) -> Played:
    """A game with one illegal placement; the seed chooses it, and where it has no room for one the next is taken."""
    first = SEEDS.start if seed is None else seed
    code = ILLEGAL.get(game) or illegal_codes(game)[0]
    for number in range(first, first + 40):
        try:
            return play(game, number, illegal=code)
        except NotPossible:
            continue
    return play(game, first)


class DemoCamera:
    """A camera (see `vision.camera.Camera`) that films a played game and waits where people would wait."""

    def __init__(self, played: Played, match: Match, speed: float = 1.0) -> None:
        self.played, self.match = played, match
        self.film = Film(played, fps=FPS)
        self._lock = threading.Lock()
        self._position, self._since = 0.0, time.monotonic()
        self._speed, self._paused, self._stop_after = speed, False, -1
        self._index, self._shown_at = 0, 0.0
        self._closed = threading.Event()
        self._pending: list[Declaration] = list(self.film.declarations)
        self._waiting_since: float | None = None
        self._flagged: set[int] = set()
        self.helped = 0
        self._expected = [0]
        for step in played.steps:
            self._expected.append(self._expected[-1] + bool(step.move and not step.illegal))
        self._doubtful = self._choose_doubtful()
        self._glare_since: float | None = None
        self._asked = False
        self._player = threading.Thread(target=self._play, name="demo-players", daemon=True)
        self._player.start()

    def _choose_doubtful(self) -> int:
        """The step whose piece lies under the reflection of a lamp: a legal one, about a third into the game."""
        seen = [n for n, s in enumerate(self.played.steps, 1) if s.seen and s.move and not s.illegal and s.at]
        return seen[len(seen) // 3] if len(seen) > 3 else -1

    # -- the camera protocol ----------------------------------------------------------------------------------

    def read(self) -> Frame | None:
        """The newest frame, or None while it is too early for another."""
        now = time.monotonic()
        if self._closed.is_set() or now - self._shown_at < 1 / FPS:
            return None
        with self._lock:
            self._shown_at = now
            self._advance(now)
            step, phase = self.film.step_at(self._position)
            wanted = min(int(self._position * FPS), self.film.frames - 1)
            self._index += 1
            if phase == "rest":  # any frame of the rest shows the same table with other noise
                start, end = self.film.rest_of(step)
                wanted = int(start * FPS) + 1 + self._index % max(1, int((end - start) * FPS) - 2)
        picture = self.film.picture(wanted)
        if phase == "rest" and step == self._doubtful:
            picture = self._with_glare(picture, now)
        return Frame(picture, now, self._index)

    def _advance(self, now: float) -> None:
        passed, self._since = now - self._since, now
        step, phase = self.film.step_at(self._position)
        if phase == "rest" and (self._paused or not self._understood(step)):
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
        if step == 0:
            return True
        position = self.match.position
        if self.played.steps[step - 1].illegal:
            return step in self._flagged
        if step - 1 in self._flagged and position.illegal:
            return False
        return len(self.match.game.moves) >= self._expected[step] and not position.questions

    def _play(self) -> None:
        while not self._closed.wait(0.05):
            try:
                self._behave(time.monotonic())
            except (RulesError, MatchError, StoreError) as error:
                log.warning("the simulated players: %s", error)
                self._closed.wait(1.0)
            except Exception:  # a demonstration must not end in silence
                log.exception("the simulated players")
                self._closed.wait(1.0)

    def _behave(self, now: float) -> None:
        with self._lock:
            position, paused = self._position, self._paused
            step, phase = self.film.step_at(position)
        if phase == "rest" and step and self.played.steps[step - 1].illegal and self.match.position.illegal:
            self._flagged.add(step)
        self._say(position)
        if self.match.position.questions:
            self._asked = True
        if paused or phase != "rest" or self._understood(step):
            self._waiting_since = None
            return
        if self._waiting_since is None:
            self._waiting_since = now
        waited = now - self._waiting_since
        if self.match.position.questions:
            if waited > ANSWER:
                self._answer()
                self._waiting_since = now
        elif waited > HELP + (GLARE if step == self._doubtful else 0.0):
            self._help(step)
            self._waiting_since = now

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

    def _truth(self) -> str | None:
        moves, done = self.played.moves, len(self.match.game.moves)
        return moves[done] if done < len(moves) else None

    def _answer(self) -> None:
        truth = self._truth()
        name, asked = next(iter(self.match.position.questions.items()))
        words = set((truth or "").replace("@", " ").split())
        for option in asked["options"]:
            if truth is not None and (option.get("move") == truth or option.get("label") in words):
                self.match.answer(name, option["id"])
                return
        best = max(asked["options"], key=lambda option: float(option.get("probability") or 0.0))
        self.match.answer(name, best["id"])

    def _help(self, step: int) -> None:
        """What a player does when the table does not understand: type the move in, or strike a wrong one out."""
        if self.played.steps[step - 1].illegal:
            self._flagged.add(step)  # nobody noticed; the player owns up
            self.helped += 1
            return
        entries = self.match.position.entries
        for entry, truth in zip(entries, self.played.moves, strict=False):
            if entry.text != truth:
                self.match.correct(entry.event, truth)
                self.helped += 1
                return
        truth_now = self._truth()
        if truth_now is not None and len(entries) < self._expected[step]:
            self.match.play(truth_now)
            self.helped += 1

    # -- the lamp ---------------------------------------------------------------------------------------------

    def _with_glare(self, picture: np.ndarray, now: float) -> np.ndarray:
        """The reflection of a lamp on the piece just laid; it wanders off, and at once when somebody has asked."""
        spot = self.played.steps[self._doubtful - 1].at
        if self._glare_since is None:
            self._glare_since = now
        strength = 1.0 - (now - self._glare_since) * max(self._speed, 1.0) / GLARE
        if self._asked and not self.match.position.questions:
            strength = 0.0
        if strength <= 0 or spot is None:
            return picture
        x, y = self.played.camera.project([[*spot, 0.0]])[0]
        height, width = picture.shape[:2]
        radius = 0.055 * width
        # The lamp's image lies a little off the middle: it hides a part of the piece, not all of it.
        x, y = x + 0.35 * radius, y - 0.25 * radius
        box = [int(max(0, x - 2 * radius)), int(max(0, y - 2 * radius))]
        box += [int(min(width, x + 2 * radius)), int(min(height, y + 2 * radius))]
        if box[2] <= box[0] or box[3] <= box[1]:
            return picture
        rows, columns = np.mgrid[box[1] : box[3], box[0] : box[2]].astype(np.float32)
        light = 330.0 * strength * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * (0.5 * radius) ** 2))
        part = picture[box[1] : box[3], box[0] : box[2]].astype(np.float32) + light[..., None]
        lit = picture.copy()
        lit[box[1] : box[3], box[0] : box[2]] = np.clip(part, 0, 255).astype(np.uint8)
        return cv2.GaussianBlur(lit, (0, 0), 0.4) if strength > 0.9 else lit
