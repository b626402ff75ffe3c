"""What must hold for every engine, checked along random legal games. An engine's own test file needs one line:

    test_properties = game_properties(lambda rng: Trichon(), pieces=count_cards, strangers=odd_moves)

`factory(rng)` makes a fresh game (use `rng` to vary players, options and supplied hands). `pieces(game)` returns
whatever must never change while the game goes on (a sorted tuple of all pieces, a count). `strangers(game, rng)` yields
moves that may well be illegal; each must fail `check` unless it is one of `legal_moves`. Moves that were legal earlier
in the same game are always tried as strangers too. `normal(game, move)` is for engines that accept a shorthand: it
returns the full form, as `legal_moves` lists it.

`perft(game, depth)` counts the legal sequences of a length, for the committed trees. `never_crashes` feeds nonsense
to a parser and accepts only `RulesError`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.game import Game, IllegalMove, RulesError

AnyGame = Game[Any, Any]
Normal = Callable[[AnyGame, Any], Any]
Choose = Callable[[AnyGame, list[Any], Random], Any]

# Values of every wrong kind, for constructors, `from_json` and parsers alike.
NONSENSE: tuple[Any, ...] = (
    None, True, False, 0, -1, 3.5, float("nan"), float("inf"), 10**30, "", " ", "x", "☃", "0-1", "9-9-9", "{", "{}",
    "[]", "null", '{"a":NaN}', '{"setup":', "\x00", "1" * 5000, b"", b"\xff", [], [None], [[]], (), {}, {"setup": 1},
    {"setup": {}, "moves": [1]}, {"setup": {}, "moves": ["?"]}, {1: 2}, object(), set(), {"setup": {"players": 10**30},
    "moves": []}, {"setup": {"players": float("nan")}, "moves": []}, {"setup": {"rules": []}, "moves": []},
)  # fmt: skip


def any_legal(game: AnyGame, moves: list[Any], rng: Random) -> Any:
    """The default choice: any legal move, all alike."""
    return rng.choice(moves)


def check_reversible(game: AnyGame, move: Any) -> None:
    """Playing a move and taking it back leaves no trace; playing it again gives the same position."""
    before, history, score = game.state, game.moves, game.score()
    game.push(move)
    after = game.state
    assert game.peek() == move
    assert game.pop() == move
    assert game.state == before
    assert game.moves == history
    assert game.score() == score
    game.push(move)
    assert game.state == after


def check_score(game: AnyGame) -> None:
    """Every total is the sum of its lines and no line belongs to nobody."""
    scores = game.score()
    assert [s.player for s in scores] == list(range(game.players))
    for s in scores:
        assert s.total == sum(line.points for line in s.lines)
        assert all(line.player == s.player for line in s.lines)
    assert sum(len(s.lines) for s in scores) == len(game._lines(game.state))
    outcome = game.outcome()
    if outcome is not None:
        assert outcome.winners
        assert outcome.totals == tuple(s.total for s in scores)


def check_notation(game: AnyGame) -> None:
    """Moves, whole games and JSON read back as what was written."""
    cls = type(game)
    for move in game.moves:
        text = game.format_move(move)
        assert text == text.strip()
        assert "\n" not in text
        assert game.parse_move(text) == move
    for again in (cls.parse_game(game.format_game()), cls.from_json(json.loads(json.dumps(game.to_json())))):
        assert again.state == game.state
        assert again.moves == game.moves
        assert again.score() == game.score()
        assert again.to_json() == game.to_json()


def check_stranger(game: AnyGame, move: Any, legal: list[Any], normal: Normal | None = None) -> None:
    """`check` accepts a move exactly if `legal_moves` has it, and `push` refuses what `check` refuses."""
    expected = (normal(game, move) if normal else move) in legal
    assert (move in game.legal_moves) == expected, f"{move!r} of {len(legal)} legal moves"
    if expected:
        return
    before = game.state
    try:
        violations = game.check(move)
    except RulesError:
        violations = []
    else:
        assert violations
    for violation in violations:
        assert violation.code.replace("_", "").isalnum()
        assert violation.code == violation.code.lower()
        assert violation.es
        assert violation.en
        json.dumps(violation.to_json())
    with pytest.raises(RulesError) as caught:
        game.push(move)
    if isinstance(caught.value, IllegalMove):
        assert list(caught.value.violations) == violations
    assert game.state == before


def play_checked(
    game: AnyGame,
    rng: Random,
    *,
    cap: int = 10_000,
    pieces: Callable[[AnyGame], object] | None = None,
    strangers: Callable[[AnyGame, Random], Iterable[Any]] | None = None,
    choose: Choose = any_legal,
    check_each: int = 100,
    normal: Normal | None = None,
) -> None:
    """One random legal game of at most `cap` moves, with every property checked on the way.

    At most `check_each` legal moves (a random sample where there are more) go through `check` at each step.
    """
    all_pieces = pieces(game) if pieces else None
    start, seen = game.state, []
    while len(game.moves) < cap:
        legal = list(game.legal_moves)
        assert len(set(legal)) == len(legal), "a legal move was listed twice"
        assert bool(game.legal_moves) == bool(legal)
        assert game.legal_moves.count() == len(legal)
        sample = legal if len(legal) <= check_each else rng.sample(legal, check_each)
        for move in sample:
            assert game.check(move) == [], f"{game.format_move(move)} is listed as legal"
            assert game.parse_move(game.format_move(move)) == move
        odd = rng.sample(seen, min(len(seen), 8))
        for move in [*odd, *(strangers(game, rng) if strangers else ())]:
            check_stranger(game, move, legal, normal)
        check_score(game)
        assert (game.outcome() is None) == bool(legal), "a game without legal moves is over, and only that one"
        if not legal:
            break
        check_reversible(game, choose(game, legal, rng))
        seen += rng.sample(sample, min(len(sample), 4))
        if pieces:
            assert pieces(game) == all_pieces
    check_notation(game)
    assert game.draw().lstrip().startswith("<svg")
    while game.moves:
        game.pop()
    assert game.state == start
    with pytest.raises(RulesError):
        game.pop()
    with pytest.raises(RulesError):
        game.peek()


def game_properties(
    factory: Callable[[Random], AnyGame],
    *,
    pieces: Callable[[AnyGame], object] | None = None,
    strangers: Callable[[AnyGame, Random], Iterable[Any]] | None = None,
    choose: Choose = any_legal,
    examples: int = 20,
    cap: int = 10_000,
    check_each: int = 100,
    normal: Normal | None = None,
) -> Callable[[], None]:
    """A hypothesis test (assign it to a `test_...` name) that plays random games of `factory` with `play_checked`."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(seed=st.integers(0, 2**32 - 1))
    def test(seed: int) -> None:
        rng = Random(seed)
        play_checked(
            factory(rng),
            rng,
            cap=cap,
            pieces=pieces,
            strangers=strangers,
            choose=choose,
            check_each=check_each,
            normal=normal,
        )

    return test


