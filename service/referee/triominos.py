"""Triominos: new tiles on the lattice are placements by the player in turn; everything else is told and explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from rules.game import Violation
from rules.triominos import Triominos
from rules.triominos.lattice import Cell, neighbours
from rules.triominos.moves import DeclareHand, Draw, Pass, Place, parse_move
from rules.triominos.tiles import PLAYER_LETTERS, Tile, label, tile_of
from service.referee.base import (
    AnyGame,
    Context,
    Control,
    Illegal,
    Instruction,
    Json,
    Mark,
    Nearest,
    Option,
    Question,
    Referee,
    Seen,
    Verdict,
    Words,
    unsure,
    which,
)
from service.referee.lattice import Fit, Placement, fit_lattice, opening_values, place_tile, upright, values_of
from vision.state import Piece, TableState

SURE = 0.85  # a tile in a known cell that reads otherwise less surely than this is still the known one
CERTAIN = 0.95  # below this, nobody is accused of a tile that may well be another one
SECOND = 0.04  # the least probability of a second reading that is worth asking about before an accusation
BOTH = 0.1  # the least probability of a second reading that is asked about because it would be legal as well

CAUSES: dict[str, Words] = {
    "opening_bonus": ("salida con triple", "opening triple"),
    "opening_zero": ("salida con 0-0-0", "opening with 0-0-0"),
    "tile": ("ficha", "tile"),
    "bridge": ("puente", "bridge"),
    "hexagon_1": ("hexágono", "hexagon"),
    "hexagon_2": ("dos hexágonos", "two hexagons"),
    "hexagon_3": ("tres hexágonos", "three hexagons"),
    "draw": ("robar", "draw"),
    "no_placement": ("sin colocar", "no placement"),
    "going_out": ("salir", "going out"),
    "rivals_hands": ("fichas de los rivales", "rivals' tiles"),
    "own_hand": ("fichas propias", "own tiles"),
}


@dataclass(frozen=True, slots=True)
class _Look:
    """The table sorted out: what is where it was, what is missing, what is new."""

    fit: Fit
    matched: frozenset[int]
    missing: tuple[Cell, ...]
    new: tuple[tuple[int, Placement], ...]


class TriominosReferee(Referee):
    """Draws, passes and hands are declared; hands laid open at the end of a round are read as well."""

    game = "triominos"

    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """See `Referee.judge`."""
        engine = cast(Triominos, game)
        tiles = [piece for piece in table.pieces if piece.kind == "tile" and len(piece.corners) == 3]
        if engine.state.phase == "over":
            return Verdict(marks=_marks(tiles, "accepted"))
        if not engine.state.table:
            return self._opening(engine, tiles, context)
        fit = fit_lattice(engine.state.table, tiles)
        if fit is None:
            return self._lost(engine, tiles, context)
        look = _sort_out(engine, fit, tiles)
        if engine.state.phase == "hands":
            return self._hands(engine, look, tiles, table)
        return self._play(engine, look, tiles, context)

    # -- the opening ------------------------------------------------------------------------------------------

    def _opening(self, game: Triominos, tiles: Sequence[Piece], context: Context) -> Verdict:
        later = game.state.round > 0
        if not tiles:
            if later and context.called("cleared") is None:
                return Verdict(call={"call": "cleared"})
            return Verdict()
        if later and context.called("cleared") is None:
            words = ("Retirad las fichas: empieza otra ronda.", "Take the tiles away: a new round begins.")
            return Verdict(instruction=Instruction("clear", words, tuple(tiles)), marks=_marks(tiles, "seen"))
        if len(tiles) > 1:
            words = ("La salida es una sola ficha.", "The opening is one tile alone.")
            return Verdict(instruction=Instruction("opening", words, tuple(tiles)), marks=_marks(tiles, "seen"))
        tile = tiles[0]
        if unsure(tile, context):
            return Verdict(question=which(tile), marks=_marks(tiles, "unsure"))
        values = opening_values(tile)
        if values is None:
            return Verdict(marks=_marks(tiles, "unsure"))
        cell = upright(tile)
        opener = game.turn
        if opener is None:
            called = context.called("opener")
            opener = called["player"] if called is not None and isinstance(called.get("player"), int) else None
        players = range(game.players) if opener is None else [opener]
        moves = [Place(player, values, cell) for player in players]
        legal = [move for move in moves if not game.check(move)]
        if not legal:
            found = Illegal(f"place:{label(values)}", tuple(game.check(moves[0])), (tile,), str(moves[0]))
            return Verdict(illegal=(found,), marks=_marks(tiles, "illegal"))
        if len(legal) > 1:
            names = [context.name(move.player) for move in legal]
            options = tuple(Option((n, n), move=str(m)) for n, m in zip(names, legal, strict=True))
            words = (f"¿Quién ha salido con {tile.label}?", f"Who opened with {tile.label}?")
            question = Question(f"opener:{label(values)}", "player", words, options, tile)
            return Verdict(question=question, marks=_marks(tiles, "seen"))
        return Verdict(move=Seen(str(legal[0]), (tile,)), marks=_marks(tiles, "accepted"))

    # -- play -------------------------------------------------------------------------------------------------

    def _play(self, game: Triominos, look: _Look, tiles: Sequence[Piece], context: Context) -> Verdict:
        illegal, moved = self._disturbed(game, look, tiles)
        status = dict.fromkeys(look.matched, "accepted") | dict.fromkeys(moved, "illegal")
        player = game.turn if game.turn is not None else 0
        legal: list[tuple[int, Place]] = []
        question: Question | None = None
        for index, placement in look.new:
            if index in moved:
                continue
            tile, move = tiles[index], Place(player, placement.values, placement.cell)
            violations = game.check(move)
            doubtful = _arguable(tile) if violations else _two_ways(game, look.fit, tile, tiles, player)
            if unsure(tile, context) or doubtful:
                question = question or which(tile)
                status[index] = "unsure"
            elif violations:
                illegal.append(self._flag(game, look.fit, tile, move, violations))
                status[index] = "illegal"
            else:
                legal.append((index, move))
                status[index] = "seen"
        marks = tuple(Mark(tile, status.get(index, "seen")) for index, tile in enumerate(tiles))
        if question is not None:  # a doubtful tile may be the one that seems to be missing
            return Verdict(question=question, marks=marks)
        if not legal or illegal:
            return Verdict(illegal=tuple(illegal), marks=marks)
        if len(legal) > 1:
            return Verdict(question=_order(legal, tiles), marks=marks)
        index, move = legal[0]
        return Verdict(move=Seen(str(move), (tiles[index],)), marks=marks)

    def _flag(self, game: Triominos, fit: Fit, tile: Piece, move: Place, violations: Sequence[Violation]) -> Illegal:
        near = game.nearest(move, 1) if move.cell is not None else _nearest_crooked(game, fit, tile, move)
        nearest = None
        if near and near[0].cell is not None:
            cell = near[0].cell
            words = (f"{label(near[0].values)} cabe en {cell}", f"{label(near[0].values)} fits at {cell}")
            nearest = Nearest(str(near[0]), words, fit.outline(cell))
        codes = ",".join(sorted(violation.code for violation in violations))
        return Illegal(f"place:{move.tile}:{move.cell}:{codes}", tuple(violations), (tile,), str(move), nearest)

    @staticmethod
    def _disturbed(game: Triominos, look: _Look, tiles: Sequence[Piece]) -> tuple[list[Illegal], set[int]]:
        """Tiles of the table that were moved or taken away."""
        illegal, moved = [], set()
        for cell in look.missing:
            values = game.state.table[cell]
            name = label(tile_of(values))
            elsewhere = [(index, placement) for index, placement in look.new if _named(tiles[index]) == tile_of(values)]
            where: Json = {"tile": name, "cell": str(cell)}
            if elsewhere:
                index, placement = elsewhere[0]
                moved.add(index)
                where["now"] = None if placement.cell is None else str(placement.cell)
                es, en = f"La ficha {name} se ha movido de {cell}.", f"Tile {name} was moved from {cell}."
                violation, pieces = Violation("tile_moved", es, en, where), (tiles[index],)
            else:
                es, en = f"Falta la ficha {name} de {cell}.", f"Tile {name} is missing from {cell}."
                violation = Violation("tile_removed", es, en, where)
                pieces = (_ghost(name, look.fit, cell),)
            words = (f"{name} vuelve a {cell}", f"{name} back to {cell}")
            back = Nearest(f"{name}@{cell}", words, look.fit.outline(cell))
            illegal.append(Illegal(f"{violation.code}:{name}", (violation,), pieces, None, back))
        return illegal, moved

    def _lost(self, game: Triominos, tiles: Sequence[Piece], context: Context) -> Verdict:
        """No known tile is in sight: the table was cleared, or it is another table."""
        if game.state.phase == "hands" or not tiles:
            return Verdict(marks=_marks(tiles, "seen"))
        words = ("No reconozco la mesa: ¿se ha recogido?", "I do not recognise the table: was it cleared?")
        return Verdict(instruction=Instruction("table_lost", words, tuple(tiles)), marks=_marks(tiles, "seen"))

    # -- the end of a round -----------------------------------------------------------------------------------

    def _hands(self, game: Triominos, look: _Look, tiles: Sequence[Piece], table: TableState) -> Verdict:
        """Hands laid open beside the table: counted once as many tiles lie there as the hand must have."""
        status = dict.fromkeys(look.matched, "accepted")
        marks = tuple(Mark(tile, status.get(index, "seen")) for index, tile in enumerate(tiles))
        placed = set(game.state.placed)
        loose = [tiles[i] for i, _ in look.new if _named(tiles[i]) not in placed and tiles[i].confidence >= 0.5]
        waiting = [p for p in range(game.players) if game.state.declared[p] is None]
        shares = [(player, _share(loose, player, waiting, game.players, table)) for player in waiting]
        for player, share in shares:
            if len(share) == game.state.hands[player].size and share:
                points = sum(sum(values_of(tile.label) or (0,)) for tile in share)
                move = DeclareHand(player, points)
                if not game.check(move):
                    return Verdict(move=Seen(str(move), tuple(share)), marks=marks)
        words = (
            "Ronda terminada: enseñad las fichas que quedan o decid cuánto suman.",
            "Round over: lay the remaining tiles open or say what they add up to.",
        )
        return Verdict(instruction=Instruction("show_hands", words), marks=marks)

    # -- for the page -----------------------------------------------------------------------------------------

    def calls(self) -> frozenset[str]:
        """`opener` with a player's index: who lays the first tile of a round."""
        return frozenset({"opener", "cleared"})

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """Draw, pass, opener, hands."""
        engine = cast(Triominos, game)
        state = engine.state
        result = []
        if state.phase == "opening" and engine.turn is None:
            for player in range(engine.players):
                words = (f"Sale {context.name(player)}", f"{context.name(player)} opens")
                result.append(Control(f"opener{player}", "opening", words, {"call": "opener", "player": player}))
        if state.phase == "play" and engine.turn is not None:
            draw, stop = Draw(engine.turn), Pass(engine.turn)
            if not engine.check(draw):
                result.append(Control("draw", "turn", ("Robar (−5)", "Draw (−5)"), {"move": str(draw)}))
            if not engine.check(stop):
                result.append(Control("pass", "turn", ("Pasar", "Pass"), {"move": str(stop)}))
        if state.phase == "hands":
            for player in range(engine.players):
                if state.declared[player] is None:
                    low, high = engine.hand_points_range(player)
                    words = (f"Fichas de {context.name(player)}", f"{context.name(player)}'s tiles")
                    field = {"name": "points", "type": "int", "min": low, "max": high, "es": "suma", "en": "sum"}
                    action = {"move": f"{PLAYER_LETTERS[player]} hand {{points}}"}
                    result.append(Control(f"hand{player}", "hands", words, action, (field,)))
        return result

    def position(self, game: AnyGame) -> Json:
        """Stock, hand sizes, draws in this turn, round, and the tiles with who laid them."""
        engine = cast(Triominos, game)
        state = engine.state
        laid = {move.tile: move.player for move in engine.moves if isinstance(move, Place)}
        tiles = [
            {"label": label(values), "cell": str(cell), "player": laid.get(tile_of(values))}
            for cell, values in state.table.items()
        ]
        hands = [hand.size for hand in state.hands]
        shown: Json = {"stock": state.stock, "hands": hands, "drawn": state.draws, "round": state.round + 1}
        return {**shown, "phase": state.phase, "tiles": tiles}

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """`Ana places 1-4-4`."""
        move = parse_move(text)
        who = context.name(move.player)
        if isinstance(move, Place):
            return f"{who} pone {label(move.tile)}", f"{who} places {label(move.tile)}"
        if isinstance(move, Draw):
            return f"{who} roba", f"{who} draws"
        if isinstance(move, Pass):
            return f"{who} pasa", f"{who} passes"
        return f"{who} se queda con {move.points} puntos", f"{who} is left with {move.points} points"

    def cause(self, cause: str) -> Words:
        """A score line's cause in words."""
        return CAUSES.get(cause, super().cause(cause))


