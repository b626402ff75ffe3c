"""What docs/api.md says of each game's position and calls is what the referees give: no key more, none less."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from service.games import GAMES
from service.match import Match

TEXT = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
Make = Callable[..., Match]
MOVES = {"triominos": 6, "truco": 4, "trichon": 6, "trama": 4, "tronix": 4}


def documented(game: str) -> set[str]:
    """Every key of the game's block, however deep."""
    block = TEXT.split("### `position`, per game")[1].split("```")[1].split(f"// {game}\n")[1]
    block = re.split(r"\n// [a-z]+\n", block)[0]
    block = re.sub(r"//.*", "", block)
    return set(re.findall(r'"(\w+)":', block))


def keys_in(value: Any) -> set[str]:
    """Every key of a JSON value, however deep; cards are documented elsewhere."""
    if isinstance(value, dict):
        elsewhere = () if "tied" in value else ("cards", "objective")
        inner = [keys_in(v) for k, v in value.items() if k not in elsewhere]
        return set(value).union(*inner)
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_key_of_a_position_is_documented(game: str, new_match: Make) -> None:
    rng = random.Random(2)
    match = new_match(game, ["Ana", "Luis"])
    found = keys_in(match.state()["position"])
    if game == "trama":
        match.play("0 weave h0=rojo h3=azul v1=celeste v2=morado h0v1=h h0v2=v h3v1=v h3v2=h")
    for _ in range(MOVES[game]):
        found |= keys_in(match.state()["position"])
        moves = [match.game.format_move(m) for m in islice(match.game.legal_moves, 60)]
        match.play(rng.choice(moves))
    if game == "truco":
        match.undo()
        turn = match.state()["position"]["boards"][0]["turn"]
        match.play(f"{turn} truco")
    found |= keys_in(match.state()["position"])
    assert found == documented(game)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_call_is_documented(game: str) -> None:
    (row,) = re.findall(rf"^\| {game} \| (.*) \|$", TEXT, re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", re.sub(r"\(`\w+`\)", "", row)))
    assert named == set(GAMES[game].referee().calls())
