"""Where frames come from: USB cameras, video files, picture folders, HTTP streams and stills, RTSP."""

from __future__ import annotations

import base64
import contextlib
import http.client
import re
import socket
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

import cv2
import numpy as np

from vision.images import MAX_BYTES, ImageError, decode_image, load_image

PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp"}
URL_SCHEMES = ("http", "https", "rtsp")
TIMEOUT = 5.0


class SourceError(RuntimeError):
    """A camera that cannot be opened or has gone; `es` and `en` say it to a person."""

    def __init__(self, es: str, en: str) -> None:
        super().__init__(en)
        self.es, self.en = es, en


class Source(Protocol):
    """Something that delivers frames one after the other; may block in `grab`, so it is run in a thread of its own."""

    live: bool  # a live source's frames differ by noise, so a repeated one means that the camera is frozen

    def open(self) -> None:
        """Connect; raises `SourceError`."""

    def grab(self) -> np.ndarray | None:
        """The next frame, or None at the end."""

    def close(self) -> None:
        """Let go of the device."""


class CaptureSource:
    """A USB camera, a video file or an RTSP stream, through OpenCV."""

    def __init__(
        self, spec: int | str, size: tuple[int, int] | None = None, pin: Callable[[], str] | None = None
    ) -> None:
        self.spec, self.size, self._pin = spec, size, pin
        self.live = isinstance(spec, int) or str(spec).startswith("rtsp")
        self._capture: cv2.VideoCapture | None = None
        self._period = 0.0
        self._next = 0.0

    def open(self) -> None:
        """Connect and, for a file, find out its speed."""
        capture = cv2.VideoCapture(self.spec if self._pin is None else self._pin())
        if not capture.isOpened():
            capture.release()
            name = _without_secret(self.spec)[0] if isinstance(self.spec, str) and "://" in self.spec else self.spec
            raise SourceError(
                f"No se puede abrir la cámara {name}: ¿está enchufada y libre?",
                f"Camera {name} cannot be opened: is it plugged in and not used by another program?",
            )
        if self.size and isinstance(self.spec, int):
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        if self.live:
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        else:
            fps = capture.get(cv2.CAP_PROP_FPS)
            self._period = 1.0 / fps if 1.0 <= fps <= 240.0 else 1 / 25
            self._next = time.monotonic()
        self._capture = capture

    def grab(self) -> np.ndarray | None:
        """The next frame; a file is played at its own speed."""
        if self._capture is None:
            return None
        if self._period:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = max(self._next + self._period, time.monotonic() - self._period)
        ok, image = self._capture.read()
        return image if ok else None

    def close(self) -> None:
        """Release the device."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class FolderSource:
    """The pictures of a folder (or one picture), in natural order, each shown for a while; the last one stays."""

    live = False

    def __init__(self, path: Path, seconds_each: float = 2.0, fps: float = 10.0) -> None:
        self.path, self.repeat, self.fps = path, max(1, round(seconds_each * fps)), fps
        self._files: list[Path] = []
        self._shown = 0
        self._image: np.ndarray | None = None

    def open(self) -> None:
        """List the pictures."""
        files = [self.path] if self.path.is_file() else [p for p in self.path.iterdir() if p.suffix.lower() in PICTURES]
        self._files = sorted(files, key=lambda p: [int(t) if t.isdigit() else t for t in re.split(r"(\d+)", p.name)])
        if not self._files:
            raise SourceError(f"No hay imágenes en {self.path}.", f"There are no pictures in {self.path}.")

    def grab(self) -> np.ndarray | None:
        """The picture whose time it is."""
        index = min(self._shown // self.repeat, len(self._files) - 1)
        if self._shown % self.repeat == 0 and self._shown // self.repeat <= index:
            try:
                self._image = load_image(self._files[index])
            except ImageError as error:
                name = self._files[index].name
                raise SourceError(f"No se puede leer {name}: {error}", f"{name} cannot be read: {error}") from error
        self._shown += 1
        time.sleep(1.0 / self.fps)
        return self._image

    def close(self) -> None:
        """Forget the pictures."""
        self._files = []


Allowed = Callable[[str], bool]  # whether a camera may be looked for at a numeric address


class Refused(OSError):
    """An address at which no camera may be looked for."""


class _Stay(urllib.request.HTTPRedirectHandler):
    """A camera that sends us elsewhere is not followed: elsewhere could be an address that may not be asked."""

    def redirect_request(self, *args: Any, **more: Any) -> None:
        """Nowhere."""
        return


def _checked(kind: type[http.client.HTTPConnection], allowed: Allowed | None) -> Callable[..., Any]:
    """Connections of a kind that hang up where the address is not allowed, before anything is said."""

    def connect(*args: Any, **more: Any) -> socket.socket:
        line = socket.create_connection(*args, **more)
        if allowed is not None and not allowed(line.getpeername()[0]):
            line.close()
            raise Refused("this address is not allowed")
        return line

    def make(*args: Any, **more: Any) -> http.client.HTTPConnection:
        connection = kind(*args, **more)
        connection._create_connection = connect  # type: ignore[attr-defined]
        return connection

    return make


def _fetch(url: str, allowed: Allowed | None = None) -> Any:
    """Open an http or https address, without redirects, proxies, files or anything else that a URL can name."""
    plain, secret = _without_secret(url)
    request = urllib.request.Request(plain, headers={"Authorization": f"Basic {secret}"} if secret else {})

    class Http(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(_checked(http.client.HTTPConnection, allowed), req)  # type: ignore[arg-type]

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(_checked(http.client.HTTPSConnection, allowed), req)  # type: ignore[arg-type]

    opener = urllib.request.OpenerDirector()
    for handler in (Http, Https, urllib.request.HTTPErrorProcessor, urllib.request.HTTPDefaultErrorHandler, _Stay):
        opener.add_handler(handler())
    return opener.open(request, timeout=TIMEOUT)


def _without_secret(url: str) -> tuple[str, str]:
    """An address without the name and password in it, and these as a Basic authorization ("" where there are none)."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    secret = base64.b64encode(unquote(user).encode()).decode() if at else ""
    return urlunsplit(parts._replace(netloc=place)), secret


