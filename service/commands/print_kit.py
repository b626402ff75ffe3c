"""`tapete print`: pieces, boards and the mat as PDF at true size."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from service.problems import Problem


def add(commands: Any) -> None:
    """Add the subcommand to the parser."""
    kit = commands.add_parser("print", help="mats, markers, decks, tiles, boards to print and play")
    kit.add_argument("kit", nargs="?", metavar="KIT", help="which kit; --list tells them")
    kit.add_argument("-o", "--output", type=Path, metavar="FILE", help="the PDF to write (default: KIT.pdf)")
    kit.add_argument("--paper", default="a4", choices=("a4", "letter"), help="paper size (default: a4)")
    kit.add_argument("--list", action="store_true", help="tell which kits there are")
    kit.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """`tapete print`."""
    from datasets.kits import KITS, print_kit

    if arguments.list:
        for kit in KITS.values():
            print(f"{kit.name:10} {kit.es} · {kit.en}")
        return 0
    if arguments.kit not in KITS:
        told = f"unknown kit {arguments.kit!r}" if arguments.kit else "which kit?"
        raise Problem("not_found", f"{told}; the kits are {', '.join(KITS)} (tapete print --list)")
    target: Path = arguments.output or Path(f"{arguments.kit}.pdf")
    # Written beside its place and moved there when whole: a full disk leaves no half a file under the name asked for.
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        pages = print_kit(arguments.kit, part, arguments.paper)
        part.replace(target)
    except OSError as error:
        raise Problem("store_unavailable", f"cannot write {target}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    print(f"{target}: {pages} page{'' if pages == 1 else 's'}, {arguments.paper.upper()}; print at 100 %, no scaling")
    return 0
