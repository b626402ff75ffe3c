"""The local network: a token for everything but health, limits, a certificate of our own, and a phone as the camera."""

from __future__ import annotations

import socket as sockets
import ssl
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from cryptography import x509
from fastapi import WebSocketDisconnect
from fastapi.testclient import TestClient

from service.app import create_app
from service.desk import Desk
from service.lan import COOKIE, Lan, Limits, prepare, qr_svg, qr_text
from service.settings import Settings

API = "/api/v1"
HOST = "192.0.2.7"
BASE = f"https://{HOST}:8770"
SOCKET = f"wss://{HOST}:8770{API}"


def picture(value: int = 90) -> bytes:
    ok, data = cv2.imencode(".jpg", np.full((72, 128, 3), value, np.uint8))
    assert ok
    return bytes(data)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk that serves the house."""
    opened = Desk(Settings(data=tmp_path / "data", lan=True))
    opened.lan = prepare(tmp_path / "data", [HOST])
    yield opened
    opened.close()


@pytest.fixture
def lan(desk: Desk) -> Lan:
    assert desk.lan is not None
    return desk.lan


@pytest.fixture
def client(desk: Desk) -> Iterator[TestClient]:
    with TestClient(create_app(desk), base_url=BASE, raise_server_exceptions=False) as opened:
        yield opened


def test_without_the_token_only_health_answers(client: TestClient) -> None:
    assert client.get(f"{API}/health").status_code == 200
    for method, path in (("GET", "/"), ("GET", "/phone"), ("GET", f"{API}/matches"), ("GET", f"{API}/lan/qr.svg"),
                         ("GET", f"{API}/openapi.json"), ("POST", f"{API}/matches"), ("GET", "/js/phone.js"),
                         ("GET", f"{API}/health/../matches"), ("GET", f"{API}//health")):  # fmt: skip
        answer = client.request(method, path)
        assert answer.status_code == 401, (method, path)
        assert answer.json()["code"] == "bad_token"
    for path in ("events", "phone"):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(f"{SOCKET}/{path}"):
            pass
        assert refused.value.reason == "bad_token"


def test_the_link_becomes_a_cookie_and_leaves_the_address(client: TestClient, lan: Lan) -> None:
    answer = client.get(f"/phone?token={lan.token}&x=1", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/phone?x=1"
    cookie = answer.headers["set-cookie"]
    for part in ("HttpOnly", "Secure", "SameSite=Strict", f"{COOKIE}={lan.token}"):
        assert part in cookie
    assert client.get(f"{API}/matches").status_code == 200  # the client keeps the cookie
    client.cookies.clear()
    assert client.get(f"{API}/matches", headers={"authorization": f"Bearer {lan.token}"}).status_code == 200
    assert client.get(f"{API}/matches", headers={"authorization": f"Bearer {lan.token}x"}).status_code == 401


def test_no_redirect_leaves_the_server(client: TestClient, lan: Lan) -> None:
    place = client.get(f"//evil.example/?token={lan.token}", follow_redirects=False).headers.get("location", "/")
    assert place.startswith("/")
    assert not place.startswith("//")


def test_guessing_is_stopped(client: TestClient, lan: Lan) -> None:
    codes = [client.get(f"{API}/matches?token=guess{i}").status_code for i in range(14)]
    assert codes[:10] == [401] * 10
    assert set(codes[10:]) == {429}
    assert client.get(f"{API}/matches?token={lan.token}").status_code == 429, "even the right one has to wait"


def test_limits_by_the_clock() -> None:
    limits = Limits(burst=5, per_second=2.0, guesses=3)
    assert [limits.take("a", 0.0) for _ in range(6)] == [True] * 5 + [False]
    assert limits.take("b", 0.0)
    assert limits.take("a", 1.0)
    for moment in (0.0, 1.0, 2.0):
        assert limits.may_guess("a", moment)
        limits.wrong("a", moment)
    assert not limits.may_guess("a", 3.0)
    assert limits.may_guess("a", 62.5)


def test_other_pages_cannot_use_the_cookie(client: TestClient, lan: Lan) -> None:
    body = {"game": "triominos", "players": ["a", "b"]}
    headers = {"authorization": f"Bearer {lan.token}"}
    evil = client.post(f"{API}/matches", json=body, headers={**headers, "origin": "https://evil.example"})
    assert evil.json()["code"] == "bad_origin"
    assert client.post(f"{API}/matches", json=body, headers={**headers, "origin": BASE}).status_code == 201
    other = client.get(f"{API}/matches", headers={**headers, "host": "evil.example"})
    assert other.json()["code"] == "bad_host"


def test_the_secrets_are_kept_and_private(tmp_path: Path) -> None:
    first = prepare(tmp_path, [HOST])
    again = prepare(tmp_path, [HOST])
    assert again.token == first.token
    assert len(first.token) >= 24
    serial = x509.load_pem_x509_certificate(first.certificate.read_bytes()).serial_number
    moved = prepare(tmp_path, ["192.0.2.99"])
    assert moved.token == first.token
    made = x509.load_pem_x509_certificate(moved.certificate.read_bytes())
    assert made.serial_number != serial
    for name in ("token", "key.pem"):
        assert stat.S_IMODE((tmp_path / "lan" / name).stat().st_mode) == 0o600
    (tmp_path / "lan" / "key.pem").write_text("damaged")
    prepare(tmp_path, ["192.0.2.99"])
    ssl.create_default_context().load_cert_chain(moved.certificate, moved.key)


def test_codes_for_phones(lan: Lan) -> None:
    link = lan.link(8770, "/phone")
    assert link == f"https://{HOST}:8770/phone?token={lan.token}"
    svg = qr_svg(link)
    assert "<svg" in svg
    assert "<script" not in svg
    assert len(qr_text(link).splitlines()) > 10


def test_a_phone_is_the_camera(client: TestClient, desk: Desk, lan: Lan) -> None:
    headers = {"authorization": f"Bearer {lan.token}"}
    assert client.put(f"{API}/table/camera", json={"source": "phone"}, headers=headers).status_code == 200
    with client.websocket_connect(f"{SOCKET}/phone", headers=headers) as phone:
        phone.send_bytes(picture())
        assert phone.receive_text() == "ok"
        assert desk.table.wait(lambda: desk.table.frame is not None, 5)
        assert client.get(f"{API}/table", headers=headers).json()["camera"]["status"] == "ok"
        phone.send_bytes(b"PK\x03\x04 an archive")
        assert phone.receive_text() == "image_format"
        phone.send_bytes(picture(200))
        assert phone.receive_text() == "ok"
        assert desk.table.wait(lambda: bool((desk.table.frame.image > 150).all()), 5)
        with client.websocket_connect(f"{SOCKET}/phone", headers=headers) as other:
            other.send_bytes(picture())
            assert other.receive_text() == "ok"
            phone.send_bytes(picture())
            with pytest.raises(WebSocketDisconnect):
                phone.receive_text()
    assert desk.table.wait(lambda: desk.phone.status.state == "lost", 5)
    assert "phone" in desk.phone.status.en


def test_a_real_server_speaks_https_with_our_certificate(tmp_path: Path) -> None:
    with sockets.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "service.cli", "watch", "--lan", "--port", str(port), "--data", str(tmp_path)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        trust = ssl.create_default_context()
        end = time.monotonic() + 30
        while True:
            try:
                trust.load_verify_locations(tmp_path / "lan" / "certificate.pem")
                url = f"https://127.0.0.1:{port}{API}/health"
                with urllib.request.urlopen(url, context=trust, timeout=5) as answer:
                    assert answer.status == 200
                break
            except (OSError, ssl.SSLError):
                assert time.monotonic() < end
                assert server.poll() is None
                time.sleep(0.2)
    finally:
        server.terminate()
        _, said = server.communicate(timeout=10)
    assert "token=" in said
    assert "/phone" in said
