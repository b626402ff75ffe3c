"""The shapes that the API sends, for its schema. `docs/api.md` explains them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = dict[str, Any]
Points = list[list[float]]


class Shape(BaseModel):
    """A shape that may grow: clients ignore what they do not know."""

    model_config = ConfigDict(extra="allow")


class Words(Shape):
    """A sentence in both languages."""

    es: str
    en: str


class GameOption(Words):
    """An option that a table may agree on."""

    name: str
    type: str
    default: bool | int | float | str
    choices: list[str] | None = None


class GameShape(Shape):
    """A game and its options."""

    name: str
    title: Words
    players: list[int]
    teams: bool
    options: list[GameOption]


class ScoreLineShape(Words):
    """Points and why."""

    player: int
    cause: str
    points: int
    ply: int | None = None


class ScoreShape(Shape):
    """A total and its lines."""

    player: int
    name: str
    total: int
    lines: list[ScoreLineShape]


class ScoreList(Shape):
    """All scores."""

    score: list[ScoreShape]


class OutcomeShape(Shape):
    """How a game ended."""

    winners: list[int]
    totals: list[int]
    reason: str


class OutcomeAnswer(Shape):
    """The outcome, or null while the game goes on."""

    outcome: OutcomeShape | None


class ViolationShape(Words):
    """One thing that is wrong."""

    code: str
    where: Json


class MoveShape(Words):
    """A move in force (or set aside, then with `violations`)."""

    ply: int | None
    event: int
    move: str
    player: int | None
    source: str
    points: list[Json]
    evidence: str | None


class IllegalShape(Shape):
    """Something illegal on the table."""

    id: str
    event: int
    violations: list[ViolationShape]
    move: str | None
    pieces: list[Json]
    nearest: Json | None
    evidence: str | None


class OptionShape(Words):
    """One answer to a question."""

    id: str
    label: str | None
    probability: float | None


class QuestionShape(Words):
    """A question that the game waits for."""

    id: str
    kind: str
    crop: str | None
    options: list[OptionShape]


class ControlShape(Words):
    """A button; its action goes to `/declare` as it is."""

    id: str
    group: str
    action: Json
    fields: list[Json]


class MatchSummaryShape(Shape):
    """A match in one line."""

    id: str
    game: str
    players: list[str]
    created: float
    updated: float
    status: str
    totals: list[int]


class MatchList(Shape):
    """All matches, newest first."""

    matches: list[MatchSummaryShape]


class MatchStateShape(Shape):
    """Everything that the page shows of a match."""

    id: str
    game: str
    players: list[str]
    scorers: list[str]
    created: float
    updated: float
    status: str
    seq: int
    turn: int | None
    score: list[ScoreShape]
    outcome: OutcomeShape | None
    moves: list[MoveShape]
    set_aside: list[MoveShape]
    illegal: list[IllegalShape]
    questions: list[QuestionShape]
    instruction: Json | None
    controls: list[ControlShape]
    can_undo: bool
    can_redo: bool
    position: Json


class EventShape(Shape):
    """One line of a match's log."""

    seq: int
    time: float
    kind: str
    source: str
    data: Json
    evidence: bool


class EventList(Shape):
    """A part of a match's log and the number of its last event."""

    events: list[EventShape]
    last: int


class LegalMoveShape(Words):
    """A legal move."""

    move: str


class LegalMoves(Shape):
    """Legal moves, and whether there are more than were asked for."""

    moves: list[LegalMoveShape]
    more: bool


class CheckAnswer(Shape):
    """Whether a move would be legal."""

    legal: bool
    violations: list[ViolationShape]


class ChangesShape(Words):
    """What a correction did."""

    before: list[int]
    after: list[int]
    moves: list[Json]
    set_aside: list[int]
    restored: list[int]


class CorrectionAnswer(Shape):
    """The match after a correction, and what changed."""

    state: MatchStateShape
    changes: ChangesShape


class QualityShape(Shape):
    """How well the table can be seen."""

    blur: float
    glare: float
    exposure: float
    advice: list[Words]


class TableStatusShape(Shape):
    """The camera and what it sees."""

    camera: Json
    match: str | None
    calibration: Json | None
    moving: bool
    eyes: str
    state: Json | None
    marks: list[Json]


class CameraList(Shape):
    """The cameras that can be chosen."""

    cameras: list[Json]


class MatShape(Shape):
    """Where the printed mat lies in the picture, clockwise from its upper left corner."""

    corners: list[tuple[float, float]]


class DemoShape(Shape):
    """The simulated camera. `helped` counts what the eyes got wrong and the simulated players put right."""

    game: str
    seed: int
    helped: int
    paused: bool
    speed: float
    step: int
    steps: int
    finished: bool


class DeckShape(Shape):
    """A deck that is being taught."""

    name: str
    kind: str
    size: int
    created: float
    known: dict[str, int]
    missing: list[str]
    progress: float
    looks: list[Json]
    doubtful: list[str]
    learnt: Json
    in_use: bool


class DeckList(Shape):
    """The decks of this computer, and the names of those whose files are damaged."""

    decks: list[DeckShape]
    damaged: list[str]


class Taught(Shape):
    """What one picture taught."""

    deck: DeckShape
    found: list[Json]


class LanShape(Shape):
    """Whether other machines of the house can reach the server."""

    enabled: bool
    link: str | None
    phone: str | None


class PhotoScoreShape(Shape):
    """What one photograph scores."""

    game: str
    reading: Json
    score: list[Json]
    notes: list[Words]


class Health(Shape):
    """Whether the server can do its work."""

    status: str
    checks: dict[str, str]


class Version(Shape):
    """Which Tapete this is."""

    tapete: str
    api: int
    python: str
