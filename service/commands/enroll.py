"""`tapete enroll`: teach your own deck, tiles, cords or circuits from photographs or the camera, without training."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from service.commands.common import add_settings, settings_of
from service.decks import Deck, Decks
from service.kinds import KINDS
from service.problems import Problem
from vision.camera import open_camera
from vision.cards.labels import FACES
from vision.images import ImageError, decode_image

Commands = Any
WORDS = {"cards": "cards", "triominos": "tiles", "trama": "cords", "tronix": "circuit cards"}


def add(commands: Commands) -> None:
    """Add the subcommand to the parser."""
    enroll = commands.add_parser("enroll", help="teach your own deck, without training")
    enroll.add_argument("name", metavar="NAME", help="a name for the deck")
    enroll.add_argument(
        "--game",
        choices=sorted({*KINDS, "truco", "trichon"}),
        default="cards",
        help="what is taught: cards (default), a triomino set, Trama's cords, a Tronix deck",
    )
    enroll.add_argument("images", nargs="*", type=Path, metavar="IMAGE", help="photographs of cards laid out")
    enroll.add_argument("--size", type=int, choices=(40, 48, 50), default=40, help="cards in the box (default: 40)")
    enroll.add_argument(
        "--two-sided", action="store_true", help="tronix: every other picture shows the same cards, each turned over"
    )
    enroll.add_argument("--use", action="store_true", help="play with this set from now on (tiles, cords, circuits)")
    enroll.add_argument("--yes", action="store_true", help="ask nothing: doubtful cards stay open")
    enroll.add_argument("--labels", type=Path, help="JSON: picture file name → its cards in reading order")
    enroll.add_argument("--delete", action="store_true", help="forget this deck")
    enroll.add_argument("--export", type=Path, metavar="FILE", help="write the deck as a file")
    enroll.add_argument("--import", dest="import_", type=Path, metavar="FILE", help="take in a deck from a file")
    enroll.add_argument("--json", action="store_true", help="print the deck as JSON")
    add_settings(enroll, "camera")
    enroll.set_defaults(run=run_enroll)
    _pictures_after_options(enroll)


def _pictures_after_options(parser: argparse.ArgumentParser) -> None:
    """Let pictures follow an option (`enroll NAME --game triominos IMAGE…`), which argparse only does when asked to."""
    plain = parser.parse_known_args

    def mixed(args: Any = None, namespace: Any = None) -> Any:
        parser.parse_known_args = plain  # type: ignore[method-assign]
        try:
            return parser.parse_known_intermixed_args(args, namespace)
        finally:
            parser.parse_known_args = mixed  # type: ignore[method-assign]

    parser.parse_known_args = mixed  # type: ignore[method-assign]


def run_enroll(arguments: argparse.Namespace) -> int:
    """`tapete enroll`: 1 when a picture could not be used; what is still missing is told, and can be shown later."""
    from vision.cards import default_reader

    settings, _ = settings_of(arguments)
    decks = Decks(settings.data, default_reader)
    name = arguments.name
    if arguments.delete:
        decks.delete(name)
        return 0
    if arguments.import_ is not None:
        decks.take_in(arguments.import_.read_bytes(), name)
    kind = "cards" if arguments.game in KINDS["cards"].games else arguments.game
    decks.create(name, arguments.size, kind)
    if arguments.two_sided and kind != "tronix":
        raise Problem("invalid_request", "only Tronix cards are shown from both sides")
    failed = False
    known = json.loads(arguments.labels.read_text(encoding="utf-8")) if arguments.labels else {}
    for number, path in enumerate(arguments.images, start=1):
        stem = path.stem if kind == "cards" and path.stem in FACES else None
        labels = known.get(path.name) or ([stem] if stem else None)
        try:
            data = path.read_bytes()
            backs = arguments.two_sided and number % 2 == 0
            found = decks.add_picture(name, decode_image(data), data, labels, backs=backs)["found"]
            sure = sum(look["state"] == "confirmed" for look in found)
            progress = f"[{number}/{len(arguments.images)}] {path.name}"
            print(
                f"{progress}: {len(found)} {WORDS[kind]}, {sure} taken, {len(found) - sure} doubtful", file=sys.stderr
            )
        except (Problem, ImageError, OSError) as error:
            print(f"tapete: {path}: {error}", file=sys.stderr)
            failed = True
    if settings.camera is not None and not arguments.images:
        _from_camera(decks, name, settings.camera)
    if not arguments.yes and sys.stdin.isatty():
        _ask(decks, name)
    deck = decks.use(name) if arguments.use else decks.deck(name)
    if arguments.export is not None:
        arguments.export.write_bytes(decks.export(name))
    if arguments.json:
        print(json.dumps(deck.to_json(), ensure_ascii=False))
    else:
        _tell(deck)
    return 1 if failed else 0


def _from_camera(decks: Decks, name: str, source: str) -> None:
    """A look whenever the player presses Enter; an empty line of input ends it with `q`."""
    camera = open_camera(source)
    print("Lay some cards out and press Enter for a look; q ends.", file=sys.stderr)
    try:
        while sys.stdin.readline().strip().lower() != "q":
            end = time.monotonic() + 5
            frame = None
            while frame is None and time.monotonic() < end:
                frame = camera.read()
                time.sleep(0.02)
            if frame is None:
                print(f"tapete: {camera.status.en or 'the camera shows nothing'}", file=sys.stderr)
                continue
            try:
                found = decks.add_picture(name, frame.image, frame.image.tobytes())
                missing = found["deck"]["missing"]
                print(f"{len(found['found'])} cards seen; {len(missing)} still missing", file=sys.stderr)
                if not missing:
                    return
            except Problem as error:
                print(f"tapete: {error}", file=sys.stderr)
    finally:
        camera.close()


def _ask(decks: Decks, name: str) -> None:
    for look in decks.deck(name).doubtful():
        options = [look.label, *(label for label, _ in look.alternatives)]
        shown = ", ".join(f"{number}) {label}" for number, label in enumerate(options, start=1))
        print(f"{look.id}: {shown}; another name, or Enter to throw it away: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline().strip()
        chosen = options[int(answer) - 1] if answer.isdigit() and 0 < int(answer) <= len(options) else answer or None
        try:
            decks.decide(name, look.id, chosen)
        except Problem as error:
            print(f"tapete: {error}", file=sys.stderr)


def _tell(deck: Deck) -> None:
    shown = deck.to_json()
    learnt = shown["learnt"]
    if deck.kind == "tronix":
        print(f"{deck.name}: {learnt['cards']} cards, {learnt['backs']} with their backs")
        if learnt["backs"] < learnt["cards"]:
            print("  a card whose back was not shown counts as the same on both sides (--two-sided shows them)")
    else:
        print(f"{deck.name}: {len(shown['known'])} of {len(deck.wanted())} {WORDS[deck.kind]}")
    if learnt.get("unusual"):
        print(f"  not in the usual box: {', '.join(learnt['unusual'])}")
    for color, rgb in learnt.get("colors", {}).items():
        print(f"  {color}: {', '.join(f'{v:.0f}' for v in rgb)}")
    if shown["missing"]:
        some, more = shown["missing"][:40], len(shown["missing"]) - 40
        print(f"  missing: {', '.join(some)}{f' and {more} more' if more > 0 else ''}")
    if shown["doubtful"]:
        print(f"  doubtful: {len(shown['doubtful'])} (decide them here without --yes, or on the page)")
