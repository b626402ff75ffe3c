"""Who may import whom. The table is the design's; every import statement of every file is held against it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("rules", "vision", "datasets", "models", "service")
TRAINING = {"torch", "torchvision", "ultralytics", "onnx", "onnxslim", "safetensors"}

#: What the run time installs under a name other than the one it is imported by, and what comes along with it.
IMPORTED_AS = {
    "opencv-python-headless": {"cv2"},
    "fastapi": {"fastapi", "starlette"},
    "pydantic-settings": {"pydantic_settings"},
    "python-multipart": {"multipart"},
}


def runtime_packages() -> set[str]:
    """Names that can be imported once Tapete is installed without extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[\[<>=~! ;]", line)[0] for line in project["dependencies"]]
    return set().union(*(IMPORTED_AS.get(name, {name.replace("-", "_")}) for name in names))


MAY_IMPORT: dict[str, set[str]] = {
    "rules": set(),
    "vision": {"numpy", "cv2", "onnxruntime"},
    "datasets": {"numpy", "cv2", "reportlab", "rules", "vision"},
    "models": {"numpy", "cv2", "datasets", "vision", "PIL", *TRAINING},  # PIL comes with ultralytics: it draws fonts
    "service": {"rules", "vision", "datasets", "models", *runtime_packages()},
}
#: Backends that are chosen by hand, and the page's stopwatch, may load what is not installed by default, only there.
OPTIONAL = {"vision/backends": {"ultralytics", "openvino"}, "service/bench/page.py": {"playwright"}}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level name of everything that a file imports, inside functions too and by `import_module`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = (node.module or "").split(".")[0]
            yield node.lineno, name if node.level == 0 else path.relative_to(ROOT).parts[0]
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0] if node.args else None
            if called in ("import_module", "__import__") and isinstance(first, ast.Constant):
                yield node.lineno, str(first.value).split(".")[0]


def forbidden(path: Path) -> list[str]:
    """What a file imports and may not."""
    place = path.relative_to(ROOT)
    folder = place.parts[0]
    allowed = MAY_IMPORT[folder] | {folder} | sys.stdlib_module_names
    for where, more in OPTIONAL.items():
        if place.as_posix().startswith(where):
            allowed |= more
    return [f"{place}:{line} imports {name}" for line, name in imported(path) if name not in allowed]


@pytest.mark.parametrize("folder", FOLDERS)
def test_import_table(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    assert [fault for path in files for fault in forbidden(path)] == []


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("rules", "import numpy"),
        ("rules", "from vision.state import Piece"),
        ("vision", "import rules.game"),
        ("vision", "def f():\n    from ultralytics import YOLO"),
        ("datasets", "import torch"),
        ("service", "import importlib\nimportlib.import_module('torch.nn')"),
        ("models", "import fastapi"),
    ],
)
def test_the_table_is_enforced(folder: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that breaks the table is found (else the test above could not fail)."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / folder / "new.py"
    path.parent.mkdir()
    path.write_text(line)
    assert len(forbidden(path)) == 1


def run(code: str, *flags: str) -> str:
    done = subprocess.run(
        [sys.executable, *flags, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def module_names(folder: str) -> list[str]:
    """Every module of a folder, dotted; what runs as a program only is left out."""
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[-1] != "__main__":
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def test_rules_need_nothing_but_python() -> None:
    """Without site-packages every module of the rules imports, and brings in nothing from outside Python."""
    code = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import importlib, json
for name in {module_names("rules")!r}:
    importlib.import_module(name)
from rules.trama import Trama
from rules.trichon import Trichon
from rules.triominos import Triominos
from rules.tronix import Tronix
from rules.truco import Truco
for game in (Trama(), Trichon(), Triominos(), Tronix(), Truco()):
    game.score(), game.draw(), next(iter(game.legal_moves), None)
print(json.dumps(sorted({{name.split(".")[0] for name in sys.modules}})))
"""
    loaded = set(json.loads(run(code, "-S", "-I")))
    assert loaded - sys.stdlib_module_names - {"rules", "__main__", "__mp_main__"} == set()


def test_the_run_time_never_imports_what_training_needs() -> None:
    """Every module of the run time imports where torch and the like cannot be imported at all."""
    names = [name for folder in ("rules", "vision", "datasets", "service") for name in module_names(folder)]
    names = [name for name in names if not name.startswith(tuple(key.replace("/", ".") for key in OPTIONAL))]
    code = f"""
import importlib, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {TRAINING!r}:
            raise ModuleNotFoundError(f"the run time asked for {{name}}")

sys.meta_path.insert(0, Refuse())
for name in {names!r}:
    importlib.import_module(name)
assert not set(sys.modules) & {TRAINING!r}
"""
    run(code)
