"""The command `tapete`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from rules.game import RulesError
from service.commands import bench, clips, datasets, enroll, keep, live, photos, print_kit
from service.problems import Problem
from service.settings import SettingsError
from service.store import StoreError
from vision.sources import SourceError


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; each subcommand sets `run` to the function that does it."""
    parser = argparse.ArgumentParser(prog="tapete", description="The card table that keeps score.")
    parser.add_argument("--version", action="version", version=f"tapete {version('tapete')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in (live, photos, keep, print_kit, clips, enroll, datasets, bench):
        module.add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 well, 1 it could not be done, 2 wrong arguments."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] | None = getattr(arguments, "run", None)
    if run is None:
        parser.print_help()
        return 0
    try:
        return run(arguments)
    except (Problem, RulesError, SettingsError, StoreError, SourceError) as error:
        print(f"tapete: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
