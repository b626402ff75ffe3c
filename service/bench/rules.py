"""How fast the five engines are, how their cost grows with the table, and how long they take to import.

Rates are per second of processor time, so that a busy computer measures the same. Growth is the exponent `k` of
`cost ~ size^k` between the smallest and the largest table: 0 is a cost that does not grow, 1 is linear.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from math import log
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from rules.game import Game
from rules.trama import Trama
from rules.trichon import Trichon
from rules.triominos import Cell, Rules, Triominos, board, tile_of
from rules.triominos.lattice import ORIGIN
from rules.triominos.tiles import STANDARD, Values
from rules.tronix import Deck, Face, Kind, Tronix, circuits, read_table
from rules.truco import Truco
from service.bench.table import Row

AnyGame = Game[Any, Any]
GAMES: dict[str, Callable[[], AnyGame]] = {
    "trama": lambda: Trama(2),
    "trichon": Trichon,
    "triominos": lambda: Triominos(2),
    "tronix": lambda: Tronix(4),
    "truco": lambda: Truco(2),
}
MOST_MOVES = 2000  # Trama has millions in one position; the list is lazy, and so is this
TILES = (10, 30, 56)
USUAL = Rules()
IMPORT_LIMIT = 0.05
CARDS = (4, 16, 36, 64, 100)


def rows(quick: bool) -> list[Row]:
    """Everything about the rules; `quick` measures a tenth of a second each instead of a half."""
    budget = 0.1 if quick else 0.5
    found: list[Row] = []
    for name, start in GAMES.items():
        found += rates(name, start, budget)
    found += tile_growth(budget)
    found += card_growth(budget)
    times = 3 if quick else 9
    found.append(import_time("rules: import", ["rules"], times))
    found.append(import_time("rules: import with all five engines", [f"rules.{name}" for name in GAMES], times))
    return found


def seconds(act: Callable[[], object], budget: float) -> float:
    """Processor time of one call, the least over rounds that fill the budget."""
    best, spent, calls = float("inf"), 0.0, 1
    while spent < budget:
        began = process_time()
        for _ in range(calls):
            act()
        took = process_time() - began
        spent += took
        if took < 0.01:  # too short for the clock: more calls in a round
            calls *= 4
        else:
            best = min(best, took / calls)
    return best if best < float("inf") else spent / calls


# -- each game in the middle of play -----------------------------------------------------------------------------------


def middle(start: Callable[[], AnyGame], seed: int, plies: int = 12) -> AnyGame:
    """A game some random moves on, not yet over."""
    rng, game = Random(seed), start()
    for _ in range(plies):
        options = list(islice(game.legal_moves, 300))
        if not options:
            break
        game.push(rng.choice(options))
    if game.outcome() is not None:
        game.pop()
    return game


def rates(name: str, start: Callable[[], AnyGame], budget: float) -> list[Row]:
    """Moves checked and legal moves generated per second over a few positions of one game."""
    games = [middle(start, seed) for seed in range(4)]
    asked: list[tuple[AnyGame, Any]] = []
    for game, other in zip(games, games[1:] + games[:1], strict=True):
        # Moves of another position are mostly illegal here, so both answers are timed.
        asked += [(game, move) for source in (game, other) for move in islice(source.legal_moves, 100)]

    def check_all() -> None:
        for game, move in asked:
            game.check(move)

    def generate() -> int:
        return sum(1 for game in games for _ in islice(game.legal_moves, MOST_MOVES))

    listed = generate()
    checked = len(asked) / seconds(check_all, budget)
    made = listed / seconds(generate, budget)
    return [
        Row(f"{name}: moves checked", checked, "per s", f"{len(asked)} moves in {len(games)} positions"),
        Row(f"{name}: legal moves generated", made, "per s", f"{listed} moves in {len(games)} positions"),
    ]


# -- growth with the table ---------------------------------------------------------------------------------------------


def growth(costs: dict[int, float]) -> float:
    """The exponent between the smallest and the largest size."""
    small, large = min(costs), max(costs)
    return log(costs[large] / costs[small]) / log(large / small)


def laid_tiles(wanted: int) -> dict[Cell, Values]:
    """A legal table of so many tiles: the tile with the fewest places goes first; new starts until it works out."""
    for seed in count():
        rng = Random(seed)
        first = rng.choice(STANDARD)
        table: dict[Cell, Values] = {ORIGIN[0]: first}
        left = set(STANDARD) - {first}
        while len(table) < wanted:
            places: dict[Values, list[tuple[Cell, Values]]] = {}
            for cell, values in board.fits(table, USUAL):
                places.setdefault(tile_of(values), []).append((cell, values))
            options = sorted(left & set(places), key=lambda tile: (len(places[tile]), rng.random()))
            if not options:
                break
            cell, values = rng.choice(places[options[0]])
            table[cell] = values
            left.discard(options[0])
        else:
            return table
    raise AssertionError("unreachable: there is always a next seed")


def per_size(name: str, costs: dict[int, float], thing: str) -> Iterator[Row]:
    """One row for each size and one for the growth."""
    for size, cost in costs.items():
        yield Row(f"{name}, {size} {thing}", cost * 1e6, "µs")
    yield Row(f"{name}, growth", growth(costs), "exponent", f"{min(costs)} to {max(costs)} {thing}; 1 is linear")


def all_placements(table: dict[Cell, Values]) -> int:
    """How many placements there are, each found."""
    return sum(1 for _ in board.fits(table, USUAL))


def checked_at(table: dict[Cell, Values], cells: list[Cell]) -> None:
    """One tile checked and scored in each of these cells."""
    for cell in cells:
        board.place_faults(table, (0, 1, 2), cell)
        board.supplement(table, cell, USUAL)


def push_and_pop(game: AnyGame, move: Any) -> None:
    """A move checked, played, scored and taken back."""
    game.push(move)
    game.pop()


def tile_growth(budget: float) -> list[Row]:
    """Triominos: all placements on a table, one check, and a photo judged whole."""
    generate, check, judge = {}, {}, {}
    for wanted in TILES:
        table = laid_tiles(wanted)
        cells = board.frontier(table)
        seen = [(values, cell) for cell, values in table.items()]
        generate[wanted] = seconds(partial(all_placements, table), budget)
        check[wanted] = seconds(partial(checked_at, table, cells), budget) / len(cells)
        judge[wanted] = seconds(partial(Triominos.from_table, seen), budget)
    return [
        *per_size("triominos: every placement", generate, "tiles"),
        *per_size("triominos: one placement checked and scored", check, "tiles"),
        *per_size("triominos: a photo judged", judge, "tiles"),
    ]


def large_deck() -> Deck:
    """The default deck with enough copies for the largest table."""
    deck = Deck.default()
    kinds = tuple(Kind(kind.id, kind.front, kind.back, 100) for kind in deck.kinds)
    return Deck("large", deck.width, deck.height, deck.ports, kinds)


def card_growth(budget: float) -> list[Row]:
    """Tronix: all circuits of a table, a photo judged, and a card placed (checked, scored, lifted)."""
    deck, rng = large_deck(), Random(4)
    faces = list(deck.shows)
    found, judged, placed = {}, {}, {}
    for number in CARDS:
        side = round(number**0.5)
        table: dict[tuple[int, int], Face] = {(x, y): rng.choice(faces) for x in range(side) for y in range(side)}
        game = Tronix.from_table(table, deck=deck, players=4, starter=0)
        found[number] = seconds(partial(circuits, table), budget)
        judged[number] = seconds(partial(read_table, table, deck), budget)
        placed[number] = seconds(partial(push_and_pop, game, next(iter(game.legal_moves))), budget)
    return [
        *per_size("tronix: all circuits found", found, "cards"),
        *per_size("tronix: a photo judged", judged, "cards"),
        *per_size("tronix: a card placed and taken back", placed, "cards"),
    ]


# -- import ------------------------------------------------------------------------------------------------------------

_IMPORT = """
import sys
sys.path.insert(0, sys.argv[1])
from time import process_time
began = process_time()
for name in sys.argv[2:]:
    __import__(name)
print(process_time() - began)
"""


def import_time(name: str, modules: list[str], times: int) -> Row:
    """Modules into a fresh Python without site-packages: the least of several."""
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-S", "-I", "-c", _IMPORT, root, *modules]
    took = [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(times)]
    verdict = "within" if min(took) < IMPORT_LIMIT else "ABOVE"
    return Row(name, min(took) * 1000, "ms", f"least of {times} fresh Pythons; {verdict} the 50 allowed")
