"""The rewritten detector answers what the exported one does, wherever anybody asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from vision.detector import Detector
from vision.onnx import WEIGHTS, Network

DETECTOR = WEIGHTS / "cards-detector.onnx"


@pytest.fixture(scope="module")
def network() -> Network:
    return Network(DETECTOR, 1)


@pytest.mark.parametrize("size", [(64, 96), (160, 128), (32, 32)])
@pytest.mark.parametrize("share", [0.0, 0.003, 0.05, 0.5])
def test_boxes_are_the_same_wherever_a_class_scores(network: Network, size: tuple[int, int], share: float) -> None:
    """Noise scores everywhere a little, at the picture's edges too: a share of all places is taken as seen."""
    rng = np.random.default_rng(size[0])
    batch = rng.random((1, 3, *size), np.float32)
    whole = network(batch, least=0.0)[0]
    scores = whole[0, 4:].max(0)
    least = float(np.quantile(scores, 1 - share)) if share else 0.99
    (narrow,) = network(batch, least=least)
    assert narrow.shape == whole.shape
    assert np.array_equal(narrow[:, 4:], whole[:, 4:]), "scores are never left out"
    gap = np.abs(narrow - whole)[0].max(0)
    assert gap[scores >= least].max(initial=0.0) < 1e-3
    if not share:
        assert (gap > 1).any(), "boxes are left out, or all of this would show nothing"


def test_a_batch_is_treated_alike(network: Network) -> None:
    batch = np.random.default_rng(5).random((3, 3, 64, 64), np.float32)
    together = network(batch, least=0.0)[0]
    alone = np.concatenate([network(one[None], least=0.0)[0] for one in batch])
    assert np.abs(together - alone).max() < 1e-3


def test_a_detector_without_the_setting_works_too(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's own detector, exported in the plain way, has one input only."""
    picture = np.random.default_rng(6).integers(0, 255, (90, 120, 3), np.uint8)
    with_it = Detector(network, side=128).find(picture, 0.001)
    assert with_it, "noise must score a little, or this shows nothing"
    plain = Network(DETECTOR, 1)
    plain.settings = frozenset()
    assert [found.kind for found in Detector(plain, side=128).find(picture, 0.1)] == [
        found.kind for found in Detector(network, side=128).find(picture, 0.1)
    ]


def test_rewriting_once_is_enough_and_wrong_answers_are_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="export needs the extra `train`")
    from models.yolo_graph import compare, rewrite

    assert rewrite(DETECTOR, tmp_path / "again.onnx") == (0, False)
    assert not (tmp_path / "again.onnx").exists()
    model = onnx.load(str(DETECTOR))
    margin = next(t for t in model.graph.initializer if t.name == "seen/steps")
    margin.CopyFrom(onnx.numpy_helper.from_array(np.arange(16, dtype=np.float32)[None] + 1, "seen/steps"))
    onnx.save(model, str(tmp_path / "wrong.onnx"))
    with pytest.raises(ValueError, match="otherwise"):
        compare(DETECTOR, tmp_path / "wrong.onnx")


def test_halves_are_cut_where_channels_are_cut(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="export needs the extra `train`")
    from models.yolo_graph import Graph, halve

    rng = np.random.default_rng(1)
    make, numbers = onnx.helper.make_node, onnx.numpy_helper.from_array
    nodes = [
        make("Conv", ["x", "w", "b"], ["c"], name="conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        make("Sigmoid", ["c"], ["s"]),
        make("Mul", ["c", "s"], ["m"]),
        make("Split", ["m"], ["first", "second"], axis=1),
        make("Sub", ["first", "second"], ["y"]),
    ]
    shapes = {"x": [1, 3, 8, 8], "y": [1, 4, 8, 8]}
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    stored = [numbers(rng.normal(size=s).astype(np.float32), n) for n, s in (("w", (8, 3, 3, 3)), ("b", (8,)))]
    graph = onnx.helper.make_graph(nodes, "g", values[:1], values[1:], stored)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 9
    plain = model.SerializeToString()
    rewritten = Graph(model)
    assert halve(rewritten) == 1
    rewritten.finish()
    onnx.checker.check_model(model)
    assert not [node for node in model.graph.node if node.op_type == "Split"]
    x = rng.normal(size=(1, 3, 8, 8)).astype(np.float32)
    answers = [onnxruntime.InferenceSession(data).run(None, {"x": x})[0] for data in (plain, model.SerializeToString())]
    assert np.abs(answers[0] - answers[1]).max() < 1e-5
