"""A Spanish deck of one drawn style, laid card by card as by human hands."""

from __future__ import annotations

import numpy as np

from datasets.art.cards import RESERVED, STYLES, card_sprite
from datasets.art.sprite import Sprite
from datasets.scene import Placed

PX_PER_MM = 4.0
THICK = 0.3  # mm


class CardDeck:
    """Sprites of one deck, drawn when first needed."""

    def __init__(self, rng: np.random.Generator, reserved: bool = False) -> None:
        self.rng = rng
        names = [name for name in STYLES if (name in RESERVED) == reserved]
        self.style = STYLES[names[int(rng.integers(len(names)))]]
        self._sprites: dict[str, Sprite] = {}

    def sprite(self, label: str) -> Sprite:
        """The face of `7-copas` or `comodin`."""
        if label not in self._sprites:
            self._sprites[label] = card_sprite(label, self.style, PX_PER_MM)
        return self._sprites[label]

    def lay(self, label: str, x: float, y: float, turn: float = 0.0, *, loose: float = 1.0, z: float = 0.0) -> Placed:
        """The card near (x, y): some millimetres and degrees off, as much as `loose` allows."""
        dx, dy = np.clip(self.rng.normal(0, 1.6 * loose, 2), -4 * loose, 4 * loose)
        spin = float(np.clip(self.rng.normal(0, 2.5 * loose), -6 * loose, 6 * loose))
        return Placed(self.sprite(label), x + float(dx), y + float(dy), turn + spin, z)