def _marks(tiles: Sequence[Piece], status: str) -> tuple[Mark, ...]:
    return tuple(Mark(tile, status) for tile in tiles)


def _named(piece: Piece) -> Tile | None:
    values = values_of(piece.label)
    return None if values is None else tile_of(values)


def _ghost(name: str, fit: Fit, cell: Cell) -> Piece:
    """The place of a tile that should be there."""
    return Piece("tile", name, fit.outline(cell), 1.0)


def _sort_out(game: Triominos, fit: Fit, tiles: Sequence[Piece]) -> _Look:
    """Known, missing and new tiles.

    A tile in a known cell that reads otherwise is the known one, badly read, as long as the eyes think that possible;
    only a reading that excludes it means that another tile lies there.
    """
    matched = set(fit.matched.values())
    seen_cells = set(fit.matched)
    new = []
    for index, tile in enumerate(tiles):
        if index in matched:
            continue
        placement = place_tile(fit, tile, tiles)
        if placement is None:
            continue
        cell = placement.cell
        if cell is not None and cell in game.state.table and cell not in seen_cells:
            expected = game.state.table[cell]
            others = {values_of(name) for name, _ in tile.alternatives}
            possible = any(other is not None and tile_of(other) == tile_of(expected) for other in others)
            if possible or tile.confidence < SURE:
                matched.add(index)
                seen_cells.add(cell)
                continue
        new.append((index, placement))
    missing = tuple(cell for cell in game.state.table if cell not in seen_cells)
    # A missing cell that another tile lies on is an overlap, and it is said as one; the same tile turned was moved.
    covered = {
        placement.cell
        for _, placement in new
        if placement.cell in missing and tile_of(placement.values) != tile_of(game.state.table[placement.cell])
    }
    # A tile that lies on another one stands up and hides part of the neighbours as well.
    covered |= {cell for over in covered for cell in neighbours(over)}
    return _Look(fit, frozenset(matched), tuple(cell for cell in missing if cell not in covered), tuple(new))


