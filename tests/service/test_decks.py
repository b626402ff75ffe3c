"""Teaching a deck: proposals, doubts, duplicates, mirror images, interruptions, files to carry; a drawn deck too."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from datasets.art import cards as art
from service.app import create_app
from service.cli import main
from service.decks import Decks, reading_order
from service.desk import Desk
from service.problems import Problem
from service.settings import Settings
from tests.drawn_decks import sheet
from vision.cards.faces import Face
from vision.cards.gallery import Gallery
from vision.cards.labels import FACES, LABELS
from vision.state import Piece

API = "/api/v1"
BASE = "http://127.0.0.1:8770"


class Pupil:
    """A card reader that knows the pictures of these tests: a picture's colour says which cards lie there."""

    class Faces:
        version = "1"

        def read(self, patches: np.ndarray) -> list[Face]:
            return [Face(np.zeros(len(LABELS)), np.eye(8)[0], 0.0) for _ in patches]

    def __init__(self) -> None:
        self.faces = self.Faces()
        self.shown: list[tuple[str, float]] = []

    def embed(self, image: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        result = []
        for n, (label, sure) in enumerate(self.shown):
            x = 10.0 + 50 * n
            corners = ((x, 10.0), (x + 40, 10.0), (x + 40, 70.0), (x, 70.0))
            piece = Piece("card", label, corners, confidence=sure, alternatives=(("2-copas", 0.1),))
            result.append((piece, np.eye(64)[FACES.index(label)]))
        return result


@pytest.fixture
def pupil() -> Pupil:
    return Pupil()


@pytest.fixture
def decks(tmp_path: Path, pupil: Pupil) -> Decks:
    made = Decks(tmp_path, lambda: pupil)
    made.create("La de casa")
    return made


def picture(seed: int) -> tuple[np.ndarray, bytes]:
    image = np.random.default_rng(seed).integers(0, 255, (100, 400, 3), np.uint8)
    return image, cv2.imencode(".png", image)[1].tobytes()


def test_sure_cards_are_taken_and_doubtful_ones_asked_about(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = [("7-copas", 0.99), ("1-oros", 0.6)]
    deck = decks.add_picture("La de casa", *picture(1))["deck"]
    assert deck["known"] == {"7-copas": 1}
    assert deck["doubtful"] == ["k1"]
    assert "1-oros" in deck["missing"]
    assert len(deck["missing"]) == 39
    after = decks.decide("La de casa", "k1", "3-oros").to_json()
    assert after["known"] == {"7-copas": 1, "3-oros": 1}
    assert after["doubtful"] == []
    galleries, stale = decks.galleries("1")
    assert sorted(galleries[0].labels) == ["3-oros", "7-copas"]
    assert stale == []
    thrown = decks.decide("La de casa", "k0", None).to_json()
    assert thrown["known"] == {"3-oros": 1}


def test_more_looks_improve_and_the_same_picture_does_not_count_twice(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = [("7-copas", 0.99)]
    decks.add_picture("La de casa", *picture(1))
    with pytest.raises(Problem) as refused:
        decks.add_picture("La de casa", *picture(1))
    assert refused.value.code == "duplicate_picture"
    assert decks.add_picture("La de casa", *picture(2))["deck"]["known"] == {"7-copas": 2}


def test_a_card_twice_in_one_picture_is_asked_about(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = [("7-copas", 0.99), ("7-copas", 0.98), ("8-oros", 0.97)]
    deck = decks.add_picture("La de casa", *picture(1))["deck"]
    assert deck["known"] == {}
    assert len(deck["doubtful"]) == 3, "an eight is no card of a deck of forty"


def test_pictures_that_teach_nothing_say_why(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = []
    with pytest.raises(Problem) as refused:
        decks.add_picture("La de casa", *picture(1))
    assert refused.value.code == "no_cards"
    pupil.shown = [("7-copas", 0.99)]
    with pytest.raises(Problem) as refused:
        decks.add_picture("La de casa", *picture(1), ["7-copas", "1-oros"])
    assert refused.value.code == "wrong_count"
    with pytest.raises(Problem) as refused:
        decks.add_picture("La de casa", *picture(1), ["7-hearts"])
    assert refused.value.code == "unknown_card"
    assert decks.deck("La de casa").looks == []


def test_a_mirror_image_is_refused(decks: Decks, pupil: Pupil, monkeypatch: pytest.MonkeyPatch) -> None:
    pupil.shown = [("7-copas", 0.3), ("1-oros", 0.3), ("2-oros", 0.3)]
    calls = iter([0.0, 12.0])  # unsure as they lie, sure when mirrored

    def read(patches: np.ndarray) -> list[Face]:
        logits = np.zeros(len(LABELS))
        logits[0] = next(calls)
        return [Face(logits, np.eye(8)[0], 0.0) for _ in patches]

    monkeypatch.setattr(pupil.faces, "read", read)
    with pytest.raises(Problem) as refused:
        decks.add_picture("La de casa", *picture(1))
    assert refused.value.code == "mirrored_picture"


def test_nothing_is_lost_by_an_interruption(decks: Decks, pupil: Pupil, tmp_path: Path) -> None:
    pupil.shown = [("7-copas", 0.99)]
    decks.add_picture("La de casa", *picture(1))
    (tmp_path / "decks" / "La de casa" / "deck.json.new").write_text("half a fi")
    pupil.shown = [("1-oros", 0.99)]
    again = Decks(tmp_path, lambda: pupil)
    assert again.create("La de casa").known() == {"7-copas": 1}
    assert again.add_picture("La de casa", *picture(2))["deck"]["known"] == {"7-copas": 1, "1-oros": 1}


def test_a_deck_taught_to_an_older_network_looks_again(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = [("7-copas", 0.99)]
    decks.add_picture("La de casa", *picture(1))
    assert decks.galleries("2") == ([], ["La de casa"])
    pupil.faces.version = "2"
    decks.refresh("La de casa")
    assert [gallery.labels for gallery in decks.galleries("2")[0]] == [("7-copas",)]


def test_decks_are_carried_and_forgotten(decks: Decks, pupil: Pupil) -> None:
    pupil.shown = [("7-copas", 0.99)]
    decks.add_picture("La de casa", *picture(1))
    data = decks.export("La de casa")
    assert decks.take_in(data, "Otra").known() == {"7-copas": 1}
    for bad in (b"not a zip", data[: len(data) // 2]):
        with pytest.raises(Problem) as refused:
            decks.take_in(bad, "Tercera")
        assert refused.value.code == "not_a_deck"
    with pytest.raises(Problem) as refused:
        decks.take_in(data, "Otra")
    assert refused.value.code == "deck_exists"
    decks.delete("Otra")
    assert decks.names() == ["La de casa"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "x" * 41, "a\\b", "..", "x\0"])
def test_names_do_not_leave_the_folder(decks: Decks, name: str) -> None:
    with pytest.raises(Problem):
        decks.create(name)


def test_cards_are_taken_row_by_row() -> None:
    places = [(300, 12), (100, 0), (200, -9), (110, 160), (310, 150)]
    pieces = [Piece("card", "1-oros", ((x, y), (x + 60, y), (x + 60, y + 95), (x, y + 95)), 0.9) for x, y in places]
    assert reading_order(pieces) == [1, 2, 0, 3, 4]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    desk = Desk(Settings(data=tmp_path / "data"))
    with TestClient(create_app(desk), base_url=BASE, raise_server_exceptions=False) as opened:
        yield opened


def send(client: TestClient, path: str, data: bytes, **form: Any) -> dict[str, Any]:
    return client.post(f"{API}/{path}", files={"image": ("x.jpg", io.BytesIO(data))}, data=form).json()


def test_a_drawn_deck_is_taught_through_the_api_and_then_read(client: TestClient) -> None:
    """Twenty cards of a style that no network was trained on: after one picture of each, it knows them."""
    style = art.STYLES["test-mesón"]
    rng = np.random.default_rng(2)
    labels = [str(label) for label in rng.permutation([f for f in FACES if f != "comodin" and f[0] not in "89"])][:20]
    assert client.post(f"{API}/decks", json={"name": "Mesón"}).status_code == 201
    for part in (0, 1):
        shown = labels[10 * part : 10 * part + 10]
        answer = send(client, "decks/Mesón/pictures", sheet(shown, style, 60 + part), labels=json.dumps(shown))
        assert len(answer.get("found", [])) == 10, answer
    deck = client.get(f"{API}/decks/Mesón").json()
    assert deck["progress"] == 0.5
    assert client.get(f"{API}/decks/Mesón/looks/k3/crop").headers["content-type"] == "image/jpeg"
    fresh = [str(label) for label in rng.permutation(labels)][:10]
    read = send(client, "read", sheet(fresh, style, 70), game="truco")
    found = {piece["label"] for piece in read["pieces"]}
    assert len(found & set(fresh)) >= 8, (sorted(fresh), sorted(found))
    assert client.delete(f"{API}/decks/Mesón").status_code == 204
    assert client.get(f"{API}/decks").json() == {"decks": [], "damaged": []}


def test_the_command_names_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "7-copas.jpg"
    bad.write_text("not a picture")
    assert main(["enroll", "Mía", str(bad), "--yes", "--data", str(tmp_path / "data")]) == 1
    said = capsys.readouterr()
    assert "7-copas.jpg" in said.err
    assert "0 of 40" in said.out
    assert main(["enroll", "Mía", "--delete", "--data", str(tmp_path / "data")]) == 0
    assert main(["enroll", "Mía", "--delete", "--data", str(tmp_path / "data")]) == 1


def test_a_damaged_gallery_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gallery.npz"
    path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match=r"gallery\.npz"):
        Gallery.load(path)
