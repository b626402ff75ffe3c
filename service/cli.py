"""The command `tapete`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version

from rules.game import RulesError
from service.problems import Problem
from service.settings import SettingsError
from service.store import StoreError
from vision.sources import SourceError

# The modules of `service.commands` in the order of the help, and the commands that each adds.
MODULES = {
    "live": ("watch", "demo"),
    "photos": ("read", "score", "evaluate"),
    "keep": ("matches", "export", "config", "doctor"),
    "print_kit": ("print",),
    "clips": ("report", "replay"),
    "enroll": ("enroll",),
    "datasets": ("generate", "convert"),
    "bench": ("bench",),
}


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line; each subcommand sets `run` to the function that does it.

    Where it is known which command is meant, only its module is loaded: reading a photograph needs no web server.
    """
    parser = argparse.ArgumentParser(prog="tapete", description="The card table that keeps score.")
    parser.add_argument("--version", action="version", version=f"tapete {version('tapete')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    meant = [module for module, names in MODULES.items() if command in names]
    for module in meant or (() if command == "--version" else MODULES):
        import_module(f"service.commands.{module}").add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 well, 1 it could not be done, 2 wrong arguments."""
    words = sys.argv[1:] if argv is None else argv
    parser = build_parser(words[0] if words else None)
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
