"""The matching rules, case by case: perfect labels are 100 %, and each damage costs exactly what it should."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets import evaluate as harness
from datasets.labels import PieceLabel, SceneLabels, save
from datasets.matching import circuit_lines, iou, loom_hits, match, turned_tiles
from vision.state import Piece

CARD = ((0.0, 0.0), (60.0, 0.0), (60.0, 90.0), (0.0, 90.0))
TILE = ((50.0, 0.0), (100.0, 86.6), (0.0, 86.6))
LOOM = {
    "lanes": 4,
    "cords": [
        {"axis": "v", "lane": 0, "color": "rojo"},
        {"axis": "h", "lane": 1, "color": "azul"},
        {"axis": "h", "lane": 3, "color": "rosado"},
    ],
    "crossings": [{"h": 1, "v": 0, "top": "h"}, {"h": 3, "v": 0, "top": "v"}],
}
# The same loom with its right upper corner called the first one.
TURNED = {
    "lanes": 4,
    "cords": [
        {"axis": "h", "lane": 3, "color": "rojo"},
        {"axis": "v", "lane": 1, "color": "azul"},
        {"axis": "v", "lane": 3, "color": "rosado"},
    ],
    "crossings": [{"h": 3, "v": 1, "top": "v"}, {"h": 3, "v": 3, "top": "h"}],
}
LINES = [{"color": "green", "ports": ["N", "E"]}, {"color": "pink", "ports": ["S", ["W", 0.25]]}]


def moved(corners, dx=0.0, dy=0.0):
    return tuple((x + dx, y + dy) for x, y in corners)


def shifted(corners, k):
    return tuple(corners[(i + k) % len(corners)] for i in range(len(corners)))


def scene() -> SceneLabels:
    pieces = (
        PieceLabel("card", "7-copas", CARD, (0, 0, 60, 90), 1.0),
        PieceLabel("card", "12-oros", moved(CARD, 200), (200, 0, 260, 90), 1.0),
        PieceLabel("card", "card", (), (400, 0, 460, 90)),
        PieceLabel("card", "3-bastos", moved(CARD, 600), (600, 0, 620, 90), 0.2, True),
        PieceLabel("back", "", moved(CARD, 800)),
        PieceLabel("tile", "0-3-5", moved(TILE, 0, 300)),
        PieceLabel("loom", "", moved(CARD, 200, 300), facts=LOOM),
        PieceLabel("circuit_card", "", moved(CARD, 400, 300), facts={"lines": LINES}),
    )
    return SceneLabels("a.png", "truco", pieces)


def perfect() -> list[Piece]:
    readings = [p.to_piece(0.95) for p in scene().pieces if not p.uncertain]
    return [replace(p, label="2-oros") if p.label == "card" else p for p in readings]


def measure(readings):
    result = harness.Evaluation()
    matching = result.add(Path("a.png"), scene(), readings)
    return result.to_json(), matching


def rates(report, kind):
    f = report["kinds"][kind]
    return tuple(f[name]["hits"] / max(1, f[name]["of"]) for name in ("located", "recall", "precision"))


def test_perfect_labels_are_all_right():
    report, matching = measure(perfect())
    assert matching.exact
    assert report["exact_scenes"]["rate"] == 1.0
    for kind in ("card", "tile", "loom", "circuit_card", "back"):
        assert rates(report, kind) == (1.0, 1.0, 1.0)
        assert report["kinds"][kind]["exact_scenes"]["rate"] == 1.0
    assert report["kinds"]["tile"]["corner_error_percent"] == 0.0
    assert report["kinds"]["tile"]["right_corners"]["rate"] == 1.0
    assert report["kinds"]["loom"]["cords"]["rate"] == 1.0
    assert report["confusions"] == []
    # Seven count, one of them ("some card") says nothing about confidence.
    assert report["wrong_when_sure"] == {**harness.rate(0, 6)}


@pytest.mark.parametrize(
    ("damage", "kind", "expected"),
    [
        (lambda p: p[1:], "card", (2 / 3, 2 / 3, 1.0)),
        (lambda p: [replace(p[0], label="6-copas"), *p[1:]], "card", (1.0, 2 / 3, 2 / 3)),
        (lambda p: [*p, replace(p[0], corners=moved(CARD, 3000), box=None)], "card", (1.0, 1.0, 3 / 4)),
        (lambda p: [*p, p[0]], "card", (1.0, 1.0, 3 / 4)),
        (lambda p: [replace(p[0], kind="back", label=""), *p[1:]], "card", (1.0, 2 / 3, 1.0)),
        (lambda p: [replace(p[0], kind="back", label=""), *p[1:]], "back", (1.0, 1.0, 1 / 2)),
        (lambda p: [replace(q, kind="card", label="1-oros") if q.kind == "back" else q for q in p], "back", (1, 0, 0)),
        (lambda p: [replace(q, label="0-5-3") if q.kind == "tile" else q for q in p], "tile", (1.0, 0.0, 0.0)),
        (lambda p: [replace(q, kind="card", label="1-oros") if q.kind == "tile" else q for q in p], "tile", (0, 0, 0)),
    ],
)
def test_each_damage_costs_what_it_should(damage, kind, expected):
    report, matching = measure(damage(perfect()))
    assert not matching.exact
    assert rates(report, kind) == pytest.approx(expected)


def test_place_limits_are_those_of_the_format():
    truth = PieceLabel("card", "7-copas", CARD)
    limit = 0.3 * truth.size
    near, far = (Piece("card", "7-copas", moved(CARD, d), 1.0) for d in (limit - 0.01, limit + 0.01))
    assert len(match([truth], [near]).pairs) == 1
    assert match([truth], [far]).missed == (truth,)
    boxed = PieceLabel("card", "7-copas", (), (0, 0, 100, 100))
    for shift, found in ((37.9, 1), (38.0, 0)):  # (100 - s) / (100 + s) crosses 0.45 at 37.93
        reading = Piece("card", "7-copas", ((0, 0),) * 4, 1.0, box=(shift, 0, 100 + shift, 100))
        assert len(match([boxed], [reading]).pairs) == found
    assert iou((0, 0, 2, 2), (1, 1, 3, 3)) == pytest.approx(1 / 7)
    assert iou((0, 0, 1, 1), (2, 2, 3, 3)) == 0


def test_uncertain_pieces_count_neither_way():
    base, _ = measure(perfect())
    hidden = scene().pieces[3]
    for label in ("3-bastos", "4-oros"):
        report, matching = measure([*perfect(), replace(hidden.to_piece(0.99), label=label)])
        assert matching.exact
        assert len(matching.ignored) == 1
        assert report == base
    # A reading of what is seen of it is in the place of its box, not of its corners.
    sliver = Piece("card", "9-oros", ((600, 0), (620, 0), (620, 90), (600, 90)), 0.9, box=(600, 0, 620, 90))
    assert measure([*perfect(), sliver])[1].exact


def test_a_reading_right_beats_a_nearer_wrong_one():
    truths = [PieceLabel("card", "7-copas", CARD), PieceLabel("card", "1-oros", moved(CARD, 10))]
    readings = [Piece("card", "7-copas", moved(CARD, 6), 1.0), Piece("card", "1-oros", moved(CARD, 5), 1.0)]
    assert match(truths, readings).exact


def test_tiles_up_to_rotation_with_their_corners():
    assert turned_tiles("0-3-5") == ("0-3-5", "3-5-0", "5-0-3")
    tile = next(p for p in perfect() if p.kind == "tile")
    others = [p for p in perfect() if p.kind != "tile"]
    turned = replace(tile, label="3-5-0", corners=shifted(tile.corners, 1))
    report, matching = measure([*others, turned])
    assert matching.exact
    assert report["kinds"]["tile"]["right_corners"]["rate"] == 1.0
    assert report["kinds"]["tile"]["corner_error_percent"] == pytest.approx(0)
    report, matching = measure([*others, replace(tile, label="3-5-0")])
    assert matching.exact
    assert report["kinds"]["tile"]["right_corners"]["rate"] == 0.0


def test_looms_up_to_four_rotations():
    assert loom_hits(LOOM, TURNED).exact
    assert loom_hits(TURNED, LOOM).exact
    flipped = {**LOOM, "crossings": [{"h": 1, "v": 0, "top": "v"}, LOOM["crossings"][1]]}
    hits = loom_hits(LOOM, flipped)
    assert (hits.exact, hits.cords_right, hits.crossings_right) == (False, 3, 1)
    recoloured = {**LOOM, "cords": [{**LOOM["cords"][0], "color": "morado"}, *LOOM["cords"][1:]]}
    hits = loom_hits(LOOM, recoloured)
    assert (hits.exact, hits.cords_right, hits.crossings_right) == (False, 2, 2)
    mirrored = {**LOOM, "cords": [{**LOOM["cords"][0], "lane": 3}, *LOOM["cords"][1:]], "crossings": []}
    assert not loom_hits(LOOM, mirrored).exact
    assert not loom_hits(LOOM, {**LOOM, "lanes": 6}).exact


def test_a_missed_loom_loses_all_its_cords():
    report, _ = measure([p for p in perfect() if p.kind != "loom"])
    assert report["kinds"]["loom"]["cords"]["hits"] == 0
    assert report["kinds"]["loom"]["cords"]["of"] == 3
    assert report["kinds"]["loom"]["crossings"]["of"] == 2


def test_circuit_cards_by_the_corners_they_are_said_from():
    card = next(p for p in perfect() if p.kind == "circuit_card")
    others = [p for p in perfect() if p.kind != "circuit_card"]
    names = "NESW"

    def said_from(k):
        def side(port):
            s = port if isinstance(port, str) else port[0]
            new = names[(names.index(s) - k) % 4]
            return new if isinstance(port, str) else [new, port[1]]

        return [{"color": li["color"], "ports": [side(p) for p in li["ports"]]} for li in LINES]

    for k in range(4):
        turned = replace(card, corners=shifted(card.corners, k), facts={"lines": said_from(k)})
        assert measure([*others, turned])[1].exact
    # The lines turned but not the corners: that is another card.
    assert not measure([*others, replace(card, facts={"lines": said_from(2)})])[1].exact
    assert circuit_lines([{"color": "green", "ports": ["N", ["E", 0.5]]}]) == circuit_lines(
        [{"color": "green", "ports": ["E", "N"]}]
    )


def test_corner_error_is_a_percentage_of_the_size():
    readings = [replace(p, corners=moved(p.corners, 3, 4)) if p.kind == "tile" else p for p in perfect()]
    size = scene().pieces[5].size
    assert measure(readings)[0]["kinds"]["tile"]["corner_error_percent"] == pytest.approx(100 * 5 / size)


def test_calibration_and_wrong_when_sure():
    readings = perfect()
    readings[0] = replace(readings[0], label="6-copas", confidence=0.91)
    readings[1] = replace(readings[1], label="6-copas", confidence=0.55)
    report, _ = measure(readings)
    assert (report["wrong_when_sure"]["hits"], report["wrong_when_sure"]["of"]) == (1, 5)
    bins = report["calibration"]["bins"]
    assert (bins[5]["count"], bins[5]["right"]) == (1, 0.0)
    assert (bins[9]["count"], bins[9]["right"]) == (5, 0.8)
    top = (0.91 + 4 * 0.95) / 5
    assert report["calibration"]["error"] == pytest.approx((0.55 + 5 * abs(top - 0.8)) / 6)
    assert {(c["truth"], c["read"]) for c in report["confusions"]} == {("7-copas", "6-copas"), ("12-oros", "6-copas")}


def test_wilson():
    assert harness.wilson(0, 0) == (0.0, 1.0)
    low, high = harness.wilson(8, 10)
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert harness.wilson(10, 10)[1] == 1.0


@pytest.fixture
def folder(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), np.full((500, 1000, 3), 200, np.uint8))
    save(scene(), tmp_path / "a.json")
    return tmp_path


def parse(*words):
    parser = argparse.ArgumentParser()
    harness.add_arguments(parser)
    return parser.parse_args([str(w) for w in words])


def test_the_command_measures_and_draws(folder, tmp_path, capsys):
    wrong = [replace(perfect()[0], label="6-copas"), *perfect()[1:]]
    out = tmp_path / "out"
    assert harness.run(parse(folder, "--json", "--worst", 3, "--out", out), lambda: lambda image, game: wrong) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kinds"]["card"]["recall"]["hits"] == 2
    assert sorted(p.name for p in out.iterdir()) == ["reliability.png", "worst_01_a.jpg"]
    overlay = cv2.imread(str(out / "worst_01_a.jpg")).astype(int)
    assert (overlay[..., 2] - overlay[..., 0] > 80).any()  # something red marks the misreading
    assert harness.run(parse(folder), lambda: lambda image, game: perfect()) == 0
    assert "exactly right: 100.0 %" in capsys.readouterr().out


def test_the_command_says_what_is_wrong(tmp_path, folder, capsys):
    (tmp_path / "empty").mkdir()
    assert harness.run(parse(tmp_path / "empty"), lambda: None) == 1
    assert "no labelled images" in capsys.readouterr().err
    assert harness.run(parse(tmp_path / "nowhere"), lambda: None) == 1
    assert harness.run(parse(folder, "--worst", 2), lambda: None) == 2
    (folder / "a.png").write_bytes(b"no picture")
    assert harness.run(parse(folder), lambda: lambda image, game: []) == 1
    assert "a.png" in capsys.readouterr().err
