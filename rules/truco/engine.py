"""El Truco of Almería for two or four players: a match of toros, followed move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from rules.game import Game, IllegalMove, Json, NotationError, Outcome, ScoreLine, Violation, no_extra, require
from rules.truco import legality
from rules.truco.board import ACCEPTED, Board
from rules.truco.cards import DECK, Card
from rules.truco.draw import draw_state
from rules.truco.moves import BIDS, CONCEDE, LEVELS, NO, YES, Deal, Hands, Move, Play, Say, as_hands, parse_move
from rules.truco.state import TORO, Rules, State, Tally, coins, deal_boards
from rules.truco.table import Reading, read_tricks


class Truco(Game[State, Move]):
    """A match. Seats count to the right: the player at the dealer's right is the next seat; partners sit opposite.

    Scores belong to sides: side 0 is seats 0 and 2, side 1 is seats 1 and 3. A side's score lines sum to 18 for each
    toro won plus the tantos of the present toro (what the losers of a toro had, and any surplus, are taken off again);
    `tally()` says the same as toros, tantos and coins. With four players both boards may be played at once: `turn` is
    then None and `acting` names who may act on each.
    """

    name: ClassVar[str] = "truco"

    def __init__(self, players: int = 2, dealer: int = 0, rules: Rules | None = None, hands: Any = None) -> None:
        if type(players) is not int or players not in (2, 4):
            raise NotationError("El Truco is for 2 or 4 players")
        if type(dealer) is not int or not 0 <= dealer < players:
            raise NotationError(f"the dealer is a seat from 0 to {players - 1}")
        if rules is not None and not isinstance(rules, Rules):
            raise NotationError(f"rules must be Rules, not {type(rules).__name__}")
        self.seats = players
        self.rules = rules or Rules()
        self._dealer = dealer
        known = self._unknown() if hands is None else as_hands(hands)
        problems = legality.hands_violations(known, players)
        if problems:
            raise IllegalMove(problems)
        self._hands = known
        super().__init__(State(dealer, deal_boards(dealer, players), known))

    def _unknown(self) -> Hands:
        return (None,) * self.seats

    # -- facts about the position -----------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """Two sides score, however many sit at the table."""
        return 2

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that may act now, one per open board."""
        if self.state.over:
            return ()
        return tuple(board.to_act for board in self.state.boards if board.to_act is not None)

    @property
    def turn(self) -> int | None:
        """The seat to act; None when both boards wait for somebody, between deals and after the match."""
        acting = self.acting
        return acting[0] if len(acting) == 1 else None

    @property
    def deal_over(self) -> bool:
        """Whether every hand of this deal is finished, so that only the next deal can follow."""
        return not any(board.open for board in self.state.boards)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat still holds (public knowledge)."""
        laid = [seat for seat, _ in self.state.laid]
        return tuple(3 - laid.count(seat) for seat in range(self.seats))

    def tally(self) -> tuple[Tally, Tally]:
        """Toros, tantos and coins of each side, as they lie on the table."""
        toros, tantos = self.state.toros, self.state.tantos
        return (
            Tally(0, toros[0], tantos[0], coins(tantos[0])),
            Tally(1, toros[1], tantos[1], coins(tantos[1])),
        )

    # -- the rules --------------------------------------------------------------------------------------------

    def _violations(self, state: State, move: Move) -> list[Violation]:
        return legality.violations(state, move, self.seats)

    def _after(self, state: State, move: Move) -> State:
        ply = state.ply + 1
        if isinstance(move, Deal):
            dealer = (state.dealer + 1) % self.seats
            hands = self._unknown() if move.hands is None else move.hands
            return replace(state, dealer=dealer, boards=deal_boards(dealer, self.seats), hands=hands, ply=ply)
        index = state.board_of(move.player)
        board, hands = state.boards[index], state.hands
        if isinstance(move, Play):
            board = board.played(move.player, move.card)
            hands = tuple(
                hand and tuple(card for card in hand if card != move.card) if seat == move.player else hand
                for seat, hand in enumerate(hands)
            )
        elif move.level:
            board = board.bid(move.player, move.level)
        elif move.word == YES:
            board = board.accepted(move.player)
        else:
            board = board.given_up(move.player, "refused" if move.word == NO else "conceded")
        boards = (*state.boards[:index], board, *state.boards[index + 1 :])
        after = replace(state, boards=boards, hands=hands, ply=ply)
        return after if board.open else self._awarded(after, board)

    def _awarded(self, state: State, board: Board) -> State:
        """The hand's tantos to its winner, and the toro if that completes it."""
        assert board.winner is not None
        side, other = board.winner % 2, 1 - board.winner % 2
        won, ply = ACCEPTED[board.level], state.ply - 1
        points = TORO - state.tantos[side] if won is None else won
        if board.ended == "cards":
            cause = LEVELS[board.level]
        elif board.ended == "refused":
            cause = f"{LEVELS[board.pending]} refused"
        else:
            cause = f"{LEVELS[board.level]} conceded"
        lines = [*state.lines, ScoreLine(side, cause, points, ply)]
        reached, lost = state.tantos[side] + points, state.tantos[other]
        if reached < TORO:
            tantos = (reached, lost) if side == 0 else (lost, reached)
            return replace(state, tantos=tantos, lines=tuple(lines))
        if reached > TORO:
            lines.append(ScoreLine(side, "surplus", TORO - reached, ply))
        if lost:
            lines.append(ScoreLine(other, "toro lost", -lost, ply))
        toros = (state.toros[0] + (side == 0), state.toros[1] + (side == 1))
        boards = tuple(replace(b, ended="void", pending=0, bidder=None) if b.open else b for b in state.boards)
        return replace(
            state, boards=boards, tantos=(0, 0), toros=toros, lines=tuple(lines), over=toros[side] == self.rules.toros
        )

    def _candidates(self, state: State) -> Iterator[Move]:
        if state.over:
            return
        if not any(board.open for board in state.boards):
            yield Deal()
        for board in state.boards:
            seat = board.to_act
            if seat is None:
                continue
            if board.pending:
                yield Say(seat, YES)
                yield Say(seat, NO)
                if board.pending < len(BIDS):
                    yield Say(seat, LEVELS[board.pending + 1])
                continue
            for card in self._cards(state, seat):
                yield Play(seat, card)
            if board.level < len(BIDS) and board.owner in (None, seat):
                yield Say(seat, LEVELS[board.level + 1])
            yield Say(seat, CONCEDE)

    @staticmethod
    def _cards(state: State, seat: int) -> Iterator[Card]:
        """The cards that a seat may hold, as far as anybody knows."""
        own = state.hands[seat]
        if own is not None:
            yield from own
            return
        gone = {card for _, card in state.laid} | {card for hand in state.hands if hand for card in hand}
        yield from (card for card in DECK if card not in gone)

    def _lines(self, state: State) -> Sequence[ScoreLine]:
        return state.lines

    def _outcome(self, state: State) -> Outcome | None:
        if not state.over:
            return None
        totals = (TORO * state.toros[0], TORO * state.toros[1])
        return Outcome((0 if state.toros[0] > state.toros[1] else 1,), totals, "toros")

    # -- notation, set-up, pictures ---------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        """`0 7-copas`, `1 truco`, `0 no-quiero`, `1 me-voy`, `deal`, `deal 1-oros,2-oros,3-oros/?`."""
        if not isinstance(move, Play | Say | Deal):
            raise NotationError(f"not a move of El Truco: {type(move).__name__}")
        return str(move)

    def parse_move(self, text: str) -> Move:
        """The move that `format_move` printed."""
        return parse_move(text)

    def setup_json(self) -> Json:
        """Players, first dealer, rules, and the first deal's hands as far as they were supplied."""
        hands = [None if hand is None else [str(card) for card in hand] for hand in self._hands]
        return {"players": self.seats, "dealer": self._dealer, "rules": self.rules.to_json(), "hands": hands}

    @classmethod
    def from_setup(cls, setup: Json) -> Self:
        """A fresh match from what `setup_json` gave; everything but the players has a default."""
        players = require(setup, "players", int)
        no_extra(setup, ("players", "dealer", "rules", "hands", "game"), "a set-up of El Truco")
        dealer = require(setup, "dealer", int, 0)
        rules = Rules.from_json(setup.get("rules", {}))
        return cls(players, dealer, rules, require(setup, "hands", (list, type(None)), None))

    @classmethod
    def from_table(cls, tricks: Any, lead: int = 1, postre: int = 0) -> Reading:
        """What cards in play say by themselves: who takes each trick and the hand, and what is illegal about them."""
        return read_tricks(tricks, lead, postre)

    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The boards with their cards, bids and coins, as SVG."""
        return draw_state(self.state, self.rules, names, lang)
