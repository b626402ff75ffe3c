"""Decks that players teach: begin, show pictures, decide doubtful cards, carry away, forget."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Path, Response, UploadFile
from pydantic import Field

from service import schemas
from service.problems import Problem
from service.routes.common import Body, DeskDep, problems
from vision.images import decode_image

Json = dict[str, Any]
router = APIRouter(tags=["decks"])
DeckName = Annotated[str, Path(max_length=40, examples=["La de casa"])]
LookId = Annotated[str, Path(pattern=r"^k[0-9]{1,4}$", examples=["k7"])]


class NewDeck(Body):
    """A deck to teach."""

    name: Annotated[str, Field(min_length=1, max_length=40)] = Field(examples=["La de casa"])
    size: Literal[40, 48, 50] = Field(40, description="40 without eights and nines, 48 with them, 50 with comodines")
    kind: Literal["cards", "triominos", "trama", "tronix"] = Field("cards", description="what is taught")


class Use(Body):
    """Whether a set is played with."""

    use: bool


class Decision(Body):
    """Which card, tile, cord or face a look shows; null throws the look away."""

    label: Annotated[str, Field(max_length=20)] | None = Field(examples=["7-copas"])


@router.get("/decks", response_model=schemas.DeckList, responses=problems())
def list_decks(desk: DeskDep) -> Json:
    """The decks that were taught on this computer."""
    shown, damaged = [], []
    for name in desk.decks.names():
        try:
            shown.append(desk.decks.shown(desk.decks.deck(name)))
        except Problem:
            damaged.append(name)  # it can still be deleted, and must not hide the others
    return {"decks": shown, "damaged": damaged}


@router.post("/decks", status_code=201, response_model=schemas.DeckShape, responses=problems(409))
def create_deck(desk: DeskDep, body: NewDeck) -> Json:
    """Begin to teach a deck; one that was begun is gone on with."""
    return desk.decks.shown(desk.decks.create(body.name, body.size, body.kind))


@router.get("/decks/{name}", response_model=schemas.DeckShape, responses=problems(404, 409))
def get_deck(desk: DeskDep, name: DeckName) -> Json:
    """Progress, missing and doubtful cards."""
    return desk.decks.shown(desk.decks.deck(name))


@router.put("/decks/{name}/use", response_model=schemas.DeckShape, responses=problems(404, 409))
def use_deck(desk: DeskDep, name: DeckName, body: Use) -> Json:
    """Play with this set of tiles, these cords or this deck of circuits from now on, or no longer."""
    deck = desk.decks.use(name, body.use)
    desk.decks_changed()
    return desk.decks.shown(deck)


@router.delete("/decks/{name}", status_code=204, responses=problems(404))
def delete_deck(desk: DeskDep, name: DeckName) -> Response:
    """Forget a deck with its pictures."""
    desk.decks.delete(name)
    desk.decks_changed()
    return Response(status_code=204)


@router.post("/decks/{name}/pictures", response_model=schemas.Taught, responses=problems(404, 409, 413, 415, 503))
def add_picture(
    desk: DeskDep,
    name: DeckName,
    image: Annotated[UploadFile, File()],
    labels: Annotated[str | None, Form(max_length=4000)] = None,
    backs: Annotated[bool, Form()] = False,
) -> Json:
    """A picture of pieces laid out; `labels` (JSON list, reading order) where they are known.

    `backs`: the circuit cards of the last picture, each turned over in its place.
    """
    data = image.file.read()
    pixels = decode_image(data, desk.settings.max_pixels)
    found = desk.decks.add_picture(name, pixels, data, _labels(labels), backs=backs)
    desk.decks_changed()
    return found


@router.post("/decks/{name}/look", response_model=schemas.Taught, responses=problems(404, 409, 503))
def look(desk: DeskDep, name: DeckName) -> Json:
    """The same, with what the camera sees now."""
    frame = desk.table.frame
    if frame is None:
        raise Problem("no_frame", "there is no picture from a camera", "no hay imagen de ninguna cámara")
    found = desk.decks.add_picture(name, frame.image, frame.image.tobytes())
    desk.decks_changed()
    return found


@router.put("/decks/{name}/looks/{look_id}", response_model=schemas.DeckShape, responses=problems(404, 409))
def decide(desk: DeskDep, name: DeckName, look_id: LookId, body: Decision) -> Json:
    """Say which card a look shows."""
    deck = desk.decks.decide(name, look_id, body.label)
    desk.decks_changed()
    return desk.decks.shown(deck)


@router.get(
    "/decks/{name}/looks/{look_id}/crop",
    response_class=Response,
    responses={**problems(404), 200: {"content": {"image/jpeg": {}}}},
)
def crop(desk: DeskDep, name: DeckName, look_id: LookId) -> Response:
    """The flat card of a look."""
    return Response(desk.decks.crop(name, look_id), media_type="image/jpeg", headers={"cache-control": "private"})


@router.get(
    "/decks/{name}/export",
    response_class=Response,
    responses={**problems(404), 200: {"content": {"application/zip": {}}}},
)
def export_deck(desk: DeskDep, name: DeckName) -> Response:
    """A deck as a file, for another computer."""
    headers = {"content-disposition": 'attachment; filename="deck.zip"'}
    return Response(desk.decks.export(name), media_type="application/zip", headers=headers)


@router.post("/decks/{name}/import", status_code=201, response_model=schemas.DeckShape, responses=problems(409, 413))
def import_deck(desk: DeskDep, name: DeckName, file: Annotated[UploadFile, File()]) -> Json:
    """Take in a deck that was carried away, under a new name."""
    deck = desk.decks.take_in(file.file.read(), name)
    desk.decks_changed()
    return desk.decks.shown(deck)


def _labels(text: str | None) -> list[str] | None:
    if text is None or not text.strip():
        return None
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem("invalid_request", f"labels are not JSON: {error}") from error
    if not isinstance(parsed, list) or not all(isinstance(label, str) for label in parsed):
        raise Problem("invalid_request", "labels are a JSON list of cards")
    return parsed
