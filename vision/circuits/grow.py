"""From a first card to the whole heap: a neighbour lies one card further on, and is believed when it reads as one."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.circuits.edges import refine
from vision.circuits.lines import Reading, read_lines, rectify
from vision.circuits.seeds import seed_quads

SURE = 0.75  # a first card must read at least this well
FAIR = 0.35  # a neighbour of a card that is known may read less well
GAP = 0.015  # what is usually left between two cards, as a part of a card
SEEDS = 40  # possible first cards that are looked at closely
INSIDE = 0.8  # the part of a card that must be in the picture


@dataclass(frozen=True, slots=True)
class Found:
    """A card with its reading, corners clockwise, and how much it looks like one."""

    corners: np.ndarray
    reading: Reading
    score: float


def look(image: np.ndarray, corners: np.ndarray, reach: float) -> Found | None:
    """Read the card that should lie at these corners, after putting them right; None where there is none."""
    h, w = image.shape[:2]
    for far in (reach, 0.045) if reach > 0.045 else (reach,):
        corners = refine(image, corners, far)
        if not plausible(corners, (w, h)):
            return None
    reading = read_lines(rectify(image, corners))
    if not reading.lines or not regular(reading):
        return None
    return Found(corners, reading, reading.confidence)


def regular(reading: Reading) -> bool:
    """Whether both lines join ports in the middle of sides, four different ones."""
    ports = [p for line in reading.lines for p in line["ports"]]
    return len(ports) == 4 and all(isinstance(p, str) for p in ports) and len(set(ports)) == 4


def plausible(corners: np.ndarray, size: tuple[int, int]) -> bool:
    """A convex quad with opposite sides of similar length, most of it in the picture."""
    quad = corners.astype(np.float32)
    if not np.isfinite(quad).all() or not cv2.isContourConvex(quad):
        return False
    area = cv2.contourArea(quad)
    if area < 300:
        return False
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    if max(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1]) > 1.6:
        return False
    w, h = size
    frame = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    return float(cv2.intersectConvexConvex(quad, frame)[0]) > INSIDE * area


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """The part of the smaller quad that the other one covers."""
    one, two = a.astype(np.float32), b.astype(np.float32)
    if (one.max(axis=0) < two.min(axis=0)).any() or (two.max(axis=0) < one.min(axis=0)).any():
        return 0.0
    return float(cv2.intersectConvexConvex(one, two)[0]) / max(1.0, min(cv2.contourArea(one), cv2.contourArea(two)))


def step(corners: np.ndarray, dx: int, dy: int) -> np.ndarray:
    """Where the next card to the right (dx = 1), left, below (dy = 1) or above would lie, by the same perspective."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, corners.astype(np.float32))
    moved = unit + np.array([dx, dy], np.float32) * (1 + GAP)
    return np.asarray(cv2.perspectiveTransform(moved.reshape(-1, 1, 2), matrix).reshape(4, 2), float)


def grow(image: np.ndarray, known: list[Found]) -> list[Found]:
    """Add neighbours of known cards until no further one is found."""
    cards = list(known)
    queue = list(known)
    tried: list[np.ndarray] = []
    while queue:
        card = queue.pop(0)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            guess = step(card.corners, dx, dy)
            if any(overlap(guess, other.corners) > 0.35 for other in cards):
                continue
            if any(np.abs(guess - other).max() < 0.05 * np.ptp(guess, axis=0).max() for other in tried):
                continue
            tried.append(guess)
            found = look(image, guess, 0.09)
            if found is None or found.score < FAIR or not alike(image, card, found):
                continue
            if any(overlap(found.corners, other.corners) > 0.25 for other in cards):
                continue
            cards.append(found)
            queue.append(found)
    return cards


def alike(image: np.ndarray, one: Found, two: Found) -> bool:
    """Whether two neighbours are of one size and of one paper; light may fall off between them."""
    area, other = (cv2.contourArea(f.corners.astype(np.float32)) for f in (one, two))
    if not 0.5 < area / other < 2.0:
        return False
    a, b = (np.median(rectify(image, f.corners).reshape(-1, 3), axis=0) for f in (one, two))
    return bool(np.abs(a - b).max() < 25 + 0.35 * max(float(a.max()), float(b.max())))


def find_cards(image: np.ndarray) -> list[Found]:
    """Every card that can be reached from a sure first card."""
    cards: list[Found] = []
    rough = []
    for quad in seed_quads(image):
        if plausible(quad, (image.shape[1], image.shape[0])):
            reading = read_lines(rectify(image, quad))
            rough.append((reading.confidence if reading.lines else 0.0, quad))
    rough.sort(key=lambda item: -item[0])
    looked: list[np.ndarray] = []
    for _, quad in rough:
        if len(looked) >= SEEDS:
            break
        if any(overlap(quad, c.corners) > 0.3 for c in cards) or any(overlap(quad, o) > 0.85 for o in looked):
            continue
        looked.append(quad)
        found = look(image, quad, 0.09)
        if found is None or found.score < SURE:
            continue
        if any(overlap(found.corners, c.corners) > 0.25 for c in cards):
            continue
        cards = grow(image, [*cards, found])
    return cards
