"""The label files of datasets and evaluation: one JSON beside each image, read strictly and written compactly.

A mistake in a label is a mistake in every figure measured on it, so reading checks everything and an error names the
file, the piece and the field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vision.state import KINDS, Piece

Point = tuple[float, float]
Box = tuple[float, float, float, float]

GAMES = ("trichon", "truco", "triominos", "trama", "tronix")
SUITS = ("oros", "copas", "espadas", "bastos")
SIDES = ("N", "E", "S", "W")
CORNERS = {"card": 4, "back": 4, "tile": 3, "loom": 4, "circuit_card": 4}
SOME_CARD = "card"  # the label of a card whose face nobody has said
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")

_CARD = re.compile(rf"(?:[1-9]|1[0-2])-(?:{'|'.join(SUITS)})|comodin|{SOME_CARD}")
_TILE = re.compile(r"[0-5]-[0-5]-[0-5]")
_KNOWN = {"kind", "label", "corners", "box", "visible", "uncertain"}


class LabelError(ValueError):
    """A label that does not say what the format demands; the message says where and what."""


@dataclass(frozen=True, slots=True)
class PieceLabel:
    """One labelled piece. `corners` are those of the whole piece, also where it is covered; `box` what is seen of it.

    `facts` holds what only one kind has (`lanes`, `grid`, `cords`, `crossings`, `lines`, `cell`) and anything else that
    a file says beyond the format, which is kept as it is.
    """

    kind: str
    label: str = ""
    corners: tuple[Point, ...] = ()
    box: Box | None = None
    visible: float | None = None
    uncertain: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def extent(self) -> Box:
        """The box: as labelled, or around the corners."""
        if self.box is not None:
            return self.box
        xs, ys = zip(*self.corners, strict=True)
        return (min(xs), min(ys), max(xs), max(ys))

    @property
    def centre(self) -> Point:
        """The mean of the corners, or the middle of the box where only a box is known."""
        if self.corners:
            n = len(self.corners)
            return (sum(x for x, _ in self.corners) / n, sum(y for _, y in self.corners) / n)
        x1, y1, x2, y2 = self.extent
        return ((x1 + x2) / 2, (y1 + y2) / 2)

    @property
    def size(self) -> float:
        """How large the piece is in the image: the root of the area of its corners, or of its box."""
        if self.corners:
            return math.sqrt(polygon_area(self.corners))
        x1, y1, x2, y2 = self.extent
        return math.sqrt(max(0.0, x2 - x1) * max(0.0, y2 - y1))

    def to_json(self) -> dict[str, Any]:
        """The piece in the format on disk; coordinates to a tenth of a pixel."""
        out: dict[str, Any] = {"kind": self.kind}
        if self.label:
            out["label"] = self.label
        if self.corners:
            out["corners"] = [[_tenth(x), _tenth(y)] for x, y in self.corners]
        if self.box is not None:
            out["box"] = [_tenth(v) for v in self.box]
        for key, value in self.facts.items():
            out[key] = [[_tenth(x), _tenth(y)] for x, y in value] if key == "grid" else value
        if self.visible is not None:
            out["visible"] = round(self.visible, 2)
        if self.uncertain:
            out["uncertain"] = True
        return out

    @classmethod
    def from_json(cls, data: Any, where: str = "piece") -> PieceLabel:
        """Read and check one piece; `where` begins every complaint."""
        if not isinstance(data, dict):
            raise LabelError(f"{where}: expected an object, not {type(data).__name__}")
        kind = data.get("kind")
        if kind not in KINDS:
            raise LabelError(f"{where}: kind {kind!r} is none of {', '.join(KINDS)}")
        label = data.get("label", "")
        if not isinstance(label, str):
            raise LabelError(f"{where}: label {label!r} is not text")
        _check_label(kind, label, where)
        corners = _points(data["corners"], CORNERS[kind], f"{where}: corners") if "corners" in data else ()
        box = _box(data["box"], f"{where}: box") if "box" in data else None
        if not corners and box is None:
            raise LabelError(f"{where}: has neither corners nor box")
        visible = data.get("visible")
        if visible is not None and not (_is_number(visible) and 0 <= visible <= 1):
            raise LabelError(f"{where}: visible {visible!r} is no fraction between 0 and 1")
        uncertain = data.get("uncertain", False)
        if not isinstance(uncertain, bool):
            raise LabelError(f"{where}: uncertain {uncertain!r} is neither true nor false")
        facts = {key: value for key, value in data.items() if key not in _KNOWN}
        if "grid" in facts:
            facts["grid"] = _points(facts["grid"], 4, f"{where}: grid")
        if kind == "loom":
            _check_loom(facts, where)
        if kind == "circuit_card":
            _check_circuit(facts, where)
        return cls(kind, label, corners, box, None if visible is None else float(visible), uncertain, facts)

    def to_piece(self, confidence: float = 1.0) -> Piece:
        """The label as a reader would report it if it read everything right."""
        x1, y1, x2, y2 = self.extent
        corners = self.corners or ((x1, y1), (x2, y1), (x2, y2), (x1, y2))
        return Piece(self.kind, self.label, corners, confidence, box=self.extent, facts=dict(self.facts))


@dataclass(frozen=True, slots=True)
class SceneLabels:
    """All that is known of one image. `extra` keeps what the file says beyond the format (deck, layout, …)."""

    image: str
    game: str
    pieces: tuple[PieceLabel, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def named(self, image: str) -> SceneLabels:
        """The same labels for an image of another name."""
        return replace(self, image=image)

    def to_json(self) -> dict[str, Any]:
        """The format on disk as a plain dictionary."""
        pieces = [piece.to_json() for piece in self.pieces]
        return {"image": self.image, "game": self.game, **self.extra, "pieces": pieces}

    @classmethod
    def from_json(cls, data: Any, where: str = "labels") -> SceneLabels:
        """Read and check a whole label file's content."""
        if not isinstance(data, dict):
            raise LabelError(f"{where}: expected an object, not {type(data).__name__}")
        image, game, pieces = data.get("image"), data.get("game"), data.get("pieces")
        if not isinstance(image, str) or not image or "/" in image or "\\" in image:
            raise LabelError(f"{where}: image {image!r} is not the name of a file beside it")
        if game not in GAMES:
            raise LabelError(f"{where}: game {game!r} is none of {', '.join(GAMES)}")
        if not isinstance(pieces, list):
            raise LabelError(f"{where}: pieces must be a list")
        read = tuple(PieceLabel.from_json(piece, f"{where}: piece {i}") for i, piece in enumerate(pieces))
        extra = {key: value for key, value in data.items() if key not in {"image", "game", "pieces"}}
        return cls(image, game, read, extra)


