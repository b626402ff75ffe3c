"""What one photograph scores, by eyes that report a prepared table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rules.trama import Loom
from rules.tronix import Face
from service.photo import score_photo
from service.problems import Problem
from tests.service.test_referee_cards import card
from vision.state import Piece, TableState

IMAGE = np.zeros((720, 1280, 3), np.uint8)


class Prepared:
    """Eyes that always see the same."""

    def __init__(self, *pieces: Piece) -> None:
        self.pieces = pieces

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        return TableState(time, self.pieces, (image.shape[1], image.shape[0]))


def score(game: str, *pieces: Piece, **setup: Any) -> dict[str, Any]:
    return score_photo(Prepared(*pieces), game, IMAGE, "x.jpg", setup)


def square(x: float, y: float, side: float = 200.0) -> tuple[tuple[float, float], ...]:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


def loom(x: float, cords: list[str], crossings: list[str], sure: float = 0.99) -> Piece:
    def cord(text: str) -> dict[str, Any]:
        place, color = text.split("=")
        return {"axis": place[0], "lane": int(place[1:]), "color": color, "confidence": sure}

    def crossing(text: str) -> dict[str, Any]:
        place, top = text.split("=")
        h, v = place[1:].split("v")
        return {"h": int(h), "v": int(v), "top": top, "confidence": sure}

    facts = {"lanes": 8, "cords": [cord(c) for c in cords], "crossings": [crossing(c) for c in crossings]}
    return Piece("loom", "", square(x, 100), sure, facts=facts)


def test_a_hand_of_tiles_is_the_sum_of_its_corners() -> None:
    tiles = [Piece("tile", label, square(0, 0)[:3], 0.9) for label in ("0-3-5", "1-1-4", "5-5-5")]
    found = score("triominos", *tiles)
    assert found["score"][0]["total"] == 8 + 6 + 15
    assert found["notes"] == []
    mirrored = score("triominos", Piece("tile", "0-5-3", square(0, 0)[:3], 0.4))
    assert len(mirrored["notes"]) == 2  # doubtful, and not of the set


def test_looms_score_by_what_the_setup_says() -> None:
    cords = ["v0=rojo", "v1=azul", "v2=rojo", "v3=azul"]
    own = {"kind": "adjacent", "id": "mine", "name": "Mía", "a": "rojo", "b": "azul"}
    found = score(
        "trama", loom(700, [], []), loom(100, cords, []), patterns=[own], buttons=[["mine"], []], players=["Fran"]
    )
    assert found["score"][0]["name"] == "Fran"
    assert found["score"][0]["total"] == 3
    assert found["score"][1]["total"] == 0
    plain = score("trama", loom(100, cords, []))
    assert plain["score"][0]["total"] == 0


def test_four_cords_of_a_colour_cost_a_point_and_doubts_are_told() -> None:
    cords = [f"v{lane}=rojo" for lane in range(4)]
    found = score("trama", loom(100, [*cords, "h0=azul"], ["h0v0=h", "h0v1=v", "h0v2=h", "h0v3=v"], 0.5))
    assert found["score"][0]["total"] == -1
    assert any("horizontal 1 × vertical 2" in note["en"] for note in found["notes"])


@pytest.mark.parametrize(
    "setup",
    [
        {"button": []},
        {"rules": 3},
        {"buttons": [["nothing"]]},
        {"rounds": "four"},
        {"patterns": [{"id": 1}]},
        {"buttons": [[], []]},
    ],
)
def test_a_setup_that_makes_no_sense_is_told(setup: dict[str, Any]) -> None:
    with pytest.raises(Problem) as error:
        score("trama", loom(100, [], []), **setup)
    assert error.value.code == "cannot_score"


def ring(turned: int = 0) -> list[Piece]:
    """Four cards that close a green circuit, each read from its own north; `turned` starts corners elsewhere."""
    faces = {(0, 0): "ES/NW", (1, 0): "SW/NE", (0, 1): "NE/SW", (1, 1): "NW/ES"}
    pieces = []
    for (x, y), text in faces.items():
        left, top = 300.0 + 126 * x, 100.0 + 176 * y
        corners = [(left, top), (left + 124, top), (left + 124, top + 174), (left, top + 174)]
        face = Face.parse(text).turned(-turned)
        lines = [dict(line) for line in face.lines]
        pieces.append(
            Piece("circuit_card", text, tuple(corners[turned:] + corners[:turned]), 0.95, facts={"lines": lines})
        )
    return pieces


@pytest.mark.parametrize("turned", [0, 1, 2, 3])
def test_a_circuit_goes_to_its_colour_from_whichever_corner_it_is_read(turned: int) -> None:
    found = score("tronix", *ring(turned))
    assert [entry["total"] for entry in found["score"]] == [4, 0]
    assert found["notes"] == []


def test_tricks_in_columns_say_who_takes_the_hand() -> None:
    cards = [card("3-oros", 300, 520), card("4-copas", 300, 180), card("1-oros", 500, 520), card("7-copas", 500, 180)]
    found = score("truco", *cards)
    assert [entry["total"] for entry in found["score"]] == [1, 0]


def test_what_one_picture_cannot_say_is_told() -> None:
    with pytest.raises(Problem, match="follow the game"):
        score("trichon", card("3-oros", 300, 520))
    with pytest.raises(Problem, match="no loom can be seen"):
        score("trama")


def test_the_loom_of_the_label_format_is_the_rules_loom() -> None:
    piece = loom(100, ["v0=rojo", "h1=azul"], ["h1v0=h"])
    assert Loom.from_json(piece.to_json()).tops == {(1, 0): "h"}


def test_what_is_wrong_with_a_cord_is_told_in_words() -> None:
    problems = [
        {"code": "doubled", "axis": "v", "lane": 4, "colors": ["rojo", "azul"]},
        {"code": "diagonal", "axis": "v", "from": [2.0, -1.0], "to": [5.0, 8.0], "color": "azul"},
        {"code": "slack", "axis": "h", "lane": 1, "by": 0.4},
    ]
    facts: dict[str, Any] = {"lanes": 8, "cords": [], "crossings": [], "problems": problems}
    facts["perhaps"] = {"cords": [{"axis": "v", "lane": 7, "color": "morado", "confidence": 0.04}], "crossings": []}
    seen = Piece("loom", "", square(100, 100), 0.9, facts=facts)
    notes = [note["en"] for note in score("trama", seen)["notes"]]
    assert "There are two cords in vertical 5: rojo, azul." in notes
    assert "A cord runs diagonally, from vertical 3 to vertical 6." in notes
    assert "The cord in horizontal 2 is slack." in notes
    assert "Doubtful readings on the loom: vertical 8?." in notes
