"""The command `tapete`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; each subcommand sets `run` to the function that does it."""
    parser = argparse.ArgumentParser(prog="tapete", description="The card table that keeps score.")
    parser.add_argument("--version", action="version", version=f"tapete {version('tapete')}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] | None = getattr(arguments, "run", None)
    if run is None:
        parser.print_help()
        return 0
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
