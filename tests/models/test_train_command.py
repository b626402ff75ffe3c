"""`python -m models.train`: what it runs for each family, and, where torch is installed, that each of them runs."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from models import train
from models.progress import Progress, bar, fraction

REPOSITORY = Path(__file__).resolve().parents[2]
WEIGHTS = REPOSITORY / "models" / "weights"


def planned(*argv: str) -> list[tuple[str, list[str]]]:
    return train.jobs(*train.parse(list(argv)))


def test_every_family_that_has_weights_can_be_trained() -> None:
    shipped = {path.stem.replace("-", "_") for path in WEIGHTS.glob("*.onnx")}
    trained = {f"{family}_{network}" for family, networks in train.NETWORKS.items() for network in networks}
    assert shipped <= trained


def test_all_networks_of_a_family_in_their_order() -> None:
    jobs = planned("tiles", "--data", "D", "--minutes", "3")
    assert [arguments[0] for _, arguments in jobs] == ["detector", "refiner", "reader", "corners"]
    assert {module for module, _ in jobs} == {"models.tiles.train"}
    assert jobs[0][1][1:] == ["--backgrounds", str(Path("D/backgrounds")), "--minutes", "3"]


def test_one_network_alone_with_its_own_options() -> None:
    assert planned("cards", "faces", "--data", "D", "--steps", "9") == [
        ("models.cards.__main__", ["faces", "--data", "D", "--steps", "9"])
    ]


def test_looms_are_one_command() -> None:
    assert planned("looms", "read", "cross", "--epochs", "2") == [
        ("models.looms.train", ["read", "cross", "--epochs", "2"])
    ]


@pytest.mark.parametrize("family", ["tiles", "cards", "looms"])
def test_a_smoke_run_never_touches_the_weights_in_use(family: str) -> None:
    for _, arguments in planned(family, "--smoke", "--work", "W"):
        assert arguments[arguments.index("--out") + 1] == str(Path("W") / family / "weights")
        folder = "--scenes" if family == "tiles" else "--cache"
        assert arguments[arguments.index(folder) + 1] == str(Path("W") / family / "cache")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["chess"], "invalid choice"),
        ([], "family"),
        (["tiles", "faces"], "the networks of tiles are detector, refiner, reader, corners"),
        (["cards"], "--data"),
    ],
)
def test_what_cannot_be_trained_is_said(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        train.main(argv)
    assert stopped.value.code == 2
    assert words in capsys.readouterr().err


def test_circuits_need_no_training(capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["circuits"]) == 0
    assert "without a network" in capsys.readouterr().out


def test_help_names_every_family(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        train.main(["tiles", "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert all(family in out for family in train.NETWORKS)


def test_without_torch_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train, "find_spec", lambda name: None if name == "torch" else object())
    assert train.main(["looms"]) == 1
    assert "needs torch" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "share"),
    [
        ("step 5/20  loss 0.1", 0.25),
        ("find 2/4 step 10/20 3 s", 0.375),
        ("reader 4000/4000 9 s loss 0.1", 1.0),
        ("runs/1/2/weights.onnx: 0.5 MB", None),
        ("started", None),
    ],
)
def test_steps_are_read_from_what_is_printed(line: str, share: float | None) -> None:
    assert fraction(line) == share


def test_the_bar_is_drawn_before_the_count() -> None:
    out = io.StringIO()
    progress = Progress(out)
    print("photographs", file=progress)
    print("\rstep 10/20", end="", file=progress)
    print("\rstep 20/20", end="", file=progress)
    print("written", file=progress)
    assert out.getvalue().splitlines()[0] == "photographs"
    assert f"{bar(0.5)} step 10/20" in out.getvalue()
    assert out.getvalue().endswith(f"{bar(1.0)} step 20/20\nwritten\n")


@pytest.mark.skipif(find_spec("torch") is None, reason="training needs torch (the extra `train`), not installed here")
@pytest.mark.parametrize("family", ["tiles", "cards", "looms"])
def test_a_tiny_set_trains_into_networks_that_run(family: str, tmp_path: Path) -> None:
    import onnxruntime

    command = [sys.executable, "-m", "models.train", family, "--smoke", "--work", str(tmp_path)]
    for _ in range(2):  # the second run continues from what the first one left
        subprocess.run(command, cwd=REPOSITORY, check=True, timeout=900, capture_output=True)
    made = sorted((tmp_path / family / "weights").glob("*.onnx"))
    assert len(made) == len(train.NETWORKS[family])
    for path in made:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        given = session.get_inputs()[0]
        free = [1 if at == 0 else 128 for at in range(4)]
        shape = [size if isinstance(size, int) else free[at] for at, size in enumerate(given.shape)]
        answers = session.run(None, {given.name: np.zeros(shape, np.float32)})
        assert all(np.isfinite(answer).all() for answer in answers)


def test_the_weights_are_few_and_listed() -> None:
    index = (REPOSITORY / "models" / "README.md").read_text(encoding="utf-8")
    files = sorted(WEIGHTS.glob("*.onnx"))
    assert [path.stem for path in files if f"`{path.stem}`" not in index] == []
    assert sum(path.stat().st_size for path in files) <= 25e6
