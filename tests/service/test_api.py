"""The API from outside: a match from beginning to end, errors with stable codes, and the door."""

from __future__ import annotations

import io
import json
import random
import re

import cv2
import numpy as np
import pytest
from fastapi import WebSocketDisconnect
from fastapi.testclient import TestClient

from rules.triominos import Triominos
from rules.triominos.moves import Place
from service.desk import Desk
from tests.service.conftest import Stage
from tests.service.tables import camera, tile_piece, tile_table

API = "/api/v1"
SOCKET = f"ws://127.0.0.1:8770{API}/events"


def begin(client: TestClient, **more: object) -> str:
    body = {"game": "triominos", "players": ["Ana", "Luis"], **more}
    answer = client.post(f"{API}/matches", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_games_with_options_in_both_languages(client: TestClient) -> None:
    games = {game["name"]: game for game in client.get(f"{API}/games").json()}
    assert {"triominos", "truco", "trichon", "tronix", "trama"} == set(games)
    bridge = next(o for o in games["triominos"]["options"] if o["name"] == "two_sided_bridge")
    assert bridge["default"] is False
    assert bridge["es"] != bridge["en"]


@pytest.mark.parametrize(
    ("game", "count"), [("triominos", 3), ("truco", 2), ("truco", 4), ("trichon", 2), ("tronix", 4), ("trama", 3)]
)
def test_every_game_starts_and_shows_its_state(client: TestClient, game: str, count: int) -> None:
    names = [f"P{i}" for i in range(count)]
    made = client.post(f"{API}/matches", json={"game": game, "players": names})
    assert made.status_code == 201, made.text
    state = made.json()
    match_id = state["id"]
    assert state["players"] == names
    assert len(state["score"]) == len(state["scorers"])
    assert client.get(f"{API}/matches/{match_id}/moves").json()["moves"]
    drawing = client.get(f"{API}/matches/{match_id}/drawing")
    assert drawing.status_code == 200
    assert b"<svg" in drawing.content
    text = client.get(f"{API}/matches/{match_id}/moves?limit=1").json()["moves"][0]["move"]
    after = client.post(f"{API}/matches/{match_id}/declare", json={"move": text})
    assert after.status_code == 200, after.text
    assert after.json()["can_undo"]
    assert client.post(f"{API}/matches/{match_id}/undo", json={}).json()["moves"] == []


def test_a_match_by_hand_with_correction_undo_and_export(client: TestClient) -> None:
    match_id = begin(client)
    url = f"{API}/matches/{match_id}"
    game = Triominos(2)
    rng = random.Random(1)
    for _ in range(5):
        move = rng.choice([m for m in game.legal_moves if isinstance(m, Place)])
        game.push(move)
        assert client.post(f"{url}/declare", json={"move": str(move)}).status_code == 200
    state = client.get(url).json()
    assert [s["total"] for s in state["score"]] == [s.total for s in game.score()]
    assert len(state["moves"]) == 5
    assert sum(p["points"] for m in state["moves"] for p in m["points"]) == sum(s.total for s in game.score())

    wrong = client.post(f"{url}/declare", json={"move": str(move)})
    assert wrong.status_code == 409
    assert wrong.headers["content-type"] == "application/problem+json"
    assert wrong.json()["code"] == "illegal_move"
    assert {v["code"] for v in wrong.json()["violations"]} >= {"tile_on_table"}
    checked = client.post(f"{url}/check", json={"move": str(move)}).json()
    assert checked["violations"] == wrong.json()["violations"]
    for said in (wrong.json(), *checked["violations"]):  # no cells where people read it
        assert not re.search(r"-?\d,-?\d", said["es"] + said["en"])

    last = state["moves"][-1]["event"]
    struck = client.post(f"{url}/correct", json={"event": last, "move": None})
    assert struck.status_code == 200
    assert struck.json()["changes"]["moves"][0]["is"] is None
    assert len(struck.json()["state"]["moves"]) == 4
    assert len(client.post(f"{url}/undo", json={}).json()["moves"]) == 5
    assert len(client.post(f"{url}/redo", json={}).json()["moves"]) == 4
    assert client.post(f"{url}/redo", json={}).json()["code"] == "nothing_to_redo"

    export = client.get(f"{url}/export")
    assert "attachment" in export.headers["content-disposition"]
    again = client.post(f"{API}/matches/import", json=export.json())
    assert again.status_code == 201, again.text
    assert again.json()["score"] == client.get(url).json()["score"]
    tampered = {**export.json(), "score": []}
    assert client.post(f"{API}/matches/import", json=tampered).json()["code"] == "bad_setup"
    report = client.get(f"{url}/export?format=html").text
    assert "Ana" in report
    assert "<script" not in report

    assert client.delete(url).status_code == 204
    assert client.get(url).json()["code"] == "unknown_match"


def test_the_table_plays_by_itself_and_keeps_evidence(client: TestClient, desk: Desk, stage: Stage) -> None:
    match_id = begin(client)
    url = f"{API}/matches/{match_id}"
    assert client.put(f"{API}/table/camera", json={"source": "0"}).status_code == 200
    client.post(f"{url}/declare", json={"call": "opener", "player": 1})
    view, game = camera(10), Triominos(2)
    rng = random.Random(4)
    for number in range(4):
        moves = [m for m in game.legal_moves if isinstance(m, Place) and (number or m.player == 1)]
        game.push(rng.choice(moves))
        stage.show(tile_table(game.state.table, view))
        assert desk.table.wait(lambda n=number: len(desk.match(match_id).game.moves) == n + 1, 10)
    state = client.get(url).json()
    assert [s["total"] for s in state["score"]] == [s.total for s in game.score()]
    picture = client.get(state["moves"][-1]["evidence"])
    assert picture.headers["content-type"] == "image/jpeg"
    assert cv2.imdecode(np.frombuffer(picture.content, np.uint8), cv2.IMREAD_COLOR) is not None

    clash = next(
        Place(game.turn, v, c)
        for c in [m.cell for m in game.legal_moves if isinstance(m, Place)]
        for v in [(5, 5, 4), (0, 0, 1), (2, 2, 3)]
        if {x.code for x in game.check(Place(game.turn, v, c))} == {"value_clash"}
    )
    stage.show(tile_table(game.state.table, view, extra=[tile_piece(clash.values, clash.cell, view)]))
    assert desk.table.wait(lambda: bool(desk.match(match_id).position.illegal), 10)
    status = client.get(f"{API}/table").json()
    assert desk.table.wait(lambda: any(m.status == "illegal" for m in desk.table.marks), 5), status
    assert client.get(f"{API}/table/snapshot?overlay=true").headers["content-type"] == "image/jpeg"
    flag = client.get(url).json()["illegal"][0]
    assert client.post(f"{url}/dismiss", json={"illegal": flag["id"]}).json()["illegal"] == []


def test_photographs_are_limited_in_bytes_pixels_and_kind(client: TestClient, desk: Desk) -> None:
    def send(data: bytes, game: str = "triominos") -> dict:
        return client.post(f"{API}/read", files={"image": ("x.jpg", io.BytesIO(data))}, data={"game": game}).json()

    ok, jpeg = cv2.imencode(".jpg", np.zeros((40, 40, 3), np.uint8))
    assert ok
    assert send(jpeg.tobytes())["pieces"] == []
    assert send(b"PK\x03\x04 an archive")["code"] == "not_an_image"
    assert send(b"")["code"] == "not_an_image"
    assert send(jpeg.tobytes(), "poker")["code"] == "unknown_game"
    bomb = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + (60000).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    assert send(bomb)["code"] == "too_many_pixels"
    assert send(b"\xff\xd8" + bytes(desk.settings.max_upload_bytes + 10))["code"] == "too_large"


def test_a_body_without_a_length_is_cut_off_while_it_streams(client: TestClient, desk: Desk) -> None:
    sent = 0

    def endless():
        nonlocal sent
        while sent < 10 * desk.settings.max_upload_bytes:
            sent += 1_000_000
            yield bytes(1_000_000)

    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = client.post(f"{API}/read", content=endless(), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"


def test_other_hosts_and_other_pages_are_refused(client: TestClient) -> None:
    assert client.get(f"{API}/health", headers={"host": "evil.example"}).json()["code"] == "bad_host"
    assert client.get(f"{API}/health", headers={"host": "127.0.0.1.evil.example:8770"}).status_code == 403
    body = {"game": "triominos", "players": ["a", "b"]}
    for origin in ("http://evil.example", "http://127.0.0.1:9999", "null", "https://127.0.0.1.evil.example"):
        answer = client.post(f"{API}/matches", json=body, headers={"origin": origin})
        assert answer.json()["code"] == "bad_origin", origin
    own = client.post(f"{API}/matches", json=body, headers={"origin": "http://127.0.0.1:8770"})
    assert own.status_code == 201
    text = client.post(f"{API}/matches", content=json.dumps(body), headers={"content-type": "text/plain"})
    assert text.status_code == 422
    for url, origin, reason in (
        (SOCKET, "http://evil.example", "bad_origin"),
        ("ws://evil.example/api/v1/events", "http://evil.example", "bad_host"),
    ):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(url, headers={"origin": origin}):
            pass
        assert (refused.value.code, refused.value.reason) == (1008, reason)


def test_headers_forbid_what_a_page_does_not_need(client: TestClient) -> None:
    headers = client.get(f"{API}/health").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "source",
    ["/etc/passwd", "file:///etc/passwd", "http://169.254.169.254/latest", "http://[fe80::1]/", "ftp://x/", "../x",
     "demo:poker", "gopher://127.0.0.1", "http://[::ffff:169.254.169.254]/", "99999999"],
)  # fmt: skip
def test_the_api_opens_no_file_and_no_metadata_service(client: TestClient, source: str) -> None:
    answer = client.put(f"{API}/table/camera", json={"source": source})
    assert answer.status_code == 422
    assert answer.json()["code"] == "bad_camera"


def test_no_path_reaches_the_file_system(client: TestClient) -> None:
    for path in ("../../etc/passwd", "%2e%2e%2f%2e%2e%2fetc/passwd", "m_x/evidence/..%2f..%2f1", "m_../state"):
        assert client.get(f"{API}/matches/{path}").status_code in (404, 422)
    match_id = begin(client)
    assert client.get(f"{API}/matches/{match_id}/evidence/1").json()["code"] == "no_evidence"
    assert client.get(f"{API}/matches/{match_id}/evidence/-1").json()["code"] == "no_evidence"


def test_errors_have_codes(client: TestClient) -> None:
    match_id = begin(client)
    url = f"{API}/matches/{match_id}"
    cases = [
        (client.get(f"{API}/nowhere"), "not_found"),
        (client.delete(f"{API}/games"), "method_not_allowed"),
        (client.post(f"{API}/matches", json={"game": "poker", "players": ["a"]}), "unknown_game"),
        (client.post(f"{API}/matches", json={"game": "triominos", "players": ["a"]}), "bad_setup"),
        (client.post(f"{API}/matches", json={"game": "triominos", "players": ["a", "b"], "x": 1}), "invalid_request"),
        (
            client.post(f"{API}/matches", json={"game": "truco", "players": ["a", "b"], "options": {"tors": 1}}),
            "bad_setup",
        ),
        (client.post(f"{url}/declare", json={"move": "castle"}), "bad_notation"),
        (client.post(f"{url}/declare", json={}), "invalid_request"),
        (client.post(f"{url}/declare", json={"call": "shout"}), "bad_notation"),
        (client.post(f"{url}/answer", json={"question": "q1", "option": "a"}), "unknown_question"),
        (client.post(f"{url}/correct", json={"event": 999, "move": None}), "unknown_event"),
        (client.post(f"{url}/correct", json={"event": 1, "move": None}), "not_a_move"),
        (client.post(f"{url}/undo", json={}), "nothing_to_undo"),
        (client.get(f"{API}/demo"), "no_demo"),
        (client.get(f"{API}/table/snapshot"), "no_frame"),
    ]
    for answer, code in cases:
        assert answer.json()["code"] == code, (answer.request.url, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


def test_health_version_metrics(client: TestClient) -> None:
    begin(client)
    assert client.get(f"{API}/health").json()["status"] == "ok"
    assert client.get(f"{API}/version").json()["api"] == 1
    text = client.get(f"{API}/metrics").text
    assert "tapete_matches 1" in text


def test_the_websocket_sends_everything_then_changes_and_resumes(client: TestClient) -> None:
    match_id = begin(client)
    with client.websocket_connect(SOCKET) as socket:
        hello = socket.receive_json()
        assert hello["type"] == "hello"
        assert hello["match"]["id"] == match_id
        client.post(f"{API}/matches/{match_id}/declare", json={"call": "opener", "player": 0})
        message = socket.receive_json()
        assert message["type"] == "match"
        assert message["events"][0]["kind"] == "call"
        assert message["seq"] > hello["seq"]
    client.post(f"{API}/matches/{match_id}/declare", json={"call": "opener", "player": 1})
    query = f"epoch={hello['epoch']}&after={message['seq']}"
    with client.websocket_connect(f"{SOCKET}?{query}") as socket:
        missed = socket.receive_json()
        assert missed["type"] == "match"
        assert missed["seq"] == message["seq"] + 1
        assert missed["events"][0]["data"]["player"] == 1
    with client.websocket_connect(f"{SOCKET}?epoch=other&after=3") as socket:
        assert socket.receive_json()["type"] == "hello"
