"""Other ways to run the same networks, for comparison; the run time itself uses ONNX Runtime (`vision.onnx`).

`open_network(backend, path, threads)` gives a function from a batch to the network's outputs. A backend whose library
is not installed, or which cannot run this network, says so as `Unavailable`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

Run = Callable[[np.ndarray], list[np.ndarray]]

# Imported only when asked for: none of the libraries but the first two comes with Tapete.
BACKENDS = {
    "ONNX Runtime": "vision.backends.with_onnxruntime",
    "OpenCV DNN": "vision.backends.with_opencv",
    "OpenVINO": "vision.backends.with_openvino",
}


class Unavailable(RuntimeError):
    """A backend that cannot be used here; the message says why, in words."""


def open_network(backend: str, path: Path, threads: int) -> Run:
    """The ONNX network of a file, run by a backend of `BACKENDS` with so many threads."""
    try:
        module = import_module(BACKENDS[backend])
    except ImportError as error:
        raise Unavailable(f"not installed ({error.name or error})") from error
    run: Run = module.open_network(path, threads)
    return run
