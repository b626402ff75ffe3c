"""The harness on drawn folders: perfect labels are 100 %, and damage done by a seed costs exactly what was done."""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace

import cv2
import pytest

from datasets import evaluate as harness
from datasets.generate import generate
from datasets.labels import walk
from vision.state import Piece, TableState

FAMILIES = ("tiles", "cards", "looms", "circuits")
OTHER = {"rojo": "azul", "azul": "rojo", "rosado": "rojo", "celeste": "rojo", "morado": "rojo"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("drawn")
    for family in FAMILIES:
        generate(family, root / family, 4, 30, size=(320, 180))
    return root


@pytest.fixture(scope="module")
def truths(folder):
    """By the picture's bytes, what a perfect reader says."""
    found = {}
    for path, labels in walk(folder):
        found[cv2.imread(str(path)).tobytes()] = [p.to_piece(0.97) for p in labels.pieces if not p.uncertain]
    return found


def parse(*words):
    parser = argparse.ArgumentParser()
    harness.add_arguments(parser)
    return parser.parse_args([str(w) for w in words])


def measured(folder, truths, damage, capsys, *more):
    def reader(image, game):
        return TableState(0.0, tuple(damage(truths[image.tobytes()])), (320, 180), timing={"read": 5.0, "total": 7.0})

    assert harness.run(parse(folder, "--json", *more), lambda: reader) == 0
    return json.loads(capsys.readouterr().out)


def pieces_of(truths, *kinds):
    return [p for pieces in truths.values() for p in pieces if p.kind in kinds]


def test_perfect_labels_score_everything(folder, truths, capsys) -> None:
    report = measured(folder, truths, list, capsys)
    assert report["scenes"] == 4 * len(FAMILIES)
    assert report["exact_scenes"]["rate"] == 1.0
    for kind, figures in report["kinds"].items():
        assert figures["pieces"] == len(pieces_of(truths, kind)), kind
        for name in ("located", "recall", "precision"):
            assert figures[name]["rate"] == 1.0, (kind, name)
        assert figures["corner_error_percent"] == pytest.approx(0.0, abs=1e-6)
    assert report["wrong_when_sure"]["hits"] == 0
    assert report["confusions"] == []
    assert report["timing_ms"]["read"] == {"p50": 5.0, "p95": 5.0}
    assert "total" in report["timing_ms"]
    low, high = harness.wilson(16, 16)
    assert (report["exact_scenes"]["low"], report["exact_scenes"]["high"]) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_missed_pieces_cost_recall_and_location_only(folder, truths, capsys, seed) -> None:
    chance = random.Random(seed)
    lost = {id(p) for p in pieces_of(truths, "card", "tile", "circuit_card") if chance.random() < 0.2}
    report = measured(folder, truths, lambda ps: [p for p in ps if id(p) not in lost], capsys)
    for kind in ("card", "tile", "circuit_card"):
        own = pieces_of(truths, kind)
        gone = sum(id(p) in lost for p in own)
        figures = report["kinds"][kind]
        assert figures["recall"]["hits"] == figures["located"]["hits"] == len(own) - gone
        assert figures["precision"]["hits"] == figures["precision"]["of"] == len(own) - gone
    hurt = sum(any(id(p) in lost for p in pieces) for pieces in truths.values())
    assert report["exact_scenes"]["hits"] == 4 * len(FAMILIES) - hurt
    assert sum(c["count"] for c in report["confusions"]) == len(lost)
    assert all(c["read"] == "nothing" for c in report["confusions"])


@pytest.mark.parametrize("seed", [4, 5])
def test_misread_cards_are_confusions_and_count_as_wrong_when_sure(folder, truths, capsys, seed) -> None:
    chance = random.Random(seed)
    cards = pieces_of(truths, "card")
    wrong = {id(p) for p in cards if chance.random() < 0.4 and p.label != "8-bastos"}

    def damage(pieces):
        return [replace(p, label="8-bastos") if id(p) in wrong else p for p in pieces]

    report = measured(folder, truths, damage, capsys)
    figures = report["kinds"]["card"]
    assert figures["located"]["rate"] == 1.0
    assert figures["recall"]["hits"] == len(cards) - len(wrong)
    assert figures["precision"]["hits"] == len(cards) - len(wrong)
    assert report["wrong_when_sure"]["hits"] == len(wrong)
    assert {c["read"] for c in report["confusions"]} == {"8-bastos"}
    every = sum(len(pieces) for pieces in truths.values())
    right = 1 - len(wrong) / every
    assert report["calibration"]["error"] == pytest.approx(abs(0.97 - right))


def test_false_alarms_cost_precision_only(folder, truths, capsys) -> None:
    ghost = Piece("tile", "1-2-3", ((-900.0, -900.0), (-880.0, -900.0), (-890.0, -880.0)), 0.5)
    report = measured(folder, truths, lambda pieces: [*pieces, ghost], capsys)
    tiles = len(pieces_of(truths, "tile"))
    assert report["kinds"]["tile"]["recall"]["rate"] == 1.0
    assert report["kinds"]["tile"]["precision"]["hits"] == tiles
    assert report["kinds"]["tile"]["precision"]["of"] == tiles + len(truths)
    assert report["exact_scenes"]["hits"] == 0


def test_one_cord_and_one_crossing_cost_just_that(folder, truths, capsys) -> None:
    looms = [p for p in pieces_of(truths, "loom") if p.facts["crossings"]]
    victim = id(looms[0])

    def damage(pieces):
        out = []
        for p in pieces:
            if id(p) != victim:
                out.append(p)
                continue
            cord, *cords = p.facts["cords"]
            crossing, *crossings = p.facts["crossings"]
            flipped = {**crossing, "top": "h" if crossing["top"] == "v" else "v"}
            dyed = {**cord, "color": OTHER[cord["color"]]}
            out.append(replace(p, facts={**p.facts, "cords": [dyed, *cords], "crossings": [flipped, *crossings]}))
        return out

    figures = measured(folder, truths, damage, capsys)["kinds"]["loom"]
    every = pieces_of(truths, "loom")
    assert figures["recall"]["hits"] == len(every) - 1
    assert figures["cords"]["hits"] == sum(len(p.facts["cords"]) for p in every) - 1
    assert figures["crossings"]["hits"] == sum(len(p.facts["crossings"]) for p in every) - 1


def test_turned_readings_are_right(folder, truths, capsys) -> None:
    def damage(pieces):
        out = []
        for p in pieces:
            if p.kind == "tile":
                a, b, c = p.label.split("-")
                out.append(replace(p, label=f"{b}-{c}-{a}", corners=(*p.corners[1:], p.corners[0])))
            else:
                out.append(p)
        return out

    report = measured(folder, truths, damage, capsys)
    assert report["exact_scenes"]["rate"] == 1.0
    assert report["kinds"]["tile"]["right_corners"]["rate"] == 1.0


def test_a_split_is_measured_alone(folder, truths, tmp_path, capsys) -> None:
    table = tmp_path / "places.csv"
    rows = [
        f"{p.parent.name},{p.name},{'validate' if i % 4 == 0 else 'train'}" for i, (p, _) in enumerate(walk(folder))
    ]
    table.write_text("folder,image,split\n" + "\n".join(rows[:-1]) + "\n")
    validate = measured(folder, truths, list, capsys, "--split", "validate", "--places", table)
    train = measured(folder, truths, list, capsys, "--split", "train", "--places", table)
    assert validate["scenes"] == 4
    assert train["scenes"] == 11, "the image that no row names is in no split"
    assert harness.run(parse(folder, "--split", "exam", "--places", table), lambda: None) == 1
    assert "train, validate" in capsys.readouterr().err
    assert harness.run(parse(folder, "--split", "validate"), lambda: None) == 2
    assert "--places" in capsys.readouterr().err
    table.write_text("image,split\na.jpg,train\n")
    assert harness.run(parse(folder, "--split", "train", "--places", table), lambda: None) == 1
    assert "folder" in capsys.readouterr().err


def test_the_worst_scenes_and_the_reliability_figure_are_drawn(folder, truths, tmp_path, capsys) -> None:
    out = tmp_path / "out"
    measured(folder, truths, lambda pieces: pieces[1:], capsys, "--worst", 3, "--out", out)
    names = sorted(p.name for p in out.iterdir())
    assert names[0] == "reliability.png"
    assert [n[:8] for n in names[1:]] == ["worst_01", "worst_02", "worst_03"]
    assert cv2.imread(str(out / names[1])).shape == (180, 320, 3)
    figure = cv2.imread(str(out / "reliability.png"))
    assert figure is not None
    assert len({tuple(c) for c in figure.reshape(-1, 3)[::7]}) > 5
