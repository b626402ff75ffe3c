"""A round (or more) of Triominos between players who know the rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from datasets.art.sprite import Sprite
from datasets.art.tiles import STYLE_SEEDS, TEST_STYLE_SEEDS, TileStyle, tile_sprite
from datasets.art.tiles import values as label_values
from datasets.played.model import NotPossible, Played, Step, finish, spot
from datasets.scene import Placed
from rules.triominos import Triominos
from rules.triominos.lattice import Cell, centre, corners, neighbours, position
from rules.triominos.moves import DeclareHand, Draw, Move, Pass, Place
from rules.triominos.tiles import Tile, is_triple, label, turned

TURN = 25  # degrees that the lattice may lie turned on the table
SHORT = 8  # placements of a short game
REACH = 2.4  # how far from the middle players like to lay tiles, in sides
WIDE = 1.9  # a camera's picture is wider than high: upwards and downwards counts for more


Size = tuple[int, int]


class _Table:
    """Tiles of one style on a lattice that lies turned and shifted on a real table."""

    def __init__(self, rng: np.random.Generator, style: TileStyle) -> None:
        self.rng, self.style = rng, style
        self.pitch = style.side + float(rng.uniform(0.3, 1.2))
        self.turn = math.radians(float(rng.uniform(-TURN, TURN)))
        self._sprites: dict[str, Sprite] = {}

    def sprite(self, tile: Tile) -> Sprite:
        name = label(tile)
        if name not in self._sprites:
            self._sprites[name] = tile_sprite(name, self.style, 5.0)
        return self._sprites[name]

    def _mm(self, corner: tuple[float, float]) -> tuple[float, float]:
        x, y = position(corner, self.pitch)
        c, s = math.cos(self.turn), math.sin(self.turn)
        return c * x - s * y, s * x + c * y

    def middle(self, cell: Cell) -> tuple[float, float]:
        """The middle of a cell in mm."""
        x, y = np.mean(corners(cell), axis=0)
        return self._mm((float(x), float(y)))

    def lay(self, tile: Tile, values: tuple[int, int, int], cell: Cell) -> Placed:
        """The tile with `values` clockwise from the cell's first corner, a little crooked as by a human hand."""
        points = [self._mm(c) for c in corners(cell)]
        ways = [k for k in range(3) if turned(tile, k) == values]
        k = ways[int(self.rng.integers(len(ways)))]
        # values[i] is tile[(i + k) % 3], so the tile's own first value lies at corner (-k) % 3.
        first = (-k) % 3
        placed = Placed.by_corners(self.sprite(tile), points[first], points[(first + 1) % 3])
        middle = np.mean(points, axis=0) + self.rng.normal(0, 0.15, 2)
        turn = placed.turn + float(self.rng.normal(0, 0.5))
        return replace(placed, x=float(middle[0]), y=float(middle[1]), turn=turn)

    def crooked(self, tile: Tile, cell: Cell) -> Placed:
        """The tile near a cell but aligned to nothing."""
        x, y = self.middle(cell)
        return Placed(self.sprite(tile), x, y, math.degrees(self.turn) + float(self.rng.uniform(22, 38)))


def _opening(hands: list[list[Tile]]) -> tuple[int, Tile]:
    """Who opens with what: the highest triple, or else the highest sum; the first in seating order among equals."""
    best = max((is_triple(t), sum(t), -player, t) for player, hand in enumerate(hands) for t in hand)
    return -best[2], best[3]


def _choose(rng: np.random.Generator, game: Triominos, options: list[Place]) -> Place:
    """A move that scores well and keeps the game on the table."""

    def worth(move: Place) -> float:
        assert move.cell is not None
        x, y = centre(move.cell)
        far = max(0.0, math.hypot(x, WIDE * y) - REACH)
        return sum(line.points for line in game.points_of(move)) - 20 * far + float(rng.uniform(0, 6))

    return max(options, key=worth)


def _options(game: Triominos, player: int, hand: list[Tile]) -> list[Place]:
    found = [m for tile in hand for m in game.placements(tile, player) if not game.check(m)]
    return sorted(set(found), key=str)


