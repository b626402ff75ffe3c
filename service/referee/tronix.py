"""Tronix: cards laid on the grid, cards moved in god mode, circuits that have to be taken away before it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from rules.game import RulesError, Violation
from rules.tronix import Face, Tronix
from rules.tronix.deck import Cell, Port
from rules.tronix.moves import Move
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
    lines_of,
    size_of,
    which,
)
from service.referee.grid import Grid, GridCard, fit_grid, north_first, solve
from vision.state import Piece, TableState

CAUSES: dict[str, Words] = {
    "circuit": ("circuito", "circuit"),
    "tronix": ("TRONIX", "TRONIX"),
    "taken": ("cartas ya ganadas", "cards won before"),
}
SIDES = {"N": ("arriba", "top"), "E": ("derecha", "right"), "S": ("abajo", "bottom"), "W": ("izquierda", "left")}
SURE = 0.85


@dataclass(frozen=True, slots=True)
class _Look:
    """The table compared with the position: cards as they were, gone, showing another face, and new ones."""

    grid: Grid
    same: dict[Cell, GridCard]
    missing: tuple[Cell, ...]
    changed: dict[Cell, GridCard]
    new: tuple[GridCard, ...]


class TronixReferee(Referee):
    """Nothing is said in Tronix but who opens; everything else lies on the table."""

    game = "tronix"

    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """See `Referee.judge`."""
        engine = cast(Tronix, game)
        cards = [piece for piece in table.pieces if piece.kind == "circuit_card" and len(piece.corners) == 4]
        state = engine.state
        lifted = {} if context.called("lifted") is not None else dict(state.lifted)
        known: dict[Cell, Face] = {**state.table, **lifted}
        if not cards:
            return Verdict(call={"call": "lifted"}) if lifted and not state.table else Verdict()
        if state.ended is not None and not lifted:
            return Verdict(marks=_marks(cards, {}))
        if not known:
            return self._opening(engine, cards, context)
        fitted = fit_grid(known, cards)
        if fitted is None:
            return Verdict(call={"call": "lifted"}) if lifted and not state.table else self._lost(cards)
        grid, matched = fitted
        look = _compare(engine, grid, matched, known, cards)
        if lifted:
            left = [look.same[cell].piece for cell in lifted if cell in look.same]
            if left:
                return self._lift(cards, left)
            return Verdict(call={"call": "lifted"})
        return self._explain(engine, look, cards, context)

    # -- special tables ---------------------------------------------------------------------------------------

    def _opening(self, game: Tronix, cards: Sequence[Piece], context: Context) -> Verdict:
        if len(cards) > 1:
            words = ("La salida es una sola carta.", "The opening is one card alone.")
            return Verdict(instruction=Instruction("opening", words, tuple(cards)), marks=_marks(cards, {}))
        grid = solve({(0, 0): north_first(cards[0])})
        if grid is None:
            return Verdict(marks=_marks(cards, {0: "unsure"}))
        card = grid.place(cards[0], game.deck.width, game.deck.height)
        doubt = _doubt(game, card, context)
        if doubt is not None:
            return Verdict(question=doubt, marks=_marks(cards, {0: "unsure"}))
        assert card.face is not None
        player = None
        if game.turn is None:
            called = context.called("opener")
            player = called.get("player") if called is not None else None
            if player is None:
                return Verdict(question=_who_opens(game, card, context), marks=_marks(cards, {}))
        move = Move.place((0, 0), card.face, player)
        violations = game.check(move)
        if violations:
            found = Illegal(f"move:{move}", tuple(violations), (card.piece,), str(move))
            return Verdict(illegal=(found,), marks=_marks(cards, {0: "illegal"}))
        return Verdict(move=Seen(str(move), (card.piece,)), marks=_marks(cards, {0: "accepted"}))

    @staticmethod
    def _lost(cards: Sequence[Piece]) -> Verdict:
        words = ("No reconozco la mesa: ¿se ha movido todo?", "I do not recognise the table: was everything moved?")
        return Verdict(instruction=Instruction("table_lost", words, tuple(cards)), marks=_marks(cards, {}))

    @staticmethod
    def _lift(cards: Sequence[Piece], left: Sequence[Piece]) -> Verdict:
        count = len(left)
        words = (
            f"¡Circuito! Retirad {count} {'carta' if count == 1 else 'cartas'} de la mesa.",
            f"Circuit! Take {count} {'card' if count == 1 else 'cards'} off the table.",
        )
        status = {i: "seen" for i, card in enumerate(cards) if card in left}
        return Verdict(instruction=Instruction("lift", words, tuple(left)), marks=_marks(cards, status))

    # -- what changed -----------------------------------------------------------------------------------------

    def _explain(self, game: Tronix, look: _Look, cards: Sequence[Piece], context: Context) -> Verdict:
        involved = [*look.new, *look.changed.values()]
        status = {_index(cards, card.piece): "seen" for card in involved}
        for card in involved:
            doubt = _doubt(game, card, context)
            if doubt is not None:
                status[_index(cards, card.piece)] = "unsure"
                return Verdict(question=doubt, marks=_marks(cards, status))
        moves = _moves(game, look)
        if moves is None:
            return self._disturbed(look, cards, status)
        illegal: list[Illegal] = []
        legal: list[tuple[Move, tuple[Piece, ...]]] = []
        for move, pieces in moves:
            violations = game.check(move)
            if violations:
                illegal.append(_flag(game, look.grid, move, pieces, violations))
            else:
                legal.append((move, pieces))
        if len(moves) > 1 and legal and not _all_legal(game, [move for move, _ in moves]):
            legal = []
        elif legal:
            illegal = []  # what is illegal by itself becomes legal after the others
        for found in illegal:
            for piece in found.pieces:
                status[_index(cards, piece)] = "illegal"
        if not legal:
            return Verdict(illegal=tuple(illegal), marks=_marks(cards, status))
        move, pieces = legal[0]
        return Verdict(move=Seen(str(move), pieces), marks=_marks(cards, status))

    @staticmethod
    def _disturbed(look: _Look, cards: Sequence[Piece], status: dict[int, str]) -> Verdict:
        """Cards are gone, or more changed than any move can change."""
        pieces = tuple(card.piece for card in (*look.new, *look.changed.values()))
        cells = sorted({*look.missing, *look.changed})
        names = ", ".join(f"{x},{y}" for x, y in cells)
        where: Json = {"cells": [list(cell) for cell in cells]}
        if look.missing and not pieces:
            wrong = Violation("card_removed", f"Falta la carta de {names}.", f"The card at {names} is gone.", where)
            ghosts = tuple(Piece("circuit_card", "", look.grid.outline(cell), 1.0) for cell in look.missing)
            found = Illegal(f"card_removed:{names}", (wrong,), ghosts)
        else:
            es = f"Se ha movido más de lo que permite un turno: {names}."
            en = f"More was moved than a turn allows: {names}."
            found = Illegal(f"too_many_cards:{names}", (Violation("too_many_cards", es, en, where),), pieces)
        status |= {_index(cards, piece): "illegal" for piece in pieces}
        return Verdict(illegal=(found,), marks=_marks(cards, status))

    # -- for the page -----------------------------------------------------------------------------------------

    def calls(self) -> frozenset[str]:
        """`opener` with a `player`; `lifted`: the cards of a circuit were taken away."""
        return frozenset({"opener", "lifted"})

    def check_call(self, game: AnyGame, call: Json) -> None:
        """An opener is a seat."""
        if call.get("call") == "opener" and call.get("player") not in range(cast(Tronix, game).seats):
            raise RulesError("'player' is a seat's number")

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """Who opens, and that a circuit's cards are gone."""
        engine = cast(Tronix, game)
        result = []
        if engine.turn is None and engine.state.ended is None:
            for player in range(engine.seats):
                words = (f"Sale {context.name(player)}", f"{context.name(player)} opens")
                result.append(Control(f"opener{player}", "opening", words, {"call": "opener", "player": player}))
        if engine.state.lifted and context.called("lifted") is None:
            words = ("Cartas retiradas", "Cards taken away")
            result.append(Control("lifted", "circuit", words, {"call": "lifted"}))
        return result

    def position(self, game: AnyGame) -> Json:
        """Phase, hand sizes, cards won, cells, and the cells to lift."""
        return cast(Tronix, game).position()

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """`Ana lays a card in row 1, column 2`, `Luis moves the card from row 1, column 1 to row 2, column 3`."""
        move = Move.parse(text)
        who = context.name(player) if player is not None else ""
        if move.cell is None:
            return f"{who} pone una carta".strip(), f"{who} lays a card".strip()
        es, en = _where(cast(Tronix, game), move.cell)
        if move.source is None:
            return f"{who} pone una carta en la {es}".strip(), f"{who} lays a card in {en}".strip()
        if move.source == move.cell:
            return f"{who} gira la carta de la {es}".strip(), f"{who} turns the card in {en}".strip()
        from_es, from_en = _where(cast(Tronix, game), move.source)
        return (
            f"{who} mueve la carta de la {from_es} a la {es}".strip(),
            f"{who} moves the card from {from_en} to {en}".strip(),
        )

    def cause(self, cause: str) -> Words:
        """A score line's cause in words."""
        return CAUSES.get(cause, super().cause(cause))


