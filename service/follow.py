"""From a stable table to the log: asks the referee, writes down what it says, keeps the evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from service.match import Match
from service.referee.base import Mark, Verdict, size_of, with_readings
from service.store import Draft
from vision.state import Piece, TableState

MARGIN = 0.35  # of a crop's size, left around the pieces, so that a person sees where they lie
MAX_SIDE = 480
MOVES_AT_ONCE = 40  # more moves than this in one look is no game but a mistake


def crop(image: np.ndarray | None, pieces: Sequence[Piece]) -> bytes | None:
    """A clean JPEG around some pieces, or None where there is no picture."""
    if image is None or not pieces:
        return None
    points = np.array([corner for piece in pieces for corner in piece.corners], float)
    if not np.isfinite(points).all():
        return None
    (x1, y1), (x2, y2) = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * max(x2 - x1, y2 - y1, 8.0)
    height, width = image.shape[:2]
    left, top = max(0, int(x1 - margin)), max(0, int(y1 - margin))
    right, bottom = min(width, int(x2 + margin) + 1), min(height, int(y2 + margin) + 1)
    if right - left < 2 or bottom - top < 2:
        return None
    part = image[top:bottom, left:right]
    scale = MAX_SIDE / max(part.shape[:2])
    if scale < 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    ok, data = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, 88])
    return data.tobytes() if ok else None


def same_table(table: TableState, held: Sequence[dict[str, object]]) -> bool:
    """Whether the same pieces lie at the same places as on a remembered table."""
    if len(table.pieces) != len(held):
        return False
    left = list(table.pieces)
    for entry in held:
        corners = entry["corners"]
        assert isinstance(corners, list)
        centre = (sum(c[0] for c in corners) / len(corners), sum(c[1] for c in corners) / len(corners))
        found = next(
            (p for p in left if p.label == entry["label"] and math.dist(p.centre, centre) < 0.3 * size_of(p)), None
        )
        if found is None:
            return False
        left.remove(found)
    return True


def follow(match: Match, table: TableState, image: np.ndarray | None = None) -> tuple[Mark, ...]:
    """Let a match take in a stable table; returns how the pieces are to be shown."""
    with match.lock:
        match.table = table
        position = match.position
        if position.hold is not None:
            if same_table(table, position.hold):
                return tuple(Mark(piece, "seen") for piece in table.pieces)
            match.write([Draft("call", {"call": "table_changed"}, "camera")])
        verdict = Verdict()
        for _ in range(MOVES_AT_ONCE):
            seen = with_readings(table, position.readings)
            verdict = match.referee.judge(match.game, seen, match.context())
            if verdict.call is not None:
                match.write([Draft("call", verdict.call, "camera")])
                continue
            if verdict.move is None:
                break
            if verdict.move.replaces and position.entries:
                match.correct(position.entries[-1].event, verdict.move.move, "camera")
                continue
            match.play(verdict.move.move, "camera", crop(image, verdict.move.pieces), _reading_of(verdict.move.pieces))
        changed = verdict.instruction != match.instruction
        match.instruction = verdict.instruction
        drafts = _findings(match, verdict, image)
        if drafts:
            match.write(drafts)
        elif changed:
            for listener in list(match.listeners):
                listener(match, [])
        return verdict.marks


def _reading_of(pieces: Sequence[Piece]) -> dict[str, object]:
    """What the eyes said, kept beside the move that it became."""
    return {"pieces": [piece.to_json() for piece in pieces]}


def _findings(match: Match, verdict: Verdict, image: np.ndarray | None) -> list[Draft]:
    """The events that bring the open flags and questions in line with a verdict."""
    position = match.position
    wanted = {found.key: found for found in verdict.illegal if found.key not in position.dismissed}
    open_flags = {entry["key"]: name for name, entry in position.illegal.items()}
    question = verdict.question
    open_questions = {entry["key"]: name for name, entry in position.questions.items()}
    gone_flags = [name for key, name in open_flags.items() if key not in wanted]
    gone_questions = [name for key, name in open_questions.items() if question is None or key != question.key]
    drafts = []
    if gone_flags or gone_questions:
        drafts.append(Draft("resolved", {"illegal": gone_flags, "questions": gone_questions}, "camera"))
    number = position.seq + len(drafts)
    for key, found in wanted.items():
        if key not in open_flags:
            number += 1
            drafts.append(match.illegal_draft(found, crop(image, found.pieces), number))
    if question is not None and question.key not in open_questions:
        number += 1
        picture = crop(image, [question.piece]) if question.piece is not None else None
        drafts.append(match.question_draft(question, picture, number))
    return drafts