def _arguable(tile: Piece) -> bool:
    """Whether a tile may well be another one than it reads: then it is asked about before anybody is accused."""
    return tile.confidence < CERTAIN and any(probability >= SECOND for _, probability in tile.alternatives)


def _two_ways(game: Triominos, fit: Fit, tile: Piece, tiles: Sequence[Piece], player: int) -> bool:
    """Whether a tile that reads as a legal one may well be another, legal one: a wrong guess would show much later."""
    for name, probability in tile.alternatives:
        if probability >= BOTH and values_of(name) is not None:
            other = place_tile(fit, replace(tile, label=name), tiles)
            if other is not None and not game.check(Place(player, other.values, other.cell)):
                return True
    return False


def _order(legal: Sequence[tuple[int, Place]], tiles: Sequence[Piece]) -> Question:
    """Several tiles came at once: which was first decides who scores what."""
    options = tuple(Option((label(m.tile), label(m.tile)), label(m.tile), None, str(m)) for _, m in legal)
    key = "first:" + ",".join(sorted(label(move.tile) for _, move in legal))
    words = ("¿Qué ficha se puso primero?", "Which tile was placed first?")
    return Question(key, "which", words, options, tiles[legal[0][0]])


def _nearest_crooked(game: Triominos, fit: Fit, tile: Piece, move: Place) -> list[Place]:
    """The legal places of a crooked tile, nearest in the image first."""
    legal = [option for option in game.placements(move.values, move.player) if not game.check(option)]

    def distance(option: Place) -> float:
        assert option.cell is not None
        points = fit.outline(option.cell)
        x, y = sum(p[0] for p in points) / 3, sum(p[1] for p in points) / 3
        return (x - tile.centre[0]) ** 2 + (y - tile.centre[1]) ** 2

    return sorted(legal, key=distance)[:1]


def _share(loose: Sequence[Piece], player: int, waiting: Sequence[int], players: int, table: TableState) -> list[Piece]:
    """The loose tiles that lie before a player: all of them if one hand is missing, else those at the player's side."""
    if len(waiting) == 1:
        return list(loose)
    return [tile for tile in loose if seat_at(tile.centre, table.size, players) == player]


def seat_at(point: tuple[float, float], size: tuple[int, int], players: int) -> int:
    """The seat nearest to a point of the image: player 0 below, the next to the right, and so on around."""
    x, y = point[0] / max(size[0], 1) - 0.5, point[1] / max(size[1], 1) - 0.5
    if players == 2:
        return 0 if y > 0 else 1
    if abs(y) >= abs(x):
        return 0 if y > 0 else 2
    return 1 if x > 0 else 3
