"""The faces of the Spanish deck as text, in the fixed order of the reader network's outputs."""

from __future__ import annotations

SUITS = ("oros", "copas", "espadas", "bastos")
FACES = (*(f"{number}-{suit}" for suit in SUITS for number in range(1, 13)), "comodin")
BACK = "back"
LABELS = (*FACES, BACK)
