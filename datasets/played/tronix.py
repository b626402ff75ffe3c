"""Tronix: cards on a grid, circuits taken away, and then god mode, in which cards are moved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from datasets.art.circuits import RESERVED, SIZE_MM, STYLES, circuit_sprite
from datasets.art.sprite import Sprite
from datasets.played.model import NotPossible, Played, Step, finish, spot
from datasets.scene import Placed
from rules.tronix import Face, Tronix
from rules.tronix.circuits import trace
from rules.tronix.deck import COLORS, Cell
from rules.tronix.moves import Move
from rules.tronix.state import Rules

REACH = (3, 1)  # cells from the middle that players keep to, across and up or down, so that one camera sees them all
HANDS, GOD = 16, 6  # cards in all hands together, and moves in god mode, of a game
SHORT_HANDS, SHORT_GOD, ISLAND_HANDS = 6, 3, 10
ONLY_GOD = ("hand_empty", "wrong_card", "island", "last_moved")  # what can only go wrong when all hands are empty
TRIED = 90  # moves that a player thinks about


class _Table:
    """A game under way and the cards that lie there."""

    def __init__(
        self, rng: np.random.Generator, players: int, reserved: bool, cards: int, rules: Rules | None = None
    ) -> None:
        self.rng = rng
        names = [name for name in STYLES if (name in RESERVED) == reserved]
        self.style = STYLES[names[int(rng.integers(len(names)))]]
        self.gap = float(rng.uniform(0.4, 1.8))
        self.turn = float(rng.uniform(-8, 8))
        each = max(1, cards // players)
        self.game = Tronix(players, starter=int(rng.integers(players)), hand_sizes=(each,) * players, rules=rules)
        self.lain: dict[Cell, Placed] = {}
        self.steps: list[Step] = []
        self._sprites: dict[Face, Sprite] = {}

    @property
    def placed(self) -> tuple[Placed, ...]:
        return tuple(self.lain.values())

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(score.total for score in self.game.score())

    def card(self, face: Face, place: tuple[float, float], sideways: bool = False) -> Placed:
        """A card showing `face` at a place of the grid, a little crooked."""
        if face not in self._sprites:
            self._sprites[face] = circuit_sprite(face.lines, self.style)
        u, v = place[0] * (SIZE_MM[0] + self.gap), place[1] * (SIZE_MM[1] + self.gap)
        c, s = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        dx, dy = np.clip(self.rng.normal(0, 0.4, 2), -0.9, 0.9)
        spin = float(np.clip(self.rng.normal(0, 0.6), -1.5, 1.5)) + (90.0 if sideways else 0.0)
        return Placed(self._sprites[face], c * u - s * v + float(dx), s * u + c * v + float(dy), self.turn + spin)

    def do(self, move: Move) -> None:
        """Make a legal move and take away the cards of the circuits that it closes."""
        assert move.face is not None
        assert move.cell is not None
        player = self.game.turn
        self.game.push(move)
        if move.source is not None:
            del self.lain[_cell(move.source)]
        self.lain[_cell(move.cell)] = piece = self.card(move.face, move.cell)
        self.steps.append(Step(self.placed, player, str(move), at=spot(piece), scores=self.scores))
        if self.game.state.lifted:
            gone = [self.lain.pop(cell) for cell in self.game.state.lifted]
            x, y = (float(v) for v in np.mean([spot(p) for p in gone], axis=0))
            self.steps.append(Step(self.placed, player, at=(x, y)))

    def undone(self, move: Move, table: tuple[Placed, ...], at: tuple[float, float]) -> None:
        """Something illegal, and how it was before."""
        codes = tuple(sorted(v.code for v in self.game.check(move)))
        self.steps.append(Step(table, self.game.turn, str(move), at=at, illegal=codes))
        self.steps.append(Step(self.placed, self.game.turn, at=at))

    # -- choices ----------------------------------------------------------------------------------------------

    def choose(self) -> Move | None:
        """A move that scores, keeps the cards together and within reach; None where none stays within reach."""
        moves = [m for m in self.game.legal_moves if m.cell is not None and self._near(_cell(m.cell))]
        picked = [moves[int(i)] for i in self.rng.permutation(len(moves))[:TRIED]]
        return max(picked, key=self._worth, default=None)

    @staticmethod
    def _near(cell: Cell) -> bool:
        return abs(cell[0]) <= REACH[0] and abs(cell[1]) <= REACH[1]

    def _worth(self, move: Move) -> float:
        game = self.game
        team = COLORS.index(game.teams[game.turn]) if game.turn is not None else 0
        before, around = self.scores, dict(game.state.table)
        game.push(move)
        after, ended = self.scores, game.state.ended
        game.pop()
        assert move.cell is not None
        assert move.face is not None
        x, y = _cell(move.cell)
        # A line that curls within a square of four cards is on its way to a circuit.
        curl = 0.0
        for color in COLORS if move.source is None else ():
            cells = trace(around | {(x, y): move.face}, (x, y), color).cells
            across = [max(c[axis] for c in cells) - min(c[axis] for c in cells) for axis in (0, 1)]
            curl += 0.9 * len(cells) if across == [1, 1] else 0.0
        beside = sum((x + dx, y + dy) in around for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)))
        won = (after[team] - before[team]) - 0.5 * (after[1 - team] - before[1 - team])
        return 2 * won + curl + beside - (5.0 if ended else 0.0) + float(self.rng.uniform(0, 2))

    def foul(self, code: str) -> bool:
        """Make the illegal placement of this code if there is room for it now."""
        if len(self.lain) < 3:
            return False
        if code == "card_removed":
            cell = sorted(self.lain)[int(self.rng.integers(len(self.lain)))]
            rest = tuple(piece for at, piece in self.lain.items() if at != cell)
            self.steps.append(Step(rest, self.game.turn, at=spot(self.lain[cell]), illegal=(code,)))
            self.steps.append(Step(self.placed, self.game.turn, at=spot(self.lain[cell])))
            return True
        options = list(self._wrong(code))
        for index in self.rng.permutation(len(options)):
            move = options[int(index)]
            if {v.code for v in self.game.check(move)} == {code}:
                self.undone(move, *self._shown(move))
                return True
        return False

    def _shown(self, move: Move) -> tuple[tuple[Placed, ...], tuple[float, float]]:
        """The table after an illegal move, and where the hand was."""
        assert move.cell is not None
        lain = dict(self.lain)
        if move.face is None:
            assert move.source is not None
            a, b = _cell(move.source), _cell(move.cell)
            one, two = lain[a], lain[b]
            lain[a], lain[b] = replace(two, x=one.x, y=one.y), replace(one, x=two.x, y=two.y)
            return tuple(lain.values()), spot(one)
        if move.source is not None:
            del lain[_cell(move.source)]
        piece = self.card(move.face, move.cell, move.sideways)
        if move.cell in lain:  # on top of another card, which looks out a little
            dx, dy = (float(v) for v in self.rng.uniform(1.0, 3.0, 2) * self.rng.choice((-1, 1), 2))
            piece = replace(piece, x=piece.x + dx, y=piece.y + dy, z=piece.sprite.thickness_mm)
        return (*lain.values(), piece), spot(piece)

    def _wrong(self, code: str) -> Iterator[Move]:
        """Moves among which one with this code may be, all of them visible as what they are."""
        table = self.game.state.table
        faces = sorted(self.game.deck.shows, key=str)
        free = [
            (x, y)
            for x in range(-REACH[0], REACH[0] + 1)
            for y in range(-REACH[1], REACH[1] + 1)
            if (x, y) not in table
        ]
        if code in ONLY_GOD and not self.game.state.god:
            return
        if code == "no_connection":
            yield from (Move.place(cell, face) for cell in free for face in faces)
        elif code == "off_grid":
            for x, y in free:
                if (x + 1, y) in free and (x + 2, y) not in table and (x - 1, y) not in table:
                    beside = [(x + dx, y + dy) in table for dx in (0, 1) for dy in (-1, 1)]
                    if any(beside):
                        yield from (Move.place((x + 0.5, y), face) for face in faces)
        elif code == "wrong_orientation":
            # On its side a card is wider than its cell: it needs room left and right.
            for x, y in free:
                if (x - 1, y) not in table and (x + 1, y) not in table:
                    yield from (Move("place", (x, y), face, sideways=True) for face in faces)
        elif code == "swap":
            cells = sorted(table)
            pairs = [(a, b) for i, a in enumerate(cells) for b in cells[i + 1 :] if table[a] != table[b]]
            yield from (Move("swap", b, None, a) for a, b in pairs)
        elif code == "hand_empty":
            yield from (Move.place(cell, face) for cell in free for face in faces)
        elif code == "wrong_card":
            yield from (Move.shift(source, cell, face) for source in sorted(table) for cell in free for face in faces)
        elif code == "cell_occupied":
            yield from self._on_top(faces)
        elif code in ("not_god_mode", "island"):
            yield from (Move.shift(source, cell, table[source]) for source in sorted(table) for cell in free)
        elif self.game.state.last_moved is not None:
            source = self.game.state.last_moved
            yield from (Move.shift(source, cell, table[source]) for cell in free)

    def _on_top(self, faces: Sequence[Face]) -> Iterator[Move]:
        """Cards laid on others, showing what the covered card cannot: else it would look turned, or gone."""
        table, god = self.game.state.table, self.game.state.god
        for cell in sorted(table):
            for face in faces:
                codes = {v.code for v in self.game.check(Move.shift(cell, cell, face))}
                if not god and "wrong_card" in codes:
                    yield Move.place(cell, face)
            for source in sorted(table) if god else ():
                if source != cell and table[source] != table[cell]:
                    yield Move.shift(source, cell, table[source])


def _cell(place: tuple[float, float]) -> Cell:
    return int(place[0]), int(place[1])


def play_tronix(
    seed: int,
    *,
    players: int = 2,
    illegal: str | None = None,
    reserved: bool = False,
    short: bool = False,
    attempt: int = 0,
    size: tuple[int, int] = (1280, 720),
) -> Played:
    """All hands placed, then some moves in god mode, or until the game ends by itself."""
    rng = np.random.default_rng([seed, 34, attempt])
    cards, god = (max(players, SHORT_HANDS), SHORT_GOD) if short else (HANDS, GOD)
    if illegal == "island":  # few cards hang together in too many ways to be cut apart
        cards = max(cards, ISLAND_HANDS)
    # Cutting the table in two is forbidden only where the players have agreed on it.
    rules = Rules(god_islands=False) if illegal == "island" else None
    table = _Table(rng, players, reserved, cards, rules)
    missing = illegal is not None
    wait = int(rng.integers(3, max(4, cards - 1)))
    while table.game.outcome() is None and god > 0:
        if illegal and missing and len(table.game.moves) >= wait:
            missing = not table.foul(illegal)
        move = table.choose()
        if move is None:
            break
        god -= table.game.state.god
        table.do(move)
    if missing:
        raise NotPossible(f"the game of seed {seed} has no place for {illegal}")
    setup = table.game.setup_json()
    return finish(rng, "tronix", seed, setup, table.steps, seats=players, size=size, reserved=reserved)
