"""Photographs of drawn cards laid out in two rows of five, as a player lays them out to teach a deck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np

from datasets.art import cards as art
from datasets.scene import CameraModel, Look, Placed, render_scene


def sheet(
    labels: list[str], style: art.CardStyle, seed: int, foreign: Mapping[str, art.CardStyle] | None = None
) -> bytes:
    """A JPEG of up to ten cards through a camera on a stand; the `foreign` ones are of other decks."""
    rng = np.random.default_rng(seed)
    placed = []
    for number, label in enumerate(labels):
        row, column = divmod(number, 5)
        x, y = (column - 2) * 72 + rng.normal(0, 2), (row - 0.5) * 106 + rng.normal(0, 2)
        placed.append(
            Placed(
                art.card_sprite(label, (foreign or {}).get(label, style)), float(x), float(y), float(rng.normal(0, 3))
            )
        )
    covers = (-205.0, -131.0, 205.0, 131.0)
    camera = CameraModel.random(rng, covers, (1280, 720), max_tilt=12.0, slack=(1.02, 1.05))
    camera = replace(camera, azimuth=90.0, roll=0.0).fitted(covers, 1.02)
    look = replace(Look.random(rng, 0.1), motion=(0.0, 0.0))
    image = render_scene(placed, camera, look, rng).image
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1])
