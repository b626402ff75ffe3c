"""What enrolment is worth: decks that the face network was never taught, read before and after they are shown to it.

Every deck is photographed for enrolment (once, three times) and again, in other light, lying anyhow, to be read. It is
taught through the same code as by a player who corrects each wrong proposal. Figures carry 95 % Wilson intervals.

A deck is left out only if the network was trained without it: name such a network with `--network FILE.onnx` and its
decks with `--decks a,b,c,d`. The shipped network has learnt from every scanned deck, so with it the drawn styles that
are kept out of training are measured. The cards of the renders' unseen deck are measured with both. The networks that
find cards and their corners have seen the scans in any case; they learn no faces.

Every card lies apart from the others and wholly in the picture; light, focus and camera are as bad as they come. A card
of another deck is shown to each gallery as if its deck had been recognised, so that the pictures alone must tell.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from datasets.evaluate import wilson
from datasets.labels import PieceLabel
from service.bench.card_photos import RESERVED, UNSEEN, Photo, cut_from_renders, drawn, photographs, scanned
from service.bench.card_photos import Deck as Art
from service.bench.table import Row
from service.decks import Decks
from service.kinds.cards import Cards
from service.problems import Problem
from vision.cards import CardReader, Gallery, default_reader
from vision.cards.faces import FaceReader
from vision.cards.reader import Look
from vision.onnx import Network
from vision.state import Piece

SEED = 20_000
LOOKS = 3
SHOWN = 80  # cards of each deck that are read, at least
WHENS = ("before enrolment", "after 1 look a card", f"after {LOOKS} looks a card")


class _Once:
    """A stage of the reader that remembers its answers, so that one picture can be read with many galleries."""

    def __init__(self, stage: Any) -> None:
        self._stage, self._known = stage, dict[tuple[Any, ...], Any]()
        self._images: dict[int, np.ndarray] = {}  # kept alive: another one must not come to have the same `id`

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stage, name)

    def _remember(self, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def find(self, image: np.ndarray, *more: Any, **named: Any) -> Any:
        """Of the detector and of the corner finder, whose answers the reader may change."""
        self._images[id(image)] = image
        asked = tuple(part.tobytes() if isinstance(part, np.ndarray) else part for part in more)
        return copy(self._remember((id(image), asked), lambda: self._stage.find(image, *more, **named)))

    def read(self, patches: np.ndarray) -> Any:
        """Of the face network."""
        return self._remember((patches.shape, patches.tobytes()), lambda: self._stage.read(patches))


@dataclass(slots=True)
class Tally:
    """What was counted over all decks."""

    hits: dict[str, list[int]] = field(default_factory=dict)  # right, of
    seconds: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)  # processor seconds, which a busy computer does not change
    taps: list[int] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    readings: list[float] = field(default_factory=list)
    reading_work: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)  # likeness to the gallery's picture
    other: list[float] = field(default_factory=list)

    def count(self, name: str, right: int, of: int) -> None:
        """Add to a rate."""
        pair = self.hits.setdefault(name, [0, 0])
        pair[0] += right
        pair[1] += of


def rows(quick: bool, network: Path | None = None, decks: str | None = None) -> list[Row]:
    """The figures; `decks` are names of scanned decks that `network` was trained without."""
    faces = FaceReader(Network(network)) if network is not None else None
    cards, notes = _left_out(decks, network)
    shared = default_reader()
    plain: Any = (_Once(shared.detector), _Once(shared.finder), _Once(faces or shared.faces))
    if quick:
        cards = {name: {label: deck[label] for label in list(deck)[::3]} for name, deck in cards.items()}
    rng = np.random.default_rng(SEED)
    held = {
        name: [
            photo
            for _ in range(1 if quick else max(2, SHOWN // len(deck)))
            for photo in photographs(deck, list(deck), rng, hard=0.35, tilt=28, turned=True)
        ]
        for name, deck in cards.items()
    }
    tally, galleries = Tally(), {}
    for number, (name, deck) in enumerate(cards.items(), start=1):
        print(f"\rdeck {number} of {len(cards)}: {name}", end="", flush=True)
        galleries[name] = _one_deck(name, deck, held[name], plain, rng, tally)
    print("\r" + " " * 60 + "\r", end="")
    _unknown(galleries, held, plain, tally)
    for taught, work in ((list(galleries.values())[:1], tally.reading_work), ([], tally.plain)):
        reader = CardReader(taught, detector=shared.detector, finder=shared.finder, faces=faces or shared.faces)
        for photo in next(iter(held.values()))[:5]:
            began, worked = time.perf_counter(), time.process_time()
            reader.read(photo.image)
            work.append((time.process_time() - worked) * 1000)
            if taught:
                tally.readings.append((time.perf_counter() - began) * 1000)
    return _rows(tally, list(cards), notes)


def _left_out(decks: str | None, network: Path | None) -> tuple[dict[str, Art], str]:
    if decks and network is None:
        raise ValueError("--decks needs the --network that was trained without them")
    names, measure = (decks.split(","), scanned) if decks else (list(RESERVED), drawn)
    found: dict[str, Art] = {name: measure(name) for name in names}
    notes = "in no training" if network is None else f"not learnt by {network.name}"
    try:
        found[UNSEEN] = cut_from_renders()
    except FileNotFoundError as error:
        return found, f"{notes}; {error}"
    return found, notes


def _reader(stages: Any, galleries: Sequence[Gallery] = ()) -> CardReader:
    return CardReader(galleries, detector=stages[0], finder=stages[1], faces=stages[2])


def _one_deck(
    name: str, deck: Art, held: Sequence[Photo], stages: Any, rng: np.random.Generator, tally: Tally
) -> Gallery:
    """Read before, teach once, read, teach twice more, read again; the gallery of one look a card."""
    _read_all(WHENS[0], name, _reader(stages), held, tally)
    galleries = []
    with tempfile.TemporaryDirectory(prefix="tapete-bench-") as folder:
        decks = Decks(Path(folder), lambda: _reader(stages))
        decks.create(name, 48)
        path = Path(folder) / "decks" / name / "gallery.npz"
        for look in range(1, LOOKS + 1):
            shown = photographs(deck, list(deck), rng, hard=0.2, tilt=15, turned=False)
            began, worked, taps = time.perf_counter(), time.process_time(), 0
            for photo in shown:
                taps += _teach(decks, name, photo, tally)
            galleries.append(Gallery.load(path))
            if look == 1:
                tally.seconds.append(time.perf_counter() - began)
                tally.work.append(time.process_time() - worked)
                tally.taps.append(taps)
                tally.sizes.append(path.stat().st_size / 1000)
                _read_all(WHENS[1], name, _reader(stages, galleries[:1]), held, tally)
                _mirror(stages, shown, tally)
    _read_all(WHENS[2], name, _reader(stages, galleries[-1:]), held, tally)
    return galleries[0]


def _teach(decks: Decks, name: str, photo: Photo, tally: Tally) -> int:
    """One picture, every proposal confirmed or put right; how often the player had to tap."""
    taps, refused = 0, False
    try:
        found = decks.add_picture(name, photo.image, photo.data)["found"]
    except Problem as problem:
        if problem.code != "mirrored_picture":
            raise
        found, refused = [], True
    tally.count("pictures taken for mirrored ones", refused, 1)
    for look in found:
        truth = _nearest(photo.pieces, np.mean(look["corners"], axis=0))
        label = None if truth is None else truth.label
        if look["state"] != "confirmed" or look["label"] != label:
            decks.decide(name, look["id"], label)
            taps += 1
    return taps


def _mirror(stages: Any, photos: Sequence[Photo], tally: Tally) -> None:
    """How often a mirrored picture is refused."""
    kind = Cards(lambda: _reader(stages))
    for photo in photos:
        try:
            kind.see(np.ascontiguousarray(photo.image[:, ::-1]))
        except Problem as problem:
            tally.count("mirrored pictures refused", problem.code == "mirrored_picture", 1)
        else:
            tally.count("mirrored pictures refused", 0, 1)


def _nearest(pieces: Sequence[PieceLabel], centre: np.ndarray) -> PieceLabel | None:
    gaps = [(math.dist(np.mean(piece.corners, axis=0), centre), n) for n, piece in enumerate(pieces)]
    gap, index = min(gaps)
    a, b = pieces[index].corners[:2]
    return pieces[index] if gap < 0.3 * math.dist(a, b) else None


def _read_all(when: str, name: str, reader: CardReader, photos: Sequence[Photo], tally: Tally) -> None:
    for photo in photos:
        given = reader.read(photo.image)
        right = sum(_is_right(piece, photo) for piece in given)
        tally.count(f"recall {when}", right, len(photo.pieces))
        tally.count(f"precision {when}", right, len(given))
        tally.count(f"{name} {when}", right, len(photo.pieces))


def _is_right(piece: Piece, photo: Photo) -> bool:
    truth = _nearest(photo.pieces, np.array(piece.centre))
    return truth is not None and truth.label == piece.label


def _unknown(galleries: dict[str, Gallery], held: dict[str, list[Photo]], stages: Any, tally: Tally) -> None:
    """Each deck's pictures with each gallery: its own cards must be known, the others' must not."""
    for name, gallery in galleries.items():
        sure = replace(gallery, least=-1.0)
        reader = _reader(stages)
        reader.galleries = (sure,)  # the decks that ship would explain other cards, which is not asked here
        for shown, photos in held.items():
            for photo in photos:
                looks = _one_each(reader.looks(photo.image), photo)
                told = sum(bool(look.piece.facts.get("unknown")) for look in looks)
                tally.count("own cards called unknown" if shown == name else "others' cards rejected", told, len(looks))
                alike = [gallery.likeness(look.piece.label, look.flat) for look in looks]
                (tally.own if shown == name else tally.other).extend(value for value in alike if value is not None)


def _one_each(looks: Sequence[Look], photo: Photo) -> list[Look]:
    """The surest look at each card: a second box on a card is dropped when a table is read."""
    best: dict[str, Look] = {}
    for look in sorted(looks, key=lambda look: look.piece.confidence):
        truth = _nearest(photo.pieces, np.array(look.piece.centre))
        if truth is not None and look.piece.kind == "card":
            best[truth.label] = look
    return list(best.values())


def _rows(tally: Tally, names: Sequence[str], notes: str) -> list[Row]:
    found = [Row("decks", len(names), "", f"{', '.join(names)}; {notes}")]
    first = [f"{what} {when}" for when in WHENS for what in ("recall", "precision")]
    others = [name for name in tally.hits if name not in first and not name.startswith(tuple(names))]
    found += [_rate(name, tally.hits[name][0], tally.hits[name][1]) for name in (*first, *others)]
    for name in names:
        counts = [tally.hits[f"{name} {when}"] for when in WHENS]
        steps = " → ".join(f"{right}/{of}" for right, of in counts)
        found.append(Row(f"recall of {name}", 100 * counts[1][0] / counts[1][1], "%", f"before, 1, {LOOKS}: {steps}"))
    before, after = (tally.hits[f"recall {when}"] for when in WHENS[:2])
    errors = before[1] - before[0]
    gone = 100 * (after[0] - before[0]) / errors if errors else float("nan")
    found.append(Row("errors gone after 1 look", gone, "%", f"of {errors}"))
    if tally.own and tally.other:
        limit = float(np.quantile(tally.own, 0.01))
        rejected = sum(value < limit for value in tally.other)
        name = "others' cards rejected at 1 % false rejection"
        found.append(_rate(name, rejected, len(tally.other), f"; below {limit:.2f} of {len(tally.own)} own cards"))
    work, each = float(np.mean(tally.work)), float(np.median(tally.reading_work))
    found += [
        Row(
            "enrolment, 1 look a card",
            float(np.mean(tally.seconds)),
            "s",
            f"computer's share; {work:.3g} s of processor",
        ),
        Row("taps of the player", float(np.mean(tally.taps)), "", "proposals to confirm or put right, per deck"),
        Row("size of a gallery, 1 look a card", float(np.mean(tally.sizes)), "kB", "crops and embeddings"),
        Row(
            "a reading with the deck taught",
            float(np.median(tally.readings)),
            "ms",
            f"8 cards; {each:.3g} ms of processor, {float(np.median(tally.plain)):.3g} without it",
        ),
    ]
    return found


def _rate(name: str, right: int, of: int, more: str = "") -> Row:
    low, high = wilson(right, of)
    return Row(name, 100 * right / max(of, 1), "%", f"{right}/{of} [{100 * low:.1f}–{100 * high:.1f}]{more}")
