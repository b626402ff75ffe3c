"""The FastAPI application: the API under `/api/v1`, the page beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from service.answers import install
from service.desk import Desk
from service.overlay import SharedJpeg
from service.routes import decks, events, mat, matches, meta, phone, photos, table, web
from service.security import Door

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
    app.state.jpegs = SharedJpeg()
    app.state.stopping = False
    install(app)
    for module in (meta, matches, table, mat, photos, decks, phone, events):
        app.include_router(module.router, prefix=PREFIX)
    web.mount(app)
    hosts = (*desk.settings.allowed_hosts, *(desk.lan.hosts if desk.lan else ()))
    app.add_middleware(Door, hosts=hosts, max_bytes=desk.settings.max_upload_bytes, lan=desk.lan)
    return app
