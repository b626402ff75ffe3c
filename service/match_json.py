"""A match as the API shows it: scores in words, moves with their points, open flags and questions, the position.

The callers hold the match's lock: what is put together here must be of one moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from service.findings import placed
from service.plain import plain_both, plain_flag
from service.replay import Entry

if TYPE_CHECKING:
    from service.match import Match

Json = dict[str, Any]


def scorers(match: Match) -> list[str]:
    """Who has a score: the players, or the teams with their players' names."""
    names, count = list(match.record.players), match.game.players
    if count == len(names):
        return names
    teams = [" + ".join(names[i] for i in range(len(names)) if _team(match, i) == team) for team in range(count)]
    return [team or f"#{number + 1}" for number, team in enumerate(teams)]


def _team(match: Match, player: int) -> int:
    team_of = getattr(match.game, "team_of", None)
    return int(team_of(player)) if callable(team_of) else player % match.game.players


def evidence_url(match: Match, event: int) -> str:
    """Where the API serves an event's picture."""
    return f"/api/v1/matches/{match.id}/evidence/{event}"


def score_json(match: Match) -> list[Json]:
    """Every score with its lines in words."""
    result = []
    for score, name in zip(match.game.score(), scorers(match), strict=True):
        lines = []
        for line in score.lines:
            es, en = match.referee.cause(line.cause)
            lines.append({**line.to_json(), "es": es, "en": en})
        result.append({"player": score.player, "name": name, "total": score.total, "lines": lines})
    return result


def _entries(match: Match, entries: Iterable[Entry]) -> list[Json]:
    points: dict[int, list[Json]] = {}
    for score in match.game.score():
        for line in score.lines:
            if line.ply is not None:
                shown = {"player": line.player, "cause": line.cause, "points": line.points}
                points.setdefault(line.ply, []).append(shown)
    result = []
    context = match.context()
    for entry in entries:
        es, en = match.referee.describe(match.game, entry.text, entry.player, context)
        shown = {"ply": entry.ply, "event": entry.event, "move": entry.text, "player": entry.player}
        shown |= {"source": entry.source, "es": es, "en": en}
        shown["points"] = points.get(entry.ply, []) if entry.ply is not None else []
        shown["evidence"] = evidence_url(match, entry.event) if entry.evidence else None
        if entry.violations:
            shown["violations"] = [
                plain_both(violation.to_json(), match.record.game, match.record.players)
                for violation in entry.violations
            ]
        result.append(shown)
    return result


def _open(match: Match, entry: Json) -> Json:
    """An open flag or question as the API sends it."""
    url = evidence_url(match, entry["event"]) if entry["evidence"] else None
    if "options" not in entry:
        shown = {key: entry[key] for key in ("id", "event", "violations", "move", "pieces", "nearest")}
        return {**plain_flag(shown, match.record.game, match.record.players), "evidence": url}
    shown = {key: entry[key] for key in ("id", "event", "kind", "es", "en")}
    keys = ("id", "label", "probability", "es", "en")
    return {**shown, "crop": url, "options": [{key: option[key] for key in keys} for option in entry["options"]]}


def summary(match: Match) -> Json:
    """The match in one line."""
    game = match.game
    return {
        "id": match.id,
        "game": match.record.game,
        "players": list(match.record.players),
        "created": match.record.created,
        "updated": match.position.time or match.record.created,
        "status": "playing" if game.outcome() is None else "finished",
        "totals": [score.total for score in game.score()],
    }


def state(match: Match) -> Json:
    """Everything that the page shows of a match."""
    position, game = match.position, match.game
    outcome = game.outcome()
    instruction = match.instruction
    shown = summary(match)
    del shown["totals"]
    return {
        **shown,
        "scorers": scorers(match),
        "seq": position.seq,
        "turn": game.turn,
        "score": score_json(match),
        "outcome": outcome.to_json() if outcome else None,
        "moves": _entries(match, position.entries),
        "set_aside": _entries(match, position.aside),
        "illegal": [_open(match, entry) for entry in position.illegal.values()],
        "questions": [_open(match, entry) for entry in position.questions.values()],
        "instruction": None
        if instruction is None
        else {
            "code": instruction.code,
            "es": instruction.words[0],
            "en": instruction.words[1],
            "pieces": [placed(piece) for piece in instruction.pieces],
        },
        "controls": [c.to_json() for c in match.referee.controls(game, match.context())] if not outcome else [],
        "can_undo": position.can_undo,
        "can_redo": position.can_redo,
        "position": match.referee.position(game),
    }
