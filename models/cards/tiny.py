"""A tiny folder of card pictures, all drawn by this project: enough to see that every training runs, not to learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets.art.cards import STYLES
from models.cards.drawn import draw_deck


def draw_tiny(data: Path, cache: Path) -> None:
    """One deck and two tables under `data`, laid out like the real pictures; the same deck as the drawn one."""
    if (data / "photos" / "cards_places.csv").exists():
        return
    deck = draw_deck(next(iter(STYLES.values())))
    folder = data / "decks" / "drawn"
    folder.mkdir(parents=True, exist_ok=True)
    for label, art in deck.items():
        cv2.imwrite(str(folder / f"{label}.jpg"), art)
    (data / "backgrounds").mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    for number in range(2):
        coarse = rng.integers(0, 255, (9, 16, 3), np.uint8)
        table = cv2.resize(coarse, (320, 180), interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(data / "backgrounds" / f"{number}.jpg"), table)
    cache.mkdir(parents=True, exist_ok=True)
    arts: dict[str, Any] = {f"drawn/{label}": art for label, art in deck.items()}
    np.savez(cache / "drawn-train.npz", **arts)
    (data / "photos").mkdir(exist_ok=True)
    (data / "photos" / "cards_places.csv").write_text("folder,image,place,split\n", encoding="utf-8")
