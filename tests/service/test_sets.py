"""Triomino sets, Trama's cords and Tronix decks: taught through the API, kept, carried, and then used."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from datasets.art.circuits import STYLES, circuit_sprite
from datasets.art.sprite import Sprite
from datasets.art.tiles import TEST_STYLE_SEEDS, tile_sprite
from datasets.loom_scenes import loom_table
from datasets.scene import CameraModel, Look, Placed, render_scene
from rules.tronix.deck import Deck as Circuits
from service.app import create_app
from service.cli import main
from service.decks import Decks
from service.desk import Desk
from service.kinds import KINDS
from service.kinds.tiles import against_set
from service.problems import Problem
from service.settings import Settings
from vision.state import Piece

API = "/api/v1"
BASE = "http://127.0.0.1:8770"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    desk = Desk(Settings(data=tmp_path / "data"))
    with TestClient(create_app(desk), base_url=BASE, raise_server_exceptions=False) as opened:
        yield opened


def laid(sprites: Sequence[Sprite], gap: float, seed: int, columns: int = 4) -> np.ndarray:
    """A calm picture of pieces in rows, from almost straight above."""
    rng = np.random.default_rng(seed)
    rows = -(-len(sprites) // columns)
    placed = []
    for number, sprite in enumerate(sprites):
        row, column = divmod(number, columns)
        x, y = (column - (columns - 1) / 2) * gap, (row - (rows - 1) / 2) * gap
        placed.append(Placed(sprite, x, y, float(rng.normal(0, 2))))
    covers = (-columns * gap / 2, -rows * gap / 2, columns * gap / 2, rows * gap / 2)
    camera = CameraModel.random(rng, covers, (1280, 720), max_tilt=6.0, slack=(1.02, 1.05))
    camera = replace(camera, azimuth=90.0, roll=0.0).fitted(covers, 1.02)
    look = Look(table="felt", noise=1.5, jpeg=0)
    return render_scene(placed, camera, look, rng).image


def png(image: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".png", image)[1])


def send(client: TestClient, path: str, image: np.ndarray, **form: Any) -> dict[str, Any]:
    files = {"image": ("x.png", io.BytesIO(png(image)))}
    return client.post(f"{API}/{path}", files=files, data=form).json()


def tiles(labels: Sequence[str], seed: int, style: int = TEST_STYLE_SEEDS[1]) -> np.ndarray:
    return laid([tile_sprite(label, style) for label in labels], 50.0, seed)


def faces(names: Sequence[str], seed: int) -> np.ndarray:
    from rules.tronix.deck import Face

    style = STYLES[next(iter(STYLES))]
    return laid([circuit_sprite(Face.parse(name).lines, style) for name in names], 100.0, seed)


# -- triominoes ------------------------------------------------------------------------------------------------


def test_a_set_with_a_mirror_image_is_taught_and_a_match_knows_its_box(client: TestClient) -> None:
    shown = ["0-5-3", "1-1-1", "2-2-4", "0-1-2", "5-5-5", "3-4-4", "1-3-5", "0-0-4"]
    assert client.post(f"{API}/decks", json={"name": "Madera", "kind": "triominos"}).status_code == 201
    answer = send(client, "decks/Madera/pictures", tiles(shown, 1), labels=json.dumps(shown))
    assert len(answer.get("found", [])) == 8, answer
    deck = answer["deck"]
    assert deck["learnt"]["unusual"] == ["0-5-3"]
    assert "0-3-5" not in deck["learnt"]["tiles"], "the mirror image stands for it"
    assert len(deck["learnt"]["tiles"]) == 56
    read = send(client, "read", tiles(["0-5-3", "0-3-5", "1-1-1", "1-1-1"], 2), game="triominos", deck="Madera")
    pieces = {(p["label"], p["in_set"], p.get("doubled", False)) for p in read["pieces"]}
    assert pieces == {("0-5-3", True, False), ("0-3-5", False, False), ("1-1-1", True, True)}
    assert any("0-3-5" in note["en"] and "Madera" in note["en"] for note in read["notes"])
    assert any("1-1-1" in note["es"] for note in read["notes"])
    assert client.put(f"{API}/decks/Madera/use", json={"use": True}).json()["in_use"] is True
    match = client.post(f"{API}/matches", json={"game": "triominos", "players": ["Ana", "Luis"]}).json()
    refused = client.post(f"{API}/matches/{match['id']}/declare", json={"move": "A 0-3-5@0,0v"}).json()
    assert {v["code"] for v in refused["violations"]} & {"foreign_tile", "mirrored_tile"}, refused
    taken = client.post(f"{API}/matches/{match['id']}/declare", json={"move": "A 0-5-3@0,0v"})
    assert taken.status_code == 200, taken.json()


class Tiles:
    """Eyes that see what they are told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[str, float]] = []
        monkeypatch.setattr("vision.tiles.read_tiles", self.read)

    def read(self, image: np.ndarray) -> list[Piece]:
        return [
            Piece("tile", label, ((x, 0.0), (x + 20.0, 30.0), (x - 20.0, 30.0)), sure)
            for x, (label, sure) in zip(range(40, 2000, 60), self.seen, strict=False)
        ]


