"""The desk: store, matches, table and hub of one running server, and what ties them together."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from rules.game import RulesError
from service.decks import Decks
from service.eyes import CARD_GAMES, table_eyes, taught_reader
from service.games import GAMES
from service.hub import Hub
from service.kinds.use import set_eyes
from service.lan import Lan
from service.match import Match, start_match
from service.phone import PHONE, PhoneCamera
from service.problems import Problem
from service.report import export_html
from service.schemas import EventList, MatchList, MatchStateShape
from service.settings import Settings
from service.store import Conflict, Draft, Event, Record, Store, StoreError
from service.table import Looks, Table
from vision.camera import Camera, open_camera
from vision.cards import Gallery, default_reader
from vision.eyes import Eyes
from vision.table import Calibration

Json = dict[str, Any]
DEMO = "demo:"


def open_source(source: str, allowed: Callable[[str], bool] | None = None) -> Camera:
    """A camera by its name: anything that `vision` can open; on the network only at an address that is allowed."""
    return open_camera(source, allowed=allowed)


class Desk:
    """Everything that the API, the page and the command line act on."""

    def __init__(
        self,
        settings: Settings,
        open_camera: Callable[..., Camera] = open_source,
        make_eyes: Callable[[str, Calibration | None], Looks] | None = None,
    ) -> None:
        self.settings = settings
        self.started = time.time()
        self.store = Store(settings.data)
        self.hub = Hub()
        self._lock = threading.RLock()
        self._matches: dict[str, Match] = {}
        self.decks = Decks(settings.data, default_reader)
        self._make_eyes = make_eyes or self._eyes_with_decks
        self._photo_eyes: dict[str, Looks] = {}
        self.table = Table(self._table_changed, open_camera, make_eyes or self._watching_eyes, settings.looks)
        self.phone = PhoneCamera()
        self._demo_deck: Gallery | None = None
        self.lan: Lan | None = None
        self.port = settings.port
        self.requests: dict[tuple[str, int], int] = {}

    def close(self) -> None:
        """Stop everything."""
        self.table.close()
        self.store.close()

    # -- matches ----------------------------------------------------------------------------------------------

    def match(self, match_id: str) -> Match:
        """A match by its id; `unknown_match` if there is none."""
        with self._lock:
            found = self._matches.get(match_id)
            if found is None:
                record = self.store.record(match_id)
                if record is None:
                    raise Problem("unknown_match", "there is no such match", "no existe esa partida")
                found = self._adopt(record)
        found.refresh()
        return found

    def _adopt(self, record: Record) -> Match:
        match = Match(self.store, record, self.settings.ask_below)
        match.listeners.append(self._match_changed)
        self._matches[record.id] = match
        return match

    def matches(self) -> list[Json]:
        """All matches in one line each, newest first."""
        return [self.match(record.id).summary() for record in self.store.records()]

    def new_match(self, game: str, players: Sequence[str], options: Json, setup: Json) -> Match:
        """Begin a match."""
        if game not in GAMES:
            raise Problem("unknown_game", f"there is no game {game!r}", f"no existe el juego {game!r}")
        match_id = f"m_{secrets.token_hex(6)}"
        try:
            record = start_match(
                self.store, match_id, time.time(), game=game, players=players, options=options, setup=setup
            )
        except RulesError as error:
            raise Problem("bad_setup", str(error)) from error
        with self._lock:
            return self._adopt(record)

    def import_match(self, record: Record, drafts: Sequence[Draft], times: Sequence[float]) -> Match:
        """Take in a match that was exported; it gets a new id. One that cannot be shown is no match.

        A single forged log would otherwise spoil the list of all matches, which shows it among the others.
        """
        self.store.create(record)
        try:
            self.store.append(record.id, 0, drafts, times)
            match = Match(self.store, record, self.settings.ask_below)
            events = [event.to_json() for event in self.store.events(record.id)]
            state, summary = match.state(), match.summary()
            MatchStateShape.model_validate(state)
            MatchList.model_validate({"matches": [summary]})
            EventList.model_validate({"events": events, "last": len(events)})
            json.dumps([state, summary, events], ensure_ascii=False, allow_nan=False).encode()
            export_html(match)
        except (StoreError, Conflict):
            self.store.delete(record.id)
            raise
        except Exception as error:  # whatever a forged log does to those who read it
            self.store.delete(record.id)
            raise Problem("bad_setup", f"this is not an exported match: {type(error).__name__}") from error
        with self._lock:
            return self._adopt(record)

    def delete(self, match_id: str) -> None:
        """Forget a match."""
        self.match(match_id)
        if self.table.match is not None and self.table.match.id == match_id:
            self.table.use_match(None)
        with self._lock:
            self._matches.pop(match_id, None)
            self.store.delete(match_id)
        self.hub.publish({"type": "deleted", "id": match_id})

    def _match_changed(self, match: Match, events: Sequence[Event]) -> None:
        shown = [event.to_json() for event in events]
        self.hub.publish({"type": "match", "match": match.state(), "events": shown})
        by_hand = any(event.source != "camera" for event in events)
        if by_hand and self.table.match is match:
            self.table.look_again()

    def _table_changed(self) -> None:
        if hasattr(self, "table"):
            self.hub.publish({"type": "table", "table": self.table.status()})

    # -- what a client sees first -----------------------------------------------------------------------------

    def hello(self) -> Json:
        """The whole present state."""
        seq = self.hub.seq
        match = self.table.match
        return {
            "type": "hello",
            "epoch": self.hub.epoch,
            "seq": seq,
            "match": match.state() if match else None,
            "table": self.table.status(),
            "matches": self.matches(),
            "demo": self.demo_status(),
        }

    def use_camera(self, source: str | None, allowed: Callable[[str], bool] | None = None) -> None:
        """Open another camera; a simulated one (`demo:triominos`) brings the match that is played before it.

        `allowed` is asked about the address of a network camera, each time that one is connected.
        """
        simulated = self.demo_status() is not None
        if source is not None and source.startswith(DEMO):
            self.start_demo(source[len(DEMO) :])
        elif source == PHONE:
            self.table.attach(self.phone, PHONE)
        else:
            self.table.use_camera(source, allowed)
        if simulated and self.demo_status() is None:
            self._demo_changed()

    def start_demo(self, game: str, seed: int | None = None, speed: float = 1.0) -> Match:
        """Begin a played game on a simulated camera, and follow it."""
        from service.demo import NAMES, DemoCamera, stage_game

        if game not in GAMES:
            raise Problem("unknown_game", f"there is no game {game!r}", f"no existe el juego {game!r}")
        played = stage_game(game, seed)
        style = played.extra.get("deck")
        if style is not None:  # its players taught Tapete their deck before they sat down, as anybody would
            from service.taught import photographed

            self._demo_deck = photographed(str(style))
            self.decks_changed()
        setup = {key: value for key, value in played.setup.items() if key not in ("game", "players", "rules")}
        match = self.new_match(game, NAMES[: played.seats], played.setup.get("rules", {}), setup)
        self.table.use_camera(None)
        self.table.use_match(match)
        camera = DemoCamera(
            played, match, speed,
            eyes=lambda: self.table.open_eyes(game), looks=lambda: self.table.readings, changed=self._demo_changed,
        )  # fmt: skip
        self.table.attach(camera, f"{DEMO}{game}")
        self.hub.publish({"type": "match", "match": match.state(), "events": []})
        self._demo_changed()
        return match

    def _demo_changed(self) -> None:
        self.hub.publish({"type": "demo", "demo": self.demo_status()})

    def demo_status(self) -> Json | None:
        """How the simulated camera is, if there is one."""
        status = getattr(self.table.camera, "demo_status", None)
        return status() if callable(status) else None

    def _watching_eyes(self, game: str, calibration: Calibration | None) -> Eyes:
        """Eyes for the table: they report doubtful cards too, which the referee then asks about."""
        taught = None if self.demo_status() else self.decks.in_use(game)  # a simulated table has sets of its own
        known = None if taught is None else set_eyes(taught, game, calibration)
        return known or table_eyes(game, calibration, self._galleries() if game in CARD_GAMES else ())

    def _eyes_with_decks(self, game: str, calibration: Calibration | None) -> Eyes:
        """Eyes for photographs that know the decks taught on this computer, where the game is played with cards."""
        galleries = self._galleries() if game in CARD_GAMES else ()
        return Eyes(game, calibration, taught_reader(galleries).read) if galleries else Eyes(game, calibration)

    def _galleries(self) -> Sequence[Gallery]:
        """The decks taught on this computer."""
        shared = default_reader()
        galleries, stale = self.decks.galleries(shared.faces.version)
        for name in stale:  # taught to an older network: its pictures are kept, so it only has to look again
            self.decks.refresh(name)
        if stale:
            galleries, _ = self.decks.galleries(shared.faces.version)
        return galleries if self._demo_deck is None else [*galleries, self._demo_deck]

    def decks_changed(self) -> None:
        """Somebody taught a deck: the next look is with it."""
        with self._lock:
            for game in CARD_GAMES:
                self._photo_eyes.pop(game, None)
        self.table.new_eyes()

    # -- eyes and cameras -------------------------------------------------------------------------------------

    def eyes(self, game: str) -> Looks:
        """Eyes for single photographs."""
        if game not in GAMES:
            raise Problem("unknown_game", f"there is no game {game!r}", f"no existe el juego {game!r}")
        with self._lock:
            if game not in self._photo_eyes:
                try:
                    self._photo_eyes[game] = self._make_eyes(game, None)
                except Exception as error:
                    raise Problem("eyes_unavailable", f"the eyes for {game} cannot be opened: {error}") from error
            return self._photo_eyes[game]
