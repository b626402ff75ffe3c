"""What the events of a match's log hold, kind by kind: for logs that come from a file and may have been made up."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rules.game import NotationError
from service.calibration import CalibrationBody, Number

Text = Annotated[str, Field(max_length=4000)]
Name = Annotated[str, Field(max_length=200)]
Place = tuple[Number, Number]
Json = dict[str, Any]


class Shape(BaseModel):
    """Values are of their type already, nothing is guessed; further keys are left for those who know them."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _pairs(cls, data: Any) -> Any:
        return _tuples(data)


def _tuples(value: Any) -> Any:
    """Two numbers in a list as a pair: JSON has no other way to write one."""
    if isinstance(value, dict):
        return {key: _tuples(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inside = [_tuples(inner) for inner in value]
        return tuple(inside) if len(inside) == 2 and all(isinstance(n, int | float) for n in inside) else inside
    return value


class Placed(Shape):
    """A piece and where it lay."""

    kind: Name
    label: Text = ""  # looms have none: what is in them is said by further keys
    corners: list[Place] = Field(min_length=1, max_length=16)


class Reading(Shape):
    """That a piece is what a person says."""

    at: Place
    corners: list[Place] = []
    kind: Name
    label: Text
    instead_of: list[Text]
    confidence: float = Field(1.0, ge=0.0, le=1.0)


class Call(Shape):
    """What was said to the referee."""

    call: Name
    player: int | None = Field(None, ge=0, le=15)
    cell: Name | None = None
    label: Name | None = None
    cards: int | None = None
    at: Place | None = None


class Option(Shape):
    """An answer to a question, with what it leads to."""

    id: Name
    label: Text | None
    probability: float | None
    es: Text
    en: Text
    move: Text | None = None
    call: Call | None = None
    reading: Reading | None = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Option:
        if self.move is None and self.call is None and self.reading is None:
            raise ValueError("an answer leads to a move, a call or a reading")
        return self


class Question(Shape):
    """The referee asks."""

    id: Name
    key: Text
    kind: Name
    es: Text
    en: Text
    options: list[Option] = Field(max_length=200)


class Violation(Shape):
    """What is wrong, in words."""

    code: Name
    es: Text
    en: Text
    where: Json


class Nearest(Shape):
    """The nearest move that would be legal."""

    move: Text
    es: Text
    en: Text
    corners: list[Place] | None


class Illegal(Shape):
    """Something illegal was seen."""

    id: Name
    key: Text
    violations: list[Violation]
    pieces: list[Placed]
    move: Text | None
    nearest: Nearest | None


class Moved(Shape):
    """A move, perhaps with the pieces that it was seen by."""

    move: Text
    pieces: list[Placed] = []


class Correction(Shape):
    """What the move of a past event really was."""

    event: int
    move: Text | None
    table: list[Placed] | None = None


class Step(Shape):
    """An action taken back, or done again."""

    table: list[Placed] | None = None


class Answer(Shape):
    """The answer to a question, or a piece named by a person."""

    question: Name | None = None
    option: Name | None = None
    reading: Reading | None = None


class Resolved(Shape):
    """Flags and questions that the table has settled."""

    illegal: list[Name] = []
    questions: list[Name] = []


class Dismissed(Shape):
    """A flag that was wrong."""

    illegal: Name


class Calibrated(Shape):
    """Where the table is."""

    calibration: CalibrationBody | None


KINDS: dict[str, type[Shape]] = {
    "created": Shape,
    "move": Moved,
    "illegal": Illegal,
    "resolved": Resolved,
    "question": Question,
    "answer": Answer,
    "call": Call,
    "correction": Correction,
    "undo": Step,
    "redo": Step,
    "calibration": Calibrated,
    "dismissed": Dismissed,
}


def check(kind: Any, data: Any, number: int) -> None:
    """`NotationError` unless this is the data of an event of that kind."""
    shape = KINDS.get(kind) if isinstance(kind, str) else None
    if shape is None or not isinstance(data, dict):
        raise NotationError(f"event {number} is not one of a match")
    try:
        shape.model_validate(data)
        if isinstance(data.get("calibration"), dict):
            CalibrationBody.model_validate(data["calibration"]).to_json()
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise NotationError(f"event {number} is no {kind} as matches have them ({where or error.title})") from error
