"""Cameras: every kind of source, and the watchdog over them."""

from __future__ import annotations

import http.server
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import View, WatchedCamera, open_camera
from vision.sources import FolderSource, SourceError, make_source


class Clock:
    """A clock that moves only when told, so that no test waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class ScriptedSource:
    """Delivers one image per `give`; behaves as badly as a test needs."""

    live = True

    def __init__(self) -> None:
        self.pending: list[np.ndarray | None] = []
        self.ready = threading.Semaphore(0)

    def open(self) -> None:
        pass

    def give(self, image: np.ndarray | None) -> None:
        self.pending.append(image)
        self.ready.release()

    def grab(self) -> np.ndarray | None:
        self.ready.acquire()
        return self.pending.pop(0)

    def close(self) -> None:
        pass


def wait_for(condition, seconds: float = 5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError("did not happen in time")


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (64, 64, 3)).astype(np.uint8)


def test_newest_frame_only() -> None:
    source = ScriptedSource()
    camera = WatchedCamera(lambda: source)
    for seed in range(5):
        source.give(noise(seed))
    wait_for(lambda: camera._count == 5)
    frame = camera.read()
    assert frame is not None
    assert frame.index == 5
    assert (frame.image == noise(4)).all()
    assert camera.read() is None, "a frame is handed out once"
    camera.close()


@pytest.mark.parametrize(
    ("image", "state"), [(np.zeros((64, 64, 3), np.uint8), "black"), (np.full((64, 64, 3), 90, np.uint8), "frozen")]
)
def test_black_and_frozen_pictures_are_noticed_within_three_seconds(image: np.ndarray, state: str) -> None:
    source, clock = ScriptedSource(), Clock()
    camera = WatchedCamera(lambda: source, clock=clock)
    for i in range(32):
        step = image.copy()
        if state == "black":
            step[0, 0] = i % 2  # sensor noise: a dark picture, but not a repeated one
        source.give(step)
        wait_for(lambda i=i: camera._count == i + 1)
        clock.now += 0.1
        if i < 20:
            assert camera.status.state == "ok"
    assert camera.status.state == state
    assert camera.status.es
    assert camera.status.en
    source.give(noise(1))
    wait_for(lambda: camera._count == 33)
    assert camera.status.state == "ok", "it recovers by itself"
    camera.close()


def test_a_stuck_driver_is_left_behind_and_the_camera_comes_back() -> None:
    clock = Clock()
    sources: list[ScriptedSource] = []

    def make() -> ScriptedSource:
        sources.append(ScriptedSource())
        return sources[-1]

    camera = WatchedCamera(make, clock=clock)
    wait_for(lambda: len(sources) == 1)
    sources[0].give(noise(0))
    wait_for(camera.read)
    clock.now += 2.9
    assert camera.status.state == "lost"
    clock.now += 3.0
    camera.read()
    clock.now += 1.0
    camera.read()
    wait_for(lambda: len(sources) == 2)
    sources[1].give(noise(1))
    frame = wait_for(camera.read)
    assert (frame.image == noise(1)).all()
    assert camera.status.state == "ok"
    sources[0].give(noise(7))  # the old thread wakes up at last: nobody must listen to it
    time.sleep(0.05)
    assert camera.read() is None
    camera.close()


def test_unplugged_camera_is_retried_with_growing_patience() -> None:
    clock, tries = Clock(), []

    class Broken(ScriptedSource):
        def open(self) -> None:
            tries.append(clock.now)
            raise SourceError("no hay cámara", "no camera")

    camera = WatchedCamera(Broken, clock=clock)
    wait_for(lambda: camera.status.state == "lost")
    for _ in range(60):
        clock.now += 0.25
        count = len(tries)
        waiting = camera._retry_at is not None and clock.now >= camera._retry_at
        camera.read()
        if waiting:
            wait_for(lambda count=count: len(tries) > count and camera._retry_at is not None)
    gaps = np.diff(tries)
    assert len(tries) >= 4
    assert (np.diff(gaps) >= -1e-9).all(), gaps
    assert "no camera" in camera.status.en
    camera.close()


def test_folder_plays_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"f{number}.png"), np.full((8, 8, 3), number, np.uint8))
    source = FolderSource(tmp_path, seconds_each=0.02, fps=100)
    source.open()
    values = [int(source.grab()[0, 0, 0]) for _ in range(8)]
    assert values == [1, 1, 2, 2, 10, 10, 10, 10], "the last picture stays"


def test_folder_without_pictures_and_damaged_picture_say_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no pictures"):
        FolderSource(tmp_path).open()
    (tmp_path / "a.jpg").write_text("not a picture")
    source = FolderSource(tmp_path)
    source.open()
    with pytest.raises(SourceError, match=r"a\.jpg cannot be read"):
        source.grab()


def test_video_file_ends(tmp_path: Path) -> None:
    path = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 60, (64, 64))
    for seed in range(6):
        writer.write(noise(seed))
    writer.release()
    camera = open_camera(path)
    wait_for(lambda: camera.status.state == "ended")
    assert camera.read() is not None
    camera.close()


@pytest.mark.parametrize("spec", ["file:///etc/passwd", "ftp://x/y", "gopher://x", "no-such-file.mp4"])
def test_wrong_names_and_schemes_are_refused_at_once(spec: str) -> None:
    with pytest.raises(SourceError):
        open_camera(spec)


def test_view_turns_and_mirrors() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert (View(180).apply(View(180).apply(image)) == image).all()
    assert (View(90).apply(View(270).apply(image)) == image).all()
    assert (View(0, True).apply(image)[:, 0] == image[:, 1]).all()


class MjpegHandler(http.server.BaseHTTPRequestHandler):
    """A camera on the network: /stream is MJPEG, /still one JPEG, /page no camera at all."""

    def do_GET(self) -> None:
        jpeg = [cv2.imencode(".jpg", noise(seed))[1].tobytes() for seed in range(3)]
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "/still")
            self.end_headers()
            return
        self.send_response(200)
        if self.path == "/stream":
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=f")
            self.end_headers()
            for data in [jpeg[0], jpeg[1][: len(jpeg[1]) // 2] + b"\xff\xd9", jpeg[2]]:
                self.wfile.write(b"--f\r\nContent-Type: image/jpeg\r\n\r\n" + data + b"\r\n")
        elif self.path == "/still":
            self.send_header("Content-Type", "image/jpeg")
            self.end_headers()
            self.wfile.write(jpeg[0])
        else:
            self.send_header("Content-Type", "text/html")
            self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def network_camera():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), MjpegHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_network_stream_and_still(network_camera: str) -> None:
    stream = make_source(network_camera + "/stream")
    stream.open()
    frames = []
    while (image := stream.grab()) is not None:
        frames.append(image)
    stream.close()
    assert len(frames) >= 2
    still = make_source(network_camera + "/still")
    still.open()
    assert still.grab() is not None
    assert still.grab() is not None
    still.close()
    with pytest.raises(SourceError, match="not a camera"):
        make_source(network_camera + "/page").open()
    with pytest.raises(SourceError, match="302"):
        make_source(network_camera + "/elsewhere").open()
