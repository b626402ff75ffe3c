"""Trichón: cards played to the pozo mark a shared board; three in line score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from rules.game import Game, Json, NotationError, Outcome, RulesError, ScoreLine, Violation, no_extra, require
from rules.trichon import legality
from rules.trichon.cards import (
    ALL_CELLS,
    ALL_LINES,
    JOKERS,
    PLAYERS,
    Card,
    Line,
    Play,
    line_text,
    parse_cell,
    parse_play,
)
from rules.trichon.draw import draw_board
from rules.trichon.position import Position
from rules.trichon.state import JOKER, Hand, Held, Rules, State

HAND = 4
DECK = len(ALL_CELLS) + JOKERS
PENALTY = 2


class Trichon(Game[State, Play]):
    """A game for two; `first` says who starts.

    From public knowledge: `Trichon()`. With open cards: `hands` (four labels each, or None for a hidden hand) and
    `stock`, the cards of the stock from the top, as far as they are known. A card is `7-copas`, `C7` or `comodin`.
    Cards are drawn by the engine itself at the start of a turn, so a play is the only kind of move.
    """

    name = "trichon"

    def __init__(
        self,
        first: int = 0,
        rules: Rules | None = None,
        *,
        hands: Sequence[Any] | None = None,
        stock: Sequence[Any] = (),
    ) -> None:
        if type(first) is not int or first not in (0, 1):
            raise RulesError("the first player is 0 or 1")
        if rules is not None and not isinstance(rules, Rules):
            raise RulesError("rules must be a trichon.Rules")
        self.first = first
        self.rules = Rules() if rules is None else rules
        self.hands = _read_hands(hands)
        self.stock = _read_cards(stock)
        if len(self.stock) > DECK - 2 * HAND:
            raise RulesError(f"the stock has {DECK - 2 * HAND} cards")
        _check_deck([card for hand in self.hands for card in hand or ()] + list(self.stock))
        hidden = [Hand((), HAND) if hand is None else Hand(tuple(sorted(hand)), 0) for hand in self.hands]
        start = State(first, {}, frozenset(), 0, {}, (hidden[0], hidden[1]), DECK - 2 * HAND, self.stock)
        super().__init__(self._draw(start, 1))

    def _draw(self, state: State, count: int) -> State:
        """The start of a turn: the player takes cards, or the game ends because the stock cannot give them."""
        if state.stock < count:
            return replace(state, turn=None, end="stock_empty")
        assert state.turn is not None
        cards = state.coming[:count]
        hand = state.hands[state.turn]
        hand = Hand(tuple(sorted((*hand.known, *cards))), hand.unknown + count - len(cards))
        hands = (hand, state.hands[1]) if state.turn == 0 else (state.hands[0], hand)
        state = replace(state, hands=hands, stock=state.stock - count, coming=state.coming[count:])
        if len(state.marks) == len(ALL_CELLS) and next(self._candidates(state), None) is None:
            return replace(state, turn=None, end="no_play")  # only comodines left, and no cell for them
        return state

    # -- the shape of a game -----------------------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """Two."""
        return 2

    @property
    def turn(self) -> int | None:
        """Who is to play; None when the game is over."""
        return self.state.turn

    def complete(self, move: Play) -> Play:
        """The same play with its line filled in where the rules leave only one."""
        return legality.completed(self.state, self.rules, move)

    def push(self, move: Play) -> None:
        """Play a turn; where exactly one line is possible and must be claimed, it need not be named."""
        super().push(self.complete(move))

    def _violations(self, state: State, move: Play) -> list[Violation]:
        if not isinstance(move, Play):
            raise RulesError(f"{str(move)[:40]} is no play of Trichón")
        return legality.faults(state, self.rules, move)

    def _after(self, state: State, move: Play) -> State:
        player, ply = move.player, state.ply
        marks = {**dict.fromkeys(legality.new_marks(state, move.cards), False), **state.marks}
        marks.update({card.cell: True for card in move.cards if card.joker})
        played = state.played.union(card.cell for card in move.cards if not card.joker)
        jokers = state.jokers + sum(card.joker for card in move.cards)
        claims, lines = dict(state.claims), list(state.lines)
        for line in move.lines:
            claims[line] = player
            lines.append(ScoreLine(player, f"line {line_text(line)}", 1, ply))
        hand = state.hands[player].without(move.cards)
        hands = (hand, state.hands[1]) if player == 0 else (state.hands[0], hand)
        after = State(
            1 - player, marks, played, jokers, claims, hands, state.stock, state.coming, tuple(lines), ply + 1
        )
        return self._draw(after, 1 + PENALTY if move.lines else 1)

    def _candidates(self, state: State) -> Iterator[Play]:
        if state.turn is None:
            return
        player, held = state.turn, Held(state, state.turn)
        for cell in ALL_CELLS:
            if cell not in state.played and held.may_hold((Card(cell),)):
                yield from self._singles(state, player, Card(cell))
        if held.jokers:
            for cell in ALL_CELLS:
                if cell not in state.marks:
                    yield from self._singles(state, player, Card(cell, True))
        taken = {cell for line in state.claims for cell in line}
        for line in ALL_LINES:
            empty = [cell for cell in line if cell not in state.marks]
            if not 2 <= len(empty) <= state.hands[player].size or taken.intersection(line):
                continue
            for jokers in product((False, True), repeat=len(empty)):
                cards = tuple(Card(cell, joker) for cell, joker in zip(empty, jokers, strict=True))
                if held.may_hold(cards):
                    yield Play(player, cards, (line,))

    def _singles(self, state: State, player: int, card: Card) -> Iterator[Play]:
        lines = legality.possible_lines(state, (card,))
        for line in lines:
            yield Play(player, (card,), (line,))
        if not lines or not self.rules.must_claim:
            yield Play(player, (card,))

    def _lines(self, state: State) -> Sequence[ScoreLine]:
        return state.lines

    def _outcome(self, state: State) -> Outcome | None:
        if state.turn is not None:
            return None
        totals = tuple(sum(line.points for line in state.lines if line.player == p) for p in (0, 1))
        return Outcome(tuple(p for p in (0, 1) if totals[p] == max(totals)), totals, state.end)

    # -- what a referee asks -------------------------------------------------------------------------------------------

    def lines_for(self, cards: Sequence[Any]) -> tuple[Line, ...]:
        """The lines that playing these cards together could claim now."""
        return legality.possible_lines(self.state, Play(0, cards).cards)  # type: ignore[arg-type]

    @classmethod
    def from_table(cls, cards: Sequence[Any], claims: Sequence[Any] = ()) -> Position:
        """A board by itself, from the cards in the pozo and the lines claimed so far: see `Position`."""
        return Position(cards, claims)

    # -- notation and drawing ------------------------------------------------------------------------------------------

    def format_move(self, move: Play) -> str:
        """`A C7 =C5-C6-C7`; see `cards`."""
        return str(move)

    def parse_move(self, text: str) -> Play:
        """The play that `format_move` printed."""
        return parse_play(text)

    def setup_json(self) -> Json:
        """Who starts, the options that differ from the usual ones, and the cards that were supplied."""
        hands = [None if hand is None else [_name(c) for c in hand] for hand in self.hands]
        return {
            "first": self.first,
            "rules": self.rules.to_json(),
            "hands": hands,
            "stock": [_name(c) for c in self.stock],
        }

    @classmethod
    def from_setup(cls, setup: Json) -> Trichon:
        """A fresh game from `setup_json`."""
        first = require(setup, "first", int, 0)
        no_extra(setup, ("game", "first", "rules", "hands", "stock"), "a game of Trichón")
        if setup.get("game", cls.name) != cls.name:
            raise NotationError(f"this is a game of {str(setup['game'])[:40]!r}, not of {cls.name!r}")
        rules = Rules.from_json(require(setup, "rules", dict, {}))
        return cls(first, rules, hands=require(setup, "hands", list, None), stock=require(setup, "stock", list, []))

    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The board as SVG: marks, comodines, claimed lines in the players' colours, the last cards outlined."""
        state = self.state
        last = {card.cell for card in self._moves[-1].cards} if self._moves else set()
        totals = [s.total for s in self.score()]
        caption = [f"{'▸ ' if state.turn == p else ''}{PLAYERS[p]} {totals[p]} ({state.hands[p].size})" for p in (0, 1)]
        return draw_board(state.marks, state.claims, last, [] if names else [*caption, f"▤ {state.stock}"])


def _name(card: str) -> str:
    return "comodin" if card == JOKER else parse_cell(card).label


def _read_card(card: object) -> str:
    return JOKER if card == "comodin" else str(parse_cell(card))


def _read_cards(cards: object) -> tuple[str, ...]:
    if not isinstance(cards, list | tuple):
        raise RulesError("cards are a list")
    return tuple(_read_card(card) for card in cards)


def _read_hands(hands: object) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    if hands is None:
        return None, None
    if not isinstance(hands, list | tuple) or len(hands) != 2:
        raise RulesError("there are two hands (None where one is unknown)")
    read = [None if hand is None else _read_cards(hand) for hand in hands]
    if any(hand is not None and len(hand) != HAND for hand in read):
        raise RulesError(f"a hand has {HAND} cards at the start")
    return read[0], read[1]


def _check_deck(cards: Sequence[str]) -> None:
    for card in set(cards):
        if cards.count(card) > (JOKERS if card == JOKER else 1):
            raise RulesError(f"{_name(card)} is dealt too often")
