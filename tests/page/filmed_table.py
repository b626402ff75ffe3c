"""A simulated table for the page's tests: drawn pictures of a played game, read exactly, moved on by the test."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from datasets.played import Played
from datasets.scene import label_stage
from datasets.scene.develop import expose
from datasets.simcam import Film
from vision.camera import CameraStatus, Frame
from vision.state import Piece, Quality, TableState
from vision.table import MARKER_MM, MARKERS, MAT_MM, marker_layout

FPS = 15.0
HAND_FRAMES = 4
FACTS = ("lanes", "grid", "cords", "crossings", "lines", "cell")


class FilmedTable:
    """Camera and eyes in one: shows the table after `step` steps of a game and knows what lies there.

    `doubt` makes a piece doubtful (label → the other label it could be); `light` is what the eyes say of the picture.
    """

    def __init__(self, played: Played) -> None:
        self.played = played
        self.film = Film(played)
        self.light = Quality()
        self.doubt: dict[str, str] = {}
        self.status_now = CameraStatus("ok")
        self._lock = threading.Lock()
        self._index, self._due = 0, 0.0
        self._noise = np.random.default_rng(1)
        self.step = 0
        self.show(0)

    def show(self, step: int) -> None:
        """Put the table of a step before the camera."""
        stage = self.film.stage(step)
        picture = expose(stage.camera, stage.look, stage.canvas, stage.gloss)
        pieces = []
        for label in label_stage(stage):
            if not label.corners or label.uncertain:  # what is covered by another piece, no eye reads
                continue
            other = self.doubt.get(label.label or "")
            sure, others = (0.52, ((other, 0.41),)) if other else (0.97, ())
            facts = {key: value for key, value in label.to_json().items() if key in FACTS}
            pieces.append(Piece(label.kind, label.label or "", label.corners, sure, others, facts=facts))
        with self._lock:
            self.step, self._picture, self._pieces = step, picture, tuple(pieces)
            self._hand = HAND_FRAMES

    def read(self, image: np.ndarray | None = None, time_: float = 0.0, **_: Any) -> Any:
        """As a camera: the next frame, when it is due. As eyes: the table."""
        if image is not None:
            with self._lock:
                size = (image.shape[1], image.shape[0])
                return TableState(time_, self._pieces, size, quality=self.light)
        now = time.monotonic()
        if now < self._due or self.status_now.state != "ok":
            return None
        self._due = now + 1 / FPS
        with self._lock:
            self._index += 1
            picture = self._picture
            if self._hand > 0:
                picture = self._with_hand(picture)
                self._hand -= 1
        small = self._noise.integers(-2, 3, (picture.shape[0] // 8, picture.shape[1] // 8, 1), np.int8)
        grain = small.repeat(8, 0).repeat(8, 1)
        return Frame(np.clip(picture.astype(np.int16) + grain, 0, 255).astype(np.uint8), now, self._index)

    def _with_hand(self, picture: np.ndarray) -> np.ndarray:
        """Something large comes and goes over the table, as whoever lays a piece does: the gate must notice."""
        shown = picture.copy()
        height, width = shown.shape[:2]
        reach = height * (2 + self._hand % 3) // 6
        centre, axes = (width // 2, height), (width // 9, reach)
        cv2.ellipse(shown, centre, axes, 8.0, 0.0, 360.0, (110, 140, 190), -1, cv2.LINE_AA)
        return shown

    @property
    def status(self) -> CameraStatus:
        """How the camera is: a test may take it away."""
        return self.status_now

    def close(self) -> None:
        """Nothing to let go of."""

    def picture(self) -> np.ndarray:
        """The table without noise."""
        with self._lock:
            return self._picture

    def labels(self) -> list[str]:
        """What lies on the table now."""
        with self._lock:
            return [piece.label for piece in self._pieces]

    def lose(self) -> None:
        """Pull the plug."""
        self.status_now = CameraStatus("lost", "La cámara se ha desconectado.", "The camera has gone.")

    def find(self) -> None:
        """Plug it in again."""
        self.status_now = CameraStatus("ok")

    def lay_mat(self, corners: list[tuple[float, float]]) -> None:
        """Put the four markers of the printed mat into the picture, their outer corners at these places."""
        width, height = MAT_MM
        sheet = np.full((round(height * 4), round(width * 4), 3), 255, np.uint8)
        dictionary = cv2.aruco.getPredefinedDictionary(MARKERS)
        for number, square in marker_layout().items():
            (x, y), side = (round(v * 4) for v in square[0]), round(MARKER_MM * 4)
            marker = cv2.aruco.generateImageMarker(dictionary, number, side)
            sheet[y : y + side, x : x + side] = marker[..., None]
        edge = 40  # the paper's white margin, without which no marker is found
        sheet = cv2.copyMakeBorder(sheet, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255, 255, 255))
        h, w = sheet.shape[:2]
        inner = np.array([[edge, edge], [w - edge, edge], [w - edge, h - edge], [edge, h - edge]], np.float32)
        matrix = cv2.getPerspectiveTransform(inner, np.array(corners, np.float32))
        with self._lock:
            size = (self._picture.shape[1], self._picture.shape[0])
            mask = cv2.warpPerspective(np.full((h, w), 255, np.uint8), matrix, size) > 127
            laid = self._picture.copy()
            laid[mask] = cv2.warpPerspective(sheet, matrix, size)[mask]
            self._picture = laid

    def dim(self, es: str, en: str) -> None:
        """Make the eyes complain of the light."""
        self.light = replace(self.light, glare=0.8, advice=((es, en),))
