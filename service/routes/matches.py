"""Matches: begin, follow, declare, answer, correct, take back, export."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from service import schemas
from service.games import GAMES
from service.kinds.use import with_set
from service.plain import plain_flag
from service.problems import Problem
from service.report import export_html, export_json, import_json
from service.report_pdf import export_pdf
from service.routes.common import Body, DeskDep, MatchId, problems
from service.store import Record

Json = dict[str, Any]
router = APIRouter(tags=["matches"])
Text = Annotated[str, Field(min_length=1, max_length=4000)]


class NewMatch(Body):
    """A match to begin."""

    game: str = Field(max_length=40, examples=["triominos"])
    players: list[Annotated[str, Field(min_length=1, max_length=60)]] = Field(
        min_length=1, max_length=16, examples=[["Ana", "Luis"]]
    )
    options: Json = Field(default_factory=dict, examples=[{"two_sided_bridge": True}])
    setup: Json = Field(default_factory=dict, examples=[{}])
    deck: str | None = Field(None, max_length=40, description="a taught set to play with; else the one in use")
    watch: bool = Field(True, description="let the table follow it")


class MoveBody(Body):
    """A move in notation."""

    move: Text = Field(examples=["A 5-5-5@0,0v"])


class ActionBody(Body):
    """A control's action: a move, or a call to the referee."""

    move: Text | None = Field(None, examples=["A draw"])
    call: Annotated[str, Field(max_length=40)] | None = Field(None, examples=["opener"])
    player: int | None = Field(None, ge=0, le=15)
    at: tuple[float, float] | None = None
    label: Annotated[str, Field(max_length=60)] | None = None
    cell: Annotated[str, Field(max_length=60)] | None = None
    cards: int | None = Field(None, ge=1, le=10)


class AnswerBody(Body):
    """The answer to a question."""

    question: str = Field(max_length=20, examples=["q7"])
    option: str = Field(max_length=4, examples=["a"])


class CorrectBody(Body):
    """What the move of a past event really was; null strikes it out."""

    event: int = Field(ge=1, le=2**31)
    move: Text | None


class DismissBody(Body):
    """An illegal flag that was wrong."""

    illegal: str = Field(max_length=20, examples=["i9"])


class Nothing(Body):
    """An empty object."""


@router.get("/games", response_model=list[schemas.GameShape], responses=problems())
def games() -> list[Json]:
    """The games and their options."""
    return [info.to_json() for info in GAMES.values()]


@router.get("/games/trama/cards", response_model=schemas.Shape, responses=problems())
def trama_cards() -> Json:
    """Trama's box of cards and the hues of its cords: what a table may lay out, and what a photograph may need."""
    from rules.trama import Rules
    from rules.trama.cards import default_cards

    box = default_cards()
    kinds: tuple[tuple[str, Sequence[Any]], ...] = (
        ("adjacent", box.adjacent),
        ("interlaced", box.interlaced),
        ("objectives", box.objectives),
    )
    shown: Json = {kind: [card.to_json() for card in cards] for kind, cards in kinds}
    return {**shown, "colors": dict(Rules().colors)}


@router.get("/matches", response_model=schemas.MatchList, responses=problems(503))
def list_matches(desk: DeskDep) -> Json:
    """All matches, newest first."""
    return {"matches": desk.matches()}


@router.post("/matches", status_code=201, response_model=schemas.MatchStateShape, responses=problems(404, 409, 503))
def create_match(desk: DeskDep, body: NewMatch) -> Json:
    """Begin a match."""
    taught = desk.decks.chosen(body.game, body.deck) if body.game in GAMES else None
    options, setup = (body.options, body.setup) if taught is None else with_set(taught, body.options, body.setup)
    match = desk.new_match(body.game, body.players, options, setup)
    if body.watch:
        desk.table.use_match(match)
    desk.hub.publish({"type": "match", "match": match.state(), "events": []})
    return match.state()


