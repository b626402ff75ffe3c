"""What all routes share: the desk, and how errors are described in the schema."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from service.desk import Desk


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


DeskDep = Annotated[Desk, Depends(_desk)]
MatchId = Annotated[str, Path(pattern=r"^m_[0-9a-z_]{1,40}$", examples=["m_3f2a9c01d4e7"])]


class Body(BaseModel):
    """A request's body: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class ProblemBody(BaseModel):
    """An error (`application/problem+json`)."""

    type: str = "about:blank"
    title: str
    status: int
    code: str = Field(examples=["illegal_move"])
    detail: str
    es: str
    en: str
    violations: list[dict[str, Any]] | None = None
    errors: list[dict[str, Any]] | None = None


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for the schema."""
    shown = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    return {code: {"model": ProblemBody, "description": "Problem", "content": shown} for code in (403, 422, *codes)}
