"""`tapete matches`, `export`, `config` and `doctor`: what is kept, what is set, what is wrong."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from service.commands.common import add_settings, settings_of
from service.commands.doctor import run_doctor
from service.match import Match
from service.report import export_html, export_json
from service.report_pdf import export_pdf
from service.store import Store

Json = dict[str, Any]
Commands = Any
FORMATS = ("json", "html", "pdf")


def add(commands: Commands) -> None:
    """Add the subcommands to the parser."""
    matches = commands.add_parser("matches", help="list the matches kept on this computer")
    matches.add_argument("--json", action="store_true")
    matches.add_argument("--delete", metavar="ID", help="forget a match with its pictures")
    add_settings(matches)
    matches.set_defaults(run=run_matches)

    export = commands.add_parser("export", help="a match with its evidence as JSON or as a report")
    export.add_argument("match", metavar="ID")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="*.html, *.pdf: a report, else JSON")
    export.add_argument("--format", choices=FORMATS, help="what to write (by default what the file's name says)")
    export.add_argument("--lang", choices=("es", "en"), default="es", help="the language of a PDF report")
    add_settings(export)
    export.set_defaults(run=run_export)

    config = commands.add_parser("config", help="all settings and where each came from")
    config.add_argument("--json", action="store_true")
    add_settings(config)
    config.set_defaults(run=run_config)

    doctor = commands.add_parser("doctor", help="camera, models, storage: what is wrong and what to do")
    doctor.add_argument("--json", action="store_true")
    add_settings(doctor)
    doctor.set_defaults(run=run_doctor)


def run_matches(arguments: argparse.Namespace) -> int:
    """`tapete matches`."""
    settings, _ = settings_of(arguments)
    store = Store(settings.data)
    try:
        if arguments.delete is not None:
            if store.record(arguments.delete) is None:
                print(f"tapete: there is no match {arguments.delete!r}; `tapete matches` lists them", file=sys.stderr)
                return 1
            store.delete(arguments.delete)
        found = [Match(store, record).summary() for record in store.records()]
    finally:
        store.close()
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    for entry in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry["created"]))
        totals = " – ".join(map(str, entry["totals"]))
        print(f"{entry['id']}  {when}  {entry['game']:<10} {', '.join(entry['players'])}: {totals} ({entry['status']})")
    if not found:
        print("no matches yet; `tapete watch` begins one")
    return 0


def run_export(arguments: argparse.Namespace) -> int:
    """`tapete export`."""
    settings, _ = settings_of(arguments)
    store = Store(settings.data)
    try:
        record = store.record(arguments.match)
        if record is None:
            print(f"tapete: there is no match {arguments.match!r}; `tapete matches` lists them", file=sys.stderr)
            return 1
        match = Match(store, record)
        text: str | bytes
        kind = arguments.format or _format_of(arguments.output)
        if kind == "pdf":
            text = export_pdf(match, arguments.lang)
        else:
            text = export_html(match) if kind == "html" else export_json(match)
    finally:
        store.close()
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    if arguments.output is not None:
        arguments.output.write_bytes(data)
        print(arguments.output)
    elif isinstance(text, str):
        print(text)
    elif sys.stdout.isatty():
        print("tapete: a PDF is no text for a screen; say where with -o report.pdf", file=sys.stderr)
        return 1
    else:
        sys.stdout.buffer.write(data)
    return 0


def _format_of(output: Path | None) -> str:
    """The format that a file's name asks for."""
    suffix = output.suffix.lower() if output is not None else ""
    return {".html": "html", ".htm": "html", ".pdf": "pdf"}.get(suffix, "json")


def run_config(arguments: argparse.Namespace) -> int:
    """`tapete config`."""
    settings, origins = settings_of(arguments)
    values = settings.model_dump(mode="json")
    if arguments.json:
        print(json.dumps({name: {"value": values[name], "from": origins[name]} for name in values}, ensure_ascii=False))
        return 0
    for name, value in values.items():
        words = type(settings).model_fields[name].description
        print(f"{name} = {json.dumps(value, ensure_ascii=False)}    # {origins[name]}; {words}")
    return 0