@router.post("/matches/import", status_code=201, response_model=schemas.MatchStateShape, responses=problems(503))
def import_match(desk: DeskDep, body: Json) -> Json:
    """Take in an exported match under a new id."""
    record, drafts, times = import_json(body)
    return desk.import_match(record, drafts, times).state()


@router.get("/matches/{match_id}", response_model=schemas.MatchStateShape, responses=problems(404, 503))
@router.get("/matches/{match_id}/state", response_model=schemas.MatchStateShape, responses=problems(404, 503))
def state(desk: DeskDep, match_id: MatchId) -> Json:
    """Everything about a match."""
    return desk.match(match_id).state()


@router.delete("/matches/{match_id}", status_code=204, responses=problems(404, 503))
def delete(desk: DeskDep, match_id: MatchId) -> Response:
    """Forget a match and its evidence."""
    desk.delete(match_id)
    return Response(status_code=204)


@router.get("/matches/{match_id}/events", response_model=schemas.EventList, responses=problems(404, 503))
def events(
    desk: DeskDep,
    match_id: MatchId,
    after: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=2000)] = 500,
) -> Json:
    """The log of a match."""
    match = desk.match(match_id)
    found = desk.store.events(match_id, after, limit)
    return {"events": [_plainly(match.record, event.to_json()) for event in found], "last": match.position.seq}


def _plainly(record: Record, event: Json) -> Json:
    """An event as the page lists it: what was illegal is said in the words of the table."""
    if event["kind"] != "illegal":
        return event
    return {**event, "data": plain_flag(event["data"], record.game, record.players)}


@router.get("/matches/{match_id}/score", response_model=schemas.ScoreList, responses=problems(404, 503))
def score(desk: DeskDep, match_id: MatchId) -> Json:
    """The score with its lines by cause."""
    match = desk.match(match_id)
    with match.lock:
        return {"score": match.score_json()}


@router.get("/matches/{match_id}/outcome", response_model=schemas.OutcomeAnswer, responses=problems(404, 503))
def outcome(desk: DeskDep, match_id: MatchId) -> Json:
    """How it ended, or null."""
    match = desk.match(match_id)
    with match.lock:
        found = match.game.outcome()
    return {"outcome": found.to_json() if found else None}


@router.get("/matches/{match_id}/moves", response_model=schemas.LegalMoves, responses=problems(404, 503))
def legal_moves(
    desk: DeskDep,
    match_id: MatchId,
    limit: Annotated[int, Query(ge=1, le=2000)] = 200,
    before: Annotated[int | None, Query(ge=1, le=2**31, description="an event: what was legal just before it")] = None,
) -> Json:
    """The legal moves, now or just before a past event (what a correction of it may be)."""
    match = desk.match(match_id)
    with match.lock:
        game, context = match.game if before is None else match.game_before(before), match.context()
        found = [game.format_move(move) for move in islice(iter(game.legal_moves), limit + 1)]
        shown = []
        for text in found[:limit]:
            es, en = match.referee.describe(game, text, game.turn, context)
            shown.append({"move": text, "es": es, "en": en})
    return {"moves": shown, "more": len(found) > limit}


@router.post("/matches/{match_id}/check", response_model=schemas.CheckAnswer, responses=problems(404, 503))
def check(desk: DeskDep, match_id: MatchId, body: MoveBody) -> Json:
    """Whether a move would be legal, and everything wrong with it if not."""
    match = desk.match(match_id)
    return plain_flag(match.check(body.move), match.record.game, match.record.players)


@router.post("/matches/{match_id}/declare", response_model=schemas.MatchStateShape, responses=problems(404, 409, 503))
def declare(desk: DeskDep, match_id: MatchId, body: ActionBody) -> Json:
    """Play a move that the camera cannot see, or tell the referee something."""
    match = desk.match(match_id)
    if (body.move is None) == (body.call is None):
        raise Problem("invalid_request", "an action has either a move or a call", "falta una jugada o un aviso")
    if body.move is not None:
        match.play(body.move)
    else:
        match.call(body.model_dump(exclude_none=True))
    return match.state()


