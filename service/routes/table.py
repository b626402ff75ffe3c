"""The table: what the camera sees, which camera, which match, where the table is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service import schemas
from service.addresses import ADDRESS, check_remote_source, may_be_a_camera
from service.calibration import CalibrationBody
from service.clip import pack
from service.desk import DEMO, Desk
from service.games import GAMES
from service.overlay import SharedJpeg, jpeg
from service.problems import Problem
from service.routes.common import Body, DeskDep, problems
from vision.camera import list_cameras, open_camera
from vision.state import Quality
from vision.table import CalibrationError

Json = dict[str, Any]
router = APIRouter(tags=["table"])
MAX_STREAMS = 12
THUMBNAIL_SECONDS = 2.5
POLL_SECONDS = 0.01  # how often the live view looks for a new frame


class CameraBody(Body):
    """A camera to open; null closes the present one."""

    source: Annotated[str, Field(min_length=1, max_length=500)] | None = Field(examples=["0", "demo:triominos"])


class FollowBody(Body):
    """The match to follow; null follows none."""

    match: Annotated[str, Field(pattern=r"^m_[0-9a-z_]{1,40}$")] | None


class ReportBody(Body):
    """What went wrong, in the words of who saw it."""

    note: Annotated[str, Field(max_length=2000)] = Field("", examples=["the 7 was read as a 1"])


class DemoBody(Body):
    """What the simulated camera is to do."""

    paused: bool | None = None
    speed: float | None = Field(None, gt=0.0, le=50.0)
    step: bool | None = Field(None, description="play one more move, then pause")
    game: Annotated[str, Field(max_length=40)] | None = Field(None, description="begin the demonstration of a game")
    seed: int | None = Field(None, ge=0, le=2**31, description="which game; with `game`")


@router.get("/table", response_model=schemas.TableStatusShape, responses=problems())
def table(desk: DeskDep) -> Json:
    """The camera and what it sees."""
    return desk.table.status()


@router.get("/table/quality", response_model=schemas.QualityShape, responses=problems())
def quality(desk: DeskDep) -> Json:
    """How well the table can be seen, with advice."""
    state = desk.table.state
    found = state.quality if state is not None else Quality()
    advice = [{"es": es, "en": en} for es, en in found.advice]
    return {"blur": found.blur, "glare": found.glare, "exposure": found.exposure, "advice": advice}


@router.get(
    "/table/snapshot",
    response_class=Response,
    responses={**problems(409, 503), 200: {"content": {"image/jpeg": {}}}},
)
def snapshot(desk: DeskDep, overlay: bool = False) -> Response:
    """The newest frame, clean or with what was read drawn over it."""
    frame = desk.table.frame
    if frame is None:
        raise Problem("no_frame", "there is no picture from a camera", "no hay imagen de ninguna cámara")
    return Response(
        jpeg(frame, desk.table.marks if overlay else ()),
        media_type="image/jpeg",
        headers={"cache-control": "no-store"},
    )


@router.get(
    "/table/stream",
    response_class=StreamingResponse,
    responses={**problems(429), 200: {"content": {"multipart/x-mixed-replace": {}}}},
)
async def stream(request: Request, desk: DeskDep, overlay: bool = False) -> StreamingResponse:
    """The live view."""
    if request.app.state.streams >= MAX_STREAMS:
        raise Problem("too_many", "too many live views are open", "hay demasiadas vistas en directo abiertas")
    parts = _parts(request, desk, overlay)
    return StreamingResponse(
        parts, media_type="multipart/x-mixed-replace; boundary=frame", headers={"cache-control": "no-store"}
    )


async def _parts(request: Request, desk: Desk, overlay: bool) -> AsyncIterator[bytes]:
    """Every new frame as soon as it is there, at most `stream_fps` a second; a still picture again each second."""
    period, last, due, sent = 1.0 / desk.settings.stream_fps, -1, 0.0, 0.0
    shared: SharedJpeg = request.app.state.jpegs
    request.app.state.streams += 1
    try:
        while not request.app.state.stopping and not await request.is_disconnected():
            frame, now = desk.table.frame, time.monotonic()
            if frame is not None and now >= due and (frame.index != last or now - sent > 1.0):
                last, sent, due = frame.index, now, max(due + period, now)
                data = await run_in_threadpool(shared, frame, desk.table.marks if overlay else ())
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                yield head.encode() + data + b"\r\n"
            await asyncio.sleep(POLL_SECONDS)
    finally:
        request.app.state.streams -= 1


@router.put("/table/camera", response_model=schemas.TableStatusShape, responses=problems(409, 503))
def choose_camera(desk: DeskDep, body: CameraBody) -> Json:
    """Open another camera."""
    if body.source is not None:
        check_remote_source(body.source)
    # Checked again when it is connected: by then a name may lead elsewhere.
    on_network = body.source is not None and ADDRESS in body.source
    desk.use_camera(body.source, may_be_a_camera if on_network else None)
    return desk.table.status()


@router.put("/table/match", response_model=schemas.TableStatusShape, responses=problems(404, 503))
def follow_match(desk: DeskDep, body: FollowBody) -> Json:
    """Follow another match."""
    match = None if body.match is None else desk.match(body.match)
    desk.table.use_match(match)
    if match is not None:
        desk.hub.publish({"type": "match", "match": match.state(), "events": []})
    return desk.table.status()


@router.put("/table/calibration", response_model=schemas.TableStatusShape, responses=problems(409, 503))
def calibrate(desk: DeskDep, body: CalibrationBody) -> Json:
    """Say where the table is."""
    try:
        calibration = body.to_json()
    except CalibrationError as error:
        raise Problem("bad_calibration", error.en, error.es) from error
    _calibrate(desk, calibration)
    return desk.table.status()


@router.delete("/table/calibration", response_model=schemas.TableStatusShape, responses=problems(409, 503))
def forget_calibration(desk: DeskDep) -> Json:
    """Forget where the table is."""
    _calibrate(desk, None)
    return desk.table.status()


def _calibrate(desk: Desk, calibration: Json | None) -> None:
    desk.table.calibrate(calibration)
    if desk.table.match is not None:
        desk.table.match.calibrate(calibration)


@router.post(
    "/table/report",
    response_class=Response,
    responses={**problems(409), 200: {"content": {"application/zip": {}}}},
)
def report(desk: DeskDep, body: ReportBody) -> Response:
    """The last seconds as a failure clip: clean frames, readings and the match, for `tapete replay`."""
    if desk.table.frame is None:
        raise Problem("no_frame", "there is no picture from a camera", "no hay imagen de ninguna cámara")
    data = pack(desk.table.recorder, desk.table.match, body.note)
    headers = {"content-disposition": 'attachment; filename="tapete-clip.zip"', "cache-control": "no-store"}
    return Response(data, media_type="application/zip", headers=headers)


@router.get("/cameras", response_model=schemas.CameraList, responses=problems())
def cameras(desk: DeskDep) -> Json:
    """The cameras that can be chosen. A camera in use is listed without being opened again."""
    source = desk.table.source
    used = int(source) if source is not None and source.isdigit() else None
    shown = [{"source": str(i), "name": f"Camera {i}", "kind": "device"} for i in list_cameras(in_use=used)]
    shown += [{"source": f"{DEMO}{name}", "name": info.title[1], "kind": "demo"} for name, info in GAMES.items()]
    return {"cameras": shown}


@router.get(
    "/cameras/{index}/thumbnail",
    response_class=Response,
    responses={**problems(409), 200: {"content": {"image/jpeg": {}}}},
)
def thumbnail(desk: DeskDep, index: Annotated[int, Path(ge=0, le=63)]) -> Response:
    """A small picture of a connected camera, so that a person can tell which it is. The one in use is not disturbed."""
    headers = {"cache-control": "no-store"}
    if desk.table.source == str(index) and desk.table.frame is not None:
        return Response(jpeg(desk.table.frame, quality=60), media_type="image/jpeg", headers=headers)
    camera = open_camera(str(index))
    try:
        end = time.monotonic() + THUMBNAIL_SECONDS
        while time.monotonic() < end:
            frame = camera.read()
            if frame is not None:
                return Response(jpeg(frame, quality=60), media_type="image/jpeg", headers=headers)
            time.sleep(0.05)
    finally:
        camera.close()
    raise Problem("no_frame", "this camera shows no picture", "esa cámara no da imagen")


@router.get("/demo", response_model=schemas.DemoShape, responses=problems(409))
def demo(desk: DeskDep) -> Json:
    """How the simulated camera is."""
    status = desk.demo_status()
    if status is None:
        raise Problem("no_demo", "no simulated camera is running", "no hay ninguna cámara simulada en marcha")
    return status


@router.post("/demo", response_model=schemas.DemoShape, responses=problems(409))
def control_demo(desk: DeskDep, body: DemoBody) -> Json:
    """Pause, step or change the speed of the simulated camera, or begin the demonstration of another game."""
    if body.game is not None:
        desk.start_demo(body.game, body.seed, body.speed or 1.0)
    control = getattr(desk.table.camera, "control", None)
    if not callable(control):
        raise Problem("no_demo", "no simulated camera is running", "no hay ninguna cámara simulada en marcha")
    control(**body.model_dump(exclude_none=True, exclude={"game", "seed"}))
    status = desk.demo_status()
    assert status is not None
    desk.hub.publish({"type": "demo", "demo": status})
    return status
