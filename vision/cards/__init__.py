"""Spanish cards from real photographs: `read_cards(image)` gives the cards and backs on the table."""

from __future__ import annotations

from functools import cache

import numpy as np

from vision.cards.gallery import Gallery
from vision.cards.labels import FACES
from vision.cards.reader import CardReader
from vision.state import Piece

__all__ = ["FACES", "CardReader", "Gallery", "default_reader", "read_cards"]


@cache
def default_reader() -> CardReader:
    """The reader with the networks that ship with the project, loaded once."""
    return CardReader()


def read_cards(image: np.ndarray, *, reader: CardReader | None = None) -> list[Piece]:
    """The cards (`7-copas`, `comodin`) and backs in a blue-green-red picture, best first."""
    return (reader or default_reader()).read(image)
