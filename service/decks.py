"""What players taught: pictures → proposals → confirmed looks → a gallery or a set. Every step is on disk at once.

A deck (of cards, triominoes, cords or circuits: `service.kinds`) lives in `decks/<name>/` of the data folder:
`deck.json` (what is known of each look), one crop per look, for cards an embedding too, and `gallery.npz`, which is
all that the card reader needs. An interrupted enrolment goes on where it was: crops are written first, `deck.json`
last and at once.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from rules.game import RulesError
from service.kinds import KINDS, Deck, Found, Kind, Look, Teacher, kind_of, reading_order
from service.kinds.base import SURE
from service.kinds.cards import Cards
from service.kinds.circuits import pair_backs
from service.kinds.use import check_game
from service.problems import Problem
from vision.cards.gallery import Gallery, GalleryError
from vision.images import ImageError, decode_image

Json = dict[str, Any]
NAME = re.compile(r"[\w][\w .-]{0,39}", re.UNICODE)
MAX_LOOKS = 600
MAX_CROP = 1_000_000  # pixels
MAX_ARCHIVE = 60_000_000
FORGED = (ValueError, LookupError, TypeError, AttributeError, OSError, RuntimeError, RulesError, Problem)
LOOK_ID = re.compile(r"k\d{1,4}")  # also the name of its files
NOTHING = {
    "cards": ("card", "ninguna carta"),
    "triominos": ("tile", "ninguna ficha"),
    "trama": ("loom with cords", "ningún telar con cuerdas"),
    "tronix": ("circuit card", "ninguna carta de circuito"),
}


class Decks:
    """The decks of one data folder."""

    def __init__(self, folder: Path, teacher: Callable[[], Teacher]) -> None:
        self.folder = folder / "decks"
        self._teacher = teacher
        self._kinds: dict[str, Kind] = {**KINDS, "cards": Cards(teacher)}
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
            looks = [_sound(Look(**entry)) for entry in saved.pop("looks")]
            deck = Deck(**saved, looks=looks)
            if len(looks) > MAX_LOOKS or deck.name != name:
                raise ValueError("this deck is none that was taught here")
            kind = KINDS[deck.kind]
            for look in deck.of("confirmed"):
                kind.canonical(look.label)
            deck.to_json()  # a file that was tampered with must fail here, not wherever the deck is used
            return deck
        except FORGED as error:
            raise Problem("damaged_deck", f"the deck {name!r} is damaged: delete it and teach it again") from error

    def _save(self, deck: Deck) -> None:
        home = self._home(deck.name)
        (home / "looks").mkdir(parents=True, exist_ok=True)
        draft = home / "deck.json.new"
        draft.write_text(json.dumps(asdict(deck), ensure_ascii=False), encoding="utf-8")
        draft.replace(home / "deck.json")

    def create(self, name: str, size: int = 40, kind: str = "cards") -> Deck:
        """Begin a deck; one of that kind that exists is gone on with."""
        with self._lock:
            if (self._home(name) / "deck.json").exists():
                deck = self.deck(name)
                if deck.kind != kind:
                    raise Problem("deck_exists", f"{name!r} is taken by another kind", f"{name!r} ya es otra cosa")
                return deck
            deck = Deck(name, time.time(), size, kind=kind)
            self._save(deck)
            return deck

    def delete(self, name: str) -> None:
        """Forget a deck with its pictures."""
        with self._lock:
            home = self._home(name)
            if not home.is_dir():
                raise Problem("unknown_deck", "there is no such deck", "no existe esa baraja")
            self._write_uses({game: used for game, used in self._uses().items() if used != name})
            shutil.rmtree(home)  # also one that is damaged: that is how to get rid of it

    # -- sets in use ------------------------------------------------------------------------------------------

    def _uses(self) -> dict[str, str]:
        try:
            saved = json.loads((self.folder / "in-use.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(game): str(name) for game, name in saved.items()} if isinstance(saved, dict) else {}

    def _write_uses(self, uses: dict[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / "in-use.json.new"
        draft.write_text(json.dumps(uses, ensure_ascii=False), encoding="utf-8")
        draft.replace(self.folder / "in-use.json")

    def use(self, name: str, on: bool = True) -> Deck:
        """Play with this set from now on (or no longer): one for each game. Decks of cards need no such word."""
        with self._lock:
            deck, uses = self.deck(name), self._uses()
            for game in kind_of(deck.kind).games:
                if on:
                    check_game(deck, game)
                    uses[game] = name
                elif uses.get(game) == name:
                    del uses[game]
            self._write_uses(uses)
            return deck

    def in_use(self, game: str) -> Deck | None:
        """The set that this game is played with, if one was chosen and can still be read."""
        name = self._uses().get(game)
        try:
            return None if name is None else self.deck(name)
        except Problem:
            return None

    def chosen(self, game: str, name: str | None) -> Deck | None:
        """The set named for a game, or the one in use."""
        if name is None:
            return self.in_use(game)
        deck = self.deck(name)
        check_game(deck, game)
        return deck

    def shown(self, deck: Deck) -> Json:
        """A deck as the API sends it, with whether it is in use."""
        return {**deck.to_json(), "in_use": deck.name in self._uses().values()}

    # -- teaching ---------------------------------------------------------------------------------------------

    def add_picture(
        self, name: str, image: np.ndarray, data: bytes, labels: list[str] | None = None, *, backs: bool = False
    ) -> Json:
        """Take in a picture of pieces laid out in any order; says what was found and what has to be decided.

        `labels` are the pieces in reading order (rows from the top, each from the left), where somebody knows them.
        `backs`: these are the circuit cards of the picture before, turned over in their places.
        """
        with self._lock:
            deck = self.deck(name)
            kind = self._kinds[deck.kind]
            digest = hashlib.sha256(data).hexdigest()[:24]
            if digest in deck.pictures:
                raise Problem(
                    "duplicate_picture",
                    "this very picture was already taken in; take another look under another light",
                    "esa misma foto ya está; haz otra con otra luz",
                )
            found = kind.see(image)
            if not found:
                en, es = NOTHING[deck.kind]
                raise Problem(
                    "no_cards",
                    f"no {en} can be seen: lay them face up, apart from each other, and come closer",
                    f"no se ve {es}: ponlas boca arriba, separadas, y acércate más",
                )
            if len(deck.looks) + len(found) > MAX_LOOKS:
                raise Problem("too_many_looks", "this deck has looks enough", "esta baraja ya tiene fotos de sobra")
            found = [found[index] for index in reading_order([one.piece for one in found])]
            if labels is not None and len(labels) != len(found):
                raise _wrong_count(len(found), len(labels))
            new = [
                _look(kind, f"k{len(deck.looks) + n}", digest, one, None if labels is None else labels[n])
                for n, one in enumerate(found)
            ]
            if backs and (deck.kind != "tronix" or not pair_backs(deck, new)):
                raise Problem(
                    "wrong_count",
                    "these are not as many cards as in the last picture of fronts: turn each over in its place",
                    "no son tantas cartas como en la última foto de caras: da la vuelta a cada una en su sitio",
                )
            self._refuse_same_view(deck, new, (image.shape[1], image.shape[0]))
            for look, one in zip(new, found, strict=True):
                self._keep(self._home(name), look, one)
            deck.looks += new
            kind.settle(deck, new)
            deck.pictures.append(digest)
            deck.version = str(self._teacher().faces.version) if deck.kind == "cards" else "1"
            self._save(deck)
            self._build(deck)
            return {"deck": self.shown(deck), "found": [asdict(look) for look in new]}

    @staticmethod
    def _refuse_same_view(deck: Deck, new: Sequence[Look], size: tuple[int, int]) -> None:
        """Circuit cards are counted, so the same cards in the same places again would double the deck."""
        if deck.kind != "tronix":
            return
        within = 0.01 * max(size)
        for picture in deck.pictures:
            old = [look for look in deck.looks if look.picture == picture]
            if len(old) == len(new) and all(_same(a, b, within) for a, b in zip(old, new, strict=True)):
                raise Problem(
                    "duplicate_picture",
                    "the same cards lie in the same places as in a picture before: lay out others",
                    "son las mismas cartas en los mismos sitios que en otra foto: pon otras",
                )

    @staticmethod
    def _keep(home: Path, look: Look, found: Found) -> None:
        cv2.imwrite(str(home / "looks" / f"{look.id}.jpg"), found.crop)
        if found.unit is not None:
            np.save(home / "looks" / f"{look.id}.npy", found.unit.astype(np.float16))

    def decide(self, name: str, look_id: str, label: str | None) -> Deck:
        """The player says which card a look shows; None throws the look away."""
        with self._lock:
            deck = self.deck(name)
            look = next((look for look in deck.looks if look.id == look_id), None)
            if look is None:
                raise Problem("unknown_look", "there is no such picture of a card", "no existe esa imagen de carta")
            look.label = look.label if label is None else self._kinds[deck.kind].canonical(label)
            look.state = "refused" if label is None else "confirmed"
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
        if deck.kind != "cards":
            return
        home = self._home(deck.name)
        gallery = Gallery(deck.name, deck.version, (), np.zeros((0, 0), np.float32))
        for look in deck.looks:
            path = home / "looks" / f"{look.id}.npy"
            if look.state == "confirmed" and path.exists():
                try:
                    unit = np.load(path, allow_pickle=False).astype(np.float32)
                except (ValueError, OSError, EOFError, MemoryError):
                    continue  # one look less; the player can show the card again
                gallery = gallery.with_card(look.label, unit, _crop(path.with_suffix(".jpg")))
        gallery.save(home / "gallery.npz")

    def galleries(self, version: str) -> tuple[list[Gallery], list[str]]:
        """The galleries that fit the network's version, and the names of those taught to another one."""
        fit, stale = [], []
        for name in self.names():
            gallery = self._gallery(name)
            if gallery is None:
                continue
            if gallery.version == version and gallery.labels:
                fit.append(gallery)
            elif gallery.labels:
                stale.append(name)
        return fit, stale

    def _gallery(self, name: str) -> Gallery | None:
        """A deck's gallery; made again where it is damaged, or older than what was taught last."""
        path = self._home(name) / "gallery.npz"
        for _ in range(2):
            try:
                if path.stat().st_mtime_ns >= (path.parent / "deck.json").stat().st_mtime_ns:
                    return Gallery.load(path)
            except (OSError, GalleryError):
                pass
            try:
                deck = self.deck(name)
            except Problem:
                return None  # said where decks are listed; the other decks must go on
            if deck.kind != "cards" or not deck.looks:
                return None
            with self._lock:
                self._build(deck)
        return None

    def refresh(self, name: str) -> Deck:
        """Embed the kept crops again with the network of today: a new version of Tapete needs no new pictures."""
        with self._lock:
            deck, teacher = self.deck(name), self._teacher()
            home = self._home(name)
            for look in deck.looks:
                flat = _crop(home / "looks" / f"{look.id}.jpg")
                if flat is None:
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
            except Exception as error:  # zip files can be wrong in more ways than anybody has listed
                shutil.rmtree(home, ignore_errors=True)
                raise refusal from error
            return deck


