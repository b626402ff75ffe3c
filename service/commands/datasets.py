"""`tapete generate` and `convert`: labelled scenes for whoever trains or measures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

Commands = Any  # argparse's subparsers have no public type
FAMILIES = ("tiles", "cards", "looms", "circuits")
FORMATS = ("detect", "obb", "pose", "classify")


def add(commands: Commands) -> None:
    """Add the subcommands to the parser."""
    make = commands.add_parser("generate", help="draw labelled scenes of a family of pieces")
    make.add_argument("--family", required=True, choices=FAMILIES)
    make.add_argument("-n", "--count", type=int, default=100, metavar="N", help="how many scenes (100)")
    make.add_argument("--seed", type=int, default=0, metavar="S", help="the first scene's seed; the next is S + 1 (0)")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    make.add_argument("--size", default="1280x720", metavar="WxH", help="pixels (1280x720)")
    make.add_argument("--backgrounds", type=Path, metavar="DIR", help="photographs of table tops to add to drawn ones")
    make.add_argument("--decks", type=Path, metavar="DIR", help="scanned decks: a folder each, a picture per card")
    make.add_argument("--reserved", action="store_true", help="only in the styles that are kept for tests")
    make.set_defaults(run=run_generate)

    turn = commands.add_parser("convert", help="labelled folder → a data set in an ultralytics layout")
    turn.add_argument("folder", type=Path, metavar="DIR")
    turn.add_argument("--to", required=True, choices=FORMATS)
    turn.add_argument("-o", "--output", type=Path, required=True, metavar="OUT")
    turn.add_argument("--classes", choices=("kind", "label"), default="kind", help="what a class is (kind)")
    turn.add_argument("--validate", type=float, default=0.1, metavar="F", help="fraction kept for validation (0.1)")
    turn.set_defaults(run=run_convert)


def run_generate(arguments: argparse.Namespace) -> int:
    """`tapete generate`."""
    from datasets.figures import progress_bar
    from datasets.generate import generate

    try:
        width, height = (int(side) for side in arguments.size.lower().split("x"))
        if not 64 <= min(width, height) <= max(width, height) <= 8192 or arguments.count < 1:
            raise ValueError("the size is WIDTHxHEIGHT, each from 64 to 8192, and at least one scene is drawn")
        written = generate(
            arguments.family,
            arguments.output,
            arguments.count,
            arguments.seed,
            size=(width, height),
            backgrounds=arguments.backgrounds,
            decks=arguments.decks,
            reserved=arguments.reserved,
            progress=progress_bar(arguments.count, arguments.family),
        )
    except (OSError, ValueError) as error:
        print(f"tapete: {error}", file=sys.stderr)
        return 1
    print(f"{len(written)} scenes in {arguments.output}")
    return 0


def run_convert(arguments: argparse.Namespace) -> int:
    """`tapete convert`."""
    from datasets.convert import convert

    try:
        if not arguments.folder.is_dir():
            raise ValueError(f"{arguments.folder} is not a folder")
        if not 0 <= arguments.validate < 1:
            raise ValueError("--validate is a fraction from 0 to less than 1")
        counts = convert(
            arguments.folder, arguments.output, arguments.to, by=arguments.classes, validate=arguments.validate
        )
    except (OSError, ValueError) as error:
        print(f"tapete: {error}", file=sys.stderr)
        return 1
    print(
        f"{counts['train']} images to train on, {counts['val']} to validate with,"
        f" {counts['pieces']} pieces in {arguments.output}"
    )
    return 0
