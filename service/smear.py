"""A smear on the demonstration's lens: how it looks, and how strong it must be for the eyes to be honestly in doubt.

A doubt cannot be ordered from eyes that learn: what blurs one network is clear to the next. So smears (grease over the
piece, or a lamp's shine on a part of it) are tried out beforehand, from weak to strong and then between what is still
read and what no longer is, on the very table that is about to be filmed, until the real eyes and the real referee would
ask about it and the right answer is among those offered. Where no smear does that, there is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
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
Ladder = Sequence["Smear"]
# Grease over a whole piece: millimetres of blur and the share of a white veil, weak to strong.
GREASE: dict[str, tuple[tuple[float, float], ...]] = {
    "truco": ((4.2, 0.4), (7.0, 0.7), (9.0, 0.8), (12.0, 0.88), (15.0, 0.93), (18.0, 0.96), (22.0, 0.98)),
    "trichon": ((4.2, 0.4), (7.0, 0.7), (9.0, 0.8), (12.0, 0.88), (15.0, 0.93), (18.0, 0.96), (22.0, 0.98)),
    "tronix": ((8.0, 0.55), (9.3, 0.62), (10.0, 0.66), (10.6, 0.69), (11.2, 0.72)),
}
GREASE_RADIUS = 30.0
# A shine over a part of a piece: its radius, in parts of the way from the middle to a corner.
SHINES = {"triominos": (0.12, 0.18, 0.26, 0.34), "truco": (0.24, 0.42, 0.54, 0.68, 0.84)}
SHINES["trichon"] = SHINES["truco"]
SHINE_BLUR, SHINE_VEIL = 0.12, 0.85
TO_CORNER = 0.55  # a tile's numbers lie so far from its middle to its corners
# On a loom the spot lies on one crossing of the new cords: blur in lanes, and the veil.
ON_CROSSING = ((0.2, 0.1), (0.3, 0.2), (0.42, 0.3), (0.6, 0.4))
CROSSING_RADIUS = 0.75
BORDER = 60.0  # pixels
LOOKS = 2
HALVINGS = 5


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
        # At the picture's border it thins out: what reaches in from there is taken for an arm, and arms are waited for.
        edge = np.minimum.reduce([columns, rows, width - 1 - columns, height - 1 - rows])[..., None]
        mask *= np.clip(edge / BORDER, 0.0, 1.0)
        greasy = cv2.GaussianBlur(part, (0, 0), max(self.blur, 0.1)) * (1 - self.veil) + 235.0 * self.veil
        smeared = picture.copy()
        smeared[top:bottom, left:right] = (part * (1 - mask) + greasy * mask).astype(np.uint8)
        return smeared

    def towards(self, other: Smear) -> Smear:
        """The smear half way to another one."""
        x, y = (self.at[0] + other.at[0]) / 2, (self.at[1] + other.at[1]) / 2
        middle = ((self.radius + other.radius) / 2, (self.blur + other.blur) / 2, (self.veil + other.veil) / 2)
        return Smear((x, y), *middle)


def ladders(
    game: str, at: Point, pixel: Callable[[Point], Point], labels: Sequence[PieceLabel], move: str
) -> list[Ladder]:
    """The smears to try for a piece laid at `at` (mm), as ladders from weak to strong."""
    spot = pixel(at)
    if game == "trama":
        return _on_crossings(labels, spot, move)
    found: list[Ladder] = []
    laid = min((one for one in labels if one.corners), key=lambda one: math.dist(_middle(one), spot), default=None)
    if laid is not None and game in SHINES:
        middle, corners = _middle(laid), laid.corners
        reach = max(math.dist(middle, corner) for corner in corners)
        spots = [middle]
        if game == "triominos":
            spots = [(x + TO_CORNER * (c[0] - x), y + TO_CORNER * (c[1] - y)) for (x, y) in spots for c in corners]
        found += [[Smear(s, r * reach, SHINE_BLUR * reach, SHINE_VEIL) for r in SHINES[game]] for s in spots]
    if game in GREASE:
        scale = math.dist(pixel((at[0] + 20.0, at[1])), spot) / 20.0
        found.append([Smear(spot, GREASE_RADIUS * scale, blur * scale, veil) for blur, veil in GREASE[game]])
    return found


def _middle(label: PieceLabel) -> Point:
    x, y = np.mean(label.corners, axis=0)
    return float(x), float(y)


def _on_crossings(labels: Sequence[PieceLabel], spot: Point, move: str) -> list[Ladder]:
    """Ladders on the loom nearest to a pixel, over crossings that the move has woven."""
    boards = [loom for loom in labels if loom.kind == "loom" and loom.facts.get("grid")]
    woven = [(int(h), int(v)) for h, v in re.findall(r"\bh(\d+)v(\d+)=", move)]
    if not boards or not woven:
        return []
    board = min(boards, key=lambda loom: math.dist(_middle(loom), spot))
    grid = np.array(board.facts["grid"], np.float32)
    last = int(board.facts.get("lanes", 8)) - 1
    lanes = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    matrix = cv2.getPerspectiveTransform(lanes, grid)
    pitch = math.dist(grid[0], grid[1]) / last
    found: list[Ladder] = []
    for h, v in (woven[len(woven) // 2], woven[0], woven[-1]):
        x, y = (float(c) for c in cv2.perspectiveTransform(np.array([[[v, h]]], np.float32), matrix)[0, 0])
        found.append([Smear((x, y), CROSSING_RADIUS * pitch, blur * pitch, veil) for blur, veil in ON_CROSSING])
    return found


class Rehearsal:
    """A table about to be filmed, looked at beforehand through one smear after the other."""

    def __init__(self, match: Match, eyes: Looks, pictures: Sequence[np.ndarray], wanted: str) -> None:
        self.match, self.eyes, self.pictures, self.wanted = match, eyes, pictures, wanted

    def find(self, ladders: Iterable[Ladder]) -> Smear | None:
        """A smear through which the referee asks, every time, and offers what is right; None if there is none.

        Where one rung is still read rightly and the next is not, the doubt lies between them and is looked for there.
        """
        if self._outcome(self.pictures[0]) != "right":
            return None  # what is not even read through a clean lens is no place for a smear
        for ladder in ladders:
            clear: Smear | None = None
            for rung in ladder:
                outcome = self._through(rung)
                if outcome == "asks" and self._always(rung):
                    return rung
                if outcome == "right":
                    clear = rung
                    continue
                if clear is not None and (found := self._between(clear, rung)) is not None:
                    return found
                if outcome == "wrong":
                    break
        return None

    def _between(self, clear: Smear, blind: Smear) -> Smear | None:
        for _ in range(HALVINGS):
            rung = clear.towards(blind)
            outcome = self._through(rung)
            if outcome == "asks" and self._always(rung):
                return rung
            if outcome == "right":
                clear = rung
            else:
                blind = rung
        return None

    def _through(self, smear: Smear) -> str:
        return self._outcome(smear.over(self.pictures[0]))

    def _always(self, smear: Smear) -> bool:
        """Whether each single look asks, and also what two looks settle on: the film's noise must not decide."""
        if any(self._outcome(smear.over(picture)) != "asks" for picture in self.pictures[1:]):
            return False
        stabiliser, stable = Stabiliser(LOOKS), None
        for picture in self.pictures[:LOOKS]:
            stable = stabiliser.update(self.eyes.read(smear.over(picture)))
        return stable is not None and self._judge(stable) == "asks"

    def _outcome(self, picture: np.ndarray) -> str:
        return self._judge(self.eyes.read(picture))

    def _judge(self, table: TableState) -> str:
        """`right`: the move would be understood; `asks`: one is asked, and can answer; `wrong`: neither."""
        match = self.match
        with match.lock:
            seen = with_readings(table, match.position.readings)
            verdict = match.referee.judge(match.game, seen, match.context())
            if verdict.illegal:
                return "wrong"
            if verdict.question is not None:
                asked = match.question_draft(verdict.question, None, 0).data
                which = verdict.question.kind == "which"
                return "asks" if which and right_answer(match, table, asked, self.wanted) is not None else "wrong"
            same = verdict.move is not None and same_move(match, verdict.move.move, self.wanted)
            return "right" if same else "wrong"


