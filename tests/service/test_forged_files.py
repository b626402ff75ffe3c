"""Files that lie: pictures that grow, decks, matches and clips that were made up; whatever takes them in stays well."""

from __future__ import annotations

import copy
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from service.clip import MAX_FILE, ClipError, load_clip, replay_clip
from service.desk import Desk
from service.report import export_html
from service.report_pdf import export_pdf
from service.store import Draft
from tests.service.conftest import Stage
from vision.images import ImageError, decode_image, image_size

Json = dict[str, Any]
API = "/api/v1"
HOST = "127.0.0.1:8770"
EVIL = "<img src=x onerror=alert(1)>\"'</svg><script>alert(2)</script>{{7*7}}"


def begin(client: TestClient, game: str = "triominos", players: tuple[str, ...] = ("Ana", "Luis")) -> str:
    answer = client.post(f"{API}/matches", json={"game": game, "players": list(players)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


# -- pictures ----------------------------------------------------------------------------------------------------------


def two_faced_jpeg(width: int, height: int) -> bytes:
    """A JPEG of that size in which a careless reader of headers finds another size: a byte pair that has no length."""
    whole = cv2.imencode(".jpg", np.zeros((height, width), np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 10])[1].tobytes()
    scan = whole.index(b"\xff\xda")
    frame = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 1, 1) + b"\x01\x01\x11\x00"
    comment = b"\xff\xfe" + struct.pack(">H", 6 + len(frame)) + frame + bytes(4)
    before = b"\xff\xd8\xff\x00"
    jump = len(before) + 2 + scan - 2 + 4  # to the frame in the comment
    return before + struct.pack(">H", jump - 4) + whole[2:scan] + comment + whole[scan:]


def png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def webp(width: int, height: int) -> bytes:
    """A small WebP that claims to be a part of a large one."""
    plain = cv2.imencode(".webp", np.zeros((64, 64, 3), np.uint8))[1].tobytes()
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return plain[:12] + b"VP8X" + struct.pack("<I", 10) + bytes(4) + size + plain[12:]


BOMBS: dict[str, Callable[[], bytes]] = {
    "png": lambda: png(30_000, 30_000, zlib.compress(bytes(100_000))),
    "png with too much in it": lambda: png(50, 50, zlib.compress(bytes(50_000_000))),
    "webp": lambda: webp(16_000_000, 16_000_000),
    "two-faced jpeg": lambda: two_faced_jpeg(8000, 6000),
    "heic": lambda: b"\x00\x00\x00\x18ftypheic" + bytes(5000),
    "gzip": lambda: b"\x1f\x8b\x08" + bytes(5000),
    "zip behind a picture's name": lambda: zipped({"x.jpg": bytes(5000)}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_pictures_that_grow_are_refused(client: TestClient, name: str) -> None:
    picture = BOMBS[name]()
    assert len(picture) < 1_000_000
    answer = client.post(f"{API}/read", files={"image": ("x.jpg", picture)}, data={"game": "triominos"})
    if name == "png with too much in it":  # fifty pixels square are decoded, and the rest is left where it is
        assert answer.status_code in (200, 415)
        return
    assert answer.json()["code"] in ("too_many_pixels", "not_an_image"), answer.text
    assert answer.status_code in (413, 415)


def test_the_size_that_is_checked_is_the_size_that_is_decoded() -> None:
    with pytest.raises(ImageError) as refused:
        decode_image(two_faced_jpeg(3000, 2000), 1_000_000)
    assert refused.value.code == "image_too_large"
    assert image_size(two_faced_jpeg(300, 200)) == ("jpeg", 300, 200)


def test_the_decoder_itself_has_a_limit() -> None:
    """The last bar: it holds where a header is read otherwise by us than by the decoder."""
    import subprocess
    import sys

    code = (
        "import vision, cv2, numpy as np\n"
        "data = cv2.imencode('.jpg', np.zeros((8000, 8000), np.uint8), [1, 10])[1]\n"
        "try: print(cv2.imdecode(data, 1) is None)\n"
        "except cv2.error as error: print('CV_IO_MAX_IMAGE_PIXELS' in str(error))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


# -- files that lie ----------------------------------------------------------------------------------------------------


def zipped(entries: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return out.getvalue()


def look(**more: Any) -> Json:
    plain = {"id": "k0", "picture": "a", "label": "7-copas", "confidence": 1.0, "alternatives": [], "corners": []}
    return {**plain, "state": "confirmed", "facts": {}, **more}


def deck_file(*looks: Json, entries: dict[str, bytes] | None = None, **more: Any) -> bytes:
    saved = {"name": "x", "created": 0.0, "kind": "cards", "looks": list(looks), **more}
    return zipped({"deck.json": json.dumps(saved).encode(), **(entries or {})})


def damaged(data: bytes) -> bytes:
    """Compressed bytes that no decompressor understands, under a directory that is right."""
    at = data.index(b"deck.json") + 9
    return data[:at] + bytes(b ^ 0x5A for b in data[at : at + 20]) + data[at + 20 :]


def terabyte() -> bytes:
    """The head of an array that would not fit anywhere, without the array."""
    head = b"{'descr': '<f2', 'fortran_order': False, 'shape': (500000000000,), }"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head) + 1) + head + b"\n"


DECKS: dict[str, Callable[[], bytes]] = {
    "an id that is a path": lambda: deck_file(look(id="../../../outside")),
    "an id from the root": lambda: deck_file(look(id="/tmp/outside")),
    "an id that is no text": lambda: deck_file(look(id=7)),
    "a confidence that is no number": lambda: deck_file(look(confidence=float("nan"))),
    "corners that are none": lambda: deck_file(look(corners=[[1, 2, 3]])),
    "alternatives that are none": lambda: deck_file(look(alternatives=[["7-copas", "often"]])),
    "a state that is none": lambda: deck_file(look(state="loved")),
    "more looks than anybody takes": lambda: deck_file(*[look(id=f"k{n}") for n in range(700)]),
    "nested too deep": lambda: zipped({"deck.json": b"[" * 100_000 + b"]" * 100_000}),
    "compressed nonsense": lambda: damaged(deck_file(look())),
    "files that grow": lambda: deck_file(look(), entries={f"looks/k{n}.jpg": bytes(5_000_000) for n in range(13)}),
    "no deck at all": lambda: zipped({"../deck.json": b"{}", "looks/../../x.jpg": b"x"}),
    "an array that claims a terabyte": lambda: deck_file(look(), entries={"looks/k0.npy": terabyte()}),
}  # fmt: skip


@pytest.mark.parametrize("name", DECKS)
def test_decks_that_lie_are_refused_or_harmless(client: TestClient, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.npy"
    answer = client.post(f"{API}/decks/Mala/import", files={"file": ("deck.zip", DECKS[name]())})
    if name != "an array that claims a terabyte":
        assert (answer.status_code, answer.json()["code"]) == (422, "not_a_deck"), answer.text
        assert client.get(f"{API}/decks").json() == {"decks": [], "damaged": []}
        assert not (tmp_path / "data" / "decks" / "Mala").exists(), "nothing is left behind"
    assert answer.status_code < 500
    assert not outside.exists()
    assert client.get(f"{API}/decks").status_code == 200


def test_a_deck_s_large_picture_is_not_decoded(client: TestClient, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = io.BytesIO()
    np.save(unit, np.ones(16, np.float16))
    large = cv2.imencode(".jpg", np.zeros((7000, 7000), np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 5])[1].tobytes()
    data = deck_file(look(), entries={"looks/k0.npy": unit.getvalue(), "looks/k0.jpg": large})
    sizes: list[int] = []
    plain = cv2.imdecode

    def decode(buffer: np.ndarray, how: int) -> np.ndarray | None:
        sizes.append(len(buffer))
        return plain(buffer, how)

    monkeypatch.setattr(cv2, "imdecode", decode)
    monkeypatch.setattr(cv2, "imread", lambda *_: pytest.fail("decoded without a look at its size"))
    assert client.post(f"{API}/decks/Grande/import", files={"file": ("deck.zip", data)}).status_code == 201
    assert len(large) not in sizes


def exported(client: TestClient) -> Json:
    """A match with every kind of event in its log."""
    match_id = begin(client)
    url = f"{API}/matches/{match_id}"
    for _ in range(3):
        move = next(m["move"] for m in client.get(f"{url}/moves").json()["moves"] if "@" in m["move"])
        client.post(f"{url}/declare", json={"move": move})
    events = client.get(f"{url}/events").json()["events"]
    client.post(f"{url}/correct", json={"event": events[-1]["seq"], "move": None})
    client.post(f"{url}/undo", json={})
    client.post(f"{url}/declare", json={"call": "opener", "player": 0})
    whole: Json = client.get(f"{url}/export").json()
    at = whole["events"][-1]
    words = {"es": "¿?", "en": "?"}
    flag = {"id": "i9", "key": "k", "violations": [{"code": "x", **words, "where": {}}]}
    flag |= {"pieces": [], "move": None, "nearest": None}
    option = {"id": "a", "label": "x", "probability": 0.5, **words, "call": {"call": "opener", "player": 1}}
    question = {"id": "q9", "key": "k", "kind": "which", **words, "options": [option]}
    for kind, data in (("illegal", flag), ("question", question), ("calibration", {"calibration": None})):
        whole["events"].append({**at, "seq": at["seq"] + 1, "kind": kind, "data": data})
        at = whole["events"][-1]
    return whole


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    whole = copy.deepcopy(value)
    if not path:
        return to
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return whole


def test_forged_matches_break_nothing(client: TestClient) -> None:
    """Whatever is wrong anywhere in a match file: it is refused, or all that shows it works. Nobody else suffers."""
    whole = exported(client)
    assert client.post(f"{API}/matches/import", json=whole).status_code == 201
    rng = random.Random(7)
    wrong = (None, -1, 1e308, 10**30, "x", "", [], {}, [[]], {"id": 1}, True, EVIL, ["a", 1], "2" * 5000)
    tries = [(path, to) for path in places(whole) for to in wrong]
    taken = 0
    for path, to in rng.sample(tries, 260):
        answer = client.post(f"{API}/matches/import", json=changed(whole, path, to))
        assert answer.status_code in (201, 422), (path, to, answer.text)
        if answer.status_code == 201:
            taken += 1
            url = f"{API}/matches/{answer.json()['id']}"
            for part in ("", "/events", "/moves", "/score", "/drawing", "/export", "/export?format=html"):
                assert client.get(url + part).status_code == 200, (path, to, part)
            for action in ({"move": "A draw"}, {"call": "opener", "player": 0}):
                assert client.post(f"{url}/declare", json=action).status_code < 500, (path, to)
            assert client.post(f"{url}/answer", json={"question": "q9", "option": "a"}).status_code < 500, (path, to)
            assert client.post(f"{url}/undo", json={}).status_code < 500, (path, to)
            client.delete(url)
    assert taken > 5, "if nothing was taken in, nothing was shown"
    assert client.get(f"{API}/matches").status_code == 200
    with client.websocket_connect(f"ws://{HOST}{API}/events") as line:
        assert line.receive_json()["type"] == "hello"


DEEP, LONG = b"[" * 200_000, b'{"game": ' + b"9" * 6000 + b"}"


@pytest.mark.parametrize("body", [DEEP, b'{"a":' * 100_000, LONG, b"\xff\xfe{", b"null", b""])
def test_json_that_is_none(client: TestClient, body: bytes) -> None:
    for path in ("matches", "matches/import", "decks"):
        answer = client.post(f"{API}/{path}", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["code"]) in ((422, "invalid_request"), (422, "bad_setup"))


def test_names_are_text_wherever_they_are_shown(client: TestClient, desk: Desk) -> None:
    """A player's name is never markup: not in the report, the drawing, or the PDF, which would fetch what it names."""
    for game in ("triominos", "truco", "trichon", "tronix", "trama"):
        match_id = begin(client, game, (EVIL[:60], "<b>Luis & Co</b>"))
        url = f"{API}/matches/{match_id}"
        move = client.get(f"{url}/moves?limit=1").json()["moves"][0]["move"]
        client.post(f"{url}/declare", json={"move": move})
        match = desk.match(match_id)
        words = {"es": EVIL, "en": EVIL}
        flag = {"id": "i9", "key": "k", "violations": [{"code": "x", **words, "where": {}}], "pieces": [], "move": None}
        match.write([Draft("illegal", {**flag, "nearest": None}, "camera")])
        report, drawing = export_html(match), client.get(f"{url}/drawing").text
        for shown in (report, drawing):
            for markup in ("<img src=x", "<script", "</svg><", "<b>Luis"):
                assert markup not in shown, (game, markup)
        assert "&lt;b&gt;Luis &amp; Co" in report
        assert export_pdf(match).startswith(b"%PDF")
        policy = client.get(f"{url}/export?format=html").headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script" not in policy


@pytest.mark.parametrize("name", ["\x1b]0;owned\x07", "a\nb", "\x00", "\x9b2J"])
def test_names_do_not_act_on_a_terminal(client: TestClient, name: str) -> None:
    """`tapete watch` and `tapete matches` print names as they are."""
    answer = client.post(f"{API}/matches", json={"game": "triominos", "players": [f"Ana{name}b", "Luis"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_setup")
    whole = exported(client)
    whole["players"][0] += f"{name}b"
    assert client.post(f"{API}/matches/import", json=whole).json()["code"] == "bad_setup"
    assert client.post(f"{API}/matches", json={"game": "triominos", "players": ["Zoë 👩‍🌾", "Ññ"]}).status_code == 201


def clip_file(path: Path, description: Any, frames: dict[str, bytes] | None = None) -> Path:
    path.write_bytes(zipped({"clip.json": json.dumps(description).encode(), **(frames or {})}))
    return path


def test_a_clip_that_grows_is_refused(tmp_path: Path) -> None:
    """One entry that is named two thousand times, or many that shrink to nothing in the zip."""
    zeros = {"frames/0.jpg": bytes(7_000_000)}
    frames = [{"file": "frames/0.jpg", "time": n} for n in range(2000)]
    description = {"format": 1, "game": "triominos", "frames": frames}
    path = clip_file(tmp_path / "bomb.zip", description, zeros)
    assert path.stat().st_size < 100_000 < MAX_FILE
    with pytest.raises(ClipError, match="too large"):
        load_clip(path)


def test_clips_that_lie_are_refused_in_words(tmp_path: Path, stage: Stage) -> None:
    frame = cv2.imencode(".jpg", np.zeros((72, 128, 3), np.uint8))[1].tobytes()
    good = {"format": 1, "game": "triominos", "players": 2, "setup": {}, "calibration": None, "before": [], "moves": [],
            "frames": [{"file": "f.jpg", "time": 0.0}, {"file": "f.jpg", "time": 0.5}]}  # fmt: skip
    path = tmp_path / "clip.zip"
    assert replay_clip(clip_file(path, good, {"f.jpg": frame}), stage).moves == []
    wrong = (None, -1, 10**9, 1e308, float("nan"), "x", [], {}, [[]], {"a": {}}, [1], EVIL)
    refused = 0
    for place in places(good):
        for to in wrong:
            clip_file(path, changed(good, place, to), {"f.jpg": frame})
            try:
                replay_clip(path, stage)
            except ClipError:
                refused += 1
    assert refused > 60
    data = clip_file(path, good, {"f.jpg": frame}).read_bytes()
    for number in range(200):  # and bits that turn over on the way
        torn = bytearray(data)
        torn[number * len(data) // 200] ^= 1 << number % 8
        path.write_bytes(bytes(torn))
        try:
            load_clip(path)
        except ClipError:
            refused += 1
    assert refused > 100
