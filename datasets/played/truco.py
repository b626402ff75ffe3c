"""El Truco for two or four: cards before each player, bids said aloud, the table cleared between deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from datasets.played.deck import CardDeck
from datasets.played.model import NotPossible, Played, Step, finish, spot
from datasets.scene import Placed
from rules.truco import Truco
from rules.truco.board import Board
from rules.truco.cards import DECK, SUITS, Card
from rules.truco.moves import BIDS, LEVELS, NO, YES, Deal, Move, Play, Say
from rules.truco.state import Rules

BID = 0.22  # how often somebody who may bid does
COVERS = {2: (-135.0, -122.0, 135.0, 122.0), 4: (-222.0, -135.0, 222.0, 135.0)}  # the table in mm, by seats
FIRST = 2  # cards on the table before an illegal one may come


def slot(seat: int, seats: int, number: int) -> tuple[float, float, float]:
    """Where a seat's card `number` (from 0) of a deal lies: x, y in mm and its turn in degrees."""
    if seats == 2:
        x = 78.0 * (number - 1)
        return (x, 58.0, 0.0) if seat == 0 else (x, -58.0, 180.0)
    along = 68.0 * (number - 1)
    return {
        0: (along, 72.0, 0.0),
        1: (158.0, -along, -90.0),
        2: (-along, -72.0, 180.0),
        3: (-158.0, along, 90.0),
    }[seat]


class _Table:
    """A match under way: the engine, the hidden hands, and the cards that lie there."""

    def __init__(self, rng: np.random.Generator, seats: int, reserved: bool, toros: int) -> None:
        self.rng, self.seats = rng, seats
        self.deck = CardDeck(rng, reserved)
        self.game = Truco(seats, int(rng.integers(seats)), Rules(toros))
        self.placed: tuple[Placed, ...] = ()
        self.steps: list[Step] = []
        self.hands: list[list[Card]] = []
        self.eager = False  # the first board bids up to the toro, the second one plays on
        self.shuffle()

    def shuffle(self) -> None:
        """New hidden hands."""
        order = [DECK[int(i)] for i in self.rng.permutation(len(DECK))]
        self.hands = [order[3 * seat : 3 * seat + 3] for seat in range(self.seats)]

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(score.total for score in self.game.score())

    def lay(self, move: Play) -> Placed:
        """The card of a play in its player's next place."""
        number = sum(1 for seat, _ in self.game.state.laid if seat == move.player)
        return self.deck.lay(str(move.card), *slot(move.player, self.seats, number))

    def do(self, move: Move) -> None:
        """Make a legal move: lay a card, say a word, or clear the table."""
        if isinstance(move, Play):
            piece = self.lay(move)
            self.hands[move.player].remove(move.card)
            self.placed = (*self.placed, piece)
            self.game.push(move)
            self.steps.append(Step(self.placed, move.player, str(move), at=spot(piece), scores=self.scores))
        elif isinstance(move, Deal):
            self.placed = ()
            self.game.push(move)
            dealer = self.game.state.dealer
            self.steps.append(Step((), dealer, str(move), at=(0.0, 0.0), scores=self.scores))
            self.shuffle()
        else:
            self.game.push(move)
            self.steps.append(Step(self.placed, move.player, str(move), seen=False, scores=self.scores))

    def undone(self, move: Play) -> None:
        """An illegal card, laid and taken back."""
        codes = tuple(sorted(v.code for v in self.game.check(move)))
        piece = self.lay(move)
        at = spot(piece)
        self.steps.append(Step((*self.placed, piece), move.player, str(move), at=at, illegal=codes))
        self.steps.append(Step(self.placed, move.player, at=at))

    def removed(self) -> bool:
        """A played card is taken away in the middle of a hand and put back; False where none can be."""
        if len(self.placed) < FIRST or self.game.deal_over:
            return False
        index = int(self.rng.integers(len(self.placed)))
        at, rest = spot(self.placed[index]), self.placed[:index] + self.placed[index + 1 :]
        self.steps.append(Step(rest, self.game.acting[0], at=at, illegal=("card_removed",)))
        self.steps.append(Step(self.placed, self.game.acting[0], at=at))
        return True

    # -- choices ----------------------------------------------------------------------------------------------

    def choose(self) -> Move:
        """What a player of ordinary courage does next."""
        rng, state = self.rng, self.game.state
        if self.game.deal_over:
            return Deal()
        seat = self.game.acting[int(rng.integers(len(self.game.acting)))]
        board = state.boards[state.board_of(seat)]
        if self.eager:
            return self._for_the_toro(state.boards)
        if board.pending:
            raise_to = LEVELS[board.pending + 1] if board.pending < len(BIDS) else YES
            return Say(seat, str(rng.choice([YES, NO, raise_to], p=[0.6, 0.22, 0.18])))
        # Bids come after the deal's first card: a table that was never laid on cannot be seen to be cleared.
        may_bid = bool(self.placed) and board.level < len(BIDS) and board.owner in (None, seat)
        if may_bid and rng.random() < BID:
            return Say(seat, LEVELS[board.level + 1])
        hand = self.hands[seat]
        return Play(seat, hand[int(rng.integers(len(hand)))])

    def _for_the_toro(self, boards: Sequence[Board]) -> Move:
        """The first board is played for the toro; the second one waits after its first card."""
        first, second = boards
        if not self.placed:
            assert second.to_play is not None
            return Play(second.to_play, self.hands[second.to_play][0])
        if first.pending:
            answering = next(seat for seat in first.seats if seat != first.bidder)
            more = first.pending < len(BIDS)
            return Say(answering, LEVELS[first.pending + 1] if more else YES)
        assert first.to_play is not None
        if first.level == 0:
            return Say(first.to_play, LEVELS[1])
        return Play(first.to_play, self.hands[first.to_play][0])

    def fouled(self, code: str, wait: bool) -> bool:
        """Whether there is room for this illegal placement; it is made unless it shall `wait` for another chance."""
        if code == "card_removed":
            return len(self.placed) >= FIRST and not self.game.deal_over if wait else self.removed()
        move = self.foul(code)
        if move is not None and not wait:
            self.undone(move)
        return move is not None

    def foul(self, code: str) -> Play | None:
        """An illegal play with this code, if the position has room for one."""
        if len(self.placed) < FIRST:
            return None
        options = [
            Play(seat, card)
            for seat in range(self.seats)
            if self.game.hand_sizes[seat]
            for card in self._strange(code, seat)
        ]
        wanted = {"third_card": {"third_card", "out_of_turn"}}.get(code, {code})
        for index in self.rng.permutation(len(options)):
            move = options[int(index)]
            codes = {v.code for v in self.game.check(move)}
            # A card after the end may also be a third one on its trick.
            if codes == wanted or (code in ("hand_over", "hand_void") and code in codes):
                return move
        return None

    def _strange(self, code: str, seat: int) -> list[Card]:
        if code == "rank_not_used":
            return [Card(rank, suit) for rank in (8, 9) for suit in SUITS]
        if code == "joker_not_used":
            return [Card(0, "")]
        if code == "card_seen":
            return [card for _, card in self.game.state.laid]
        return self.hands[seat]


