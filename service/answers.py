"""Every error as an answer of the API: problem JSON (`application/problem+json`) by `service.problems`."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rules.game import IllegalMove, RulesError
from service.match import MatchError
from service.plain import plain_both
from service.problems import STATUS, Problem
from service.store import Conflict, StoreError
from vision.images import ImageError
from vision.sources import SourceError

log = logging.getLogger("tapete")


def response(problem: Problem) -> JSONResponse:
    """The problem as a response."""
    return JSONResponse(problem.body(), STATUS[problem.code], media_type="application/problem+json")


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
        return response(problem)

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        found = [
            {"where": ".".join(map(str, entry["loc"])), "what": str(entry["msg"])} for entry in error.errors()[:20]
        ]
        sentence = "; ".join(f"{entry['where']}: {entry['what']}" for entry in found)
        return response(Problem("invalid_request", sentence, errors=found))

    async def http(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        code = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}.get(error.status_code, "invalid_request")
        answer = response(Problem(code, str(error.detail)))
        answer.headers.update(error.headers or {})
        return answer

    for kind in (Problem, RulesError, MatchError, StoreError, ImageError, SourceError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, known)
