"""Drawn looms: facts that can be woven, pixels that show them, and labels that fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.art.loom_facts import COLORS, random_loom
from datasets.art.loom_style import DYES, FAMILIES, TEST_FAMILIES, TRAIN_FAMILIES, hsv, loom_style
from datasets.art.looms import loom_sprite, render_loom
from datasets.loom_scenes import loom_table, main, whole_style
from datasets.loom_views import spoiled_loom


@pytest.mark.parametrize("lanes", [4, 6, 8, 10])
@pytest.mark.parametrize("manner", ["over", "alternate", "random"])
def test_every_pair_of_cords_crosses_once(lanes: int, manner: str) -> None:
    facts = random_loom(5, lanes, lanes, manner)
    rows = {c["lane"] for c in facts["cords"] if c["axis"] == "h"}
    columns = {c["lane"] for c in facts["cords"] if c["axis"] == "v"}
    assert len(rows) + len(columns) == lanes  # no lane twice
    spots = [(c["h"], c["v"]) for c in facts["crossings"]]
    assert sorted(spots) == sorted((h, v) for h in rows for v in columns)
    assert {c["color"] for c in facts["cords"]} <= set(COLORS)


def test_more_cords_than_lanes_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        random_loom(1, 6, 13)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_cord_on_top_is_the_one_that_is_seen(family: str) -> None:
    facts = {
        "lanes": 6,
        "cords": [
            {"axis": "h", "lane": 2, "color": "rojo"},
            {"axis": "v", "lane": 1, "color": "azul"},
            {"axis": "v", "lane": 4, "color": "azul"},
        ],
        "crossings": [{"h": 2, "v": 1, "top": "h"}, {"h": 2, "v": 4, "top": "v"}],
    }
    style = loom_style(12, family)
    loom = render_loom(facts, style, 30 / style.pitch_mm, 1)
    step = (loom.grid[2] - loom.grid[0]) / 5
    for crossing in facts["crossings"]:
        x, y = loom.grid[0] + step * [crossing["v"], crossing["h"]]
        spot = loom.axis[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2]
        assert np.median(spot) == {"h": 1, "v": 2}[crossing["top"]]


def test_the_ends_lie_on_the_lanes() -> None:
    style = loom_style(3, "card_panel")
    loom = render_loom(random_loom(2, 8, 4), style, 3.0)
    assert len(loom.ends) == 4 * 8
    step = (loom.grid[2] - loom.grid[0])[0] / 7
    for axis, lane, x, y in loom.ends:
        across = (x - loom.grid[0][0]) if axis == "v" else (y - loom.grid[0][1])
        assert across / step == pytest.approx(lane, abs=0.05)


def test_dyes_keep_their_order_of_hue_and_families_their_split() -> None:
    assert not set(TRAIN_FAMILIES) & set(TEST_FAMILIES)
    for name, (_, saturation, value) in DYES.items():
        assert saturation[0] < saturation[1], name
        assert value[0] < value[1], name
    assert hsv(360, 1, 1) == hsv(0, 1, 1) == (1.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="no loom style"):
        loom_style(1, "marble")


def test_same_seed_same_pixels() -> None:
    a, b = (loom_sprite(random_loom(7), 7, 2.0) for _ in range(2))
    assert np.array_equal(a.image, b.image)
    assert loom_style(8) != loom_style(9)


def test_spoiled_looms_are_rare_but_there() -> None:
    looms = [spoiled_loom(seed, 8) for seed in range(200)]
    slack = sum(any(c.get("slack") for c in loom["cords"]) for loom in looms)
    double = sum(any(c.get("offset") for c in loom["cords"]) for loom in looms)
    stray = sum("strays" in loom for loom in looms)
    assert min(slack, double, stray) >= 5
    assert slack + double + stray < 100


def test_a_table_of_looms_is_labelled_in_pixels() -> None:
    scene = loom_table(930_001, count=2, hard=0.1)
    assert [piece.kind for piece in scene.pieces] == ["loom", "loom"]
    for piece in scene.pieces:
        corners, grid = np.array(piece.corners), np.array(piece.facts["grid"])
        middle = corners.mean(axis=0)
        assert np.linalg.norm(grid.mean(axis=0) - middle) < 0.06 * np.linalg.norm(corners[0] - corners[2])
        # the lane square lies inside the board, each of its corners on the way to the board's
        shrink = np.linalg.norm(grid - middle, axis=1) / np.linalg.norm(corners - middle, axis=1)
        assert (shrink > 0.5).all()
        assert (shrink < 1).all()
        assert not piece.uncertain
    assert not whole_style(5).window


def test_the_command_writes_a_labelled_folder(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--count", "1", "--seed", "930100"]) == 0
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".jpg", ".json"]
