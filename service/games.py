"""The five games by name: engine, titles, players, and the options of each in plain words."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any

from rules.game import Game, NotationError
from service.referee import Referee, referee_for

AnyGame = Game[Any, Any]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What is fixed about a game. `rules` names its dataclass of options; `key` is where set-ups keep them."""

    name: str
    title: tuple[str, str]
    players: tuple[int, ...]
    engine: tuple[str, str]
    teams: bool = False

    def engine_class(self) -> type[AnyGame]:
        """The engine, imported when first needed."""
        found: type[AnyGame] = getattr(import_module(self.engine[0]), self.engine[1])
        return found

    def rules_class(self) -> type[Any] | None:
        """The dataclass of the game's options."""
        found = getattr(import_module(self.engine[0]), "Rules", None)
        return found if isinstance(found, type) and is_dataclass(found) else None

    def referee(self) -> Referee:
        """Its referee."""
        return referee_for(self.name)

    def options(self) -> list[Json]:
        """The options that a table may agree on, as the API lists them."""
        rules = self.rules_class()
        if rules is None:
            return []
        result = []
        for option in fields(rules):
            default = option.default
            if default is MISSING or not isinstance(default, bool | int | float | str):
                continue
            es, en = OPTION_WORDS.get(option.name, (option.name, option.name.replace("_", " ")))
            kind = type(default).__name__
            choices = list(CHOICES[option.name]) if option.name in CHOICES else None
            result.append(
                {"name": option.name, "type": kind, "default": default, "choices": choices, "es": es, "en": en}
            )
        return result

    def to_json(self) -> Json:
        """As the API sends it."""
        return {
            "name": self.name,
            "title": {"es": self.title[0], "en": self.title[1]},
            "players": list(self.players),
            "teams": self.teams,
            "options": self.options(),
        }

    def start(self, setup: Json) -> AnyGame:
        """A fresh game from an engine's set-up."""
        return self.engine_class().from_setup(setup)

    def setup(self, players: int, options: Json, more: Json) -> Json:
        """The engine's complete set-up for so many players, these options and whatever else was supplied."""
        if players not in self.players:
            counts = ", ".join(map(str, self.players))
            raise NotationError(f"{self.name} is for {counts} players, not {players}")
        if "players" in more or "rules" in more:
            raise NotationError("players and rules are said by `players` and `options`, not inside `setup`")
        setup: Json = {**more} if len(self.players) == 1 else {"players": players, **more}
        if options:
            setup["rules"] = options
        return {key: value for key, value in self.start(setup).setup_json().items() if key != "game"}


GAMES: dict[str, GameInfo] = {
    info.name: info
    for info in (
        GameInfo("triominos", ("Triominós", "Triominoes"), (2, 3, 4), ("rules.triominos", "Triominos")),
        GameInfo("truco", ("El Truco", "El Truco"), (2, 4), ("rules.truco", "Truco"), teams=True),
        GameInfo("trichon", ("Trichón", "Trichón"), (2,), ("rules.trichon", "Trichon")),
        GameInfo("tronix", ("Tronix", "Tronix"), tuple(range(2, 17, 2)), ("rules.tronix", "Tronix"), teams=True),
        GameInfo("trama", ("Trama", "Trama"), (2, 3, 4, 5), ("rules.trama", "Trama")),
    )
}

CHOICES: dict[str, tuple[str, ...]] = {"blocked_tie": ("share", "none")}

OPTION_WORDS: dict[str, tuple[str, str]] = {
    "two_sided_bridge": ("Unir dos lados sin hexágono también es puente", "Joining two sides is a bridge too"),
    "blocked_tie": ("Empate en una ronda bloqueada", "Tie in a blocked round"),
    "target": ("Puntos para terminar", "Points that end the game"),
    "third_draw_ends": ("Con la tercera ficha robada acaba el turno", "The third draw ends the turn"),
    "toros": ("Toros para ganar", "Toros to win"),
    "must_claim": ("Es obligatorio cobrar una línea completa", "A completed line must be claimed"),
    "all_circuits": ("Puntúan todos los circuitos cerrados a la vez", "All circuits closed at once score"),
    "god_islands": ("En modo dios pueden quedar islas", "God moves may leave islands"),
    "lanes": ("Carriles por eje", "Lanes per axis"),
    "same_color": ("Un patrón de un solo color puntúa", "A pattern of one colour scores"),
    "neighbours": ("Solo carriles vecinos en los entrelazados", "Interlaced pairs must be neighbours"),
    "either_end": ("Los entrelazados se leen desde ambos extremos", "Interlaced patterns read from either end"),
    "share_b": ("Dos parejas pueden compartir una cuerda", "Two pairs may share a cord"),
}
