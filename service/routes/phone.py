"""The phone as a camera, and the link that lets it in."""

from __future__ import annotations

import contextlib
from typing import Any

from fastapi import APIRouter, Response, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool

from service import schemas
from service.desk import Desk
from service.lan import qr_svg
from service.problems import Problem
from service.routes.common import DeskDep, problems
from vision.images import ImageError

Json = dict[str, Any]
router = APIRouter(tags=["phone"])


@router.get("/lan", response_model=schemas.LanShape, responses=problems(401))
def lan(desk: DeskDep) -> Json:
    """Whether other machines of the house can reach this server, and by which links."""
    if desk.lan is None:
        return {"enabled": False, "link": None, "phone": None}
    return {"enabled": True, "link": desk.lan.link(desk.port), "phone": desk.lan.link(desk.port, "/phone")}


@router.get(
    "/lan/qr.svg",
    response_class=Response,
    responses={**problems(401, 409), 200: {"content": {"image/svg+xml": {}}}},
)
def lan_qr(desk: DeskDep) -> Response:
    """The phone's link as a QR code."""
    if desk.lan is None:
        raise Problem(
            "no_lan",
            "this server is for this computer only; start it with --lan",
            "este servidor es solo para este ordenador; iníciala con --lan",
        )
    headers = {"content-security-policy": "default-src 'none'", "cache-control": "no-store"}
    return Response(qr_svg(desk.lan.link(desk.port, "/phone")), media_type="image/svg+xml", headers=headers)


@router.websocket("/phone")
async def phone(socket: WebSocket) -> None:
    """Frames of a phone: binary messages, one JPEG each. Each is answered by `ok` or by what is wrong with it.

    A phone sends its next frame after the answer, so that a slow network never builds up a backlog.
    """
    desk: Desk = socket.app.state.desk
    await socket.accept()
    camera = desk.phone
    camera.connect(socket)
    bad = 0
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
        while not socket.app.state.stopping:
            data = await socket.receive_bytes()
            if not camera.is_sender(socket):
                await socket.close(1000, "another phone took over")
                return
            try:
                await run_in_threadpool(camera.feed, data)
                await socket.send_text("ok")
            except ImageError as error:
                bad += 1
                await socket.send_text(error.code)
                if bad > 20:
                    await socket.close(1003, "no pictures")
                    return
