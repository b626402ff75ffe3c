"""Where the boards are: a small network marks boards and lane squares in the whole frame, quads are fitted to them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision import onnx
from vision.looms.outline import four_sided
from vision.looms.shapes import FIND_SIZE, FIND_STRIDE, homography

FAINT = 0.05  # an outline of which the network marks less is no board
MOST = 8  # places that are looked at in one frame
SEEN = 0.5  # a pixel belongs to a board from here on
SAME = 0.8  # overlap from which an outline by edges stands for what the network marks
SMALLEST = 30  # pixels of the network's output that a lane square must cover
FOCAL = 1.1  # focal length of a usual camera, in frame widths: only decides how far a cut-off board goes on


@dataclass(frozen=True, slots=True)
class Found:
    """What may be a board: its corners in image pixels (clockwise as seen), how much of it the network marks, and how
    often the outline was found."""

    quad: np.ndarray
    sureness: float
    often: int = 1


def find_boards(image: np.ndarray) -> list[list[Found]]:
    """Where boards may be in a BGR picture: for each place the outlines that may be the board's, likeliest first."""
    h, w = image.shape[:2]
    area = FIND_SIZE[0] * FIND_SIZE[1]
    k = (area / (w * h)) ** 0.5
    size = tuple(int(np.clip(round(side * k / 32), 3, 32)) * 32 for side in (w, h))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if k < 1 else cv2.INTER_LINEAR)
    batch = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32) / 255
    logits = onnx.load("looms_find")(batch)[0][0]
    board, inner = (1 / (1 + np.exp(-logits[:2]))).astype(np.float32)
    scale = np.array([w / size[0], h / size[1]]) * FIND_STRIDE
    found = []
    for quad, often in four_sided(image):
        marked = _marked(board, (quad + 0.5) / scale - 0.5)
        if marked > FAINT:
            found.append(Found(quad, marked, often))
    exact = [((item.quad + 0.5) / scale - 0.5).astype(np.float32) for item in found if item.often > 1]
    for mask, sureness in _separate(board, inner):
        if any(_covers(quad, mask) for quad in exact):
            continue  # edges say it better
        fitted = fit_quad(mask)
        if fitted is not None:
            found.append(Found(((fitted + 0.5) * scale - 0.5).astype(np.float32), sureness, 2))
    return group(found)


def _covers(quad: np.ndarray, mask: np.ndarray) -> bool:
    """Whether a quad (on the mask's pixels) is nearly what the mask shows."""
    drawn = np.zeros_like(mask)
    cv2.fillConvexPoly(drawn, np.round(quad * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    both = int(cv2.countNonZero(drawn & mask))
    return both > SAME * (int(cv2.countNonZero(drawn)) + int(cv2.countNonZero(mask)) - both)


def _marked(board: np.ndarray, quad: np.ndarray) -> float:
    """The mean mark of the middle of a quad, on the network's output."""
    middle = quad.mean(axis=0)
    mask = np.zeros(board.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(middle + 0.7 * (quad - middle)).astype(np.int32)], 1)
    return float(board[mask > 0].mean()) if mask.any() else 0.0


def group(found: list[Found]) -> list[list[Found]]:
    """Outlines of one place together: those whose middles lie in each other, best supported first."""
    groups: list[list[Found]] = []
    for item in sorted(found, key=lambda f: -cv2.contourArea(f.quad)):
        middle = item.quad.mean(axis=0)
        for other in groups:
            first = other[0].quad
            reach = 0.3 * float(np.sqrt(cv2.contourArea(first)))
            small = cv2.contourArea(item.quad) > 0.25 * cv2.contourArea(first)
            if small and float(np.linalg.norm(first.mean(axis=0) - middle)) < reach:
                other.append(item)
                break
        else:
            groups.append([item])
    for outlines in groups:
        outlines.sort(key=lambda f: (-f.often, -cv2.contourArea(f.quad)))
    return sorted(groups, key=lambda g: -max(f.sureness for f in g))[:MOST]


def _separate(board: np.ndarray, inner: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The board mask of each lane square: boards may touch, lane squares cannot."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((inner > SEEN).astype(np.uint8), connectivity=4)
    cores = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= SMALLEST]
    if not cores:
        return []
    far = [cv2.distanceTransform((labels != i).astype(np.uint8), cv2.DIST_L2, 5) for i in cores]
    nearest = np.argmin(np.stack(far), axis=0)
    result = []
    for k, i in enumerate(cores):
        mine = ((board > SEEN) & (nearest == k)) | (labels == i)
        parts, part, part_stats, _ = cv2.connectedComponentsWithStats(mine.astype(np.uint8))
        best = max(range(1, parts), key=lambda j: part_stats[j, cv2.CC_STAT_AREA])
        result.append(((part == best).astype(np.uint8), float(inner[labels == i].mean())))
    return result


def _oddness(quad: np.ndarray, shape: tuple[int, int]) -> float:
    """How far the quad is from a square seen by a usual camera: 0 for a possible one."""
    h, w = shape
    f = FOCAL * max(w, h)
    centred = (quad - np.array([w / 2, h / 2])) / f
    try:
        m = homography(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]), centred)
    except cv2.error:
        return 10.0
    (ax, ay, az), (bx, by, bz) = m[:, 0].tolist(), m[:, 1].tolist()
    na, nb = math.hypot(ax, ay, az), math.hypot(bx, by, bz)
    if min(na, nb) < 1e-9 or not math.isfinite(na + nb):
        return 10.0
    return math.log(na / nb) ** 2 + ((ax * bx + ay * by + az * bz) / (na * nb)) ** 2


