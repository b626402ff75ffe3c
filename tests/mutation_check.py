"""Do the tests notice a fault? Seeds small ones in scoring and legality and runs the engine's tests on each.

    python tests/mutation_check.py            all faults: prints each one missed, then caught / total
    python tests/mutation_check.py tronix     only those of one game

Works on a copy of the tree in a temporary folder; nothing here is touched. Exits 1 if fewer than 90 % are caught.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WANTED = 0.9

#: For each game the tests that are run on its faults, those that are quick and particular first.
TESTS = {
    "trichon": ("test_trichon.py", "test_trichon_properties.py"),
    "truco": ("test_truco_table.py", "test_truco.py"),
    "triominos": (
        "test_triominos.py",
        "test_triominos_rounds.py",
        "test_triominos_tables.py",
        "test_triominos_trees.py",
        "test_triominos_geometry.py",
        "test_triominos_properties.py",
    ),
    "trama": ("test_trama_score.py", "test_trama.py"),
    "tronix": ("test_tronix.py", "test_tronix_scoring.py", "test_tronix_circuits.py", "test_tronix_games.py"),
}


class Fault(NamedTuple):
    """`old` (which must be there exactly once) becomes `new` in one file of a game."""

    file: str
    old: str
    new: str


FAULTS = (
    # Trichón
    Fault("trichon/legality.py", "marked.issuperset(line) and taken.isdisjoint(line)", "marked.issuperset(line)"),
    Fault("trichon/legality.py", "if len(fresh) != len(cards):", "if len(fresh) > len(cards):"),
    Fault("trichon/legality.py", "elif state.turn != move.player:", "elif state.turn == move.player:"),
    Fault("trichon/legality.py", "if not card.joker and card.cell in state.played:", "if card.cell in state.played:"),
    Fault("trichon/legality.py", "if len(move.lines) > 1:", "if len(move.lines) > 2:"),
    Fault("trichon/legality.py", "state.jokers + jokers > JOKERS", "state.jokers + jokers > JOKERS + 1"),
    Fault("trichon/engine.py", "1 + PENALTY if move.lines else 1", "PENALTY if move.lines else 1"),
    Fault("trichon/engine.py", "if state.stock < count:", "if state.stock <= count:"),
    Fault("trichon/engine.py", "if not 2 <= len(empty) <=", "if not 2 < len(empty) <="),
    # El Truco
    Fault("truco/board.py", "return postre if first is None else first", "return first"),
    Fault(
        "truco/board.py",
        "if first is not None and second in (None, first):",
        "if first is not None and second == first:",
    ),
    Fault(
        "truco/board.py",
        "ACCEPTED: tuple[int | None, ...] = (1, 3, 6, 9, None)",
        "ACCEPTED: tuple[int | None, ...] = (1, 3, 6, 12, None)",
    ),
    Fault(
        "truco/board.py",
        "leader = leader if winner is None else winner",
        "leader = leader if winner is None else self.rival(winner)",
    ),
    Fault(
        "truco/board.py",
        "replace(self, level=level - 1, pending=level, bidder=seat)",
        "replace(self, pending=level, bidder=seat)",
    ),
    Fault("truco/engine.py", "if reached < TORO:", "if reached <= TORO:"),
    Fault("truco/engine.py", "points = TORO - state.tantos[side] if won is None", "points = TORO if won is None"),
    Fault("truco/engine.py", "dealer = (state.dealer + 1) % self.seats", "dealer = (state.dealer - 1) % self.seats"),
    Fault("truco/legality.py", "board.owner not in (None, player)", "board.owner == player"),
    Fault("truco/legality.py", "if board.open and board.pending:", "if board.open and board.pending > 1:"),
    # Triominos
    Fault("triominos/board.py", "BRIDGE = 40", "BRIDGE = 50"),
    Fault("triominos/board.py", "HEXAGONS = (0, 50, 60, 70)", "HEXAGONS = (0, 50, 60, 80)"),
    Fault("triominos/board.py", "opposite = (sides.index(True) + 2) % 3", "opposite = (sides.index(True) + 1) % 3"),
    Fault(
        "triominos/board.py",
        "hexagons = sum(all(filled) for filled in around_corners)",
        "hexagons = sum(sum(filled) > 3 for filled in around_corners)",
    ),
    Fault(
        "triominos/board.py",
        "if sum(sides) >= 2 and rules.two_sided_bridge",
        "if sum(sides) == 2 and rules.two_sided_bridge",
    ),
    Fault("triominos/board.py", "if mirror in box:", "if tile in box:"),
    Fault("triominos/engine.py", "elif is_triple(tile):", "elif is_triple(tile) or sum(tile) > 12:"),
    Fault("triominos/engine.py", "idle >= self._players", "idle > self._players"),
    Fault(
        "triominos/legality.py",
        "state.stock == 0 or state.draws >= DRAWS_PER_TURN:",
        "state.draws >= DRAWS_PER_TURN:",
    ),
    Fault(
        "triominos/engine.py",
        "if max(self._totals(lines)) >= self.rules.target:",
        "if max(self._totals(lines)) > self.rules.target:",
    ),
    Fault("triominos/rounds.py", "GOING_OUT = 25", "GOING_OUT = 20"),
    Fault("triominos/rounds.py", '"rivals_hands", sum(sums)', '"rivals_hands", max(sums)'),
    Fault("triominos/rounds.py", '"own_hand", -low', '"own_hand", low'),
    Fault(
        "triominos/opening.py",
        "return not any(is_triple(t) and t > tile for _, t in held)",
        "return not any(is_triple(t) and t > tile for p, t in held if p != player)",
    ),
    # Trama
    Fault("trama/score.py", "for step in (-1, 1))", "for step in (1,))"),
    Fault("trama/score.py", "two - one != 1", "two - one > 2"),
    Fault("trama/score.py", "seen == card.passes[::-1]", "seen == card.passes"),
    Fault("trama/score.py", "met = all(", "met = any("),
    Fault("trama/score.py", "pairs[-1][1] == one", "pairs[-1][0] == one"),
    Fault("trama/score.py", "(lane, across) if axis == \"h\"", "(across, lane) if axis == \"h\""),
    Fault("trama/legality.py", "if count + gone[color] > COPIES", "if count + gone[color] > COPIES + 1"),
    Fault("trama/legality.py", ">= BUTTONS[move.shape]", "> BUTTONS[move.shape]"),
    # Tronix
    Fault("tronix/circuits.py", "if \"green\" in found and cell not in both)", "if \"green\" in found)"),
    Fault("tronix/circuits.py", "if step == origin:", "if step[0] == origin[0]:"),
    Fault("tronix/circuits.py", "if len(walk.cells) == len(table))", "if len(walk.segments) == len(table))"),
    Fault("tronix/deck.py", "round(1 - self.position, _DIGITS)", "self.position"),
    Fault("tronix/engine.py", "len(walk.cells) == len(state.table) > 1", "len(walk.cells) >= len(state.table) - 1"),
    Fault("tronix/engine.py", "whole_turn = opening or", "whole_turn ="),
    Fault("tronix/engine.py", "max(tronix or walks, key", "max(walks, key"),
    Fault("tronix/engine.py", "mark, moved = (owner, old & mask), cell", "mark, moved = (owner, mask), cell"),
    Fault("tronix/engine.py", "points[own] - points[1 - own], len", "points[own] + points[1 - own], len"),
    Fault("tronix/legality.py", "if old == state.last_moved:", "if False:"),
    Fault("tronix/legality.py", "elif not joined(table, cell, face):", "elif False:"),
    Fault("tronix/legality.py", "together if first in together else {first}", "{first}"),
    Fault("tronix/legality.py", "if place == old and face == state.table[old]:", "if place == old:"),
)  # fmt: skip


def passes(tree: Path, game: str) -> bool:
    """Whether the game's tests pass in this copy."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree)}
    files = [str(tree / "tests" / "rules" / name) for name in TESTS[game]]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *files]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode not in (0, 1, 2):  # 2: the fault keeps a test file from being imported, which is noticed too
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


def main(games: list[str]) -> int:
    """Try every fault of these games (or of all)."""
    faults = [fault for fault in FAULTS if not games or fault.file.split("/")[0] in games]
    caught = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for part in ("rules", "tests/rules"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        for game in sorted({fault.file.split("/")[0] for fault in faults}):
            if not passes(tree, game):
                raise SystemExit(f"the tests of {game} fail without any fault")
        for fault in faults:
            path = tree / "rules" / fault.file
            sound = path.read_text(encoding="utf-8")
            if sound.count(fault.old) != 1:
                raise SystemExit(f"{fault.file} has {fault.old!r} {sound.count(fault.old)} times")
            path.write_text(sound.replace(fault.old, fault.new), encoding="utf-8")
            missed = passes(tree, fault.file.split("/")[0])
            path.write_text(sound, encoding="utf-8")
            caught += not missed
            print(f"{'MISSED' if missed else 'caught'}  {fault.file}: {fault.old}  ->  {fault.new}", flush=True)
    print(f"caught {caught} of {len(faults)} ({caught / len(faults):.0%})")
    return 0 if caught >= WANTED * len(faults) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
