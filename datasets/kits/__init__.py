"""Printable kits: everything that the games are played with, as vector PDF at true size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from datasets.kits import boards, mat, pieces, weaving
from datasets.kits.sheet import PAPERS, Book

__all__ = ["KITS", "PAPERS", "Kit", "print_kit"]


@dataclass(frozen=True, slots=True)
class Kit:
    """A kit by its name on the command line, with words for a person."""

    name: str
    es: str
    en: str
    build: Callable[[Book], None]


KITS: dict[str, Kit] = {
    kit.name: kit
    for kit in (
        Kit("deck", "baraja española: 48 cartas, 2 comodines y dorsos", "Spanish deck: 48 cards, 2 comodines, backs",
            pieces.deck),
        Kit("triominos", "las 56 fichas", "the 56 tiles", pieces.triominos),
        Kit("tronix", "el mazo de Tronix, a doble cara", "the Tronix deck, double-sided", pieces.tronix),
        Kit("trama", "telares, cartas y botones de Trama", "looms, cards and buttons of Trama", weaving.trama),
        Kit("trichon", "el tablero de Trichón", "the board of Trichón", boards.trichon),
        Kit("mat", "tapete de calibración y esquinas sueltas", "calibration mat and loose corner cards", mat.mat),
    )
}  # fmt: skip


def print_kit(name: str, target: str | Path | BinaryIO, paper: str = "a4") -> int:
    """Write a kit as PDF; the number of its pages. `ValueError` for a kit or paper that does not exist."""
    if name not in KITS:
        raise ValueError(f"no kit {name!r}: one of {', '.join(KITS)}")
    kit = KITS[name]
    book = Book(target, paper, f"Tapete: {kit.es}")
    kit.build(book)
    return book.close()
