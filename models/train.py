"""Train a family's networks, each from its data to its ONNX file: `python -m models.train tiles|cards|looms|circuits`.

    python -m models.train tiles --data ../shared/data           all networks of the family, one after the other
    python -m models.train cards faces --data ../shared/data     one of them
    python -m models.train looms --smoke                         a tiny run of everything, beside the real weights

A run shows a bar, keeps checkpoints and continues where it was interrupted: give the same command again. What else is
given is passed on to the family's own command (`--steps`, `--minutes`, `--epochs`, …; see its model card).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.progress import Progress

# The networks of each family in the order in which they are trained, and the module whose `main` does it.
NETWORKS: dict[str, tuple[str, ...]] = {
    "tiles": ("detector", "refiner", "reader", "corners"),
    "cards": ("detector", "corners", "fine", "faces"),
    "looms": ("find", "read", "cross"),
    "circuits": (),
}
COMMANDS = {"tiles": "models.tiles.train", "cards": "models.cards.__main__", "looms": "models.looms.train"}
NEEDED = ("torch", "onnx", "ultralytics", "safetensors")  # what the extra `train` installs
NOTHING = "circuit cards are traced, not learnt: they are read without a network, and there is nothing to train"
SMOKE_CARDS = ["--steps", "2", "--scenes", "4", "--flats", "30", "--batch", "4", "--side", "128"]


def jobs(options: argparse.Namespace, rest: Sequence[str]) -> list[tuple[str, list[str]]]:
    """(module, arguments) of every command that has to run."""
    family, data, smoke = options.family, options.data, options.smoke
    networks = options.networks or NETWORKS[family]
    more = list(rest)
    if smoke:  # never into the weights that are in use, nor on top of a real run's checkpoints
        work = options.work / family
        more += ["--out", str(work / "weights")] if "--out" not in more else []
        folder = "--scenes" if family == "tiles" else "--cache"
        more += [folder, str(work / "cache")] if folder not in more else []
        more += SMOKE_CARDS if family == "cards" else ["--smoke"]
    if family == "tiles":
        tables = ["--backgrounds", str(data / "backgrounds")] if data else []
        return [(COMMANDS[family], [network, *tables, *more]) for network in networks]
    folder_of_data = data or (options.work / family / "data" if smoke and family == "cards" else None)
    given = ["--data", str(folder_of_data)] if folder_of_data else []
    if family == "cards":
        return [(COMMANDS[family], [network, *given, *more]) for network in networks]
    return [(COMMANDS[family], [*networks, *given, *more])]


def run(module: str, arguments: list[str]) -> int:
    """One family's own command, with a bar for its steps."""
    command: Callable[[list[str]], Any] = import_module(module).main
    with redirect_stdout(Progress(sys.stdout)), redirect_stderr(Progress(sys.stderr)):
        return int(command(arguments) or 0)


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What is meant for this command, and what is passed on."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    own.add_argument("--data", type=Path, help="folder with photographs, decks and backgrounds")
    own.add_argument("--smoke", action="store_true", help="a tiny run on a tiny set, to see that everything works")
    own.add_argument("--work", type=Path, default=Path("runs/smoke"), help="where a smoke run leaves its files")
    parser = argparse.ArgumentParser(
        prog="python -m models.train", description=__doc__, parents=[own], allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("family", choices=sorted(NETWORKS))
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="only these (default: all of the family)")
    # Names come first: further on they could not be told from the values of options that are passed on.
    first = next((at for at, word in enumerate(argv) if word.startswith("-")), len(argv))
    names = [*argv[:first], *(word for word in argv[first:] if word in ("-h", "--help"))]
    options, rest = own.parse_known_args(list(argv[first:]))
    options = parser.parse_args(names, options)
    unknown = [name for name in options.networks if name not in NETWORKS[options.family]]
    if unknown:
        known = ", ".join(NETWORKS[options.family]) or "none"
        parser.error(f"{', '.join(unknown)}: the networks of {options.family} are {known}")
    if options.family == "cards" and not options.data and not options.smoke:
        parser.error("the card networks learn from scanned decks and photographs: say where they are with --data")
    return options, rest


def main(argv: list[str] | None = None) -> int:
    """The command line: 0 when everything asked for is trained, 1 where something needed is not installed."""
    options, rest = parse(sys.argv[1:] if argv is None else argv)
    if not NETWORKS[options.family]:
        print(NOTHING)
        return 0
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        words = f"training needs {', '.join(missing)}: install Tapete with the extra `train` (pip install '.[train]')"
        print(words, file=sys.stderr)
        return 1
    if options.smoke and options.family == "cards" and not options.data:
        from models.cards.tiny import draw_tiny

        draw_tiny(options.work / "cards" / "data", options.work / "cards" / "cache")
    for module, arguments in jobs(options, rest):
        print(f"{options.family}: {' '.join(arguments)}", flush=True)
        failed = run(module, arguments)
        if failed:
            return failed
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
