"""How many lanes a rectified board has and where they run, from the lane ends that the network saw."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.looms.shapes import apply

FEWEST, MOST = 3, 16  # lanes that a loom may have
SIDES = (("v", 0), ("v", 1), ("h", 0), ("h", 1))  # top, bottom, left, right


@dataclass(frozen=True, slots=True)
class Lattice:
    """`to_picture` maps lane coordinates (v lane, h lane) to the rectified picture; ends lie `end_at` beyond lane 0
    and the last. `sureness` is the share of ends that are where the lattice wants them, `agreed` the share of the
    board's sides that count this many lanes."""

    lanes: int
    end_at: float
    to_picture: np.ndarray
    sureness: float
    agreed: float

    @property
    def merit(self) -> float:
        """How much this looks like a loom's lanes, up to 1.4: a pattern on a cloth may fill most of the places, but
        its sides do not count the same number."""
        return self.sureness + 0.4 * self.agreed


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


def _pitch(sides: dict[tuple[str, int], np.ndarray]) -> float | None:
    """The distance between neighbouring ends that explains most gaps on all sides."""
    gaps = np.concatenate([np.diff(np.sort(_along(key, found))) for key, found in sides.items()])
    gaps = gaps[gaps > 3]
    if len(gaps) < 3:
        return None
    ratio = gaps[None] / gaps[:, None]
    whole = np.maximum(1, np.round(ratio))
    fits = np.exp(-(((ratio - whole) / 0.12) ** 2)) / whole**2
    best = int(np.argmax(fits.sum(axis=1)))
    return float(np.median(gaps[np.abs(ratio[best] - 1) < 0.2]))


def _along(key: tuple[str, int], found: np.ndarray) -> np.ndarray:
    return found[:, 0] if key[0] == "v" else found[:, 1]


