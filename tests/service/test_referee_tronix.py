"""The referee of Tronix on tables made by hand: the grid is found from any view, circuits wait to be lifted."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from rules.tronix import Face, Tronix
from rules.tronix.moves import Move
from service.follow import follow
from service.match import Match
from service.referee.grid import SQUARE, cards_on_grid, fit_grid
from tests.service.tables import camera, project
from vision.state import Piece, TableState

Make = Callable[..., Match]
WIDTH, HEIGHT = 1.0, 88 / 63
Cells = Mapping[tuple[float, float], str]


def view_of(tilt: float = 20.0, turn: float = 4.0) -> np.ndarray:
    return camera(tilt, turn, scale=70)


def piece(
    spot: tuple[float, float],
    face: str | Face,
    view: np.ndarray,
    *,
    sideways: bool = False,
    rng: random.Random | None = None,
    confidence: float = 0.95,
) -> Piece:
    """A card as the eyes report it: its N side is a short one, on whichever end it likes."""
    shape = SQUARE * np.array([WIDTH, HEIGHT])
    if sideways:
        shape = np.column_stack([-shape[:, 1], shape[:, 0]])
    noise = (lambda: rng.gauss(0, 0.012)) if rng else (lambda: 0.0)
    flat = [(x + spot[0] * WIDTH + noise(), y + spot[1] * HEIGHT + noise()) for x, y in shape]
    lying = Face.of(face)
    corners = list(project(view, flat))
    if rng and rng.random() < 0.5:  # read upside down: the corners start at the other end
        corners, lying = corners[2:] + corners[:2], lying.turned(2)
    return Piece("circuit_card", "", tuple(corners), confidence, facts={"lines": lying.lines})


def table(cells: Cells, view: np.ndarray, rng: random.Random | None = None, *extra: Piece) -> TableState:
    pieces = [piece(cell, face, view, rng=rng) for cell, face in cells.items()] + list(extra)
    if rng:
        rng.shuffle(pieces)
    return TableState(0.0, tuple(pieces), (1280, 720))


def shown(match: Match) -> dict[tuple[float, float], str]:
    return {cell: str(face) for cell, face in match.game.state.table.items()}


def codes(match: Match) -> set[str]:
    return {v["code"] for flag in match.position.illegal.values() for v in flag["violations"]}


@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_followed_from_any_view(new_match: Make, seed: int) -> None:
    rng = random.Random(seed)
    script = Tronix(2, starter=seed % 2, hand_sizes=(5, 5))
    match = new_match("tronix", ["Ana", "Luis"], starter=seed % 2, hand_sizes=[5, 5])
    view = view_of(rng.uniform(0, 35), rng.uniform(-8, 8))
    for _ in range(18):
        moves = [m for m in script.legal_moves if m.cell is not None and max(map(abs, m.cell)) <= 3]
        if not moves or script.outcome() is not None:
            break
        move = rng.choice(moves)
        before = {cell: str(face) for cell, face in script.state.table.items()}
        if move.source is not None:
            del before[move.source]
        script.push(move)
        follow(match, table({**before, move.cell: str(move.face)}, view, rng))
        if script.state.lifted:
            assert match.instruction is not None
            assert match.instruction.code == "lift"
            left = {cell: str(face) for cell, face in script.state.table.items()}
            follow(match, table(left, view, rng))
        assert codes(match) == set()
        assert not match.position.questions
    assert [score.total for score in match.game.score()] == [score.total for score in script.score()]
    assert len(match.game.moves) == len(script.moves)


def opened(new_match: Make, view: np.ndarray, hands: tuple[int, int] = (5, 5)) -> Match:
    match = new_match("tronix", ["Ana", "Luis"], starter=0, hand_sizes=list(hands))
    follow(match, table({(0, 0): "NS/EW"}, view))
    follow(match, table({(0, 0): "NS/EW", (1, 0): "NE/SW"}, view))
    follow(match, table({(0, 0): "NS/EW", (1, 0): "NE/SW", (0, 1): "NW/ES"}, view))
    assert len(match.game.moves) == 3
    return match


@pytest.mark.parametrize(
    ("spot", "face", "sideways", "code"),
    [
        ((2, 2), "NS/EW", False, "no_connection"),
        ((1.5, 0.5), "NS/EW", False, "off_grid"),
        ((-1, 0), "NS/EW", True, "wrong_orientation"),
    ],
)
def test_what_lies_wrong_is_flagged(
    new_match: Make, spot: tuple[float, float], face: str, sideways: bool, code: str
) -> None:
    view = view_of()
    match = opened(new_match, view)
    before = shown(match)
    follow(match, table(before, view, None, piece(spot, face, view, sideways=sideways)))
    assert code in codes(match)
    assert len(match.game.moves) == 3
    follow(match, table(before, view))
    assert codes(match) == set()


def test_moving_before_god_mode_swapping_and_removing_are_flagged(new_match: Make) -> None:
    view = view_of()
    match = opened(new_match, view)
    cells = shown(match)
    moved = {cell: face for cell, face in cells.items() if cell != (0, 1)}
    follow(match, table({**moved, (2, 0): cells[0, 1]}, view))
    assert "not_god_mode" in codes(match)
    follow(match, table({**cells, (0, 0): cells[1, 0], (1, 0): cells[0, 0]}, view))
    assert codes(match) == {"swap"}
    follow(match, table(moved, view))
    assert codes(match) == {"card_removed"}
    follow(match, table(cells, view))
    assert codes(match) == set()
    assert len(match.game.moves) == 3


def test_who_opened_is_asked_where_nobody_said_it(new_match: Make) -> None:
    match = new_match("tronix", ["Ana", "Luis"])
    follow(match, table({(0, 0): "NS/EW"}, view_of()))
    ((name, asked),) = match.position.questions.items()
    assert asked["kind"] == "player"
    match.answer(name, "b")
    assert match.position.entries[0].player == 1
    assert match.game.turn == 0


def test_a_face_that_is_not_sure_is_asked_for(new_match: Make) -> None:
    view = view_of()
    match = opened(new_match, view)
    doubtful = piece((0, -1), "NS/EW", view, confidence=0.3)
    state = table(shown(match), view, None, doubtful)
    follow(match, state)
    assert len(match.game.moves) == 3
    ((name, asked),) = match.position.questions.items()
    wanted = next(option["id"] for option in asked["options"] if option["label"] == "gEWpNS")
    match.answer(name, wanted)
    follow(match, state)
    assert match.position.entries[-1].text == "0,-1=EW/NS"


def test_a_grid_is_found_among_foreign_cards() -> None:
    view = view_of(30, -6)
    cells = {(0, 0): Face.parse("NS/EW"), (1, 0): Face.parse("NE/SW"), (1, 1): Face.parse("NW/ES")}
    pieces = [piece((4, 2), "EW/NS", view), *(piece(cell, face, view) for cell, face in cells.items())]
    fitted = fit_grid(cells, pieces)
    assert fitted is not None
    grid, matched = fitted
    assert matched == {(0, 0): 1, (1, 0): 2, (1, 1): 3}
    far = grid.place(pieces[0], 63, 88)
    assert far.cell == (4, 2)
    assert str(far.face) == "EW/NS"
    assert {card.cell for card in cards_on_grid(pieces[1:])} == {(0, 0), (1, 0), (1, 1)}
    assert cards_on_grid([]) == []


def test_the_move_is_told_in_words(new_match: Make) -> None:
    match = opened(new_match, view_of())
    first = match.state()["moves"][0]
    assert first["en"] == "Ana lays a card in row 1, column 1"
    assert (
        match.referee.describe(match.game, "0,0>1,0=NS/EW", 1, match.context())[1]
        == "Luis moves the card from row 1, column 1 to row 1, column 2"
    )
    assert str(Move.parse("0,0>0,0=NS/EW")) == "0,0>0,0=NS/EW"
