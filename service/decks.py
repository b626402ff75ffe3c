"""Decks that players taught: pictures → proposals → confirmed cards → a gallery. Every step is on disk at once.

A deck lives in `decks/<name>/` of the data folder: `deck.json` (what is known of each look at a card), one crop and one
embedding per look, and `gallery.npz`, which is all that the eyes need. An interrupted enrolment goes on where it was.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from service.problems import Problem
from vision.cards.faces import probabilities
from vision.cards.gallery import Gallery
from vision.cards.geometry import flatten
from vision.cards.labels import FACES
from vision.images import ImageError, decode_image
from vision.state import Piece

Json = dict[str, Any]
NAME = re.compile(r"[\w][\w .-]{0,39}", re.UNICODE)
SURE = 0.9  # a proposal at least this sure is taken unless the player says otherwise
MIRRORED = 0.15  # how much better mirrored cards must read before a picture is called a mirror image
MAX_LOOKS = 600
MAX_ARCHIVE = 60_000_000


class Teacher(Protocol):
    """What enrolment needs of the card reader."""

    faces: Any

    def embed(self, image: np.ndarray) -> list[tuple[Piece, np.ndarray]]:
        """Every card of a picture with its embedding."""


@dataclass(slots=True)
class Look:
    """One look at one card. `state`: proposed, confirmed (by the player or because it was sure) or refused."""

    id: str
    picture: str
    label: str
    confidence: float
    alternatives: list[list[Any]]  # [label, probability]
    corners: list[list[float]]
    state: str = "proposed"


@dataclass(slots=True)
class Deck:
    """What has been taught of one deck."""

    name: str
    created: float
    size: int = 40
    version: str = ""
    pictures: list[str] = field(default_factory=list)  # hashes, so that the same picture does not count twice
    looks: list[Look] = field(default_factory=list)

    def wanted(self) -> list[str]:
        """The cards that a deck of this size has."""
        return [face for face in FACES if _belongs(face, self.size)]

    def known(self) -> dict[str, int]:
        """Confirmed looks per card."""
        counts: dict[str, int] = {}
        for look in self.looks:
            if look.state == "confirmed":
                counts[look.label] = counts.get(look.label, 0) + 1
        return counts

    def doubtful(self) -> list[Look]:
        """Looks that the player has to decide."""
        return [look for look in self.looks if look.state == "proposed"]

    def to_json(self) -> Json:
        """Progress, what is missing, what is doubtful."""
        known, wanted = self.known(), self.wanted()
        return {
            "name": self.name,
            "size": self.size,
            "created": self.created,
            "known": known,
            "missing": [label for label in wanted if label not in known],
            "progress": round(sum(label in known for label in wanted) / max(len(wanted), 1), 4),
            "looks": [asdict(look) for look in self.looks],
            "doubtful": [look.id for look in self.doubtful()],
        }


def _no_card(label: str) -> Problem:
    shown = repr(label[:40])
    return Problem("unknown_card", f"{shown} is not a Spanish card", f"{shown} no es una carta española")


def _belongs(label: str, size: int) -> bool:
    if label == "comodin":
        return size == 50
    number = int(label.split("-", maxsplit=1)[0])
    return size >= 48 or number not in (8, 9)


class Decks:
    """The decks of one data folder."""

    def __init__(self, folder: Path, teacher: Callable[[], Teacher]) -> None:
        self.folder = folder / "decks"
        self._teacher = teacher
        self._lock = threading.RLock()

    # -- files ------------------------------------------------------------------------------------------------

    def _home(self, name: str) -> Path:
        if not NAME.fullmatch(name) or name.endswith((".", " ")):
            raise Problem(
                "bad_deck_name",
                "a deck's name has up to 40 letters, digits, spaces, dots or dashes",
                "el nombre de una baraja tiene hasta 40 letras, cifras, espacios, puntos o guiones",
            )
        return self.folder / name

    def names(self) -> list[str]:
        """The decks there are."""
        if not self.folder.is_dir():
            return []
        return sorted(path.parent.name for path in self.folder.glob("*/deck.json"))

    def deck(self, name: str) -> Deck:
        """A deck by its name."""
        path = self._home(name) / "deck.json"
        if not path.exists():
            raise Problem("unknown_deck", "there is no such deck", "no existe esa baraja")
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            looks = [Look(**entry) for entry in saved.pop("looks")]
            return Deck(**saved, looks=looks)
        except (ValueError, TypeError, KeyError, OSError) as error:
            raise Problem("damaged_deck", f"the deck {name!r} is damaged: delete it and teach it again") from error

    def _save(self, deck: Deck) -> None:
        home = self._home(deck.name)
        (home / "looks").mkdir(parents=True, exist_ok=True)
        draft = home / "deck.json.new"
        draft.write_text(json.dumps(asdict(deck), ensure_ascii=False), encoding="utf-8")
        draft.replace(home / "deck.json")

    def create(self, name: str, size: int = 40) -> Deck:
        """Begin a deck; one that exists is gone on with."""
        with self._lock:
            if (self._home(name) / "deck.json").exists():
                return self.deck(name)
            deck = Deck(name, time.time(), size)
            self._save(deck)
            return deck

    def delete(self, name: str) -> None:
        """Forget a deck with its pictures."""
        with self._lock:
            self.deck(name)
            shutil.rmtree(self._home(name))

    # -- teaching ---------------------------------------------------------------------------------------------

    def add_picture(self, name: str, image: np.ndarray, data: bytes, labels: list[str] | None = None) -> Json:
        """Take in a picture of cards laid out in any order; says what was found and what has to be decided.

        `labels` are the cards in reading order (rows from the top, each from the left), where somebody knows them.
        """
        with self._lock:
            deck = self.deck(name)
            digest = hashlib.sha256(data).hexdigest()[:24]
            if digest in deck.pictures:
                raise Problem(
                    "duplicate_picture",
                    "this very picture was already taken in; take another look under another light",
                    "esa misma foto ya está; haz otra con otra luz",
                )
            teacher = self._teacher()
            found = [(piece, unit) for piece, unit in teacher.embed(image) if piece.kind == "card"]
            if not found:
                raise Problem(
                    "no_cards",
                    "no card can be seen: lay them face up, apart from each other, and come closer",
                    "no se ve ninguna carta: ponlas boca arriba, separadas, y acércate más",
                )
            if len(deck.looks) + len(found) > MAX_LOOKS:
                raise Problem("too_many_looks", "this deck has looks enough", "esta baraja ya tiene fotos de sobra")
            self._refuse_mirrored(teacher, image, found)
            order = reading_order([piece for piece, _ in found])
            if labels is not None and len(labels) != len(found):
                raise Problem(
                    "wrong_count",
                    f"{len(found)} cards can be seen, but {len(labels)} were named",
                    f"se ven {len(found)} cartas, pero se nombraron {len(labels)}",
                )
            new = []
            home = self._home(name)
            for position, index in enumerate(order):
                piece, unit = found[index]
                look = self._look(deck, digest, piece, None if labels is None else labels[position])
                self._keep(home, look, image, piece, unit)
                deck.looks.append(look)
                new.append(look)
            self._settle(deck, new)
            deck.pictures.append(digest)
            deck.version = str(teacher.faces.version)
            self._save(deck)
            self._build(deck)
            return {"deck": deck.to_json(), "found": [asdict(look) for look in new]}

    @staticmethod
    def _look(deck: Deck, digest: str, piece: Piece, label: str | None) -> Look:
        corners = [[round(x, 1), round(y, 1)] for x, y in piece.corners]
        number = len(deck.looks)
        if label is not None:
            if label not in FACES:
                raise _no_card(label)
            return Look(f"k{number}", digest, label, 1.0, [], corners, "confirmed")
        others = [[name, round(p, 4)] for name, p in piece.alternatives if name in FACES][:4]
        return Look(f"k{number}", digest, piece.label, round(piece.confidence, 4), others, corners)

    @staticmethod
    def _keep(home: Path, look: Look, image: np.ndarray, piece: Piece, unit: np.ndarray) -> None:
        flat = flatten(image, np.array(piece.corners, float))
        cv2.imwrite(str(home / "looks" / f"{look.id}.jpg"), flat)
        np.save(home / "looks" / f"{look.id}.npy", unit.astype(np.float16))

    @staticmethod
    def _settle(deck: Deck, new: list[Look]) -> None:
        """Sure proposals are taken; a card that is proposed twice in one picture is asked about."""
        count: dict[str, int] = {}
        for look in new:
            count[look.label] = count.get(look.label, 0) + 1
        for look in new:
            fits = look.label in deck.wanted() and count[look.label] == 1
            if look.state == "proposed" and look.confidence >= SURE and fits:
                look.state = "confirmed"

    @staticmethod
    def _refuse_mirrored(teacher: Teacher, image: np.ndarray, found: list[tuple[Piece, np.ndarray]]) -> None:
        """A mirrored picture (a selfie camera) teaches the wrong cards: indices and figures face the other way."""
        patches = np.stack([flatten(image, np.array(piece.corners, float)) for piece, _ in found])
        plain = np.mean([probabilities(face.logits).max() for face in teacher.faces.read(patches)])
        turned = np.ascontiguousarray(patches[:, :, ::-1])
        mirrored = np.mean([probabilities(face.logits).max() for face in teacher.faces.read(turned)])
        if len(found) >= 3 and mirrored > plain + MIRRORED:
            raise Problem(
                "mirrored_picture",
                "this picture looks like a mirror image: switch mirroring off in the camera and take it again",
                "esta foto parece reflejada como en un espejo: quita el modo espejo de la cámara y repítela",
            )

    def decide(self, name: str, look_id: str, label: str | None) -> Deck:
        """The player says which card a look shows; None throws the look away."""
        with self._lock:
            deck = self.deck(name)
            look = next((look for look in deck.looks if look.id == look_id), None)
            if look is None:
                raise Problem("unknown_look", "there is no such picture of a card", "no existe esa imagen de carta")
            if label is not None and label not in FACES:
                raise _no_card(label)
            look.state = "refused" if label is None else "confirmed"
            look.label = look.label if label is None else label
            self._save(deck)
            self._build(deck)
            return deck

    def crop(self, name: str, look_id: str) -> bytes:
        """The crop of a look as JPEG."""
        deck = self.deck(name)
        if not any(look.id == look_id for look in deck.looks):
            raise Problem("unknown_look", "there is no such picture of a card", "no existe esa imagen de carta")
        return (self._home(name) / "looks" / f"{look_id}.jpg").read_bytes()

    # -- galleries --------------------------------------------------------------------------------------------

    def _build(self, deck: Deck) -> None:
        home = self._home(deck.name)
        gallery = Gallery(deck.name, deck.version, (), np.zeros((0, 0), np.float32))
        for look in deck.looks:
            path = home / "looks" / f"{look.id}.npy"
            if look.state == "confirmed" and path.exists():
                unit = np.load(path, allow_pickle=False).astype(np.float32)
                crop = cv2.imread(str(path.with_suffix(".jpg")))
                gallery = gallery.with_card(look.label, unit, crop)
        gallery.save(home / "gallery.npz")

    def galleries(self, version: str) -> tuple[list[Gallery], list[str]]:
        """The galleries that fit the network's version, and the names of those taught to another one."""
        fit, stale = [], []
        for name in self.names():
            path = self._home(name) / "gallery.npz"
            if not path.exists():
                continue
            gallery = Gallery.load(path)
            if gallery.version == version and gallery.labels:
                fit.append(gallery)
            elif gallery.labels:
                stale.append(name)
        return fit, stale

    def refresh(self, name: str) -> Deck:
        """Embed the kept crops again with the network of today: a new version of Tapete needs no new pictures."""
        with self._lock:
            deck, teacher = self.deck(name), self._teacher()
            home = self._home(name)
            for look in deck.looks:
                try:
                    flat = decode_image((home / "looks" / f"{look.id}.jpg").read_bytes(), 1_000_000)
                except (ImageError, OSError):
                    continue  # one look less; the player can show the card again
                face = teacher.faces.read(flat[None])[0]
                np.save(home / "looks" / f"{look.id}.npy", face.embedding.astype(np.float16))
            deck.version = str(teacher.faces.version)
            self._save(deck)
            self._build(deck)
            return deck

    # -- files to carry ---------------------------------------------------------------------------------------

    def export(self, name: str) -> bytes:
        """A deck as one file."""
        home = self._home(self.deck(name).name)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
            for path in sorted(home.rglob("*")):
                if path.is_file() and path.suffix in (".json", ".jpg", ".npy"):
                    file.writestr(path.relative_to(home).as_posix(), path.read_bytes())
        return out.getvalue()

    def take_in(self, data: bytes, name: str) -> Deck:
        """A deck from a file written by `export`, under a name that is free. Only names we wrote are unpacked."""
        with self._lock:
            home = self._home(name)
            if home.exists():
                raise Problem("deck_exists", "there is already a deck of this name", "ya hay una baraja con ese nombre")
            refusal = Problem("not_a_deck", "this file is no deck of Tapete", "ese archivo no es una baraja de Tapete")
            try:
                with zipfile.ZipFile(io.BytesIO(data)) as file:
                    known = re.compile(r"deck\.json|looks/k\d{1,4}\.(jpg|npy)")
                    entries = [info for info in file.infolist() if known.fullmatch(info.filename)]
                    if sum(info.file_size for info in entries) > MAX_ARCHIVE:
                        raise refusal
                    saved = json.loads(file.read("deck.json"))
                    (home / "looks").mkdir(parents=True)
                    for info in entries:
                        if info.filename != "deck.json":
                            (home / info.filename).write_bytes(file.read(info))
                (home / "deck.json").write_text(json.dumps({**saved, "name": name}), encoding="utf-8")
                deck = self.deck(name)
                self._build(deck)
            except (zipfile.BadZipFile, ValueError, KeyError, TypeError, RuntimeError, Problem) as error:
                shutil.rmtree(home, ignore_errors=True)
                raise refusal from error
            return deck


def reading_order(pieces: list[Piece]) -> list[int]:
    """Indices of cards in rows from the top, each row from the left; rows are as loose as people lay them."""
    if not pieces:
        return []
    heights = [max(y for _, y in p.corners) - min(y for _, y in p.corners) for p in pieces]
    left = sorted(range(len(pieces)), key=lambda i: pieces[i].centre[1])
    rows: list[list[int]] = []
    for index in left:
        y = pieces[index].centre[1]
        row = rows[-1] if rows else None
        middle = None if row is None else sum(pieces[i].centre[1] for i in row) / len(row)
        if row is not None and middle is not None and abs(y - middle) < 0.5 * heights[index]:
            row.append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda i: pieces[i].centre[0])]
