"""How sure a loom's reading is, fitted on drawn looms of the validation seeds: 0.9 means nine in ten or better."""

from __future__ import annotations

import math

import numpy as np

from vision.looms.cords import HELD, Cord
from vision.looms.lattice import Lattice
from vision.looms.shapes import COLORS

# (shift, slope) on log-odds. The networks were taught never to be quite sure: what they say clearly is surer than they
# say, what they say with hesitation is less sure. Slopes are drawn towards 1, because few of the readings are wrong.
CROSSING = (-0.34, 1.93)
DYE = (-0.23, 2.0)
STEEP = 75.0  # of the share of a lane's length that shows a cord: lanes with and without one are far apart
FIRM = 1.1  # merit of a lattice whose lanes are surely counted right


def _bent(p: float, by: tuple[float, float]) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return 1 / (1 + math.exp(-(by[0] + by[1] * math.log(p / (1 - p)))))


def is_there(presence: float) -> float:
    """The probability that a lane is held, from the share of its length that shows a cord."""
    return 1 / (1 + math.exp(-STEEP * (presence - HELD)))


def sure_cord(cord: Cord) -> float:
    """The probability that a lane is held by a cord of its likeliest dye."""
    return is_there(cord.presence) * _bent(float(cord.dyes.max()), DYE)


def sure_crossing(over: float) -> float:
    """The probability that a crossing is right of which the network says that the h cord is on top with `over`."""
    return max(0.5, _bent(max(over, 1 - over), CROSSING))


def sure_board(
    cords: list[Cord], spots: list[tuple[int, int]], overs: np.ndarray, lattice: Lattice
) -> tuple[float, tuple[tuple[str, float], ...]]:
    """The probability that everything on a board is right, and the single changes that are likeliest instead."""
    total = min(1.0, lattice.merit / FIRM)
    others: list[tuple[str, float]] = []
    for cord in cords:
        there = is_there(cord.presence)
        name = f"{cord.axis}{cord.lane}"
        if not cord.held:
            total *= 1 - there
            others.append((f"{name} {COLORS[int(np.argmax(cord.dyes))]}", there))
            continue
        sure = sure_cord(cord)
        total *= sure
        second = int(np.argsort(-cord.dyes)[1])
        others.append((f"{name} {COLORS[second]}", max(0.0, there - sure)))
        others.append((f"{name} -", 1 - there))
    for (h, v), over in zip(spots, overs, strict=True):
        sure = sure_crossing(float(over))
        total *= sure
        others.append((f"h{h}v{v} {'v' if over > 0.5 else 'h'}", 1 - sure))
    others.sort(key=lambda item: -item[1])
    return total, tuple((label, p) for label, p in others[:5] if p > 0.02)
