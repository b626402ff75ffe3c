"""The tiles of a set share their inks: where each value has a colour of its own, that colour says the value too.

Three pips in poor light may look like four; but if all yellow corners of the table look more like three than blue ones
do, they are threes. Nothing has to be known about the set: where all values are black, colours say nothing and change
nothing.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from vision.tiles.geometry import READ_SIZE, READ_TRIANGLE

SHARE = 0.025  # of a corner's part of the face: about what one pip covers
LIGHTNESS = 0.5  # how much a difference in lightness counts against one in colour: lamps and shadows change it
# Chosen on drawn tables in reserved styles, like the calibration.
ALIKE = 5.0  # difference (Lab) between the same ink on two tiles
TRUST = 1.5  # how much the colours' evidence weighs
DOUBT = 3.0  # corners' worth of doubt whether a value's colour is already known
ROUNDS = 2


@cache
def _parts() -> tuple[np.ndarray, ...]:
    """For each corner the pixels of the reader's view that belong to it, without the rim."""
    middle = READ_TRIANGLE.mean(0)
    face = np.zeros((READ_SIZE, READ_SIZE), np.uint8)
    cv2.fillConvexPoly(face, np.round(middle + (READ_TRIANGLE - middle) * 0.86).astype(np.int32), 1)
    ys, xs = np.mgrid[0:READ_SIZE, 0:READ_SIZE]
    away = [np.hypot(xs - x, ys - y) for x, y in READ_TRIANGLE]
    nearest = np.argmin(away, axis=0)
    return tuple((face > 0) & (nearest == k) for k in range(3))


def inks(crop: np.ndarray) -> np.ndarray:
    """How the marks at each corner of an upright tile differ in colour from the face around them: (3, 3), Lab."""
    lab = cv2.cvtColor(cv2.GaussianBlur(crop, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(float)
    found = []
    for part in _parts():
        pixels = lab[part]
        away = (pixels - np.median(pixels, axis=0)) * (LIGHTNESS, 1, 1)
        most = np.argsort(-np.linalg.norm(away, axis=1))[: max(8, int(SHARE * len(pixels)))]
        found.append(np.median(away[most], axis=0))
    return np.array(found)


def together(chances: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """The corners' probabilities (n, 3, 7) once the colours (n, 3, 3) of all tiles of the table are taken together.

    Each value's colours are those of the corners that seem to show it; a corner's probability of a value is then
    weighed by how usual its own colour is among them. A few rounds let sure corners teach the doubtful ones.
    """
    count = 3 * len(chances)
    if count < 6:
        return chances
    own = np.log(np.maximum(chances.reshape(count, -1), 1e-6))
    flat = colors.reshape(count, 3)
    alike = np.exp(-((flat[:, None] - flat[None]) ** 2).sum(2) / (2 * ALIKE**2))
    np.fill_diagonal(alike, 0)  # no corner is evidence for itself
    usual = alike.sum(1, keepdims=True) / (count - 1) + 1e-6
    now = chances.reshape(count, -1)
    for _ in range(ROUNDS):
        shown = now[:, :6]
        fits = (alike @ shown + DOUBT * usual) / (shown.sum(0) - shown + DOUBT)
        weighed = own.copy()
        weighed[:, :6] += TRUST * np.log(fits + 0.05 * usual)
        weighed[:, 6:] += TRUST * np.log(1.05 * usual)
        powers = np.exp(weighed - weighed.max(axis=1, keepdims=True))
        now = powers / powers.sum(axis=1, keepdims=True)
    return np.asarray(now.reshape(chances.shape))
