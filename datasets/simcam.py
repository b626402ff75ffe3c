"""The simulated camera: a played game filmed at camera speed, behind the protocol of `vision.camera`.

Hands come in, lay a piece and leave; the table rests; somebody says a bid. Only what changed is drawn: while the
table rests, a frame costs no more than its noise.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from datasets.played.model import Played, Step
from datasets.scene import Stage, label_stage
from datasets.scene.develop import add_noise, expose
from datasets.scene.stage import Placed
from datasets.scene.things import hand_at
from vision.camera import CameraStatus, Frame

FPS = 15.0
REACH = 0.6  # seconds for a hand to come, and as long to leave
REST = 1.8  # seconds of rest after each step, enough for the eyes to settle
# Where the hands of each seat point to. Seat 0 sits at the lower side; seats count to the right.
SEATS = {2: (-90.0, 90.0), 4: (-90.0, 180.0, 90.0, 0.0)}


@dataclass(frozen=True, slots=True)
class Declaration:
    """Something that the camera cannot see, due at `time`: a `move` in notation, or a `call`.

    `after` is how many moves (seen or said) come before it: whoever feeds a referee can wait for them.
    """

    time: float
    player: int | None
    move: str
    call: Mapping[str, Any] | None
    after: int


@dataclass(frozen=True, slots=True)
class _Part:
    start: float
    length: float
    step: int  # the table before this step, or after it
    phase: str  # come, leave or rest


class Film:
    """A played game as a function of time: `picture(t)`. Deterministic: the same frame number, the same pixels."""

    def __init__(self, played: Played, fps: float = FPS, rest: float = REST, hands: bool = True) -> None:
        self.played, self.fps, self.rest, self.hands = played, fps, rest, hands
        self._parts: list[_Part] = []
        self.declarations: list[Declaration] = []
        self._tables: list[tuple[Placed, ...]] = [played.furniture]
        clock, moves = rest, 0
        self._parts.append(_Part(0.0, rest, 0, "rest"))
        for number, step in enumerate(played.steps, start=1):
            self._tables.append((*played.furniture, *step.table))
            if step.seen and hands:
                self._parts.append(_Part(clock, REACH, number, "come"))
                self._parts.append(_Part(clock + REACH, REACH, number, "leave"))
                clock += 2 * REACH
            if not step.seen or step.call:
                self.declarations.append(
                    Declaration(clock, step.player, "" if step.seen else step.move, step.call, moves)
                )
            moves += bool(step.move and not step.illegal)
            self._parts.append(_Part(clock, rest, number, "rest"))
            clock += rest
        self.length = clock
        self._starts = [part.start for part in self._parts]
        self._stage: tuple[tuple[Placed, ...], Stage] | None = None
        self._clean: tuple[int, np.ndarray] | None = None

    @property
    def frames(self) -> int:
        """How many frames the whole film has."""
        return math.ceil(self.length * self.fps)

    def step_at(self, t: float) -> tuple[int, str]:
        """The number of steps that have begun at time `t`, and the phase: come, leave or rest."""
        part = self._part(t)
        return part.step, part.phase

    def rest_of(self, step: int) -> tuple[float, float]:
        """When the table rests after `step` steps: from and until."""
        part = next(part for part in self._parts if part.step == step and part.phase == "rest")
        return part.start, part.start + part.length

    def _part(self, t: float) -> _Part:
        return self._parts[max(0, bisect_right(self._starts, t) - 1)]

    def stage(self, step: int) -> Stage:
        """The drawn table after `step` steps; only what changed since the last call is drawn."""
        wanted = self._tables[step]
        if self._stage is not None:
            table, stage = self._stage
            if _same(wanted, table):
                return stage
            if len(wanted) > len(table) and _same(wanted[: len(table)], table):
                for piece in wanted[len(table) :]:
                    stage.add(piece)
                self._stage = (wanted, stage)
                return stage
        stage = Stage(self.played.camera, self.played.look)
        for piece in wanted:
            stage.add(piece)
        self._stage = (wanted, stage)
        return stage

    def picture(self, index: int) -> np.ndarray:
        """Frame number `index`."""
        part = self._part(index / self.fps)
        if part.phase == "rest":
            if self._clean is None or self._clean[0] != part.step:
                stage = self.stage(part.step)
                clean = expose(stage.camera, stage.look, stage.canvas, stage.gloss)
                self._clean = (part.step, clean)
            clean = self._clean[1]
        else:
            stage = self._with_hand(part, (index / self.fps - part.start) / part.length)
            clean = expose(stage.camera, stage.look, stage.canvas, stage.gloss)
        rng = np.random.default_rng([self.played.seed, index])
        return add_noise(clean, self.played.look.noise, rng)

    def stills(self) -> Iterator[tuple[int, Step | None, np.ndarray]]:
        """One picture of the resting table per step (first before any step): what a patient camera would keep.

        For tests and measurements that need every position but not every frame between two of them.
        """
        for part in self._parts:
            if part.phase == "rest":
                step = self.played.steps[part.step - 1] if part.step else None
                yield part.step, step, self.picture(math.ceil(part.start * self.fps))

    def labels(self, index: int) -> tuple[Any, ...]:
        """The exact labels of frame `index`, hands included."""
        part = self._part(index / self.fps)
        if part.phase == "rest":
            return label_stage(self.stage(part.step))
        return label_stage(self._with_hand(part, (index / self.fps - part.start) / part.length))

    def _with_hand(self, part: _Part, progress: float) -> Stage:
        step = self.played.steps[part.step - 1]
        before, after = self._tables[part.step - 1], self._tables[part.step]
        coming = part.phase == "come"
        stage = self.stage(part.step - 1 if coming else part.step).copy()
        near = progress if coming else 1 - progress
        near = near * near * (3 - 2 * near)
        camera = self.played.camera
        seat = step.player if step.player is not None else 0
        sides = SEATS[2 if self.played.seats == 2 else 4]
        towards = sides[seat % len(sides)] + 18 * math.sin(7.3 * part.step + seat)
        x, y = self._spot(step)
        back = (1 - near) * 0.9 * camera.distance * math.tan(math.radians(camera.fov / 2)) * 2
        a = math.radians(towards)
        x, y = x - back * math.cos(a), y - back * math.sin(a)
        new = [p for p in after if not any(p is q for q in before)]
        if coming and new and step.held:
            held = new[-1]
            stage.add(_moved(held, x, y, 14.0))
        stage.add(hand_at(x, y, towards, 16.0 + 20 * (1 - near), seed=self.played.seed * 8 + seat))
        return stage

    @staticmethod
    def _spot(step: Step) -> tuple[float, float]:
        if step.at is not None:
            return step.at
        return (step.table[-1].x, step.table[-1].y) if step.table else (0.0, 0.0)


def _same(a: tuple[Placed, ...], b: tuple[Placed, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


def _moved(piece: Placed, x: float, y: float, z: float) -> Placed:
    return Placed(piece.sprite, x, y, piece.turn, z, piece.shade)


class SimCamera:
    """A film played at `speed` times camera speed. With `realtime` false every `read` gives the next frame.

    `pause`, `resume`, `step` (one frame) and `seek` are for a person at the page; `take_declarations` gives what has
    been said since it was last asked.
    """

    def __init__(
        self,
        film: Film | Played,
        speed: float = 1.0,
        realtime: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.film = film if isinstance(film, Film) else Film(film)
        self._realtime, self._clock = realtime, clock
        self._speed = speed
        self._position = 0.0  # seconds of film at the moment `_since`
        self._since = clock()
        self._paused = False
        self._last = -1
        self._said = 0
        self._closed = False

    # -- the camera protocol --------------------------------------------------------------------------------------

    def read(self) -> Frame | None:
        """The newest frame, or None if it was read before or the film is over."""
        if self._closed:
            return None
        if self._realtime:
            index = min(int(self.position * self.film.fps), self.film.frames - 1)
            if index == self._last:
                return None
        else:
            if self._paused or self._last + 1 >= self.film.frames:
                return None
            index = self._last + 1
            self._position = index / self.film.fps
        self._last = index
        return Frame(self.film.picture(index), index / self.film.fps, index)

    @property
    def status(self) -> CameraStatus:
        """`ok`, or `ended` when the film is over or the camera closed."""
        if self._closed or self._last >= self.film.frames - 1:
            return CameraStatus("ended", "La partida simulada ha terminado.", "The simulated game is over.")
        return CameraStatus("ok")

    def close(self) -> None:
        """Stop; may be called twice."""
        self._closed = True

    # -- for a person ---------------------------------------------------------------------------------------------

    @property
    def position(self) -> float:
        """Where the film is, in seconds."""
        if not self._realtime or self._paused:
            return min(self._position, self.film.length)
        return min(self._position + (self._clock() - self._since) * self._speed, self.film.length)

    @property
    def paused(self) -> bool:
        """Whether the film stands still."""
        return self._paused

    @property
    def speed(self) -> float:
        """How many seconds of film go by in one of the clock."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not 0 < value <= 100:
            raise ValueError("the speed is a positive factor, at most 100")
        self.seek(self.position)
        self._speed = value

    def pause(self) -> None:
        """Stand still; the same frame stays the newest one."""
        self.seek(self.position)
        self._paused = True

    def resume(self) -> None:
        """Go on."""
        self._since = self._clock()
        self._paused = False

    def step(self) -> None:
        """One frame further, while paused."""
        self.seek(self.position + 1.001 / self.film.fps)

    def seek(self, seconds: float) -> None:
        """Go to a moment of the film."""
        self._position = min(max(0.0, seconds), self.film.length)
        self._since = self._clock()
        if not self._realtime:
            self._last = int(self._position * self.film.fps) - 1

    def take_declarations(self) -> list[Declaration]:
        """What was said up to now and not taken before, in order of time."""
        due = []
        while self._said < len(self.film.declarations) and self.film.declarations[self._said].time <= self.position:
            due.append(self.film.declarations[self._said])
            self._said += 1
        return due
