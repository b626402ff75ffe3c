"""The WebSocket: the whole state first, then every change, numbered."""

from __future__ import annotations

import asyncio
import contextlib
import json

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool

from service.desk import Desk

router = APIRouter()
SEND_SECONDS = 10.0


@router.websocket("/events")
async def events(socket: WebSocket, epoch: str = "", after: int = -1) -> None:
    """See docs/api.md. A client that takes nothing for a while is let go; it may come back and resume."""
    desk: Desk = socket.app.state.desk
    await socket.accept()
    place = desk.hub.join()
    gone = asyncio.ensure_future(_until_gone(socket))
    try:
        cursor = after if epoch == desk.hub.epoch and desk.hub.since(after) is not None else None
        while not gone.done() and not socket.app.state.stopping:
            place[1].clear()
            missed = None if cursor is None else desk.hub.since(cursor)
            if missed is None:
                hello = await run_in_threadpool(desk.hello)
                await _send(socket, json.dumps(hello, ensure_ascii=False))
                cursor = int(hello["seq"])
                continue
            for seq, text in missed:
                await _send(socket, text)
                cursor = seq
            if not missed:
                waiting = asyncio.ensure_future(place[1].wait())
                await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED, timeout=1.0)
                waiting.cancel()
    except (WebSocketDisconnect, RuntimeError, TimeoutError, OSError):
        pass
    finally:
        gone.cancel()
        desk.hub.leave(place)
        with contextlib.suppress(Exception):
            await socket.close()


async def _send(socket: WebSocket, text: str) -> None:
    await asyncio.wait_for(socket.send_text(text), SEND_SECONDS)


async def _until_gone(socket: WebSocket) -> None:
    """Nothing is expected from a client; what it sends is thrown away."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
