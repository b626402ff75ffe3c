"""Enrolment that goes wrong: damaged files, useless pictures, upside-down cards, a process killed at any moment."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from datasets.art import cards as art
from service.app import create_app
from service.decks import Decks
from service.desk import Desk
from service.settings import Settings
from tests.drawn_decks import sheet
from tests.service.test_decks import Pupil, picture
from vision.cards.labels import FACES

API = "/api/v1"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    desk = Desk(Settings(data=tmp_path / "data"))
    with TestClient(create_app(desk), base_url="http://127.0.0.1:8770", raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture
def pupil() -> Pupil:
    return Pupil()


@pytest.fixture
def decks(tmp_path: Path, pupil: Pupil) -> Decks:
    made = Decks(tmp_path, lambda: pupil)
    made.create("Mía")
    return made


def send(client: TestClient, data: bytes, **form: str) -> tuple[int, dict[str, object]]:
    answer = client.post(f"{API}/decks/Mía/pictures", files={"image": ("x.jpg", io.BytesIO(data))}, data=form)
    return answer.status_code, answer.json()


def test_damaged_pictures_are_refused_with_a_word_and_change_nothing(client: TestClient) -> None:
    client.post(f"{API}/decks", json={"name": "Mía"})
    whole = sheet(["7-copas", "1-oros"], art.STYLES["test-mesón"], 3)
    for bad in (b"", b"not a picture", whole[:200], whole[: len(whole) // 3], b"\x89PNG\r\n\x1a\n" + whole[10:]):
        status, said = send(client, bad)
        assert 400 < status < 500, (len(bad), said)
        assert said["es"]
        assert said["en"]
    assert client.get(f"{API}/decks/Mía").json()["looks"] == []
    status, said = send(client, cv2.imencode(".png", np.full((300, 400, 3), 90, np.uint8))[1].tobytes())
    assert (status, said["code"]) == (409, "no_cards")


def test_cards_upside_down_teach_as_well_as_upright_ones(client: TestClient) -> None:
    labels = ["7-copas", "1-oros", "12-bastos", "5-espadas"]
    client.post(f"{API}/decks", json={"name": "Mía"})
    upright = sheet(labels, art.STYLES["test-mesón"], 4)
    turned = cv2.rotate(cv2.imdecode(np.frombuffer(upright, np.uint8), 1), cv2.ROTATE_180)
    status, said = send(client, bytes(cv2.imencode(".png", turned)[1]), labels=json.dumps(labels[::-1]))
    assert status == 200, said
    for look in range(4):
        crop = client.get(f"{API}/decks/Mía/looks/k{look}/crop").content
        assert cv2.imdecode(np.frombuffer(crop, np.uint8), 1) is not None
    files = {"image": ("x.jpg", io.BytesIO(upright))}
    read = client.post(f"{API}/read", files=files, data={"game": "truco"}).json()
    assert {piece["label"] for piece in read["pieces"]} == set(labels)
    assert not any(piece.get("unknown") for piece in read["pieces"])


LAID = [
    "7-copas",
    "1-oros",
    "12-bastos",
    "5-espadas",
    "3-bastos",
    "11-oros",
    "2-copas",
    "10-espadas",
    "6-oros",
    "4-copas",
]


def test_a_mirrored_picture_is_refused_with_a_word_and_changes_nothing(client: TestClient) -> None:
    client.post(f"{API}/decks", json={"name": "Mía"})
    taken = sheet(LAID, art.STYLES["test-feria"], 8)
    mirrored = cv2.flip(cv2.imdecode(np.frombuffer(taken, np.uint8), 1), 1)
    status, said = send(client, bytes(cv2.imencode(".png", mirrored)[1]))
    assert (status, said["code"]) == (409, "mirrored_picture")
    assert "espejo" in str(said["es"])
    assert client.get(f"{API}/decks/Mía").json()["looks"] == []
    status, said = send(client, taken)
    assert status == 200, said


def test_on_a_table_with_the_taught_deck_the_card_of_another_one_is_unknown(client: TestClient) -> None:
    """And another deck's card is said to be what it looks like all the same."""
    client.post(f"{API}/decks", json={"name": "Mía"})
    status, said = send(client, sheet(LAID, art.STYLES["test-feria"], 8), labels=json.dumps(LAID))
    assert status == 200, said
    stranger = "12-bastos"
    table = sheet(LAID[::-1], art.STYLES["test-feria"], 9, {stranger: art.STYLES["plana"]})
    files = {"image": ("x.jpg", io.BytesIO(table))}
    read = client.post(f"{API}/read", files=files, data={"game": "truco"}).json()
    assert {piece["label"] for piece in read["pieces"]} == set(LAID)
    assert [piece["label"] for piece in read["pieces"] if piece.get("unknown")] == [stranger]


