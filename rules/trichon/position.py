"""A board of Trichón by itself: the cards in the pozo, the lines claimed, what is wrong and what it scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.game import RulesError, ScoreLine, Violation
from rules.trichon.cards import ALL_LINES, JOKERS, Card, Cell, Line, checked_card, checked_line, is_straight, line_text
from rules.trichon.draw import draw_board


class Position:
    """Marks and claims without a history.

    `cards` are those in the pozo in any order: `7-copas`, `C7`, `*C7` (a comodín as that cell) or `comodin` (nobody has
    said yet as what). `claims` are `(player, line)` pairs. `violations` holds everything wrong, `lines` the points,
    `dead` the real cards whose cells a comodín took and `open_lines` the lines that could still be claimed.
    """

    def __init__(self, cards: Sequence[Any], claims: Sequence[Any] = ()) -> None:
        if not isinstance(cards, list | tuple) or not isinstance(claims, list | tuple):
            raise RulesError("a position is a list of cards and a list of claims")
        self.violations: list[Violation] = []
        self.marks: dict[Cell, bool] = {}
        named = [None if card == "comodin" else checked_card(card) for card in cards]
        self._mark(named)
        self.claims: dict[Line, int] = {}
        for claim in claims:
            if not isinstance(claim, list | tuple) or len(claim) != 2 or type(claim[0]) is not int:
                raise RulesError("a claim is (player, line)")
            if claim[0] not in (0, 1):
                raise RulesError("a player is 0 or 1")
            self._claim(claim[0], checked_line(claim[1]))
        taken = {cell for line in self.claims for cell in line}
        self.open_lines = tuple(
            line for line in ALL_LINES if all(c in self.marks for c in line) and taken.isdisjoint(line)
        )

    def _mark(self, cards: Sequence[Card | None]) -> None:
        real = [card.cell for card in cards if card is not None and not card.joker]
        jokers = [card.cell for card in cards if card is not None and card.joker]
        for cell in sorted({cell for cell in real if real.count(cell) > 1}):
            es, en = f"El {cell.label} está más de una vez en el pozo.", f"{cell.label} is in the pozo more than once."
            self.violations.append(Violation("card_played", es, en, {"card": cell.label, "cell": str(cell)}))
        for cell in sorted({cell for cell in jokers if jokers.count(cell) > 1}):
            es, en = f"Dos comodines son {cell.label}.", f"Two comodines stand for {cell.label}."
            self.violations.append(Violation("cell_marked", es, en, {"cell": str(cell)}))
        unnamed = sum(card is None for card in cards)
        if unnamed:
            es, en = "Falta decir qué carta es el comodín.", "Nobody has said which card the comodín is."
            self.violations.append(Violation("joker_unnamed", es, en, {"count": unnamed}))
        if unnamed + len(jokers) > JOKERS:
            es, en = f"Solo hay {JOKERS} comodines en el mazo.", f"The deck has only {JOKERS} comodines."
            self.violations.append(Violation("too_many_jokers", es, en, {"count": unnamed + len(jokers)}))
        self.dead = tuple(sorted(set(real) & set(jokers)))
        self.marks = {**dict.fromkeys(real, False), **dict.fromkeys(jokers, True)}

    def _claim(self, player: int, line: Line) -> None:
        text = line_text(line)
        where = {"line": text, "player": player}
        wrong = []
        if not is_straight(line):
            es, en = f"{text} no son tres casillas seguidas en línea.", f"{text} are not three neighbours in a line."
            wrong.append(Violation("line_not_straight", es, en, where))
        missing = [str(c) for c in line if c not in self.marks]
        if missing:
            es = f"En {text} hay casillas sin marcar: {', '.join(missing)}."
            en = f"{text} has cells that are not marked: {', '.join(missing)}."
            wrong.append(Violation("line_unmarked", es, en, {**where, "cells": missing}))
        twice = [str(c) for c in line if any(c in other for other in self.claims)]
        if twice:
            es = f"En {text} hay casillas ya usadas en otro juego: {', '.join(twice)}."
            en = f"{text} has cells that are part of another line: {', '.join(twice)}."
            wrong.append(Violation("line_claimed", es, en, {**where, "cells": twice}))
        self.violations += wrong
        if not wrong:
            self.claims[line] = player

    @property
    def lines(self) -> tuple[ScoreLine, ...]:
        """A point for each rightful claim."""
        return tuple(ScoreLine(player, f"line {line_text(line)}", 1) for line, player in self.claims.items())

    def lines_of(self, card: Any) -> tuple[Line, ...]:
        """The open lines through a card of the pozo: what its player may claim if it was the last one."""
        cell = checked_card(card).cell
        return tuple(line for line in self.open_lines if cell in line)

    def draw(self) -> str:
        """The board as SVG."""
        return draw_board(self.marks, self.claims, set(), [])