def _where(game: Tronix, cell: tuple[float, float]) -> Words:
    """A cell as people count: rows from the top and columns from the left of everything that has been laid."""
    cells = [cell, *game.state.table, *(move.cell for move in game.moves if move.cell is not None)]
    row, column = cell[1] - min(y for _, y in cells) + 1, cell[0] - min(x for x, _ in cells) + 1
    return f"fila {row:g}, columna {column:g}", f"row {row:g}, column {column:g}"


def _index(cards: Sequence[Piece], piece: Piece) -> int:
    return next((i for i, card in enumerate(cards) if card is piece), -1)


def _marks(cards: Sequence[Piece], status: dict[int, str]) -> tuple[Mark, ...]:
    return tuple(Mark(card, status.get(i, "accepted")) for i, card in enumerate(cards))


def _compare(
    game: Tronix, grid: Grid, matched: dict[Cell, int], known: dict[Cell, Face], cards: Sequence[Piece]
) -> _Look:
    """Sort the cards out. A card in its cell that reads otherwise but doubtfully is the one that lies there."""
    placed = [grid.place(card, game.deck.width, game.deck.height) for card in cards]
    same: dict[Cell, GridCard] = {}
    changed: dict[Cell, GridCard] = {}
    for cell, index in matched.items():
        card = placed[index]
        if not card.sideways and (card.face == known[cell] or card.piece.confidence < SURE):
            same[cell] = card
        else:
            changed[cell] = card
    taken = set(matched.values())
    new = tuple(card for i, card in enumerate(placed) if i not in taken)
    missing = tuple(sorted(set(known) - set(matched)))
    return _Look(grid, same, missing, changed, new)


