"""What can be taught: decks of cards, sets of triominoes, Trama's cords, decks of circuits."""

from __future__ import annotations

from service.kinds.base import Deck, Found, Kind, Look, reading_order
from service.kinds.cards import Cards, Teacher
from service.kinds.circuits import CircuitCards
from service.kinds.cords import Cords
from service.kinds.tiles import Tiles

KINDS: dict[str, Kind] = {kind.name: kind for kind in (Cards(), Tiles(), Cords(), CircuitCards())}


def kind_of(name: str) -> Kind:
    """A kind by its name; decks of a kind that is not known count as cards, which is what there was first."""
    return KINDS.get(name, KINDS["cards"])


__all__ = ["KINDS", "Deck", "Found", "Kind", "Look", "Teacher", "kind_of", "reading_order"]
