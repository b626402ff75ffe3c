"""All settings in one model, and where each value came from: flag, environment, file or default."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

PREFIX = "TAPETE_"


class SettingsError(ValueError):
    """A setting that is misspelt or has an impossible value; the message says which and where it came from."""


def default_data() -> Path:
    """Where matches and evidence are kept if nothing else is said (the XDG data folder)."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tapete"


class Settings(BaseSettings):
    """Everything that can be set. A name that is not here is refused, wherever it comes from."""

    model_config = SettingsConfigDict(extra="forbid", env_prefix=PREFIX, frozen=True)

    host: str = Field("127.0.0.1", description="address to listen on; anything else than loopback is refused")
    port: int = Field(8770, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    lan: bool = Field(False, description="serve the local network too: with a token, over HTTPS")
    allowed_hosts: tuple[str, ...] = Field((), description="further host names accepted in the Host header")
    data: Path = Field(default_factory=default_data, description="folder of the matches and their evidence")
    camera: str | None = Field(None, description="camera opened at the start: index, file, folder or URL")
    language: Literal["es", "en"] = Field("en", description="language of the command line's sentences")
    ask_below: float = Field(0.6, ge=0.0, le=1.0, description="a reading less sure than this becomes a question")
    looks: int = Field(2, ge=1, le=20, description="readings that must agree before anything is committed")
    max_upload_bytes: int = Field(20_000_000, ge=1_000, description="largest photograph accepted, in bytes")
    max_pixels: int = Field(40_000_000, ge=10_000, description="largest photograph accepted, in pixels")
    stream_fps: float = Field(20.0, gt=0.0, le=60.0, description="frames per second of the live view")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="how much is logged")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` hands over: it has already merged flags, environment and file, and knows the origins."""
        return (init_settings,)


def _from_file(path: Path | None) -> tuple[dict[str, Any], str]:
    """The values of a settings file and its name; no file means no values, a named one must exist."""
    chosen = path if path is not None else Path("tapete.toml")
    if not chosen.exists():
        if path is not None:
            raise SettingsError(f"there is no settings file {path}")
        return {}, ""
    try:
        return tomllib.loads(chosen.read_text(encoding="utf-8")), str(chosen)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{chosen}: {error}") from error


def _from_environment(environment: dict[str, str]) -> dict[str, Any]:
    """The `TAPETE_*` variables by field name; tuples are written with commas."""
    values: dict[str, Any] = {}
    for name, text in environment.items():
        if name.startswith(PREFIX):
            field = name[len(PREFIX) :].lower()
            values[field] = tuple(filter(None, text.split(","))) if field == "allowed_hosts" else text
    return values


def load(
    flags: dict[str, Any] | None = None, file: Path | None = None, environment: dict[str, str] | None = None
) -> tuple[Settings, dict[str, str]]:
    """The settings and the origin of each: flags win over the environment, it over the file, it over the defaults."""
    from_file, file_name = _from_file(file)
    layers = [
        (from_file, file_name),
        (_from_environment(dict(os.environ) if environment is None else environment), "environment"),
        ({key: value for key, value in (flags or {}).items() if value is not None}, "flag"),
    ]
    merged: dict[str, Any] = {}
    origins: dict[str, str] = dict.fromkeys(Settings.model_fields, "default")
    for values, origin in layers:
        for name, value in values.items():
            merged[name] = value
            origins[name] = f"{PREFIX}{name.upper()}" if origin == "environment" else origin
    try:
        return Settings(**merged), origins
    except ValidationError as error:
        sentences = []
        for problem in error.errors():
            name = str(problem["loc"][0]) if problem["loc"] else "settings"
            if problem["type"] == "extra_forbidden":
                sentences.append(f"there is no setting {name!r} (from {origins.get(name, '?')})")
            else:
                sentences.append(f"{name} (from {origins.get(name, '?')}): {problem['msg']}")
        raise SettingsError("; ".join(sentences)) from error
