"""Whole played games through the whole pipeline, counted: exact scores, questions, illegal placements, latency.

Games are of the test split: seeds and styles that no training has seen, cameras tilted by up to 35°, hands passing.
Each is filmed, gated, read by the game's own eyes, stabilised, judged and written down; see `service.walk`. With eyes
that know the film (`--eyes true`) the same games show the referee's own faults.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from datasets.played import GAMES
from service.bench.referee_games import EYES, Log, Result, Task, illegal_tasks, legal_tasks
from service.bench.table import Row
from service.eyes import CARD_GAMES

FRESH = 1_160_000  # test seeds below this were looked at while thresholds were chosen
BARS = {"questions": 2, "p95": 500.0, "caught": 0.99}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured. `eyes` empty: every pair of eyes that a game has."""

    games: int = 20
    codes: int = 20
    only: tuple[str, ...] = GAMES
    eyes: tuple[str, ...] = ()
    seed: int = FRESH
    short: bool = False
    log: Path | None = None
    pictures: Path | None = None


QUICK = Plan(games=1, codes=1, short=True)


def plan_of(arguments: argparse.Namespace) -> Plan:
    """The plan that the options of `tapete bench referee` ask for."""
    unknown = [game for game in arguments.game or () if game not in GAMES]
    if unknown:
        raise ValueError(f"there is no game {', '.join(unknown)}; only {', '.join(GAMES)}")
    base = QUICK if arguments.quick else Plan()
    return Plan(
        base.games if arguments.games is None else arguments.games,
        base.codes if arguments.codes is None else arguments.codes,
        tuple(arguments.game or GAMES),
        tuple(arguments.eyes or ()),
        FRESH if arguments.seed is None else arguments.seed,
        base.short,
        arguments.log,
        arguments.pictures,
    )


@dataclass(slots=True)
class Tally:
    """What was counted over the games of one kind."""

    legal: list[Result] = field(default_factory=list)
    illegal: list[Result] = field(default_factory=list)

    @property
    def every(self) -> list[Result]:
        """All of them."""
        return [*self.legal, *self.illegal]


def p95(values: Sequence[float]) -> float:
    """The 95th percentile; nothing measured is nan."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if ordered else float("nan")


def tasks(game: str, eyes: str, plan: Plan) -> Iterator[tuple[list[Task], int]]:
    """Groups of tasks, each with how many of them shall have a result."""
    yield legal_tasks(game, eyes, plan.seed, plan.games, plan.short), plan.games
    for group in illegal_tasks(game, eyes, plan.seed, plan.codes):
        yield group, plan.codes


def measure(game: str, eyes: str, plan: Plan, log: Log | None = None) -> Tally:
    """Walk the games of a plan, each said as it is done."""
    log = log or Log(plan.log)
    tally = Tally()
    for group, count in tasks(game, eyes, plan):
        done = 0
        for task in group:
            if done == count:
                break
            result = log.result(task, plan.pictures)
            if result is None:
                continue
            done += 1
            (tally.illegal if task.code else tally.legal).append(result)
            asked = f"{result.questions} question(s)" if result.questions else ""
            words = " · ".join(filter(None, (result.fault or "ok", asked, f"{result.seconds:.0f} s")))
            print(f"{task.name} ({done}/{count}): {words}", file=sys.stderr, flush=True)
        if done < count and group:
            print(f"{group[0].name}: only {done} of {count} could be staged", file=sys.stderr, flush=True)
    return tally


def rows_of(name: str, tally: Tally, real: bool = True) -> list[Row]:
    """A tally as figures; how long eyes take that know the film says nothing about anything."""
    legal, illegal, every = tally.legal, tally.illegal, tally.every
    asked = [result.questions for result in legal] or [0]
    latencies = [ms for result in every for ms in result.latencies]
    caught = [result for result in illegal if result.caught]
    missed = sorted({result.task.code for result in illegal if not result.caught})
    alarms = [codes for result in every for codes in result.false_alarms]
    faults = [f"{result.task.seed}: {result.fault}" for result in legal if not result.exact]
    others = sum(bool(result.flagged) for result in illegal if not result.caught)
    over = sum(count > BARS["questions"] for count in asked)
    result = [
        Row(f"{name}: games scored exactly", sum(r.exact for r in legal), f"of {len(legal)}", "; ".join(faults[:4])),
        Row(f"{name}: questions a game", median(asked), "median", f"at most {max(asked)}; above 2 in {over} games"),
        Row(
            f"{name}: illegal placements flagged with their code",
            len(caught),
            f"of {len(illegal)}",
            f"{others} with another code; missed of {', '.join(missed)}" if missed else "",
        ),
        Row(f"{name}: … at their place", sum(r.in_place for r in caught), f"of {len(caught)}"),
        Row(
            f"{name}: false alarms",
            len(alarms),
            f"in {len(every)} games",
            ", ".join(sorted({code for codes in alarms for code in codes})),
        ),
    ]
    if real:
        note = f"median {median(latencies):.0f} ms, {len(latencies)} events" if latencies else "no events"
        result.append(Row(f"{name}: stable frame to event, p95", p95(latencies), "ms", note))
    return result


def ways(game: str) -> tuple[str, ...]:
    """The eyes that a game is measured with."""
    return tuple(EYES) if game in CARD_GAMES else ("own", "true")


SAID = {"own": "", "taught": ", deck enrolled", "true": ", perfect eyes"}


def rows(quick: bool = False, plan: Plan | None = None) -> list[Row]:
    """Every game with its own eyes; then with eyes that know the film, which shows the referees by themselves.

    Card games are measured twice with their own eyes: with a deck that nobody has seen, and after the players have
    taught it (`tapete enroll`).
    """
    plan = plan or (QUICK if quick else Plan())
    log = Log(plan.log)
    result: list[Row] = []
    for game in plan.only:
        for eyes in ways(game):
            if not plan.eyes or eyes in plan.eyes:
                said = ", deck unseen" if eyes == "own" and game in CARD_GAMES else SAID[eyes]
                result += rows_of(game + said, measure(game, eyes, plan, log), real=eyes != "true")
    return result
