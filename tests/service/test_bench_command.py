"""`tapete bench`: which parts it measures, how it prints them, and that one failing part does not hide the others."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from service.bench import rules as rules_bench
from service.bench.table import Row, number, table
from service.cli import main
from service.commands import bench

ROWS = [Row("tiles read", 12345.6, "per s", "on one core"), Row("growth", 0.98, "exponent")]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Two parts instead of the real ones: `rules` works, `vision` does not. The list notes how they were called."""
    asked: list[bool] = []

    def measured(quick: bool) -> list[Row]:
        asked.append(quick)
        return ROWS

    def failing(quick: bool) -> list[Row]:
        raise FileNotFoundError("no weights here")

    modules = {"service.bench.rules": measured, "service.bench.vision": failing}
    monkeypatch.setattr(bench, "available", lambda: ["rules", "vision"])
    monkeypatch.setattr(bench, "import_module", lambda name: SimpleNamespace(rows=modules[name]))
    return asked


def test_rules_can_always_be_measured() -> None:
    assert "rules" in bench.available()
    assert set(bench.available()) <= set(bench.PARTS)


def test_one_part_as_a_table(parts: list[bool], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", "--quick"]) == 0
    assert parts == [True]
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "machine", "figures mean nothing without the computer that they were measured on"
    assert out[3:6] == ["rules", "tiles read  12 300 per s     on one core", "growth        0.98 exponent"]


def test_one_part_as_json(parts: list[bool], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rules", "rules", "--json"]) == 0
    assert parts == [False]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines.pop(0)["part"] == "machine"
    assert lines[0] == {"part": "rules", "name": "tiles read", "value": 12345.6, "unit": "per s", "note": "on one core"}
    assert len(lines) == 2


@pytest.mark.parametrize("asked", [[], ["all"], ["all", "rules"]])
def test_a_part_that_fails_does_not_hide_the_others(
    asked: list[str], parts: list[bool], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *asked]) == 1
    said = capsys.readouterr()
    assert "tiles read" in said.out
    assert "vision could not be measured: no weights here" in said.err


def test_a_part_that_does_not_exist(parts: list[bool], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "colours", "rules"]) == 2
    said = capsys.readouterr()
    assert "colours" in said.err
    assert said.out == ""
    assert parts == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.01234, "0.0123"), (4.567, "4.57"), (999.4, "999"), (1234, "1 230"), (1_190_400, "1 190 000"),
     (-5432.1, "-5 430"), (float("inf"), "inf")],
)  # fmt: skip
def test_figures_keep_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_an_empty_table_says_so() -> None:
    assert table([]) == "nothing was measured\n"


def test_growth_is_the_exponent_of_the_size() -> None:
    assert rules_bench.growth({10: 1.0, 30: 7.0, 40: 16.0}) == pytest.approx(2)
    assert rules_bench.growth({4: 3.0, 100: 3.0}) == 0


def test_tables_to_measure_on_are_legal() -> None:
    tiles = rules_bench.laid_tiles(30)
    assert len(tiles) == 30
    position = rules_bench.Triominos.from_table([(values, cell) for cell, values in tiles.items()])
    assert position.violations == ()


def test_the_rules_import_quickly() -> None:
    row = rules_bench.import_time("rules", ["rules"], 2)
    assert row.unit == "ms"
    assert 0 < row.value < 5000, "a figure in milliseconds; whether it is below 50 is for a quiet computer to say"
    assert ("ABOVE" in row.note) == (row.value >= 50)