def load(path: Path | str) -> SceneLabels:
    """Read one label file."""
    path = Path(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LabelError(f"{path}: {error}") from error
    return SceneLabels.from_json(data, str(path))


def save(labels: SceneLabels, path: Path | str) -> None:
    """Write one label file; what was written reads back as the same labels (to a tenth of a pixel)."""
    Path(path).write_text(json.dumps(labels.to_json(), ensure_ascii=False) + "\n", "utf-8")


def walk(folder: Path | str) -> Iterator[tuple[Path, SceneLabels]]:
    """Every labelled image below `folder`, in a fixed order, as (image path, labels).

    Other JSON files (one without `pieces`) are passed over; a label file whose image is missing is an error.
    """
    for path in sorted(Path(folder).rglob("*.json")):
        try:
            data = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise LabelError(f"{path}: {error}") from error
        if not isinstance(data, dict) or "pieces" not in data:
            continue
        labels = SceneLabels.from_json(data, str(path))
        image = path.parent / labels.image
        if not image.is_file():
            raise LabelError(f"{path}: its image {labels.image} is not there")
        yield image, labels


def polygon_area(points: tuple[Point, ...]) -> float:
    """The area of a simple polygon, without sign."""
    shifted = points[1:] + points[:1]
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(points, shifted, strict=True))) / 2


def port(value: Any) -> tuple[str, float]:
    """A circuit card's port as (side, position along it clockwise); the plain side means its middle."""
    if isinstance(value, str) and value in SIDES:
        return value, 0.5
    if (
        isinstance(value, list | tuple)
        and len(value) == 2
        and value[0] in SIDES
        and _is_number(value[1])
        and 0 <= value[1] <= 1
    ):
        return value[0], float(value[1])
    raise LabelError(f'port {value!r} is neither a side like "N" nor a side and a position like ["N", 0.33]')


