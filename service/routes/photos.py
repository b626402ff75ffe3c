"""One photograph without a match: what lies there, and what it scores."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, UploadFile

from service import schemas
from service.kinds.use import notes, set_eyes
from service.photo import read_photo, score_photo
from service.problems import Problem
from service.routes.common import DeskDep, problems
from vision.images import decode_image

router = APIRouter(tags=["photographs"])
Json = dict[str, Any]
Game = Annotated[str, Form(max_length=40, examples=["triominos"])]


@router.post("/read", response_model=schemas.Shape, responses=problems(404, 409, 413, 415, 503))
def read(
    desk: DeskDep,
    image: Annotated[UploadFile, File()],
    game: Game,
    deck: Annotated[str | None, Form(max_length=40, description="a taught set; else the one in use")] = None,
) -> Json:
    """The pieces in a photograph, in the label format with confidences; `notes` say what is not of the set in use."""
    plain = desk.eyes(game)
    taught = desk.decks.chosen(game, deck)
    pixels = decode_image(image.file.read(), desk.settings.max_pixels)
    eyes = plain if taught is None else set_eyes(taught, game) or plain
    found = read_photo(eyes, game, pixels, (image.filename or "photo")[:200])
    return found if taught is None else {**found, "notes": notes(found["pieces"], taught)}


@router.post("/score", response_model=schemas.PhotoScoreShape, responses=problems(404, 413, 415, 503))
def score(
    desk: DeskDep,
    image: Annotated[UploadFile, File()],
    game: Game,
    setup: Annotated[str | None, Form(max_length=100_000)] = None,
) -> Json:
    """What one photograph scores, with reasons."""
    eyes = desk.eyes(game)
    try:
        parsed = json.loads(setup) if setup else {}
    except (ValueError, RecursionError) as error:
        raise Problem("invalid_request", f"setup is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise Problem("invalid_request", "setup is a JSON object")
    pixels = decode_image(image.file.read(), desk.settings.max_pixels)
    return score_photo(eyes, game, pixels, (image.filename or "photo")[:200], parsed)
