"""What the dyes are called: the cords of all looms in a picture lie in one light, and are named together.

A single cord's dye is hard to tell under a warm lamp. All cords together are not: those that look alike are of one dye,
those that look different are not, and one light falls on all of them.
"""

from __future__ import annotations

import colorsys
import itertools
from functools import lru_cache

import numpy as np

from vision.looms.colors import lab
from vision.looms.shapes import COLORS

# Hue in degrees, saturation and value of what people call so: wide enough for anybody's cords, narrow enough to be its
# name.
DYES: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "rojo": ((-8, 9), (0.72, 0.97), (0.58, 0.95)),
    "rosado": ((332, 357), (0.20, 0.52), (0.82, 1.0)),
    "celeste": ((181, 203), (0.22, 0.66), (0.76, 1.0)),
    "azul": ((213, 234), (0.62, 0.97), (0.40, 0.85)),
    "morado": ((266, 296), (0.45, 0.88), (0.36, 0.76)),
}

# Measured on drawn looms of the validation seeds (2,571 cords): with lightness counted half, 99.9 % of the pairs of one
# dye lie within 12 Lab units of each other, 99.5 % of the pairs of two dyes beyond 15.
ALIKE = 12.0
GLARING = 245  # of a cord's brightest channel: from here on the picture is overexposed
TOLD_APART, SAID_ALIKE = 0.1, 0.6  # likeness of two opinions (1: the same) below or above which they mean something
MOST = 6  # kinds of cords that are told apart; where there seem to be more, unlike ones are taken together
TWICE = 5.0  # log-odds against one name for two kinds that look different
NETWORK, LIGHT = 0.7, 0.7  # how much the network counts, and how much what a dye looks like under one light
TINT, BRIGHTNESS, NOISE = 0.2, 0.6, 0.12  # spreads of the light's tint and strength and of the rest, as logs of R, G, B
DARK = 20.0  # added to R, G and B before the logarithm: the darkest values are mostly noise


def name_together(tints: np.ndarray, shades: np.ndarray) -> np.ndarray:
    """The probability of each dye for each cord of a picture.

    `tints` (N × 5) is what the network says of each cord by itself, `shades` (N × 3) its mean BGR.
    """
    kinds = _kinds(shades, tints)
    count = int(kinds.max()) + 1
    evidence = np.stack([np.log(tints[kinds == kind] + 1e-4).mean(axis=0) for kind in range(count)])
    looks = np.stack([shades[kinds == kind].mean(axis=0) for kind in range(count)])[:, ::-1]
    names = np.array(list(itertools.product(range(len(COLORS)), repeat=count)))
    score = NETWORK * evidence[np.arange(count), names].sum(axis=1) + LIGHT * _in_one_light(looks, names)
    for a, b in itertools.combinations(range(count), 2):
        score = score - TWICE * (names[:, a] == names[:, b])
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    return np.stack([np.bincount(names[:, kind], weight, len(COLORS)) for kind in range(count)])[kinds]


def _kinds(shades: np.ndarray, tints: np.ndarray) -> np.ndarray:
    """Which cords look alike, as numbers from 0: chains of near neighbours.

    In weak light unlike dyes come near to each other, and where the picture is overexposed one dye spreads: there the
    network's opinion makes the distance that still counts as alike smaller or larger.
    """
    points = lab(shades) * np.array([0.5, 1.0, 1.0])
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    roots = np.sqrt(tints)
    agreed = roots @ roots.T
    glaring = shades.max(axis=1) > GLARING
    washed = glaring[:, None] & glaring & (agreed > SAID_ALIKE)
    reach = np.select([agreed < TOLD_APART, washed], [ALIKE / 2, ALIKE * 1.4], ALIKE)
    while True:
        near = apart < reach
        for _ in range(len(near)):
            wider = (near.astype(np.uint8) @ near.astype(np.uint8)) > 0
            if (wider == near).all():
                break
            near = wider
        kinds = np.unique(near.argmax(axis=1), return_inverse=True)[1].reshape(-1)
        if kinds.max() < MOST:
            return np.asarray(kinds)
        reach = 1.2 * reach


@lru_cache(maxsize=1)
def _prototypes() -> tuple[np.ndarray, np.ndarray]:
    """Mean (5 × 3) and precision (5 × 3 × 3) of each dye's log RGB, over all that bears its name."""
    means, precisions = [], []
    for name in COLORS:
        ranges = [np.linspace(low, high, 7) for low, high in DYES[name]]
        rows = [colorsys.hsv_to_rgb(h / 360 % 1, s, v) for h, s, v in itertools.product(*ranges)]
        logs = np.log(255 * np.array(rows) + DARK)
        means.append(logs.mean(axis=0))
        precisions.append(np.linalg.inv(np.cov(logs.T) + NOISE**2 * np.eye(3)))
    return np.array(means), np.array(precisions)


def _in_one_light(looks: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The log-probability of these looks (K × 3 RGB) under each naming (… × K), whatever light falls on all of them.

    The light multiplies R, G and B by three factors that are the same for all; they are integrated out.
    """
    means, precisions = _prototypes()
    light = np.linalg.inv(TINT**2 * np.eye(3) + BRIGHTNESS**2 * np.ones((3, 3)))
    rest = np.log(np.clip(looks, 0, 255) + DARK)[None] - means[names]
    weights = precisions[names]
    pulled = np.einsum("nkij,nkj->nki", weights, rest)
    total, push = light + weights.sum(axis=1), pulled.sum(axis=1)
    off = np.einsum("nki,nki->n", rest, pulled)
    off -= np.einsum("ni,ni->n", push, np.linalg.solve(total, push[..., None])[..., 0])
    spread = np.linalg.slogdet(precisions)[1][names].sum(axis=1) - np.linalg.slogdet(total)[1]
    return np.asarray(0.5 * (spread - off))
