"""Cords and their dyes, from what the network says of each pixel of the rectified board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.looms.lattice import Lattice
from vision.looms.shapes import COLORS, apply

ALONG = 8  # samples per pitch along a lane
ACROSS = np.linspace(-0.5, 0.5, 21)  # and across it, in pitches
SLACK = 0.3  # a cord that strays this far from its lane, in pitches, is slack


@dataclass(frozen=True, slots=True)
class Cord:
    """A lane that holds a cord: how surely, and the probability of each dye; `bow` is how far it leaves its lane and
    `width` how broad it is, both in pitches."""

    axis: str
    lane: int
    presence: float
    dyes: np.ndarray
    bow: float
    width: float
    shades: np.ndarray  # mean BGR of the cord's own pixels


def _lane_points(lattice: Lattice, axis: str, lane: int) -> np.ndarray:
    """Sampling points of a lane in the rectified picture: along × across × 2."""
    s = np.linspace(-0.75 * lattice.end_at, lattice.lanes - 1 + 0.75 * lattice.end_at, ALONG * (lattice.lanes + 1))
    a, b = np.meshgrid(s, lane + ACROSS, indexing="ij")
    flat = np.stack([a, b] if axis == "h" else [b, a], axis=-1).reshape(-1, 2)
    return apply(lattice.to_picture, flat).reshape(len(s), len(ACROSS), 2).astype(np.float32)


def _sample(plane: np.ndarray, points: np.ndarray) -> np.ndarray:
    return cv2.remap(plane, points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)


def read_cords(
    axes: np.ndarray, dyes: np.ndarray, picture: np.ndarray, seen: np.ndarray, lattice: Lattice
) -> list[Cord]:
    """Every lane, held or empty, with the evidence for a cord in it.

    `axes` (4 × h × w) and `dyes` (5 × h × w) are probabilities per pixel, `picture` the rectified BGR, all of one size.
    """
    found = []
    for axis in "hv":
        own = {"h": 1, "v": 2}[axis]
        for lane in range(lattice.lanes):
            points = _lane_points(lattice, axis, lane)
            mine = _sample(axes[own], points)
            other = _sample(axes[3 - own], points).max(axis=1)
            there = _sample(seen, points).mean(axis=1) > 0.9
            best = mine.max(axis=1)
            open_part = there & (other < 0.5)  # where another cord does not lie on top
            if open_part.sum() < ALONG:
                open_part = there if there.sum() >= ALONG else np.ones_like(there)
            presence = float(np.mean(best[open_part]))
            weight = np.where(mine > 0.5, mine, 0) + 1e-6
            logs = np.array([float((np.log(_sample(d, points) + 1e-4) * weight).sum() / weight.sum()) for d in dyes])
            centre = (weight * ACROSS).sum(axis=1) / weight.sum(axis=1)
            strong = best > 0.5
            middle = float(np.median(centre[strong])) if strong.sum() >= ALONG else 0.0
            bow = float(np.percentile(np.abs(centre[strong] - middle), 90)) if strong.sum() >= ALONG else 0.0
            width = float(np.median((mine > 0.5).sum(axis=1)[strong])) / 20 if strong.any() else 0.0
            core = weight * (np.abs(ACROSS[None] - centre[:, None]) < 0.3 * max(width, 0.1))
            shades = np.array(
                [float((_sample(picture[..., c], points) * core).sum() / (core.sum() + 1e-9)) for c in range(3)]
            )
            found.append(Cord(axis, lane, presence, _softmax(logs), bow, width, shades))
    return found


def _softmax(logs: np.ndarray, sharp: float = 1.5) -> np.ndarray:
    z = np.exp(sharp * (logs - logs.max()))
    return z / z.sum()


def problems_of(cords: list[Cord], axes: np.ndarray, lattice: Lattice) -> list[dict[str, Any]]:
    """Cords that break the physical order: slack ones, two in a lane, diagonal ones."""
    held = [c for c in cords if c.presence > 0.5]
    problems: list[dict[str, Any]] = []
    usual = float(np.median([c.width for c in held])) if held else 0.0
    for cord in held:
        if cord.bow > SLACK:
            problems.append({"code": "slack", "axis": cord.axis, "lane": cord.lane, "by": round(cord.bow, 2)})
        elif len(held) >= 3 and cord.width > 1.7 * usual:
            problems.append({"code": "doubled", "axis": cord.axis, "lane": cord.lane})
    stray = (axes[3] > 0.5).astype(np.uint8)
    back = np.linalg.inv(lattice.to_picture)
    count, labels, _, _ = cv2.connectedComponentsWithStats(cv2.dilate(stray, np.ones((5, 5))), connectivity=8)
    for i in range(1, count):
        ys, xs = np.nonzero((labels == i) & (stray > 0))
        if len(xs) < 10:
            continue
        at = apply(back, np.stack([xs, ys], 1).astype(float))
        direction = np.linalg.svd(at - at.mean(axis=0), full_matrices=False)[2][0]
        along = (at - at.mean(axis=0)) @ direction
        if along.max() - along.min() < 1.2:
            continue
        first, last = at[int(np.argmin(along))], at[int(np.argmax(along))]
        problems.append(
            {"code": "diagonal", "from": [round(float(v), 1) for v in first], "to": [round(float(v), 1) for v in last]}
        )
    return problems


__all__ = ["COLORS", "Cord", "problems_of", "read_cords"]
