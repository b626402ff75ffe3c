"""The printed mat: the sheet itself, and where its markers say that the table is."""

from __future__ import annotations

import io
from typing import Any, Literal

from fastapi import APIRouter, Response

from service import schemas
from service.problems import Problem
from service.routes.common import DeskDep, problems
from vision.table import MAT_MM, CalibrationError, from_markers

Json = dict[str, Any]
router = APIRouter(tags=["table"])


@router.get(
    "/print/mat.pdf",
    response_class=Response,
    responses={**problems(), 200: {"content": {"application/pdf": {}}}},
)
def sheet(paper: Literal["a4", "letter"] = "a4") -> Response:
    """The mat as PDF, to be printed at 100 %."""
    from datasets.kits import print_kit  # loaded when somebody prints, not when the server starts

    target = io.BytesIO()
    print_kit("mat", target, paper)
    headers = {"content-disposition": 'inline; filename="tapete-mat.pdf"'}
    return Response(target.getvalue(), media_type="application/pdf", headers=headers)


@router.get("/table/mat", response_model=schemas.MatShape, responses=problems(409))
def find(desk: DeskDep) -> Json:
    """The corners of the mat in the newest frame, in image pixels; `bad_calibration` where it cannot be seen."""
    frame = desk.table.frame
    if frame is None:
        raise Problem("no_frame", "there is no picture from a camera", "no hay imagen de ninguna cámara")
    try:
        found = from_markers(frame.image)
    except CalibrationError as error:
        raise Problem("bad_calibration", error.en, error.es) from error
    width, height = found.size_mm or MAT_MM
    corners = found.to_image([(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)])
    return {"corners": [[round(x, 1), round(y, 1)] for x, y in corners]}
