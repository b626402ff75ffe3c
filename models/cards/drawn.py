"""The project's own drawn decks as pictures to learn from; the styles reserved for tests stay out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.art.cards import LABELS, RESERVED, STYLES, CardStyle, back_sprite, card_sprite, random_style
from models.cards.classes import BACK
from vision.cards.faces import FaceReader
from vision.cards.gallery import Gallery
from vision.cards.geometry import MARGIN, PATCH, flat_frame

HEIGHT = 320
ALIKE = 0.82  # photographed cards of other decks mostly stay below this, drawn ones mostly above
RANDOM = 6  # decks in styles of chance, beside the named ones


def flat_picture(image: np.ndarray) -> np.ndarray:
    """A sprite's colours alone; what lies outside the rounded corners becomes paper, as on the scans."""
    colour, alpha = image[..., :3], image[..., 3:].astype(np.float32) / 255
    paper = np.median(colour[4:8, colour.shape[1] // 3 : -colour.shape[1] // 3].reshape(-1, 3), axis=0)
    picture = (colour * alpha + paper * (1 - alpha)).astype(np.uint8)
    return cv2.resize(picture, (round(HEIGHT * 61.5 / 95), HEIGHT), interpolation=cv2.INTER_AREA)


def draw_deck(style: CardStyle) -> dict[str, np.ndarray]:
    """All faces, a comodín and the back in one style."""
    scale = 1.2 * HEIGHT / 95
    faces = {label: flat_picture(card_sprite(label, style, scale).image) for label in (*LABELS, "comodin")}
    return {**faces, BACK: flat_picture(back_sprite(style, scale).image)}


def drawn_gallery(cache: Path, reader: FaceReader, looks: int = 2) -> Gallery:
    """The drawn decks to train on as a gallery: each card as drawn, and as a worse camera would show it."""
    rng = np.random.default_rng(0)
    width, height = PATCH
    frame = flat_frame(PATCH, MARGIN).round().astype(int)
    (x1, y1), (x2, y2) = frame[0], frame[2]
    rest = np.array([[0, 0], [width, 0], [0, height]], np.float32)
    gallery = Gallery("drawn", reader.version, least=ALIKE)
    for deck in drawn_decks(cache).values():
        for label, art in deck.items():
            for look in range(looks):
                flat = np.full((height, width, 3), rng.integers(30, 160), np.uint8)
                flat[y1:y2, x1:x2] = cv2.resize(art, (int(x2 - x1), int(y2 - y1)), interpolation=cv2.INTER_AREA)
                if look:
                    moved = rest + rng.normal(0, 0.03, (3, 2)) * [width, height]
                    matrix = cv2.getAffineTransform(rest, moved.astype(np.float32))
                    flat = cv2.GaussianBlur(flat, (0, 0), rng.uniform(0.6, 1.4))
                    flat = cv2.warpAffine(flat, matrix, PATCH, borderMode=cv2.BORDER_REPLICATE)
                    flat = np.clip(flat * rng.uniform(0.6, 1.1), 0, 255).astype(np.uint8)
                gallery = gallery.with_card(label, reader.read(flat[None])[0].embedding)
    return replace(gallery, pictures=())


def drawn_decks(cache: Path, *, reserved: bool = False) -> dict[str, dict[str, np.ndarray]]:
    """The drawn decks to train on (or, for measuring only, the reserved ones), drawn once and kept in the cache."""
    rng = np.random.default_rng(20)
    if reserved:
        styles = {name: STYLES[name] for name in RESERVED}
    else:
        styles = {name: style for name, style in STYLES.items() if name not in RESERVED}
        styles |= {f"random-{i}": random_style(rng) for i in range(RANDOM)}
    path = cache / f"drawn-{'reserved' if reserved else 'train'}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        decks = {name: draw_deck(style) for name, style in styles.items()}
        part = path.with_suffix(".part.npz")
        arts: dict[str, Any] = {f"{name}/{label}": art for name, deck in decks.items() for label, art in deck.items()}
        np.savez(part, **arts)
        part.rename(path)
    result: dict[str, dict[str, np.ndarray]] = {}
    with np.load(path) as saved:
        for key in saved.files:
            name, label = key.split("/")
            result.setdefault(name, {})[label] = saved[key]
    return result
