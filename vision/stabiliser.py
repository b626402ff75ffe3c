"""States must agree over several looks before they count; a flicker changes nothing."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from vision.state import Piece, TableState

NEAR = 0.25  # of a piece's size: closer readings of one kind are the same piece


def piece_size(piece: Piece) -> float:
    """A length that stands for the piece's size in the image: the mean of its sides."""
    n = len(piece.corners)
    return sum(math.dist(piece.corners[i], piece.corners[(i + 1) % n]) for i in range(n)) / n


def same_place(a: Piece, b: Piece) -> bool:
    """Whether two readings are of one piece lying at one place."""
    return a.kind == b.kind and math.dist(a.centre, b.centre) < NEAR * max(piece_size(a), 1.0)


def merge(readings: Sequence[Piece]) -> Piece:
    """One piece out of several looks at it: probabilities are averaged, the corners of the best look are kept."""
    totals: dict[str, float] = {}
    for piece in readings:
        for label, probability in ((piece.label, piece.confidence), *piece.alternatives):
            totals[label] = totals.get(label, 0.0) + probability / len(readings)
    label = max(totals, key=lambda name: totals[name])
    looks = [piece for piece in readings if piece.label == label]
    best = max(looks, key=lambda piece: piece.confidence) if looks else readings[-1]
    others = sorted(((n, p) for n, p in totals.items() if n != label and p > 1e-4), key=lambda item: -item[1])
    return replace(best, label=label, confidence=min(1.0, totals[label]), alternatives=tuple(others[:4]))


class Stabiliser:
    """Fed the readings of a resting table; answers with a state once `looks` consecutive ones agree."""

    def __init__(self, looks: int = 2, memory: int = 4) -> None:
        self.looks = looks
        self._recent: deque[TableState] = deque(maxlen=memory)

    def reset(self) -> None:
        """Hands moved: earlier looks are about another table."""
        self._recent.clear()

    def update(self, state: TableState) -> TableState | None:
        """Add a look. The stable state (pieces merged over the looks that agree), or None while they do not."""
        if state.busy:
            self.reset()
            return None
        self._recent.append(state)
        last = list(self._recent)[-self.looks :]
        if len(last) < self.looks or any(not self._agree(last[0], other) for other in last[1:]):
            return None
        pieces = []
        for piece in state.pieces:
            same = [next(p for p in look.pieces if same_place(piece, p)) for look in last]
            pieces.append(merge(same))
        return replace(state, pieces=tuple(pieces))

    @staticmethod
    def _agree(a: TableState, b: TableState) -> bool:
        if len(a.pieces) != len(b.pieces):
            return False
        left = list(b.pieces)
        for piece in a.pieces:
            match = next((p for p in left if same_place(piece, p)), None)
            if match is None or match.label != piece.label or not _same_facts(piece, match):
                return False
            left.remove(match)
        return True


def _same_facts(a: Piece, b: Piece) -> bool:
    """Cords, crossings and lines must agree too: a loom has no label that says them.

    How sure they are may differ, and a cord's shade too: the camera's noise alone changes it from look to look.
    """

    def bare(item: object) -> object:
        return {k: v for k, v in item.items() if k not in ("confidence", "rgb")} if isinstance(item, dict) else item

    def key(items: object) -> list[str]:
        return sorted(repr(bare(item)) for item in items) if isinstance(items, list | tuple) else [repr(items)]

    names = ("cords", "crossings", "lines", "problems")
    return all(key(a.facts.get(name, ())) == key(b.facts.get(name, ())) for name in names)
