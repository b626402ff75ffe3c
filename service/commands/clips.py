"""`tapete report` and `tapete replay`: keep what went wrong, and see what becomes of it today."""

from __future__ import annotations

import argparse
import json
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from service.clip import ClipError, replay_clip
from service.commands.common import add_settings, settings_of
from service.problems import Problem

Commands = Any


def add(commands: Commands) -> None:
    """Add the subcommands to the parser."""
    report = commands.add_parser("report", help="save the last seconds of a running table as a clip")
    report.add_argument("-o", "--out", type=Path, default=Path("tapete-clip.zip"), help="file to write")
    report.add_argument("--note", default="", help="what should have happened, in a sentence")
    add_settings(report, "port")
    report.set_defaults(run=run_report)
    replay = commands.add_parser("replay", help="show a clip to the eyes and the referee again")
    replay.add_argument("clips", type=Path, nargs="+", metavar="CLIP", help="zip files written by `tapete report`")
    replay.add_argument("--json", action="store_true", help="one object per line")
    replay.set_defaults(run=run_replay)


def run_report(arguments: argparse.Namespace) -> int:
    """`tapete report`: ask the running server for its clip."""
    settings, _ = settings_of(arguments)
    scheme, headers, trust = "http", {"content-type": "application/json"}, None
    token = settings.data / "lan" / "token"
    if settings.lan and token.exists():
        scheme = "https"
        headers["authorization"] = f"Bearer {token.read_text(encoding='ascii').strip()}"
        trust = ssl.create_default_context(cafile=str(settings.data / "lan" / "certificate.pem"))
    url = f"{scheme}://127.0.0.1:{settings.port}/api/v1/table/report"
    body = json.dumps({"note": arguments.note}).encode()
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30, context=trust) as answer:  # nosec B310
            data = answer.read()
    except urllib.error.HTTPError as error:
        raise Problem("no_frame", f"the table has nothing to report: {error.reason}") from error
    except OSError as error:
        raise Problem("no_frame", f"no Tapete is running at {url}: start it with `tapete watch`") from error
    arguments.out.write_bytes(data)
    print(f"{arguments.out}: {len(data) / 1e6:.1f} MB. It holds pictures of your table: look before you share it.")
    return 0


def run_replay(arguments: argparse.Namespace) -> int:
    """`tapete replay`: 0 if everything expected was understood, 1 if not."""
    wrong = 0
    for path in arguments.clips:
        try:
            found = replay_clip(path)
        except ClipError as error:
            print(f"tapete: {error}", file=sys.stderr)
            wrong += 1
            continue
        wrong += not found.right
        if arguments.json:
            shown = {"clip": path.name, "right": found.right, "moves": found.moves, "expected": found.expected}
            shown |= {"recorded": found.recorded, "flags": found.flags, "questions": found.questions}
            print(json.dumps(shown, ensure_ascii=False))
            continue
        print(f"{path.name}: {len(found.readings)} readings, {'as expected' if found.right else 'NOT as expected'}")
        for name, moves in (("now", found.moves), ("then", found.recorded), ("expected", found.expected)):
            if moves is not None:
                print(f"  {name}: {', '.join(moves) or 'no move'}")
        for codes in found.flags:
            print(f"  flagged: {', '.join(codes)}")
        for question in found.questions:
            print(f"  asked: {question}")
    return 1 if wrong else 0