def _count(key: tuple[str, int], found: np.ndarray, pitch: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of a side in order, without false ones between two places, and the number of each from the first on."""
    rows = found[np.argsort(_along(key, found))]
    while len(rows) > 1:
        steps = np.diff(_along(key, rows)) / pitch
        crowded = int(np.argmin(steps))
        if steps[crowded] > 0.6:
            break
        weaker = crowded if rows[crowded, 2] < rows[crowded + 1, 2] else crowded + 1
        rows = np.delete(rows, weaker, axis=0)
    steps = np.maximum(1, np.round(np.diff(_along(key, rows)) / pitch)).astype(int)
    return rows, np.concatenate([[0], np.cumsum(steps)]).astype(int)


def fit_lattice(ends: dict[str, np.ndarray], size: int) -> Lattice | None:
    """The lattice of lanes on a rectified picture `size` pixels wide; None where too few ends are seen."""
    sides = {key: found for key, found in _sides(ends, size).items() if len(found) >= 3}
    if len(sides) < 2:
        return None
    pitch = _pitch(sides)
    if pitch is None:
        return None
    rows = {key: _count(key, found, pitch) for key, found in sides.items()}
    counts = [int(index[-1]) + 1 for _, index in rows.values()]
    tries = [_try(rows, lanes, ends, size, counts) for lanes in sorted(set(counts)) if FEWEST <= lanes <= MOST]
    return max((found for found in tries if found is not None), key=lambda f: f.sureness, default=None)


def _try(
    rows: dict[tuple[str, int], tuple[np.ndarray, np.ndarray]],
    lanes: int,
    ends: dict[str, np.ndarray],
    size: int,
    counts: list[int],
) -> Lattice | None:
    """The lattice if there are this many lanes."""
    placed = {key: found for key, found in _place(rows, lanes).items() if len(found[0]) >= 3}
    lattice = _homography(placed, lanes, size)
    if lattice is None:
        return None
    matrix, end_at = lattice
    return Lattice(lanes, end_at, matrix, _regular(matrix, end_at, lanes, ends, size), counts.count(lanes) / 4)


def _place(
    rows: dict[tuple[str, int], tuple[np.ndarray, np.ndarray]], lanes: int
) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    """Give every end its lane: a side on which outer ends are missing is laid beside its opposite side."""
    known: dict[int, list[float]] = {}
    for key, (found, index) in rows.items():
        if index[-1] + 1 == lanes:
            for at, lane in zip(_along(key, found), index, strict=True):
                known.setdefault(int(lane), []).append(float(at))
    usual = {lane: float(np.mean(at)) for lane, at in known.items()}
    placed = {}
    for key, row in rows.items():
        found, index = row
        free = lanes - 1 - int(index[-1])
        opposite = rows.get((key[0], 1 - key[1]))
        guide = dict(usual)
        if opposite is not None and opposite[1][-1] + 1 == lanes:
            guide = {int(k): float(v) for k, v in zip(opposite[1], _along(key, opposite[0]), strict=True)}
        if free < 0:  # a false end beyond the outer lanes: drop the weaker one
            keep = index > 0 if found[0, 2] < found[-1, 2] else index < index[-1]
            found, index = found[keep], index[keep] - index[keep][0]
            free = lanes - 1 - int(index[-1])
            if free < 0:
                continue
        shifts = range(free + 1)
        costs = []
        for shift in shifts:
            apart = [
                abs(float(at) - guide[int(k) + shift])
                for at, k in zip(_along(key, found), index, strict=True)
                if int(k) + shift in guide
            ]
            costs.append(float(np.mean(apart)) if apart else 1e6)
        placed[key] = (found, index + int(np.argmin(costs)))
    return placed


def _homography(
    placed: dict[tuple[str, int], tuple[np.ndarray, np.ndarray]], lanes: int, size: int
) -> tuple[np.ndarray, float] | None:
    """Lane coordinates to picture, and how far the ends lie outside."""
    if len(placed) < 2:
        return None
    steps = [np.polyfit(index, _along(key, found), 1)[0] for key, (found, index) in placed.items()]
    pitch = float(np.median(steps))
    reach = []
    for axis in "vh":
        pair = [placed.get((axis, side)) for side in (0, 1)]
        if pair[0] is not None and pair[1] is not None:
            column = 1 if axis == "v" else 0
            apart = np.median(pair[1][0][:, column]) - np.median(pair[0][0][:, column])
            reach.append((apart / pitch - (lanes - 1)) / 2)
    end_at = float(np.clip(np.mean(reach), 0.3, 1.8)) if reach else 1.0
    lane_points, picture_points = [], []
    for (axis, side), (found, index) in placed.items():
        outside = -end_at if side == 0 else lanes - 1 + end_at
        for (x, y, _), lane in zip(found, index, strict=True):
            lane_points.append((lane, outside) if axis == "v" else (outside, lane))
            picture_points.append((x, y))
    source, target = np.array(lane_points, np.float64), np.array(picture_points, np.float64)
    matrix, _ = cv2.findHomography(source, target, cv2.RANSAC, 0.012 * size)
    if matrix is None:
        return None
    corners = apply(matrix, np.array([[0, 0], [lanes - 1, 0], [lanes - 1, lanes - 1], [0, lanes - 1]]))
    if not np.isfinite(corners).all() or cv2.contourArea(corners.astype(np.float32)) < 0.1 * size * size:
        return None
    return matrix, end_at


def _regular(matrix: np.ndarray, end_at: float, lanes: int, ends: dict[str, np.ndarray], size: int) -> float:
    """Twice the ends in their places over those wanted and those seen: 1 for a perfect lattice."""
    hits, seen = 0, 0
    k, low, high = np.arange(lanes), np.full(lanes, -end_at), np.full(lanes, lanes - 1 + end_at)
    for axis in "vh":
        places = np.concatenate([np.stack([k, low], 1), np.stack([k, high], 1)])
        wanted = apply(matrix, places if axis == "v" else places[:, ::-1])
        found = ends[axis]
        seen += len(found)
        if len(found):
            apart = np.linalg.norm(wanted[:, None] - found[None, :, :2], axis=2).min(axis=1)
            hits += int((apart < 0.02 * size).sum())
    return 2 * hits / max(1, 4 * lanes + seen)
