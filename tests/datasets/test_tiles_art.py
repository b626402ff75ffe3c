"""Drawn triomino tiles: the right shape, the right values, the same bytes for a seed, and styles kept apart."""

import math

import cv2
import numpy as np
import pytest

from datasets.art.canvas import Canvas
from datasets.art.digits import Typeface, digit_outline, draw_number
from datasets.art.tiles import (
    MARGIN,
    STYLE_SEEDS,
    TEST_STYLE_SEEDS,
    TileStyle,
    tile_canvas,
    tile_corners,
    tile_sprite,
    values,
)


def _area(rings: tuple[tuple[tuple[float, float], ...], ...]) -> float:
    """Even-odd area: outer rings minus the holes inside them (one level deep is all that numerals have)."""
    canvas = Canvas(2, 2)
    canvas.fill(*[[(x + 0.5, y + 0.5) for x, y in ring] for ring in rings], color=(255, 255, 255))
    return float((canvas.to_pixels(100)[..., 3] / 255).sum() / 100**2)


def test_corners_are_equilateral_and_clockwise_from_the_top() -> None:
    a, b, c = tile_corners(TileStyle())
    assert math.dist(a, b) == pytest.approx(38)
    assert math.dist(b, c) == pytest.approx(38)
    assert math.dist(c, a) == pytest.approx(38)
    assert a[1] == MARGIN
    assert b[0] > c[0]


def test_sprite_has_the_outline_of_the_triangle() -> None:
    sprite = tile_sprite("0-3-5", TileStyle(rounding=0.05), 8.0)
    area = (sprite.image[..., 3] / 255).sum() / 8.0**2
    assert area == pytest.approx(38**2 * math.sqrt(3) / 4, rel=0.01)
    assert (sprite.kind, sprite.label) == ("tile", "0-3-5")
    assert len(sprite.corners_mm) == 3


@pytest.mark.parametrize("label", ["", "1-2", "1-2-6", "1-2-3-4", "a-b-c", "11-2-3", "1--2"])
def test_bad_labels_are_refused(label: str) -> None:
    with pytest.raises(ValueError, match="three values"):
        values(label)


@pytest.mark.parametrize("label", ["0-1-2", "5-0-3", "1-1-4"])
def test_pips_are_as_many_as_the_values_say(label: str) -> None:
    style = TileStyle(pips=True, pip_radius=0.9, pip_gap=2.6, inset=9.5)
    pixels = tile_canvas(label, style, face=False).to_pixels(10)
    count, _, facts, _ = cv2.connectedComponentsWithStats((pixels[..., 3] > 127).astype(np.uint8))
    assert count - 1 == sum(values(label))
    assert facts[1:, cv2.CC_STAT_AREA] / 100 == pytest.approx(math.pi * 0.9**2, rel=0.05)


def test_each_value_stands_at_its_own_corner() -> None:
    style = TileStyle(pips=True, pip_radius=0.9, pip_gap=2.6, inset=9.5)
    pixels = tile_canvas("1-5-0", style, face=False).to_pixels(10)[..., 3] / 255
    ys, xs = np.mgrid[0 : pixels.shape[0], 0 : pixels.shape[1]] / 10.0
    ink = [float(pixels[np.hypot(xs - x, ys - y) < 17].sum()) for x, y in tile_corners(style)]
    assert ink[0] / ink[1] == pytest.approx(1 / 5, rel=0.05)
    assert ink[2] == 0


@pytest.mark.parametrize(("turn", "differs"), [("corner", True), ("centre", True), ("upright", True)])
def test_a_turned_label_is_another_drawing(turn: str, differs: bool) -> None:
    style = TileStyle(turn=turn)
    one, two = (tile_sprite(label, style, 4.0).image for label in ("1-2-3", "2-3-1"))
    assert bool((one != two).any()) is differs


def test_upright_numerals_do_not_turn_with_their_corner() -> None:
    """The numeral at the second corner is the same pixels as at the top, moved."""
    style = TileStyle(turn="upright", typeface=Typeface())
    canvas = tile_canvas("4-4-4", style, face=False)
    first, second = (np.array(canvas.shapes[k].rings[0]) for k in (0, 1))
    assert np.allclose(first - first.mean(0), second - second.mean(0))
    turned = tile_canvas("4-4-4", TileStyle(turn="corner"), face=False)
    first, second = (np.array(turned.shapes[k].rings[0]) for k in (0, 1))
    assert not np.allclose(first - first.mean(0), second - second.mean(0))


def test_a_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    assert tile_sprite("1-2-3", 5, 4.0).image.tobytes() == tile_sprite("1-2-3", 5, 4.0).image.tobytes()
    assert tile_sprite("1-2-3", 5, 4.0).image.tobytes() != tile_sprite("1-2-3", 6, 4.0).image.tobytes()


def test_test_styles_are_apart_and_both_pools_have_every_kind() -> None:
    assert not set(STYLE_SEEDS) & set(TEST_STYLE_SEEDS)
    for pool in (STYLE_SEEDS, TEST_STYLE_SEEDS):
        styles = [TileStyle.seeded(seed) for seed in pool]
        assert {(s.pips, s.wood) for s in styles} == {(False, False), (False, True), (True, False), (True, True)}
        assert {s.turn for s in styles} == {"corner", "centre", "upright"}


@pytest.mark.parametrize("seed", range(1, 40))
def test_ink_can_be_told_from_the_face(seed: int) -> None:
    style = TileStyle.seeded(seed)
    gaps = [max(abs(a - b) for a, b in zip(ink, style.face, strict=True)) for ink in style.inks]
    assert min(gaps) >= 40


@pytest.mark.parametrize("digit", "0123456789")
def test_numerals_are_one_high_and_differ(digit: str) -> None:
    for seed in range(8):
        rings, width = digit_outline(digit, Typeface.seeded(seed))
        ys = [y for ring in rings for _, y in ring]
        assert min(ys) == pytest.approx(0, abs=0.09)
        assert max(ys) == pytest.approx(1, abs=0.09)
        assert 0.2 < width < 0.8
        assert 0.02 < _area(rings) < 0.6


def test_numerals_have_their_holes() -> None:
    holes = {digit: len(digit_outline(digit, Typeface())[0]) - 1 for digit in "0123456789"}
    assert holes == {"0": 1, "1": 0, "2": 0, "3": 0, "4": 1, "5": 0, "6": 1, "7": 0, "8": 2, "9": 1}


def test_numbers_are_centred() -> None:
    canvas = Canvas(40, 20)
    with canvas.at(20, 10):
        draw_number(canvas, "10", 12, Typeface(), (0, 0, 0))
    alpha = canvas.to_pixels(10)[..., 3]
    columns = np.flatnonzero(alpha.any(axis=0))
    assert (columns[0] + columns[-1]) / 2 == pytest.approx(200, abs=12)


def test_no_numeral_for_a_letter() -> None:
    with pytest.raises(ValueError, match="no numeral"):
        digit_outline("x", Typeface())
