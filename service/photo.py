"""One photograph, no match: what lies there, and what it scores by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.game import RulesError
from service.problems import Problem
from service.table import Looks
from vision.state import Piece, TableState

Json = dict[str, Any]


def read_photo(eyes: Looks, game: str, image: np.ndarray, name: str) -> Json:
    """The pieces in the label format, with confidence and alternatives."""
    state = eyes.read(image, 0.0)
    return {"image": name, "game": game, "pieces": [piece.to_json() for piece in state.pieces]}


def score_photo(eyes: Looks, game: str, image: np.ndarray, name: str, setup: Json) -> Json:
    """What a photograph can score, with reasons; `cannot_score` says why where it cannot."""
    state = eyes.read(image, 0.0)
    reading = {"image": name, "game": game, "pieces": [piece.to_json() for piece in state.pieces]}
    scorers = {"triominos": _triominos, "trama": _trama, "tronix": _tronix, "truco": _truco}
    if game not in scorers:
        raise Problem(
            "cannot_score",
            f"one photograph of {game} does not say who played what: follow the game with `tapete watch`",
            f"una sola foto de {game} no dice quién jugó qué: sigue la partida con `tapete watch`",
        )
    try:
        score, notes = scorers[game](state, setup)
    except RulesError as error:
        raise Problem("cannot_score", str(error)) from error
    notes += [_note(es, en) for es, en in state.quality.advice]
    return {"game": game, "reading": reading, "score": score, "notes": notes}


def _note(es: str, en: str) -> Json:
    return {"es": es, "en": en}


def _line(cause: str, points: int, es: str = "", en: str = "") -> Json:
    return {"cause": cause, "points": points, "es": es or cause, "en": en or cause}


def _only(state: TableState, kind: str, es: str, en: str) -> list[Piece]:
    pieces = [piece for piece in state.pieces if piece.kind == kind]
    if not pieces:
        raise Problem("cannot_score", f"no {en} can be seen", f"no se ve {es}")
    return pieces


def _doubts(pieces: list[Piece]) -> list[Json]:
    doubtful = [piece.label or piece.kind for piece in pieces if piece.confidence < 0.6]
    if not doubtful:
        return []
    names = ", ".join(doubtful)
    return [_note(f"Lecturas dudosas: {names}.", f"Doubtful readings: {names}.")]


def _triominos(state: TableState, setup: Json) -> tuple[list[Json], list[Json]]:
    """A hand laid open: the sum of its tiles."""
    from rules.triominos import Triominos

    if setup:
        raise RulesError("a hand of triominoes needs no set-up")
    tiles = _only(state, "tile", "ninguna ficha", "tile")
    position = Triominos.from_table([(tile.label, None) for tile in tiles])
    lines = [_line("tile", line.points, f"ficha {line.cause[5:]}", line.cause) for line in position.lines]
    notes = _doubts(tiles)
    for violation in position.violations:
        if violation.code in ("mirrored_tile", "foreign_tile", "tile_on_table"):
            notes.append(_note(violation.es, violation.en))
    return [{"player": 0, "total": position.points, "lines": lines}], notes


def _trama(state: TableState, setup: Json) -> tuple[list[Json], list[Json]]:
    """Looms, from left to right; buttons, objective, rules and finished rounds come from the set-up."""
    from rules.game import no_extra
    from rules.trama import Rules, read_table

    looms = sorted(_only(state, "loom", "ningún telar", "loom"), key=lambda piece: piece.centre[0])
    no_extra(setup, ("buttons", "objective", "rules", "rounds", "players"), "a set-up of a Trama photograph")
    first = [{k: v for k, v in loom.facts.items() if k in ("lanes", "cords", "crossings")} for loom in looms]
    lanes = max((int(loom.get("lanes", 8)) for loom in first), default=8)
    rules = Rules.from_json({"lanes": lanes, **setup.get("rules", {})})
    found = read_table(first, setup.get("buttons"), setup.get("objective"), rules=rules, rounds=setup.get("rounds"))
    names = setup.get("players")
    result = []
    for score in found.scores:
        shown = score.to_json()
        lines = [_line(str(line.get("cause", "")), int(line.get("points", 0))) for line in shown.get("lines", [])]
        entry: Json = {"player": score.player, "total": score.total, "lines": lines}
        if isinstance(names, list) and score.player < len(names):
            entry["name"] = str(names[score.player])
        result.append(entry)
    notes = [_note(violation.es, violation.en) for violation in found.violations]
    for loom in looms:
        notes += [_note(str(problem), str(problem)) for problem in loom.facts.get("problems", ())]
    return result, notes


def _tronix(state: TableState, setup: Json) -> tuple[list[Json], list[Json]]:
    """Circuits on the table, and what each team takes for them."""
    from rules.game import no_extra
    from rules.tronix import read_table
    from service.referee.grid import cards_on_grid

    no_extra(setup, ("god",), "a set-up of a Tronix photograph")
    cards = _only(state, "circuit_card", "ninguna carta", "card")
    found = read_table([card.to_rules() for card in cards_on_grid(cards)], god=bool(setup.get("god", False)))
    green, pink = found.award.points
    count = len(found.circuits)
    result = []
    for player, (team, points) in enumerate((("green", green), ("pink", pink))):
        words = (f"cartas de {count} circuito(s)", f"cards of {count} circuit(s)")
        lines = [_line("circuit", points, *words)] if points else []
        result.append({"player": player, "name": team, "total": points, "lines": lines})
    return result, [_note(violation.es, violation.en) for violation in found.violations]


def _truco(state: TableState, setup: Json) -> tuple[list[Json], list[Json]]:
    """Tricks laid before two players: the lower half of the picture is player 0's, columns are tricks."""
    from rules.game import no_extra, require
    from rules.truco import Truco
    from service.referee.zones import tricks_in_columns

    no_extra(setup, ("lead",), "a set-up of a Truco photograph")
    lead = require(setup, "lead", int, 0)
    if lead not in (0, 1):
        raise RulesError("'lead' is 0 (below) or 1 (above)")
    cards = _only(state, "card", "ninguna carta", "card")
    tricks = tricks_in_columns(cards, state.size)
    found = Truco.from_table([[list(card) for card in trick] for trick in tricks], lead, 1 - lead)
    notes = _doubts(cards) + [_note(violation.es, violation.en) for violation in found.violations]
    result = []
    for player in (0, 1):
        won = [number for number, winner in enumerate(found.winners, start=1) if winner == player]
        lines = [_line("trick", 0, f"baza {number}", f"trick {number}") for number in won]
        if found.winner == player:
            lines.append(_line("hand", 1, "mano (sin envite)", "hand (no bid)"))
        result.append({"player": player, "total": 1 if found.winner == player else 0, "lines": lines})
    return result, notes
