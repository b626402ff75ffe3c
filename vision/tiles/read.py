"""What the tiles say: each is set upright and its three corners are read; what is seen is reported, legal or not."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from vision.onnx import WEIGHTS, load
from vision.state import Piece
from vision.tiles.detect import Found, alone, batch, find_tiles
from vision.tiles.geometry import CORNER_SIZE, CORNER_TRIANGLE, READ_SIZE, READ_TRIANGLE, Pyramid
from vision.tiles.inks import inks, together
from vision.tiles.material import without_holes

ALTERNATIVES = 3
LEAST = math.log(1e-9)  # no network is surer than that of what is not there
ALONE = (
    0.4  # how much the reader of single corners counts beside the one of whole tiles: best on drawn tables kept apart
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far the networks' own probabilities are to be trusted, measured on scenes that they never saw.

    `presence` weighs the evidence that there is a tile at all (`evidence`); `slope` and `shift` turn the product of
    all probabilities into the measured chance that the label is right; tiles below `least` are not reported.
    """

    presence: tuple[float, ...] = (0.0, 1.0, -2.0, 0.0, 0.0)
    slope: float = 1.0
    shift: float = 0.0
    least: float = 0.05


@cache
def calibration() -> Calibration:
    """The facts of `tiles_calibration.json`, or neutral ones before anything was measured."""
    path = WEIGHTS / "tiles_calibration.json"
    if not path.is_file():
        return Calibration()
    facts = json.loads(path.read_text(encoding="utf-8"))
    return Calibration(tuple(facts["presence"]), facts["slope"], facts["shift"], facts["least"])


def evidence(found: Found, corners: np.ndarray) -> np.ndarray:
    """What speaks for a tile: the detector, its weakest side, unreadable corners, three blanks, and a constant."""
    score, tile = (float(np.clip(v, 1e-4, 1 - 1e-4)) for v in (found.score, found.tile))
    blank = float(np.prod(corners[:, 0] + corners[:, 6]))
    return np.array([_logit(score), _logit(tile), float(corners[:, 6].sum()), blank, 1.0])


def present(found: Found, corners: np.ndarray) -> float:
    """The probability that there is a tile."""
    return float(1 / (1 + np.exp(-evidence(found, corners) @ calibration().presence)))


def corner_probabilities(found: list[Found], pyramid: Pyramid) -> np.ndarray:
    """For each tile and corner the probabilities of 0 to 5 and of "cannot be read": (n, 3, 7).

    Every tile is looked at with each of its corners up, and the answers are averaged. A second network sees one corner
    at a time: it knows less of the set, and is not led astray by it.
    """
    if not found:
        return np.zeros((0, 3, 7))
    turned = [np.roll(f.corners, -k, axis=0) for f in found for k in range(3)]
    looks = _read("tiles_reader", [pyramid.crop(corners, READ_TRIANGLE, READ_SIZE) for corners in turned])
    looks = looks.reshape(-1, 3, 3, 7)
    # look k starts at corner k: what it says of its place j is about corner k + j
    whole = _sure(np.mean([np.roll(looks[:, k], k, axis=1) for k in range(3)], axis=0))
    alone = _read("tiles_corners", [pyramid.crop(corners, CORNER_TRIANGLE, CORNER_SIZE) for corners in turned])
    return np.exp(_sure((1 - ALONE) * whole + ALONE * alone.reshape(-1, 3, 7)))


def _read(network: str, crops: list[np.ndarray]) -> np.ndarray:
    """A reader's log probabilities (…, 7) for tiles set upright, from the corner on top clockwise."""
    return _sure(load(network)(batch(crops))[0].astype(np.float64))


def _sure(logs: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities (…, 7) that add up to one."""
    shifted = logs - logs.max(axis=-1, keepdims=True)
    logs = np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
    return np.maximum(logs, LEAST)


def piece(found: Found, corners: np.ndarray, seen: float) -> Piece:
    """The piece for a place, its three corners' probabilities (3, 7) and the probability that there is a tile, named
    from its smallest rotation.
    """
    readable = corners[:, :6] / np.maximum(corners[:, :6].sum(1, keepdims=True), 1e-9)
    ranked = [np.argsort(-row)[:3] for row in readable]
    labels: dict[str, float] = {}
    best: tuple[int, ...] = tuple(int(row[0]) for row in ranked)
    turn = min(range(3), key=lambda k: best[k:] + best[:k])
    order = [turn, (turn + 1) % 3, (turn + 2) % 3]
    for values in product(*(ranked[k] for k in order)):
        chance = float(np.prod([readable[k][v] for k, v in zip(order, values, strict=True)]))
        labels["-".join(str(int(v)) for v in values)] = chance
    names = sorted(labels, key=lambda name: -labels[name])
    confidence = _calibrated(seen * labels[names[0]])
    rest = max(0.0, 1 - labels[names[0]])
    others = tuple(
        (name, (1 - confidence) * seen * labels[name] / rest if rest > 1e-9 else 0.0)
        for name in names[1 : 1 + ALTERNATIVES]
    )
    points = tuple((float(x), float(y)) for x, y in found.corners[order])
    return Piece("tile", names[0], points, confidence, others)


def _logit(chance: float) -> float:
    clipped = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(clipped / (1 - clipped))


def _calibrated(chance: float) -> float:
    facts = calibration()
    return 1 / (1 + math.exp(-(facts.slope * _logit(chance) + facts.shift)))


def read_tiles(image: np.ndarray) -> list[Piece]:
    """All triomino tiles of a BGR picture, numbered or with pips, from the surest to the least sure.

    A tile's label is what its corners show, clockwise from `corners[0]`; it need not exist in any set.
    """
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"tiles are read from 8-bit BGR pictures, not {image.dtype} of shape {image.shape}")
    if min(image.shape[:2]) < 32:
        return []
    pyramid = Pyramid(image)
    found = find_tiles(image, pyramid)
    looks = corner_probabilities(found, pyramid)
    chances = np.array([present(place, corners) for place, corners in zip(found, looks, strict=True)])
    there = [i for i in alone(found, chances) if chances[i] >= 0.5]
    seen = [piece(found[i], looks[i], chances[i]) for i in there]
    pieces = without_holes(image, seen)
    if len(pieces) > 1:
        kept = [i for i, one in zip(there, seen, strict=True) if one in pieces]
        colors = np.stack([inks(pyramid.crop(found[i].corners, READ_TRIANGLE, READ_SIZE)) for i in kept])
        joint = together(looks[kept], colors)
        pieces = [piece(found[i], corners, chances[i]) for i, corners in zip(kept, joint, strict=True)]
    least = calibration().least
    return sorted((p for p in pieces if p.confidence >= least), key=lambda p: -p.confidence)
