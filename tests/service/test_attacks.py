"""What somebody hostile tries, on every door at once: other pages, hosts, bodies, paths, addresses."""

from __future__ import annotations

import itertools
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.addresses import may_be_a_camera
from service.desk import Desk
from service.lan import Limits
from vision.sources import SourceError, make_source

Json = dict[str, Any]
API = "/api/v1"
HOST = "127.0.0.1:8770"


def begin(client: TestClient, game: str = "triominos", players: tuple[str, ...] = ("Ana", "Luis"), **more: Any) -> str:
    answer = client.post(f"{API}/matches", json={"game": game, "players": list(players), **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def routes(client: TestClient, *methods: str) -> Iterator[tuple[str, str]]:
    """Method and path of every route of the API, from its own description."""
    for path, known in client.get(f"{API}/openapi.json").json()["paths"].items():
        for method in known:
            if method.upper() in methods:
                yield method.upper(), path


# -- other pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    ["http://[", "null", f"https://{HOST}", f"//{HOST}", HOST, f"http://{HOST}/x", f"http://{HOST}@evil.example",
     f"http://evil.example#{HOST}", f"http://evil.example/{HOST}", "", f"http://{HOST} http://evil.example", "file://"],
)  # fmt: skip
def test_an_origin_is_ours_or_refused(client: TestClient, origin: str) -> None:
    answer = client.post(f"{API}/matches", json={}, headers={"origin": origin})
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_may_link_to_the_page_but_not_use_the_api(client: TestClient, site: str) -> None:
    """A picture in some page would otherwise switch the camera on: `<img src=http://127.0.0.1:8770/…/thumbnail>`."""
    tried = 0
    for method, path in routes(client, "GET", "POST", "PUT", "DELETE"):
        url = re.sub(r"\{[^}]*\}", "0", path)
        answer = client.request(method, url, headers={"sec-fetch-site": site})
        assert (answer.status_code, answer.json()["code"]) == (403, "bad_origin"), (method, path)
        tried += 1
    assert tried > 40
    for page in ("/", "/overlay", "/phone", "/decks"):
        assert client.get(page, headers={"sec-fetch-site": site}).status_code == 200


def test_asking_changes_nothing(client: TestClient, desk: Desk, tmp_path: Path) -> None:
    """No GET of any route begins, changes or ends anything, whatever it is asked with."""
    match_id = begin(client)
    client.put(f"{API}/table/camera", json={"source": "0"})
    client.post(f"{API}/decks", json={"name": "Casa"})

    def all_there_is() -> Json:
        files = {str(f): f.read_bytes() for f in sorted((tmp_path / "data").rglob("*.json"))}
        events = client.get(f"{API}/matches/{match_id}/events").json()
        table = client.get(f"{API}/table").json()
        still = {key: table[key] for key in ("match", "calibration")} | {"source": table["camera"]["source"]}
        return {"files": files, "events": events, "matches": client.get(f"{API}/matches").json(), "table": still}

    before = all_there_is()
    names = {"match_id": match_id, "name": "Casa", "look_id": "k0", "event": "1", "index": "63"}
    asked = [path.format(**names) for _, path in routes(client, "GET") if not path.endswith("/stream")]
    assert len(asked) > 20
    words = "game=truco&source=phone&name=x&match=none&action=delete&_method=DELETE&paused=true&move=A+draw"
    for path, more in itertools.product(asked, ("", f"?{words}")):
        answer = client.get(path + more, headers={"x-http-method-override": "DELETE"})
        assert answer.status_code < 500 or answer.json()["code"] != "internal", path
    assert all_there_is() == before


# -- hosts, bodies and tokens on a real connection ---------------------------------------------------------------------