class HttpSource:
    """An MJPEG stream or a still picture that is fetched again and again."""

    live = True

    def __init__(self, url: str, allowed: Allowed | None = None) -> None:
        self.url, self._allowed = url, allowed
        self.name = _without_secret(url)[0]  # what may be shown
        self._stream: object | None = None
        self._buffer = b""
        self._still = False

    def open(self) -> None:
        """Connect and see whether it is a stream or a still."""
        try:
            response = _fetch(self.url, self._allowed)
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise SourceError(
                f"La cámara de red no contesta ({self.name}).",
                f"The network camera does not answer ({self.name}): {error}",
            ) from error
        kind = response.headers.get_content_type()
        self._still = kind.startswith("image/")
        if not self._still and not kind.startswith("multipart/"):
            response.close()
            raise SourceError(
                f"{self.name} no es una cámara: envía {kind}.", f"{self.name} is not a camera: it sends {kind}."
            )
        self._stream, self._buffer = response, b""

    def grab(self) -> np.ndarray | None:
        """The next frame."""
        if self._stream is None:
            return None
        try:
            if self._still:
                data = self._stream.read(MAX_BYTES)  # type: ignore[attr-defined]
                image = decode_image(data)
                time.sleep(0.1)
                self._stream = _fetch(self.url, self._allowed)
                return image
            return self._next_part()
        except (http.client.HTTPException, OSError, ImageError):
            return None

    def _next_part(self) -> np.ndarray | None:
        while True:
            start = self._buffer.find(b"\xff\xd8")
            end = self._buffer.find(b"\xff\xd9", start + 2) if start >= 0 else -1
            if end >= 0:
                data, self._buffer = self._buffer[start : end + 2], self._buffer[end + 2 :]
                with contextlib.suppress(ImageError):  # one bad frame of a stream is not the end of it
                    return decode_image(data)
                continue
            chunk = self._stream.read1(65536)  # type: ignore[union-attr]
            if not chunk or len(self._buffer) > MAX_BYTES:
                return None
            self._buffer += chunk

    def close(self) -> None:
        """Hang up."""
        if self._stream is not None:
            self._stream.close()  # type: ignore[attr-defined]
            self._stream = None


def _pinned(url: str, allowed: Allowed) -> str:
    """An rtsp address with its name replaced by the number that it leads to now, if a camera may be there."""
    parts = urlsplit(url)
    try:
        address = str(socket.getaddrinfo(parts.hostname, None)[0][4][0])
    except OSError as error:
        raise SourceError(
            f"No se encuentra el host {parts.hostname!r}.", f"The host {parts.hostname!r} cannot be found."
        ) from error
    if not allowed(address):
        raise SourceError("Esa dirección no está permitida.", "This address is not allowed.")
    user, at, _ = parts.netloc.rpartition("@")
    host = f"[{address}]" if ":" in address else address
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{user}{at}{host}{port}"))


def make_source(spec: int | str | Path, size: tuple[int, int] | None = None, allowed: Allowed | None = None) -> Source:
    """The source that a camera setting names: an index, a file, a folder, or an http(s)/rtsp URL.

    `allowed` is asked about the numeric address that a URL leads to, each time that it is connected.
    """
    text = str(spec).strip()
    if text.isascii() and text.isdigit():
        return CaptureSource(int(text), size)
    if "://" in text:
        scheme = urlsplit(text).scheme.lower()
        if scheme not in URL_SCHEMES:
            raise SourceError(
                f"No se aceptan direcciones {scheme}://; solo http, https y rtsp.",
                f"{scheme}:// addresses are not accepted; only http, https and rtsp.",
            )
        if scheme == "rtsp":
            return CaptureSource(text, pin=None if allowed is None else lambda: _pinned(text, allowed))
        return HttpSource(text, allowed)
    path = Path(text)
    if path.is_dir() or (path.is_file() and path.suffix.lower() in PICTURES):
        return FolderSource(path)
    if path.is_file():
        return CaptureSource(text)
    raise SourceError(f"No existe la cámara o el archivo {text!r}.", f"There is no camera or file {text!r}.")
