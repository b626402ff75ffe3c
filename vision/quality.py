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


LARGE = 640  # pixels of the long side at which focus is judged
NEAR, FAR = np.ones((3, 3), np.uint8), np.ones((17, 17), np.uint8)
STRUCTURE = 48  # grey levels between the darkest and the lightest pixel nearby: less is cloth, noise or shadow
ENOUGH = 0.0015  # of the picture must have structure; a plain table says nothing about the lens
WHOLE = 0.85  # of the largest step nearby
SOFT = 1.56  # makes 0.75 of a step that is half done in one pixel; drawn tables in focus reach 0.4 at most
SMALL_SIDE = 480  # pixels of the short side under which small pieces cannot be read


def assess(image: np.ndarray) -> Quality:
    """Blur, glare and exposure of a frame (0 is good for the first two, 0.5 is right for the last), with advice."""
    height, width = image.shape[:2]
    half = _shrunk(image)
    small = cv2.resize(half, (320, 180), interpolation=cv2.INTER_AREA)
    exposure = float(np.median(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY))) / 255.0
    blur = blur_of(half)
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
    if min(width, height) < SMALL_SIDE:
        advice.append(
            (
                f"La imagen es pequeña ({width} × {height}): ponga la cámara en 1280 × 720.",
                f"The picture is small ({width} × {height}): set the camera to 1280 × 720.",
            )
        )
    return Quality(round(blur, 3), round(glare, 4), round(exposure, 3), tuple(advice))


def blur_of(image: np.ndarray) -> float:
    """How soft the edges are: 0 where a step takes one pixel, 1 where it takes eight or more; 0 on a plain table.

    Beside every edge the largest step between neighbours is compared with the whole step over seventeen pixels, so that
    it does not matter how much there is to see, nor how strong its colours are.
    """
    grey = cv2.cvtColor(_shrunk(image), cv2.COLOR_BGR2GRAY)
    whole = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, FAR)
    # Only windows that hold the whole step count: one that sees an edge's last pixels would call it steep.
    full = whole.astype(np.float32) >= WHOLE * cv2.dilate(whole, FAR)
    edges = ((whole >= STRUCTURE) & full)[::4, ::4]  # every fourth pixel stands for its neighbours
    if np.count_nonzero(edges) < ENOUGH * edges.size:
        return 0.0
    step = cv2.dilate(cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, NEAR), FAR)
    sharp = float(np.quantile(step[::4, ::4][edges] / whole[::4, ::4][edges], 0.7))
    return float(np.clip(SOFT * (1.0 - sharp), 0.0, 1.0))


def _shrunk(image: np.ndarray) -> np.ndarray:
    """The picture at the size at which it is judged; a small one stays as it is."""
    scale = LARGE / max(image.shape[:2])
    if scale >= 1.0:
        return image
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def _third(fraction: float) -> int:
    return -1 if fraction < 1 / 3 else 1 if fraction > 2 / 3 else 0
