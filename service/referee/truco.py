"""El Truco: cards in a player's zone are that player's plays; a cleared table is the next deal; the rest is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from rules.game import IllegalMove, Violation
from rules.truco import Truco
from rules.truco.cards import Card
from rules.truco.moves import BIDS, CONCEDE, LEVELS, NO, YES, Deal, Move, Play, Say, parse_move
from rules.truco.state import HALF, coins
from service.referee.base import (
    AnyGame,
    Context,
    Control,
    Illegal,
    Instruction,
    Json,
    Mark,
    Nearest,
    Referee,
    Seen,
    Verdict,
    Words,
    unsure,
)
from service.referee.cards import SURE, card_words, sort_out, which_card
from service.referee.zones import seat_of_card
from vision.state import Piece, TableState

SAYINGS: dict[str, Words] = {
    "truco": ("¡Truco!", "Truco!"),
    "retruco": ("¡Retruco!", "Retruco!"),
    "para-nueve": ("¡Para nueve!", "For nine!"),
    "para-el-toro": ("¡Para el toro!", "For the toro!"),
    YES: ("Quiero", "I accept"),
    NO: ("No quiero", "I refuse"),
    CONCEDE: ("Me voy", "I give up"),
}
STAKES: dict[str, Words] = {"mano": ("mano", "hand")} | {bid: SAYINGS[bid] for bid in BIDS}


class TrucoReferee(Referee):
    """Two or four players; with four, two hands are played side by side."""

    game = "truco"

    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """See `Referee.judge`."""
        engine = cast(Truco, game)
        cards = [piece for piece in table.pieces if piece.kind == "card" and len(piece.corners) == 4]
        if engine.state.over:
            return Verdict(marks=tuple(Mark(card, "accepted") for card in cards))
        seats = {id(card): seat for card, seat in zip(cards, self._seats(cards, table, engine, context), strict=True)}
        laid = [(seat, str(card)) for seat, card in engine.state.laid]
        found = sort_out(laid, cards, lambda piece: seats.get(id(piece)))
        marks = {id(piece): "accepted" for piece in found.known.values()}
        if engine.deal_over and not found.known and self._next_deal(engine, found.new, seats):
            return Verdict(move=Seen("deal"), marks=_marks(cards, marks))
        if not laid and not found.new:
            return Verdict()
        doubtful = next((card for card in found.new if unsure(card, context)), None)
        if doubtful is not None:
            marks[id(doubtful)] = "unsure"
            return Verdict(question=which_card(doubtful), marks=_marks(cards, marks))
        return self._plays(engine, found.new, seats, found.missing, marks, cards)

    @staticmethod
    def _seats(cards: Sequence[Piece], table: TableState, game: Truco, context: Context) -> list[int]:
        return [seat_of_card(card, table.size, game.seats, context.calibration) for card in cards]

    @staticmethod
    def _next_deal(game: Truco, new: Sequence[Piece], seats: dict[int, int]) -> bool:
        """Whether the table of a finished deal was cleared; the first card of the next one may lie there already.

        A single card that reads otherwise than the single card of before is no cleared table unless it is read surely.
        """
        if not new:
            return bool(game.state.laid)
        if len(new) > 1 or new[0].confidence < SURE or len(game.state.laid) == 1:
            return False
        after = _copy(game)
        after.push(Deal())
        return not after.check(Play(seats[id(new[0])], Card.parse(new[0].label)))

    def _plays(
        self,
        game: Truco,
        new: Sequence[Piece],
        seats: dict[int, int],
        missing: Sequence[str],
        marks: dict[int, str],
        cards: Sequence[Piece],
    ) -> Verdict:
        """The new cards as plays, in whatever order makes them all legal; what cannot be explained so is illegal."""
        plays = [(card, Play(seats[id(card)], Card.parse(card.label))) for card in new]
        order, rest = _in_order(game, plays)
        illegal = [] if game.deal_over or not missing else [_removed(missing)]
        asked = None
        for card, play, violations in rest:
            second = _legal_second(game, card, play) if card.confidence < SURE else None
            if second is not None:
                asked = asked or which_card(card)
                marks[id(card)] = "unsure"
            else:
                illegal.append(_flag(game, card, play, violations))
                marks[id(card)] = "illegal"
        for card, _ in order:
            marks[id(card)] = "seen"
        shown = _marks(cards, marks)
        if asked is not None:
            return Verdict(question=asked, illegal=tuple(illegal), marks=shown)
        if illegal or not order:
            return Verdict(illegal=tuple(illegal), instruction=self._waiting(game, cards), marks=shown)
        card, play = order[0]
        return Verdict(move=Seen(str(play), (card,)), marks=shown)

    @staticmethod
    def _waiting(game: Truco, cards: Sequence[Piece]) -> Instruction | None:
        if game.deal_over and cards:
            words = ("Mano terminada: recoged las cartas.", "The hand is over: clear the table.")
            return Instruction("clear", words, tuple(cards))
        return None

    # -- for the page -----------------------------------------------------------------------------------------

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """Bids, answers, giving up, and the deal for who clears the table out of sight."""
        engine = cast(Truco, game)
        result = []
        for seat in engine.acting:
            board = engine.state.boards[engine.state.board_of(seat)]
            for word in (*BIDS, YES, NO, CONCEDE):
                move = Say(seat, word)
                if engine.check(move):
                    continue
                name = context.name(seat)
                es, en = SAYINGS[word]
                group = "answer" if board.pending else "bid"
                words = (f"{name}: {es}", f"{name}: {en}")
                result.append(Control(f"{word}{seat}", group, words, {"move": str(move)}))
        if not engine.check(Deal()):
            result.append(Control("deal", "deal", ("Siguiente reparto", "Next deal"), {"move": "deal"}))
        return result

    def position(self, game: AnyGame) -> Json:
        """Toros, tantos, coins, dealer and the boards."""
        engine = cast(Truco, game)
        state = engine.state
        shown = []
        for board in state.boards:
            tricks: list[Json] = []
            results = board.results
            for number, trick in enumerate(board.tricks):
                winner = results[number] if number < len(results) else None
                tied = number < len(results) and winner is None
                laid = [[str(card), seat] for seat, card in trick]
                tricks.append({"cards": laid, "winner": winner, "tied": tied})
            pending = None if not board.pending else {"bid": LEVELS[board.pending], "by": board.bidder}
            shown.append(
                {"players": list(board.seats), "tricks": tricks, "stake": board.level, "pending": pending}
                | {"level": LEVELS[board.level], "turn": board.to_act, "winner": board.winner, "ended": board.ended}
            )
        heaps = []
        for tantos in state.tantos:
            low, high = coins(min(tantos, HALF)), coins(tantos)
            buenas = (high.big, high.small) if tantos > HALF else (0, 0)
            heaps.append(
                {"malas": {"big": low.big, "small": low.small}, "buenas": {"big": buenas[0], "small": buenas[1]}}
            )
        facts: Json = {"toros": list(state.toros), "tantos": list(state.tantos), "coins": heaps}
        return {**facts, "dealer": state.dealer, "hands": list(engine.hand_sizes), "boards": shown}

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """`Ana plays the 7 of cups`, `Luis: Truco!`."""
        move: Move = parse_move(text)
        if isinstance(move, Deal):
            return "Siguiente reparto", "Next deal"
        name = context.name(move.player)
        if isinstance(move, Say):
            es, en = SAYINGS[move.word]
            return f"{name}: {es}", f"{name}: {en}"
        es, en = card_words(str(move.card))
        return f"{name} juega el {es}", f"{name} plays the {en}"

    def cause(self, cause: str) -> Words:
        """A score line's cause in words."""
        if cause == "surplus":
            return "lo que sobra del toro", "beyond the toro"
        if cause == "toro lost":
            return "toro perdido", "toro lost"
        level, _, how = cause.partition(" ")
        es, en = STAKES.get(level, (level, level))
        endings = {"": ("", ""), "refused": (" no querido", " refused"), "conceded": (" (se fue)", " (gave up)")}
        more_es, more_en = endings.get(how, ("", ""))
        return f"{es.strip('¡!')}{more_es}", f"{en.strip('!')}{more_en}"


