"""The README's figures: measured by one command, written into their place, and told apart by where they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasets.evaluate import rate
from service.bench import accuracy
from service.cli import main

ROOT = Path(__file__).resolve().parents[2]


def report(hits: int, of: int) -> dict[str, object]:
    kind = {"recall": rate(hits, of), "precision": rate(hits, hits), "cords": rate(7, 8), "crossings": rate(5, 9)}
    kinds = dict.fromkeys(("tile", "card", "loom", "circuit_card"), kind)
    return {"scenes": 4, "exact_scenes": rate(2, 4), "kinds": kinds, "wrong_when_sure": rate(0, 3)}


def test_photographs_and_renders_are_told_apart() -> None:
    lines = accuracy.table({"photographs of tiles": report(3, 9), "renders of tiles": report(8, 9)}).splitlines()
    tiles = next(line for line in lines if "Triominós" in line)
    photographs, renders = tiles.split("|")[3:5]
    assert "3 of 9 tiles (33 %)" in photographs
    assert "8 of 9 tiles (89 %)" in renders
    assert next(line for line in lines if "Trama" in line).count("not measured") == 2


def test_looms_are_counted_by_cords_and_crossings() -> None:
    assert "7 of 8 cords, 5 of 9 crossings" in accuracy.table({"renders of looms": report(1, 2)})


def test_the_block_is_put_into_its_place_and_nowhere_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{accuracy.BEGIN}\nold\n{accuracy.END}\nafter \\1\n", encoding="utf-8")
    assert accuracy.write_block(page, "new \\1")
    assert page.read_text(encoding="utf-8") == f"before\n{accuracy.BEGIN}\nnew \\1\n{accuracy.END}\nafter \\1\n"
    assert not accuracy.write_block(page, "new \\1"), "nothing changed the second time"
    page.write_text("no place\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no place"):
        accuracy.write_block(page, "new")


def test_the_readme_has_the_place_and_all_games() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count(accuracy.BEGIN) == text.count(accuracy.END) == 1
    block = text[text.index(accuracy.BEGIN) : text.index(accuracy.END)]
    for game, pieces, *_ in accuracy.GAMES:
        assert f"| {game} | {pieces} |" in block


def test_without_pictures_nothing_is_claimed_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("untouched", encoding="utf-8")
    assert main(["bench", "accuracy", "--data", str(tmp_path), "--readme", str(page)]) == 0
    assert "skipped" in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == "untouched"


@pytest.mark.skipif(not (accuracy.DATA / "renders/circuits").is_dir(), reason="the labelled pictures are not here")
def test_rows_of_real_pictures(tmp_path: Path) -> None:
    (tmp_path / "renders").mkdir()
    (tmp_path / "renders" / "circuits").symlink_to(accuracy.DATA / "renders" / "circuits")
    found = accuracy.measure(tmp_path, quick=True)
    rows = {row.name: row for row in accuracy.rows_of(found, quick=True)}
    assert rows["renders of circuits: recall"].value > 90
    assert "first 3" in rows["renders of circuits: recall"].note
    assert "skipped" in rows["photographs of tiles"].note
