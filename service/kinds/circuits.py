"""A Tronix deck: faces laid out and read, then turned over in their places and read again, become a `Deck`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rules.game import RulesError
from rules.tronix.deck import SIDES, Face, Kind, Port
from rules.tronix.deck import Deck as Circuits
from service.kinds.base import SURE, Deck, Found, Json, Look, cut, unknown_label
from service.referee.base import lines_of

SIZE_MM = (63.0, 88.0)
SNAPS = (0.25, 1 / 3, 0.5, 2 / 3, 0.75)  # where printed ports are
NEAR = 0.06


class CircuitCards:
    """Decks of circuit cards."""

    name = "tronix"
    games: tuple[str, ...] = ("tronix",)

    def wanted(self, deck: Deck) -> list[str]:
        """Nobody can say how many designs a deck has."""
        return []

    def canonical(self, label: str) -> str:
        """A face's short name, `gNSpEW`, by whichever end is up."""
        try:
            return name_of(face_of(lines_of(label)))
        except RulesError as error:
            en, es = "a face (write it like gNSpEW)", "una cara (escríbela como gNSpEW)"
            raise unknown_label(label, en, es) from error

    def see(self, image: np.ndarray) -> list[Found]:
        """Circuit cards whose lines make a face."""
        from vision.circuits import read_circuits

        found = []
        for piece in read_circuits(image):
            try:
                name = name_of(face_of(piece.facts["lines"]))
            except RulesError:
                continue  # lines that are no face: it is not taught what cannot be played
            others = tuple((self.canonical(label), p) for label, p in piece.alternatives if _is_face(label))
            seen = replace(piece, label=name, alternatives=tuple(pair for pair in others if pair[0] != name))
            found.append(Found(seen, cut(image, np.array(piece.corners), (95, 132))))
        return found

    def settle(self, deck: Deck, new: Sequence[Look]) -> None:
        """Sure ones are taken: a deck has many cards of one design."""
        for look in new:
            if look.state == "proposed" and look.confidence >= SURE:
                look.state = "confirmed"

    def learnt(self, deck: Deck) -> Json:
        """The deck as `rules.tronix` reads it (null before the first card), and how many of its backs were seen."""
        fronts, backs = _sides(deck)
        made = as_deck(deck)
        return {
            "deck": None if made is None else made.to_json(),
            "cards": len(fronts),
            "backs": sum(look.id in backs for look in fronts),
        }


def _is_face(label: str) -> bool:
    try:
        face_of(lines_of(label))
    except RulesError:
        return False
    return True


def face_of(lines: Any) -> Face:
    """A face from lines as they were read, each port at the printed place that it is nearest to."""
    return Face.from_lines([{**line, "ports": [_port(port) for port in line["ports"]]} for line in lines])


def _port(data: Any) -> Port:
    port = Port.of(data)
    near = min(SNAPS, key=lambda place: abs(place - port.position))
    return Port(port.side, round(near, 4)) if abs(near - port.position) <= NEAR else port


def name_of(face: Face) -> str:
    """The short name of a face, the same whichever end of the card is up."""
    return min(_short(face), _short(face.turned(2)))


def _short(face: Face) -> str:
    def ports(line: Sequence[Port]) -> str:
        return "".join(p.side if p.position == 0.5 else f"{p.side}{round(100 * p.position):02d}" for p in line)

    return f"g{ports(face.green)}p{ports(face.pink)}"


def _sides(deck: Deck) -> tuple[list[Look], dict[str, Look]]:
    """The fronts that were confirmed, and by a front's id the look at its back."""
    confirmed = deck.of("confirmed")
    fronts = [look for look in confirmed if "back_of" not in look.facts]
    return fronts, {look.facts["back_of"]: look for look in confirmed if "back_of" in look.facts}


def pair_backs(deck: Deck, new: Sequence[Look]) -> bool:
    """Say of each look which front it is the back of: card by card of the last fronts; false if they differ."""
    paired = {look.facts["back_of"] for look in deck.looks if "back_of" in look.facts and look.state != "refused"}
    fronts = [look for look in deck.looks if "back_of" not in look.facts and look.state != "refused"]
    open_ = [look for look in fronts if look.id not in paired]
    last = [look for look in open_ if open_ and look.picture == open_[-1].picture]
    if len(last) != len(new):
        return False
    for front, back in zip(last, new, strict=True):
        back.facts["back_of"] = front.id
    return True


def as_deck(deck: Deck) -> Circuits | None:
    """The deck by its confirmed looks; a card whose back was not seen counts as the same on both sides."""
    fronts, backs = _sides(deck)
    counts: dict[tuple[str, str], int] = {}
    for look in fronts:
        other = backs.get(look.id)
        first, second = sorted((look.label, look.label if other is None else other.label))
        counts[first, second] = counts.get((first, second), 0) + 1
    if not counts:
        return None
    kinds = [
        Kind(f"{front}-{back}", face_of(lines_of(front)), face_of(lines_of(back)), count)
        for (front, back), count in sorted(counts.items())
    ]
    used = {port for kind in kinds for face in kind.faces for port in face.ends}
    used |= {Port(side) for side in SIDES}
    ports = tuple(sorted(used, key=lambda port: (SIDES.index(port.side), port.position)))
    return Circuits(deck.name, *SIZE_MM, ports, tuple(kinds))