def _moves(game: Tronix, look: _Look) -> list[tuple[Move, tuple[Piece, ...]]] | None:
    """The change as moves, one card each; None where no moves explain it."""
    changed = list(look.changed.items())
    if len(changed) == 2 and not look.missing and not look.new:
        (a, first), (b, second) = changed
        if first.face == game.state.table[b] and second.face == game.state.table[a]:
            return [(Move("swap", b, None, a), (first.piece, second.piece))]
    moves: list[tuple[Move, tuple[Piece, ...]]] = []
    new, missing = list(look.new), list(look.missing)
    for cell, card in changed:
        if card.face is None:
            return None
        move = Move("move", cell, card.face, cell, None, card.sideways)
        alike = [source for source in missing if _likeness(game, source, card) == 0]
        if len(missing) > len(new) and alike:  # a card that is gone from its cell lies on top of another
            missing.remove(alike[0])
            move = Move("move", cell, card.face, alike[0], None, card.sideways)
        elif not game.state.god and any(v.code == "wrong_card" for v in game.check(move)):
            # The card that lay here cannot show this: another one, from the hand, lies on top of it.
            move = Move("place", cell, card.face, None, None, card.sideways)
        moves.append((move, (card.piece,)))
    if len(missing) > len(new):
        return None
    for source in missing:
        card = min(new, key=lambda c: _likeness(game, source, c))
        new.remove(card)
        if card.face is None:
            return None
        moves.append((Move("move", card.spot, card.face, source, None, card.sideways), (card.piece,)))
    for card in new:
        if card.face is None:
            return None
        moves.append((Move("place", card.spot, card.face, None, None, card.sideways), (card.piece,)))
    return moves