def _crop(path: Path) -> np.ndarray | None:
    """The picture of a look; None where it is damaged, missing or far too large."""
    try:
        return decode_image(path.read_bytes(), MAX_CROP)
    except (ImageError, OSError):
        return None


def _sound(look: Look) -> Look:
    """A look from a file as it was written here; ValueError for one that was made up.

    Its id becomes a file's name, so that it must not lead anywhere else.
    """
    texts = (look.id, look.picture, look.label)
    corners = np.asarray(look.corners, np.float64)
    fits = (
        all(isinstance(text, str) for text in texts)
        and LOOK_ID.fullmatch(look.id) is not None
        and look.state in ("proposed", "confirmed", "refused")
        and math.isfinite(look.confidence)
        and all(isinstance(name, str) and math.isfinite(p) for name, p in look.alternatives)
        and (not corners.size or (corners.ndim == 2 and corners.shape[1] == 2 and bool(np.isfinite(corners).all())))
        and isinstance(look.facts, dict)
    )
    if not fits:
        raise ValueError("a look of this deck is damaged")
    return look


def _look(kind: Kind, id_: str, digest: str, found: Found, label: str | None) -> Look:
    piece = found.piece
    corners = [[round(x, 1), round(y, 1)] for x, y in piece.corners]
    if label is not None:
        return Look(id_, digest, kind.canonical(label), 1.0, [], corners, "confirmed", dict(found.facts))
    others = [[name, round(p, 4)] for name, p in piece.alternatives if name != "back"][:4]
    return Look(id_, digest, piece.label, round(piece.confidence, 4), others, corners, facts=dict(found.facts))


def _same(a: Look, b: Look, within: float) -> bool:
    """Whether two looks show the same label at the same place of the picture."""
    near = np.abs(np.mean(a.corners, axis=0) - np.mean(b.corners, axis=0)).max() <= within
    return a.label == b.label and bool(near)


def _wrong_count(seen: int, named: int) -> Problem:
    en = f"{seen} pieces can be seen, but {named} were named"
    return Problem("wrong_count", en, f"se ven {seen} piezas, pero se nombraron {named}")


__all__ = ["SURE", "Deck", "Decks", "Look", "kind_of", "reading_order"]
