"""Rewriting a softmax changes its speed and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from models.softmax import rewrite
from vision import onnx as networks


def test_the_same_answers(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="export needs the extra `train`")
    shape = ["n", 16, 4, "anchors"]
    value = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in ("x", "y")]
    node = onnx.helper.make_node("Softmax", ["x"], ["y"], axis=1)
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "g", value[:1], value[1:]), opset_imports=[onnx.helper.make_opsetid("", 17)]
    )
    model.ir_version = 9
    plain, fast = tmp_path / "plain.onnx", tmp_path / "fast.onnx"
    onnx.save(model, str(plain))
    assert rewrite(plain, fast) == 1
    x = np.random.default_rng(1).normal(0, 30, (2, 16, 4, 50)).astype(np.float32)  # large: exp alone would overflow
    answers = [onnxruntime.InferenceSession(str(path)).run(None, {"x": x})[0] for path in (plain, fast)]
    assert np.abs(answers[0] - answers[1]).max() < 1e-6
    assert rewrite(fast) == 0


def test_the_shipped_detector_is_rewritten() -> None:
    """The operator's name is in the file as plain text; the attention's softmax, along the last axis, stays."""
    content = (networks.WEIGHTS / "cards-detector.onnx").read_bytes()
    assert b"ReduceMax" in content
