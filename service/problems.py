"""Errors as the API says them: problem JSON with a stable code and a sentence in each language."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rules.game import IllegalMove, RulesError
from service.match import MatchError
from service.plain import plain_both
from service.store import Conflict, StoreError
from vision.images import ImageError
from vision.sources import SourceError

log = logging.getLogger("tapete")

STATUS = {
    "invalid_request": 422,
    "bad_notation": 422,
    "bad_setup": 422,
    "unknown_game": 404,
    "unknown_match": 404,
    "unknown_event": 404,
    "unknown_question": 404,
    "unknown_option": 404,
    "no_evidence": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "illegal_move": 409,
    "nothing_to_undo": 409,
    "nothing_to_redo": 409,
    "not_a_move": 409,
    "match_busy": 409,
    "no_demo": 409,
    "no_lan": 409,
    "bad_deck_name": 422,
    "unknown_deck": 404,
    "unknown_look": 404,
    "unknown_card": 422,
    "wrong_count": 422,
    "damaged_deck": 409,
    "duplicate_picture": 409,
    "mirrored_picture": 409,
    "no_cards": 409,
    "too_many_looks": 409,
    "deck_exists": 409,
    "not_a_deck": 422,
    "bad_host": 403,
    "bad_origin": 403,
    "bad_token": 401,
    "too_large": 413,
    "too_many_pixels": 413,
    "not_an_image": 415,
    "bad_camera": 422,
    "bad_calibration": 422,
    "cannot_score": 422,
    "no_camera": 409,
    "no_frame": 409,
    "eyes_unavailable": 503,
    "store_unavailable": 503,
    "too_many": 429,
    "internal": 500,
}


class Problem(Exception):
    """An error with a code of the table above."""

    def __init__(self, code: str, en: str, es: str = "", **more: Any) -> None:
        super().__init__(en)
        self.code, self.en, self.es, self.more = code, en, es or en, more

    def body(self) -> dict[str, Any]:
        """The problem as plain JSON."""
        status = STATUS[self.code]
        shown: dict[str, Any] = {"type": "about:blank", "title": self.code.replace("_", " "), "status": status}
        return {**shown, "code": self.code, "detail": self.en, "es": self.es, "en": self.en, **self.more}

    def response(self) -> JSONResponse:
        """The problem as a response."""
        return JSONResponse(self.body(), STATUS[self.code], media_type="application/problem+json")


def as_problem(error: Exception) -> Problem:
    """The problem that an exception of the layers below stands for."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, IllegalMove):
        shown = [violation.to_json() for violation in error.violations]
        es = "; ".join(violation.es for violation in error.violations)
        return Problem("illegal_move", str(error), es, violations=shown)
    if isinstance(error, RulesError):
        return Problem("bad_notation", str(error))
    if isinstance(error, MatchError):
        return Problem(error.code, error.en, error.es)
    if isinstance(error, Conflict):
        return Problem("match_busy", str(error), "otro proceso escribe en esta partida")
    if isinstance(error, StoreError):
        return Problem("store_unavailable", str(error))
    if isinstance(error, ImageError):
        code = "too_many_pixels" if error.code == "image_too_large" else "not_an_image"
        return Problem(code, str(error), image=error.code)
    if isinstance(error, SourceError):
        return Problem("bad_camera", error.en, error.es)
    log.exception("unexpected error", exc_info=error)
    return Problem("internal", "something went wrong inside Tapete; the log says what", "algo ha fallado en Tapete")


def _at_the_table(request: Request, problem: Problem) -> Problem:
    """What is illegal in a match, said with the names of its players."""
    record = request.app.state.desk.match(request.path_params["match_id"]).record
    said = [plain_both(one, record.game, record.players) for one in problem.more["violations"]]
    en, es = ("; ".join(one[lang] for one in said) for lang in ("en", "es"))
    return Problem(problem.code, en, es, violations=said)


def install(app: FastAPI) -> None:
    """Let an app answer every error as a problem."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        problem = as_problem(error)
        if isinstance(error, IllegalMove) and "match_id" in request.path_params:
            problem = _at_the_table(request, problem)
        return problem.response()

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        found = [
            {"where": ".".join(map(str, entry["loc"])), "what": str(entry["msg"])} for entry in error.errors()[:20]
        ]
        sentence = "; ".join(f"{entry['where']}: {entry['what']}" for entry in found)
        return Problem("invalid_request", sentence, errors=found).response()

    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        code = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}.get(error.status_code, "invalid_request")
        response = Problem(code, str(error.detail)).response()
        response.headers.update(error.headers or {})
        return response

    for kind in (Problem, RulesError, MatchError, StoreError, ImageError, SourceError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, known)
