"""Cords that break a loom's physical order in their lanes: slack ones, and two in one lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from vision.looms.cords import Cord
from vision.looms.shapes import COLORS

BROAD, BESIDE = 1.65, 0.17  # two cords are so many times, and by so many pitches, broader than one of this loom
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
        broad = usual > 0 and cord.width > max(BROAD * usual, usual + BESIDE)
        if cord.bow > SLACK:
            problems.append({"code": "slack", **place, "by": round(cord.bow, 2)})
        elif two_dyes or broad:
            colors = [COLORS[a], COLORS[b]] if two_dyes else [COLORS[int(np.argmax(cord.dyes))]] * 2
            problems.append({"code": "doubled", **place, "colors": colors})
    return problems
