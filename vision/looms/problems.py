"""Cords that break a loom's physical order: slack ones, two in one lane, diagonal ones."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from vision.looms.cords import Cord
from vision.looms.lattice import Lattice
from vision.looms.shapes import COLORS, apply

SLACK = 0.28  # a cord that strays this far from its lane, in pitches, is slack
SHORTEST = 1.2  # pitches that a diagonal cord spans at least


def problems_of(cords: list[Cord], axes: np.ndarray, lattice: Lattice) -> list[dict[str, Any]]:
    """What is wrong with the cords; `axes` are the axis probabilities (4 × h × w), the last of them a stray cord's."""
    held = [c for c in cords if c.held]
    problems: list[dict[str, Any]] = []
    usual = float(np.median([c.width for c in held])) if len(held) >= 3 else 0.0
    for cord in held:
        place = {"axis": cord.axis, "lane": cord.lane}
        a, b = (int(np.argmax(half)) for half in cord.halves)
        two_dyes = a != b and min(cord.halves[0][a], cord.halves[1][b]) > 0.8
        if cord.bow > SLACK:
            problems.append({"code": "slack", **place, "by": round(cord.bow, 2)})
        elif two_dyes or (usual > 0 and cord.width > 1.65 * usual):
            colors = [COLORS[a], COLORS[b]] if two_dyes else [COLORS[int(np.argmax(cord.dyes))]] * 2
            problems.append({"code": "doubled", **place, "colors": colors})
    return problems + _diagonals(axes, lattice)


def _diagonals(axes: np.ndarray, lattice: Lattice) -> list[dict[str, Any]]:
    """Stretches of cord that follow no lane, where other cords cut them joined again; ends in lane coordinates."""
    stray = (axes[3] > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(stray, np.ones((7, 7))), connectivity=8)
    back = np.linalg.inv(lattice.to_picture)
    found = []
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] < 40:
            continue
        ys, xs = np.nonzero((labels == i) & (stray > 0))
        if len(xs) < 10:
            continue
        at = apply(back, np.stack([xs, ys], 1).astype(float))
        direction = np.linalg.svd(at - at.mean(axis=0), full_matrices=False)[2][0]
        along = (at - at.mean(axis=0)) @ direction
        if along.max() - along.min() < SHORTEST:
            continue
        first, last = at[int(np.argmin(along))], at[int(np.argmax(along))]
        found.append(
            {"code": "diagonal", "from": [round(float(v), 1) for v in first], "to": [round(float(v), 1) for v in last]}
        )
    return found
