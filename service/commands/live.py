"""`tapete watch` and `tapete demo`: the server, the table and the page."""

from __future__ import annotations

import argparse
import ipaddress
import json
import logging
import sys
import tempfile
import threading
import time
import webbrowser
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn

from service.app import create_app
from service.commands.common import add_settings, settings_of
from service.desk import Desk
from service.games import GAMES
from service.kinds.use import with_set
from service.lan import prepare, qr_text
from service.match import Match
from service.phone import MAX_BYTES
from service.plain import plain_flag
from service.settings import Settings, SettingsError
from service.store import Event

Json = dict[str, Any]
Commands = Any


def add(commands: Commands) -> None:
    """Add the subcommands to the parser."""
    watch = commands.add_parser("watch", help="follow a game on a table")
    watch.add_argument("--game", choices=sorted(GAMES), help="begin a match of this game at once")
    watch.add_argument("--players", metavar="NAMES", help="names separated by commas")
    watch.add_argument("--match", metavar="ID", help="go on with a match that was begun before")
    watch.add_argument("--browser", action="store_true", help="open the page")
    watch.add_argument("--json", action="store_true", help="print the log as JSON, one event per line")
    watch.add_argument("--lan", action="store_true", default=None, help="let the house's phones in, with a token")
    add_settings(watch, "camera", "host", "port", "looks", "ask_below")
    watch.set_defaults(run=run_watch)
    demo = commands.add_parser("demo", help="a whole game on a simulated camera, in the browser; no hardware needed")
    demo.add_argument("--game", choices=sorted(GAMES), default="triominos", help="which game (default: triominos)")
    demo.add_argument("--seed", type=int, help="which game of that kind")
    demo.add_argument("--speed", type=float, default=1.0, help="how fast the players are (default: 1)")
    demo.add_argument("--no-browser", action="store_true", help="only serve the page, do not open it")
    demo.add_argument("--exit", action="store_true", help="end when the game is over, with its score")
    demo.add_argument("--json", action="store_true", help="print the log as JSON, one event per line")
    add_settings(demo, "host", "port", "looks", "ask_below")
    demo.set_defaults(run=run_demo)


