"""Spanish cards for the referees of card games: words, and which of the cards seen are the ones already played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from service.referee.base import Question, Words, which
from vision.state import Piece

SURE = 0.85  # a reading at least this sure is taken for what it is, even where another one would fit better
THINKABLE = 0.02  # the least probability of a second reading that lets a doubtful card be one that lies there already

SUIT_WORDS = {
    "espadas": ("espadas", "swords"),
    "copas": ("copas", "cups"),
    "oros": ("oros", "coins"),
    "bastos": ("bastos", "clubs"),
}


def card_words(label: str) -> Words:
    """`7 de copas`, `7 of cups`."""
    rank, _, suit = label.partition("-")
    if suit not in SUIT_WORDS:
        return label, label
    es, en = SUIT_WORDS[suit]
    return f"{rank} de {es}", f"{rank} of {en}"


def which_card(piece: Piece) -> Question:
    """The question which of its two best readings a card is; of a card of another deck it is said that it is one."""
    labels = [piece.label, *(label for label, _ in piece.alternatives)]
    real = tuple((label, p) for label, p in piece.alternatives if label and label != "back")
    question = which(replace(piece, alternatives=real), {label: card_words(label) for label in labels})
    if not piece.facts.get("unknown"):
        return question
    es, en = question.words
    return replace(question, words=(f"Esta carta no parece de vuestra baraja. {es}", f"Not a card of your deck? {en}"))


@dataclass(frozen=True, slots=True)
class Sorted:
    """Cards seen, sorted out: `known` maps what lies there already to the piece seen, `missing` is not seen."""

    known: dict[str, Piece]
    missing: tuple[str, ...]
    new: tuple[Piece, ...]


def sort_out(laid: Sequence[tuple[int, str]], cards: Sequence[Piece], seat: Callable[[Piece], int | None]) -> Sorted:
    """Match the cards that were played (seat and label) with the cards that are seen.

    Equal labels first, in the player's own zone before others; then a doubtful reading, or one whose second thought is
    a missing card, is that card badly read. Whatever is left is new.
    """
    left = list(cards)
    known: dict[str, Piece] = {}
    for player, label in laid:
        alike = [piece for piece in left if piece.label == label]
        alike.sort(key=lambda piece: (seat(piece) != player, -piece.confidence))
        if alike:
            known[label] = alike[0]
            left.remove(alike[0])
    for player, label in laid:
        if label in known:
            continue
        maybe = [piece for piece in left if seat(piece) in (player, None) and _could_be(piece, label)]
        if maybe:
            best = max(maybe, key=lambda piece: dict(piece.alternatives).get(label, 0.0))
            known[label] = best
            left.remove(best)
    return Sorted(known, tuple(label for _, label in laid if label not in known), tuple(left))


def _could_be(piece: Piece, label: str) -> bool:
    return dict(piece.alternatives).get(label, 0.0) >= THINKABLE and piece.confidence < 0.97
