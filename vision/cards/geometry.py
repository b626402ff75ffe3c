"""From a box around a card to its four corners and its flat, upright picture.

The corner network sees a square around the box, with the box itself as a fourth channel (in a fan, many cards share
the square: the box says which one is meant). A card looks alike turned by 180°, so the network answers in numbers
that do not change under half a turn: the centre, each half axis as its length times (cos 2θ, sin 2θ), and how far
perspective pulls opposite corners. They are smooth in everything that can happen to a card, and nothing has to be
averaged over two opposite answers. The last pixels are the refiner's work, which end is up the reader's.
"""

from __future__ import annotations

import cv2
import numpy as np

SQUARE = 128  # pixels of the corner network's input
REACH = 1.5  # its field of view, in long sides of the box
ASPECT = 61.5 / 95
PATCH = (128, 192)  # the flat card that the reader sees, width × height: numbers in its corners stay legible
MARGIN = 0.05  # of the card, around it on the flat picture
FINE = (128, 192)  # the flat card that the refiner sees
FINE_MARGIN = 0.16


def size_hint(ratio: float) -> float:
    """How large the card should be, for the corner network: √area over the box's long side; 0 says that nobody knows.

    What is seen of a half-covered card looks like a whole one of another shape: only the other cards' size tells.
    """
    if not ratio > 0:
        return 0.0
    return float(0.2 + 0.8 * np.clip((np.log(ratio) - np.log(0.4)) / np.log(10), 0, 1))


def with_hint(square: np.ndarray, hint: float) -> np.ndarray:
    """The corner network's input with the size hint as a fifth, even channel."""
    return np.concatenate([square, np.full((1, SQUARE, SQUARE), hint, square.dtype)])


def square_matrix(box: np.ndarray) -> np.ndarray:
    """The 2 × 3 matrix from image pixels to the square that the corner network sees."""
    x1, y1, x2, y2 = (float(v) for v in box)
    scale = SQUARE / (REACH * max(x2 - x1, y2 - y1, 4.0))
    return np.array([[scale, 0, SQUARE / 2 - scale * (x1 + x2) / 2], [0, scale, SQUARE / 2 - scale * (y1 + y2) / 2]])