@pytest.fixture
def decks(tmp_path: Path) -> Decks:
    def no_cards() -> Any:
        raise AssertionError("tiles need no card networks")

    return Decks(tmp_path, no_cards)


def noise(seed: int) -> tuple[np.ndarray, bytes]:
    image = np.random.default_rng(seed).integers(0, 255, (120, 900, 3), np.uint8)
    return image, png(image)


def test_doubtful_unusual_and_doubled_tiles_are_asked_about(decks: Decks, monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Tiles(monkeypatch)
    decks.create("Caja", kind="triominos")
    eyes.seen = [("3-5-0", 0.99), ("0-5-3", 0.99), ("1-1-2", 0.99), ("1-2-1", 0.98), ("4-4-4", 0.5)]
    found = decks.add_picture("Caja", *noise(1))["found"]
    assert [(look["label"], look["state"]) for look in found] == [
        ("0-3-5", "confirmed"),
        ("0-5-3", "proposed"),
        ("1-1-2", "proposed"),
        ("1-1-2", "proposed"),
        ("4-4-4", "proposed"),
    ]
    assert decks.decide("Caja", "k1", "5-3-0").looks[1].label == "0-5-3", "any reading names the tile"
    with pytest.raises(Problem) as refused:
        decks.decide("Caja", "k2", "7-7-7")
    assert refused.value.code == "unknown_card"
    assert decks.deck("Caja").looks[2].state == "proposed", "a refused name changes nothing"
    box = decks.deck("Caja").to_json()["learnt"]["tiles"]
    assert {"0-3-5", "0-5-3"} <= set(box), "both were seen, so both are in the box"


def test_a_mirrored_picture_of_tiles_is_refused(decks: Decks, monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Tiles(monkeypatch)
    decks.create("Caja", kind="triominos")
    eyes.seen = [("0-2-1", 0.9), ("0-5-3", 0.9), ("1-4-2", 0.9), ("1-1-1", 0.9)]
    with pytest.raises(Problem) as refused:
        decks.add_picture("Caja", *noise(1))
    assert refused.value.code == "mirrored_picture"
    assert decks.deck("Caja").looks == []
    eyes.seen = [("0-1-2", 0.9), ("0-5-3", 0.9), ("1-2-4", 0.9), ("1-1-1", 0.9)]
    assert len(decks.add_picture("Caja", *noise(2))["found"]) == 4, "one mirror image is a tile, not a mirror"


def test_a_tile_twice_is_doubled_whichever_corner_it_is_read_from() -> None:
    pieces = [Piece("tile", label, ((0.0, 0.0), (1.0, 1.0), (0.0, 1.0)), 0.9) for label in ("0-1-2", "1-2-0", "3-3-3")]
    facts = [piece.facts for piece in against_set(pieces, ["0-1-2"])]
    assert facts == [{"in_set": True, "doubled": True}, {"in_set": True, "doubled": True}, {"in_set": False}]


# -- Trama -----------------------------------------------------------------------------------------------------


def test_cords_are_read_by_the_colours_that_were_taught(client: TestClient) -> None:
    """The player calls red blue and blue red: whoever reads by the taught colours must follow."""
    scene = loom_table(910_001, count=1, hard=0.1, families=("card_panel",))
    client.post(f"{API}/decks", json={"name": "Salón", "kind": "trama"})
    answer = send(client, "decks/Salón/pictures", scene.image)
    shown = {look["label"] for look in answer["found"]}
    if len(shown) < 5:  # a loom need not have all dyes: the next one brings the rest
        more = loom_table(910_004, count=1, hard=0.1, families=("card_panel",))
        answer = send(client, "decks/Salón/pictures", more.image)
    looks = answer["deck"]["looks"]
    assert {look["label"] for look in looks} == set(KINDS["trama"].wanted(None))  # type: ignore[arg-type]
    swap = {"rojo": "azul", "azul": "rojo"}
    for look in looks:
        named = {"label": swap.get(look["label"], look["label"])}
        assert client.put(f"{API}/decks/Salón/looks/{look['id']}", json=named).status_code == 200
    learnt = client.get(f"{API}/decks/Salón").json()["learnt"]["colors"]
    assert len(learnt) == 5
    before = cords(send(client, "read", scene.image, game="trama"))
    assert client.put(f"{API}/decks/Salón/use", json={"use": True}).status_code == 200
    after = cords(send(client, "read", scene.image, game="trama"))
    expected = {place: swap.get(color, color) for place, color in before.items()}
    right = sum(after[place] == color for place, color in expected.items())
    assert right >= 0.9 * len(expected), (before, after)
    assert after != before


def cords(read: dict[str, Any]) -> dict[tuple[str, int], str]:
    loom = read["pieces"][0]
    return {(cord["axis"], cord["lane"]): cord["color"] for cord in loom["cords"]}


# -- Tronix ----------------------------------------------------------------------------------------------------


def test_a_tronix_deck_is_read_from_both_sides_and_a_foreign_card_is_told(client: TestClient) -> None:
    fronts, backs = ["NS/EW", "NS/EW", "NE/SW", "NE/SW"], ["EW/NS", "EW/NS", "NS/EW", "NE/SW"]
    client.post(f"{API}/decks", json={"name": "Casa", "kind": "tronix"})
    picture = faces(fronts, 3)
    named = json.dumps([f"g{a}p{b}" for a, b in (name.split("/") for name in fronts)])
    answer = send(client, "decks/Casa/pictures", picture, labels=named)
    assert answer["deck"]["learnt"]["cards"] == 4, answer
    assert answer["deck"]["learnt"]["backs"] == 0
    again = send(client, "decks/Casa/pictures", np.roll(picture, 1, axis=1))
    assert again["code"] == "duplicate_picture", "the same cards a pixel aside would double the deck"
    few = send(client, "decks/Casa/pictures", faces(backs[:3], 4), backs="true")
    assert few["code"] == "wrong_count"
    named = json.dumps([f"g{a}p{b}" for a, b in (name.split("/") for name in backs)])
    answer = send(client, "decks/Casa/pictures", faces(backs, 5), backs="true", labels=named)
    learnt = answer["deck"]["learnt"]
    assert (learnt["cards"], learnt["backs"]) == (4, 4)
    made = Circuits.from_json(learnt["deck"])
    assert made.total == 4
    assert sorted(kind.count for kind in made.kinds) == [1, 1, 2]
    read = send(client, "read", faces(["NS/EW", "NW/ES", "EW/NS", "NE/SW"], 6), game="tronix", deck="Casa")
    told = {KINDS["tronix"].canonical(piece["label"]): piece["in_deck"] for piece in read["pieces"]}
    foreign = KINDS["tronix"].canonical("gNWpES")
    assert told == {name: name != foreign for name in ("gNSpEW", "gEWpNS", "gNEpSW", foreign)}
    assert len(read["notes"]) == 1
    client.put(f"{API}/decks/Casa/use", json={"use": True})
    match = client.post(f"{API}/matches", json={"game": "tronix", "players": ["Ana", "Luis"]}).json()
    exported = client.get(f"{API}/matches/{match['id']}/export").json()
    assert json.dumps(learnt["deck"]["name"]) in json.dumps(exported)


# -- all of them -----------------------------------------------------------------------------------------------


def test_sets_are_carried_deleted_and_kept_apart_from_cards(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    eyes = Tiles(monkeypatch)
    eyes.seen = [("0-1-2", 0.99), ("3-3-3", 0.99)]
    client.post(f"{API}/decks", json={"name": "Caja", "kind": "triominos"})
    send(client, "decks/Caja/pictures", noise(1)[0])
    client.put(f"{API}/decks/Caja/use", json={"use": True})
    clash = client.post(f"{API}/decks", json={"name": "Caja", "kind": "trama"})
    assert clash.json()["code"] == "deck_exists"
    data = client.get(f"{API}/decks/Caja/export").content
    copied = client.post(f"{API}/decks/Copia/import", files={"file": ("deck.zip", io.BytesIO(data))}).json()
    assert copied["kind"] == "triominos"
    assert copied["known"] == {"0-1-2": 1, "3-3-3": 1}
    crop = client.get(f"{API}/decks/Copia/looks/k0/crop")
    assert crop.headers["content-type"] == "image/jpeg"
    wrong = client.post(f"{API}/matches", json={"game": "trama", "players": ["Ana", "Luis"], "deck": "Caja"})
    assert wrong.json()["code"] == "bad_setup"
    assert client.delete(f"{API}/decks/Caja").status_code == 204
    eyes.seen = [("0-5-3", 0.99)]
    read = send(client, "read", noise(2)[0], game="triominos")
    assert "notes" not in read, "a deleted set is in use no longer"
    assert [deck["name"] for deck in client.get(f"{API}/decks").json()["decks"]] == ["Copia"]


@pytest.mark.parametrize(
    ("kind", "label", "facts"),
    [
        ("triominos", "9-9-9", {}),
        ("triominos", "x", {}),
        ("trama", "verde", {"rgb": [1, 2, 3]}),
        ("trama", "rojo", {"rgb": "red"}),
        ("trama", "rojo", {"rgb": [1, 2]}),
        ("tronix", "gNNpEW", {}),
        ("tronix", "gNSpEW", {"back_of": []}),
        ("tronix", "gNSpEW", 7),
        ("chess", "e4", {}),
    ],
)
def test_a_set_file_that_was_tampered_with_is_refused(client: TestClient, kind: str, label: str, facts: Any) -> None:
    look = {"id": "k0", "picture": "a", "label": label, "confidence": 1.0, "alternatives": [], "corners": []}
    saved = {"name": "x", "created": 0.0, "kind": kind, "looks": [{**look, "state": "confirmed", "facts": facts}]}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("deck.json", json.dumps(saved))
    answer = client.post(f"{API}/decks/Mala/import", files={"file": ("deck.zip", io.BytesIO(packed.getvalue()))})
    assert answer.json()["code"] == "not_a_deck"
    assert client.get(f"{API}/decks").json() == {"decks": [], "damaged": []}


def test_a_table_that_is_watched_is_read_with_the_set_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eyes = Tiles(monkeypatch)
    eyes.seen = [("0-1-2", 0.99)]
    desk = Desk(Settings(data=tmp_path / "data"))
    try:
        desk.decks.create("Caja", kind="triominos")
        desk.decks.add_picture("Caja", *noise(1))
        desk.decks.use("Caja")
        eyes.seen = [("0-2-1", 0.99)]
        (piece,) = desk._watching_eyes("triominos", None).read(noise(2)[0]).pieces
        assert piece.facts["in_set"] is False
        desk.decks.use("Caja", False)
        assert desk.decks.in_use("triominos") is None
    finally:
        desk.close()


def test_the_command_teaches_and_uses_a_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    eyes = Tiles(monkeypatch)
    eyes.seen = [("0-1-2", 0.99), ("3-3-3", 0.99), ("0-5-3", 0.99)]
    picture = tmp_path / "tiles.png"
    picture.write_bytes(noise(1)[1])
    data = ["--data", str(tmp_path / "data")]
    assert main(["enroll", "Caja", "--game", "triominos", str(picture), "--yes", "--use", *data]) == 0
    said = capsys.readouterr()
    assert "3 tiles, 2 taken, 1 doubtful" in said.err
    assert "2 of 56 tiles" in said.out
    assert main(["read", "--game", "triominos", "--deck", "Caja", str(picture), *data]) == 0
    assert "Not in the set 'Caja': 0-5-3" in capsys.readouterr().out
    assert main(["read", "--game", "trama", "--deck", "Caja", str(picture), *data]) == 1
