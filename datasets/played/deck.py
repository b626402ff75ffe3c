"""A Spanish deck of one drawn style, laid card by card as by human hands."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from datasets.art.cards import RESERVED, STYLES, card_sprite
from datasets.art.sprite import Sprite
from datasets.scene import Placed

PX_PER_MM = 4.0
THICK = 0.3  # mm


@lru_cache(maxsize=104)  # two decks; drawing a card takes as long as drawing a scene of ten
def _sprite(style: str, label: str) -> Sprite:
    return card_sprite(label, STYLES[style], PX_PER_MM)


class CardDeck:
    """A deck of one style; cards are drawn when first needed."""

    def __init__(self, rng: np.random.Generator, reserved: bool = False) -> None:
        self.rng = rng
        names = [name for name in STYLES if (name in RESERVED) == reserved]
        self.style = STYLES[names[int(rng.integers(len(names)))]]

    def sprite(self, label: str) -> Sprite:
        """The face of `7-copas` or `comodin`."""
        return _sprite(self.style.name, label)

    def lay(self, label: str, x: float, y: float, turn: float = 0.0, *, loose: float = 1.0, z: float = 0.0) -> Placed:
        """The card near (x, y): some millimetres and degrees off, as much as `loose` allows."""
        dx, dy = np.clip(self.rng.normal(0, 1.6 * loose, 2), -4 * loose, 4 * loose)
        spin = float(np.clip(self.rng.normal(0, 2.5 * loose), -6 * loose, 6 * loose))
        return Placed(self.sprite(label), x + float(dx), y + float(dy), turn + spin, z)
