"""A played game as it would be seen: what lies on the table after each step, who did it, and what was only said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from datasets.scene import CameraModel, Look, Placed
from datasets.scene.stage import outline

Json = dict[str, Any]
Point = tuple[float, float]
Rect = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)  # a step is itself: two alike at different times are two
class Step:
    """One thing that happens.

    `table` is everything that lies there afterwards, in drawing order. A step that the camera can see has `seen`; one
    that it cannot (a draw, a pass, a bid) is declared: by `move` in the engine's notation, or by `call`, which is
    something said that is no move (who opened, that the table was cleared). `illegal` holds the codes of what is wrong
    with an illegal placement; the next step takes it back. `held` says whether the hand brings the new piece along
    (a loom stays where it is while it is woven).
    """

    table: tuple[Placed, ...]
    player: int | None = None
    move: str = ""
    seen: bool = True
    at: Point | None = None
    call: Mapping[str, Any] | None = None
    illegal: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    held: bool = True


@dataclass(frozen=True, slots=True)
class Played:
    """A whole game, ready to be filmed. `setup` starts the engine again; `moves` replayed on it are the truth."""

    game: str
    seed: int
    setup: Json
    steps: tuple[Step, ...]
    camera: CameraModel
    look: Look
    seats: int = 2
    furniture: tuple[Placed, ...] = ()
    extra: Json = field(default_factory=dict)

    @property
    def moves(self) -> tuple[str, ...]:
        """Every legal move in order, seen or said."""
        return tuple(step.move for step in self.steps if step.move and not step.illegal)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores at the end."""
        return next((step.scores for step in reversed(self.steps) if step.scores), ())

    @property
    def illegal(self) -> tuple[Step, ...]:
        """The illegal steps: none, or the one that was asked for."""
        return tuple(step for step in self.steps if step.illegal)

    def filmed(self, camera: CameraModel | None = None, look: Look | None = None) -> Played:
        """The same game through another camera or in another light."""
        return replace(self, camera=camera or self.camera, look=look or self.look)

    def truth(self) -> Json:
        """Moves, scores and what is illegal, as JSON beside a recording."""
        return {
            "game": self.game,
            "seed": self.seed,
            "setup": self.setup,
            "moves": list(self.moves),
            "scores": list(self.scores),
            "illegal": [{"after": self.steps.index(s), "move": s.move, "codes": list(s.illegal)} for s in self.illegal],
            **self.extra,
        }


class NotPossible(ValueError):
    """A game of this seed has no place for the illegal placement that was asked for, or none can be made."""


def covered(tables: list[tuple[Placed, ...]], margin: float = 16.0) -> Rect:
    """The rectangle of the table (mm) that everything fits into, with a margin, at least as large as a sheet."""
    unique = {id(piece): piece for table in tables for piece in table}
    points = [np.array([[-100.0, -60.0], [100.0, 60.0]])]
    points += [piece.on_table(outline(piece.sprite)) for piece in unique.values()]
    every = np.concatenate(points)
    low, high = every.min(axis=0) - margin, every.max(axis=0) + margin
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def film(
    rng: np.random.Generator,
    covers: Rect,
    size: tuple[int, int] = (1280, 720),
    reserved: bool = False,
    hard: float = 0.2,
    centred: bool = False,
) -> tuple[CameraModel, Look]:
    """A webcam on a stand, up to 35° off the vertical, that sees the whole rectangle, in the light of a room.

    `centred`: it is aimed at the middle, as somebody does who knows that the picture's halves are the players' zones.
    """
    camera = CameraModel.random(rng, covers, size, max_tilt=35.0, slack=(1.02, 1.12))
    # Players sit around the camera's picture; one that stands at their elbow would show hands from anywhere.
    camera = replace(camera, azimuth=90.0 + float(rng.normal(0, 4)), roll=float(rng.normal(0, 1.5)))
    if centred:
        camera = replace(camera, target=((covers[0] + covers[2]) / 2, (covers[1] + covers[3]) / 2))
    look = replace(Look.random(rng, hard, reserved=reserved), motion=(0.0, 0.0))
    return camera.fitted(covers, 1.04), look


def finish(
    rng: np.random.Generator,
    game: str,
    seed: int,
    setup: Json,
    steps: list[Step],
    *,
    seats: int,
    size: tuple[int, int],
    reserved: bool,
    covers: Rect | None = None,
    extra: Json | None = None,
) -> Played:
    """The played game with a camera that sees all of it, and the table's corners in its picture.

    `covers` is the table where its middle matters (zones); else it is what the pieces need.
    """
    x1, y1, x2, y2 = table = covers or covered([step.table for step in steps])
    camera, look = film(rng, table, size, reserved, centred=covers is not None)
    corners = camera.project([(x1, y1, 0.0), (x2, y1, 0.0), (x2, y2, 0.0), (x1, y2, 0.0)])
    calibration = {"corners": [[round(float(x), 1), round(float(y), 1)] for x, y in corners]}
    facts = {"players": seats, "calibration": calibration, **(extra or {})}
    return Played(game, seed, setup, tuple(steps), camera, look, seats, extra=facts)


def spot(piece: Placed) -> Point:
    """Where a piece lies."""
    return piece.x, piece.y
