"""`tapete read`, `score` and `evaluate`: photographs without a match."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from service.commands.common import add_settings, settings_of
from service.decks import Deck, Decks
from service.eyes import taught_reader
from service.games import GAMES
from service.kinds.use import notes, set_eyes
from service.photo import read_photo, score_photo
from service.problems import Problem
from vision.cards import default_reader
from vision.eyes import Eyes
from vision.images import ImageError, load_image
from vision.state import TableState

Json = dict[str, Any]
Commands = Any  # argparse's subparsers have no public type


def add(commands: Commands) -> None:
    """Add the subcommands to the parser."""
    read = commands.add_parser("read", help="photographs → the pieces on them")
    read.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    read.add_argument("--game", required=True, choices=sorted(GAMES))
    read.add_argument("--json", action="store_true", help="one object per line, in the label format")
    read.add_argument("--deck", metavar="NAME", help="a set taught by `tapete enroll`: say what is not in it")
    add_settings(read)
    read.set_defaults(run=run_read)

    score = commands.add_parser("score", help="what one photograph scores, with reasons")
    score.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    score.add_argument("--game", required=True, choices=sorted(GAMES))
    score.add_argument("--setup", type=Path, metavar="FILE", help="JSON with what the picture does not show")
    score.add_argument("--json", action="store_true", help="one object per line")
    score.set_defaults(run=run_score)

    from datasets import evaluate

    measure = commands.add_parser("evaluate", help="labelled folder → precision, recall, exact scenes, timing")
    evaluate.add_arguments(measure)
    measure.set_defaults(run=run_evaluate)


def _each(
    images: list[Path],
    game: str,
    act: Callable[[Eyes, np.ndarray, Path], None],
    open_eyes: Callable[[str], Eyes] = Eyes,
) -> int:
    """Do something with every picture; 1 if one of them could not be read, after doing the others."""
    try:
        eyes = open_eyes(game)
    except Problem:
        raise
    except Exception as error:
        print(f"tapete: the eyes for {game} cannot be opened: {error}", file=sys.stderr)
        return 1
    failed = False
    for path in images:
        try:
            act(eyes, load_image(path), path)
        except (ImageError, Problem) as error:
            print(f"tapete: {path}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


def run_read(arguments: argparse.Namespace) -> int:
    """`tapete read`."""
    taught: list[Deck] = []

    def taught_eyes(game: str) -> Eyes:
        if arguments.deck is None:
            return Eyes(game)
        decks = Decks(settings_of(arguments)[0].data, default_reader)
        deck = decks.chosen(game, arguments.deck)
        assert deck is not None
        taught.append(deck)
        galleries = [g for g in decks.galleries(default_reader().faces.version)[0] if g.name == deck.name]
        return set_eyes(deck, game) or Eyes(game, None, taught_reader(galleries).read)

    def act(eyes: Eyes, image: np.ndarray, path: Path) -> None:
        found = read_photo(eyes, arguments.game, image, path.name)
        for deck in taught:
            found["notes"] = notes(found["pieces"], deck)
        if arguments.json:
            print(json.dumps(found, ensure_ascii=False), flush=True)
        else:
            _show_reading(path, found)

    return _each(arguments.images, arguments.game, act, taught_eyes)


def _show_reading(path: Path, found: Json) -> None:
    pieces = found["pieces"]
    print(f"{path}: {len(pieces)} piece{'' if len(pieces) == 1 else 's'}")
    for piece in pieces:
        xs, ys = [c[0] for c in piece["corners"]], [c[1] for c in piece["corners"]]
        name = piece.get("label") or piece["kind"]
        if piece["kind"] == "loom":
            name = f"loom with {len(piece.get('cords', ()))} cords"
        elif piece["kind"] == "circuit_card":
            name = " ".join(f"{line['color']} {'-'.join(map(str, line['ports']))}" for line in piece.get("lines", ()))
        other = piece["alternatives"][0] if piece["alternatives"] else None
        doubt = f"  or {other['label']} ({other['probability']:.0%})" if other and piece["confidence"] < 0.9 else ""
        where = f"({sum(xs) / len(xs):.0f}, {sum(ys) / len(ys):.0f})"
        print(f"  {name:<14} {piece['confidence']:>5.0%} at {where}{doubt}")
    for note in found.get("notes", ()):
        print(f"  ! {note['en']}")


def run_score(arguments: argparse.Namespace) -> int:
    """`tapete score`."""
    setup: Json = {}
    if arguments.setup is not None:
        try:
            setup = json.loads(arguments.setup.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"tapete: {arguments.setup}: {error}", file=sys.stderr)
            return 1
        if not isinstance(setup, dict):
            print(f"tapete: {arguments.setup}: a set-up is a JSON object", file=sys.stderr)
            return 1

    def act(eyes: Eyes, image: np.ndarray, path: Path) -> None:
        found = score_photo(eyes, arguments.game, image, path.name, setup)
        if arguments.json:
            print(json.dumps(found, ensure_ascii=False), flush=True)
            return
        print(path)
        for score in found["score"]:
            print(f"  {score.get('name') or 'player ' + str(score['player'] + 1)}: {score['total']}")
            for line in score["lines"]:
                print(f"    {line['points']:+4d}  {line['en']}")
        for note in found["notes"]:
            print(f"  ! {note['en']}")

    return _each(arguments.images, arguments.game, act)


def run_evaluate(arguments: argparse.Namespace) -> int:
    """`tapete evaluate`."""
    from datasets import evaluate

    def factory() -> Callable[[np.ndarray, str], TableState]:
        eyes: dict[str, Eyes] = {}

        def read(image: np.ndarray, game: str) -> TableState:
            if game not in eyes:
                eyes[game] = Eyes(game)
            return eyes[game].read(image)

        return read

    return evaluate.run(arguments, factory)
