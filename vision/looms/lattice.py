"""How many lanes a rectified board has and where they run, from the lane ends that the network saw."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.looms.shapes import apply

LANES = range(3, 15)
SIDES = (("v", 0), ("v", 1), ("h", 0), ("h", 1))  # top, bottom, left, right


@dataclass(frozen=True, slots=True)
class Lattice:
    """`to_picture` maps lane coordinates (v lane, h lane) to the rectified picture; ends lie `end_at` beyond lane 0
    and the last. `sureness` is how well the ends agree, `rivals` the score of other lane counts against the best."""

    lanes: int
    end_at: float
    to_picture: np.ndarray
    sureness: float
    rival: float


def peaks(heat: np.ndarray, least: float = 0.25) -> np.ndarray:
    """Local maxima of a heat map as rows x, y, value, to a fraction of a pixel."""
    soft = cv2.GaussianBlur(heat, (0, 0), 0.8)
    top = (soft >= cv2.dilate(soft, np.ones((5, 5)))) & (heat > least)
    top[[0, -1], :] = False
    top[:, [0, -1]] = False
    ys, xs = np.nonzero(top)
    rows = []
    for x, y in zip(xs, ys, strict=True):
        window = heat[y - 1 : y + 2, x - 1 : x + 2] ** 2
        total = float(window.sum()) + 1e-9
        dx = float((window * np.array([-1, 0, 1])).sum()) / total
        dy = float((window * np.array([[-1], [0], [1]])).sum()) / total
        rows.append((x + dx, y + dy, float(heat[y, x])))
    return np.array(rows, np.float64).reshape(-1, 3)


def _sides(ends: dict[str, np.ndarray], size: int) -> dict[tuple[str, int], np.ndarray]:
    """The ends at each side of the board, without those that stand away from their side's line."""
    sides = {}
    for axis, side in SIDES:
        found = ends[axis]
        away = found[:, 1] if axis == "v" else found[:, 0]
        mine = found[(away < size * 0.4) if side == 0 else (away > size * 0.6)]
        if len(mine) >= 3:
            along = mine[:, 0] if axis == "v" else mine[:, 1]
            away = mine[:, 1] if axis == "v" else mine[:, 0]
            # Theil-Sen: a few false ends must not tilt the line
            i, j = np.triu_indices(len(mine), 1)
            apart = along[j] - along[i]
            ok = np.abs(apart) > 1
            slope = float(np.median((away[j] - away[i])[ok] / apart[ok])) if ok.any() else 0.0
            rest = away - slope * along
            mine = mine[np.abs(rest - np.median(rest)) < 0.03 * size]
        sides[(axis, side)] = mine
    return sides


def _fit_row(xs: np.ndarray, weights: np.ndarray, lanes: int, size: int) -> tuple[float, float, float]:
    """Best (score, start, pitch) of `lanes` evenly spaced places explaining positions along one side."""
    if len(xs) == 0:
        return 0.0, 0.0, 0.0
    spans = np.linspace(0.45, 0.88, 60) * size
    starts = np.linspace(-0.07, 0.07, 29) * size
    span, shift = np.meshgrid(spans, starts, indexing="ij")
    pitch = span / (lanes - 1)
    start = size / 2 + shift - span / 2
    index = (xs[None, None] - start[..., None]) / pitch[..., None]
    near = np.clip(np.round(index), 0, lanes - 1)
    off = np.abs(index - near) * pitch[..., None] / size
    good = np.exp(-((off / 0.012) ** 2)) * weights
    explained = good.sum(axis=2)
    hit = np.zeros(span.shape)
    for lane in range(lanes):
        hit += np.where(near == lane, good, 0).max(axis=2)
    score = 2 * hit / (weights.sum() + lanes) - 0.3 * (weights.sum() - explained) / lanes
    best = np.unravel_index(int(np.argmax(score)), score.shape)
    return float(score[best]), float(start[best]), float(pitch[best])


def fit_lattice(ends: dict[str, np.ndarray], size: int) -> Lattice | None:
    """The lattice of lanes on a rectified picture `size` pixels wide; None where too few ends are seen."""
    sides = _sides(ends, size)
    if sum(len(found) >= 3 for found in sides.values()) < 2:
        return None
    scores: dict[int, float] = {}
    fits: dict[int, dict[tuple[str, int], tuple[float, float, float]]] = {}
    for lanes in LANES:
        fits[lanes] = {
            key: _fit_row(found[:, 0] if key[0] == "v" else found[:, 1], np.minimum(1, found[:, 2] * 1.3), lanes, size)
            for key, found in sides.items()
        }
        # sides with many ends tell more than sides under a hand or out of the frame
        weight = np.array([len(sides[key]) for key in SIDES], float)
        scores[lanes] = float(np.dot([fits[lanes][key][0] for key in SIDES], weight) / max(1.0, weight.sum()))
    order = sorted(scores, key=lambda n: -scores[n])
    best, second = order[0], order[1]
    lattice = _homography(sides, fits[best], best, size)
    if lattice is None:
        return None
    matrix, end_at, agree = lattice
    return Lattice(best, end_at, matrix, scores[best] * agree, scores[second] / max(1e-6, scores[best]))


def _homography(
    sides: dict[tuple[str, int], np.ndarray],
    fits: dict[tuple[str, int], tuple[float, float, float]],
    lanes: int,
    size: int,
) -> tuple[np.ndarray, float, float] | None:
    """Lane coordinates to picture, how far the ends lie outside, and the share of ends that agree."""
    pitch = float(np.median([f[2] for key, f in fits.items() if len(sides[key]) >= 3]))
    reach = []
    for axis in "vh":
        column = 1 if axis == "v" else 0
        if len(sides[(axis, 0)]) and len(sides[(axis, 1)]):
            apart = np.median(sides[(axis, 1)][:, column]) - np.median(sides[(axis, 0)][:, column])
            reach.append((apart / pitch - (lanes - 1)) / 2)
    end_at = float(np.clip(np.mean(reach), 0.3, 1.8)) if reach else 1.0
    lane_points, picture_points = [], []
    for (axis, side), found in sides.items():
        score, start, step = fits[(axis, side)]
        if score <= 0.2 or step <= 0:
            continue
        outside = -end_at if side == 0 else lanes - 1 + end_at
        for x, y, _ in found:
            index = ((x if axis == "v" else y) - start) / step
            lane = round(index)
            if 0 <= lane < lanes and abs(index - lane) < 0.3:
                lane_points.append((lane, outside) if axis == "v" else (outside, lane))
                picture_points.append((x, y))
    if len(lane_points) < 6:
        return None
    source, target = np.array(lane_points, np.float64), np.array(picture_points, np.float64)
    matrix, used = cv2.findHomography(source, target, cv2.RANSAC, 0.012 * size)
    if matrix is None:
        return None
    corners = apply(matrix, np.array([[0, 0], [lanes - 1, 0], [lanes - 1, lanes - 1], [0, lanes - 1]]))
    if not np.isfinite(corners).all() or cv2.contourArea(corners.astype(np.float32)) < 0.1 * size * size:
        return None
    return matrix, end_at, float(used.mean())
