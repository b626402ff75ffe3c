"""The table on the local network: a token, a certificate made here, and the link that a phone opens.

None of this is used unless `--lan` is given. The key and the token stay in the data folder, readable by their owner.
"""

from __future__ import annotations

import contextlib
import datetime
import hmac
import io
import ipaddress
import os
import secrets
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import segno
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

COOKIE = "tapete_token"
DAYS = 397  # browsers on phones refuse certificates that are valid for much longer than a year
RENEW = 30
GUESSES = 10  # wrong tokens a minute from one address before it has to wait
BURST, PER_SECOND = 240, 60.0


@dataclass(frozen=True, slots=True)
class Lan:
    """What a server needs to be reached from other machines of the house."""

    token: str
    certificate: Path
    key: Path
    hosts: tuple[str, ...]

    def knows(self, token: str | None) -> bool:
        """Whether somebody knows the token; takes as long for a near miss as for a wild guess."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def link(self, port: int, path: str = "/") -> str:
        """The link that lets a phone in."""
        host = self.hosts[0] if self.hosts else "127.0.0.1"
        return f"https://{host}:{port}{path}?token={self.token}"


def addresses() -> list[str]:
    """This machine's addresses on its networks, the one that leads outward first; loopback is none of them."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which way a packet would leave
        found.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    unique = dict.fromkeys(found)
    return [address for address in unique if not ipaddress.ip_address(address).is_loopback]


def prepare(folder: Path, hosts: list[str] | None = None) -> Lan:
    """The token and the certificate, made on the first start and kept; a certificate for other addresses is renewed."""
    home = folder / "lan"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = addresses() if hosts is None else hosts
    token = _token(home / "token")
    certificate, key = home / "certificate.pem", home / "key.pem"
    if not _valid(certificate, key, found):
        _make_certificate(certificate, key, found)
    return Lan(token, certificate, key, tuple(found))


def _private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_suffix(".new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    draft.replace(path)


def _token(path: Path) -> str:
    if path.exists():
        known = path.read_text(encoding="ascii", errors="replace").strip()
        if len(known) >= 20 and known.isascii():
            return known
    token = secrets.token_urlsafe(18)
    _private(path, token.encode())
    return token


def _valid(certificate: Path, key: Path, hosts: list[str]) -> bool:
    try:
        known = x509.load_pem_x509_certificate(certificate.read_bytes())
        serialization.load_pem_private_key(key.read_bytes(), None)
        names = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        covered = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return False
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=RENEW)
    return known.not_valid_after_utc > soon and covered >= set(hosts)


def _make_certificate(certificate: Path, key: Path, hosts: list[str]) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tapete")])
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    names += [x509.IPAddress(ipaddress.ip_address(host)) for host in ("127.0.0.1", *hosts)]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # a phone's clock may be a little behind
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    _private(key, private.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain))
    _private(certificate, made.public_bytes(encoding))


def qr_svg(link: str) -> str:
    """A link as a QR code for the page."""
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=6, border=3, dark="#1d1d1d", light="#ffffff")
    return out.getvalue().decode()


def qr_text(link: str) -> str:
    """A link as a QR code for the terminal."""
    out = io.StringIO()
    segno.make(link, error="l").terminal(out, compact=True, border=2)
    return out.getvalue()


class Limits:
    """Who asks too often: a bucket of requests per address, and a count of wrong tokens."""

    def __init__(self, burst: int = BURST, per_second: float = PER_SECOND, guesses: int = GUESSES) -> None:
        self.burst, self.per_second, self.guesses = burst, per_second, guesses
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}
        self._wrong: dict[str, list[float]] = {}

    def take(self, address: str, now: float | None = None) -> bool:
        """One request of an address; False if it has to wait."""
        at = time.monotonic() if now is None else now
        with self._lock:
            if len(self._buckets) > 4096:  # an attacker's many addresses must not fill the memory
                self._buckets.clear()
            left, since = self._buckets.get(address, (float(self.burst), at))
            left = min(float(self.burst), left + (at - since) * self.per_second)
            self._buckets[address] = (max(left - 1, 0.0), at)
            return left >= 1

    def wrong(self, address: str, now: float | None = None) -> None:
        """A wrong token came from an address."""
        at = time.monotonic() if now is None else now
        with self._lock:
            if len(self._wrong) > 4096:
                self._wrong.clear()
            self._wrong[address] = [*self._recent(address, at), at]

    def may_guess(self, address: str, now: float | None = None) -> bool:
        """Whether an address may try another token."""
        at = time.monotonic() if now is None else now
        with self._lock:
            return len(self._recent(address, at)) < self.guesses

    def _recent(self, address: str, now: float) -> list[float]:
        return [moment for moment in self._wrong.get(address, []) if now - moment < 60]
