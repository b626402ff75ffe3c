"""A phone (or the browser's own webcam) as the table's camera: its page sends JPEG frames over a WebSocket."""

from __future__ import annotations

import threading
import time

import numpy as np

from vision.camera import CameraStatus, Frame
from vision.images import ImageError, decode_image

PHONE = "phone"
MAX_BYTES = 2_000_000
MAX_PIXELS = 4_000_000
PATIENCE = 2.5  # seconds without a frame before a person is told


class PhoneCamera:
    """A camera (see `vision.camera.Camera`) that is fed from outside; only the newest frame is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._taken = -1
        self._index = 0
        self._last = float("-inf")
        self._sender: object | None = None

    def connect(self, sender: object) -> None:
        """Take frames from this sender from now on: the phone that came last is the one that people hold."""
        with self._lock:
            self._sender = sender

    def is_sender(self, sender: object) -> bool:
        """Whether frames of this sender are still wanted."""
        with self._lock:
            return self._sender is sender

    def feed(self, data: bytes) -> None:
        """Take in an encoded frame; `ImageError` where it is none, or too large."""
        if len(data) > MAX_BYTES:
            raise ImageError("image_too_large", f"a frame has at most {MAX_BYTES // 1000} kB")
        image: np.ndarray = decode_image(data, MAX_PIXELS)
        now = time.monotonic()
        with self._lock:
            self._index += 1
            self._frame = Frame(image, now, self._index)
            self._last = now

    def read(self) -> Frame | None:
        """The newest frame, or None if it was read before."""
        with self._lock:
            if self._frame is None or self._frame.index == self._taken:
                return None
            self._taken = self._frame.index
            return self._frame

    @property
    def status(self) -> CameraStatus:
        """`opening` until a phone sends, `ok`, or `lost` when it stopped."""
        with self._lock:
            silent = time.monotonic() - self._last
            seen = self._frame is not None
        if not seen:
            return CameraStatus("opening", "Esperando la cámara del teléfono.", "Waiting for the phone's camera.")
        if silent > PATIENCE:
            return CameraStatus(
                "lost",
                "El teléfono ya no envía imágenes: enciende su pantalla y abre otra vez la página de cámara.",
                "The phone sends no more pictures: wake its screen and open the camera page again.",
            )
        return CameraStatus("ok")

    def close(self) -> None:
        """Nothing to let go of: the phone may be chosen again."""
