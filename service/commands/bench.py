"""`tapete bench`: how fast, how right and how sturdy the parts are on this computer, as one table from one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from service.bench.machine import machine
from service.bench.table import Row, table

# The parts, in the order in which `tapete bench` runs them; each is a module with `rows(quick)`.
PARTS = ("rules", "datasets", "vision", "pipeline", "referee", "enroll", "page", "accuracy", "faults")


def available() -> list[str]:
    """The parts that this installation can measure."""
    return [part for part in PARTS if find_spec(f"service.bench.{part}") is not None]


def add(commands: Any) -> None:
    """Add the subcommand to the parser."""
    bench = commands.add_parser("bench", help="speed, accuracy and fault figures, measured in one run")
    bench.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(available())} or all (default: all)")
    bench.add_argument("--quick", action="store_true", help="shorter and rougher")
    bench.add_argument("--json", action="store_true", help="one object per line")
    bench.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the whole table to a file as well")
    bench.add_argument("--data", type=Path, metavar="DIR", help="labelled pictures for `accuracy`")
    bench.add_argument("--readme", type=Path, metavar="FILE", help="with `accuracy`: write its table into this page")
    bench.add_argument("--network", type=Path, metavar="FILE", help="with `enroll`: a face network to measure")
    bench.add_argument("--decks", metavar="A,B", help="with `enroll`: the scanned decks that it was trained without")
    _referee_options(bench)
    bench.set_defaults(run=run_bench)


def _referee_options(parser: argparse.ArgumentParser) -> None:
    # Said here and not in the part itself, which would load the eyes for every `tapete --help`.
    group = parser.add_argument_group("referee", "whole played games; without options, the full counts")
    group.add_argument("--games", type=int, metavar="N", help="legal games of each kind (20)")
    group.add_argument("--codes", type=int, metavar="N", help="games with each illegal placement (20)")
    group.add_argument("--game", action="append", metavar="GAME", help="only this game; may be said again")
    group.add_argument("--seed", type=int, metavar="S", help="first seed, of the test split (1160000)")
    group.add_argument(
        "--eyes",
        action="append",
        choices=("own", "taught", "true"),
        help="own: the game's; taught: after the deck was enrolled; true: the labels, so that faults are the referee's",
    )
    group.add_argument("--log", type=Path, metavar="FILE", help="keep each game's result; what is there is not rerun")
    group.add_argument("--pictures", type=Path, metavar="DIR", help="leave the tables at which something went wrong")


def run_bench(arguments: argparse.Namespace) -> int:
    """`tapete bench`: the parts asked for, one after the other; 1 if one of them failed, 2 if there is none such."""
    asked = list(dict.fromkeys(arguments.parts)) or ["all"]
    known = available()
    unknown = [part for part in asked if part not in (*known, "all")]
    if unknown:
        words = f"there is nothing to measure called {', '.join(unknown)}; only {', '.join(known)}"
        print(f"tapete: {words}", file=sys.stderr)
        return 2
    failed, written = False, []
    for part in ["machine", *(known if "all" in asked else asked)]:
        try:
            rows = [machine()] if part == "machine" else _measure(part, arguments)
        except Exception as error:
            # One part that cannot be measured here (no weights, no photographs) must not hide the others.
            print(f"tapete: {part} could not be measured: {error}", file=sys.stderr)
            failed = True
            continue
        if arguments.json:
            text = "\n".join(json.dumps({"part": part, **row.to_json()}, ensure_ascii=False) for row in rows)
        else:
            text = f"{part}\n{table(rows)}"
        print(text, flush=True)
        written.append(text)
        if arguments.output is not None:  # after every part: an evening's measuring is not lost to the last one
            arguments.output.write_text("\n".join(written) + "\n", encoding="utf-8")
    return 1 if failed else 0


def _measure(part: str, arguments: argparse.Namespace) -> list[Row]:
    # Loaded only now: measuring the rules must not cost the time that the eyes take to open.
    module = import_module(f"service.bench.{part}")
    if part == "accuracy" and (arguments.data or arguments.readme):
        found = module.measure(arguments.data or module.DATA, arguments.quick)
        if arguments.readme and found and not arguments.quick:
            module.write_block(arguments.readme, module.table(found))
        made: list[Row] = module.rows_of(found, arguments.quick)
        return made
    if part == "referee":
        counted: list[Row] = module.rows(arguments.quick, module.plan_of(arguments))
        return counted
    if part == "enroll":
        taught: list[Row] = module.rows(arguments.quick, arguments.network, arguments.decks)
        return taught
    measure: Callable[[bool], list[Row]] = module.rows
    return measure(arguments.quick)
