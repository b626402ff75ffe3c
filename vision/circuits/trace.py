"""Whether lines can be followed from port to port over quiet paper: a gingham cloth has ports, but no lines."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

PORTS = {"N": (0.5, 0.0), "E": (1.0, 0.5), "S": (0.5, 1.0), "W": (0.0, 0.5)}
MARGIN = 0.05  # the border itself is not looked at
LOOSE = 0.05  # of the width: how far a line may be from where it is usually drawn
AWAY = 0.17  # of the width: paper further than this from both lines must be quiet
SEEN = 0.35  # of the colour at the ports: what still counts as the line
FOLLOWED, QUIET = 0.87, 0.85  # parts of the way, and of the paper, that must be as they should


def paths(a: str, b: str) -> list[np.ndarray]:
    """The ways a line may take between two ports (unit square): straight, or round as an arc or cut by a diagonal."""
    p, q, centre = np.array(PORTS[a]), np.array(PORTS[b]), np.array([0.5, 0.5])
    t = np.linspace(MARGIN, 1 - MARGIN, 41)[:, None]
    if np.allclose(p + q, 2 * centre):
        return [p + t * (q - p)]
    inner_p, inner_q = p + 0.55 * (centre - p), q + 0.55 * (centre - q)
    arc = (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * inner_p + 3 * (1 - t) * t**2 * inner_q + t**3 * q
    bends = []
    for cut in (0.6, 0.85):
        corners = np.array([p, p + cut * (centre - p), q + cut * (centre - q), q])
        steps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        at = t[:, 0] * steps[-1]
        bends.append(np.column_stack([np.interp(at, steps, corners[:, k]) for k in (0, 1)]))
    return [arc, *bends]


@cache
def places(a: str, b: str, size: tuple[int, int]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The paths as rows and columns of a card's pixels, and a mask of all that is near one of them."""
    w, h = size
    near = np.zeros((h, w), np.uint8)
    found = []
    for path in paths(a, b):
        pixels = np.clip(np.round(path * [w - 1, h - 1]).astype(int), 0, [w - 1, h - 1])
        cv2.polylines(near, [pixels.reshape(-1, 1, 2).astype(np.int32)], False, 1, round(2 * AWAY * w))
        found.append(np.asarray(pixels.T[::-1]))
    return tuple(found), near > 0


def believable(values: np.ndarray, ports: dict[str, tuple[str, str]], strength: dict[str, float]) -> bool:
    """Whether both lines can be followed, and the paper away from them has no colour of its own."""
    size = (values.shape[1], values.shape[0])
    reach = 2 * round(LOOSE * size[0]) + 1
    kernel = np.ones((reach, reach), np.uint8)
    near = np.zeros(values.shape, bool)
    for color, sign in (("green", -1.0), ("pink", 1.0)):
        ways, mask = places(*ports[color], size)
        near |= mask
        own = cv2.dilate(sign * values, kernel) > SEEN * strength[color]
        # Where the lines cross, the other one may lie on top.
        other = cv2.dilate(-sign * values, kernel) > SEEN * strength[color]
        if max(float((own | (other & _middle(size)))[tuple(way)].mean()) for way in ways) < FOLLOWED:
            return False
    border = round(0.08 * size[0])
    inner = ~near
    inner[:border], inner[-border:], inner[:, :border], inner[:, -border:] = False, False, False, False
    quiet = np.abs(values[inner]) < 0.45 * min(strength.values())
    return bool(quiet.size == 0 or quiet.mean() > QUIET)


@cache
def _middle(size: tuple[int, int]) -> np.ndarray:
    w, h = size
    mask = np.zeros((h, w), np.uint8)
    cv2.circle(mask, (w // 2, h // 2), round(0.16 * w), 1, -1)
    return mask > 0
