"""Trama's cords as the room's light shows them: the mean colour of each dye, by which looms are then read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from service.kinds.base import SURE, Deck, Found, Json, Look, cut, unknown_label
from vision.looms.colors import shades_of
from vision.looms.shapes import COLORS
from vision.state import Piece

STRIP = (24, 160)


class Cords:
    """The five dyes."""

    name = "trama"
    games: tuple[str, ...] = ("trama",)

    def wanted(self, deck: Deck) -> list[str]:
        """The five dyes."""
        return list(COLORS)

    def canonical(self, label: str) -> str:
        """A dye's name."""
        if label not in COLORS:
            raise unknown_label(label, f"a cord: {', '.join(COLORS)}", f"una cuerda: {', '.join(COLORS)}")
        return label

    def see(self, image: np.ndarray) -> list[Found]:
        """Every cord of every loom, each with a strip cut along it."""
        from vision.looms import read_looms

        found = []
        for loom in read_looms(image):
            for cord in loom.facts.get("cords", ()):
                if "rgb" in cord:
                    found.append(_cord(image, loom, cord))
        return found

    def settle(self, deck: Deck, new: Sequence[Look]) -> None:
        """Sure ones are taken: many cords of one dye are usual."""
        for look in new:
            if look.state == "proposed" and look.confidence >= SURE:
                look.state = "confirmed"

    def learnt(self, deck: Deck) -> Json:
        """The colours (RGB) of the dyes that were shown."""
        cords = [
            {"color": look.label, "rgb": look.facts["rgb"]} for look in deck.of("confirmed") if "rgb" in look.facts
        ]
        return {"colors": {name: [round(v, 1) for v in rgb] for name, rgb in shades_of({"cords": cords}).items()}}


def _cord(image: np.ndarray, loom: Piece, cord: Json) -> Found:
    lanes, lane, axis = int(loom.facts["lanes"]), int(cord["lane"]), str(cord["axis"])
    grid = np.array(loom.facts["grid"], float)
    a, b, c, d = grid if axis == "v" else np.roll(grid, -1, axis=0)  # a strip from a→b's side to d→c's
    low, high = (lane - 0.4) / (lanes - 1), (lane + 0.4) / (lanes - 1)
    corners = np.array([a + low * (b - a), a + high * (b - a), d + high * (c - d), d + low * (c - d)])
    label = str(cord["color"])
    piece = Piece("loom", label, tuple((float(x), float(y)) for x, y in corners), float(cord["confidence"]))
    facts = {"rgb": [float(v) for v in cord["rgb"]], "cord": f"{axis}{lane}"}
    return Found(piece, cut(image, corners, STRIP), facts=facts)
