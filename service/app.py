"""The FastAPI application: the API under `/api/v1`, the page beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

from service.desk import Desk
from service.problems import install
from service.routes import events, matches, meta, photos, table
from service.security import Door

WEB = Path(__file__).resolve().parent / "web"
PREFIX = "/api/v1"


def create_app(desk: Desk) -> FastAPI:
    """An app around a desk; it closes the desk when it ends."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.stopping = True
        desk.close()

    app = FastAPI(
        title="Tapete",
        version=version("tapete"),
        description="The card table that keeps score. See docs/api.md.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # the usual page loads scripts from elsewhere, and nothing here may
        redoc_url=None,
        lifespan=life,
    )
    app.state.desk = desk
    app.state.streams = 0
    app.state.stopping = False
    install(app)
    for module in (meta, matches, table, photos, events):
        app.include_router(module.router, prefix=PREFIX)
    _serve_page(app)
    app.add_middleware(Door, hosts=desk.settings.allowed_hosts, max_bytes=desk.settings.max_upload_bytes)
    return app


def _serve_page(app: FastAPI) -> None:
    """The page's files, where there are any; `/` and `/overlay` are pages of their own."""

    def page(name: str) -> Response:
        return FileResponse(WEB / name, headers={"cache-control": "no-cache"})

    if (WEB / "index.html").exists():

        @app.get("/", include_in_schema=False)
        def index() -> Response:
            return page("index.html")

        if (WEB / "overlay.html").exists():

            @app.get("/overlay", include_in_schema=False)
            def overlay() -> Response:
                return page("overlay.html")

        app.mount("/", StaticFiles(directory=WEB), name="web")