def _likeness(game: Tronix, source: Cell, card: GridCard) -> int:
    """How little a new card looks like the one that is gone: 0 if it shows the same face."""
    face = game.state.table.get(source)
    return 0 if card.face == face else 1 if card.face is not None and face is not None else 2


def _all_legal(game: Tronix, moves: Sequence[Move]) -> bool:
    """Whether the moves can be made one after the other, in some order."""
    copy = Tronix.from_setup(game.setup_json())
    for move in game.moves:
        copy.push(move)
    left = list(moves)
    while left:
        found = next((move for move in left if not copy.check(move)), None)
        if found is None:
            return False
        copy.push(found)
        left.remove(found)
    return True


def _doubt(game: Tronix, card: GridCard, context: Context) -> Question | None:
    """The question what a card shows, where the eyes are not sure enough."""
    piece = card.piece
    if card.face is not None and (piece.confidence >= context.ask_below):
        return None
    words = ("¿Qué carta es esta?", "Which card is this?")
    if piece.alternatives:
        labels = [piece.label, *(label for label, _ in piece.alternatives)]
        return replace(which(piece, {label: shown_words(label) for label in labels}), words=words)
    options = []
    for face in game.deck.shows:
        label = _label(face)
        if face != card.face:
            options.append(Option(shown_words(label), label))
    if card.face is not None:
        options.insert(0, Option(shown_words(piece.label), piece.label, piece.confidence))
    x, y = (round(v / max(size_of(piece) / 2, 1.0)) for v in piece.centre)
    return Question(f"face@{x},{y}", "which", words, tuple(options), piece)


def shown_words(label: str) -> Words:
    """What a face shows, from its short name: `verde arriba–derecha, rosa abajo–izquierda`."""
    said = []
    for k, colors in enumerate((("verde", "rosa"), ("green", "pink"))):
        lines = zip(colors, lines_of(label), strict=True)
        said.append(
            ", ".join(f"{color} {'–'.join(SIDES[str(p[0])][k] for p in line['ports'])}" for color, line in lines)
        )
    return said[0], said[1]


def _label(face: Face) -> str:
    """The eyes' short name of a face, `gNSpEW`."""

    def ports(line: Sequence[Port]) -> str:
        return "".join(p.side if p.position == 0.5 else f"{p.side}{round(100 * p.position):02d}" for p in line)

    return f"g{ports(face.green)}p{ports(face.pink)}"


def _who_opens(game: Tronix, card: GridCard, context: Context) -> Question:
    assert card.face is not None
    options = []
    for player in range(game.seats):
        move = Move.place((0, 0), card.face, player)
        if not game.check(move):
            name = context.name(player)
            options.append(Option((name, name), None, None, str(move)))
    words = ("¿Quién ha salido?", "Who opened?")
    return Question(f"opener:{card.face}", "player", words, tuple(options), card.piece)


def _flag(game: Tronix, grid: Grid, move: Move, pieces: tuple[Piece, ...], violations: Sequence[Violation]) -> Illegal:
    codes = ",".join(sorted(violation.code for violation in violations))
    nearest = None
    if move.kind == "place" and move.cell is not None and move.face is not None:
        x, y = move.cell
        legal = [
            option for option in game.legal_moves if option.face == move.face and option.source is None and option.cell
        ]
        if legal:
            best = min(legal, key=lambda m: (m.cell[0] - x) ** 2 + (m.cell[1] - y) ** 2 if m.cell else 1e9)
            assert best.cell is not None
            where = f"{best.cell[0]},{best.cell[1]}"
            words = (f"la carta cabe en {where}", f"the card fits at {where}")
            nearest = Nearest(str(best), words, grid.outline(best.cell))
    return Illegal(f"move:{move}:{codes}", tuple(violations), pieces, str(move), nearest)
