"""Circuit cards in a frame: found, put on one grid with one idea of north, and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vision.circuits.frames import frame_mm, widen
from vision.circuits.grow import Found, find_cards, regular
from vision.circuits.lines import Reading, read_lines, rectify
from vision.circuits.upright import upright
from vision.state import Piece

Lines = Sequence[dict[str, Any]]

IRREGULAR = 0.5  # at most this sure of a card whose lines do not leave in the middle of its sides
FOREIGN = 0.6  # at most this sure of a card that is not in the deck
KEEP = 0.15  # readings less likely than this are something else on the table


def read_circuits(image: np.ndarray, faces: Sequence[Lines] | None = None) -> list[Piece]:
    """Every circuit card in the frame: corners from its N side, lines between ports, its cell on the common grid.

    With the `faces` of a deck (lines in the label format) each card says whether it is of that deck (`in_deck`): one
    that is not is still told as it was read, but never surely.
    """
    deck = None if faces is None else {lines_label(turned) for face in faces for turned in _both_ways(face)}
    height, width = image.shape[:2]
    found = find_cards(image)
    inner = upright([card.corners for card in found], (width, height))
    frame = frame_mm(image, inner)
    outer = [widen(image, quad, frame) for quad in inner] if frame else inner
    cells = grid_cells(outer)
    pieces = []
    for card, within, around, cell in zip(found, inner, outer, cells, strict=True):
        quad, reading = best_reading(image, card, within, around)
        confidence = reading.confidence if regular(reading) else min(reading.confidence, IRREGULAR)
        if not reading.lines or confidence < KEEP:
            continue
        facts: dict[str, Any] = {"lines": reading.lines}
        if cell is not None:
            facts["cell"] = list(cell)
        label = lines_label(reading.lines)
        if deck is not None:
            facts["in_deck"] = label in deck
            confidence = confidence if label in deck else min(confidence, FOREIGN)
        corners = tuple((float(x), float(y)) for x, y in quad)
        other = lines_label(reading.other) if reading.other else label
        # Half of what is doubtful goes to the next best reading: the rest is spread over all others.
        more = ((other, 0.5 * (1 - confidence)),) if other != label else ()
        pieces.append(Piece("circuit_card", label, corners, confidence, more, facts=facts))
    return pieces


def best_reading(image: np.ndarray, card: Found, within: np.ndarray, around: np.ndarray) -> tuple[np.ndarray, Reading]:
    """The card read by its outer edge; by the frame's inner edge, or as it was found, where that reads as no card."""
    reading = read_lines(rectify(image, around))
    if regular(reading):
        return around, reading
    if around is not within:
        reading = read_lines(rectify(image, within))
        if regular(reading):
            return within, reading
    shift = int(np.argmin([np.abs(np.roll(card.corners, -k, axis=0) - within).max() for k in range(4)]))
    return within, card.reading.turned(shift)


def _both_ways(face: Lines) -> tuple[Lines, Lines]:
    """A face as it is printed, and upside down: a card may lie either way."""
    return face, Reading(list(face), 1.0).turned(2).lines


def lines_label(lines: Lines) -> str:
    """A card's short name by its lines, `gNSpEW`; a port off the middle is written with its place, `gN33S`."""
    parts = []
    for line in sorted(lines, key=lambda item: str(item["color"])):
        ports = [p if isinstance(p, str) else f"{p[0]}{round(100 * p[1]):02d}" for p in line["ports"]]
        parts.append(str(line["color"])[0] + "".join(sorted(ports, key=lambda p: ("NESW".index(p[0]), p))))
    return "".join(parts)


def grid_cells(quads: list[np.ndarray]) -> list[tuple[int, int] | None]:
    """Columns and rows on the common grid, counted from the first card; cards of another island get None.

    Walks from card to card: a neighbour lies one card's width (or height) further on, by the card's own sides, so
    perspective does no harm.
    """
    cells: list[tuple[int, int] | None] = [None] * len(quads)
    if not quads:
        return cells
    centres = np.array([q.mean(axis=0) for q in quads])
    cells[0] = (0, 0)
    queue = [0]
    while queue:
        i = queue.pop(0)
        c = quads[i]
        right, down = (c[1] + c[2] - c[0] - c[3]) / 2, (c[2] + c[3] - c[0] - c[1]) / 2
        for (dx, dy), step in (((1, 0), right), ((-1, 0), -right), ((0, 1), down), ((0, -1), -down)):
            gaps = np.linalg.norm(centres - (centres[i] + step), axis=1)
            j = int(np.argmin(gaps))
            near = 0.3 * min(float(np.linalg.norm(right)), float(np.linalg.norm(down)))
            here = cells[i]
            if gaps[j] < near and cells[j] is None and here is not None:
                cells[j] = (here[0] + dx, here[1] + dy)
                queue.append(j)
    return cells
