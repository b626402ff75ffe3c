"""The card detector back in torch, with exactly the numbers of its ONNX file: for comparing run times fairly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np


def detector(path: Path) -> Any:
    """The YOLO11n of `models.cards.train_detector`, fused as for export, with the weights of an ONNX file."""
    import onnx
    import torch
    from onnx import numpy_helper
    from ultralytics.nn.tasks import DetectionModel

    model = DetectionModel("yolo11n.yaml", nc=2, verbose=False).eval().fuse(verbose=False)
    stored = {t.name.removesuffix("_half"): numpy_helper.to_array(t) for t in onnx.load(str(path)).graph.initializer}
    wanted = model.state_dict()
    weights = {name: torch.from_numpy(stored[name].astype(np.float32)) for name in wanted if name in stored}
    missing = sorted(set(wanted) - set(weights))
    if any("dfl" not in name for name in missing):  # the fixed 0 … 15 of its box decoding may be folded away
        raise ValueError(f"{path.name} is no export of this network: it lacks {', '.join(missing[:4])}")
    model.load_state_dict(weights, strict=False)
    return model.requires_grad_(False)


def runner(path: Path, threads: int) -> Callable[[np.ndarray], list[np.ndarray]]:
    """A function from a batch to the detector's output, computed by torch with so many threads.

    Opened as ultralytics itself opens it for prediction, which is a sixth faster than the bare module.
    """
    import torch
    from ultralytics.nn.autobackend import AutoBackend

    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{path.stem}.pt"
        save(path, file)
        model = AutoBackend(str(file), device=torch.device("cpu"), fp16=False, verbose=False).eval()
    set_threads(threads)

    def run(batch: np.ndarray) -> list[np.ndarray]:
        with torch.inference_mode():
            found = model(torch.from_numpy(batch))
        return [(found[0] if isinstance(found, tuple | list) else found).numpy()]

    return run


def set_threads(threads: int) -> None:
    """How many threads torch may use from now on."""
    import torch

    torch.set_num_threads(threads)


def save(path: Path, out: Path) -> None:
    """Write the detector as a `.pt` that `ultralytics.YOLO` opens."""
    import torch
    from ultralytics.cfg import get_cfg

    model = detector(path)
    model.names = {0: "card", 1: "back"}
    model.args = dict(vars(get_cfg()), task="detect", model="yolo11n.yaml")
    model.task = "detect"
    torch.save({"model": model, "train_args": {"task": "detect"}}, out)
