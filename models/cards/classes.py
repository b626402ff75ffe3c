"""The faces the card networks tell apart, in the order of their outputs."""

from __future__ import annotations

from vision.cards.labels import BACK, FACES, LABELS

__all__ = ["BACK", "FACES", "INDEX", "LABELS"]

INDEX = {label: i for i, label in enumerate(LABELS)}
