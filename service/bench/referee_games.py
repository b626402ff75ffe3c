"""One played game at a time through the whole pipeline: what came of it, as a line that can be kept and counted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.played import VISIBLE_CODES, NotPossible, Played, play
from datasets.simcam import Film
from service.table import Looks
from service.taught import taught_eyes
from service.walk import Flag, TrueEyes, Walked, walk

# The eyes that a game can be measured with: its own, its own after the players taught it their deck, and eyes that
# know the film, which show what the referee does by itself.
EYES: dict[str, Callable[[Film], Looks | None]] = {"own": lambda film: None, "taught": taught_eyes, "true": TrueEyes}
SMALL = (640, 360)  # who knows the film needs no large pictures of it
ILLEGAL_AFTER, PER_CODE = 5_000, 400  # where the seeds of illegal games begin, and how many each code has
NEAR = 0.75  # of a piece's size: so near to where it happened a flag must point


@dataclass(frozen=True, slots=True)
class Task:
    """A game to be walked: `code` is the illegal placement in it, empty for a legal game."""

    game: str
    eyes: str
    seed: int
    code: str = ""
    short: bool = False

    @property
    def name(self) -> str:
        """As it is printed and found again."""
        return f"{self.game} {self.eyes} {self.seed} {self.code or 'legal'}{' short' if self.short else ''}"


@dataclass(slots=True)
class Result:
    """What came of a task. Of an illegal game: `flagged` are the codes said about the illegal step."""

    task: Task
    exact: bool
    totals: list[int]
    scores: list[int]
    questions: int
    false_alarms: list[list[str]]
    lost: list[int]
    latencies: list[float]
    flagged: list[str] = field(default_factory=list)
    in_place: bool = True
    seconds: float = 0.0

    @property
    def caught(self) -> bool:
        """Whether the illegal placement was flagged with its code."""
        return self.task.code in self.flagged

    @property
    def fault(self) -> str:
        """What was wrong, in words; empty if nothing was."""
        words = []
        if self.task.code and not self.caught:
            words.append(f"flagged as {', '.join(self.flagged)}" if self.flagged else "not flagged")
        if self.caught and not self.in_place:
            words.append("flagged at another place")
        if not self.exact:
            words.append(f"scored {self.totals} for {self.scores}, lost steps {self.lost}")
        words += [f"false alarm: {', '.join(codes)}" for codes in self.false_alarms]
        return "; ".join(words)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary that `of` reads."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Result:
        """The result that `to_json` gave."""
        return cls(**{**data, "task": Task(**data["task"])})


def legal_tasks(game: str, eyes: str, first: int, count: int, short: bool) -> list[Task]:
    """Legal games by the seeds from `first` on."""
    return [Task(game, eyes, first + number, "", short) for number in range(count)]


def illegal_tasks(game: str, eyes: str, first: int, count: int) -> Iterator[list[Task]]:
    """For each code that the camera can see the tasks that may stage it, more than `count`: not every seed has room."""
    for index, code in enumerate(VISIBLE_CODES[game]):
        start = first + ILLEGAL_AFTER + PER_CODE * index
        yield [Task(game, eyes, start + number, code, True) for number in range(min(PER_CODE, 10 * count))]


def played_of(task: Task) -> Played:
    """The game of a task; `NotPossible` where its seed has no room for the illegal placement."""
    more: dict[str, Any] = {"size": SMALL} if task.eyes == "true" else {}
    return play(task.game, task.seed, illegal=task.code or None, short=task.short, **more)


def run(task: Task, pictures: Path | None = None) -> Result:
    """Walk the game of a task; of what went wrong, pictures are left in a folder."""
    played = played_of(task)
    film = Film(played)
    found = walk(film, eyes=EYES[task.eyes](film), hands=task.eyes != "true")
    flags = [flag for flag in found.flags if flag.expected]
    result = Result(
        task,
        found.exact,
        list(found.totals),
        list(played.scores),
        len(found.questions),
        [list(flag.codes) for flag in found.false_alarms],
        list(found.lost),
        [round(ms, 1) for ms in found.latencies],
        sorted({code for flag in flags for code in flag.codes}),
        any(_in_place(played, flag) for flag in flags) if task.code else True,
        round(found.seconds, 1),
    )
    if pictures is not None and result.fault:
        _picture(film, found, result, pictures)
    return result


def _in_place(played: Played, flag: Flag) -> bool:
    """Whether a flag points to where the hand was; the flag of a whole table points everywhere."""
    at = played.steps[flag.step - 1].at
    if at is None or not flag.pieces:
        return True
    x, y = played.camera.project([(*at, 0.0)])[0]
    for piece in flag.pieces:
        corners = np.array(piece["corners"], float)
        size = float(np.ptp(corners, axis=0).max())
        if math.dist(corners.mean(axis=0), (float(x), float(y))) < NEAR * size:
            return True
    return False


def _picture(film: Film, found: Walked, result: Result, folder: Path) -> None:
    """The table at every step that went wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = {flag.step for flag in found.false_alarms} | set(found.lost)
    if result.task.code and not (result.caught and result.in_place):
        steps |= {n for n, step in enumerate(found.played.steps, start=1) if step.illegal}
    for step in sorted(steps):
        image = film.picture(math.ceil((film.rest_of(step)[0] + 0.5) * film.fps))
        name = result.task.name.replace(" ", "-")
        cv2.imwrite(str(folder / f"{name}-step{step}.png"), image)


class Log:
    """Results in a file, one per line: what is there need not be walked again."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.known: dict[Task, Result] = {}
        self.impossible: set[Task] = set()
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                data = json.loads(line)
                if "impossible" in data:
                    self.impossible.add(Task(**data["impossible"]))
                else:
                    result = Result.of(data)
                    self.known[result.task] = result

    def _append(self, data: dict[str, Any]) -> None:
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(data) + "\n")

    def result(self, task: Task, pictures: Path | None = None) -> Result | None:
        """The result of a task, from the file or walked now; None where its seed has no room for it."""
        if task in self.impossible:
            return None
        if task not in self.known:
            try:
                self.known[task] = run(task, pictures)
            except NotPossible:
                self.impossible.add(task)
                self._append({"impossible": asdict(task)})
                return None
            self._append(self.known[task].to_json())
        return self.known[task]
