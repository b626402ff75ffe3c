"""OpenVINO, where somebody has installed it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino

from vision.backends import Run


def open_network(path: Path, threads: int) -> Run:
    """The network compiled for the processor, in full precision as the others."""
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(str(path), "CPU", settings)

    def run(batch: np.ndarray) -> list[np.ndarray]:
        return [np.asarray(output) for output in compiled([batch]).values()]

    return run
