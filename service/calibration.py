"""Where the table is, as people and files say it: checked in one place, wherever it comes from."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from vision.table import CalibrationError, from_points

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e5, le=1e5)]
CORNERS = [[90, 50], [1180, 50], [1180, 670], [90, 670]]
SIZE = (380.0, 260.0)  # mm; any table serves to see whether four corners are one


class CalibrationBody(BaseModel):
    """The table's corners in image pixels, clockwise from the upper left as player 0 sees it from below."""

    model_config = ConfigDict(extra="forbid")

    corners: list[tuple[Number, Number]] | None = Field(None, examples=[CORNERS])
    looms: dict[str, tuple[Number, Number]] | None = Field(None, description="a player's index → a point on their loom")

    @field_validator("corners")
    @classmethod
    def four(cls, value: list[tuple[float, float]] | None) -> list[tuple[float, float]] | None:
        """Four of them, or none."""
        if value is not None and len(value) != 4:
            raise ValueError("a table has four corners")
        return value

    def to_json(self) -> dict[str, Any]:
        """The calibration as it is kept; `CalibrationError` for corners that no table has."""
        if self.corners is not None:
            from_points(self.corners, SIZE)
        return self.model_dump(exclude_none=True, mode="json")


def checked(data: Any) -> dict[str, Any] | None:
    """A calibration from a file, or None for none; ValueError for anything else."""
    if data is None:
        return None
    try:
        return CalibrationBody.model_validate(data).to_json()
    except (ValidationError, CalibrationError) as error:
        raise ValueError(f"where the table is, is not understood: {error}") from error
