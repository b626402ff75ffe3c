"""Trichón: cards played to the pozo, one pile in the middle; what a card cannot show is said before it is laid."""

from __future__ import annotations

import numpy as np

from datasets.played.deck import THICK, CardDeck
from datasets.played.model import NotPossible, Played, Step, finish, spot
from datasets.scene import Placed
from rules.trichon import Trichon
from rules.trichon.cards import ALL_CELLS, JOKERS, PLAYERS, Card, Play, line_text

LOOSE = 0.7  # how carelessly cards are laid on the pile; more would show the corner of the card below
SHORT = 8  # turns of a short game
JOKER = "comodin"


def _name(card: Card) -> str:
    """The card as it is printed."""
    return JOKER if card.joker else card.cell.label


class _Table:
    """A game under way: the engine, the hidden hands and stock, and the pile."""

    def __init__(self, rng: np.random.Generator, reserved: bool, jokers_first: bool) -> None:
        self.rng = rng
        self.deck = CardDeck(rng, reserved)
        self.game = Trichon(int(rng.integers(2)))
        cards = [cell.label for cell in ALL_CELLS] + [JOKER] * JOKERS
        self.stock = [cards[int(i)] for i in rng.permutation(len(cards))]
        if jokers_first:  # cards are taken from the end
            self.stock = [card for card in self.stock if card != JOKER] + [JOKER] * JOKERS
        self.hands: tuple[list[str], list[str]] = ([], [])
        self.placed: tuple[Placed, ...] = ()
        self.steps: list[Step] = []
        self.draw()

    def draw(self) -> None:
        """Fill the hidden hands to the sizes that the engine says."""
        for hand, known in zip(self.hands, self.game.state.hands, strict=True):
            while len(hand) < known.size:
                hand.append(self.stock.pop())

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(score.total for score in self.game.score())

    def say(self, **call: object) -> None:
        self.steps.append(Step(self.placed, self.game.turn, seen=False, call=call))

    def card(self, name: str) -> Placed:
        """A card on top of the pile."""
        return self.deck.lay(name, 0.0, 0.0, loose=LOOSE, z=THICK * len(self.placed))

    def do(self, play: Play, wrong: Card | None = None) -> None:
        """A whole turn: what has to be said, then the cards one by one; `wrong` is laid and taken back before the
        last of them.
        """
        player = play.player
        lines = self.game.lines_for(play.cards)
        if len(play.cards) > 1:
            self.say(call="together", cards=len(play.cards))
        for number, card in enumerate(play.cards):
            last = number == len(play.cards) - 1
            if card.joker:
                self.say(call="wild", cell=str(card.cell))
            if last and wrong is not None:
                self.undone(Play(player, (*play.cards[:-1], wrong)), wrong)
            if last and len(lines) > 1:
                self.say(call="line", line=line_text(play.lines[0]))
            piece = self.card(_name(card))
            self.placed = (*self.placed, piece)
            self.hands[player].remove(_name(card))
            if last:
                self.game.push(play)
            self.steps.append(
                Step(self.placed, player, str(play) if last else "", at=spot(piece), scores=self.scores if last else ())
            )
        self.draw()

    def undone(self, play: Play, card: Card) -> None:
        """An illegal card, laid and taken back."""
        codes = tuple(sorted(v.code for v in self.game.check(play)))
        piece = self.card(_name(card))
        self.steps.append(Step((*self.placed, piece), play.player, str(play), at=spot(piece), illegal=codes))
        self.steps.append(Step(self.placed, play.player, at=spot(piece)))

    def removed(self) -> None:
        """The top card is taken away and put back."""
        self.steps.append(Step(self.placed[:-1], self.game.turn, at=(0.0, 0.0), illegal=("card_removed",)))
        self.steps.append(Step(self.placed, self.game.turn, at=(0.0, 0.0)))

    # -- choices ----------------------------------------------------------------------------------------------

    def options(self) -> list[Play]:
        """The legal plays with the cards that the player really has; never two comodines at once."""
        assert self.game.turn is not None
        hand = self.hands[self.game.turn]
        jokers = hand.count(JOKER)
        return [
            play
            for play in self.game.legal_moves
            if sum(card.joker for card in play.cards) <= min(1, jokers)
            and all(card.joker or card.cell.label in hand for card in play.cards)
        ]

    def choose(self, several: bool, jokers: bool) -> Play:
        """Lines before anything else, comodines only for lines; `several` and `jokers` favour plays with those."""

        def worth(play: Play) -> float:
            count = sum(card.joker for card in play.cards)
            wish = 30.0 * several * (len(play.cards) == 2) + 60.0 * jokers * count
            return 10.0 * len(play.lines) - 4.0 * count + wish + float(self.rng.uniform(0, 8))

        return max(self.options(), key=worth)

    def lone(self, count: int) -> bool:
        """Whether each of the last turns was a single real card, so that the pile's order is known to all."""
        moves = self.game.moves[-count:]
        return len(moves) == count and all(len(m.cards) == 1 and not m.cards[0].joker for m in moves)

    def foul(self, code: str) -> bool:
        """Make the illegal placement of this code if there is room for it now."""
        game, player = self.game, self.game.turn
        assert player is not None
        if len(self.placed) < 3 or not self.lone(2):
            return False
        if code == "card_removed":
            self.removed()
            return True
        if code == "card_played":
            recent = {card.cell for move in game.moves[-3:] for card in move.cards}
            cards = [Card(cell) for cell in sorted(game.state.played - recent)]
        else:
            cards = [Card(cell, True) for cell in ALL_CELLS if cell not in game.state.marks]
        for index in self.rng.permutation(len(cards)):
            play = Play(player, (cards[int(index)],))
            if {v.code for v in game.check(play)} == {code}:
                self.undone(play, cards[int(index)])
                return True
        return False

    def stray(self, play: Play) -> Card | None:
        """A card that does not belong to the line of a turn of several."""
        rest = [name for name in self.hands[play.player] if name not in {JOKER, *map(_name, play.cards)}]
        for name in rest:
            card = next(Card(cell) for cell in ALL_CELLS if cell.label == name)
            wrong = Play(play.player, (*play.cards[:-1], card))
            if {v.code for v in self.game.check(wrong)} == {"cards_not_in_line"}:
                return card
        return None


def play_trichon(
    seed: int,
    *,
    players: int = 2,
    illegal: str | None = None,
    reserved: bool = False,
    short: bool = False,
    attempt: int = 0,
    size: tuple[int, int] = (1280, 720),
) -> Played:
    """A game to the end of the stock (a short one: some turns) with hidden hands."""
    if players != len(PLAYERS):
        raise NotPossible("Trichón is for two players")
    rng = np.random.default_rng([seed, 33, attempt])
    table = _Table(rng, reserved, jokers_first=illegal == "too_many_jokers")
    missing = illegal is not None
    wait = int(rng.integers(0, 2 if short else 8))
    while table.game.outcome() is None and not (short and len(table.game.moves) >= SHORT):
        several = illegal == "cards_not_in_line" and missing
        if illegal and missing and not several and len(table.game.moves) >= 3 + wait and table.foul(illegal):
            missing = False
        play = table.choose(several, jokers=illegal == "too_many_jokers")
        stray = table.stray(play) if several and len(play.cards) == 2 else None
        missing = missing and stray is None
        table.do(play, stray)
    if missing:
        raise NotPossible(f"the game of seed {seed} has no place for {illegal}")
    setup, extra = table.game.setup_json(), {"deck": table.deck.style.name}
    return finish(rng, "trichon", seed, setup, table.steps, seats=2, size=size, reserved=reserved, extra=extra)
