"""The computer that figures were measured on: its name, and how busy it is with other things."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from service.bench.table import Row


def busy() -> bool:
    """Whether other programs keep this computer from being measured."""
    return os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1)


def machine() -> Row:
    """The computer's name and its load."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    warning = "; BUSY: wall times below are too high" if busy() else ""
    what = f"{processor()}, {platform.system()}, Python {platform.python_version()}"
    return Row("machine", cores, "cores", f"{what}, ONNX Runtime {version('onnxruntime')}, load {load:.1f}{warning}")


def processor() -> str:
    """The processor as it names itself."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
