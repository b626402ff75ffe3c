"""How much the eyes get right, on photographs and on renders apart: the README's table, measured again by one command.

The pictures are not part of the project (they are other people's): where their folder is absent nothing is measured,
and the rows say so. `table` makes the README's block out of the figures, `write_block` puts it in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from datasets.evaluate import evaluate, in_split
from datasets.figures import progress_bar
from datasets.labels import walk
from service.bench.table import Row
from vision.eyes import Eyes
from vision.state import TableState

Json = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
QUICK = 3  # pictures of each set
BEGIN, END = "<!-- figures: written by `make figures` -->", "<!-- end of figures -->"
NO_PICTURES = "not measured: we have no photographs"


@dataclass(frozen=True, slots=True)
class PictureSet:
    """One folder of labelled pictures: of which family, where, and which side of a split."""

    name: str
    family: str
    folder: str
    split: tuple[str, str] | None = None  # the side that counts and the table that says what is on it


SETS = (
    PictureSet("photographs of tiles", "tile", "photos/triominos"),
    PictureSet("photographs of cards", "card", "photos/cards_tables", ("validate", "photos/cards_places.csv")),
    PictureSet("renders of tiles", "tile", "renders/tiles"),
    PictureSet("renders of cards", "card", "renders/cards"),
    PictureSet("renders of looms", "loom", "renders/looms"),
    PictureSet("renders of circuits", "circuit_card", "renders/circuits"),
)
GAMES = (
    ("Triominós", "tiles with numbers or pips", "tile", "tiles"),
    ("El Truco, Trichón", "Spanish cards, many decks", "card", "cards"),
    ("Trama", "looms: cords and crossings", "loom", "looms"),
    ("Tronix", "circuit cards, any deck", "circuit_card", "cards"),
)


def _read() -> Any:
    """A reader that opens each game's eyes once."""
    eyes: dict[str, Eyes] = {}

    def read(image: np.ndarray, game: str) -> TableState:
        if game not in eyes:
            eyes[game] = Eyes(game)
        return eyes[game].read(image)

    return read


def measure(data: Path = DATA, quick: bool = False) -> dict[str, Json]:
    """What `tapete evaluate` finds on every set that is there, by the set's name."""
    found = {}
    for pictures in SETS:
        folder = data / pictures.folder
        if not folder.is_dir():
            continue
        scenes = list(walk(folder))
        if pictures.split is not None:
            side, places = pictures.split
            scenes = in_split(scenes, data / places, side)
        scenes = scenes[:QUICK] if quick else scenes
        found[pictures.name] = evaluate(scenes, _read(), progress_bar(len(scenes), pictures.name)).to_json()
    return found


def rows(quick: bool) -> list[Row]:
    """The figures of the pictures beside this project; a row that says so where there are none."""
    return rows_of(measure(quick=quick), quick)


def rows_of(found: Mapping[str, Json], quick: bool = False) -> list[Row]:
    """Recall, precision and exact scenes of every set, with intervals."""
    if not found:
        return [Row("accuracy", float("nan"), "%", f"skipped: no labelled pictures in {DATA.name} beside the project")]
    made = []
    for pictures in SETS:
        if pictures.name not in found:
            made.append(Row(pictures.name, float("nan"), "%", "skipped: not there"))
            continue
        report = found[pictures.name]
        kinds = report["kinds"].get(pictures.family) or {}
        names = ("recall", "precision", "cords", "crossings") if pictures.family == "loom" else ("recall", "precision")
        facts = {name: kinds.get(name) for name in names} | {
            "scenes exactly right": report["exact_scenes"],
            "wrong with confidence ≥ 0.9": report["wrong_when_sure"],
        }
        for name, fact in facts.items():
            if fact and fact["rate"] is not None:
                note = f"{_of(fact)}, 95 % interval {100 * fact['low']:.1f} to {100 * fact['high']:.1f}"
                part = f" (the first {QUICK} pictures only)" if quick else ""
                made.append(Row(f"{pictures.name}: {name}", 100 * fact["rate"], "%", note + part))
    return made


# -- the README's table ------------------------------------------------------------------------------------------------


def table(found: Mapping[str, Json]) -> str:
    """The README's table of games: photographs and renders apart, counts first."""
    lines = ["| game | pieces | real photographs | path-traced renders |", "| --- | --- | --- | --- |"]
    for game, pieces, family, word in GAMES:
        cells = []
        for source in ("photographs", "renders"):
            pictures = next((s for s in SETS if s.family == family and s.name.startswith(source)), None)
            report = found.get(pictures.name) if pictures else None
            absent = NO_PICTURES if pictures is None else "not measured"
            cells.append(_words(report, family, word) if report else absent)
        lines.append(f"| {game} | {pieces} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _words(report: Json, family: str, word: str) -> str:
    kind, exact = report["kinds"].get(family) or {}, report["exact_scenes"]
    if not kind:
        return "none found"
    scenes = f"{exact['hits']} of {exact['of']} pictures exactly right"
    if family == "loom":
        return f"{_of(kind['cords'])} cords, {_of(kind['crossings'])} crossings, {_of(kind['recall'])} {word}; {scenes}"
    precision = kind["precision"]
    share = "nothing read" if precision["rate"] is None else f"precision {100 * precision['rate']:.0f} %"
    return f"{_of(kind['recall'])} {word} ({100 * kind['recall']['rate']:.0f} %), {share}; {scenes}"


def _of(rate: Json) -> str:
    return f"{rate['hits']} of {rate['of']}"


def write_block(page: Path, block: str) -> bool:
    """Put the block between its markers in a page; whether the page changed. ValueError without the markers."""
    text = page.read_text(encoding="utf-8")
    between = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)
    if len(between.findall(text)) != 1:
        raise ValueError(f"{page.name} has no place for the figures: once {BEGIN} … {END}")
    new = between.sub(lambda _: f"{BEGIN}\n{block}\n{END}", text)
    if new != text:
        page.write_text(new, encoding="utf-8")
    return new != text
