"""What the eyes report: an immutable snapshot of the table and the pieces on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Point = tuple[float, float]

KINDS = ("card", "tile", "loom", "circuit_card", "back")


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece as seen: what it is, where it is, and how sure the eyes are.

    `corners` are image pixels, clockwise from the piece's own first corner (a card's top left, a tile's first value,
    a loom's top left, the start of a circuit card's N side). `facts` holds what only one kind has, in the words of the
    label format: a loom's `lanes`, `grid`, `cords`, `crossings`, `problems`; a circuit card's `lines`, `cell`.
    `confidence` is a probability; `alternatives` are the next best labels with theirs.
    """

    kind: str
    label: str
    corners: tuple[Point, ...]
    confidence: float
    alternatives: tuple[tuple[str, float], ...] = ()
    box: tuple[float, float, float, float] | None = None
    pose: tuple[float, float, float] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def centre(self) -> Point:
        """The mean of the corners, in image pixels."""
        n = len(self.corners)
        return (sum(x for x, _ in self.corners) / n, sum(y for _, y in self.corners) / n)

    def to_json(self) -> dict[str, Any]:
        """The label format of the datasets, plus confidence and alternatives."""
        result: dict[str, Any] = {"kind": self.kind}
        if self.label:
            result["label"] = self.label
        result["corners"] = [[round(x, 1), round(y, 1)] for x, y in self.corners]
        if self.box is not None:
            result["box"] = [round(v, 1) for v in self.box]
        if self.pose is not None:
            result["pose"] = [round(v, 2) for v in self.pose]
        result.update(self.facts)
        result["confidence"] = round(self.confidence, 4)
        result["alternatives"] = [{"label": label, "probability": round(p, 4)} for label, p in self.alternatives]
        return result


@dataclass(frozen=True, slots=True)
class Quality:
    """How well the table can be seen. `advice` holds (Spanish, English) sentences for a person; empty is good."""

    blur: float = 0.0
    glare: float = 0.0
    exposure: float = 0.5
    advice: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TableState:
    """The table at one moment. `busy` means that hands are over it and the pieces must not be trusted yet."""

    time: float
    pieces: tuple[Piece, ...]
    size: tuple[int, int]
    busy: bool = False
    quality: Quality = field(default_factory=Quality)
    timing: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, as the API sends it. `size` is width, height; `timing` milliseconds per stage."""
        return {
            "time": self.time,
            "size": list(self.size),
            "busy": self.busy,
            "pieces": [piece.to_json() for piece in self.pieces],
            "quality": {
                "blur": self.quality.blur,
                "glare": self.quality.glare,
                "exposure": self.quality.exposure,
                "advice": [{"es": es, "en": en} for es, en in self.quality.advice],
            },
            "timing": dict(self.timing),
        }
