"""Labelled folders as ultralytics wants them: `tapete convert DIR --to detect|obb|pose|classify -o OUT`.

    detect   class, middle and size of what is seen of each piece
    obb      class and four corners (of a tile: of the smallest rectangle around it)
    pose     class, box and the piece's own corners in order as keypoints
    classify one upright crop per piece, in a folder named for what it is

The first three have `images/` and `labels/` with `train` and `val` below, and a `data.yaml`; classify has `train` and
`val` with a folder per class. Which images are for validation depends on their names alone.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from datasets.labels import LabelError, PieceLabel, SceneLabels, walk
from vision.state import KINDS

FORMATS = ("detect", "obb", "pose", "classify")
LEAST_SEEN = 0.25  # less of a piece teaches a detector nothing but to guess
CROP = 192  # pixels of the long side of a crop
KEYPOINTS = 4


def convert(
    folder: Path,
    out: Path,
    to: str,
    *,
    by: str = "kind",
    validate: float = 0.1,
    progress: Callable[[int], None] | None = None,
) -> dict[str, int]:
    """Write `out` and return how many images and pieces went into it. `by`: classes are kinds, or labels."""
    if to not in FORMATS:
        raise ValueError(f"{to!r} is none of {', '.join(FORMATS)}")
    scenes = list(walk(folder))
    if not scenes:
        raise LabelError(f"no labelled images in {folder}")
    if to == "classify":
        return _classify(scenes, out, validate, progress)
    names = _names(scenes, by)
    counts = {"train": 0, "val": 0, "pieces": 0}
    for number, (path, labels) in enumerate(scenes, start=1):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise LabelError(f"{path}: no picture can be read from it")
        height, width = image.shape[:2]
        split = split_for(path.name, validate)
        lines = [
            f"{names.index(_class(piece, by))} " + " ".join(f"{value:.6g}" for value in row)
            for piece in labels.pieces
            if _counts(piece) and (row := _row(piece, to, width, height)) is not None
        ]
        # Two folders may hold images of one name: the path below `folder` makes them different.
        stem = "_".join(path.relative_to(folder).with_suffix("").parts)
        pictures, texts = out / "images" / split, out / "labels" / split
        pictures.mkdir(parents=True, exist_ok=True)
        texts.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, pictures / f"{stem}{path.suffix}")
        (texts / f"{stem}.txt").write_text("".join(line + "\n" for line in lines), "utf-8")
        counts[split] += 1
        counts["pieces"] += len(lines)
        if progress:
            progress(number)
    _yaml(out, names, to)
    return counts


def split_for(name: str, validate: float) -> str:
    """`train` or `val`, by the image's name alone: adding images moves none of the others."""
    return "val" if zlib.crc32(name.encode()) % 1000 < 1000 * validate else "train"


def _counts(piece: PieceLabel) -> bool:
    if piece.visible is not None:
        return piece.visible >= LEAST_SEEN
    return not piece.uncertain


def _class(piece: PieceLabel, by: str) -> str:
    return piece.label if by == "label" and piece.label else piece.kind


def _names(scenes: Sequence[tuple[Path, SceneLabels]], by: str) -> list[str]:
    """The classes: the kinds in their usual order, or every label that occurs."""
    found = {_class(piece, by) for _, labels in scenes for piece in labels.pieces if _counts(piece)}
    return [kind for kind in KINDS if kind in found] + sorted(found - set(KINDS))


def _row(piece: PieceLabel, to: str, width: int, height: int) -> list[float] | None:
    """The numbers behind the class, all as fractions of the image; None for a piece that this format cannot say."""
    scale = np.array([width, height], float)
    x1, y1, x2, y2 = piece.extent
    low, high = np.clip(np.array([[x1, y1], [x2, y2]]) / scale, 0, 1)
    if (high <= low).any():
        return None
    box = [*((low + high) / 2), *(high - low)]
    if to == "detect":
        return [float(v) for v in box]
    if to == "obb":
        corners = np.array(piece.corners or [(x1, y1), (x2, y1), (x2, y2), (x1, y2)], np.float32)
        if len(corners) != 4:
            corners = cv2.boxPoints(cv2.minAreaRect(corners))
        return [float(v) for v in np.clip(corners / scale, 0, 1).ravel()]
    if not piece.corners:
        return None
    points: list[float] = []
    for i in range(KEYPOINTS):
        if i >= len(piece.corners):
            points += [0.0, 0.0, 0.0]
            continue
        x, y = np.array(piece.corners[i]) / scale
        inside = 0 <= x <= 1 and 0 <= y <= 1
        points += [float(x), float(y), 2.0] if inside else [0.0, 0.0, 0.0]
    return [float(v) for v in box] + points


def _yaml(out: Path, names: Sequence[str], to: str) -> None:
    lines = ["path: .", "train: images/train", "val: images/val"]
    if to == "pose":
        lines += [f"kpt_shape: [{KEYPOINTS}, 3]", f"flip_idx: {json.dumps(list(range(KEYPOINTS)))}"]
    lines += ["names:", *(f"  {i}: {json.dumps(name, ensure_ascii=False)}" for i, name in enumerate(names))]
    (out / "data.yaml").write_text("\n".join(lines) + "\n", "utf-8")


def _classify(
    scenes: Sequence[tuple[Path, SceneLabels]],
    out: Path,
    validate: float,
    progress: Callable[[int], None] | None,
) -> dict[str, int]:
    counts = {"train": 0, "val": 0, "pieces": 0}
    for number, (path, labels) in enumerate(scenes, start=1):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise LabelError(f"{path}: no picture can be read from it")
        split = split_for(path.name, validate)
        counts[split] += 1
        for index, (name, crop) in enumerate(_crops(image, labels)):
            where = out / split / name
            where.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(where / f"{path.stem}_{index:02d}.jpg"), crop)
            counts["pieces"] += 1
        if progress:
            progress(number)
    return counts


def _crops(image: np.ndarray, labels: SceneLabels) -> Iterator[tuple[str, np.ndarray]]:
    """Every piece that has a name, upright and in a frame of its own shape."""
    for piece in labels.pieces:
        name = piece.label or ("back" if piece.kind == "back" else "")
        if not name or piece.uncertain or not _counts(piece):
            continue
        if not piece.corners:
            x1, y1, x2, y2 = (max(0, round(v)) for v in piece.extent)
            crop = image[y1:y2, x1:x2]
            if crop.size:
                yield name, crop
            continue
        corners = np.array(piece.corners, np.float32)
        if len(corners) == 3:  # a tile stands on its second side, the first corner on top
            frame = np.array([[CROP / 2, 0], [CROP, CROP * 0.866], [0, CROP * 0.866]], np.float32)
            yield name, cv2.warpAffine(image, cv2.getAffineTransform(corners, frame), (CROP, round(CROP * 0.866)))
            continue
        across, down = (float(np.linalg.norm(corners[i + 1] - corners[i])) for i in (0, 1))
        k = CROP / max(across, down, 1.0)
        w, h = max(8, round(across * k)), max(8, round(down * k))
        frame = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        yield name, cv2.warpPerspective(image, cv2.getPerspectiveTransform(corners, frame), (w, h))