def play_truco(
    seed: int,
    *,
    players: int = 2,
    illegal: str | None = None,
    reserved: bool = False,
    short: bool = False,
    attempt: int = 0,
    toros: int = 1,
    size: tuple[int, int] = (1280, 720),
) -> Played:
    """A match of `toros` toros (a short one: a single deal) with hidden hands."""
    if players not in COVERS:
        raise NotPossible("El Truco is for two or four players")
    rng = np.random.default_rng([seed, 32, attempt])
    if illegal == "hand_void":  # there must be another hand that wins the toro, and a match that goes on
        players, toros = 4, max(toros, 2)
    table = _Table(rng, players, reserved, toros)
    table.eager = illegal == "hand_void"
    wait = int(rng.integers(0, 4))  # chances for an illegal card that are let pass, so that it comes at any moment
    missing = illegal is not None
    while table.game.outcome() is None:
        if illegal and missing and table.fouled(illegal, wait=not short and wait > 0):
            missing = wait > 0 and not short
            wait -= 1
        move = table.choose()
        if short and isinstance(move, Deal):
            break
        table.do(move)
    if missing:
        raise NotPossible(f"the game of seed {seed} has no place for {illegal}")
    setup = table.game.setup_json()
    return finish(
        rng,
        "truco",
        seed,
        setup,
        table.steps,
        seats=players,
        size=size,
        reserved=reserved,
        covers=COVERS[players],
        extra={"deck": table.deck.style.name},
    )
