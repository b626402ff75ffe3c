"""A described scene, drawn through a camera, with its exact labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from datasets.labels import Box, PieceLabel, SceneLabels
from datasets.scene.camera import CameraModel
from datasets.scene.develop import add_noise, compress, expose, through_lens
from datasets.scene.look import Look
from datasets.scene.stage import Placed, Stage, outline

# Below this visible fraction the eye cannot say what the piece is. A card is read from one corner, so it may be
# nearly covered; a tile needs its three corners, a loom all of its lanes.
READABLE = {"card": 0.45, "back": 0.25, "tile": 0.8, "loom": 0.93, "circuit_card": 0.75}
CARD_CORNER = (0.04, 0.03, 0.27, 0.24)  # where a card's index is: x1, y1, x2, y2 as fractions of the card
CARD_SLIVER = 0.06


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture (BGR) with its labels; `data` is the file (JPEG, or PNG where nothing was compressed)."""

    image: np.ndarray
    pieces: tuple[PieceLabel, ...]
    data: bytes = b""
    extra: dict[str, Any] = field(default_factory=dict)

    def labels(self, name: str, game: str) -> SceneLabels:
        """The label file's content for an image called `name`."""
        return SceneLabels(name, game, self.pieces, self.extra)


def render_scene(placed: Sequence[Placed], camera: CameraModel, look: Look, rng: np.random.Generator | int) -> Rendered:
    """Draw the pieces in the given order (later ones lie on top) and label those whose sprite has a `kind`.

    `rng` decides the noise only: the same arguments give the same bytes.
    """
    generator = np.random.default_rng(rng) if isinstance(rng, int) else rng
    stage = Stage(camera, look)
    for piece in placed:
        stage.add(piece)
    return develop_stage(stage, generator)


def develop_stage(stage: Stage, rng: np.random.Generator) -> Rendered:
    """The picture and the labels of a stage as it is now."""
    clean = expose(stage.camera, stage.look, stage.canvas, stage.gloss)
    image, data = compress(add_noise(clean, stage.look.noise, rng), stage.look.jpeg)
    return Rendered(image, label_stage(stage), data)


def label_stage(stage: Stage) -> tuple[PieceLabel, ...]:
    """Exact labels of everything on the stage, in the order in which it was laid; what is not in view is left out."""
    owners = through_lens(stage.camera, stage.owners, nearest=True)
    counts = np.bincount(owners.ravel(), minlength=len(stage.placed) + 1)
    labels = []
    for number, piece in enumerate(stage.placed, start=1):
        if not piece.sprite.kind or counts[number] == 0:
            continue
        labels.append(_label(stage.camera, piece, number, owners, int(counts[number])))
    return tuple(labels)


def project_piece(camera: CameraModel, piece: Placed) -> tuple[tuple[float, float], ...]:
    """The corners of the face in pixels."""
    corners = piece.corners()
    pixels = camera.project(np.column_stack([corners, np.full(len(corners), piece.top)]))
    return tuple((float(x), float(y)) for x, y in pixels)


def _label(camera: CameraModel, piece: Placed, number: int, owners: np.ndarray, count: int) -> PieceLabel:
    sprite = piece.sprite
    ground = piece.on_table(outline(sprite))
    edge = camera.project(np.column_stack([ground, np.full(len(ground), piece.top)])).astype(np.float32)
    whole = max(1.0, cv2.contourArea(edge))
    h, w = owners.shape
    x1, y1 = np.clip(np.floor(edge.min(axis=0)).astype(int) - 1, 0, (w - 1, h - 1))
    x2, y2 = np.clip(np.ceil(edge.max(axis=0)).astype(int) + 2, 1, (w, h))
    own = owners[y1:y2, x1:x2] == number
    columns, rows = np.flatnonzero(own.any(axis=0)), np.flatnonzero(own.any(axis=1))
    box: Box = (float(x1), float(y1), float(x1), float(y1))
    if len(columns):
        box = (float(x1 + columns[0]), float(y1 + rows[0]), float(x1 + columns[-1] + 1), float(y1 + rows[-1] + 1))
    visible = min(1.0, count / whole)
    visible = 1.0 if visible > 0.98 else visible
    uncertain = visible < READABLE.get(sprite.kind, 0.5)
    if uncertain and sprite.kind == "card" and visible >= CARD_SLIVER:
        uncertain = not _index_seen(camera, piece, number, owners)
    facts = dict(sprite.facts)
    if "grid_mm" in facts:  # a loom's lane square, in its own mm, becomes pixels like the corners
        grid = piece.on_table(facts.pop("grid_mm"))
        pixels = camera.project(np.column_stack([grid, np.full(len(grid), piece.top)]))
        facts["grid"] = tuple((float(x), float(y)) for x, y in pixels)
    return PieceLabel(sprite.kind, sprite.label, project_piece(camera, piece), box, visible, uncertain, facts)


def _index_seen(camera: CameraModel, piece: Placed, number: int, owners: np.ndarray) -> bool:
    """Whether one of the two printed corners of a card is (nearly) all in view."""
    corners = np.array(piece.sprite.corners_mm, float)
    x1, y1, x2, y2 = CARD_CORNER
    for a, b, d in ((0, 1, 3), (2, 3, 1)):
        along, across = corners[b] - corners[a], corners[d] - corners[a]
        patch = [corners[a] + u * along + v * across for u, v in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
        table = piece.on_table(np.array(patch))
        seen = camera.project(np.column_stack([table, np.full(4, piece.top)]))
        mask = np.zeros(owners.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(seen).astype(np.int32), 1)
        area = max(1.0, cv2.contourArea(seen.astype(np.float32)))
        if np.count_nonzero(owners[mask > 0] == number) > 0.85 * area:
            return True
    return False


def settle(placed: Sequence[Placed]) -> list[Placed]:
    """The same pieces in the same order, each lifted onto what it overlaps, so that piles have a height."""
    done: list[Placed] = []
    boxes: list[tuple[np.ndarray, np.ndarray]] = []
    for piece in placed:
        ground = piece.on_table(outline(piece.sprite))
        low, high = ground.min(axis=0), ground.max(axis=0)
        hull = cv2.convexHull(ground.astype(np.float32))
        z = piece.z
        for other, (olow, ohigh) in zip(done, boxes, strict=True):
            if (low < ohigh).all() and (olow < high).all():
                base = cv2.convexHull(other.on_table(outline(other.sprite)).astype(np.float32))
                shared, _ = cv2.intersectConvexConvex(hull, base)
                if shared > 4.0:
                    z = max(z, other.top)
        done.append(replace(piece, z=z))
        boxes.append((low, high))
    return done
