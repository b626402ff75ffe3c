"""Everything that can be wrong with a play of Trichón."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.game import Violation
from rules.trichon.cards import JOKERS, LINES_OF, PLAYERS, Card, Cell, Line, Play, is_straight, line_text
from rules.trichon.state import Held, Rules, State

MOST_CARDS = 3


def new_marks(state: State, cards: Sequence[Card]) -> set[Cell]:
    """The cells that these cards mark; a card whose cell a comodín took is dead and marks nothing."""
    return {card.cell for card in cards if card.cell not in state.marks}


def claimed_cells(state: State) -> set[Cell]:
    """The cells that serve a line already."""
    return {cell for line in state.claims for cell in line}


def possible_lines(state: State, cards: Sequence[Card]) -> tuple[Line, ...]:
    """The lines that these cards complete: unclaimed, marked afterwards, and containing every card's new mark."""
    fresh = new_marks(state, cards)
    if len(fresh) != len(cards):
        return ()
    marked, taken = fresh.union(state.marks), claimed_cells(state)
    return tuple(
        line
        for line in LINES_OF[min(fresh)]
        if fresh.issubset(line) and marked.issuperset(line) and taken.isdisjoint(line)
    )


def completed(state: State, rules: Rules, move: Play) -> Play:
    """The play with its only possible line filled in, where a line must be claimed; anything else as it is."""
    if not isinstance(move, Play) or move.lines or not (rules.must_claim or len(move.cards) > 1):
        return move
    lines = possible_lines(state, move.cards)
    return replace(move, lines=lines) if len(lines) == 1 else move


def faults(state: State, rules: Rules, move: Play) -> list[Violation]:
    """All violations of a play, in the order turn, cards, line."""
    move = completed(state, rules, move)
    found: list[Violation] = []
    letter = PLAYERS[move.player]
    if state.turn is None:
        found.append(Violation("game_over", "La partida ha terminado.", "The game is over.", {"player": move.player}))
    elif state.turn != move.player:
        other = PLAYERS[state.turn]
        es, en = f"No es el turno de {letter}: juega {other}.", f"It is not {letter}'s turn: {other} is to play."
        found.append(Violation("out_of_turn", es, en, {"player": move.player, "turn": state.turn}))
    return found + _card_faults(state, move) + _line_faults(state, rules, move)


def _card_faults(state: State, move: Play) -> list[Violation]:
    found = []
    seen: set[Cell] = set()
    for card in move.cards:
        where = {"card": str(card), "cell": str(card.cell)}
        name = card.cell.label
        if not card.joker and card.cell in state.played:
            es, en = f"El {name} ya se ha jugado.", f"{name} was played already."
            found.append(Violation("card_played", es, en, where))
        elif card.joker and (card.cell in state.marks or card.cell in seen):
            es = f"El comodín no puede ser {name}: su casilla ya está marcada."
            en = f"The comodín cannot be {name}: its cell is marked already."
            found.append(Violation("cell_marked", es, en, where))
        elif card.cell in seen:
            es, en = f"El {name} está repetido en la jugada.", f"{name} is there twice in this play."
            found.append(Violation("card_repeated", es, en, where))
        seen.add(card.cell)
    jokers = sum(card.joker for card in move.cards)
    if state.jokers + jokers > JOKERS:
        es, en = f"Solo hay {JOKERS} comodines en el mazo.", f"The deck has only {JOKERS} comodines."
        found.append(Violation("too_many_jokers", es, en, {"player": move.player}))
    elif not found and not Held(state, move.player).may_hold(move.cards):
        letter, names = PLAYERS[move.player], ", ".join(map(str, move.cards))
        es, en = f"{letter} no puede tener en la mano {names}.", f"{letter} cannot hold {names}."
        found.append(Violation("not_in_hand", es, en, {"player": move.player, "cards": names.split(", ")}))
    if len(move.cards) > MOST_CARDS:
        es, en = "En un turno se juegan tres cartas como mucho.", "Three cards at most are played in a turn."
        found.append(Violation("too_many_cards", es, en, {"player": move.player}))
    return found


def _line_faults(state: State, rules: Rules, move: Play) -> list[Violation]:
    found: list[Violation] = []
    fresh = new_marks(state, move.cards)
    options = possible_lines(state, move.cards)
    names = [line_text(line) for line in options]
    cells = [str(card.cell) for card in move.cards]
    if len(move.lines) > 1:
        es, en = "Solo se marca un juego por turno.", "Only one line is claimed in a turn."
        found.append(Violation("second_line", es, en, {"lines": [line_text(line) for line in move.lines]}))
    if not move.lines and len(options) > 1 and (rules.must_claim or len(move.cards) > 1):
        es = f"Hay que decir qué juego se marca: {' o '.join(names)}."
        en = f"Say which line is claimed: {' or '.join(names)}."
        found.append(Violation("line_not_named", es, en, {"cells": cells, "lines": names}))
    together = any(len(fresh) == len(move.cards) and fresh.issubset(line) for line in move.lines)
    if len(move.cards) > 1 and not together and not options:
        es = "Varias cartas en un turno deben ser todas del juego que se marca."
        en = "Several cards in a turn must all belong to the line that is claimed."
        found.append(Violation("cards_not_in_line", es, en, {"cells": cells}))
    marked, taken = fresh.union(state.marks), claimed_cells(state)
    for line in move.lines:
        text = line_text(line)
        where = {"line": text, "cells": text.split("-")}
        if not is_straight(line):
            es, en = f"{text} no son tres casillas seguidas en línea.", f"{text} are not three neighbours in a line."
            found.append(Violation("line_not_straight", es, en, where))
        for code, wrong, why_es, why_en in (
            ("line_unmarked", [c for c in line if c not in marked], "sin marcar", "not marked"),
            ("line_claimed", [c for c in line if c in taken], "ya usadas en otro juego", "part of another line"),
        ):
            if wrong:
                which = ", ".join(map(str, wrong))
                es = f"En {text} hay casillas {why_es}: {which}."
                en = f"{text} has cells that are {why_en}: {which}."
                found.append(Violation(code, es, en, {**where, "cells": which.split(", ")}))
        if not fresh or not fresh.issubset(line):
            es = f"El juego {text} no contiene lo que se ha jugado en este turno."
            en = f"The line {text} does not contain what was played in this turn."
            found.append(Violation("line_without_card", es, en, where))
    return found
