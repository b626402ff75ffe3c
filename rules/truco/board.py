"""One hand of El Truco between two players: tricks, bids and who takes it. Pure values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.truco.cards import Card

Laid = tuple[int, Card]
Trick = tuple[Laid, ...]

#: Tantos for the winner of a hand played at this level; None is the whole toro.
ACCEPTED: tuple[int | None, ...] = (1, 3, 6, 9, None)


def trick_winner(trick: Trick) -> int | None:
    """The seat that takes a complete trick, or None for a tie."""
    (first, one), (second, two) = trick
    if one.strength == two.strength:
        return None
    return first if one.strength > two.strength else second


def hand_winner(results: Sequence[int | None], postre: int) -> int | None:
    """Who takes the hand, given the winners of its tricks so far (None for a tie); None while it is open."""
    if len(results) < 2:
        return None
    first, second = results[0], results[1]
    if first is None and second is not None:
        return second
    if first is not None and second in (None, first):
        return first
    if len(results) < 3:
        return None
    third = results[2]
    if third is not None:
        return third
    return postre if first is None else first


@dataclass(frozen=True, slots=True)
class Board:
    """A hand in progress. `level` is the accepted stake, `pending` the bid that waits for its answer."""

    lead: int
    postre: int
    tricks: tuple[Trick, ...] = ()
    level: int = 0
    pending: int = 0
    bidder: int | None = None
    #: Who may raise next: the side that accepted; None while nobody has bid.
    owner: int | None = None
    winner: int | None = None
    #: How it ended: `cards`, `refused`, `conceded`, `void`; empty while it is open.
    ended: str = ""

    @property
    def seats(self) -> tuple[int, int]:
        """The two players, the one who leads first."""
        return (self.lead, self.postre)

    @property
    def open(self) -> bool:
        """Whether the hand still goes on."""
        return not self.ended

    def rival(self, seat: int) -> int:
        """The other player of this board."""
        return self.postre if seat == self.lead else self.lead

    @property
    def to_play(self) -> int:
        """Who lays the next card (were the hand to go on)."""
        leader = self.lead
        for trick in self.tricks:
            if len(trick) == 1:
                return self.rival(trick[0][0])
            winner = trick_winner(trick)
            leader = leader if winner is None else winner
        return leader

    @property
    def to_act(self) -> int | None:
        """Who has to do something: answer a bid, else play; None when the hand is over."""
        if not self.open:
            return None
        if self.bidder is not None and self.pending:
            return self.rival(self.bidder)
        return self.to_play

    @property
    def between_tricks(self) -> bool:
        """Whether the last trick on the board has both its cards."""
        return bool(self.tricks) and len(self.tricks[-1]) == 2

    @property
    def results(self) -> tuple[int | None, ...]:
        """The winners of the complete tricks."""
        return tuple(trick_winner(trick) for trick in self.tricks if len(trick) == 2)

    @property
    def laid(self) -> tuple[Laid, ...]:
        """Every card on the board with the seat that laid it, in order of play."""
        return tuple(laid for trick in self.tricks for laid in trick)

    def played(self, seat: int, card: Card) -> Board:
        """The board after a card."""
        if self.tricks and len(self.tricks[-1]) == 1:
            tricks = (*self.tricks[:-1], (*self.tricks[-1], (seat, card)))
        else:
            tricks = (*self.tricks, ((seat, card),))
        after = replace(self, tricks=tricks)
        winner = hand_winner(after.results, self.postre)
        return after if winner is None else replace(after, winner=winner, ended="cards")

    def bid(self, seat: int, level: int) -> Board:
        """The board after a bid; a raise accepts the bid below it."""
        return replace(self, level=level - 1, pending=level, bidder=seat)

    def accepted(self, seat: int) -> Board:
        """The board after `quiero`: the next raise belongs to who said it."""
        return replace(self, level=self.pending, pending=0, bidder=None, owner=seat)

    def given_up(self, seat: int, ended: str) -> Board:
        """The board after `seat` refuses a bid or concedes."""
        return replace(self, winner=self.rival(seat), ended=ended)