def _tenth(value: float) -> float:
    return round(float(value), 1) + 0.0  # the zero turns -0.0 into 0.0, so that equal labels are equal bytes


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _points(value: Any, count: int, where: str) -> tuple[Point, ...]:
    if not isinstance(value, list) or len(value) != count:
        raise LabelError(f"{where}: {count} points are needed")
    for point in value:
        if not (isinstance(point, list) and len(point) == 2 and all(_is_number(v) for v in point)):
            raise LabelError(f"{where}: {point!r} is not a point [x, y]")
    return tuple((float(x), float(y)) for x, y in value)


def _box(value: Any, where: str) -> Box:
    if not isinstance(value, list) or len(value) != 4 or not all(_is_number(v) for v in value):
        raise LabelError(f"{where}: {value!r} is not [x1, y1, x2, y2]")
    x1, y1, x2, y2 = (float(v) for v in value)
    if x2 < x1 or y2 < y1:
        raise LabelError(f"{where}: {value!r} ends before it begins")
    return x1, y1, x2, y2


def _check_label(kind: str, label: str, where: str) -> None:
    if kind == "card" and not _CARD.fullmatch(label):
        raise LabelError(f"{where}: {label!r} is no card (7-copas, 12-oros, comodin, or card for some card)")
    if kind == "tile" and not _TILE.fullmatch(label):
        raise LabelError(f"{where}: {label!r} is no tile (three values 0 to 5 like 0-3-5)")


def _check_loom(facts: Mapping[str, Any], where: str) -> None:
    lanes = facts.get("lanes")
    if not isinstance(lanes, int) or isinstance(lanes, bool) or lanes < 1:
        raise LabelError(f"{where}: lanes {lanes!r} is no count of lanes")
    cords, crossings = facts.get("cords"), facts.get("crossings")
    if not isinstance(cords, list) or not isinstance(crossings, list):
        raise LabelError(f"{where}: a loom needs the lists cords and crossings")
    taken: set[tuple[str, int]] = set()
    for cord in cords:
        good = isinstance(cord, dict) and cord.get("axis") in ("h", "v") and isinstance(cord.get("color"), str)
        if not good or not _lane(cord.get("lane"), lanes):
            raise LabelError(f"{where}: cord {cord!r} is not an axis (h, v), a lane below {lanes} and a color")
        if (cord["axis"], cord["lane"]) in taken:
            raise LabelError(f"{where}: two cords in lane {cord['axis']}{cord['lane']}")
        taken.add((cord["axis"], cord["lane"]))
    seen: set[tuple[int, int]] = set()
    for crossing in crossings:
        good = isinstance(crossing, dict) and crossing.get("top") in ("h", "v")
        if not good or not _lane(crossing.get("h"), lanes) or not _lane(crossing.get("v"), lanes):
            raise LabelError(f"{where}: crossing {crossing!r} is not h, v and which of them is on top")
        place = (crossing["h"], crossing["v"])
        if ("h", place[0]) not in taken or ("v", place[1]) not in taken:
            raise LabelError(f"{where}: a crossing at h{place[0]} v{place[1]}, where no two cords cross")
        if place in seen:
            raise LabelError(f"{where}: the crossing h{place[0]} v{place[1]} is said twice")
        seen.add(place)


def _lane(value: Any, lanes: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < lanes


def _check_circuit(facts: Mapping[str, Any], where: str) -> None:
    lines = facts.get("lines")
    if not isinstance(lines, list):
        raise LabelError(f"{where}: a circuit card needs the list lines")
    for line in lines:
        ports = line.get("ports") if isinstance(line, dict) else None
        if not isinstance(ports, list) or len(ports) != 2 or not isinstance(line.get("color"), str):
            raise LabelError(f"{where}: line {line!r} is not a color and two ports")
        for value in ports:
            try:
                port(value)
            except LabelError as error:
                raise LabelError(f"{where}: {error}") from error
