"""Where the training pictures come from: scanned decks, table photographs with their fixed split, backgrounds."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from models.cards.classes import BACK, INDEX

Image = np.ndarray
HELD = ("Q_", "HH_")  # contributors of the training side whose faces no network learns: the confidence is fitted there
CARD_HEIGHT = 320  # scans are brought to one height: no camera in use shows a card larger than this


@dataclass(frozen=True)
class Photo:
    """One labelled table photograph: picture, boxes (n × 4) and a label per box (`card` where it is not known)."""

    path: Path
    boxes: np.ndarray
    labels: tuple[str, ...]
    place: str = ""


def read_picture(path: Path) -> Image:
    """The picture of a file; `FileNotFoundError` where there is none to read."""
    image = cv2.imread(str(path))
    if image is None:
        raise FileNotFoundError(path)
    return np.asarray(image)


def face_of(stem: str) -> str | None:
    """The label that a scan's file name stands for (`comodin-1` is `comodin`), None for other files."""
    if stem.startswith("comodin"):
        return "comodin"
    if stem.startswith("back"):
        return BACK
    return stem if stem in INDEX else None


def load_deck(folder: Path) -> dict[str, Image]:
    """The faces (and the back, where there is one) of one scanned deck, all of one height."""
    deck: dict[str, Image] = {}
    for path in sorted(folder.glob("*.jpg")):
        label = face_of(path.stem)
        image = cv2.imread(str(path))
        if label is None or image is None:
            continue
        width = round(image.shape[1] * CARD_HEIGHT / image.shape[0])
        how = cv2.INTER_AREA if image.shape[0] > CARD_HEIGHT else cv2.INTER_CUBIC
        deck[label] = cv2.resize(image, (width, CARD_HEIGHT), interpolation=how)
    return deck


def load_decks(data: Path, leave_out: tuple[str, ...] = ()) -> dict[str, dict[str, Image]]:
    """All scanned decks under `data/decks`, except the ones left out to measure what an unseen deck costs."""
    folders = sorted(p for p in (data / "decks").iterdir() if p.is_dir() and p.name not in leave_out)
    return {folder.name: load_deck(folder) for folder in folders}


def load_backgrounds(data: Path, size: int = 900) -> list[Image]:
    """Table textures, none larger than `size` on its long side."""
    images = []
    for path in sorted((data / "backgrounds").glob("*.jpg")):
        image = cv2.imread(str(path))
        if image is None:
            continue
        scale = size / max(image.shape[:2])
        images.append(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image)
    return images


def load_photos(data: Path, split: str, folders: tuple[str, ...] = ("cards_tables", "cards_boxes_only")) -> list[Photo]:
    """The photographs of one side of the fixed split (by contributor: tables, decks and hands are not shared)."""
    photos = []
    with (data / "photos" / "cards_places.csv").open(newline="") as handle:
        for row in csv.DictReader(handle):
            if row["split"] != split or row["folder"] not in folders:
                continue
            path = data / "photos" / row["folder"] / row["image"]
            pieces = json.loads(path.with_suffix(".json").read_text())["pieces"]
            boxes = np.array([p["box"] for p in pieces], np.float32).reshape(-1, 4)
            photos.append(Photo(path, boxes, tuple(p["label"] for p in pieces), row["place"]))
    return photos


def held_out(photo: Photo) -> bool:
    """Whether a photograph of the training side is kept for calibration."""
    return photo.place.startswith(HELD)
