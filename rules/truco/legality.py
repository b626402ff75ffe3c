"""Everything that can be wrong with a move of El Truco."""

from __future__ import annotations

from typing import Any

from rules.game import NotationError, Violation
from rules.truco.board import Board
from rules.truco.cards import Card
from rules.truco.moves import BIDS, CONCEDE, LEVELS, Deal, Hands, Move, Play, Say
from rules.truco.state import State
from rules.truco.words import violation


def card_violations(card: Card, where: dict[str, Any]) -> list[Violation]:
    """Cards that are not among the forty."""
    if card.is_joker:
        return [violation("joker_not_used", where)]
    if not card.in_deck:
        return [violation("rank_not_used", where, card=card)]
    return []


def hands_violations(hands: Hands, seats: int) -> list[Violation]:
    """What is wrong with hands as dealt: one per seat, three different cards of the deck in each that is known."""
    found: list[Violation] = []
    if len(hands) != seats:
        found.append(violation("hands_count", {}, seats=seats, count=len(hands)))
    seen: set[Card] = set()
    for player, hand in enumerate(hands):
        if hand is None:
            continue
        if len(hand) != 3:
            found.append(violation("hand_size", {"player": player}, player=player, count=len(hand)))
        for card in hand:
            where = {"player": player, "card": str(card)}
            found += card_violations(card, where)
            if card in seen:
                found.append(violation("card_repeated", where, card=card))
            seen.add(card)
    return found


def violations(state: State, move: Move, seats: int) -> list[Violation]:
    """Everything wrong with a move; empty means legal."""
    if not isinstance(move, Play | Say | Deal):
        raise NotationError(f"not a move of El Truco: {type(move).__name__}")
    found = [violation("game_over", {})] if state.over else []
    if isinstance(move, Deal):
        if any(board.open for board in state.boards):
            found.append(violation("deal_not_over", {}))
        return found + ([] if move.hands is None else hands_violations(move.hands, seats))
    if move.player >= seats:
        raise NotationError(f"there is no player {move.player} among {seats}")
    index = state.board_of(move.player)
    where: dict[str, Any] = {"board": index, "player": move.player}
    board = state.boards[index]
    if not board.open:
        found.append(violation("hand_void" if board.ended == "void" else "hand_over", where))
    if isinstance(move, Play):
        return found + _play(state, board, move, where)
    return found + (_say(board, move, where) if board.open else [])


def _play(state: State, board: Board, move: Play, where: dict[str, Any]) -> list[Violation]:
    player, card = move.player, move.card
    where = {**where, "card": str(card)}
    found = []
    if board.open and board.pending:
        found.append(violation("bid_pending", where, bid=LEVELS[board.pending]))
    if board.open and board.to_play != player:
        found.append(violation("out_of_turn", where, player=player, turn=board.to_play))
    if board.between_tricks and (not board.open or board.to_play != player):
        found.append(violation("third_card", where, card=card))
    strange = card_violations(card, where)
    by = next((seat for seat, laid in state.laid if laid == card), None)
    if strange:
        found += strange
    elif by is not None:
        found.append(violation("card_seen", where, card=card, by=by))
    else:
        found += _knowledge(state, player, card, where)
    return found


def _knowledge(state: State, player: int, card: Card, where: dict[str, Any]) -> list[Violation]:
    """What supplied hands forbid."""
    found = []
    own = state.hands[player]
    if own is not None and card not in own:
        found.append(violation("not_in_hand", where, player=player, card=card))
    for seat, hand in enumerate(state.hands):
        if seat != player and hand and card in hand:
            found.append(violation("in_other_hand", where, card=card, by=seat))
    return found


def _say(board: Board, move: Say, where: dict[str, Any]) -> list[Violation]:
    """A word on an open board."""
    player, word = move.player, move.word
    where = {**where, "word": word}
    found = []
    pending = LEVELS[board.pending]
    if word == CONCEDE and board.pending:
        found.append(violation("bid_pending", where, bid=pending))
    elif not board.pending:
        if not move.level and word != CONCEDE:
            return [violation("no_bid", where)]
        if board.to_play != player:
            found.append(violation("out_of_turn", where, player=player, turn=board.to_play))
    elif board.bidder == player:
        found.append(violation("own_bid", where, player=player, bid=pending))
    if move.level:
        due = max(board.level, board.pending) + 1
        if move.level != due:
            following = f"«{LEVELS[due]}»" if due <= len(BIDS) else "—"
            found.append(violation("bid_out_of_order", where, bid=word, next=following))
        if not board.pending and board.owner not in (None, player):
            found.append(violation("bid_wrong_side", where, owner=board.owner))
    return found