MOVES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)])


def fit_quad(mask: np.ndarray) -> np.ndarray | None:
    """The four-sided outline that covers the mask best; sides cut off by the frame go on beyond it."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    outline = max(contours, key=cv2.contourArea)
    if cv2.contourArea(outline) < SMALLEST:
        return None
    hull = cv2.convexHull(outline)
    quad = _four_corners(hull)
    h, w = mask.shape
    pad = max(h, w) // 2
    filled = np.zeros_like(mask)
    cv2.fillPoly(filled, [hull], 1)  # a hand over the edge is not a bay in the board
    whole = filled.sum()

    drawn = np.zeros_like(mask)

    def cost(points: np.ndarray, bound: float = math.inf) -> float:
        """How badly a quad covers the mask; once it is at least `bound`, no more is computed of it."""
        if not cv2.isContourConvex(np.round(points * 8).astype(np.int32)):
            return 10.0
        (left, top), (right, bottom) = points.min(0).tolist(), points.max(0).tolist()
        far = max(-left, -top, right - w, bottom - h) > pad
        if far and bound <= 1.0:
            return 1.0
        drawn[:] = 0
        cv2.fillConvexPoly(drawn, np.round(points * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        both = int(cv2.countNonZero(drawn & filled))
        union = int(cv2.countNonZero(drawn)) + int(whole) - both
        found = 1 - both / max(1, union) + (1.0 if far else 0.0)
        return found if found >= bound else found + 0.03 * _oddness(points, (h, w))

    best = cost(quad)
    step = max(h, w) / 16
    while step > 0.2:
        better = False
        for i in range(4):
            for move in MOVES:
                trial = quad.copy()
                trial[i] += move * step
                value = cost(trial, best - 1e-6)
                if value < best - 1e-6:
                    quad, best, better = trial, value, True
        if not better:
            step /= 2
    if best > 0.5:
        return None
    return _clockwise(quad)


def _four_corners(hull: np.ndarray) -> np.ndarray:
    length = cv2.arcLength(hull, True)
    for share in np.linspace(0.01, 0.15, 15):
        simple = cv2.approxPolyDP(hull, share * length, True)
        if len(simple) == 4:
            return _clockwise(simple.reshape(4, 2).astype(np.float64))
    return _clockwise(cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float64))


def _clockwise(quad: np.ndarray) -> np.ndarray:
    """Clockwise as seen, beginning with the corner nearest the upper left."""
    if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0:
        quad = quad[::-1]
    return np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0)