@router.post("/matches/{match_id}/answer", response_model=schemas.MatchStateShape, responses=problems(404, 409, 503))
def answer(desk: DeskDep, match_id: MatchId, body: AnswerBody) -> Json:
    """Answer an open question."""
    match = desk.match(match_id)
    match.answer(body.question, body.option)
    return match.state()


@router.post("/matches/{match_id}/correct", response_model=schemas.CorrectionAnswer, responses=problems(404, 409, 503))
def correct(desk: DeskDep, match_id: MatchId, body: CorrectBody) -> Json:
    """Correct a past move; everything after it is recomputed."""
    match = desk.match(match_id)
    changes = match.correct(body.event, body.move)
    return {"state": match.state(), "changes": changes}


@router.post("/matches/{match_id}/dismiss", response_model=schemas.MatchStateShape, responses=problems(404, 503))
def dismiss(desk: DeskDep, match_id: MatchId, body: DismissBody) -> Json:
    """Take back a flag that was wrong."""
    match = desk.match(match_id)
    match.dismiss(body.illegal)
    return match.state()


@router.post("/matches/{match_id}/undo", response_model=schemas.MatchStateShape, responses=problems(404, 409, 503))
def undo(desk: DeskDep, match_id: MatchId, body: Nothing) -> Json:
    """Take the last action back."""
    match = desk.match(match_id)
    match.undo()
    return match.state()


@router.post("/matches/{match_id}/redo", response_model=schemas.MatchStateShape, responses=problems(404, 409, 503))
def redo(desk: DeskDep, match_id: MatchId, body: Nothing) -> Json:
    """Do it again."""
    match = desk.match(match_id)
    match.redo()
    return match.state()


@router.get(
    "/matches/{match_id}/export",
    response_class=Response,
    responses={
        **problems(404, 503),
        200: {"content": {"application/json": {}, "text/html": {}, "application/pdf": {}}},
    },
)
def export(
    desk: DeskDep,
    match_id: MatchId,
    format: Literal["json", "html", "pdf"] = "json",
    lang: Annotated[Literal["es", "en"], Query(description="the language of a PDF report")] = "es",
) -> Response:
    """The whole match with its evidence, as a file: JSON to take in again, or a report to read."""
    match = desk.match(match_id)
    text: str | bytes
    if format == "html":
        text, kind = export_html(match), "text/html; charset=utf-8"
    elif format == "pdf":
        text, kind = export_pdf(match, lang), "application/pdf"
    else:
        text, kind = export_json(match), "application/json"
    name = f"{match.record.game}-{match_id}.{format}"
    # A report brings its own styles and pictures and no script: nothing else may load.
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return Response(text, media_type=kind, headers=headers)


@router.get(
    "/matches/{match_id}/evidence/{event}",
    response_class=Response,
    responses={**problems(404, 503), 200: {"content": {"image/jpeg": {}}}},
)
def evidence(desk: DeskDep, match_id: MatchId, event: int) -> Response:
    """The clean crop of an event."""
    desk.match(match_id)
    picture = desk.store.evidence(match_id, event) if 0 < event < 2**31 else None
    if picture is None:
        raise Problem("no_evidence", "this event has no picture", "ese suceso no tiene imagen")
    return Response(picture, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})


@router.get(
    "/matches/{match_id}/drawing",
    response_class=Response,
    responses={**problems(404, 503), 200: {"content": {"image/svg+xml": {}}}},
)
def drawing(desk: DeskDep, match_id: MatchId, lang: Literal["es", "en"] = "es") -> Response:
    """The engine's drawing of the position, with the players' names."""
    match = desk.match(match_id)
    with match.lock:
        svg = match.game.draw(match.record.players, lang)
    headers = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(svg, media_type="image/svg+xml", headers=headers)
