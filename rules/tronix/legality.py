"""What is wrong with a move of Tronix: pure functions of a position, a deck and the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rules.game import Violation
from rules.tronix.circuits import Table, groups, joined
from rules.tronix.deck import Cell, Deck, Face
from rules.tronix.moves import Move, Spot, whole
from rules.tronix.state import UNKNOWN, UNTRACKED, Mark, Rules, State
from rules.tronix.supply import possible
from rules.tronix.words import violation


@dataclass(frozen=True)
class Referee:
    """The things that stay the same during a game. `hands` are the supplied ones, as counts per design, or None."""

    deck: Deck
    rules: Rules
    seats: int
    hands: tuple[tuple[int, ...], ...] | None

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """The cards that no supplied hand holds: where cards of a table that was set up come from."""
        held = [sum(column) for column in zip(*self.hands, strict=True)] if self.hands else [0] * len(self.deck.kinds)
        return tuple(all_ - some for all_, some in zip(self.deck.supply, held, strict=True))

    def owner(self, player: int) -> int:
        """Under whose name a card of `player` is counted: nobody's while hands are not known."""
        return player if self.hands is not None else UNKNOWN

    def can_have(self, state: State, owner: int, new: int, old: int | None = None) -> bool:
        """Can there be one more card with the designs `new` from `owner` (in place of one that had `old`)?"""
        if owner == UNTRACKED or not new:
            return bool(new)
        counts = {mask: n for (whose, mask), n in state.laid.items() if whose == owner}
        counts[new] = counts.get(new, 0) + 1
        if old is not None:
            counts[old] -= 1
        supply: Sequence[int] = self.hands[owner] if self.hands is not None and owner >= 0 else self.unknown
        return possible(tuple(sorted((mask, n) for mask, n in counts.items() if n)), supply)

    # -- the parts of a move -----------------------------------------------------------------------------------

    def actor(self, state: State, move: Move) -> int:
        """Who moves: the player named, else whose turn it is, else (undeclared opening) the first who has cards."""
        if move.player is not None:
            return move.player
        if state.turn is not None:
            return state.turn
        return next((seat for seat, size in enumerate(state.hands) if size), 0)

    def turn(self, state: State, player: int) -> list[Violation]:
        """Is it this player's turn?"""
        if player >= self.seats:
            return [violation("no_such_player", player=player)]
        if state.turn is None or player == state.turn:
            return []
        if player == state.acted:
            return [violation("too_many_cards", player=player)]
        return [violation("out_of_turn", player=player, turn=state.turn)]

    def lies(self, table: Table, place: Spot, face: Face, sideways: bool, opening: bool = False) -> list[Violation]:
        """Does a card lie well at `place` among the others? An `opening` card has none to connect with."""
        found = []
        cell = whole(place)
        if sideways and 1 not in self.deck.rotations:
            found.append(violation("wrong_orientation", cell=place))
        if face not in self.deck.shows:
            found.append(violation("face_not_in_deck", cell=place, face=face))
        if cell is None:
            found.append(violation("off_grid", cell=place))
        elif cell in table:
            found.append(violation("cell_occupied", cell=cell))
        elif opening:
            if cell != (0, 0):
                found.append(violation("opening_cell", cell=cell))
        elif not joined(table, cell, face):
            found.append(violation("no_connection", cell=cell))
        return found

    def placing(self, state: State, player: int, move: Move, face: Face, place: Spot) -> list[Violation]:
        """May this player lay a card from the hand so?"""
        found = []
        if player < self.seats and not state.hands[player]:
            found.append(violation("hand_empty", player=player))
        found += self.lies(state.table, place, face, move.sideways, opening=not state.table)
        mask = self.deck.shows.get(face)
        if mask is not None and player < self.seats and not self.can_have(state, self.owner(player), mask):
            if self.hands is not None:
                found.append(violation("not_in_hand", cell=place, player=player, face=face))
            else:
                found.append(violation("deck_exhausted", cell=place, face=face))
        return found

    def moving(self, state: State, move: Move, face: Face, place: Spot, source: Spot) -> list[Violation]:
        """May the card at `source` be moved so?"""
        found = [] if state.god else [violation("not_god_mode", source=source)]
        old = whole(source)
        if old is None or old not in state.table:
            found.append(violation("no_such_card", source=source))
            return found + self.lies(state.table, place, face, move.sideways)
        if old == state.last_moved:
            found.append(violation("last_moved", source=old))
        if place == old and face == state.table[old]:
            found.append(violation("unchanged", source=old))
        hole = Hole(state.table, old)
        found += self.lies(hole.rest, place, face, move.sideways)
        if face in self.deck.shows and not self.can_show(state, state.marks[old], face):
            found.append(violation("wrong_card", source=old, cell=place, face=face))
        new = whole(place)
        if not self.rules.god_islands and new is not None and new not in hole.rest:
            cut = hole.island(new, face)
            if cut is not None:
                found.append(violation("island", source=old, cell=cut))
        return found

    def can_show(self, state: State, mark: Mark, face: Face) -> bool:
        """Can the card with this mark be turned or flipped to show `face`?"""
        owner, mask = mark
        return self.can_have(state, owner, mask & self.deck.shows[face], mask)


class Hole:
    """What a card leaves behind when it is lifted; made once for a card, however many places are tried for it."""

    def __init__(self, table: Table, source: Cell) -> None:
        self.rest: Table = {cell: face for cell, face in table.items() if cell != source}
        self._source, self._face = source, table[source]

    @cached_property
    def _label(self) -> Mapping[Cell, Cell]:
        return groups(self.rest)

    @cached_property
    def _parts(self) -> frozenset[Cell]:
        """The pieces into which the card's group falls, each by its least cell."""
        return frozenset(self._label[cell] for cell in joined(self.rest, self._source, self._face))

    def island(self, new: Cell, face: Face) -> Cell | None:
        """A card that hung together with others before and no longer does when the card lies at `new`, or None."""
        if len(self._parts) < 2:
            return None
        together = {self._label[cell] for cell in joined(self.rest, new, face)}
        first = min(self._parts)
        return min(self._parts - (together if first in together else {first}), default=None)
