"""How fast scenes and films are drawn, per second of one core's time, so that a busy computer measures the same."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from datasets.generate import FAMILIES, make_scene
from datasets.labels import PieceLabel
from datasets.matching import match
from datasets.played import GAMES, play
from datasets.simcam import Film
from service.bench.table import Row

FIRST = 900_000  # seeds of the training split that nothing else uses


def per_second(act: Callable[[int], object], count: int) -> float:
    """How often `act` (called with 0, 1, …) is done in a second of processor time, after one call to warm up."""
    act(0)
    started = process_time()
    for number in range(1, count + 1):
        act(number)
    return count / max(process_time() - started, 1e-9)


def rows(quick: bool) -> list[Row]:
    """Scenes per second by family, frames per second of each game's film, games played, scenes compared."""
    count = 6 if quick else 40
    found = []
    for family in FAMILIES:
        speed = per_second(lambda n, family=family: make_scene(family, FIRST + n), count)  # type: ignore[misc]
        found.append(Row(f"scenes of {family}", speed, "scenes/s", "1280 × 720, drawn, exposed, labelled, as JPEG"))
    for game in GAMES:
        started = process_time()
        film = Film(play(game, 12, short=True))
        took = process_time() - started
        found.append(Row(f"{game}: a short game played", took, "s", f"{len(film.played.steps)} steps"))
        rest, hand = _frames(film)
        frames = 20 if quick else 60
        film.picture(rest)
        still = per_second(lambda n, film=film, at=rest: film.picture(at + n % 5), frames)  # type: ignore[misc]
        found.append(Row(f"{game}: frames of a resting table", still, "frames/s"))
        busy = per_second(lambda n, film=film, at=hand: film.picture(at + n % 5), frames // 4)  # type: ignore[misc]
        found.append(Row(f"{game}: frames with a hand", busy, "frames/s"))
    truths = make_scene("cards", FIRST).pieces
    compare = per_second(lambda _: _match(truths), 200 if quick else 2000)
    found.append(Row("scenes compared with their labels", compare, "scenes/s", f"{len(truths)} cards"))
    return found


def _frames(film: Film) -> tuple[int, int]:
    """A frame of the resting table in the middle of the film, and one with a hand over it."""
    seen = [number for number, step in enumerate(film.played.steps, 1) if step.seen and step.table]
    wanted = seen[len(seen) // 2]
    hand = rest = 0
    for index in range(film.frames):
        step, phase = film.step_at(index / film.fps)
        if step == wanted and phase == "leave" and not hand:
            hand = index
        if step == wanted and phase == "rest":
            rest = index + 2
            break
    return rest, hand


def _match(truths: tuple[PieceLabel, ...]) -> bool:
    return match(truths, [truth.to_piece(0.9) for truth in truths]).exact