def play_triominos(
    seed: int,
    *,
    players: int = 2,
    rounds: int = 1,
    illegal: str | None = None,
    reserved: bool = False,
    short: bool = False,
    attempt: int = 0,
    size: tuple[int, int] = (1280, 720),
    max_placements: int | None = None,
) -> Played:
    """Play with hidden hands, as the camera knows it; draws, passes and final hands are declared."""
    rng = np.random.default_rng([seed, 31, attempt])
    styles = TEST_STYLE_SEEDS if reserved else STYLE_SEEDS
    if short and max_placements is None:
        max_placements = SHORT
    table = _Table(rng, TileStyle.seeded(int(rng.choice(styles))))
    game = Triominos(players)
    steps: list[Step] = []
    placed: tuple[Placed, ...] = ()
    lain: dict[Cell, int] = {}
    foul_at = int(rng.integers(4, SHORT if short else 9)) if illegal else -1
    count = 0

    def said(move: Move, player: int) -> None:
        game.push(move)
        steps.append(Step(placed, player, str(move), seen=False, scores=_totals(game)))

    while game.outcome() is None and game.state.round < rounds:
        every = list(game.rules.tiles)
        bag = [every[int(i)] for i in rng.permutation(len(every))]
        hands = [[bag.pop() for _ in range(game.hand_size)] for _ in range(players)]
        number = game.state.round
        opener, first = _opening(hands)
        if placed:
            placed, lain = (), {}
            steps.append(Step(placed, opener, at=(0.0, 0.0), call={"call": "cleared"}))
        while game.outcome() is None and game.state.round == number:
            if game.state.phase == "hands":
                for player, points in enumerate(game.state.declared):
                    if points is None and game.state.round == number:
                        said(DeclareHand(player, sum(sum(t) for t in hands[player])), player)
                continue
            player = opener if game.state.phase == "opening" or game.turn is None else game.turn
            if game.state.phase == "opening":
                steps.append(Step(placed, player, seen=False, call={"call": "opener", "player": player}))
                move: Place | None = Place(player, first, Cell(0, 0, bool(rng.integers(2))))
            else:
                options = _options(game, player, hands[player])
                move = _choose(rng, game, options) if options else None
            if count == foul_at and illegal:
                foul = _foul(
                    rng, game, table, placed=placed, lain=lain, code=illegal, player=player, hand=hands[player]
                )
                if foul is None:
                    foul_at += 1
                else:
                    steps += [foul, Step(placed, player, at=foul.at)]
                    foul_at = -2
            if move is not None and move.cell is not None:
                game.push(move)
                hands[player].remove(move.tile)
                lain[move.cell] = len(placed)
                placed = (*placed, table.lay(move.tile, move.values, move.cell))
                steps.append(Step(placed, player, str(move), at=spot(placed[-1]), scores=_totals(game)))
                count += 1
                if max_placements is not None and count >= max_placements:
                    if illegal and foul_at != -2:
                        raise NotPossible(f"the game of seed {seed} is too short for {illegal}")
                    return _finished(rng, seed, table, game, steps, size=size, reserved=reserved)
            elif game.state.stock and game.state.draws < 3:
                hands[player].append(bag.pop())
                said(Draw(player), player)
            else:
                said(Pass(player), player)
    if illegal and foul_at != -2:
        raise NotPossible(f"the game of seed {seed} has no place for {illegal}")
    return _finished(rng, seed, table, game, steps, size=size, reserved=reserved)


def _finished(
    rng: np.random.Generator,
    seed: int,
    table: _Table,
    game: Triominos,
    steps: list[Step],
    *,
    size: Size,
    reserved: bool,
) -> Played:
    turned = _turned(steps, math.degrees(table.turn), size)
    return finish(rng, "triominos", seed, game.setup_json(), turned, seats=game.players, size=size, reserved=reserved)


def _turned(steps: list[Step], turn: float, size: Size) -> list[Step]:
    """The same game with the lattice turned so that the camera can come as near as possible, within `TURN`."""
    pieces = {id(piece): piece for step in steps for piece in step.table}
    spots = np.array([spot(piece) for piece in pieces.values()])

    def needed(angle: float) -> float:
        a = math.radians(angle)
        flat = spots @ np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
        width, height = np.ptp(flat, axis=0) + 60.0
        return max(float(width) / size[0], float(height) / size[1])

    best = min((angle - turn for angle in range(-TURN, TURN + 1, 5)), key=needed)
    c, s = math.cos(math.radians(best)), math.sin(math.radians(best))
    moved = {key: replace(p, x=c * p.x - s * p.y, y=s * p.x + c * p.y, turn=p.turn + best) for key, p in pieces.items()}
    return [
        replace(
            step,
            table=tuple(moved[id(piece)] for piece in step.table),
            at=None if step.at is None else (c * step.at[0] - s * step.at[1], s * step.at[0] + c * step.at[1]),
        )
        for step in steps
    ]


