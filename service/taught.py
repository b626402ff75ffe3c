"""Eyes that were taught the deck of a simulated game, as players teach theirs with `tapete enroll`.

The deck is laid out six cards at a time under a camera of its own and photographed once; each card's embedding goes
into a gallery under the name that the player confirms. The game itself is then filmed by another camera, in another
light. Games without cards have nothing to be taught.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from datasets.art.cards import STYLES, card_sprite
from datasets.played.model import covered, film
from datasets.scene import Placed, Stage, label_stage
from datasets.scene.develop import add_noise, expose
from datasets.simcam import Film
from service.eyes import table_eyes
from vision.cards import FACES, CardReader, Gallery, default_reader
from vision.eyes import Eyes

ROWS, COLUMNS = (-58.0, 58.0), (-78.0, 0.0, 78.0)
SEED = 77


def taught_eyes(film_: Film) -> Eyes | None:
    """The eyes for a film's game with its deck enrolled; None for games that are not played with cards."""
    style = film_.played.extra.get("deck")
    return None if style is None else table_eyes(film_.played.game, galleries=[photographed(str(style))])


@lru_cache(maxsize=4)
def photographed(style: str) -> Gallery:
    """The gallery of a deck from pictures of all its cards, six in each."""
    reader = default_reader()
    rng = np.random.default_rng(SEED)
    gallery = Gallery(style, reader.faces.version, (), np.zeros((0, 0), np.float32))
    for first in range(0, len(FACES), len(ROWS) * len(COLUMNS)):
        gallery = _learn(gallery, FACES[first : first + 6], style, reader, rng)
    return gallery


def _learn(
    gallery: Gallery, labels: Sequence[str], style: str, reader: CardReader, rng: np.random.Generator
) -> Gallery:
    """One picture: every card that is found where one was laid is confirmed under its name."""
    spots = [(x, y) for y in ROWS for x in COLUMNS]
    placed = [
        Placed(card_sprite(label, STYLES[style], 4.0), x, y, float(rng.normal(0, 3)))
        for label, (x, y) in zip(labels, spots, strict=False)
    ]
    camera, look = film(rng, covered([tuple(placed)]), centred=True)
    stage = Stage(camera, look)
    for piece in placed:
        stage.add(piece)
    picture = add_noise(expose(camera, look, stage.canvas, stage.gloss), look.noise, rng)
    truth = label_stage(stage)
    for found, embedding in reader.embed(picture):
        gaps = [math.dist(_middle(label.corners), found.centre) for label in truth]
        near = truth[gaps.index(min(gaps))]
        if min(gaps) < 0.3 * math.dist(near.corners[0], near.corners[1]):
            gallery = gallery.with_card(near.label, embedding)
    return gallery


def _middle(corners: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners)
