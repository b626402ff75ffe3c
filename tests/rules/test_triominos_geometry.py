"""The lattice and the supplements against a slow checker that knows nothing of cells: only triangles in the plane."""

from functools import cache
from itertools import combinations
from math import hypot, pi
from random import Random

import pytest

from rules.triominos import STANDARD, Cell, Rules, Triominos, board, tile_of
from rules.triominos.lattice import ORIGIN, around, cell_at, centre, corners, neighbours, position
from rules.triominos.tiles import Values, turned

Point = tuple[float, float]
EPS = 1e-6


def same(a: Point, b: Point) -> bool:
    return hypot(a[0] - b[0], a[1] - b[1]) < EPS


@cache
def triangle(cell: Cell) -> list[Point]:
    """The cell's outline in the plane, from its centre and direction alone."""
    x, y = centre(cell)
    height = 3**0.5 / 2
    if cell.up:
        return [(x, y - height * 2 / 3), (x + 0.5, y + height / 3), (x - 0.5, y + height / 3)]
    return [(x - 0.5, y - height / 3), (x + 0.5, y - height / 3), (x, y + height * 2 / 3)]


def slow_supplement(table: list[list[Point]], new: list[Point], two_sided: bool) -> int:
    """Bridge and hexagons by comparing every pair of points and adding up angles."""
    sides, touched = [], set()
    for other in table:
        shared = [i for i in range(3) if any(same(new[i], p) for p in other)]
        touched.update(shared)
        if len(shared) == 2:
            sides.append(shared)
    hexagons = 0
    for i in range(3):
        angle = pi / 3 * (1 + sum(any(same(new[i], p) for p in other) for other in table))
        hexagons += abs(angle - 2 * pi) < EPS
    if hexagons:
        return 40 + 10 * hexagons
    if len(sides) == 1:
        opposite = ({0, 1, 2} - set(sides[0])).pop()
        return 40 if opposite in touched else 0
    return 40 if len(sides) >= 2 and two_sided else 0


def blob(rng: Random, size: int, density: float) -> set[Cell]:
    """A random patch of cells, from sparse to solid."""
    cells = [Cell(x, y, up) for x in range(size) for y in range(size) for up in (False, True)]
    return {cell for cell in cells if rng.random() < density}


def test_supplements_agree_with_plane_geometry() -> None:
    rng, seen = Random(7), {}
    for _ in range(4000):
        cells = blob(rng, 4, rng.choice([0.15, 0.4, 0.7, 0.9, 0.98]))
        new = Cell(rng.randrange(4), rng.randrange(4), rng.random() < 0.5)
        cells.discard(new)
        two_sided = rng.random() < 0.5
        table = dict.fromkeys(cells, (0, 0, 0))
        got = board.supplement(table, new, Rules(two_sided_bridge=two_sided))
        points = got[1] if got else 0
        assert points == slow_supplement([triangle(c) for c in cells], triangle(new), two_sided), (cells, new)
        seen[points] = seen.get(points, 0) + 1
    assert all(seen[points] > 30 for points in (0, 40, 50, 60, 70)), seen


def slow_fits(table: dict[Cell, Values], values: Values, cell: Cell) -> bool:
    """Legal by geometry: not on another tile, one side shared, equal numbers wherever points meet."""
    new = triangle(cell)
    joined = False
    for other, other_values in table.items():
        meeting = [(i, j) for i, p in enumerate(new) for j, q in enumerate(triangle(other)) if same(p, q)]
        if len(meeting) == 3 or any(values[i] != other_values[j] for i, j in meeting):
            return False
        joined = joined or len(meeting) == 2
    return joined


def test_placements_agree_with_plane_geometry() -> None:
    rng, legal = Random(3), 0
    for _ in range(30):
        game = Triominos(2)
        game.push(rng.choice(list(game.legal_moves)))
        for _ in range(rng.randrange(14)):
            options = [m for m in game.legal_moves if hasattr(m, "cell")]
            game.push(rng.choice(options or list(game.legal_moves)))
            if game.state.phase != "play":
                break
        table = game.state.table
        if not table:
            continue
        xs, ys = [c.x for c in table], [c.y for c in table]
        common = [tile_of(values) for _, values in board.fits(table, game.rules)]
        for tile in [rng.choice(STANDARD), *rng.sample(common, min(3, len(common)))]:
            expected = {
                (values, cell)
                for x in range(min(xs) - 2, max(xs) + 3)
                for y in range(min(ys) - 2, max(ys) + 3)
                for cell in (Cell(x, y, False), Cell(x, y, True))
                for values in {turned(tile, k) for k in range(3)}
                if slow_fits(table, values, cell)
            }
            assert {(p.values, p.cell) for p in game.placements(tile)} == expected
            legal += len(expected)
    assert legal > 150