def test_a_damaged_deck_is_named_hides_no_other_and_can_be_deleted(client: TestClient, tmp_path: Path) -> None:
    for name in ("Mía", "Rota"):
        client.post(f"{API}/decks", json={"name": name})
    home = tmp_path / "data" / "decks"
    for text in ("{", "[]", '{"name": 1}', '{"name":"Rota","created":0,"looks":[],"kind":"chess"}'):
        (home / "Rota" / "deck.json").write_text(text)
        listed = client.get(f"{API}/decks").json()
        assert [deck["name"] for deck in listed["decks"]] == ["Mía"], text
        assert listed["damaged"] == ["Rota"]
        assert client.get(f"{API}/decks/Rota").json()["code"] == "damaged_deck"
    assert client.delete(f"{API}/decks/Rota").status_code == 204
    assert client.get(f"{API}/decks").json()["damaged"] == []
    assert not (home / "Rota").exists()


def test_a_damaged_or_stale_gallery_is_made_again_from_the_looks(decks: Decks, pupil: Pupil, tmp_path: Path) -> None:
    pupil.shown = [("7-copas", 0.99), ("1-oros", 0.99)]
    decks.add_picture("Mía", *picture(1))
    path = tmp_path / "decks" / "Mía" / "gallery.npz"
    path.write_bytes(b"half a fi")
    assert [sorted(gallery.labels) for gallery in decks.galleries("1")[0]] == [["1-oros", "7-copas"]]
    path.unlink()
    assert len(decks.galleries("1")[0]) == 1
    (path.parent / "looks" / "k0.npy").write_bytes(b"")
    path.unlink()
    assert [gallery.labels for gallery in decks.galleries("1")[0]] == [("1-oros",)], "one look less, not none"


KILLED = """
    import sys, numpy as np
    from pathlib import Path
    from service.decks import Decks
    from tests.service.test_decks import Pupil, picture
    from vision.cards.labels import FACES
    pupil = Pupil()
    decks = Decks(Path(sys.argv[1]), lambda: pupil)
    decks.create("Mía", 48)
    for n in range(40):
        pupil.shown = [(FACES[n], 0.99)]
        decks.add_picture("Mía", *picture(n))
        print(n, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 15])
def test_a_killed_enrolment_keeps_all_that_it_said_it_had(tmp_path: Path, after: int) -> None:
    """SIGKILL in the middle of the work: every card that was reported is there, in the gallery too, and it goes on."""
    script = textwrap.dedent(KILLED)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    ) as running:
        assert running.stdout is not None
        said = -1
        for line in running.stdout:
            said = int(line)
            if said >= after:
                break
        time.sleep(0.003 * after)  # somewhere within the next picture
        running.send_signal(signal.SIGKILL)
        rest = running.stdout.read().split()
        said = int(rest[-1]) if rest else said
    pupil = Pupil()
    decks = Decks(tmp_path, lambda: pupil)
    known = decks.deck("Mía").known()
    assert set(FACES[: said + 1]) <= set(known)
    assert len(known) <= said + 2, "at most the picture in work besides"
    galleries, stale = decks.galleries("1")
    assert stale == []
    assert set(galleries[0].labels) == set(known)
    pupil.shown = [("12-bastos", 0.99)]
    assert "12-bastos" in decks.add_picture("Mía", *picture(99))["deck"]["known"]