def shrink(image: np.ndarray, matrix: np.ndarray, quad: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Cut the region around `quad`, made smaller where `scale` would alias; with its new 3 × 3 matrix."""
    height, width = image.shape[:2]
    low = np.clip(np.floor(quad.min(0)).astype(int) - 4, 0, [width - 1, height - 1])
    high = np.clip(np.ceil(quad.max(0)).astype(int) + 5, low + 1, [width, height])
    part = image[low[1] : high[1], low[0] : high[0]]
    matrix = matrix @ np.array([[1, 0, low[0]], [0, 1, low[1]], [0, 0, 1.0]])
    if scale < 0.67:
        size = (max(1, round(part.shape[1] * scale * 1.2)), max(1, round(part.shape[0] * scale * 1.2)))
        fx, fy = part.shape[1] / size[0], part.shape[0] / size[1]
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
        # Pixel centres, not pixel corners, carry the coordinates.
        matrix = matrix @ np.array([[fx, 0, (fx - 1) / 2], [0, fy, (fy - 1) / 2], [0, 0, 1]])
    return part, matrix


def square_input(image: np.ndarray, box: np.ndarray) -> np.ndarray:
    """The corner network's input: 4 × SQUARE × SQUARE, colours and the box's mask, 0 to 1."""
    matrix = np.vstack([square_matrix(box), [0, 0, 1]])
    view = np.array([[0, 0], [SQUARE, 0], [SQUARE, SQUARE], [0, SQUARE]], float)
    corners = (view - matrix[:2, 2]) / matrix[0, 0]
    part, moved = shrink(image, matrix, corners, float(matrix[0, 0]))
    seen = cv2.warpAffine(part, moved[:2], (SQUARE, SQUARE), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    mask = np.zeros((SQUARE, SQUARE), np.uint8)
    low = matrix[:2, :2] @ np.asarray(box[:2], float) + matrix[:2, 2]
    high = matrix[:2, :2] @ np.asarray(box[2:], float) + matrix[:2, 2]
    cv2.rectangle(mask, [round(float(v)) for v in low], [round(float(v)) for v in high], 255, -1)
    return np.concatenate([seen.transpose(2, 0, 1), mask[None]]).astype(np.float32) / 255


def half_turn_free(axis: np.ndarray) -> np.ndarray:
    """Vectors (… × 2) as length times (cos 2θ, sin 2θ): the same for a vector and its opposite."""
    length = np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
    x, y = axis[..., :1], axis[..., 1:]
    return np.concatenate([x * x - y * y, 2 * x * y], -1) / length


def encode_square(corners: np.ndarray) -> np.ndarray:
    """What the corner network should say of corners (… × 4 × 2, in units of half the square): eight numbers each."""
    along = (corners[..., 0, :] + corners[..., 1, :] - corners[..., 2, :] - corners[..., 3, :]) / 4
    across = (corners[..., 1, :] + corners[..., 2, :] - corners[..., 0, :] - corners[..., 3, :]) / 4
    pull = (corners[..., 0, :] - corners[..., 1, :] + corners[..., 2, :] - corners[..., 3, :]) / 4
    return np.concatenate([corners.mean(-2), half_turn_free(along), half_turn_free(across), pull], -1)


def decode_square(output: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Corners in image pixels (clockwise from one of the two possible top lefts) from the corner network's output."""
    axes = []
    for pair in (output[2:4], output[4:6]):
        angle = np.arctan2(pair[1], pair[0]) / 2
        axes.append(np.hypot(*pair) * np.array([np.cos(angle), np.sin(angle)]))
    along, across = axes
    if along[0] * across[1] - along[1] * across[0] < 0:  # up, then right: clockwise on a picture whose y points down
        across = -across
    local = output[:2] + np.stack([along - across, along + across, across - along, -along - across])
    local = local + np.array([[1], [-1], [1], [-1]]) * output[6:8]
    matrix = square_matrix(box)
    return ((local + 1) * SQUARE / 2 - matrix[:, 2]) / matrix[0, 0]


def flat_frame(size: tuple[int, int], margin: float) -> np.ndarray:
    """Where the card's corners lie on a flat picture with a margin (a fraction of the card) around."""
    width, height = size
    mx, my = width * margin / (1 + 2 * margin), height * margin / (1 + 2 * margin)
    return np.array([[mx, my], [width - mx, my], [width - mx, height - my], [mx, height - my]], np.float32)


def flatten(
    image: np.ndarray, corners: np.ndarray, size: tuple[int, int] = PATCH, margin: float = MARGIN
) -> np.ndarray:
    """The card made flat and upright (as its corners say), with some of the table around it."""
    frame = flat_frame(size, margin)
    quad = np.asarray(corners, np.float32)
    matrix = cv2.getPerspectiveTransform(quad, frame)
    length = (np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    centre = quad.mean(0)
    part, moved = shrink(image, matrix, centre + (quad - centre) * (1 + 3 * margin), size[1] / max(float(length), 1.0))
    return cv2.warpPerspective(
        part, moved, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(114, 114, 114)
    )


def box_corners(box: np.ndarray) -> np.ndarray:
    """The four corners of an upright box (x1, y1, x2, y2)."""
    x1, y1, x2, y2 = (float(v) for v in box)
    return np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]])


def seen_mask(
    outline: np.ndarray, corners: np.ndarray, size: tuple[int, int] = PATCH, margin: float = MARGIN
) -> np.ndarray:
    """Where the box around what is seen of a card (four corners, image pixels) lies on the flat picture: h × w bytes.

    A covered card's flat picture shows mostly its neighbours; the box says which part of it is the card's own.
    """
    matrix = cv2.getPerspectiveTransform(np.asarray(corners, np.float32), flat_frame(size, margin))
    where = cv2.perspectiveTransform(np.asarray(outline, np.float32)[None], matrix)[0]
    mask = np.zeros((size[1], size[0]), np.uint8)
    if np.isfinite(where).all():
        cv2.fillConvexPoly(mask, np.clip(where, -4000, 4000).round().astype(np.int32), 255)
    return mask


def unflatten(points: np.ndarray, corners: np.ndarray, size: tuple[int, int], margin: float) -> np.ndarray:
    """Points of the flat picture back in image pixels."""
    matrix = cv2.getPerspectiveTransform(flat_frame(size, margin), np.asarray(corners, np.float32))
    return cv2.perspectiveTransform(np.asarray(points, np.float32)[None], matrix)[0]


def usable(corners: np.ndarray) -> bool:
    """Whether four corners are a convex quadrilateral that a card could show."""
    if not np.isfinite(corners).all():
        return False
    sides = np.roll(corners, -1, 0) - corners
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool((turns > 1e-3).all()) and float(np.linalg.norm(sides, axis=1).min()) > 3
