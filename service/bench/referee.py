"""Whole played games through the whole pipeline, counted: exact scores, questions, illegal placements, latency.

Games are of the test split: seeds and styles that no training has seen, cameras tilted by up to 35°, hands passing.
Each is filmed, gated, read by the game's own eyes, stabilised, judged and written down; see `service.walk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from datasets.played import GAMES, VISIBLE_CODES, NotPossible, Played, play
from datasets.simcam import Film
from datasets.splits import seed_of
from service.bench.table import Row
from service.eyes import CARD_GAMES
from service.table import Looks
from service.taught import taught_eyes
from service.walk import TrueEyes, Walked, walk

GAMES_EACH, CODES_EACH = 20, 20
QUICK_GAMES, QUICK_CODES = 1, 1
FIRST_ILLEGAL = 5_000  # seeds of games with an illegal placement begin here, so that none is among the legal ones

EyesFor = Callable[[Film], Looks | None]


@dataclass(slots=True)
class Tally:
    """What was counted over games of one kind."""

    games: int = 0
    exact: int = 0
    finished: int = 0
    questions: list[int] = field(default_factory=list)
    false_alarms: int = 0
    staged: int = 0
    caught: int = 0
    wrong_code: int = 0
    latencies: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def add(self, found: Walked) -> None:
        """Count a legal game."""
        self.games += 1
        self.exact += found.exact
        self.questions.append(len(found.questions))
        self.false_alarms += len(found.false_alarms)
        self.latencies += found.latencies
        if not found.exact:
            self.misses.append(f"seed {found.played.seed}: {found.totals} for {found.played.scores}")

    def add_illegal(self, found: Walked, code: str) -> None:
        """Count a game with one illegal placement of a code."""
        self.staged += 1
        flagged = [flag for flag in found.flags if flag.expected]
        self.caught += any(code in flag.codes for flag in flagged)
        self.wrong_code += bool(flagged) and not any(code in flag.codes for flag in flagged)
        self.false_alarms += len(found.false_alarms)
        self.latencies += found.latencies
        if not any(code in flag.codes for flag in flagged):
            self.misses.append(f"{code}, seed {found.played.seed}: {[flag.codes for flag in flagged]}")


def p95(values: Sequence[float]) -> float:
    """The 95th percentile; nothing measured is nan."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if ordered else float("nan")


def legal_games(game: str, count: int, short: bool) -> Iterator[Played]:
    """Games of the test split."""
    for number in range(count):
        yield play(game, seed_of("test", number), short=short)


def illegal_games(game: str, code: str, count: int) -> Iterator[Played]:
    """Games of the test split with one illegal placement each; seeds that have no room for it are passed over."""
    number, made = FIRST_ILLEGAL, 0
    while made < count and number < FIRST_ILLEGAL + 10 * count:
        try:
            yield play(game, seed_of("test", number), illegal=code, short=True)
            made += 1
        except NotPossible:
            pass
        number += 1


def measure(
    game: str, games: int, codes: int, eyes: EyesFor = lambda film: None, *, short: bool = False, hands: bool = True
) -> Tally:
    """Walk so many legal games, and so many with each code that the camera can see."""
    tally = Tally()
    for played in legal_games(game, games, short):
        film = Film(played)
        tally.add(walk(film, eyes=eyes(film), hands=hands))
    for code in VISIBLE_CODES[game]:
        for played in illegal_games(game, code, codes):
            film = Film(played)
            tally.add_illegal(walk(film, eyes=eyes(film), hands=hands), code)
    return tally


def rows_of(name: str, tally: Tally) -> list[Row]:
    """A tally as figures."""
    asked = tally.questions or [0]
    notes = "; ".join(tally.misses[:6])
    made = len(tally.latencies)
    result = [
        Row(f"{name}: games scored exactly", tally.exact, f"of {tally.games}", notes),
        Row(f"{name}: questions a game", median(asked), "median", f"at most {max(asked)}"),
        Row(f"{name}: illegal placements flagged with their code", tally.caught, f"of {tally.staged}"),
        Row(f"{name}: illegal placements flagged with another code", tally.wrong_code, f"of {tally.staged}"),
        Row(f"{name}: false alarms", tally.false_alarms, f"in {tally.games + tally.staged} games"),
        Row(f"{name}: stable frame to event, p95", p95(tally.latencies), "ms", f"{made} events"),
    ]
    return result


def rows(quick: bool = False) -> list[Row]:
    """Every game with its own eyes; then with eyes that know the film, which shows the referees by themselves.

    Card games are measured twice with their own eyes: with a deck that nobody has seen, and after the players have
    taught it (`tapete enroll`).
    """
    games, codes = (QUICK_GAMES, QUICK_CODES) if quick else (GAMES_EACH, CODES_EACH)
    result: list[Row] = []
    for game in GAMES:
        for name, eyes in _ways(game):
            real = eyes is not TrueEyes
            tally = measure(game, games, codes, eyes, short=quick, hands=real and not quick)
            # How long perfect eyes take says nothing about anything.
            result += rows_of(game + name, tally)[: 6 if real else 5]
    return result


def _ways(game: str) -> list[tuple[str, EyesFor]]:
    """The eyes that a game is measured with, each with what is said of them."""
    if game not in CARD_GAMES:
        return [("", lambda film: None), (", perfect eyes", TrueEyes)]
    return [(", deck unseen", lambda film: None), (", deck enrolled", taught_eyes), (", perfect eyes", TrueEyes)]
