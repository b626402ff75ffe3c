"""ONNX Runtime sessions for the project's own networks: found by name, checked, and kept to a few threads."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime

WEIGHTS = Path(__file__).resolve().parent.parent / "models" / "weights"
THREADS = max(1, min(2, os.cpu_count() or 1))  # the table is read on the player's own computer, beside other programs


class ModelError(RuntimeError):
    """A network that cannot be loaded; the message says which file and what to do."""


class Network:
    """One loaded network: call it with an array, get its outputs as a list of arrays."""

    def __init__(self, path: Path, threads: int = THREADS) -> None:
        if not path.is_file():
            raise ModelError(
                f"the network {path.name} is missing from {path.parent}: install again, or train it (models/train.py)"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Spinning threads would win a millisecond and cost the other programs of the computer a core.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises many kinds, all of which mean the same to the caller
            raise ModelError(
                f"the network {path.name} is damaged and cannot be loaded ({error}); install Tapete again"
            ) from error
        self.name = path.stem
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        self._input = self._session.get_inputs()[0].name
        self.settings = frozenset(given.name for given in self._session.get_overridable_initializers())

    @property
    def metadata(self) -> dict[str, str]:
        """The text facts that the training wrote into the file (version, temperature, …)."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    @property
    def shape(self) -> tuple[int, ...]:
        """What one picture of a batch must measure (channels, height, width); a size that is free counts as 0."""
        return tuple(n if isinstance(n, int) else 0 for n in self._session.get_inputs()[0].shape[1:])

    def __call__(self, batch: np.ndarray, **named: float) -> list[np.ndarray]:
        """Run the network on one batch; a number by name is one of its `settings`, others are left out."""
        given = {name: np.full(1, value, np.float32) for name, value in named.items() if name in self.settings}
        return list(self._session.run(None, {self._input: batch, **given}))


@cache
def load(name: str) -> Network:
    """The network `models/weights/<name>.onnx`, loaded once per process."""
    return Network(WEIGHTS / f"{name}.onnx")