def rotated(cell: Cell) -> tuple[Cell, int]:
    """The cell after a sixth of a turn about (0, 0), and the number that its first corner has there."""
    points = [(-y, x + y) for x, y in corners(cell)]
    image = cell_at(points)
    assert image is not None
    return image, corners(image).index(points[0])


def mirrored(cell: Cell) -> Cell:
    image = cell_at([(y, x) for x, y in corners(cell)])
    assert image is not None
    return image


def test_rotation_and_mirror_symmetry() -> None:
    """Turning the table changes neither legality nor points; a mirrored table earns the same supplements."""
    rng = Random(11)
    for _ in range(300):
        cells = blob(rng, 3, rng.choice([0.3, 0.6, 0.9]))
        new = Cell(1, 1, rng.random() < 0.5)
        cells.discard(new)
        value = {corner: rng.randrange(3) for c in {*cells, new} for corner in corners(c)}
        table = {c: tuple(value[p] for p in corners(c)) for c in cells}
        values = tuple(rng.randrange(3) for _ in range(3))

        def turn(c: Cell, v: Values) -> tuple[Cell, Values]:
            image, first = rotated(c)
            return image, turned(v, -first)

        turned_table = dict(turn(c, v) for c, v in table.items())
        image, image_values = turn(new, values)
        rules = Rules()
        assert board.supplement(table, new, rules) == board.supplement(turned_table, image, rules)
        found = [v.code for v in board.place_faults(table, values, new)]
        assert sorted(found) == sorted(v.code for v in board.place_faults(turned_table, image_values, image))
        flat = dict.fromkeys(map(mirrored, cells), (0, 0, 0))
        assert board.supplement(table, new, rules) == board.supplement(flat, mirrored(new), rules)


def test_lattice_is_consistent() -> None:
    for cell in [Cell(x, y, up) for x in (-2, 0, 3) for y in (-1, 0, 2) for up in (False, True)]:
        points = corners(cell)
        assert all(same(position(p), q) for p, q in zip(points, triangle(cell), strict=True))
        assert cell_at(reversed(points)) == cell
        for side, other in enumerate(neighbours(cell)):
            assert cell in neighbours(other)
            assert set(points) & set(corners(other)) == {points[side], points[(side + 1) % 3]}
        for number, point in enumerate(points):
            assert (cell, number) in around(point)
            assert len({c for c, _ in around(point)}) == 6
            assert all(corners(c)[k] == point for c, k in around(point))
    assert cell_at([(0, 0), (0, 0), (1, 0)]) is None
    assert cell_at([(0, 0), (2, 0), (0, 2)]) is None
    assert str(ORIGIN[0]) == "0,0v"


def test_every_tile_is_its_own_reading() -> None:
    assert len(STANDARD) == len(set(STANDARD)) == 56
    assert all(tile_of(turned(tile, k)) == tile for tile in STANDARD for k in range(3))
    chiral = [tile for tile in STANDARD if len(set(tile)) == 3]
    assert len(chiral) == 20
    for a, b in combinations(range(3), 2):
        assert all(tile[a] < tile[b] for tile in chiral)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hexagons_of_a_played_tile(count: int) -> None:
    """Fill everything around a cell's first `count` corners: one tile closes that many hexagons at once."""
    cell = Cell(0, 0, False)
    ring = {c for corner in corners(cell)[:count] for c, _ in around(corner)} - {cell}
    table = dict.fromkeys(ring, (5, 5, 5))
    assert board.supplement(table, cell, Rules()) == (f"hexagon_{count}", 40 + 10 * count)
    assert len(board.hexagons({**table, cell: (5, 5, 5)})) == count
