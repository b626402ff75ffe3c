"""Triominos: rounds of laying tiles until somebody has 400 points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rules.game import Game, Json, NotationError, Outcome, RulesError, ScoreLine, Violation, no_extra, require
from rules.triominos import board, moves
from rules.triominos.draw import draw_table
from rules.triominos.lattice import ORIGIN, Cell, centre
from rules.triominos.legality import Referee
from rules.triominos.moves import DeclareHand, Draw, Move, Pass, Place
from rules.triominos.opening import may_open, right_openings
from rules.triominos.position import Position, TableChange, compare
from rules.triominos.rounds import blocked_lines, going_out_lines, points_range
from rules.triominos.state import DRAWS_PER_TURN, State
from rules.triominos.tiles import (
    PLAYER_LETTERS,
    Hand,
    Rules,
    Tile,
    Values,
    checked_values,
    fitting,
    is_triple,
    label,
    tile_of,
    tile_set,
    turned,
)

DRAW_COST = -5
NO_PLACEMENT = -10
OPENING_BONUS = 10
OPENING_ZERO = 40

Deal = tuple[tuple[Tile, ...] | None, ...]


class Triominos(Game[State, Move]):
    """A game for 2 to 4 players.

    From public knowledge: `Triominos(3)`. With open hands: `Triominos(2, hands=[[tiles], [tiles]])`, where a hand may
    be None (unknown), and `deals=[hands of round 1, hands of round 2, ...]` for several rounds; later ones are hidden.
    A tile is a label (`"0-3-5"`) or three numbers.
    """

    name = "triominos"

    def __init__(
        self,
        players: int = 2,
        rules: Rules | None = None,
        *,
        hands: Sequence[Any] | None = None,
        deals: Sequence[Any] = (),
    ) -> None:
        if type(players) is not int or not 2 <= players <= 4:
            raise RulesError("Triominos is for 2 to 4 players")
        if rules is not None and not isinstance(rules, Rules):
            raise RulesError("rules must be a triominos.Rules")
        self._players = players
        self.rules = Rules() if rules is None else rules
        self.hand_size = 9 if players == 2 else 7
        if len(self.rules.tiles) < self.hand_size * players:
            raise RulesError(f"{len(self.rules.tiles)} tiles are too few for {players} players")
        if not isinstance(deals, list | tuple):
            raise RulesError("deals are a list of hands for each round")
        given = [*([hands] if hands is not None else []), *deals]
        self.deals: tuple[Deal, ...] = tuple(self._checked_deal(deal) for deal in given)
        self._referee = Referee(self.rules, players, len(self.deals))
        super().__init__(self._new_round(0, (), 0))

    def _checked_deal(self, deal: object) -> Deal:
        if not isinstance(deal, list | tuple) or len(deal) != self._players:
            raise RulesError("a deal has one hand for each player (None where it is unknown)")
        seen: set[Tile] = set()
        result: list[tuple[Tile, ...] | None] = []
        for hand in deal:
            if hand is None:
                result.append(None)
                continue
            if not isinstance(hand, list | tuple | set | frozenset) or len(hand) != self.hand_size:
                raise RulesError(f"a hand has {self.hand_size} tiles at the start")
            tiles = sorted(tile_of(checked_values(t)) for t in hand)
            for tile in tiles:
                if tile not in tile_set(self.rules.tiles):
                    raise RulesError(f"tile {label(tile)} is not in the set")
                if tile in seen:
                    raise RulesError(f"tile {label(tile)} is dealt twice")
                seen.add(tile)
            result.append(tuple(tiles))
        return tuple(result)

    def _new_round(self, number: int, lines: tuple[ScoreLine, ...], ply: int) -> State:
        deal = self.deals[number] if number < len(self.deals) else (None,) * self._players
        hands = tuple(Hand(frozenset(h or ()), 0 if h else self.hand_size) for h in deal)
        stock = len(self.rules.tiles) - self.hand_size * self._players
        state = State(number, "opening", None, {}, {}, hands, stock, lines=lines, ply=ply)
        known = all(hand is not None for hand in deal)
        return replace(state, turn=right_openings(hands)[0][0]) if known else state

    # -- knowledge -------------------------------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """How many play."""
        return self._players

    @property
    def turn(self) -> int | None:
        """Whose move it is; None when anybody may open, when hands are being declared and when the game is over."""
        return self.state.turn

    # -- playing ---------------------------------------------------------------------------------------------------

    def _violations(self, state: State, move: Move) -> list[Violation]:
        return self._referee.violations(state, move)

    def _after(self, state: State, move: Move) -> State:
        now = replace(state, ply=state.ply + 1)
        if isinstance(move, Place):
            return self._after_place(now, move)
        if isinstance(move, Draw):
            return self._after_draw(now, move)
        if isinstance(move, Pass):
            lines = (*now.lines, ScoreLine(move.player, "no_placement", NO_PLACEMENT, state.ply))
            return self._end_turn(replace(now, lines=lines), move.player)
        declared = tuple(move.points if p == move.player else d for p, d in enumerate(state.declared))
        return self._settle(replace(now, declared=declared))

    def _after_place(self, now: State, move: Place) -> State:
        cell, tile, ply = move.cell, move.tile, now.ply - 1
        assert cell is not None
        earned = [ScoreLine(move.player, "tile", sum(tile), ply)]
        if now.phase == "opening":
            if tile == (0, 0, 0):
                earned = [ScoreLine(move.player, "opening_zero", OPENING_ZERO, ply)]
            elif is_triple(tile):
                earned.append(ScoreLine(move.player, "opening_bonus", OPENING_BONUS, ply))
        else:
            extra = board.supplement(now.table, cell, self.rules)
            if extra:
                earned.append(ScoreLine(move.player, extra[0], extra[1], ply))
        hand = now.hands[move.player]
        hand = Hand(hand.known - {tile}, hand.unknown - (tile not in hand.known))
        hands = tuple(hand if p == move.player else h for p, h in enumerate(now.hands))
        now = replace(
            now,
            phase="play",
            turn=(move.player + 1) % self._players,
            table={**now.table, cell: move.values},
            placed={**now.placed, tile: cell},
            hands=hands,
            draws=0,
            idle=0,
            lines=(*now.lines, *earned),
        )
        return self._count_hands(replace(now, out=move.player)) if hand.size == 0 else now

    def _after_draw(self, now: State, move: Draw) -> State:
        hand = now.hands[move.player]
        if move.tile is None:
            hand = Hand(hand.known, hand.unknown + 1)
        else:
            hand = Hand(hand.known | {move.tile}, hand.unknown)
        lines = [*now.lines, ScoreLine(move.player, "draw", DRAW_COST, now.ply - 1)]
        ends = self.rules.third_draw_ends and now.draws + 1 == DRAWS_PER_TURN
        if ends:
            lines.append(ScoreLine(move.player, "no_placement", NO_PLACEMENT, now.ply - 1))
        hands = tuple(hand if p == move.player else h for p, h in enumerate(now.hands))
        now = replace(now, hands=hands, stock=now.stock - 1, draws=now.draws + 1, lines=tuple(lines))
        return self._end_turn(now, move.player) if ends else now

    def _end_turn(self, now: State, player: int) -> State:
        """The end of a turn without a placement; the last of a succession with an empty stock blocks the round."""
        idle = now.idle + 1 if now.stock == 0 else 0
        now = replace(now, turn=(player + 1) % self._players, draws=0, idle=idle)
        return self._count_hands(now) if idle >= self._players else now

    def _count_hands(self, now: State) -> State:
        """The round is over: hands that are fully known need no declaration."""
        declared = tuple(hand.points if hand.unknown == 0 else None for hand in now.hands)
        return self._settle(replace(now, phase="hands", turn=None, draws=0, declared=declared))

    def _settle(self, now: State) -> State:
        """Once all hands are known: the round's points, then the next round or the end."""
        sums = [points for points in now.declared if points is not None]
        if len(sums) < self._players:
            return now
        if now.out is not None:
            earned = going_out_lines(now.out, sums, now.ply - 1)
        else:
            earned = blocked_lines(sums, self.rules.blocked_tie, now.ply - 1)
        lines = (*now.lines, *earned)
        if max(self._totals(lines)) >= self.rules.target:
            return replace(now, phase="over", lines=lines)
        return self._new_round(now.round + 1, lines, now.ply)

    def _totals(self, lines: Sequence[ScoreLine]) -> list[int]:
        totals = [0] * self._players
        for line in lines:
            totals[line.player] += line.points
        return totals

    # -- legal moves and what a referee asks -----------------------------------------------------------------------

    def _candidates(self, state: State) -> Iterator[Move]:
        if state.phase == "opening":
            yield from self._openings(state)
        elif state.phase == "hands":
            for player, points in enumerate(state.declared):
                if points is None:
                    low, high = self.hand_points_range(player, state)
                    yield from (DeclareHand(player, sum_) for sum_ in range(low, high + 1))
        elif state.phase == "play":
            assert state.turn is not None
            player, seen = state.turn, state.seen
            holds = {t for t in self.rules.tiles if t not in state.placed and state.may_hold(player, t, seen)}
            for cell, values in board.fits(state.table, self.rules):
                if tile_of(values) in holds:
                    yield Place(player, values, cell)
            if state.stock and state.draws < DRAWS_PER_TURN:
                yield Draw(player)
                if state.round < len(self.deals):
                    yield from (Draw(player, t) for t in self.rules.tiles if t not in seen)
            else:
                yield Pass(player)

    def _openings(self, state: State) -> Iterator[Place]:
        seen, unseen = state.seen, self._referee.unseen(state)
        for player in range(self._players):
            if state.turn not in (None, player):
                continue
            for tile in self.rules.tiles:
                if state.may_hold(player, tile, seen) and may_open(state.hands, unseen, player, tile):
                    for cell in ORIGIN:
                        for values in sorted({turned(tile, k) for k in range(3)}):
                            yield Place(player, values, cell)

    def placements(self, tile: Any, player: int | None = None) -> list[Place]:
        """Every place where this tile could lie now by its corners and sides, whoever holds it, laid by `player`."""
        name = tile_of(checked_values(tile))
        who = player if player is not None else self.turn or 0
        if not self.state.table:
            readings = sorted({turned(name, k) for k in range(3)})
            return [Place(who, values, cell) for cell in ORIGIN for values in readings]
        return [Place(who, values, cell) for cell, values in board.fits_of(self.state.table, name)]

    def tiles_for(self, cell: Cell) -> list[Values]:
        """The readings of tiles not yet on the table that fit into an empty cell beside another tile."""
        table = self.state.table
        if cell in table or cell not in board.frontier(table):
            return []
        found = fitting(self.rules.tiles).get(board.needed(table, cell), ())
        return [values for values in found if tile_of(values) not in self.state.placed]

    def nearest(self, move: Place, limit: int = 3) -> list[Place]:
        """Legal places for the same tile, nearest first (a turn in the same cell before the next cell)."""
        options = [p for p in self.placements(move.values, move.player) if not self.check(p)]
        x, y = centre(move.cell) if move.cell is not None else (0.0, 0.0)

        def distance(option: Place) -> tuple[float, bool, str]:
            assert option.cell is not None
            ox, oy = centre(option.cell)
            return round((ox - x) ** 2 + (oy - y) ** 2, 6), option.values != move.values, str(option)

        return sorted(options, key=distance)[:limit]

    def hand_points_range(self, player: int, state: State | None = None) -> tuple[int, int]:
        """The least and the most that a player's hand can add up to, given every tile seen so far."""
        state = self.state if state is None else state
        return points_range(state.hands[player], self._referee.unseen(state))

    def points_of(self, move: Place) -> tuple[ScoreLine, ...]:
        """What a placement would earn at once, by cause (a round's end not included)."""
        now = replace(self.state, ply=self.state.ply + 1, lines=(), hands=(Hand(frozenset(), 99),) * self._players)
        return self._after_place(now, move).lines if move.cell is not None else ()

    def compare_table(self, tiles: Sequence[Any]) -> TableChange:
        """The table as the eyes see it against the game's: what is new, and which tiles moved or went away.

        `tiles` are `(label, cell)` pairs as for `from_table`, in this game's lattice.
        """
        return compare(self.state.table, tiles)

    @classmethod
    def from_table(cls, tiles: Sequence[Any], rules: Rules | None = None) -> Position:
        """A position by itself, as one photo gives it: see `Position`."""
        return Position(tiles, Rules() if rules is None else rules)

    # -- score, notation, drawing ----------------------------------------------------------------------------------

    def _lines(self, state: State) -> Sequence[ScoreLine]:
        return state.lines

    def _outcome(self, state: State) -> Outcome | None:
        if state.phase != "over":
            return None
        totals = self._totals(state.lines)
        best = max(totals)
        return Outcome(tuple(p for p, t in enumerate(totals) if t == best), tuple(totals), "target_reached")

    def format_move(self, move: Move) -> str:
        """`A 0-1-2@0,0v`, `B draw`, `C pass`, `A hand 12`; see `moves`."""
        return str(move)

    def parse_move(self, text: str) -> Move:
        """The move that `format_move` printed."""
        return moves.parse_move(text)

    def setup_json(self) -> Json:
        """Players, the rules that differ from the usual ones, and supplied hands by round."""
        deals = [[None if h is None else [label(t) for t in h] for h in deal] for deal in self.deals]
        return {"players": self._players, "rules": self.rules.to_json(), "deals": deals}

    @classmethod
    def from_setup(cls, setup: Json) -> Triominos:
        """A fresh game from `setup_json`."""
        players = require(setup, "players", int)
        no_extra(setup, ("game", "players", "rules", "deals"), "a game of Triominos")
        if setup.get("game", cls.name) != cls.name:
            raise NotationError(f"this is a game of {str(setup['game'])[:40]!r}, not of {cls.name!r}")
        rules = Rules.from_json(require(setup, "rules", dict, {}))
        return cls(players, rules, deals=require(setup, "deals", list, []))

    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The table as SVG, with the last tile marked; the score below where nobody is named (the page shows it)."""
        last = next((m for m in reversed(self._moves) if isinstance(m, Place)), None)
        return draw_table(self.state.table, last.cell if last else None, [] if names else self._caption())

    def _caption(self) -> list[str]:
        state = self.state
        parts = []
        for player, total in enumerate(self._totals(state.lines)):
            mark = "▸ " if state.turn == player else ""
            parts.append(f"{mark}{PLAYER_LETTERS[player]} {total} ({state.hands[player].size})")
        return [*parts, f"R{state.round + 1}", f"▽ {state.stock}"]
