"""Four-sided outlines in a frame, by its edges: where a board ends more exactly than the finder's coarse marks say."""

from __future__ import annotations

import cv2
import numpy as np

WIDTH = 640  # frames are shrunk to this before edges are looked for
LEAST, MOST = 0.006, 0.75  # of the frame that a board covers
# thresholds of the edge detector, and how much texture is smoothed away first: faint edges on plain cloth, strong ones
# on a busy table, and boards on cloth with a pattern as fine as their cords
PASSES = ((20, 50, 3), (50, 110, 3), (25, 60, 9), (25, 60, 17))


def four_sided(image: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Convex quads, in image pixels and clockwise, that edges of the picture enclose, and how often each was found."""
    h, w = image.shape[:2]
    scale = min(1.0, WIDTH / max(h, w))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    area = small.shape[0] * small.shape[1]
    found: list[tuple[float, np.ndarray]] = []
    for low, high, calm in PASSES:
        edges = np.zeros(small.shape[:2], np.uint8)
        planes = cv2.split(cv2.medianBlur(lab, calm) if calm > 3 else cv2.GaussianBlur(lab, (3, 3), 0))
        for plane, weight in zip(planes, (1.0, 0.6, 0.6), strict=True):
            edges |= cv2.Canny(plane, low * weight, high * weight)
        closed = cv2.dilate(edges, np.ones((3, 3), np.uint8))
        contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            if len(contour) < 4:
                continue
            _, _, across, down = cv2.boundingRect(contour)
            if across * down < LEAST * area:  # nearly all of them: no need of their hulls
                continue
            hull = cv2.convexHull(contour)
            size = cv2.contourArea(hull)
            if LEAST * area < size < MOST * area and (quad := _quad(hull, size)) is not None:
                found.append((size, quad))
    found.sort(key=lambda item: -item[0])
    kept: list[tuple[np.ndarray, int]] = []
    for _, quad in found:
        side = float(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).mean())
        for i, (other, often) in enumerate(kept):
            if np.linalg.norm(quad - other, axis=1).max() < 0.05 * side:
                kept[i] = (other, often + 1)
                break
        else:
            kept.append((quad, 1))
    return [(((quad + 0.5) / scale - 0.5).astype(np.float32), often) for quad, often in kept]


def _quad(hull: np.ndarray, size: float) -> np.ndarray | None:
    """The hull as four corners, where it is a square seen aslant; begins at the upper left."""
    length = cv2.arcLength(hull, True)
    for share in (0.02, 0.035, 0.05):
        simple = cv2.approxPolyDP(hull, share * length, True).reshape(-1, 2).astype(np.float64)
        if len(simple) == 4:
            break
    else:
        return None
    if cv2.contourArea(simple.astype(np.float32), oriented=True) < 0:
        simple = simple[::-1]
    sides = np.linalg.norm(simple - np.roll(simple, -1, axis=0), axis=1)
    if sides.min() < 0.45 * sides.max() or size < 0.45 * sides.mean() ** 2:
        return None
    return np.roll(simple, -int(np.argmin(simple.sum(axis=1))), axis=0)
