"""Flags that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from service.settings import Settings, load

FLAGS = ("data", "host", "port", "camera", "language", "ask_below", "looks", "log_level")


def add_settings(parser: argparse.ArgumentParser, *names: str) -> None:
    """The settings file, the data folder, and flags for the settings named."""
    group = parser.add_argument_group("settings")
    group.add_argument("--config", type=Path, metavar="FILE", help="settings file (default: tapete.toml)")
    for name in ("data", *names):
        words = Settings.model_fields[name].description
        group.add_argument(f"--{name.replace('_', '-')}", dest=f"set_{name}", default=None, help=words)


def settings_of(arguments: argparse.Namespace, **more: Any) -> tuple[Settings, dict[str, str]]:
    """The settings that a command runs with, and where they came from."""
    flags = {name: getattr(arguments, f"set_{name}", None) for name in FLAGS}
    return load({**flags, **more}, arguments.config)
