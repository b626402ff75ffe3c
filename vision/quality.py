"""How well the table can be seen, and what a person can do about it."""

from __future__ import annotations

import cv2
import numpy as np

from vision.state import Quality

SIDES = {
    (0, -1): ("de la izquierda", "on the left"),
    (0, 1): ("de la derecha", "on the right"),
    (-1, 0): ("del fondo", "at the back"),
    (1, 0): ("de delante", "at the front"),
    (0, 0): ("de encima", "above"),
}


def assess(image: np.ndarray) -> Quality:
    """Blur, glare and exposure of a frame (0 is good for the first two, 0.5 is right for the last), with advice."""
    half = cv2.resize(image, (640, 360), interpolation=cv2.INTER_AREA)
    small = cv2.resize(half, (320, 180), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    exposure = float(np.median(grey)) / 255.0
    # The sharpest tenth of the tiles decides: an empty cloth is smooth everywhere, a focused piece is sharp somewhere.
    tiles = cv2.resize(_spread(cv2.Laplacian(half, cv2.CV_32F)), (32, 18), interpolation=cv2.INTER_AREA)
    sharp = float(np.quantile(tiles, 0.95))
    blur = float(np.clip(1.0 - sharp / 3.0, 0.0, 1.0))
    burnt = cv2.inRange(small, (252, 252, 252), (255, 255, 255)) > 0
    glare = float(burnt.mean())
    advice: list[tuple[str, str]] = []
    if exposure < 0.10:
        advice.append(("Hay poca luz: encienda otra lámpara.", "There is little light: turn on another lamp."))
    elif exposure > 0.92:
        advice.append(("La imagen está quemada: baje la luz.", "The picture is overexposed: turn the light down."))
    if 0.01 < glare < 0.5:
        rows, cols = np.nonzero(burnt)
        side = (_third(rows.mean() / burnt.shape[0]), _third(cols.mean() / burnt.shape[1]))
        es, en = SIDES.get(side) or SIDES[(0, side[1])]
        advice.append((f"Hay un reflejo: apague o mueva la lámpara {es}.", f"Glare: turn off or move the lamp {en}."))
    if blur > 0.75:
        advice.append(
            ("La imagen está borrosa: enfoque o limpie el objetivo.", "The picture is blurred: focus or wipe the lens.")
        )
    return Quality(round(blur, 3), round(glare, 4), round(exposure, 3), tuple(advice))


def _spread(channels: np.ndarray) -> np.ndarray:
    """The standard deviation over the three channels of each pixel; numpy's own takes four times as long."""
    first, second, third = cv2.split(channels)
    mean = (first + second + third) / 3
    squares = cv2.addWeighted(cv2.multiply(first, first), 1 / 3, cv2.multiply(second, second), 1 / 3, 0)
    return cv2.sqrt(cv2.max(squares + cv2.multiply(third, third) / 3 - mean * mean, 0))


def _third(fraction: float) -> int:
    return -1 if fraction < 1 / 3 else 1 if fraction > 2 / 3 else 0
