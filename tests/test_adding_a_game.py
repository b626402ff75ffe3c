"""The worked example of docs/adding-a-game.md: its code is run as it is printed, and a match is played by it."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.follow import follow
from service.games import GAMES
from service.match import Match
from service.referee import REFEREES
from tests.service.conftest import new_match, store
from vision.eyes import READERS
from vision.state import Piece, TableState

PAGE = Path(__file__).resolve().parent.parent / "docs" / "adding-a-game.md"
WIDTH, HEIGHT = 900, 600

__all__ = ["new_match", "store"]


def blocks() -> dict[str, str]:
    """The code of the page by what its first line calls it."""
    found = re.findall(r"```python\n# (.*?)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return dict(found)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, types.ModuleType]]:
    """The example's modules, imported, with its game among the others; forgotten afterwards."""
    for known in (GAMES, REFEREES, READERS):
        for name, entry in list(known.items()):
            monkeypatch.setitem(known, name, entry)
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "rules"))
    modules = {}
    for path, code in blocks().items():
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") if path.endswith(".py") else "names"
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(code, path, "exec"), module.__dict__)
        modules[name] = module
    yield modules
    for known in (GAMES, REFEREES, READERS):
        known.pop("tresenraya", None)


def card(label: str, field: int, confidence: float = 0.99, other: str = "") -> Piece:
    """A card in the middle of a field."""
    x, y = ((field - 1) % 3 + 0.5) * WIDTH / 3, ((field - 1) // 3 + 0.5) * HEIGHT / 3
    corners = ((x - 30, y - 45), (x + 30, y - 45), (x + 30, y + 45), (x - 30, y + 45))
    return Piece("card", label, corners, confidence, ((other, 1 - confidence),) if other else ())


def table(*cards: Piece) -> TableState:
    return TableState(0.0, cards, (WIDTH, HEIGHT))


def test_a_match_is_followed_flagged_asked_and_scored(
    example: dict[str, types.ModuleType], new_match: Callable[..., Match]
) -> None:
    match = new_match("tresenraya", ["Ana", "Luis"])
    laid = [card("1-oros", 1)]
    follow(match, table(*laid))
    assert [entry.text for entry in match.position.entries] == ["A 1"]

    follow(match, table(*laid, card("2-oros", 2)))  # Ana again, out of turn
    (flag,) = match.position.illegal.values()
    assert [violation["code"] for violation in flag["violations"]] == ["not_your_turn"]
    follow(match, table(*laid))
    assert not match.position.illegal

    follow(match, table(*laid, card("4-espadas", 5, 0.5, "4-oros")))
    (question,) = match.position.questions.values()
    match.answer(question["id"], "a")
    laid.append(card("4-espadas", 5, 0.5, "4-oros"))
    follow(match, table(*laid))
    for label, field in (("2-oros", 2), ("5-espadas", 9), ("3-oros", 3)):
        laid.append(card(label, field))
        follow(match, table(*laid))
    assert [entry.text for entry in match.position.entries] == ["A 1", "B 5", "A 2", "B 9", "A 3"]
    state: dict[str, Any] = match.state()
    assert [score["total"] for score in state["score"]] == [1, 0]
    assert state["outcome"]["reason"] == "three_in_a_row"
    assert "<circle" in match.game.draw()


def test_the_example_s_own_tests_pass(example: dict[str, types.ModuleType]) -> None:
    tests = example["tests.rules.test_tresenraya"]
    names = [name for name in vars(tests) if name.startswith("test_")]
    assert len(names) == 3
    for name in names:
        getattr(tests, name)()
