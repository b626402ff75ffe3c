"""Which cameras the API may open: what comes over the network must not make this computer look where it should not."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from service.desk import DEMO
from service.games import GAMES
from service.phone import PHONE
from service.problems import Problem

ADDRESS = "://"
# Where clouds keep their machines' secrets, as far as those addresses are not link-local anyway.
METADATA = frozenset(
    ipaddress.ip_address(address)
    for address in ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce::254")
)
PLAIN = re.compile(r"[\w.~!$&'()*+,;=%:@\[\]-]+")  # the letters of a host with its port and its password


def may_be_a_camera(address: str) -> bool:
    """Whether a camera may be looked for at a numeric address; IPv4 addresses hidden in IPv6 ones are seen."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        hidden = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if any(inner is not None and not may_be_a_camera(str(inner)) for inner in hidden):
            return False
        if ip.ipv4_mapped is not None:
            return True
    return not (ip.is_link_local or ip.is_multicast or ip.is_unspecified or ip.is_reserved or ip in METADATA) or (
        ip.is_loopback
    )


def check_remote_source(source: str) -> None:
    """What the API may open: an index, a simulated camera, or a URL that is not link-local; never a path."""
    if source == PHONE or (source.isascii() and source.isdigit() and len(source) < 4):
        return
    if source.startswith(DEMO) and source[len(DEMO) :] in GAMES:
        return
    refusal = Problem(
        "bad_camera",
        "a camera is an index, demo:GAME, or an http, https or rtsp address",
        "una cámara es un índice, demo:JUEGO o una dirección http, https o rtsp",
    )
    try:
        parts = urlsplit(source)
        host = parts.hostname
        _ = parts.port  # raises where it is no number
    except ValueError:
        raise refusal from None
    # Two readers may disagree on where a strange address leads; a plain one leaves no doubt.
    plain = source.isascii() and source.isprintable() and PLAIN.fullmatch(parts.netloc) is not None
    if parts.scheme.lower() not in ("http", "https", "rtsp") or not host or not plain:
        raise refusal
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        raise Problem("bad_camera", f"the host {host!r} cannot be found", f"no se encuentra el host {host!r}") from None
    if not all(may_be_a_camera(address) for address in found):
        raise Problem("bad_camera", "this address is not allowed", "esa dirección no está permitida")
