"""Everything that can be wrong with a move of Triominos."""

from __future__ import annotations

from dataclasses import dataclass

from rules.game import RulesError, Violation
from rules.triominos import board
from rules.triominos.lattice import ORIGIN
from rules.triominos.moves import DeclareHand, Draw, Move, Pass, Place
from rules.triominos.opening import may_open, right_openings
from rules.triominos.rounds import points_range
from rules.triominos.state import DRAWS_PER_TURN, State
from rules.triominos.tiles import PLAYER_LETTERS, Rules, Tile, label


@dataclass(frozen=True)
class Referee:
    """What stays the same during a game: the rules, how many play, and in how many rounds hands were supplied."""

    rules: Rules
    players: int
    open_rounds: int

    def unseen(self, state: State) -> set[Tile]:
        """The tiles of the box that nobody has seen yet."""
        return set(self.rules.tiles) - state.seen

    def violations(self, state: State, move: Move) -> list[Violation]:
        """Everything wrong with a move; empty means legal."""
        if not isinstance(move, Place | Draw | Pass | DeclareHand):
            raise RulesError(f"{str(move)[:40]} is no move of Triominos")
        if move.player >= self.players:
            raise RulesError(f"there is no player {PLAYER_LETTERS[move.player]} in this game")
        found = self._phase_faults(state, move)
        if isinstance(move, Place):
            return found + self._place_faults(state, move)
        if isinstance(move, Draw):
            return found + self._draw_faults(state, move)
        if isinstance(move, Pass):
            return found + self._pass_faults(state, move)
        return found + self._hand_faults(state, move)

    def _phase_faults(self, state: State, move: Move) -> list[Violation]:
        who = {"player": move.player}
        letter = PLAYER_LETTERS[move.player]
        if state.phase == "over":
            return [Violation("game_over", "La partida ha terminado.", "The game is over.", who)]
        if isinstance(move, DeclareHand):
            if state.phase == "hands":
                return []
            es, en = (
                "La ronda no ha terminado: aún no se cuentan fichas.",
                "The round is not over: no hands are counted.",
            )
            return [Violation("round_not_over", es, en, who)]
        if state.phase == "hands":
            es = "La ronda ha terminado: faltan por declarar las fichas que quedan."
            en = "The round is over: the remaining hands must be declared first."
            return [Violation("round_over", es, en, who)]
        found = []
        if state.turn is not None and state.turn != move.player:
            other = PLAYER_LETTERS[state.turn]
            es, en = f"No es el turno de {letter}: juega {other}.", f"It is not {letter}'s turn: {other} is to play."
            found.append(Violation("out_of_turn", es, en, {**who, "turn": state.turn}))
        if state.phase == "opening" and not isinstance(move, Place):
            es = "Primero se coloca la ficha de salida."
            found.append(Violation("opening_first", es, "The opening tile comes first.", who))
        return found

    def _place_faults(self, state: State, move: Place) -> list[Violation]:
        found = board.tile_faults(self.rules, move.values, move.cell)
        tile = move.tile
        if tile in state.placed:
            found.append(board.on_table_twice(move.values, move.cell, state.placed[tile]))
        elif not found and not state.may_hold(move.player, tile, state.seen):
            letter = PLAYER_LETTERS[move.player]
            es, en = f"{letter} no tiene la ficha {label(tile)}.", f"{letter} does not hold tile {label(tile)}."
            found.append(Violation("not_in_hand", es, en, board.place(move.cell, move.values, player=move.player)))
        if state.phase == "opening":
            if not may_open(state.hands, self.unseen(state), move.player, tile):
                right = [f"{PLAYER_LETTERS[p]} {label(t)}" for p, t in right_openings(state.hands)]
                es = f"No sale {PLAYER_LETTERS[move.player]} con {label(tile)}; la salida es {' o '.join(right)}."
                en = f"{PLAYER_LETTERS[move.player]} does not open with {label(tile)}; it is {' or '.join(right)}."
                where = board.place(move.cell, move.values, player=move.player, right=right)
                found.append(Violation("wrong_opening", es, en, where))
            if move.cell is not None and move.cell not in ORIGIN:
                es = f"La salida ocupa el origen de la retícula (0,0v o 0,0^), no {move.cell}."
                en = f"The opening tile takes the lattice's origin (0,0v or 0,0^), not {move.cell}."
                found.append(Violation("opening_cell", es, en, board.place(move.cell, move.values)))
        if move.cell is None:
            found.append(board.off_lattice(move.values))
        else:
            found += board.place_faults(state.table, move.values, move.cell)
        return found

    def _draw_faults(self, state: State, move: Draw) -> list[Violation]:
        found = []
        who = {"player": move.player}
        if state.turn == move.player and state.draws >= DRAWS_PER_TURN:
            es, en = "Ya se han robado tres fichas en este turno.", "Three tiles were drawn in this turn already."
            found.append(Violation("fourth_draw", es, en, who))
        if state.stock == 0:
            found.append(Violation("empty_stock", "No quedan fichas en el montón.", "The stock is empty.", who))
        if move.tile is not None:
            name = label(move.tile)
            if state.round >= self.open_rounds:
                es = "Las manos están ocultas: no se nombra la ficha robada."
                en = "Hands are hidden: the drawn tile is not named."
                found.append(Violation("hidden_draw", es, en, {**who, "tile": name}))
            found += board.tile_faults(self.rules, move.tile, None)
            if move.tile in state.seen:
                es, en = f"La ficha {name} no está en el montón.", f"Tile {name} is not in the stock."
                found.append(Violation("tile_not_in_stock", es, en, {**who, "tile": name}))
        return found

    def _pass_faults(self, state: State, move: Pass) -> list[Violation]:
        if state.phase != "play" or state.stock == 0 or state.draws >= DRAWS_PER_TURN:
            return []
        left = DRAWS_PER_TURN - state.draws
        es = f"No se puede pasar mientras haya fichas en el montón: hay que colocar o robar (quedan {left})."
        en = f"Passing is not allowed while the stock lasts: place or draw ({left} left)."
        return [Violation("must_draw", es, en, {"player": move.player, "draws_left": left})]

    def _hand_faults(self, state: State, move: DeclareHand) -> list[Violation]:
        if state.phase != "hands":
            return []
        letter, where = PLAYER_LETTERS[move.player], {"player": move.player, "points": move.points}
        if state.declared[move.player] is not None:
            es, en = f"Las fichas de {letter} ya están contadas.", f"{letter}'s hand is counted already."
            return [Violation("hand_known", es, en, where)]
        low, high = points_range(state.hands[move.player], self.unseen(state))
        if low <= move.points <= high:
            return []
        size = state.hands[move.player].size
        es = f"{size} fichas de {letter} no pueden sumar {move.points}: suman de {low} a {high}."
        en = f"{letter}'s {size} tiles cannot add up to {move.points}: they make {low} to {high}."
        return [Violation("hand_sum", es, en, {**where, "low": low, "high": high})]
