"""What every benchmark gives back, and how it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: what was measured, how much, in which unit, and what a reader should know about it."""

    name: str
    value: float
    unit: str
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


def number(value: float) -> str:
    """A figure with three digits that matter: `12 300`, `4.57`, `0.0123`."""
    if not isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        digits = len(str(int(abs(value)))) - 3
        return f"{round(value, -digits):,.0f}".replace(",", " ")
    return f"{value:.3g}"


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text: name, figure, unit, note."""
    if not rows:
        return "nothing was measured\n"
    cells = [(row.name, number(row.value), row.unit, row.note) for row in rows]
    name, value, unit = (max(len(line[column]) for line in cells) for column in range(3))
    lines = [f"{a:<{name}}  {b:>{value}} {c:<{unit}}  {d}".rstrip() for a, b, c, d in cells]
    return "\n".join(lines) + "\n"
