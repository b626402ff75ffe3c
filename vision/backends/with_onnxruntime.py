"""ONNX Runtime, with the very session that the eyes use."""

from __future__ import annotations

from pathlib import Path

from vision.backends import Run
from vision.onnx import Network


def open_network(path: Path, threads: int) -> Run:
    """The network as the eyes load it."""
    return Network(path, threads)