def loopback(host: str) -> bool:
    """Whether an address is only this computer's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(desk: Desk, settings: Settings, browser: bool, until: Callable[[], bool] | None = None) -> int:
    """Run the server until somebody stops it, or until something holds."""
    if not loopback(settings.host):
        raise SettingsError(f"host {settings.host!r}: Tapete serves this computer only; --lan lets the house in")
    secure: Json = {}
    if settings.lan:
        desk.lan = prepare(settings.data)
        secure = {"ssl_certfile": desk.lan.certificate, "ssl_keyfile": desk.lan.key}
    # Only with --lan, and then every request needs the token.
    everywhere = "0.0.0.0"  # nosec B104
    config = uvicorn.Config(
        create_app(desk), host=everywhere if settings.lan else settings.host, port=settings.port, log_level="warning",
        ws_ping_interval=20.0, ws_max_size=MAX_BYTES + 1000, timeout_graceful_shutdown=3, server_header=False,
        proxy_headers=False, **secure,
    )  # fmt: skip
    server = Announcing(config, browser, desk)
    if until is not None:
        threading.Thread(target=_end_when, args=(server, until), daemon=True).start()
    server.run()
    return 0


def _end_when(server: uvicorn.Server, until: Callable[[], bool]) -> None:
    while not until():
        time.sleep(0.2)
    server.should_exit = True


class Announcing(uvicorn.Server):
    """A server that says where it is once it listens."""

    def __init__(self, config: uvicorn.Config, browser: bool, desk: Desk) -> None:
        super().__init__(config)
        self._browser, self._desk = browser, desk

    async def startup(self, sockets: Any = None) -> None:
        """Start, then tell the address (the port may have been chosen by the system)."""
        await super().startup(sockets)
        if not self.servers:
            return
        port = self.servers[0].sockets[0].getsockname()[1]
        self._desk.port = port
        lan = self._desk.lan
        url = f"http://{self.config.host}:{port}/" if lan is None else f"https://127.0.0.1:{port}/?token={lan.token}"
        print(f"Tapete is at {url} (Ctrl+C ends it)", file=sys.stderr, flush=True)
        if lan is not None:
            link = lan.link(port, "/phone")
            print(f"{qr_text(link)}\nA phone of this house opens {link}\n", file=sys.stderr)
            print("The certificate is our own: the phone asks once whether to trust it.", file=sys.stderr, flush=True)
        if self._browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _teller(as_json: bool) -> Any:
    """A listener that prints the log as it grows."""

    def tell(match: Match, events: Sequence[Event]) -> None:
        for event in events:
            if as_json:
                print(json.dumps(event.to_json(), ensure_ascii=False), flush=True)
            elif event.kind == "move":
                _, words = match.referee.describe(match.game, event.data["move"], event.data["player"], match.context())
                totals = " – ".join(str(score.total) for score in match.game.score())
                print(f"{words}    [{totals}]", flush=True)
            elif event.kind == "illegal":
                said = plain_flag(event.data, match.record.game, match.record.players)["violations"]
                print("ILLEGAL: " + " ".join(one["en"] for one in said), flush=True)
            elif event.kind == "question":
                print(f"QUESTION: {event.data['en']}", flush=True)

    return tell


def run_watch(arguments: argparse.Namespace) -> int:
    """`tapete watch`."""
    settings, _ = settings_of(arguments, lan=arguments.lan)
    logging.basicConfig(level=settings.log_level.upper())
    desk = Desk(settings)
    if settings.camera is not None:
        desk.use_camera(settings.camera)
    match = None
    if arguments.match is not None:
        match = desk.match(arguments.match)
    elif arguments.game is not None:
        info = GAMES[arguments.game]
        names = [name.strip() for name in (arguments.players or "").split(",") if name.strip()]
        names = names or [f"Player {number + 1}" for number in range(info.players[0])]
        taught = desk.decks.in_use(arguments.game)  # a set of tiles or a deck of circuits, chosen before
        options, setup = ({}, {}) if taught is None else with_set(taught, {}, {})
        match = desk.new_match(arguments.game, names, options, setup)
    if match is not None:
        match.listeners.append(_teller(arguments.json))
        desk.table.use_match(match)
        print(f"match {match.id}", file=sys.stderr)
    return serve(desk, settings, arguments.browser)


def run_demo(arguments: argparse.Namespace) -> int:
    """`tapete demo`. Unless a data folder is named, what it writes is thrown away at the end."""
    if not 0 < arguments.speed <= 50:
        raise SettingsError("--speed is a factor between 0 and 50")
    with tempfile.TemporaryDirectory(prefix="tapete-demo-") as folder:
        named = arguments.set_data is not None
        settings, _ = settings_of(arguments, **({} if named else {"data": folder}))
        logging.basicConfig(level=settings.log_level.upper())
        desk = Desk(settings)
        match = desk.start_demo(arguments.game, arguments.seed, arguments.speed)
        match.listeners.append(_teller(arguments.json))

        def over() -> bool:
            status = desk.demo_status()
            return status is None or (status["game"] == arguments.game and status["finished"])

        heard: Counter[str] = Counter()
        match.listeners.append(lambda _, events: heard.update(event.kind for event in events))
        code = serve(desk, settings, not arguments.no_browser, over if arguments.exit else None)
        return max(code, _tell_end(desk, match, heard)) if arguments.exit else code


def _tell_end(desk: Desk, match: Match, heard: Counter[str]) -> int:
    """Say how a demonstration went; 1 if the eyes needed help or the score is not that of the game played."""
    camera, status = desk.table.camera, desk.demo_status()
    exact = bool(getattr(camera, "as_played", False))
    helped = status["helped"] if status else 0
    pairs = zip(match.scorers(), match.game.score(), strict=True)
    totals = ", ".join(f"{name} {score.total}" for name, score in pairs)
    end = "the game is over" if match.game.outcome() is not None else "the film is over"
    truth = "the score is that of the game played" if exact else "THE SCORE IS NOT THAT OF THE GAME PLAYED"
    print(f"{totals}; {end}; {truth}", file=sys.stderr)
    counts = f"flagged {heard['illegal']}, questions {heard['question']}"
    print(f"{counts}; the players helped {helped} times", file=sys.stderr)
    return 0 if exact and not helped else 1
