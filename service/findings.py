"""What the referee finds, as events of the log: flags, questions with their answers, and pieces as people name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.referee.base import Illegal, Question
from service.store import Draft
from vision.state import Piece, Point

Json = dict[str, Any]


def letters(number: int) -> str:
    """Names for answers: a, b, … z, aa, ab, …"""
    first, last = divmod(number, 26)
    return (letters(first - 1) if first else "") + chr(ord("a") + last)


def aligned(piece: Piece, label: str) -> str:
    """The name that a person gives to a tile, begun at the corner that the eyes begin at.

    People say 1-1-2 from wherever they look; of its turns, the one that agrees with most of what was read is meant.
    """
    parts = label.split("-")
    if piece.kind != "tile" or len(parts) != 3:
        return label
    readings = [(piece.label, piece.confidence), *piece.alternatives]
    turns = ["-".join(parts[k:] + parts[:k]) for k in range(3)]

    def agreement(turn: str) -> float:
        values = turn.split("-")
        return sum(p * sum(a == b for a, b in zip(values, name.split("-"), strict=False)) for name, p in readings)

    return max(turns, key=agreement)


def placed(piece: Piece) -> Json:
    """A piece as the log keeps it: what and where."""
    return {"kind": piece.kind, "label": piece.label, "corners": rounded(piece.corners)}


def rounded(corners: Sequence[Point]) -> list[list[float]]:
    """Corners to a tenth of a pixel: more is noise."""
    return [[round(x, 1), round(y, 1)] for x, y in corners]


def reading(piece: Piece, label: str) -> Json:
    """That a piece is what a person says, instead of what the eyes may have taken it for."""
    known = [piece.label, *(name for name, _ in piece.alternatives), label]
    where = {"at": list(piece.centre), "corners": rounded(piece.corners)}
    sure = round(float(piece.confidence), 3)
    return {**where, "kind": piece.kind, "label": label, "instead_of": known, "confidence": sure}


def illegal_draft(found: Illegal, evidence: bytes | None, number: int) -> Draft:
    """The event that flags something illegal."""
    nearest = found.nearest
    corners = None if nearest is None or nearest.corners is None else rounded(nearest.corners)
    data: Json = {
        "id": f"i{number}",
        "key": found.key,
        "violations": [violation.to_json() for violation in found.violations],
        "pieces": [placed(piece) for piece in found.pieces],
        "move": found.move,
        "nearest": None
        if nearest is None
        else {"move": nearest.move, "es": nearest.words[0], "en": nearest.words[1], "corners": corners},
    }
    return Draft("illegal", data, "camera", evidence)


def question_draft(question: Question, evidence: bytes | None, number: int) -> Draft:
    """The event that asks."""
    options = []
    for place, option in enumerate(question.options):
        shown: Json = {"id": letters(place), "label": option.label, "probability": option.probability}
        shown |= {"es": option.words[0], "en": option.words[1]}
        if option.move is not None:
            shown["move"] = option.move
        elif option.call is not None:
            shown["call"] = option.call
        elif question.piece is not None and option.label is not None:
            shown["reading"] = reading(question.piece, option.label)
        options.append(shown)
    es, en = question.words
    data = {"id": f"q{number}", "key": question.key, "kind": question.kind, "es": es, "en": en, "options": options}
    return Draft("question", data, "camera", evidence)
