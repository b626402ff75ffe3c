"""The door: who may speak to the server, from which page, how often, and how much may be sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.lan import COOKIE, Lan, Limits
from service.problems import STATUS, Problem

SAFE = {"GET", "HEAD", "OPTIONS"}
API = "/api/"
OPEN = "/api/v1/health"
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)
LOCAL = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "style-src 'self'; script-src 'self'; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
}


def _name(host: str) -> str:
    """A Host header without its port; "" for one that is none."""
    found = HOST.fullmatch(host)
    return found[1] if found else ""


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"))


def _tokens(scope: Scope) -> list[str]:
    """The tokens that a request brings: in its address, as a bearer, or in the cookie."""
    headers = Headers(scope=scope)
    found = [value for name, value in _query(scope) if name == "token"]
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        found.append(value.strip())
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        cookie = None
    return [*found, cookie.value] if cookie is not None else found


class TooLarge(Exception):
    """More was sent than is allowed."""


class Door:
    """ASGI middleware: Host allow-list, Origin on writes and WebSockets, body limit while streaming, headers.

    On the local network also: a token for everything but the health check, and limits on how often one may ask.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = (),
        max_bytes: int = 20_000_000,
        lan: Lan | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.app, self.max_bytes = app, max_bytes
        self.lan, self.limits = lan, limits or Limits()
        self.hosts = {name.lower() for name in (*LOCAL, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        problem = self._refusal(scope)
        if problem is None and self.lan is not None:
            problem = self._unknown(scope, self.lan)
            if problem is None and self._arrives(scope, self.lan):
                await self._welcome(scope, send, self.lan)
                return
        if problem is not None:
            await self._refuse(scope, send, problem)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self._limited(scope, receive, send)

    def _refusal(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        hosts = [host.lower() for host in headers.getlist("host")]
        if len(hosts) != 1 or _name(hosts[0]) not in self.hosts:
            return Problem("bad_host", "this host name is not served here", "ese nombre de host no se atiende aquí")
        writes = scope["type"] == "websocket" or scope["method"] not in SAFE
        scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
        origin = headers.get("origin", "").lower()
        # A browser always names the page that sends a write; a program such as curl names none.
        strange = writes and "origin" in headers and origin != f"{scheme}://{hosts[0]}"
        # Another page may link to ours, but not use the API: asking for a camera's picture would switch the camera on.
        asks = writes or scope["path"].startswith(API)
        if strange or (asks and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")):
            return Problem("bad_origin", "another page may not do this", "otra página no puede hacer esto")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self.max_bytes:
            return self._too_large()
        return None

    def _unknown(self, scope: Scope, lan: Lan) -> Problem | None:
        """Who asks too often, or without the token."""
        address = str((scope.get("client") or ("?", 0))[0])
        if not self.limits.take(address) or not self.limits.may_guess(address):
            return Problem("too_many", "too many requests: wait a minute", "demasiadas peticiones: espera un minuto")
        if scope["path"] == OPEN:
            return None
        tokens = _tokens(scope)
        if any(lan.knows(token) for token in tokens):
            return None
        if tokens:
            self.limits.wrong(address)
        return Problem(
            "bad_token",
            "open the link (or scan the code) that Tapete shows on its own computer",
            "abre el enlace (o escanea el código) que Tapete muestra en su ordenador",
        )

    @staticmethod
    def _arrives(scope: Scope, lan: Lan) -> bool:
        """A page opened by the link: the token goes into a cookie and out of the address."""
        page = scope["type"] == "http" and scope["method"] == "GET" and not scope["path"].startswith(API)
        return page and any(lan.knows(value) for name, value in _query(scope) if name == "token")

    @staticmethod
    async def _welcome(scope: Scope, send: Send, lan: Lan) -> None:
        rest = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
        place = quote("/" + scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        cookie = f"{COOKIE}={lan.token}; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Strict"
        headers = [(b"location", place.encode()), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _too_large(self) -> Problem:
        limit = self.max_bytes // 1_000_000
        return Problem("too_large", f"more than {limit} MB were sent", f"se han enviado más de {limit} MB")

    async def _refuse(self, scope: Scope, send: Send, problem: Problem) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": problem.code})
            return
        body = json.dumps(problem.body()).encode()
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": STATUS[problem.code], "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        got, over, started = 0, False, False

        async def counted() -> Message:
            nonlocal got, over
            message = await receive()
            if message["type"] == "http.request":
                got += len(message.get("body", b""))
                if got > self.max_bytes:
                    over = True
                    raise TooLarge
            return message

        async def with_headers(message: Message) -> None:
            nonlocal started
            if over and not started:  # whatever the app makes of the cut-off body, this is why
                raise TooLarge
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, counted, with_headers)
        except TooLarge:
            if not started:
                await self._refuse(scope, send, self._too_large())
