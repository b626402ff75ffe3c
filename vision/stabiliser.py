"""States must agree over several looks before they count; a flicker changes nothing, a doubt is averaged."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from vision.looks import alike, merge
from vision.state import Piece, TableState

NEAR = 0.25  # of a piece's size: closer readings of one kind are the same piece


def piece_size(piece: Piece) -> float:
    """A length that stands for the piece's size in the image: the mean of its sides."""
    n = len(piece.corners)
    return sum(math.dist(piece.corners[i], piece.corners[(i + 1) % n]) for i in range(n)) / n


def same_place(a: Piece, b: Piece) -> bool:
    """Whether two readings are of one piece lying at one place."""
    return a.kind == b.kind and math.dist(a.centre, b.centre) < NEAR * max(piece_size(a), 1.0)


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
            if match is None or not alike(piece, match):
                return False
            left.remove(match)
        return True