@pytest.fixture
def port(desk: Desk) -> Iterator[int]:
    """A real server, as `tapete watch` runs it."""
    import uvicorn

    from service.app import create_app

    server = uvicorn.Server(uvicorn.Config(create_app(desk), port=0, log_level="error", proxy_headers=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(timeout=15)


def spoken(port: int, data: bytes) -> str:
    """What a server says to these very bytes."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        try:
            line.sendall(data)
            while len(said) < 100_000 and (part := line.recv(65536)):
                said += part
        except ConnectionError:
            pass  # it may hang up before all was said
    return said.decode("latin-1")


@pytest.mark.parametrize(
    "hosts",
    [["evil.example"], [""], [], ["127.0.0.1", "evil.example"], ["evil.example", "127.0.0.1"],
     ["127.0.0.1.evil.example"], ["0.0.0.0"], ["127.0.0.1@evil.example"], ["2130706433"],
     ["localhost.evil.example:80"], ["[::1].evil.example"]],
)  # fmt: skip
def test_a_rebound_name_is_refused(port: int, hosts: list[str]) -> None:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    said = spoken(port, f"GET {API}/matches HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
    assert said.split()[1] in ("400", "403"), said[:200]
    assert '"matches"' not in said


def test_a_body_of_unknown_length_is_cut_off(port: int, desk: Desk) -> None:
    """Chunked, without a length, and never ending: the server answers after its limit and reads no more."""
    head = f"POST {API}/matches/import HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n"
    chunk = b"f4240\r\n" + bytes(1_000_000) + b"\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        try:
            while sent < 10 * desk.settings.max_upload_bytes:
                line.sendall(chunk)
                sent += 1_000_000
        except ConnectionError:
            pass
    assert sent < 4 * desk.settings.max_upload_bytes, "buffers between us may hold some, not ten times the limit"


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/..%2f..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/app.py", "/..%5c..%5capp.py",
     "//etc/passwd", "/js/..%2f..%2f..%2fapp.py", "/js/%2e%2e/%2e%2e/security.py",
     "/js/app.js%00.html", "/js/", "/css/..", "/%ff%fe"],
)  # fmt: skip
def test_pages_come_from_their_folder_only(port: int, path: str) -> None:
    said = spoken(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    assert said.split()[1] in ("400", "404"), said[:200]
    assert "root:" not in said
    assert "import" not in said


def test_no_parameter_of_a_path_leaves_the_data_folder(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"name": "secret", "created": 0, "looks": []}')
    (tmp_path / "deck.json").write_text('{"name": "..", "created": 0, "looks": []}')
    before = sorted(str(path) for path in tmp_path.glob("*"))
    tricks = ("..%2f..", "%2e%2e%2f%2e%2e", "..%5c..", "a%2f..%2f..%2f..", "%00", "m_..%2f..", "%2fetc%2fpasswd", "~",
              "C:%5c", "k1%2f..%2f..%2fdeck", "m_%0a", "-1", "1e9", "²")  # fmt: skip
    for method, path in routes(client, "GET", "POST", "PUT", "DELETE"):
        if "{" not in path:
            continue
        for trick in tricks:
            answer = client.request(method, re.sub(r"\{[^}]*\}", trick, path), json={"use": True, "label": None})
            assert 400 <= answer.status_code < 500, (method, path, trick, answer.text)
    assert sorted(str(path) for path in tmp_path.glob("*")) == before


def test_a_forwarded_address_does_not_win_more_guesses() -> None:
    """What a request says of where it came from is not believed; see `proxy_headers` in `service.commands.live`."""
    import inspect

    from service.commands import live

    assert "proxy_headers=False" in inspect.getsource(live.serve)
    limits = Limits(guesses=3)
    for number in range(5000):  # nor can many addresses fill the memory
        limits.wrong(f"10.0.{number // 256}.{number % 256}", 0.0)
        limits.take(f"10.0.{number // 256}.{number % 256}", 0.0)
    assert len(limits._wrong) <= 4097
    assert len(limits._buckets) <= 4097


# -- addresses ---------------------------------------------------------------------------------------------------------

LOOPBACKS = ("127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.1.20", "10.0.0.4", "fd12:3456::7")
FORBIDDEN = ("169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "fd00:ec2::254",
             "fe80::1%eth0", "100.100.100.200", "168.63.129.16", "192.0.0.192", "::a9fe:a9fe", "0.0.0.0", "::",
             "224.0.0.1", "255.255.255.255", "2001:0:a9fe:a9fe::1")  # fmt: skip


def test_which_addresses_may_be_cameras() -> None:
    assert [address for address in LOOPBACKS if not may_be_a_camera(address)] == []
    assert [address for address in FORBIDDEN if may_be_a_camera(address)] == []


@pytest.mark.parametrize(
    "source",
    ["http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://169.254.43518/",
     "rtsp://169.254.169.254/", "http://[2002:a9fe:a9fe::]/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
     "http://127.0.0.1@169.254.169.254/", "http://①⑥⑨.254.169.254/", "http://169。254。169。254/",
     "http:\\\\169.254.169.254", "http://127.0.0.1\\@169.254.169.254/", "http://127.0.0.1:80:81/",
     "http://127.0.0.1:x/", "http://127.0.0.1\r\nHost: x/", "http://127.0.0.1 /", "²", "concat:x", "-1"],
)  # fmt: skip
def test_addresses_in_disguise(client: TestClient, source: str) -> None:
    answer = client.put(f"{API}/table/camera", json={"source": source})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_camera")


def test_a_name_that_leads_elsewhere_afterwards_is_asked_nothing() -> None:
    """Between the check and the connection a name may change its mind: the connection itself is checked."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        heard: list[bytes] = []

        def listen() -> None:
            line, _ = server.accept()
            with line:
                line.settimeout(60)
                heard.append(line.recv(100))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        source = make_source(f"http://localhost:{server.getsockname()[1]}/", allowed=lambda address: False)
        with pytest.raises(SourceError, match="not allowed"):
            source.open()
        thread.join(60)
    assert heard == [b""], "hung up without a word"
    with pytest.raises(SourceError, match="not allowed"):
        make_source("rtsp://localhost:8554/cam", allowed=lambda address: False).open()


def test_a_camera_s_password_is_used_and_not_shown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard: list[bytes] = []

        def answer() -> None:
            line, _ = server.accept()
            with line:
                heard.append(line.recv(4000))
                line.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(SourceError) as said:
            make_source(f"http://ana:s%65creta@127.0.0.1:{server.getsockname()[1]}/cam").open()
        thread.join(60)
    assert b"Authorization: Basic YW5hOnNlY3JldGE=" in heard[0]  # ana:secreta
    assert "creta" not in said.value.en + said.value.es
