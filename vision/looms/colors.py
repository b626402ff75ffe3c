"""Colours of cords: as Lab, and named by the table's own reference colours."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from vision.looms.shapes import COLORS

SPREAD = (22.0, 11.0, 11.0)  # how far a cord's L, a, b stray from its reference: light varies more than tint


def lab(bgr: np.ndarray) -> np.ndarray:
    """Rows of BGR (0–255) as CIE Lab."""
    rows = np.clip(np.asarray(bgr, np.float32).reshape(-1, 1, 3) / 255, 0, 1)
    return np.asarray(cv2.cvtColor(rows, cv2.COLOR_BGR2LAB).reshape(-1, 3), np.float64)


def _normal(logs: np.ndarray) -> np.ndarray:
    z = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(z / z.sum(axis=1, keepdims=True))


def by_reference(
    tints: np.ndarray, shades: np.ndarray, reference: Mapping[str, tuple[float, float, float]]
) -> np.ndarray:
    """What the network says, together with the nearness to the reference colours (RGB, 0–255) that are known."""
    known = [i for i, name in enumerate(COLORS) if name in reference]
    if not known:
        return tints
    targets = lab(np.array([reference[COLORS[i]][::-1] for i in known]))
    off = (lab(shades)[:, None] - targets[None]) / np.array(SPREAD)
    logs = np.log(tints + 1e-4)
    if len(known) == len(COLORS):
        logs = 0.4 * logs - 0.5 * (off**2).sum(axis=2)
    else:  # a dye without a reference can only be judged by the network
        near = np.full(tints.shape, -4.0)
        near[:, known] = -0.5 * np.minimum((off**2).sum(axis=2), 12.0)
        logs = logs + 0.5 * near
    return _normal(logs)


def shades_of(facts: Mapping[str, object]) -> dict[str, tuple[float, float, float]]:
    """The mean colour (RGB) of each dye on a loom that was read: what enrolment keeps as `reference`."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    cords = facts.get("cords", ())
    assert isinstance(cords, (list, tuple))
    for cord in cords:
        if "rgb" in cord:
            found.setdefault(cord["color"], []).append(tuple(cord["rgb"]))
    result = {}
    for name, many in found.items():
        r, g, b = (float(v) for v in np.mean(many, axis=0))
        result[name] = (r, g, b)
    return result
