"""How the server is."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Response

from service import schemas
from service.routes.common import DeskDep, problems
from service.store import StoreError

router = APIRouter(tags=["server"])
Json = dict[str, Any]


@router.get("/health", response_model=schemas.Health, responses=problems())
def health(desk: DeskDep) -> Json:
    """Whether everything works: store, camera, eyes."""
    checks = {"store": "ok"}
    try:
        desk.store.ping()
    except StoreError as error:
        checks["store"] = str(error)
    status = desk.table.status()
    checks["camera"] = status["camera"]["status"]
    checks["eyes"] = status["eyes"]
    well = checks["store"] == "ok" and checks["eyes"] == "ok" and checks["camera"] in ("ok", "none", "opening", "ended")
    return {"status": "ok" if well else "degraded", "checks": checks}


@router.get("/version", response_model=schemas.Version, responses=problems())
def server_version() -> Json:
    """Which Tapete this is."""
    return {"tapete": version("tapete"), "api": 1, "python": platform.python_version()}


@router.get("/metrics", response_class=Response, responses={**problems(), 200: {"content": {"text/plain": {}}}})
def metrics(desk: DeskDep) -> Response:
    """Figures for Prometheus."""
    table = desk.table
    latency = sorted(table.latency)
    lines = []

    def add(name: str, kind: str, words: str, value: float, labels: str = "") -> None:
        lines.extend([f"# HELP tapete_{name} {words}", f"# TYPE tapete_{name} {kind}"])
        lines.append(f"tapete_{name}{labels} {value:g}")

    add("uptime_seconds", "gauge", "Seconds since the server started.", time.time() - desk.started)
    add("frames_total", "counter", "Frames taken from cameras.", table.frames)
    add("readings_total", "counter", "Frames read by the eyes.", table.readings)
    add("camera_fps", "gauge", "Frames per second of the camera.", table.fps)
    add("matches", "gauge", "Matches in the store.", len(desk.store.records()))
    add("listeners", "gauge", "WebSocket clients.", desk.hub.listeners)
    add("messages_total", "counter", "Messages published to clients.", desk.hub.seq)
    if sys.platform != "win32":  # Windows has no such count
        import resource

        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        add("memory_peak_bytes", "gauge", "Largest resident memory so far.", memory)
    if latency:
        for share in (0.5, 0.95):
            name = f'{{quantile="{share}"}}'
            value = latency[min(len(latency) - 1, int(share * len(latency)))]
            add("look_milliseconds", "gauge", "From a frame to the match's answer.", value, name)
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")
