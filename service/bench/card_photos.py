"""Photograph-like looks at decks that were not trained on: scans, drawn styles and cards cut from renders on tables.

The cards are laid out apart and seen through the simulated camera of `datasets.scene`, which has nothing in common with
the pictures that the card networks learn from. Scans, backgrounds and renders are found beside the project; where they
are not, only the drawn styles are left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from datasets.art.cards import STYLES, card_sprite
from datasets.art.sprite import Sprite
from datasets.labels import PieceLabel
from datasets.scene import CameraModel, Look, Placed, render_scene
from vision.cards.labels import FACES

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
RESERVED = ("test-feria", "test-mesón")  # drawn styles in no training
UNSEEN = "triunfo"  # the renders' deck that nobody has as scans
CARD_MM = (61.0, 94.0)
COLUMNS, ROWS = 4, 2
STEP_MM = (84.0, 116.0)
SCAN_PX = 376  # of a card's height, 4 per mm: more than any camera shows

Deck = Mapping[str, Sprite]


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture of cards with their exact places."""

    image: np.ndarray
    data: bytes
    pieces: tuple[PieceLabel, ...]


def scanned(name: str, folder: Path | None = None) -> dict[str, Sprite]:
    """A scanned deck as cards to lay on a table."""
    home = (folder or DATA / "decks") / name
    found = {}
    for path in sorted(home.glob("*.jpg")):
        image = cv2.imread(str(path))
        if path.stem in FACES and image is not None:
            found[path.stem] = as_card(path.stem, image)
    if not found:
        raise FileNotFoundError(f"there are no scans of a deck {name!r} in {home.parent}")
    return found


def drawn(style: str) -> dict[str, Sprite]:
    """A drawn deck of forty."""
    return {label: card_sprite(label, STYLES[style], 4.0) for label in FACES if _of_forty(label)}


def cut_from_renders(deck: str = UNSEEN, folder: Path | None = None) -> dict[str, Sprite]:
    """The uncovered cards of one of the renders' decks, cut flat by their exact corners."""
    found = {}
    home = folder or DATA / "renders" / "cards"
    for path in sorted(home.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts.get("deck") != deck:
            continue
        image = cv2.imread(str(home / facts["image"]))
        for piece in facts["pieces"]:
            if image is None or piece["kind"] != "card" or piece.get("visible", 1.0) < 0.97:
                continue
            corners = np.array(piece["corners"], np.float32)
            width, height = round(SCAN_PX * CARD_MM[0] / CARD_MM[1]), SCAN_PX
            frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
            flat = cv2.warpPerspective(
                image, cv2.getPerspectiveTransform(corners, frame), (width, height), flags=cv2.INTER_CUBIC
            )
            found[piece["label"]] = as_card(piece["label"], flat)
    if not found:
        raise FileNotFoundError(f"no render shows the deck {deck!r} in {home}")
    return found


def as_card(label: str, image: np.ndarray) -> Sprite:
    """A scan as a card with rounded corners, as wide as its scan and as high as a Spanish card."""
    width = round(image.shape[1] * SCAN_PX / image.shape[0])
    how = cv2.INTER_AREA if image.shape[0] > SCAN_PX else cv2.INTER_CUBIC
    pixels = cv2.resize(image, (width, SCAN_PX), interpolation=how)
    alpha = np.zeros((SCAN_PX, width), np.uint8)
    r = round(0.04 * SCAN_PX)
    cv2.rectangle(alpha, (r, 0), (width - 1 - r, SCAN_PX - 1), 255, -1)
    cv2.rectangle(alpha, (0, r), (width - 1, SCAN_PX - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, SCAN_PX - 1 - r):
            cv2.circle(alpha, (x, y), r, 255, -1)
    scale = SCAN_PX / CARD_MM[1]
    corners = ((0.0, 0.0), (width / scale, 0.0), (width / scale, CARD_MM[1]), (0.0, CARD_MM[1]))
    return Sprite(np.dstack([pixels, alpha]), scale, corners, "card", label, thickness_mm=0.3, gloss=0.25)


def backgrounds() -> list[str]:
    """Photographs of table tops, where there are any."""
    return [str(path) for path in sorted((DATA / "backgrounds").glob("*.jpg"))]


def photographs(
    deck: Deck, labels: Sequence[str], rng: np.random.Generator, *, hard: float, tilt: float, turned: bool
) -> list[Photo]:
    """The cards in a random order, eight in a picture; each picture has its own table, light and camera.

    `turned`: every card lies as it fell; otherwise they are laid upright or upside down, a little askew.
    """
    shuffled = [str(label) for label in rng.permutation(np.array(labels, dtype=np.str_))]
    size = COLUMNS * ROWS
    return [_photograph(deck, shuffled[i : i + size], rng, hard, tilt, turned) for i in range(0, len(shuffled), size)]


def _photograph(
    deck: Deck, labels: Sequence[str], rng: np.random.Generator, hard: float, tilt: float, turned: bool
) -> Photo:
    placed = []
    for number, label in enumerate(labels):
        row, column = divmod(number, COLUMNS)
        step = max(STEP_MM) if turned else STEP_MM[0]
        x = (column - (COLUMNS - 1) / 2) * step + rng.normal(0, 2)
        y = (row - (ROWS - 1) / 2) * STEP_MM[1] + rng.normal(0, 2)
        turn = rng.uniform(0, 360) if turned else rng.normal(0, 4) + 180 * int(rng.integers(2))
        placed.append(Placed(deck[label], float(x), float(y), float(turn)))
    across, down = (COLUMNS * (max(STEP_MM) if turned else STEP_MM[0])) / 2 + 6, ROWS * STEP_MM[1] / 2 + 6
    covers = (-across, -down, across, down)
    camera = CameraModel.random(rng, covers, (1280, 720), max_tilt=tilt, slack=(1.02, 1.1))
    camera = replace(camera, azimuth=90.0 + float(rng.normal(0, 25)), roll=float(rng.normal(0, 4))).fitted(covers, 1.03)
    look = Look.random(rng, hard, backgrounds())
    seen = render_scene(placed, camera, replace(look, glare=min(look.glare, 0.25)), rng)
    return Photo(seen.image, seen.data, seen.pieces)


def _of_forty(label: str) -> bool:
    return label != "comodin" and label.split("-", maxsplit=1)[0] not in ("8", "9")


__all__ = [
    "DATA",
    "RESERVED",
    "UNSEEN",
    "Deck",
    "Photo",
    "backgrounds",
    "cut_from_renders",
    "drawn",
    "photographs",
    "scanned",
]