def perft(game: AnyGame, depth: int) -> int:
    """The number of legal sequences of exactly `depth` moves from here."""
    if depth == 0:
        return 1
    if depth == 1:
        return game.legal_moves.count()
    total = 0
    for move in list(game.legal_moves):
        game.push(move)
        total += perft(game, depth - 1)
        game.pop()
    return total


def never_crashes(call: Callable[[Any], object], values: Iterable[Any] = NONSENSE) -> None:
    """`call(value)` may work or raise `RulesError`; anything else it raises fails the test."""
    for value in values:
        message = "accepted"
        try:
            call(value)
        except RulesError as error:
            message = str(error)
        assert message, f"{value!r} is refused without a word"


def bad_inputs(game: AnyGame) -> None:
    """Nonsense into every entrance that all engines share."""
    cls = type(game)
    never_crashes(game.parse_move)
    never_crashes(game.check)
    never_crashes(cls.parse_game)
    never_crashes(cls.from_json)
    never_crashes(cls.from_setup)
    setup = game.setup_json()
    for key in setup:
        for value in NONSENSE:
            never_crashes(cls.from_setup, [{**setup, key: value}])
        never_crashes(cls.from_setup, [{k: v for k, v in setup.items() if k != key}])
    text, data = game.format_game(), json.dumps(game.to_json())
    for end in range(0, len(text), 7):
        never_crashes(cls.parse_game, [text[:end]])
    for end in range(0, len(data), 7):
        with pytest.raises(RulesError):
            cls.from_json(data[:end])
    with pytest.raises(RulesError):
        cls.from_setup({**setup, "colour_of_the_table": "green"})
