"""`tapete bench`: how fast the parts are on this computer, as figures and as ratios measured in one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from service.bench.table import Row, table

PARTS = ("rules", "datasets", "vision", "referee", "faults")


def available() -> list[str]:
    """The parts that this installation can measure."""
    return [part for part in PARTS if find_spec(f"service.bench.{part}") is not None]


def add(commands: Any) -> None:
    """Add the subcommand to the parser."""
    bench = commands.add_parser("bench", help="speed figures, as ratios measured in one run")
    bench.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(available())} or all (default: all)")
    bench.add_argument("--quick", action="store_true", help="shorter and rougher")
    bench.add_argument("--json", action="store_true", help="one object per line")
    bench.set_defaults(run=run_bench)


def run_bench(arguments: argparse.Namespace) -> int:
    """`tapete bench`: the parts asked for, one after the other; 1 if one of them failed, 2 if there is none such."""
    asked = list(dict.fromkeys(arguments.parts)) or ["all"]
    known = available()
    unknown = [part for part in asked if part not in (*known, "all")]
    if unknown:
        words = f"there is nothing to measure called {', '.join(unknown)}; only {', '.join(known)}"
        print(f"tapete: {words}", file=sys.stderr)
        return 2
    failed = False
    for part in known if "all" in asked else asked:
        # Loaded only now: measuring the rules must not cost the time that the eyes take to open.
        measure: Callable[[bool], list[Row]] = import_module(f"service.bench.{part}").rows
        try:
            rows = measure(arguments.quick)
        except Exception as error:
            # One part that cannot be measured here (no weights, no photographs) must not hide the others.
            print(f"tapete: {part} could not be measured: {error}", file=sys.stderr)
            failed = True
            continue
        if arguments.json:
            for row in rows:
                print(json.dumps({"part": part, **row.to_json()}, ensure_ascii=False), flush=True)
        else:
            print(f"{part}\n{table(rows)}", flush=True)
    return 1 if failed else 0
