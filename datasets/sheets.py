"""The contact sheets of README.md, drawn again: `python -m datasets.sheets [DIR]`.

Everything on them is drawn by this project; they are small, so that all of them together stay below a megabyte.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from datasets.art import cards, circuits, looms, tiles
from datasets.figures import contact_sheet
from datasets.generate import FAMILIES, make_scene
from datasets.played import GAMES, play
from datasets.simcam import Film

QUALITY = 72
SIZE = (960, 540)


def card_sheet() -> np.ndarray:
    """The same seven cards in every named style, a style per row."""
    names = ("1-oros", "7-copas", "4-espadas", "10-bastos", "11-copas", "12-espadas", "comodin")
    rows = []
    for style in cards.STYLES.values():
        rows += [cards.card_sprite(name, style, 2.0).image for name in names]
        rows.append(cards.back_sprite(style, 2.0).image)
    return contact_sheet(rows, 24, (62, 96))


def tile_sheet() -> np.ndarray:
    """Tiles of many styles, numbered and with pips."""
    names = ("0-3-5", "1-4-4", "2-2-5", "3-3-3", "0-1-2", "4-5-5")
    seeds = [int(s) for s in np.linspace(1, 400, 60)]
    return contact_sheet([tiles.tile_sprite(names[i % 6], s, 3.0).image for i, s in enumerate(seeds)], 12, (88, 78))


def loom_sheet() -> np.ndarray:
    """Looms of every family, woven."""
    pictures = []
    for i, family in enumerate((*looms.FAMILIES, "card_panel")):
        style = looms.loom_style(100 + i, family)
        pictures.append(looms.loom_sprite(looms.random_loom(40 + i, 8, 8 + 4 * (i % 3)), style, 1.6).image)
    return contact_sheet(pictures, 5, (200, 200))


def circuit_sheet() -> np.ndarray:
    """The six faces of the default deck in every named style."""
    faces = circuits.default_faces()
    pictures = [circuits.circuit_sprite(f, s, 1.5).image for s in circuits.STYLES.values() for f in faces]
    return contact_sheet(pictures, 20, (62, 86))


def scene_sheet() -> np.ndarray:
    """Scenes of every family, as `tapete generate` draws them."""
    pictures = [make_scene(family, 60 + i, size=SIZE).image for family in FAMILIES for i in range(4)]
    return contact_sheet(pictures, 4, (300, 169))


def played_sheet() -> np.ndarray:
    """A moment of a game at rest, a hand that comes, and the end, for each of the five games."""
    pictures = []
    for game in GAMES:
        film = Film(play(game, 12, size=SIZE))
        seen = [number for number, step in enumerate(film.played.steps, 1) if step.seen and step.table]
        middle = seen[len(seen) // 2]
        leaving = next(p for p in film._parts if p.step == middle and p.phase == "leave")
        for time in (leaving.start - 1.3, leaving.start + 0.12, film.length - 0.2):
            pictures.append(film.picture(int(time * film.fps)))
    return contact_sheet(pictures, 3, (310, 174))


SHEETS: dict[str, Callable[[], np.ndarray]] = {
    "cards": card_sheet,
    "tiles": tile_sheet,
    "looms": loom_sheet,
    "circuits": circuit_sheet,
    "scenes": scene_sheet,
    "played": played_sheet,
}


def main(folder: Path) -> None:
    """Draw all sheets into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in SHEETS.items():
        path = folder / f"{name}.jpg"
        cv2.imwrite(str(path), draw(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        print(f"{path}  {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures")
