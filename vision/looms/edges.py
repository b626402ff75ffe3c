"""The exact corners of a board, from the marks of its surface on the rectified picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.looms.shapes import apply


def board_edges(board: np.ndarray, seen: np.ndarray, to_picture: np.ndarray, lanes: int) -> list[np.ndarray | None]:
    """The lines (a, b, c: ax + by + c = 0, in lane coordinates) of the top, right, bottom and left edge.

    `board` is the probability of board and `seen` 1 where the frame has pixels, both on the rectified picture; None
    for an edge of which too little is seen.
    """
    lines: list[np.ndarray | None] = []
    outward = np.linspace(0.2, 2.8, 105)
    along = np.linspace(-0.6, lanes - 0.4, 8 * lanes)
    last = lanes - 1
    for side in range(4):
        a, o = np.meshgrid(along, outward, indexing="ij")
        x, y = {0: (a, -o), 1: (last + o, a), 2: (a, last + o), 3: (-o, a)}[side]
        rays = np.stack([x, y], axis=-1)
        at = apply(to_picture, rays.reshape(-1, 2)).reshape(rays.shape).astype(np.float32)
        value = _sample(board, at, cv2.INTER_LINEAR, -1)
        there = _sample(seen, at, cv2.INTER_NEAREST, 0)
        points = []
        for ray, marks, known in zip(rays, value, there, strict=True):
            inside = np.flatnonzero(marks > 0.5)
            if len(inside) == 0 or inside[-1] + 2 >= len(marks):
                continue
            k = int(inside[-1])
            if known[: k + 3].min() < 0.5 or marks[k + 1] < 0:
                continue  # cut off by the frame, not by the board's edge
            share = (marks[k] - 0.5) / max(1e-6, float(marks[k] - marks[k + 1]))
            points.append(ray[k] + (ray[k + 1] - ray[k]) * share)
        lines.append(_line(np.array(points), len(along)))
    return lines


def _sample(plane: np.ndarray, at: np.ndarray, how: int, outside: float) -> np.ndarray:
    return cv2.remap(plane, at[..., 0], at[..., 1], how, borderMode=cv2.BORDER_CONSTANT, borderValue=outside)


def _line(points: np.ndarray, asked: int) -> np.ndarray | None:
    """A line through most of the points, or None where they are few or do not lie on one."""
    if len(points) < max(4, 0.25 * asked):
        return None
    keep = np.ones(len(points), bool)
    line = np.zeros(3)
    for limit in (0.4, 0.2, 0.1):
        vx, vy, x, y = cv2.fitLine(points[keep].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        line = np.array([-vy, vx, vy * x - vx * y])
        distance = np.abs(points @ line[:2] + line[2])
        keep = distance < limit
        if keep.sum() < max(4, 0.2 * asked):
            return None
    return line


def board_corners(lines: list[np.ndarray | None], lanes: int, usual: float) -> np.ndarray:
    """The corners in lane coordinates, from the upper left clockwise. An edge that is not seen is taken to be as far
    from the lanes as the others are, or `usual` where none is seen."""
    last = lanes - 1
    normals = [np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 0.0])]
    middles = [np.array([last / 2, 0]), np.array([last, last / 2]), np.array([last / 2, last]), np.array([0, last / 2])]
    margins = [abs(line[:2] @ m + line[2]) for line, m in zip(lines, middles, strict=True) if line is not None]
    margin = float(np.median(margins)) if margins else usual
    full = []
    for side, line in enumerate(lines):
        if line is not None:
            full.append(line)
            continue
        at = middles[side] + (middles[side] - np.array([last / 2, last / 2])) / (last / 2) * margin
        full.append(np.array([*normals[side], -normals[side] @ at]))
    corners = []
    for a, b in ((3, 0), (0, 1), (1, 2), (2, 3)):
        point = np.cross(full[a], full[b])
        corners.append(point[:2] / point[2])
    return np.array(corners)
