"""Cords that break a loom's physical order in their lanes: slack ones, and two in one lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from vision.looms.colors import lab
from vision.looms.cords import Cord
from vision.looms.dyes import ALIKE
from vision.looms.shapes import COLORS

BROAD, BESIDE = 1.65, 0.17  # two cords are so many times, and by so many pitches, broader than one of this loom
SHOWS, UNLIKE = 9.0, 20.0  # Lab distances from the board, and from each other, of two cords in one lane
# A lane that holds two cords is parted by this at least. On drawn games 88 of 92 pairs were, and none of 5,239 single
# cords that could be taken for two: those that stand out from the board on both sides, by their shadow, were parted by
# -0.41 at most, those that seem to be of two dyes by -0.65.
PARTED = -0.35
SLACK = 0.28  # a cord that strays this far from its lane, in pitches, is slack


def problems_of(cords: list[Cord]) -> list[dict[str, Any]]:
    """What is wrong with the cords in their lanes."""
    held = [c for c in cords if c.held]
    problems: list[dict[str, Any]] = []
    usual = float(np.median([c.width for c in held])) if len(held) >= 3 else 0.0
    for cord in held:
        place = {"axis": cord.axis, "lane": cord.lane}
        a, b = (int(np.argmax(half)) for half in cord.halves)
        two_dyes = a != b and min(cord.halves[0][a], cord.halves[1][b]) > 0.8
        shows, unlike = _side_by_side(cord)
        broad = usual > 0 and cord.width > max(BROAD * usual, usual + BESIDE)
        certain = (two_dyes and (broad or shows or not usual)) or (broad and shows)
        if not two_dyes and unlike:
            a, b = (_named(shade, half, held) for shade, half in zip(cord.beside, cord.halves, strict=False))
            two_dyes = a != b
            certain |= two_dyes
        # A cord in the lane's middle is alone: what looks like another beside it is its shadow, or a strip of a panel.
        certain &= cord.parted > PARTED
        if cord.bow > SLACK:
            problems.append({"code": "slack", **place, "by": round(cord.bow, 2)})
        elif certain:
            colors = [COLORS[a], COLORS[b]] if two_dyes else [COLORS[int(np.argmax(cord.dyes))]] * 2
            problems.append({"code": "doubled", **place, "colors": colors})
    return problems


def _side_by_side(cord: Cord) -> tuple[bool, bool]:
    """Whether both sides of a lane show something that is not the board, and whether they look unlike.

    The board may look different left and right of a lane: the edge of a panel may run along it.
    """
    left, right, *ground = lab(cord.beside) * np.array([0.5, 1.0, 1.0])
    apart = [float(np.linalg.norm(side - beyond)) for side in (left, right) for beyond in ground]
    shows = min(apart) > SHOWS
    return shows, shows and float(np.linalg.norm(left - right)) > UNLIKE


def _named(shade: np.ndarray, half: np.ndarray, held: list[Cord]) -> int:
    """The dye of one of two cords in a lane: that of the cords of other lanes that look like it."""
    shades = np.stack([shade, *[cord.shade for cord in held]])
    apart = np.linalg.norm((lab(shades)[1:] - lab(shades)[0]) * np.array([0.5, 1.0, 1.0]), axis=1)
    nearest = int(np.argmin(apart))
    return int(np.argmax(held[nearest].dyes if apart[nearest] < ALIKE else half))
