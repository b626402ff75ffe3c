"""How well the table can be seen: advice where it helps, silence where there is nothing wrong."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.played import play
from datasets.simcam import Film
from vision.quality import assess


def words(image: np.ndarray) -> str:
    return " ".join(en for _, en in assess(image).advice)


def cloth(colour: tuple[int, int, int], seed: int = 1) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 2.5, (720, 1280, 3))
    return np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module", params=["triominos", "tronix"])
def table(request: pytest.FixtureRequest) -> np.ndarray:
    film = Film(play(request.param, 7, short=True))
    return film.picture(round(film.rest_of(len(film.played.steps))[0] * film.fps) + 2)


@pytest.mark.parametrize("colour", [(60, 110, 40), (200, 200, 200), (40, 60, 90), (30, 30, 30)])
def test_a_plain_table_in_focus_is_not_called_blurred(colour: tuple[int, int, int]) -> None:
    empty = cloth(colour)
    assert words(empty) == ""
    with_card = empty.copy()
    cv2.rectangle(with_card, (500, 300), (560, 390), (250, 250, 250) if colour[0] < 100 else (60, 60, 60), -1)
    assert words(with_card) == ""
    assert "blurred" in words(cv2.GaussianBlur(with_card, (0, 0), 6))


def test_a_table_in_focus_and_out_of_it(table: np.ndarray) -> None:
    assert "blurred" not in words(table)
    assert "blurred" in words(cv2.GaussianBlur(table, (0, 0), 5))
    amounts = [assess(cv2.GaussianBlur(table, (0, 0), sigma)).blur for sigma in (1, 2, 4, 8)]
    assert amounts == sorted(amounts)


def test_light_and_size() -> None:
    assert "little light" in words(cloth((8, 8, 8)))
    assert "overexposed" in words(cloth((253, 253, 253)))
    lamp = cloth((90, 90, 90))
    cv2.circle(lamp, (200, 300), 120, (255, 255, 255), -1)
    assert "lamp on the left" in words(lamp)
    assert "320 × 240" in words(cv2.resize(cloth((90, 90, 90)), (320, 240)))