def _totals(game: Triominos) -> tuple[int, ...]:
    return tuple(score.total for score in game.score())


def _foul(
    rng: np.random.Generator,
    game: Triominos,
    table: _Table,
    *,
    placed: tuple[Placed, ...],
    lain: dict[Cell, int],
    code: str,
    player: int,
    hand: list[Tile],
) -> Step | None:
    """An illegal placement with exactly this code, or None where the position allows none."""
    cells = sorted(game.state.table)
    edge = sorted({c for cell in cells for c in neighbours(cell)} - set(cells))
    if code in ("tile_moved", "tile_removed"):
        free = [c for c in edge if sum(n in game.state.table for n in neighbours(c)) == 1]
        loose = [c for c in cells if sum(n in game.state.table for n in neighbours(c)) == 1]
        if len(cells) < 4 or not loose or not free:
            return None
        index = lain[loose[int(rng.integers(len(loose)))]]
        rest = placed[:index] + placed[index + 1 :]
        at = spot(placed[index])
        if code == "tile_removed":
            return Step(rest, player, at=at, illegal=(code,))
        tile = label_values(placed[index].sprite.label)
        moved = _clear_of(table, tile, [c for c in free if math.dist(table.middle(c), at) > 2 * table.pitch], rest)
        return None if moved is None else Step((*rest, moved), player, at=spot(moved), illegal=(code,))
    if code == "off_lattice":
        tile = hand[int(rng.integers(len(hand)))]
        free = [c for c in edge if sum(n in game.state.table for n in neighbours(c)) == 1]
        if not free:
            return None
        piece = _clear_of(table, tile, free, placed)
        move = Place(player, tile, None)
        if piece is None:
            return None
        return Step((*placed, piece), player, str(move), at=spot(piece), illegal=(code,))
    for move in _candidates(rng, game, code=code, player=player, hand=hand, cells=cells, edge=edge):
        codes = {v.code for v in game.check(move)}
        if codes == {code}:
            assert move.cell is not None
            piece = table.lay(move.tile if code != "mirrored_tile" else move.values, move.values, move.cell)
            if code == "overlap":
                piece = replace(piece, z=table.style.thickness)
            return Step((*placed, piece), player, str(move), at=spot(piece), illegal=(code,))
    return None


def _clear_of(table: _Table, tile: Tile, cells: list[Cell], placed: tuple[Placed, ...]) -> Placed | None:
    """A crooked tile beside the others, not on top of any."""
    for cell in cells:
        piece = table.crooked(tile, cell)
        away = np.array(spot(piece)) - np.mean([spot(p) for p in placed], axis=0)
        away = away / max(1e-6, float(np.linalg.norm(away)))
        piece = replace(piece, x=piece.x + 0.35 * table.pitch * away[0], y=piece.y + 0.35 * table.pitch * away[1])
        if all(math.dist(spot(piece), spot(p)) > 0.75 * table.pitch for p in placed):
            return piece
    return None


def _candidates(
    rng: np.random.Generator,
    game: Triominos,
    *,
    code: str,
    player: int,
    hand: list[Tile],
    cells: list[Cell],
    edge: list[Cell],
) -> Iterator[Place]:
    """Placements among which one with this code may be."""
    tiles = list(hand)
    where = edge
    if code == "tile_on_table":
        tiles = sorted(game.state.placed)
    elif code == "mirrored_tile":
        tiles = [(a, c, b) for a, b, c in game.rules.tiles if len({a, b, c}) == 3]
    elif code == "no_side":
        where = sorted({n for cell in edge for n in neighbours(cell)} - set(cells) - set(edge))
    elif code == "overlap":
        where = cells
    options = [Place(player, turned(tile, k), cell) for tile in tiles for k in range(3) for cell in where]
    for i in rng.permutation(len(options)):
        yield options[int(i)]
