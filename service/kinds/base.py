"""What every kind of thing that can be taught has in common: looks, decks, and how a picture becomes looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import cv2
import numpy as np

from service.problems import Problem
from vision.state import Piece

Json = dict[str, Any]
SURE = 0.9  # a proposal at least this sure is taken unless the player says otherwise


@dataclass(slots=True)
class Look:
    """One look at one piece. `state`: proposed, confirmed (by the player or because it was sure) or refused."""

    id: str
    picture: str
    label: str
    confidence: float
    alternatives: list[list[Any]]  # [label, probability]
    corners: list[list[float]]
    state: str = "proposed"
    facts: Json = field(default_factory=dict)


@dataclass(slots=True)
class Deck:
    """What has been taught of one deck of cards, set of tiles, bundle of cords or deck of circuits."""

    name: str
    created: float
    size: int = 40
    version: str = ""
    pictures: list[str] = field(default_factory=list)  # hashes, so that the same picture does not count twice
    looks: list[Look] = field(default_factory=list)
    kind: str = "cards"

    def of(self, state: str) -> list[Look]:
        """The looks in that state."""
        return [look for look in self.looks if look.state == state]

    def known(self) -> dict[str, int]:
        """Confirmed looks per label."""
        counts: dict[str, int] = {}
        for look in self.of("confirmed"):
            counts[look.label] = counts.get(look.label, 0) + 1
        return counts

    def doubtful(self) -> list[Look]:
        """Looks that the player has to decide."""
        return self.of("proposed")

    def wanted(self) -> list[str]:
        """The labels that it is expected to have."""
        from service.kinds import kind_of

        return kind_of(self.kind).wanted(self)

    def to_json(self) -> Json:
        """Progress, what is missing, what is doubtful, and what it has come to."""
        from service.kinds import kind_of

        known, wanted = self.known(), self.wanted()
        progress = sum(label in known for label in wanted) / len(wanted) if wanted else float(bool(known))
        return {
            "name": self.name,
            "kind": self.kind,
            "size": self.size,
            "created": self.created,
            "known": known,
            "missing": [label for label in wanted if label not in known],
            "progress": round(progress, 4),
            "looks": [asdict(look) for look in self.looks],
            "doubtful": [look.id for look in self.doubtful()],
            "learnt": kind_of(self.kind).learnt(self),
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of a picture, ready to become a look."""

    piece: Piece
    crop: np.ndarray
    unit: np.ndarray | None = None  # the embedding, where the kind has one
    facts: Json = field(default_factory=dict)


class Kind(Protocol):
    """One kind of thing that can be taught."""

    name: str
    games: tuple[str, ...]

    def wanted(self, deck: Deck) -> list[str]:
        """The labels that are expected; empty where only the table can say."""

    def canonical(self, label: str) -> str:
        """The label as it is kept; a `Problem` for what is none."""

    def see(self, image: np.ndarray) -> list[Found]:
        """The pieces of a picture; a `Problem` for a mirrored one."""

    def settle(self, deck: Deck, new: Sequence[Look]) -> None:
        """Confirm the looks that need no question."""

    def learnt(self, deck: Deck) -> Json:
        """What the deck is good for so far, in plain JSON."""


def mirrored() -> Problem:
    """The picture was taken in a mirror, or by a camera that mirrors."""
    return Problem(
        "mirrored_picture",
        "this picture looks like a mirror image: switch mirroring off in the camera and take it again",
        "esta foto parece reflejada como en un espejo: quita el modo espejo de la cámara y repítela",
    )


def unknown_label(label: str, en: str, es: str) -> Problem:
    """Somebody named a piece that this kind does not have."""
    shown = repr(label[:40])
    return Problem("unknown_card", f"{shown} is not {en}", f"{shown} no es {es}")


def settle_single(deck: Deck, new: Sequence[Look], allowed: Sequence[str] | None = None) -> None:
    """Sure proposals are taken; what is proposed twice in one picture, or is not expected, is asked about."""
    count: dict[str, int] = {}
    for look in new:
        count[look.label] = count.get(look.label, 0) + 1
    for look in new:
        fits = count[look.label] == 1 and (allowed is None or look.label in allowed)
        if look.state == "proposed" and look.confidence >= SURE and fits:
            look.state = "confirmed"


def cut(image: np.ndarray, corners: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The part of a picture within three or four corners, flat, in `size` (width, height)."""
    width, height = size
    source = np.asarray(corners, np.float32)
    if len(source) == 3:
        goal = np.array([[width / 2, 0], [width, height], [0, height]], np.float32)
        affine = cv2.getAffineTransform(source, goal)
        return np.asarray(cv2.warpAffine(image, affine, size, borderMode=cv2.BORDER_REPLICATE))
    goal = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, goal)
    return np.asarray(cv2.warpPerspective(image, matrix, size, borderMode=cv2.BORDER_REPLICATE))


def reading_order(pieces: Sequence[Piece]) -> list[int]:
    """Indices of pieces in rows from the top, each row from the left; rows are as loose as people lay them."""
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
