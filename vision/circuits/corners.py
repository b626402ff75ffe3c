"""A card's exact corners from rough ones, by a small network that sees the card straightened with a margin."""

from __future__ import annotations

import cv2
import numpy as np

from vision.onnx import load

WEIGHTS = "circuits_corners"
CROP = (80, 112)  # pixels of the crop that the network sees
MARGIN = 0.12  # of the crop on every side: the surround in which the true edge may lie
OFFSET_SCALE = 4.0
ROUNDS = 2  # the second look starts from the first one's answer


def crop_matrix(corners: np.ndarray) -> np.ndarray:
    """Image pixels to crop pixels."""
    w, h = CROP
    mx, my = MARGIN * w, MARGIN * h
    target = np.array([[mx, my], [w - mx, my], [w - mx, h - my], [mx, h - my]], np.float32) - 0.5
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), target))


def crop_card(image: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The card straightened, with its margin; a large card is shrunk first so that its edges stay smooth."""
    matrix = crop_matrix(corners)
    side = float(np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[3] - corners[0]))
    inner = (1 - 2 * MARGIN) * sum(CROP)
    if side > 1.6 * inner:
        low = np.floor(corners.min(axis=0) - 0.25 * side).astype(int)
        high = np.ceil(corners.max(axis=0) + 0.25 * side).astype(int)
        x0, y0 = np.maximum(low, 0)
        x1, y1 = np.minimum(high, [image.shape[1], image.shape[0]])
        scale = 1.2 * inner / side
        if x1 - x0 > 8 and y1 - y0 > 8:
            size = (max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale)))
            image = cv2.resize(image[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA)
            fx, fy = size[0] / (x1 - x0), size[1] / (y1 - y0)
            shrink = np.array([[fx, 0, (0.5 - x0) * fx - 0.5], [0, fy, (0.5 - y0) * fy - 0.5], [0, 0, 1]])
            matrix = matrix @ np.linalg.inv(shrink)
    return np.asarray(cv2.warpPerspective(image, matrix, CROP, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def exact_corners(image: np.ndarray, quads: list[np.ndarray]) -> list[np.ndarray]:
    """Corners of all cards at once, put right."""
    if not quads:
        return []
    network = load(WEIGHTS)
    w, h = CROP
    mx, my = MARGIN * w, MARGIN * h
    base = np.array([[mx, my], [w - mx, my], [w - mx, h - my], [mx, h - my]]) - 0.5
    for _ in range(ROUNDS):
        crops = np.stack([crop_card(image, quad) for quad in quads]).transpose(0, 3, 1, 2).astype(np.float32)
        offsets = network(crops)[0].reshape(-1, 4, 2) * OFFSET_SCALE
        moved = []
        for quad, offset in zip(quads, offsets, strict=True):
            back = np.linalg.inv(crop_matrix(quad))
            moved.append(cv2.perspectiveTransform((base + offset).reshape(-1, 1, 2), back).reshape(4, 2))
        quads = moved
    return quads