def right_answer(match: Match, table: TableState, asked: Json, wanted: str) -> str | None:
    """The option of a question that leads to the move `wanted`, or towards it; None where none does."""
    for option in asked["options"]:
        if option.get("move") and same_move(match, option["move"], wanted):
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
        if verdict.move is not None and same_move(match, verdict.move.move, wanted):
            return str(option["id"])
    return None


def same_move(match: Match, a: str, b: str) -> bool:
    """Whether two texts are the same move now.

    Where a tile lies is counted from wherever the camera saw the first one and turned as it was read, which need not be
    as the script counts; the picture shows the place, so of tiles only who lays which one is compared.
    """
    try:
        one, two = match.game.parse_move(a), match.game.parse_move(b)
    except RulesError:
        return False
    tile = getattr(one, "tile", None)
    return bool(one == two) or (tile is not None and (one.player, tile) == (two.player, getattr(two, "tile", None)))


def _detail_of(label: str, wanted: str) -> bool:
    """Whether a detail (`v3 rojo`, `h2v5 h`, `v3 -`) is as in the weaving `0 weave v3=rojo h2v5=h`."""
    place, _, value = label.partition(" ")
    said = dict(token.split("=", 1) for token in wanted.split() if "=" in token)
    return said.get(place, "-") == value
