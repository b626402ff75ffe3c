"""A camera that cannot hang the program: newest frame only, watched, and reopened by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from vision.sources import Allowed, Source, SourceError, make_source

PATIENCE = 2.5  # seconds without a (new, lit) frame before a person is told; a report is due within 3
LEAST_SIDE = 32  # pixels; what is smaller is no picture but a driver's mistake
BACKOFF = (0.5, 1.0, 2.0, 4.0, 8.0)
GONE = SourceError("La cámara se ha desconectado: revise el cable.", "The camera has gone: check its cable.")
SILENT = SourceError(
    "La cámara no responde: desenchúfela y vuelva a enchufarla.",
    "The camera does not answer: unplug it and plug it in again.",
)
DAMAGED = SourceError(
    "La cámara envía imágenes dañadas: revise el cable o cambie de puerto.",
    "The camera sends damaged pictures: check its cable or use another port.",
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the table; `index` counts frames of this camera, `time` is seconds on its clock."""

    image: np.ndarray
    time: float
    index: int


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How the camera is: `opening`, `ok`, `lost`, `frozen`, `black` or `ended`, with a sentence for a person."""

    state: str
    es: str = ""
    en: str = ""


class Camera(Protocol):
    """What the table reads from; the simulated camera of `datasets` is one too."""

    def read(self) -> Frame | None:
        """The newest frame, or None if there is none that was not read before. Never blocks."""

    @property
    def status(self) -> CameraStatus:
        """How the camera is now."""

    def close(self) -> None:
        """Stop; may be called twice."""


@dataclass(frozen=True, slots=True)
class View:
    """How a frame is turned before anybody sees it: `rotate` by 0, 90, 180 or 270 degrees clockwise, then `mirror`."""

    rotate: int = 0
    mirror: bool = False

    def apply(self, image: np.ndarray) -> np.ndarray:
        """The turned frame."""
        codes = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
        if self.rotate:
            image = cv2.rotate(image, codes[self.rotate])
        return cv2.flip(image, 1) if self.mirror else image


def usable(image: object) -> bool:
    """Whether a driver gave a picture at all: three channels of bytes, and not a sliver."""
    return (
        isinstance(image, np.ndarray)
        and image.dtype == np.uint8
        and image.ndim == 3
        and image.shape[2] == 3
        and min(image.shape[:2]) >= LEAST_SIDE
    )


class WatchedCamera:
    """Runs a source in a thread of its own. A thread stuck in a driver is left behind and a new one is started."""

    def __init__(
        self,
        make: Callable[[], Source],
        view: View | None = None,
        clock: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE,
    ) -> None:
        self._make, self._view, self._clock, self._patience = make, view or View(), clock, patience
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._taken = -1
        self._count = 0
        self._run = 0  # the number of the thread that may deliver; older ones are ignored
        self._closed = threading.Event()
        self._last_frame = self._last_new = self._last_light = clock()
        self._last_bad = float("-inf")
        self._print: bytes = b""
        self._live = True
        self._error: SourceError | None = None
        self._ended = False
        self._failures = 0
        self._retry_at: float | None = None
        self._start()

    def _start(self) -> None:
        self._run += 1
        now = self._clock()
        self._last_frame = self._last_new = self._last_light = now
        self._retry_at = None
        threading.Thread(target=self._work, args=(self._run,), daemon=True, name=f"camera-{self._run}").start()

    def _work(self, run: int) -> None:
        source: Source | None = None
        try:
            source = self._make()
            source.open()
            self._live = source.live
            while not self._closed.is_set() and run == self._run:
                image = source.grab()
                if image is None:
                    break
                if not usable(image):
                    self._last_bad = self._clock()
                    self._closed.wait(0.01)  # a driver that gives rubbish gives it at once: do not run hot
                    continue
                self._deliver(run, self._view.apply(image))
            if source.live:
                self._fail(run, GONE)
            elif run == self._run:
                self._ended = True
        except SourceError as error:
            self._fail(run, error)
        except Exception as error:  # a driver may raise anything; the table must live on
            self._fail(run, SourceError(f"La cámara ha fallado: {error}.", f"The camera failed: {error}."))
        finally:
            if source is not None:
                source.close()

    def _deliver(self, run: int, image: np.ndarray) -> None:
        now = self._clock()
        small = np.ascontiguousarray(image[::16, ::16])
        fingerprint = small.tobytes()
        with self._lock:
            if run != self._run:
                return
            self._count += 1
            self._frame = Frame(image, now, self._count)
            self._last_frame = now
            self._error, self._failures = None, 0
            if fingerprint != self._print or not self._live:
                self._print, self._last_new = fingerprint, now
            if small.mean() > 6 or small.std() > 4:
                self._last_light = now

    def _fail(self, run: int, error: SourceError) -> None:
        with self._lock:
            if run != self._run:
                return
            self._error = error
            delay = BACKOFF[min(self._failures, len(BACKOFF) - 1)]
            self._failures += 1
            self._retry_at = self._clock() + delay

    def read(self) -> Frame | None:
        """The newest frame not yet read, or None; also the moment when a lost camera is tried again."""
        self._heal()
        with self._lock:
            frame = self._frame
            if frame is None or frame.index == self._taken:
                return None
            self._taken = frame.index
            return frame

    def _heal(self) -> None:
        if self._closed.is_set() or self._ended:
            return
        now = self._clock()
        if self._retry_at is not None:
            if now >= self._retry_at:
                self._start()
        elif now - self._last_frame > 2 * self._patience:
            # The thread is alive but silent: the driver is stuck. Leave it and start over.
            self._fail(self._run, DAMAGED if now - self._last_bad < self._patience else SILENT)

    @property
    def status(self) -> CameraStatus:
        """How the camera is now, in words."""
        now = self._clock()
        if self._error is not None:
            again = (" Se vuelve a intentar sola.", " It is tried again by itself.")
            return CameraStatus("lost", self._error.es + again[0], self._error.en + again[1])
        if self._ended:
            return CameraStatus("ended", "El vídeo ha terminado.", "The video has ended.")
        silent = now - self._last_frame > self._patience
        if silent and now - self._last_bad < self._patience:
            return CameraStatus("lost", DAMAGED.es, DAMAGED.en)
        if self._frame is None:
            if silent:
                return CameraStatus(
                    "lost",
                    "La cámara no envía imagen: ¿la usa otro programa?",
                    "The camera sends no picture: is another program using it?",
                )
            return CameraStatus("opening", "Abriendo la cámara…", "Opening the camera…")
        if silent:
            return CameraStatus(
                "lost",
                "La cámara ha dejado de enviar imagen: revise el cable. Se vuelve a intentar sola.",
                "The camera has stopped sending: check its cable. It is tried again by itself.",
            )
        if now - self._last_new > self._patience:
            return CameraStatus(
                "frozen",
                "La imagen está congelada: desenchufe la cámara y vuelva a enchufarla.",
                "The picture is frozen: unplug the camera and plug it in again.",
            )
        if now - self._last_light > self._patience:
            return CameraStatus(
                "black",
                "La imagen está negra: ¿tapa en el objetivo, o sin luz?",
                "The picture is black: is the lens covered, or the light off?",
            )
        return CameraStatus("ok")

    def close(self) -> None:
        """Stop delivering; the thread ends at its next frame."""
        self._closed.set()
        self._run += 1


def open_camera(
    spec: int | str | Path,
    view: View | None = None,
    size: tuple[int, int] | None = (1280, 720),
    allowed: Allowed | None = None,
) -> WatchedCamera:
    """The camera that a setting names. A wrong name raises `SourceError` at once; a silent device is retried.

    `allowed` is asked about the address of a network camera each time that it is connected.
    """
    make_source(spec, size, allowed)  # a misspelt file or a forbidden scheme is the user's mistake: say so now
    return WatchedCamera(lambda: make_source(spec, size, allowed), view)


def list_cameras(limit: int = 6, in_use: int | None = None) -> list[int]:
    """The indices of USB cameras that open, found without waiting for missing ones where the system lists them.

    A camera that is `in_use` is there, and is not disturbed by being opened once more.
    """
    devices = sorted(Path("/dev").glob("video*")) if Path("/dev").is_dir() else []
    if Path("/dev").is_dir():
        indices = [int(d.name[5:]) for d in devices if d.name[5:].isdigit()]
    else:
        indices = list(range(limit))
    found = [] if in_use is None else [in_use]
    for index in indices[:limit]:
        if index == in_use:
            continue
        capture = cv2.VideoCapture(index)
        if capture.isOpened():
            found.append(index)
        capture.release()
    return sorted(found)
