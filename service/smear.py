"""A smear on the demonstration's lens: how it looks, and how strong it must be for the eyes to be honestly in doubt.

A doubt cannot be ordered from eyes that learn: what blurs one network is clear to the next. So the smear is tried out
beforehand, from weak to strong, on the very table that is about to be filmed, until the real eyes and the real referee
would ask about it and the right answer is among those offered. Where no smear does that, there is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from datasets.labels import PieceLabel
from rules.game import RulesError
from service.match import Match
from service.referee.base import with_readings
from service.table import Looks
from vision.stabiliser import Stabiliser
from vision.state import TableState

Json = dict[str, Any]
Point = tuple[float, float]
# Millimetres of blur and the share of a white veil, weak to strong: what grease on a lens does to each family.
STRENGTHS: dict[str, tuple[tuple[float, float], ...]] = {
    "triominos": ((0.9, 0.0), (1.2, 0.1), (1.5, 0.2), (1.7, 0.3), (1.9, 0.4), (2.1, 0.5), (2.4, 0.55), (2.7, 0.6)),
    "truco": ((1.8, 0.2), (2.4, 0.3), (3.2, 0.3), (4.2, 0.4), (4.8, 0.5), (5.4, 0.6), (6.2, 0.65)),
    "trichon": ((1.8, 0.2), (2.4, 0.3), (3.2, 0.3), (4.2, 0.4), (4.8, 0.5), (5.4, 0.6), (6.2, 0.65)),
    "tronix": ((8.0, 0.55), (9.3, 0.62), (10.0, 0.66), (10.6, 0.69), (11.2, 0.72)),
}
RADIUS = {"triominos": 20.0, "truco": 30.0, "trichon": 30.0, "tronix": 30.0}
# On a loom the spot lies on one crossing of the new cords: blur in lanes, and the veil.
ON_CROSSING = ((0.2, 0.1), (0.3, 0.2), (0.42, 0.3), (0.6, 0.4))
CROSSING_RADIUS = 0.75
LOOKS = 2


@dataclass(frozen=True, slots=True)
class Smear:
    """A round spot of grease, in pixels."""

    at: Point
    radius: float
    blur: float
    veil: float = 0.0

    def over(self, picture: np.ndarray) -> np.ndarray:
        """The picture through this lens."""
        (x, y), reach = self.at, 2 * self.radius
        height, width = picture.shape[:2]
        left, top = int(max(0, x - reach)), int(max(0, y - reach))
        right, bottom = int(min(width, x + reach)), int(min(height, y + reach))
        if right - left < 4 or bottom - top < 4:
            return picture
        part = picture[top:bottom, left:right].astype(np.float32)
        rows, columns = np.mgrid[top:bottom, left:right].astype(np.float32)
        mask = np.exp(-((((columns - x) ** 2 + (rows - y) ** 2) / (2 * self.radius**2)) ** 2))[..., None]
        greasy = cv2.GaussianBlur(part, (0, 0), max(self.blur, 0.1)) * (1 - self.veil) + 235.0 * self.veil
        smeared = picture.copy()
        smeared[top:bottom, left:right] = (part * (1 - mask) + greasy * mask).astype(np.uint8)
        return smeared


def smears(game: str, at: Point, pixel: Callable[[Point], Point]) -> Iterator[Smear]:
    """The smears to try over a piece at `at` (mm), weak ones first."""
    spot = pixel(at)
    scale = math.dist(pixel((at[0] + 20.0, at[1])), spot) / 20.0
    for blur, veil in STRENGTHS[game]:
        yield Smear(spot, RADIUS[game] * scale, blur * scale, veil)


def loom_smears(looms: Sequence[PieceLabel], spot: Point, move: str) -> Iterator[Smear]:
    """The smears to try on the loom nearest to a pixel, over crossings that the move has woven, weak ones first."""
    boards = [loom for loom in looms if loom.kind == "loom" and loom.facts.get("grid")]
    woven = [(int(h), int(v)) for h, v in re.findall(r"\bh(\d+)v(\d+)=", move)]
    if not boards or not woven:
        return
    board = min(boards, key=lambda loom: math.dist(np.mean(loom.corners, axis=0), spot))
    grid = np.array(board.facts["grid"], np.float32)
    last = int(board.facts.get("lanes", 8)) - 1
    lanes = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    matrix = cv2.getPerspectiveTransform(lanes, grid)
    pitch = math.dist(grid[0], grid[1]) / last
    chosen = [woven[len(woven) // 2], woven[0], woven[-1]]
    for blur, veil in ON_CROSSING:
        for h, v in chosen:
            x, y = cv2.perspectiveTransform(np.array([[[v, h]]], np.float32), matrix)[0, 0]
            yield Smear((float(x), float(y)), CROSSING_RADIUS * pitch, blur * pitch, veil)


def rehearse(
    match: Match, eyes: Looks, pictures: Sequence[np.ndarray], tries: Iterable[Smear], wanted: str
) -> Smear | None:
    """The first smear through which the referee asks, and offers what leads to the move `wanted`; None if none does."""
    for smear in tries:
        stabiliser, stable = Stabiliser(LOOKS), None
        for picture in pictures[:LOOKS]:
            stable = stabiliser.update(eyes.read(smear.over(picture)))
        if stable is None:
            continue
        with match.lock:
            seen = with_readings(stable, match.position.readings)
            verdict = match.referee.judge(match.game, seen, match.context())
            if verdict.question is None or verdict.question.kind != "which" or verdict.illegal:
                continue
            asked = match.question_draft(verdict.question, None, 0).data
            if right_answer(match, stable, asked, wanted) is not None:
                return smear
    return None


def right_answer(match: Match, table: TableState, asked: Json, wanted: str) -> str | None:
    """The option of a question that leads to the move `wanted`, or towards it; None where none does."""
    for option in asked["options"]:
        if option.get("move") and _same(match, option["move"], wanted):
            return str(option["id"])
    for option in asked["options"]:
        reading = option.get("reading")
        if reading is None:
            continue
        if reading["kind"] == "loom":  # one detail of many: the others may still be asked about
            if _detail_of(option["label"], wanted):
                return str(option["id"])
            continue
        seen = with_readings(table, [*match.position.readings, reading])
        verdict = match.referee.judge(match.game, seen, match.context())
        if verdict.move is not None and _same(match, verdict.move.move, wanted):
            return str(option["id"])
    return None


def _same(match: Match, a: str, b: str) -> bool:
    """Whether two texts are the same move now."""
    try:
        one, two = match.game.parse_move(a), match.game.parse_move(b)
    except RulesError:
        return False
    return bool(one == two)


def _detail_of(label: str, wanted: str) -> bool:
    """Whether a detail (`v3 rojo`, `h2v5 h`, `v3 -`) is as in the weaving `0 weave v3=rojo h2v5=h`."""
    place, _, value = label.partition(" ")
    said = dict(token.split("=", 1) for token in wanted.split() if "=" in token)
    return said.get(place, "-") == value
