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
ROUGH = 0.2  # a possible first card must read like this before its corners are put right
SETTLED = 3  # a heap of so many cards is not doubted
MOST = 800  # possible first cards at all
READS = 120  # possible first cards that are read at all, those proposed most often first
SEEDS = 30  # of those that read like a card, how many are looked at closely
SECOND = 12  # and of the others
INSIDE = 0.8  # the part of a card that must be in the picture


@dataclass(frozen=True, slots=True)
class Found:
    """A card with its reading, corners clockwise, and how much it looks like one."""

    corners: np.ndarray
    reading: Reading
    score: float


def look(image: np.ndarray, guess: np.ndarray) -> Found | None:
    """Read the card that should lie at these corners, after putting them right; None where there is none.

    Corners are looked for near the guess, then further away (perspective bends a large card's sides inwards).
    """
    size = (image.shape[1], image.shape[0])
    for far in (0.09, 0.17):
        corners, clear = refine(image, guess, far)
        if not plausible(corners, size) or not regular(read_lines(rectify(image, corners))):
            continue
        for reach in (0.06, 0.035):
            closer, seen = refine(image, corners, reach)
            clear = max(clear, seen)  # close up, a blurred edge fills the whole view and stands out from nothing
            if plausible(closer, size):
                corners = closer
        reading = read_lines(rectify(image, corners))
        if regular(reading):
            return Found(corners, reading, reading.confidence * (0.5, 0.65, 0.85, 0.95, 1.0)[clear])
    return None


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


def grow(image: np.ndarray, known: list[Found], first: Found) -> list[Found]:
    """A first card and its neighbours' neighbours until no further one is found; none lies on the known ones."""
    heap: dict[tuple[int, int], Found] = {(0, 0): first}
    queue = [(0, 0)]
    while queue:
        cell = queue.pop(0)
        card = heap[cell]
        paper = paper_of(image, card)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            place = (cell[0] + dx, cell[1] + dy)
            if place in heap:
                continue
            for guess in guesses(heap, cell, dx, dy):
                if covered(guess, [*known, *heap.values()], 0.35) or not hint(image, guess, paper):
                    continue
                found = look(image, guess)
                if found is None or found.score < FAIR or not alike(image, card, found):
                    continue
                if covered(found.corners, [*known, *heap.values()], 0.2):
                    continue
                heap[place] = found
                queue.append(place)
                break
    return list(heap.values())


def covered(quad: np.ndarray, cards: list[Found], most: float) -> bool:
    """Whether one of the cards lies on more than `most` of a quad."""
    return any(overlap(quad, card.corners) > most for card in cards)


def guesses(heap: dict[tuple[int, int], Found], cell: tuple[int, int], dx: int, dy: int) -> list[np.ndarray]:
    """Where a card's neighbour may lie: by the perspective of the whole heap, by that of the card alone, by none."""
    card = heap[cell].corners
    along = (card[1] + card[2] - card[0] - card[3]) / 2 * dx + (card[3] + card[2] - card[0] - card[1]) / 2 * dy
    made = [step(card, dx, dy), card + along * (1 + GAP)]
    if len(heap) > 1:
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
        grid = np.concatenate([unit + np.array(place) * (1 + GAP) for place in heap])
        seen = np.concatenate([other.corners for other in heap.values()])
        matrix, _ = cv2.findHomography(grid, seen, 0)
        if matrix is not None:
            here, there = (
                cv2.perspectiveTransform((unit + np.array(c) * (1 + GAP)).reshape(-1, 1, 2), matrix).reshape(4, 2)
                for c in (cell, (cell[0] + dx, cell[1] + dy))
            )
            # Cards lie a little askew: where this one is off the grid, its neighbour was laid to match.
            made.insert(0, there + (card - here).mean(axis=0))
    size = float(np.ptp(card, axis=0).max())
    return [g for k, g in enumerate(made) if all(np.abs(g - other).max() > 0.06 * size for other in made[:k])]


def paper_of(image: np.ndarray, card: Found) -> np.ndarray:
    """The colour of a card's paper."""
    return np.asarray(np.median(rectify(image, card.corners)[::4, ::4].reshape(-1, 3), axis=0))


def alike(image: np.ndarray, one: Found, two: Found) -> bool:
    """Whether two neighbours are of one size and of one paper; light may fall off between them."""
    area, other = (cv2.contourArea(f.corners.astype(np.float32)) for f in (one, two))
    if not 0.5 < area / other < 2.0:
        return False
    a, b = paper_of(image, one), paper_of(image, two)
    return bool(np.abs(a - b).max() < 55 + 0.3 * max(float(a.max()), float(b.max())))


