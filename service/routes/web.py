"""The page's files: `/`, `/overlay`, `/phone`, and all that they load. No build step: served as they lie."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).resolve().parent.parent / "web"
FRESH = {"cache-control": "no-cache"}  # always asked for again (a 304 is cheap): a new version is a new page at once


class PageFiles(StaticFiles):
    """Static files that a browser checks before it uses an old copy."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, with the page's cache rule."""
        response = await super().get_response(path, scope)
        response.headers.update(FRESH)
        return response


def mount(app: FastAPI) -> None:
    """Serve the page. Mounted last: the API's routes come first."""

    @app.get("/", include_in_schema=False)
    def index() -> Response:
        return FileResponse(WEB / "index.html", headers=FRESH)

    @app.get("/overlay", include_in_schema=False)
    def overlay() -> Response:
        return FileResponse(WEB / "overlay.html", headers=FRESH)

    @app.get("/phone", include_in_schema=False)
    def phone() -> Response:
        return FileResponse(WEB / "phone.html", headers=FRESH)

    @app.get("/decks", include_in_schema=False)
    def decks() -> Response:
        return FileResponse(WEB / "decks.html", headers=FRESH)

    app.mount("/", PageFiles(directory=WEB), name="web")
