"""The layouts that ultralytics trains on, number by number."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.convert import convert, split_for
from datasets.labels import LabelError, PieceLabel, SceneLabels, save
from service.cli import main

CARD = ((100.0, 50.0), (200.0, 50.0), (200.0, 200.0), (100.0, 200.0))
TILE = ((300.0, 100.0), (350.0, 186.6), (250.0, 186.6))


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    image = np.zeros((250, 400, 3), np.uint8)
    cv2.rectangle(image, (100, 50), (199, 199), (255, 255, 255), -1)
    pieces = (
        PieceLabel("card", "7-copas", CARD, (100, 50, 200, 200), 1.0),
        PieceLabel("card", "2-oros", tuple((x + 150, y) for x, y in CARD), (250, 50, 260, 200), 0.1, True),
        PieceLabel("tile", "0-3-5", TILE),
        PieceLabel("card", "3-oros", (), (0, 0, 40, 50)),
    )
    for name in ("a", "b"):
        cv2.imwrite(str(data / f"{name}.png"), image)
        save(SceneLabels(f"{name}.png", "truco", pieces), data / f"{name}.json")
    return data


def rows(out, split="train", name="a"):
    lines = (out / "labels" / split / f"{name}.txt").read_text().splitlines()
    return [[float(v) for v in line.split()] for line in lines]


def test_detect_has_a_box_per_piece_that_can_be_seen(folder, tmp_path) -> None:
    out = tmp_path / "out"
    assert convert(folder, out, "detect", validate=0.0) == {"train": 2, "val": 0, "pieces": 6}
    assert rows(out) == [
        [0, 150 / 400, 125 / 250, 100 / 400, 150 / 250],
        pytest.approx([1, 300 / 400, 143.3 / 250, 100 / 400, 86.6 / 250], abs=1e-5),
        [0, 20 / 400, 25 / 250, 40 / 400, 50 / 250],
    ]
    assert (out / "images" / "train" / "a.png").read_bytes() == (folder / "a.png").read_bytes()
    yaml = (out / "data.yaml").read_text()
    assert 'names:\n  0: "card"\n  1: "tile"\n' in yaml


def test_classes_may_be_labels(folder, tmp_path) -> None:
    convert(folder, tmp_path / "out", "detect", by="label", validate=0.0)
    yaml = (tmp_path / "out" / "data.yaml").read_text()
    assert 'names:\n  0: "0-3-5"\n  1: "3-oros"\n  2: "7-copas"\n' in yaml
    assert [row[0] for row in rows(tmp_path / "out")] == [2, 0, 1]


def test_obb_has_four_corners_of_everything(folder, tmp_path) -> None:
    convert(folder, tmp_path / "out", "obb", validate=0.0)
    card, tile, box = rows(tmp_path / "out")
    assert card[1:] == [0.25, 0.2, 0.5, 0.2, 0.5, 0.8, 0.25, 0.8]
    assert box[1:] == [0, 0, 0.1, 0, 0.1, 0.2, 0, 0.2]
    around = np.array(tile[1:], np.float32).reshape(4, 2) * (400, 250)
    for corner in TILE:
        assert cv2.pointPolygonTest(around.astype(np.float32), corner, True) > -0.5


def test_pose_has_the_corners_in_order_and_leaves_out_what_has_none(folder, tmp_path) -> None:
    convert(folder, tmp_path / "out", "pose", validate=0.0)
    card, tile = rows(tmp_path / "out")
    assert card[5:] == [0.25, 0.2, 2, 0.5, 0.2, 2, 0.5, 0.8, 2, 0.25, 0.8, 2]
    assert tile[5:8] == [0.75, 0.4, 2]
    assert tile[-3:] == [0, 0, 0]
    assert "kpt_shape: [4, 3]" in (tmp_path / "out" / "data.yaml").read_text()


def test_classify_cuts_upright_crops_into_folders(folder, tmp_path) -> None:
    out = tmp_path / "out"
    assert convert(folder, out, "classify", validate=0.0)["pieces"] == 6
    assert sorted(p.name for p in (out / "train").iterdir()) == ["0-3-5", "3-oros", "7-copas"]
    crop = cv2.imread(str(out / "train" / "7-copas" / "a_00.jpg"))
    assert crop.shape == (192, 128, 3)
    assert crop[5:-5, 5:-5].min() > 240


def test_an_image_stays_in_its_split() -> None:
    names = [f"scene_{i}.jpg" for i in range(2000)]
    before = {name: split_for(name, 0.1) for name in names}
    assert 120 < list(before.values()).count("val") < 280
    assert before == {name: split_for(name, 0.1) for name in reversed(names)}
    assert {split_for(name, 0.0) for name in names} == {"train"}


def test_what_is_wrong_is_said(folder, tmp_path, capsys) -> None:
    with pytest.raises(ValueError, match="none of"):
        convert(folder, tmp_path / "out", "voc")
    with pytest.raises(LabelError, match="no labelled"):
        convert(tmp_path / "nothing", tmp_path / "out", "detect")
    assert main(["convert", str(tmp_path / "none"), "--to", "obb", "-o", str(tmp_path / "x")]) == 1
    assert "is not a folder" in capsys.readouterr().err


def test_generate_and_convert_from_the_command_line(tmp_path, capsys) -> None:
    scenes, out = tmp_path / "scenes", tmp_path / "out"
    arguments = ["--family", "circuits", "-n", "2", "--seed", "3", "--size", "320x200", "-o", str(scenes)]
    assert main(["generate", *arguments]) == 0
    assert "2 scenes" in capsys.readouterr().out
    assert len(list(scenes.glob("circuits_*.json"))) == 2
    assert main(["convert", str(scenes), "--to", "pose", "-o", str(out), "--validate", "0"]) == 0
    assert "2 images to train on, 0 to validate with" in capsys.readouterr().out
    assert len(list((out / "labels" / "train").iterdir())) == 2
    assert main(["generate", "--family", "tiles", "--size", "wide", "-o", str(scenes)]) == 1
    assert main(["generate", "--family", "tiles", "--decks", str(tmp_path / "no"), "-n", "1", "-o", str(out)]) == 1
