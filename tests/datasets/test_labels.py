"""Labels read strictly, with errors that say where, and written so that they read back the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datasets.labels import LabelError, PieceLabel, SceneLabels, load, port, save, walk

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]
LOOM = {"kind": "loom", "lanes": 8, "corners": SQUARE, "cords": [], "crossings": []}
CORD = {"axis": "v", "lane": 0, "color": "rojo"}


@pytest.mark.parametrize(
    "piece",
    [
        {"kind": "tile", "label": "0-3-5", "corners": [[0, 0], [10.5, 0], [5, 9]]},
        {"kind": "card", "label": "12-oros", "corners": SQUARE, "box": [0, 0, 10, 4], "visible": 0.4},
        {"kind": "card", "label": "comodin", "box": [0, 0, 10, 4], "uncertain": True},
        {"kind": "card", "label": "card", "box": [0, 0, 10, 4]},
        {"kind": "back", "corners": SQUARE},
        {
            **LOOM,
            "grid": SQUARE,
            "cords": [CORD, {"axis": "h", "lane": 2, "color": "azul"}],
            "crossings": [{"h": 2, "v": 0, "top": "h"}],
        },
        {
            "kind": "circuit_card",
            "corners": SQUARE,
            "cell": [1, 2],
            "lines": [{"color": "green", "ports": ["N", ["E", 0.33]]}],
        },
    ],
)
def test_round_trip(piece, tmp_path):
    labels = SceneLabels.from_json({"image": "x.jpg", "game": "truco", "deck": "mine", "pieces": [piece]})
    save(labels, tmp_path / "x.json")
    assert load(tmp_path / "x.json") == labels
    assert json.loads((tmp_path / "x.json").read_text())["pieces"][0].keys() == piece.keys()


@pytest.mark.parametrize(
    ("piece", "complaint"),
    [
        ([], "expected an object"),
        ({"kind": "domino", "corners": SQUARE}, "kind 'domino'"),
        ({"kind": "card", "label": "13-oros", "corners": SQUARE}, "no card"),
        ({"kind": "card", "label": "", "corners": SQUARE}, "no card"),
        ({"kind": "tile", "label": "0-3-6", "corners": SQUARE[:3]}, "no tile"),
        ({"kind": "tile", "label": "0-3-5", "corners": SQUARE}, "3 points"),
        ({"kind": "card", "label": "1-oros"}, "neither corners nor box"),
        ({"kind": "card", "label": "1-oros", "box": [0, 0, -1, 4]}, "ends before"),
        ({"kind": "card", "label": "1-oros", "box": [0, 0, float("nan"), 4]}, "not \\[x1"),
        ({"kind": "card", "label": "1-oros", "corners": [*SQUARE[:3], [1, True]]}, "not a point"),
        ({"kind": "back", "corners": SQUARE, "visible": 1.5}, "no fraction"),
        ({"kind": "back", "corners": SQUARE, "uncertain": 1}, "neither true nor false"),
        ({**LOOM, "lanes": 0}, "no count of lanes"),
        ({**LOOM, "cords": [{**CORD, "lane": 8}]}, "lane below 8"),
        ({**LOOM, "cords": [CORD, CORD]}, "two cords in lane v0"),
        ({**LOOM, "cords": [CORD], "crossings": [{"h": 1, "v": 0, "top": "h"}]}, "no two cords cross"),
        ({"kind": "circuit_card", "corners": SQUARE}, "needs the list lines"),
        ({"kind": "circuit_card", "corners": SQUARE, "lines": [{"color": "green", "ports": ["N", "Q"]}]}, "port 'Q'"),
    ],
)
def test_errors_say_where(piece, complaint):
    with pytest.raises(LabelError, match=f"labels: piece 0.*{complaint}"):
        SceneLabels.from_json({"image": "x.jpg", "game": "truco", "pieces": [piece]})


@pytest.mark.parametrize(
    "scene",
    [
        [],
        {"image": "../x.jpg", "game": "truco", "pieces": []},
        {"image": "x.jpg", "game": "poker", "pieces": []},
        {"image": "x.jpg", "game": "truco", "pieces": {}},
    ],
)
def test_scene_errors(scene):
    with pytest.raises(LabelError):
        SceneLabels.from_json(scene)


def test_walk_finds_images_and_passes_over_other_json(tmp_path):
    save(SceneLabels("x.jpg", "truco"), tmp_path / "x.json")
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(LabelError, match="is not there"):
        list(walk(tmp_path))
    (tmp_path / "x.jpg").write_bytes(b"")
    assert [path.name for path, _ in walk(tmp_path)] == ["x.jpg"]
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(LabelError, match=r"broken\.json"):
        list(walk(tmp_path))


def test_ports_and_sizes():
    assert port("N") == ("N", 0.5)
    assert port(["W", 0.25]) == ("W", 0.25)
    piece = PieceLabel.from_json({"kind": "card", "label": "1-oros", "box": [0, 0, 4, 9]})
    assert (piece.size, piece.centre) == (6.0, (2.0, 4.5))


def test_shared_labels_read():
    data = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not data.is_dir():
        pytest.skip("the shared photographs are not on this machine")
    assert sum(1 for _ in walk(data / "photos")) > 400
    assert sum(1 for _ in walk(data / "renders")) > 50