def hint(image: np.ndarray, guess: np.ndarray, paper: np.ndarray | None = None) -> bool:
    """A quick look whether paper (of this colour) lies at a place at all: most guesses are bare table."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, guess.astype(np.float32))
    ys, xs = np.mgrid[0.1:0.9:9j, 0.1:0.9:7j]
    spots = cv2.perspectiveTransform(np.stack([xs, ys], -1).reshape(-1, 1, 2), matrix).reshape(-1, 2)
    h, w = image.shape[:2]
    if not np.isfinite(spots).all():
        return False
    columns, rows = np.round(spots).astype(int).T
    seen = (columns >= 0) & (columns < w) & (rows >= 0) & (rows < h)
    if seen.mean() < INSIDE - 0.1:
        return False
    colors = image[rows[seen], columns[seen]].astype(float)
    if paper is None:
        own = np.median(colors, axis=0)
        return bool((np.abs(colors - own).max(axis=1) < 30 + 0.1 * own.max()).mean() > 0.5)
    return bool((np.abs(colors - paper).max(axis=1) < 55 + 0.3 * paper.max()).mean() > 0.45)


def distinct(quads: list[np.ndarray]) -> list[np.ndarray]:
    """Quads without their near doubles, those first that were proposed most often."""
    if not quads:
        return []
    corners = np.array(quads[:MOST])
    centres = corners.mean(axis=1)
    size = np.ptp(corners, axis=1).max(axis=1)
    free = np.ones(len(corners), bool)
    groups: list[tuple[int, int]] = []
    for k in range(len(corners)):
        if not free[k]:
            continue
        alike = free & (np.abs(centres - centres[k]).max(axis=1) < 0.08 * size[k])
        alike &= np.abs(np.log(size / size[k])) < 0.12
        free &= ~alike
        groups.append((int(alike.sum()), k))
    groups.sort(key=lambda group: (-group[0], group[1]))
    return [corners[k] for _, k in groups]


def find_cards(image: np.ndarray) -> list[Found]:
    """Every card that can be reached from a sure first card.

    A false first card (two cards taken for one, say) has no neighbours: where heaps contradict one another, the one
    with more cards is right. Places that read like a card at first sight are looked at before all others: a chequered
    cloth proposes many, and none of them does.
    """
    size = (image.shape[1], image.shape[0])
    for tinted in (False, True):
        heaps: list[list[Found]] = []
        doubtful: list[np.ndarray] = []
        reads = tries = 0
        for quad in distinct([q for q in seed_quads(image, tinted) if plausible(q, size)]):
            if reads == READS or tries == SEEDS:
                break
            if _taken(quad, heaps) or not hint(image, quad):
                continue
            reads += 1
            rough = read_lines(rectify(image, quad))
            if not rough.lines or rough.confidence < ROUGH:
                continue
            if regular(rough):
                tries += 1
                heaps = _tried(image, heaps, quad)
            else:
                doubtful.append(quad)
        for quad in doubtful[:SECOND]:
            if not _taken(quad, heaps):
                heaps = _tried(image, heaps, quad)
        if heaps:
            return [card for heap in heaps for card in heap]
    return []


def _settled(heaps: list[list[Found]]) -> list[Found]:
    return [card for heap in heaps if len(heap) >= SETTLED for card in heap]


def _taken(quad: np.ndarray, heaps: list[list[Found]]) -> bool:
    """Whether a place belongs to a card that is known already."""
    return covered(quad, _settled(heaps), 0.3) or any(same(quad, card.corners) for heap in heaps for card in heap)


def _tried(image: np.ndarray, heaps: list[list[Found]], quad: np.ndarray) -> list[list[Found]]:
    """The heaps with the one that grows from a card at this place, where it is one and its heap is the better one."""
    settled = _settled(heaps)
    found = look(image, quad)
    if found is None or found.score < SURE or covered(found.corners, settled, 0.2):
        return heaps
    heap = grow(image, settled, found)
    rivals = [h for h in heaps if any(covered(card.corners, h, 0.2) for card in heap)]
    if total(heap) <= sum(total(rival) for rival in rivals):
        return heaps
    return [*(h for h in heaps if not any(h is r for r in rivals)), heap]


def same(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two quads are one card."""
    reach = 0.15 * float(np.ptp(two, axis=0).max())
    return min(float(np.abs(np.roll(one, k, axis=0) - two).max()) for k in range(4)) < reach


def total(heap: list[Found]) -> float:
    """How much speaks for a heap."""
    return sum(card.score for card in heap)
