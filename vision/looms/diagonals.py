"""Diagonal cords: straight lines of cord from an end of one lane to the opposite end of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.looms.colors import lab
from vision.looms.cords import Cord
from vision.looms.dyes import ALIKE
from vision.looms.lattice import Lattice
from vision.looms.shapes import COLORS, apply

STEPS = 64  # samples along a line
SIDEWAYS = np.linspace(-0.22, 0.22, 9)  # and across it, in pitches: cords are not quite straight
BESIDE = 0.36  # pitches from the middle of a held lane within which what is seen may be that lane's own cord
FREE = 0.25  # share of a line that must lie free of other cords before anything can be said
SHOWN = 0.8  # share of the free part that must show a cord
MARKED = 0.2  # the network, which has seen few slanting cords, marks them faintly
STRETCH = 0.5  # a lane that shows no more than this at the end of a diagonal cord holds no cord of its own
SLANT = 2  # lanes between a diagonal cord's ends at least: what slants less may be slack
SAME = 1.3  # lanes within which both ends of two lines must lie to be one cord


@dataclass(frozen=True, slots=True)
class _Line:
    axis: str
    start: int
    end: int
    shown: float
    dyes: np.ndarray
    shade: np.ndarray


def diagonals(
    cords: list[Cord], axes: np.ndarray, dyes: np.ndarray, picture: np.ndarray, lattice: Lattice
) -> list[Any]:
    """The diagonal cords as problems, in lane coordinates, with their colour.

    `axes` (4 × h × w: none, h, v, stray) and `dyes` (5 × h × w) are the network's maps, `picture` the rectified BGR.
    The network marks a slanting cord with one axis or the other, so it is looked for in the marks of any cord.
    """
    held = [cord for cord in cords if cord.held]
    found: list[_Line] = []
    for axis in "hv":
        lanes = [[cord.lane for cord in held if (cord.axis == axis) == own] for own in (True, False)]
        found += _lines(axis, 1 - axes[0], dyes, picture, lattice, lanes)
    chosen: list[_Line] = []
    for line in sorted(found, key=lambda line: -line.shown):
        if not any(_same(line, other) for other in chosen):
            chosen.append(line)
    return [_problem(line, held, lattice) for line in chosen]


def stretched(cord: Cord, slanting: list[Any]) -> bool:
    """Whether what a lane shows is only the end of a diagonal cord."""
    column = 1 if cord.axis == "h" else 0
    ends = [problem[end][column] for problem in slanting for end in ("from", "to") if problem["axis"] == cord.axis]
    return cord.presence < STRETCH and cord.lane in ends


def _lines(
    axis: str,
    cord: np.ndarray,
    dyes: np.ndarray,
    picture: np.ndarray,
    lattice: Lattice,
    held: list[list[int]],
) -> list[_Line]:
    """Every line from lane to lane of an axis that shows a cord; `held` are the lanes of that and the other axis."""
    lanes, end_at = lattice.lanes, lattice.end_at
    pairs = np.array([(a, b) for a in range(lanes) for b in range(lanes) if abs(a - b) >= SLANT])
    along = np.linspace(-0.8 * end_at, lanes - 1 + 0.8 * end_at, STEPS)
    share = (along + end_at) / (lanes - 1 + 2 * end_at)
    across = pairs[:, :1] * (1 - share) + pairs[:, 1:] * share  # pairs × steps
    at = np.stack(np.broadcast_arrays(along[None, :, None], across[..., None] + SIDEWAYS), axis=-1)
    flat = (at if axis == "h" else at[..., ::-1]).reshape(-1, 2)
    where = apply(lattice.to_picture, flat).reshape(len(pairs), -1, 2).astype(np.float32)

    def cut(plane: np.ndarray) -> np.ndarray:
        sampled = cv2.remap(np.ascontiguousarray(plane, np.float32), where[..., 0], where[..., 1], cv2.INTER_LINEAR)
        return sampled.reshape(len(pairs), STEPS, len(SIDEWAYS), -1)

    mine = cut(cord)[..., 0]
    free = np.ones(across.shape, bool)
    for lane in held[0]:
        free &= np.abs(across - lane) > BESIDE
    for lane in held[1]:
        free &= np.abs(along - lane) > BESIDE
    shown = (mine.max(axis=2) > MARKED) & free
    count = free.sum(axis=1)
    shares = shown.sum(axis=1) / np.maximum(1, count)
    good = np.flatnonzero((count >= FREE * STEPS) & (shares >= SHOWN))
    if not len(good):
        return []
    tints = np.concatenate([cut(dyes[:3].transpose(1, 2, 0)), cut(dyes[3:].transpose(1, 2, 0))], axis=-1)
    colors = cut(picture)
    result = []
    for k in good:
        weight = (np.where(shown[k][:, None], mine[k], 0) ** 2)[..., None] + 1e-9
        mean = [(values[k] * weight).sum(axis=(0, 1)) / weight.sum() for values in (tints, colors)]
        result.append(_Line(axis, int(pairs[k, 0]), int(pairs[k, 1]), float(shares[k]), mean[0], mean[1]))
    return result


def _same(a: _Line, b: _Line) -> bool:
    return a.axis == b.axis and abs(a.start - b.start) < SAME and abs(a.end - b.end) < SAME


def _problem(line: _Line, held: list[Cord], lattice: Lattice) -> dict[str, Any]:
    first, last = -lattice.end_at, lattice.lanes - 1 + lattice.end_at
    ends = [(first, float(line.start)), (last, float(line.end))]
    points = ends if line.axis == "h" else [(lane, along) for along, lane in ends]
    name = COLORS[int(np.argmax(line.dyes))]
    if held:  # the cords of the lanes have been named together
        shades = np.stack([line.shade, *[cord.shade for cord in held]])
        apart = np.linalg.norm((lab(shades)[1:] - lab(shades)[0]) * np.array([0.5, 1.0, 1.0]), axis=1)
        if apart.min() < ALIKE:
            name = COLORS[int(np.argmax(held[int(np.argmin(apart))].dyes))]
    start, end = ([round(x, 1), round(y, 1)] for x, y in points)
    return {"code": "diagonal", "axis": line.axis, "from": start, "to": end, "color": name}
