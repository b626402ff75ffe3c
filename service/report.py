"""A match as a file: JSON that can be taken in again, and a report that people can read and keep."""

from __future__ import annotations

import base64
import binascii
import html
import json
import math
import secrets
import time
from collections.abc import Sequence
from typing import Any

from rules.game import NotationError, RulesError
from service.games import GAMES
from service.log_shapes import check
from service.match import Match, printable
from service.plain import plain
from service.problems import Problem
from service.replay import replay
from service.store import Draft, Event, Record

Json = dict[str, Any]
FORMAT = "tapete-match"
VERSION = 1


def export_json(match: Match) -> str:
    """The whole match: set-up, log and evidence."""
    record = match.record
    events = []
    for event in match.store.events(match.id):
        shown = event.to_json()
        picture = match.store.evidence(match.id, event.seq) if event.evidence else None
        if picture is not None:
            shown["picture"] = base64.b64encode(picture).decode("ascii")
        events.append(shown)
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "game": record.game,
        "players": list(record.players),
        "setup": record.setup,
        "created": record.created,
        "events": events,
        "score": [score.to_json() for score in match.game.score()],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)


def import_json(data: Any) -> tuple[Record, list[Draft], list[float]]:
    """What `export_json` gave, checked by replaying it; `bad_setup` says what is wrong with it."""
    try:
        return _import(data)
    except (RulesError, KeyError, TypeError, ValueError, AttributeError, IndexError, binascii.Error) as error:
        raise Problem("bad_setup", f"this is not an exported match: {error}") from error


def _import(data: Any) -> tuple[Record, list[Draft], list[float]]:
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise NotationError("it has not the form of an exported match")
    game, players = data["game"], data["players"]
    if game not in GAMES:
        raise NotationError(f"there is no game {str(game)[:40]!r}")
    if not isinstance(players, list) or not all(isinstance(name, str) and 0 < len(name) <= 60 for name in players):
        raise NotationError("players are a list of names")
    if not all(map(printable, players)):
        raise NotationError("a name may not have control characters")
    info = GAMES[game]
    setup = info.start(dict(data["setup"])).setup_json()
    drafts, times, events = [], [], []
    for number, entry in enumerate(data["events"], start=1):
        check(entry["kind"], entry["data"], number)
        if not isinstance(entry["source"], str):
            raise NotationError(f"event {number} is not one of a match")
        stamp = float(entry["time"])
        if not math.isfinite(stamp):
            raise NotationError(f"event {number} has no time")
        picture = base64.b64decode(entry["picture"], validate=True) if entry.get("picture") else None
        if picture is not None and not picture.startswith(b"\xff\xd8"):
            raise NotationError(f"the picture of event {number} is no JPEG")
        drafts.append(Draft(entry["kind"], entry["data"], entry["source"][:20], picture))
        times.append(stamp)
        events.append(Event(number, stamp, entry["kind"], entry["source"], entry["data"], picture is not None))
    position = replay(lambda: info.start(setup), events)
    told = data.get("score")
    if told is not None and told != [score.to_json() for score in position.game.score()]:
        raise NotationError("its log does not lead to the score that it claims")
    record = Record(f"m_{secrets.token_hex(6)}", game, tuple(players), setup, time.time())
    return record, drafts, times


STYLE = (
    "body{font:16px/1.4 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left}"
    "img{max-height:7rem;border-radius:4px}.n{text-align:right}.aside{color:#a00}h1{margin-bottom:0}"
)


def export_html(match: Match) -> str:
    """A report in one file: totals, every event that matters with its points and its evidence, the last position."""
    with match.lock:
        state = match.state()
        drawing = match.game.draw(match.record.players)
        events = match.store.events(match.id)
    escape = html.escape
    title = f"{match.info.title[0]}: {' · '.join(match.record.players)}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(match.record.created))
    totals = "".join(
        f"<tr><th>{escape(score['name'])}</th><td class=n>{score['total']}</td></tr>" for score in state["score"]
    )
    rows = "".join(_row(match, entry, events) for entry in moments(state, events))
    picture = base64.b64encode(drawing.encode()).decode()
    return (
        f"<!doctype html><html lang=es><meta charset=utf-8><title>{escape(title)}</title><style>{STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>{when} · {len(state['moves'])} jugadas / moves · {state['status']}</p>"
        f"<table>{totals}</table>"
        f'<p><img style="max-height:24rem" alt="Posición / position" src="data:image/svg+xml;base64,{picture}"></p>'
        f"<table><tr><th>#<th>Jugada / move<th>Puntos / points<th>Prueba / evidence</tr>{rows}</table></html>"
    )


def moments(state: Json, events: Sequence[Event], lang: str = "es") -> list[Json]:
    """Moves and illegal sightings, in order; `was_move` marks moves that a correction has set aside."""
    moves = [{"event": m["event"], "text": m[lang], "points": m["points"], "aside": False} for m in state["moves"]]
    moves += [
        {"event": m["event"], "text": m[lang], "points": [], "aside": True, "was_move": True}
        for m in state["set_aside"]
    ]
    word = {"es": "Ilegal", "en": "Illegal"}[lang]
    flagged = [
        {
            "event": event.seq,
            "text": f"{word}: "
            + " ".join(plain(one[lang], lang, state["game"], state["players"]) for one in event.data["violations"]),
            "points": [],
            "aside": True,
        }
        for event in events
        if event.kind == "illegal"
    ]
    return sorted([*moves, *flagged], key=lambda entry: int(entry["event"]))


def _row(match: Match, entry: Json, events: Sequence[Event]) -> str:
    event = events[entry["event"] - 1]
    picture = match.store.evidence(match.id, event.seq) if event.evidence else None
    shown = ""
    if picture is not None:
        shown = f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(picture).decode()}">'
    points = ", ".join(
        f"{html.escape(match.scorers()[line['player']])} {line['points']:+d} "
        f"({html.escape(match.referee.cause(line['cause'])[0])})"
        for line in entry["points"]
    )
    style = " class=aside" if entry["aside"] else ""
    return f"<tr{style}><td>{event.seq}<td>{html.escape(entry['text'])}<td>{points}<td>{shown}</tr>"
