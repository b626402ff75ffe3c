"""The loom reader: what follows the networks on exact maps, the whole reader on drawn tables, and bad input."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.loom_facts import random_loom
from datasets.art.loom_render import render_loom
from datasets.art.loom_style import loom_style
from datasets.loom_scenes import loom_table
from datasets.loom_views import View, compose
from datasets.matching import corner_error, loom_hits, match
from datasets.played import play
from datasets.scene import label_stage
from datasets.simcam import Film
from vision import onnx
from vision.looms import LoomWatcher, read_looms
from vision.looms.colors import by_reference, shades_of
from vision.looms.cords import Cord, read_cords
from vision.looms.diagonals import diagonals
from vision.looms.dyes import name_together
from vision.looms.edges import board_corners, board_edges
from vision.looms.find import Found, fit_quad
from vision.looms.lattice import Lattice, fit_lattice, peaks
from vision.looms.problems import problems_of
from vision.looms.shapes import COLORS, apply, board_square, homography
from vision.looms.sureness import is_there, sure_crossing

SIZE = 192  # of the reader's maps
QUAD = np.array([[60, 50], [330, 80], [350, 340], [40, 320]], np.float32)
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def _view(facts: dict, seed: int = 3, cover: float = 0.0) -> View:
    style = loom_style(seed, "card_panel")
    loom = render_loom(facts, style, 30 / style.pitch_mm, seed)
    table = np.full((400, 400, 3), 120, np.uint8)
    return compose([(loom, facts)], [QUAD], table, np.random.default_rng(seed), cover)


class Exact:
    """The maps that a perfect network would give for a view rectified by corners that are `slip` pixels off."""

    def __init__(self, view: View, slip: float = 3.0) -> None:
        guess = view.corners[0] + np.random.default_rng(1).normal(0, slip, (4, 2))
        self.half = homography(guess, board_square() * (SIZE / 384))
        maps = (view.board, view.axis, view.dye)
        board, axis, dye = (cv2.warpPerspective(m, self.half, (SIZE, SIZE), flags=cv2.INTER_NEAREST) for m in maps)
        self.board = board.astype(np.float32)
        self.axes = np.stack([axis == k for k in range(4)]).astype(np.float32)
        self.dyes = np.stack([dye == k + 1 for k in range(5)]).astype(np.float32) * 0.95 + 0.01
        self.picture = cv2.warpPerspective(view.image, self.half, (SIZE, SIZE)).astype(np.float32)
        self.seen = np.ones((SIZE, SIZE), np.float32)
        yy, xx = np.mgrid[0:SIZE, 0:SIZE]
        self.ends = {}
        for wanted in "hv":
            heat = np.zeros((SIZE, SIZE), np.float32)
            for axis_name, _, x, y in view.ends:
                if axis_name == wanted:
                    px, py = apply(self.half, np.array([[x, y]]))[0]
                    heat = np.maximum(heat, np.exp(-((xx - px) ** 2 + (yy - py) ** 2) / 5.0))
            self.ends[wanted] = peaks(heat.astype(np.float32))

    def lattice(self) -> Lattice:
        lattice = fit_lattice(self.ends, SIZE)
        assert lattice is not None
        return lattice

    def cords(self) -> list[Cord]:
        return read_cords(self.axes, self.dyes, self.picture, self.seen * self.board, self.lattice())

    def held(self) -> dict[tuple[str, int], str]:
        return {(c.axis, c.lane): COLORS[int(np.argmax(c.dyes))] for c in self.cords() if c.held}

    def problems(self) -> list[dict]:
        cords = self.cords()
        return [*problems_of(cords), *diagonals(cords, self.axes, self.dyes, self.picture, self.lattice())]


def _cords(facts: dict) -> dict[tuple[str, int], str]:
    return {(c["axis"], c["lane"]): c["color"] for c in facts["cords"]}


@pytest.mark.parametrize("lanes", [5, 6, 7, 8, 9, 10, 12])
@pytest.mark.parametrize("cords", [0, 4, 10])
def test_lanes_are_counted_and_corners_found(lanes: int, cords: int) -> None:
    facts = random_loom(lanes * 31 + cords, lanes, cords)
    exact = Exact(_view(facts))
    lattice = exact.lattice()
    assert lattice.lanes == lanes
    assert lattice.sureness > 0.95
    lines = board_edges(exact.board, exact.seen, lattice.to_picture, lanes)
    corners = board_corners(lines, lanes, lattice.end_at + 0.7)
    found = apply(np.linalg.inv(exact.half) @ lattice.to_picture, corners)
    assert np.linalg.norm(found - QUAD, axis=1).mean() < 0.015 * 290
    assert exact.held() == _cords(facts)
    assert exact.problems() == []


def test_missing_and_false_ends_do_not_change_the_count() -> None:
    exact = Exact(_view(random_loom(4, 8, 6)))
    rng = np.random.default_rng(5)
    for _ in range(10):
        ends = {axis: found[rng.random(len(found)) > 0.08] for axis, found in exact.ends.items()}
        false = [[rng.uniform(60, 130), rng.uniform(60, 130), 0.3]]  # in the middle of the board, where no end can be
        ends["v"] = np.concatenate([ends["v"], false])
        lattice = fit_lattice(ends, SIZE)
        assert lattice is not None
        assert lattice.lanes == 8
        assert np.allclose(
            apply(lattice.to_picture, np.array([[0, 0], [7, 7]])),
            apply(exact.lattice().to_picture, np.array([[0, 0], [7, 7]])),
            atol=2.5,
        )


def test_a_hidden_outer_lane_is_still_counted() -> None:
    exact = Exact(_view(random_loom(4, 8, 6)))
    ends = dict(exact.ends)
    top = ends["v"][:, 1] < SIZE / 2
    outermost = np.argmax(np.where(top, ends["v"][:, 0], -1))
    ends["v"] = np.delete(ends["v"], outermost, axis=0)  # a hand over one corner
    lattice = fit_lattice(ends, SIZE)
    assert lattice is not None
    assert lattice.lanes == 8
    assert lattice.agreed == 0.75
    assert np.allclose(
        apply(lattice.to_picture, np.array([[0, 0], [7, 7]])),
        apply(exact.lattice().to_picture, np.array([[0, 0], [7, 7]])),
        atol=2.5,
    )


def test_noise_is_no_lattice() -> None:
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(20):
        ends = {a: np.column_stack([rng.uniform(0, SIZE, (14, 2)), rng.uniform(0.3, 0.6, 14)]) for a in "hv"}
        lattice = fit_lattice(ends, SIZE)
        found += lattice is not None and lattice.sureness > 0.7
    assert found == 0
    assert fit_lattice({"h": np.zeros((0, 3)), "v": np.zeros((0, 3))}, SIZE) is None


def test_a_slack_cord_is_reported_and_not_read_into_the_next_lane() -> None:
    facts = {"lanes": 8, "crossings": [], "cords": [{"axis": "v", "lane": 3, "color": "azul", "slack": 0.65}]}
    exact = Exact(_view(facts))
    assert exact.held() == {("v", 3): "azul"}
    (problem,) = exact.problems()
    assert (problem["code"], problem["axis"], problem["lane"]) == ("slack", "v", 3)
    assert problem["by"] > 0.4


def test_two_cords_in_one_lane_are_reported_with_both_colours() -> None:
    cords = [{"axis": "h", "lane": k, "color": "azul"} for k in (1, 5)]
    cords += [{"axis": "h", "lane": 3, "color": c, "offset": o} for c, o in (("rojo", -0.17), ("celeste", 0.17))]
    exact = Exact(_view({"lanes": 8, "crossings": [], "cords": cords}))
    (problem,) = exact.problems()
    assert (problem["code"], problem["axis"], problem["lane"]) == ("doubled", "h", 3)
    assert sorted(problem["colors"]) == ["celeste", "rojo"]


def test_a_diagonal_cord_is_reported_with_its_ends() -> None:
    facts = {
        "lanes": 8, "crossings": [], "cords": [{"axis": "v", "lane": 0, "color": "rojo"}],
        "strays": [{"from": 2, "to": 6, "axis": "v", "color": "morado"}],
    }  # fmt: skip
    exact = Exact(_view(facts))
    assert exact.held() == {("v", 0): "rojo"}
    (problem,) = exact.problems()
    assert problem["code"] == "diagonal"
    columns = sorted(problem[key][0] for key in ("from", "to"))
    assert columns == pytest.approx([2, 6], abs=0.4)


# -- colours -----------------------------------------------------------------------------------------------------


def _rgb(*rows: tuple[int, int, int]) -> np.ndarray:
    return np.array(rows, float)[:, ::-1]


def test_cords_that_look_alike_get_one_name() -> None:
    shades = _rgb((200, 30, 40), (205, 33, 41), (198, 28, 44), (60, 90, 200))
    tints = np.full((4, 5), 0.05)
    tints[0, 0] = tints[1, 0] = 0.8
    tints[2, 4], tints[2, 0] = 0.5, 0.35  # one of three reds was taken for purple
    tints[3, 3] = 0.8
    settled = name_together(tints / tints.sum(axis=1, keepdims=True), shades)
    assert [COLORS[k] for k in settled.argmax(axis=1)] == ["rojo", "rojo", "rojo", "azul"]


def test_cords_that_look_different_get_two_names() -> None:
    shades = _rgb((180, 215, 230), (182, 214, 231), (95, 105, 190))
    tints = np.array([[0.01, 0.02, 0.94, 0.02, 0.01]] * 2 + [[0.01, 0.02, 0.87, 0.09, 0.01]])
    settled = name_together(tints, shades)
    assert [COLORS[k] for k in settled.argmax(axis=1)] == ["celeste", "celeste", "azul"]
    assert settled[2].max() > 0.6


def test_in_weak_light_the_network_tells_like_shades_apart() -> None:
    shades = _rgb((63, 54, 88), (33, 62, 96), (63, 53, 87), (33, 63, 99), (173, 103, 122))
    tints = np.eye(5)[[4, 3, 4, 3, 1]] * 0.98 + 0.004
    settled = name_together(tints, shades)
    assert [COLORS[k] for k in settled.argmax(axis=1)] == ["morado", "azul", "morado", "azul", "rosado"]


def test_in_glaring_light_one_dye_may_have_two_shades() -> None:
    shades = _rgb((252, 226, 229), (254, 232, 235), (249, 193, 197), (250, 6, 19), (83, 35, 94), (5, 42, 102))
    tints = np.array([[0.0, 0.8, 0.2, 0.0, 0.0], [0.0, 0.82, 0.18, 0.0, 0.0], *np.eye(5)[[1, 0, 4, 3]].tolist()])
    settled = name_together(tints, shades)
    assert [COLORS[k] for k in settled.argmax(axis=1)] == ["rosado", "rosado", "rosado", "rojo", "morado", "azul"]


def test_one_light_falls_on_all_cords() -> None:
    lamp = np.array([1.0, 0.72, 0.6])
    dyes = _rgb((200, 30, 40), (240, 150, 180), (130, 200, 230), (40, 70, 180), (120, 50, 150)) * lamp[::-1]
    settled = name_together(np.full((5, 5), 0.2), dyes)
    assert [COLORS[k] for k in settled.argmax(axis=1)] == list(COLORS)


def test_more_shades_than_there_are_dyes_still_get_names() -> None:
    shades = np.random.default_rng(0).integers(0, 255, (40, 3)).astype(float)
    settled = name_together(np.full((40, 5), 0.2), shades)
    assert settled.shape == (40, 5)
    assert np.allclose(settled.sum(axis=1), 1)


def test_reference_colours_decide_under_a_red_lamp() -> None:
    lamp = np.array([1.0, 0.6, 0.5])
    dyes = {"rojo": (200, 30, 40), "rosado": (240, 150, 180), "celeste": (130, 200, 240), "azul": (40, 60, 190)}
    dyes["morado"] = (120, 40, 150)
    reference = {name: tuple(float(v) for v in np.array(rgb) * lamp) for name, rgb in dyes.items()}
    shades = np.array([reference[name] for name in COLORS])[:, ::-1] * 0.9
    undecided = np.full((5, 5), 0.2)
    settled = by_reference(undecided, shades, reference)  # type: ignore[arg-type]
    assert [COLORS[k] for k in settled.argmax(axis=1)] == list(COLORS)
    assert settled.max(axis=1).min() > 0.7


def test_an_incomplete_reference_leaves_the_other_dyes_open() -> None:
    shades = _rgb((200, 30, 40), (60, 90, 200))
    tints = np.array([[0.3, 0.1, 0.1, 0.1, 0.4], [0.02, 0.02, 0.02, 0.92, 0.02]])
    settled = by_reference(tints, shades, {"rojo": (205.0, 35.0, 40.0)})
    assert [COLORS[k] for k in settled.argmax(axis=1)] == ["rojo", "azul"]


def test_shades_of_a_read_loom_are_a_reference() -> None:
    cords = [{"color": "rojo", "rgb": [200, 30, 40]}, {"color": "rojo", "rgb": [210, 40, 40]}, {"color": "azul"}]
    assert shades_of({"cords": cords}) == {"rojo": (205.0, 35.0, 40.0)}


# -- the board's outline ------------------------------------------------------------------------------------------


def test_a_quad_is_fitted_to_a_mask_with_a_bay() -> None:
    mask = np.zeros((72, 128), np.uint8)
    quad = np.array([[40, 10], [90, 15], [95, 60], [35, 55]])
    cv2.fillPoly(mask, [quad], 1)
    cv2.line(mask, (65, 70), (65, 48), 0, 8)  # a finger
    found = fit_quad(mask)
    assert found is not None
    assert np.linalg.norm(found - quad, axis=1).max() < 2.5


# -- the whole reader ---------------------------------------------------------------------------------------------


def test_drawn_tables_are_read() -> None:
    """Tables as simulated games show them: nothing invented, most boards found and nearly all of them read right."""
    looms = missed = 0
    cords = cords_right = crossings = crossings_right = 0
    for seed in (910_001, 910_002, 910_003, 910_004):
        scene = loom_table(seed, count=1 + seed % 3, hard=0.1, families=("card_panel",))
        result = match(scene.pieces, read_looms(scene.image))
        assert not result.false
        looms, missed = looms + len(scene.pieces), missed + len(result.missed)
        for pair in result.pairs:
            hits = loom_hits(pair.truth.facts, pair.read.facts)
            cords, cords_right = cords + hits.cords, cords_right + hits.cords_right
            crossings, crossings_right = crossings + hits.crossings, crossings_right + hits.crossings_right
            error = corner_error(pair.truth, pair.read)
            assert error is not None
            assert error < 0.02
    assert missed <= 0.2 * looms
    assert cords_right >= 0.95 * cords
    assert crossings_right >= 0.93 * crossings


def test_a_board_is_found_again_where_it_lay(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = loom_table(910_001, count=2, hard=0.1, families=("card_panel",))
    watcher = LoomWatcher()
    first = watcher(scene.image)
    assert len(first) == 2
    monkeypatch.setattr("vision.looms.search.find_boards", lambda image: [])
    for before, after in zip(first, watcher(scene.image), strict=True):
        hits = loom_hits(before.facts, after.facts)
        assert (hits.cords_right, hits.crossings_right) == (hits.cords, hits.crossings)
    assert watcher(np.full_like(scene.image, 90)) == []
    assert len(watcher(scene.image)) == 2, "a board that was hidden for a moment"


def test_what_a_busy_cloth_hides_from_one_look_the_next_ones_find(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = loom_table(910_001, count=2, hard=0.1, families=("card_panel",))
    boards = [np.array(piece.corners, np.float32) for piece in scene.pieces]
    spots = [np.array([[x, 5], [x + 60, 5], [x + 60, 65], [x, 65]], np.float32) for x in range(5, 400, 70)]
    places = [[Found(quad, 1.0) for quad in (q, q + 6, q - 4)] for q in spots] + [[Found(q, 1.0)] for q in boards]
    monkeypatch.setattr("vision.looms.search.find_boards", lambda image: places)
    monkeypatch.setattr("vision.looms.search.nested_last", lambda found: found)
    watcher = LoomWatcher()
    counts = [len(watcher(scene.image)) for _ in range(6)]
    assert counts[0] == 0, "the first look spends itself on the cloth"
    assert counts[-1] == 2


def _at_rest(film: Film, number: int) -> np.ndarray:
    return film.picture(math.ceil((film.rest_of(number)[0] + 0.5) * film.fps))


def test_neither_a_shadow_nor_a_strip_of_the_panel_beside_a_cord_is_a_second_one() -> None:
    played = play("trama", 1_190_200)
    film = Film(played)
    numbers = [number for number, step in enumerate(played.steps, 1) if step.seen and step.move]
    for number in numbers[2:5]:
        found = read_looms(_at_rest(film, number))
        assert len(found) == 2
        assert [p for loom in found for p in loom.facts["problems"] if p["code"] == "doubled"] == []


@pytest.mark.parametrize("seed", [1_192_000, 1_192_005, 1_192_008, 1_192_018])
def test_two_drawn_cords_in_one_lane_are_read_as_two(seed: int) -> None:
    played = play("trama", seed, illegal="lane_occupied", short=True)
    film = Film(played)
    number = next(n for n, step in enumerate(played.steps, 1) if step.illegal)
    truth = [p for loom in label_stage(film.stage(number)) for p in loom.facts.get("problems", ())]
    found = [p for loom in read_looms(_at_rest(film, number)) for p in loom.facts["problems"]]
    doubled = [(p["axis"], p["lane"], sorted(p["colors"])) for p in found if p["code"] == "doubled"]
    assert doubled == [(p["axis"], p["lane"], sorted(p["colors"])) for p in truth]


def test_a_steep_diagonal_between_other_cords_is_read_as_one() -> None:
    played = play("trama", 1_000_601, illegal="diagonal", short=True)
    film = Film(played)
    number = next(n for n, step in enumerate(played.steps, 1) if step.illegal)
    truth = [loom for loom in label_stage(film.stage(number)) if loom.facts.get("problems")]
    looms = read_looms(_at_rest(film, number))
    found = [p for loom in looms for p in loom.facts["problems"] if p["code"] == "diagonal"]
    assert len(found) == len(truth) == 1
    (wanted,) = truth[0].facts["problems"]
    assert [round(found[0][end][0]) for end in ("from", "to")] == [round(wanted[end][0]) for end in ("from", "to")]
    assert found[0]["color"] == wanted["color"]


def test_a_sure_reading_is_surer_than_its_parts_say_and_a_hesitant_one_less() -> None:
    assert sure_crossing(0.5) == 0.5
    assert sure_crossing(0.3) == pytest.approx(sure_crossing(0.7))
    assert sure_crossing(0.6) < 0.65
    assert sure_crossing(0.95) > 0.98
    assert is_there(0.9) > 0.999
    assert is_there(0.05) < 0.001


@pytest.mark.parametrize("shape", [(1, 1, 3), (31, 400, 3), (720, 1280, 3), (33, 900, 3), (900, 40, 3)])
def test_an_empty_picture_has_no_looms(shape: tuple[int, int, int]) -> None:
    assert read_looms(np.full(shape, 90, np.uint8)) == []


def test_noise_has_no_looms() -> None:
    assert read_looms(np.random.default_rng(0).integers(0, 255, (480, 640, 3), dtype=np.uint8)) == []


def test_some_backgrounds_have_no_looms() -> None:
    folder = DATA / "backgrounds"
    if not folder.is_dir():
        pytest.skip(f"no photographs of empty tables at {folder}")
    for path in sorted(folder.glob("*.jpg"))[::12]:
        image = cv2.imread(str(path))
        assert image is not None
        assert read_looms(image) == [], path.name


def test_the_networks_are_there() -> None:
    for name in ("looms_find", "looms_read", "looms_cross"):
        assert onnx.load(name).name == name
