"""El Truco from a single look at the table: the cards of one board, laid out by tricks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rules.game import Json, NotationError, Violation
from rules.truco.board import Board, Laid, Trick, trick_winner
from rules.truco.cards import Card
from rules.truco.legality import card_violations
from rules.truco.words import violation


@dataclass(frozen=True, slots=True)
class Reading:
    """What lies on one board: tricks, who took each (None: tied or incomplete), who took the hand, what is wrong."""

    tricks: tuple[Trick, ...]
    winners: tuple[int | None, ...]
    #: The hand's winner, or None while it is open or cannot be told.
    winner: int | None
    #: Who lays the next card, or None once the hand is over or cannot be told.
    to_play: int | None
    violations: tuple[Violation, ...]

    def to_json(self) -> Json:
        """A plain dictionary, as the API sends it."""
        return {
            "tricks": [[{"player": seat, "card": str(card)} for seat, card in trick] for trick in self.tricks],
            "winners": list(self.winners),
            "winner": self.winner,
            "to_play": self.to_play,
            "violations": [v.to_json() for v in self.violations],
        }


def read_tricks(tricks: Any, lead: int = 1, postre: int = 0) -> Reading:
    """Judge the cards in play. A trick is a list of cards; a card is a label, in order of play, or a pair
    `[seat, label]` (or `{"player": seat, "card": label}`) where the camera saw whose side it lies on.

    The order of play of a trick whose two cards both name their seat is not known from a picture, so it is not judged.
    """
    for seat in (lead, postre):
        if type(seat) is not int or not 0 <= seat <= 3:
            raise NotationError("lead and postre are seats from 0 to 3")
    if lead == postre:
        raise NotationError("lead and postre are two different players")
    if not isinstance(tricks, list | tuple):
        raise NotationError(f"tricks are a list of lists of cards, not {type(tricks).__name__}")
    found: list[Violation] = []
    if len(tricks) > 3:
        found.append(violation("too_many_tricks", {}, count=len(tricks)))
    seen: dict[Card, int] = {}
    board, read, winners = Board(lead, postre), [], []
    sound = True
    for number, entry in enumerate(tricks):
        if not isinstance(entry, list | tuple):
            raise NotationError(f"a trick is a list of cards, not {type(entry).__name__}")
        turn = board.to_play if sound else None
        trick, problems = _read_trick(entry, number, board, turn)
        for seat, card in trick:
            where = {"trick": number, "card": str(card)}
            if card in seen:
                problems.append(violation("card_seen", where, card=card, by=seen[card]))
            seen.setdefault(card, seat)
        if not board.open and entry:
            problems.append(violation("hand_over", {"trick": number}))
        if len(entry) < 2 and any(tricks[number + 1 :]):
            problems.append(violation("trick_incomplete", {"trick": number}, trick=number + 1))
        found += problems
        read.append(trick)
        both = len(trick) == 2 and trick[0][0] != trick[1][0]
        winners.append(trick_winner(trick) if both and not problems else None)
        # From the first trick that makes no sense on, nobody can say who leads or who has won.
        sound = sound and not problems
        if sound:
            for seat, card in trick:
                board = board.played(seat, card)
    known = sound and not found
    to_play = board.to_play if known and board.open else None
    return Reading(tuple(read), tuple(winners), board.winner if known else None, to_play, tuple(found))


def _read_trick(entry: Any, number: int, board: Board, turn: int | None) -> tuple[Trick, list[Violation]]:
    """The trick as (seat, card) pairs, the leader's card first where that is known, and what is wrong inside it."""
    laid: list[Laid] = []
    named = []
    found: list[Violation] = []
    next_seat = board.lead if turn is None else turn
    for item in entry:
        seat, card = _read_card(item)
        where: dict[str, Any] = {"trick": number, "card": str(card)}
        named.append(seat is not None)
        player = next_seat if seat is None else seat
        if player not in board.seats:
            found.append(violation("not_on_board", {**where, "player": player}, player=player))
        elif laid and laid[0][0] == player and len(laid) == 1:
            found.append(violation("same_player_twice", {**where, "player": player}, player=player))
        found += card_violations(card, where)
        laid.append((player, card))
        if len(laid) > 2:
            found.append(violation("third_card", where, card=card))
        next_seat = board.rival(player)
    first_wrong = bool(laid) and turn is not None and laid[0][0] != turn and not found
    if first_wrong and len(laid) == 2 and all(named):
        laid.reverse()
    elif first_wrong:
        where = {"trick": number, "card": str(laid[0][1]), "player": laid[0][0]}
        found.append(violation("out_of_turn", where, player=laid[0][0], turn=turn))
    return tuple(laid), found


def _read_card(item: Any) -> tuple[int | None, Card]:
    if isinstance(item, dict):
        if set(item) != {"player", "card"}:
            raise NotationError("a card on the table is {'player': seat, 'card': label}")
        item = (item["player"], item["card"])
    if isinstance(item, list | tuple):
        if len(item) != 2 or type(item[0]) is not int:
            raise NotationError("a card on the table is a label or a pair of seat and label")
        return item[0], Card.parse(item[1])
    return None, Card.parse(item)