def _marks(cards: Sequence[Piece], status: dict[int, str]) -> tuple[Mark, ...]:
    return tuple(Mark(card, status.get(id(card), "seen")) for card in cards)


def _copy(game: Truco) -> Truco:
    """The same game, to try plays on."""
    copy = Truco.from_setup(game.setup_json())
    for move in game.moves:
        copy.push(move)
    return copy


Placed = tuple[Piece, Play]


def _in_order(game: Truco, plays: Sequence[Placed]) -> tuple[list[Placed], list[tuple[Piece, Play, list[Violation]]]]:
    """As many of the plays as can be made legally one after the other, and the rest with what is wrong."""
    if len(plays) <= 1:
        wrong = [(card, play, game.check(play)) for card, play in plays]
        return [(card, play) for card, play, found in wrong if not found], [entry for entry in wrong if entry[2]]
    trial, order, left = _copy(game), [], list(plays)
    while True:
        found = next((entry for entry in left if not trial.check(entry[1])), None)
        if found is None:
            break
        trial.push(found[1])
        order.append(found)
        left.remove(found)
    return order, [(card, play, trial.check(play)) for card, play in left]


def _legal_second(game: Truco, card: Piece, play: Play) -> Play | None:
    """The play of a doubtful card's second reading, where that one would be legal."""
    for label, _ in card.alternatives[:1]:
        try:
            other = replace(play, card=Card.parse(label))
        except ValueError:
            continue
        if not game.check(other):
            return other
    return None


def _removed(missing: Sequence[str]) -> Illegal:
    es, en = (", ".join(words) for words in zip(*map(card_words, missing), strict=True))
    wrong = Violation(
        "card_removed",
        f"Falta una carta ya jugada: {es}. Las cartas quedan en la mesa hasta que acaba la mano.",
        f"A card that was played is gone: {en}. Cards stay on the table until the hand is over.",
        {"cards": list(missing)},
    )
    return Illegal("card_removed:" + ",".join(sorted(missing)), (wrong,))


def _flag(game: Truco, card: Piece, play: Play, violations: Sequence[Violation]) -> Illegal:
    codes = ",".join(sorted(violation.code for violation in violations))
    nearest = None
    turn = game.turn
    if turn is not None and turn != play.player:
        words = (f"le toca al jugador {turn + 1}", f"it is player {turn + 1}'s turn")
        other = replace(play, player=turn)
        nearest = Nearest(str(other), words) if _is_legal(game, other) else None
    return Illegal(f"play:{play}:{codes}", tuple(violations), (card,), str(play), nearest)


def _is_legal(game: Truco, play: Play) -> bool:
    try:
        return not game.check(play)
    except IllegalMove:
        return False
