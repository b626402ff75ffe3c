"""A piece ready to be laid on a synthetic table: its pixels seen from straight above, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sprite:
    """A drawn (or scanned) piece. `image` is BGRA, its alpha the piece's outline; `corners_mm` are the labelled corners
    in millimetres from the image's upper left, clockwise from the piece's own first corner.

    `kind`, `label` and `facts` are those of the label format (a loom's `lanes`, `cords`, `crossings`; a circuit card's
    `lines`). `thickness_mm` gives the side wall and the shadow, `gloss` (0 to 1) how strongly lamps are reflected.
    """

    image: np.ndarray
    px_per_mm: float
    corners_mm: tuple[Point, ...]
    kind: str
    label: str = ""
    thickness_mm: float = 0.3
    gloss: float = 0.3
    edge_color: tuple[int, int, int] = (225, 220, 210)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of the whole image in millimetres."""
        return (self.image.shape[1] / self.px_per_mm, self.image.shape[0] / self.px_per_mm)
