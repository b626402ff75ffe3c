"""OpenCV's own network module: no further library, but it does not know every operator."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.backends import Run, Unavailable


def open_network(path: Path, threads: int) -> Run:
    """The network by `cv2.dnn`; OpenCV's threads are set for the whole process."""
    cv2.setNumThreads(threads)
    try:
        network = cv2.dnn.readNetFromONNX(str(path))
    except cv2.error as error:
        raise Unavailable(f"cannot load this network: {error.err}") from error
    names = network.getUnconnectedOutLayersNames()

    def run(batch: np.ndarray) -> list[np.ndarray]:
        network.setInput(batch)
        return list(network.forward(names))

    return run
