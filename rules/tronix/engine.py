"""Tronix classic: two teams close circuits of their colour, first by placing all cards, then by moving them.

Readings taken where the rulebook leaves room, besides the options:

* An opening card (the first, or one on a table that circuits emptied) is a whole turn, with two players too.
* A circuit is scored by the move that closes it; all of them pass through the card just laid or moved.
* A TRONIX is formed by a move in god mode and judged before circuits are lifted; it shares out its cards together with
  the circuits of the same move.
* A player whose hand is empty is passed over until all are.
* Where nobody can play any card or move, the game ends as it stands (`blocked`); the default deck never gets there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from rules.game import Game, Json, Outcome, RulesError, ScoreLine, Violation, no_extra, require
from rules.tronix.circuits import Award, Walk, award, circuits, frontier, trace
from rules.tronix.deck import COLORS, Cell, Deck, even_deal
from rules.tronix.draw import draw_table
from rules.tronix.legality import Hole, Referee
from rules.tronix.moves import Move, whole
from rules.tronix.state import (
    UNKNOWN,
    UNTRACKED,
    Mark,
    Rules,
    State,
    checked_hands,
    checked_sizes,
    checked_teams,
    count,
)
from rules.tronix.table import Reading, Seen, checked_cards, read_table
from rules.tronix.words import violation

_SETUP = ("players", "teams", "rules", "deck", "starter", "hand_sizes", "hands", "table", "taken")


class Tronix(Game[State, Move]):
    """A game of Tronix. Scores belong to the teams (0 green, 1 pink); `turn` and `player` are seats.

    `hands` (design ids per seat) gives full knowledge; without it only `hand_sizes` are known, by default the whole
    deck dealt out. `starter` is the seat that opens; None lets any player do it. `table` (cards as `read_table` takes
    them) and `taken` (cards already won by green and pink) set up a game that is under way.
    """

    name: ClassVar[str] = "tronix"

    def __init__(
        self,
        players: int = 2,
        *,
        teams: Sequence[str] | None = None,
        rules: Rules | None = None,
        deck: Deck | None = None,
        starter: int | None = None,
        hand_sizes: Sequence[int] | None = None,
        hands: Sequence[Sequence[str]] | None = None,
        table: Any = (),
        taken: Sequence[int] = (0, 0),
    ) -> None:
        self.teams = checked_teams(players, teams)
        self.rules = Rules() if rules is None else rules
        self.deck = Deck.default() if deck is None else deck
        if not isinstance(self.rules, Rules) or not isinstance(self.deck, Deck):
            raise RulesError("'rules' and 'deck' are of the classes Rules and Deck")
        if starter is not None and (type(starter) is not int or not 0 <= starter < players):
            raise RulesError(f"'starter' is a seat from 0 to {players - 1}")
        self.starter = starter
        self._cards: tuple[Seen, ...] = checked_cards(table)
        self._taken = checked_sizes(2, taken, self.deck.total)
        spare = max(0, self.deck.total - len(self._cards) - sum(self._taken))
        self.hands = None if hands is None else checked_hands(players, hands, self.deck.index)
        if self.hands is not None:
            dealt = tuple(len(hand) for hand in self.hands)
            if hand_sizes is not None and tuple(checked_sizes(players, hand_sizes, spare)) != dealt:
                raise RulesError("'hand_sizes' and 'hands' disagree")
            hand_sizes = dealt
        sizes = even_deal(spare, players) if hand_sizes is None else checked_sizes(players, hand_sizes, spare)
        counts = None if self.hands is None else tuple(count(hand, self.deck.index) for hand in self.hands)
        self._referee = Referee(self.deck, self.rules, players, counts)
        if min(self._referee.unknown) < 0:
            raise RulesError("the hands hold more copies of a card than the deck has")
        #: What the set-up table says: its violations, its circuits and what they score.
        self.reading: Reading = read_table(self._cards, self.deck, god=not any(sizes))
        self._sizes = sizes
        super().__init__(self._start(sizes))

    # -- setting up --------------------------------------------------------------------------------------------

    def _start(self, sizes: tuple[int, ...]) -> State:
        table = dict(self.reading.table)
        # Cards that cannot all come from this deck are shown and scored, but say nothing about the cards to come.
        foreign = {"face_not_in_deck", "deck_exhausted"} & {v.code for v in self.reading.violations}
        owner = UNTRACKED if foreign else UNKNOWN
        marks = {cell: (owner, self.deck.shows.get(face, 0)) for cell, face in table.items()}
        laid: dict[Mark, int] = {}
        for mark in marks.values():
            laid[mark] = laid.get(mark, 0) + 1
        lines = tuple(ScoreLine(team, "taken", n) for team, n in enumerate(self._taken) if n)
        turn = self.starter
        if turn is not None and any(sizes):
            turn = next(seat % len(sizes) for seat in range(turn, turn + len(sizes)) if sizes[seat % len(sizes)])
        elif table or not any(sizes):
            turn = next((seat for seat, size in enumerate(sizes) if size), 0) if turn is None else turn
        state = State(table, marks, laid, sizes, turn, self._allowance, lines=lines)
        return self._settled(state)

    @classmethod
    def from_table(cls, cards: Any, *, god: bool = False, players: int = 2, **setup: Any) -> Self:
        """A game set up from the cards on one photo; `game.reading` says what is wrong and what it scores.

        Unless `hand_sizes` or `hands` are given, the cards not seen are in the hands, or (`god`) out of the game.
        Circuits that are already closed stay where they are until somebody takes them: see `game.reading.award`.
        """
        if type(players) is not int:
            raise RulesError("'players' is a whole number")
        if god:
            setup["hand_sizes"] = (0,) * min(max(players, 0), 16)
        try:
            return cls(players, table=cards, **setup)
        except TypeError as error:
            raise RulesError(f"Tronix cannot be set up so: {error}") from error

    @property
    def _allowance(self) -> int:
        return 2 if len(self.teams) == 2 else 1

    @property
    def seats(self) -> int:
        """How many people play."""
        return len(self.teams)

    @property
    def players(self) -> int:
        """Two teams score."""
        return 2

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is; None when it is over, or before an opening that anybody may play."""
        return self.state.turn

    # -- rules -------------------------------------------------------------------------------------------------

    def _violations(self, state: State, move: Move) -> list[Violation]:
        if not isinstance(move, Move):
            raise RulesError(f"a move of Tronix is a Move, not {type(move).__name__}")
        if state.ended is not None:
            return [violation("game_over")]
        referee = self._referee
        player = referee.actor(state, move)
        found = referee.turn(state, player)
        if move.cell is None:
            found.append(violation("no_passing", player=player))
        elif move.face is None:
            found.append(violation("swap", source=move.source, cell=move.cell))
            for place in (move.source, move.cell):
                if place is not None and place not in state.table:
                    found.append(violation("no_such_card", source=place))
        elif move.source is None:
            found += referee.placing(state, player, move, move.face, move.cell)
        else:
            found += referee.moving(state, move, move.face, move.cell, move.source)
        return found

    def _after(self, state: State, move: Move) -> State:
        player = self._referee.actor(state, move)
        cell, face = whole(move.cell or (0, 0)), move.face
        assert cell is not None, "only legal moves get here"
        assert face is not None, "only legal moves get here"
        table, marks, laid = dict(state.table), dict(state.marks), dict(state.laid)
        hands, moved = list(state.hands), None
        mask = self.deck.shows[face]
        opening = not table
        if move.source is None:
            mark = self._referee.owner(player), mask
            hands[player] -= 1
        else:
            source = whole(move.source)
            assert source is not None, "only legal moves get here"
            del table[source]
            owner, old = marks.pop(source)
            laid[owner, old] -= 1
            mark, moved = (owner, old & mask), cell
        laid = {key: n for key, n in {**laid, mark: laid.get(mark, 0) + 1}.items() if n}
        table[cell], marks[cell] = face, mark
        state = replace(
            state, table=table, marks=marks, laid=laid, hands=tuple(hands), acted=player, last_moved=moved,
            scored=(), lifted={}, ply=state.ply + 1,
        )  # fmt: skip
        state = self._scored(state, cell, player, god=move.source is not None)
        whole_turn = opening or (move.source is None and not hands[player])
        return self._settled(self._passed_on(state, player, whole_turn))

    def _scored(self, state: State, cell: Cell, player: int, god: bool) -> State:
        """Circuits and (in god mode) a TRONIX through the card at `cell` are scored and their cards lifted."""
        through = sorted({trace(state.table, cell, color) for color in COLORS}, key=lambda walk: walk.segments)
        tronix = [walk for walk in through if god and len(walk.cells) == len(state.table) > 1]
        walks = [walk for walk in through if walk.closed or walk in tronix]
        if not self.rules.all_circuits and len(walks) > 1:
            walks = [max(tronix or walks, key=lambda walk: self._worth(walk, player))]
        if not walks:
            return state
        shares: Award = award(walks)
        cause = "tronix" if tronix else "circuit"
        ply = state.ply - 1
        lines = tuple(ScoreLine(team, cause, n, ply) for team, n in enumerate(shares.points) if n)
        gone = {*shares.green, *shares.pink}
        return replace(
            state,
            table={at: face for at, face in state.table.items() if at not in gone},
            marks={at: mark for at, mark in state.marks.items() if at not in gone},
            lifted={at: state.table[at] for at in sorted(gone)},
            last_moved=None if state.last_moved in gone else state.last_moved,
            lines=state.lines + lines,
            scored=tuple(walks),
            ended="tronix" if tronix else None,
        )

    def _worth(self, walk: Walk, player: int) -> tuple[int, int]:
        """What a circuit is worth to the player's team, to choose one of several: the lead it gives, then its size."""
        points = award([walk]).points
        own = COLORS.index(self.teams[player])
        return points[own] - points[1 - own], len(walk.segments)

    def _passed_on(self, state: State, player: int, whole_turn: bool) -> State:
        """Whose turn it is after `player` has played a card."""
        left = state.left - 1
        if left > 0 and not whole_turn:
            return replace(state, turn=player, left=left)
        seats = [(player + step) % self.seats for step in range(1, self.seats + 1)]
        return replace(state, turn=next((s for s in seats if state.hands[s]), seats[0]), left=self._allowance)

    def _settled(self, state: State) -> State:
        """End the game if it is over: TRONIX, nothing left, one card left, or nobody can do anything."""
        ended, discarded, table, marks = state.ended, state.discarded, state.table, state.marks
        if ended is None and state.god and not table:
            ended = "empty"
        elif ended is None and state.god and len(table) == 1:
            ended, discarded, table, marks = "singularity", discarded + 1, {}, {}
        elif ended is None and next(self._candidates(state), None) is None:
            ended = "blocked"
        if ended is None:
            return state
        state = replace(state, ended=ended, discarded=discarded, table=table, marks=marks)
        return replace(state, turn=None, left=0, last_moved=None)

    def _candidates(self, state: State) -> Iterator[Move]:
        if state.ended is not None:
            return
        if state.god:
            yield from self._god_moves(state)
            return
        first = self._referee.actor(state, Move("pass"))
        for player in range(self.seats) if state.turn is None else (state.turn,):
            if not state.hands[player]:
                continue
            by = None if player == first else player
            owner = self._referee.owner(player)
            faces = [f for f, mask in self.deck.shows.items() if self._referee.can_have(state, owner, mask)]
            if not state.table:
                yield from (Move.place((0, 0), face, by) for face in faces)
            for cell, open_ports in frontier(state.table):
                for face in faces:
                    if not open_ports.isdisjoint(face.ends):
                        yield Move.trusted("place", cell, face, None, by)

    def _god_moves(self, state: State) -> Iterator[Move]:
        for source, shown in sorted(state.table.items(), key=lambda item: item[0]):
            if source == state.last_moved:
                continue
            hole = Hole(state.table, source)
            faces = [f for f in self.deck.shows if self._referee.can_show(state, state.marks[source], f)]
            for cell, open_ports in frontier(hole.rest):
                for face in faces:
                    if open_ports.isdisjoint(face.ends) or (cell == source and face == shown):
                        continue
                    if self.rules.god_islands or hole.island(cell, face) is None:
                        yield Move.trusted("move", cell, face, source)

    def _lines(self, state: State) -> Sequence[ScoreLine]:
        return state.lines

    def _outcome(self, state: State) -> Outcome | None:
        if state.ended is None:
            return None
        totals = tuple(sum(line.points for line in state.lines if line.player == team) for team in range(2))
        return Outcome(tuple(t for t in range(2) if totals[t] == max(totals)), totals, state.ended)

    # -- what a camera asks ------------------------------------------------------------------------------------

    @property
    def circuits(self) -> list[Walk]:
        """The circuits that lie on the table now (after a move none is left, but a photo may show some)."""
        return circuits(self.state.table)

    def position(self) -> Json:
        """The position as the API shows it: phase, hand sizes, cards won, cells, and the cells to lift."""
        state = self.state
        return {
            "phase": state.phase,
            "hands": list(state.hands),
            "won": [score.total for score in self.score()],
            "cells": [{"cell": list(cell), "face": str(state.table[cell])} for cell in sorted(state.table)],
            "lift": [list(cell) for cell in sorted(state.lifted)],
        }

    # -- text, JSON, picture -----------------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        """See `rules.tronix.moves` for the notation."""
        return str(move)

    def parse_move(self, text: str) -> Move:
        """The move that `format_move` printed."""
        return Move.parse(text)

    def setup_json(self) -> Json:
        """Players, seating, options, deck, hands and the table that was set up, as far as they are not the default."""
        data: Json = {"players": self.seats, "teams": list(self.teams), "rules": self.rules.to_json()}
        data["starter"] = self.starter
        data["hand_sizes"] = list(self._sizes)
        if self.deck != Deck.default():
            data["deck"] = self.deck.to_json()
        if self.hands is not None:
            data["hands"] = [list(hand) for hand in self.hands]
        if self._cards:
            data["table"] = [card.to_json() for card in self._cards]
        if any(self._taken):
            data["taken"] = list(self._taken)
        return data

    @classmethod
    def from_setup(cls, setup: Json) -> Self:
        """A fresh game from what `setup_json` gave; everything but `players` may be left out."""
        players = require(setup, "players", int, 2)
        no_extra(setup, ("game", *_SETUP), "Tronix")
        if setup.get("game", cls.name) != cls.name:
            raise RulesError(f"this is not a game of {cls.name!r}")
        return cls(
            players,
            teams=require(setup, "teams", (list, type(None)), None),
            rules=Rules.from_json(require(setup, "rules", dict, {})),
            deck=Deck.from_json(setup["deck"]) if setup.get("deck") is not None else None,
            starter=require(setup, "starter", (int, type(None)), None),
            hand_sizes=require(setup, "hand_sizes", (list, type(None)), None),
            hands=require(setup, "hands", (list, type(None)), None),
            table=require(setup, "table", list, []),
            taken=require(setup, "taken", list, [0, 0]),
        )

    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The table as an SVG; circuits are lit, and cards that the last move lifted are still shown, fading."""
        state = self.state
        closed = state.scored or tuple(self.reading.circuits if not self.moves else ())
        return draw_table(self.deck, state.table, state.lifted, closed)
