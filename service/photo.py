"""One photograph, no match: what lies there, and what it scores by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.game import RulesError
from service.plain import crossing_words, lane_words, plain
from service.problems import Problem
from service.table import Looks
from vision.state import Piece, TableState

Json = dict[str, Any]
DOUBTFUL = 0.6  # readings less sure than this are named to the person


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
    notes = [_plainly(note, game) for note in notes] + [_note(es, en) for es, en in state.quality.advice]
    return {"game": game, "reading": reading, "score": score, "notes": notes}


def _note(es: str, en: str) -> Json:
    return {"es": es, "en": en}


def _plainly(note: Json, game: str) -> Json:
    """A note in the words of the table; players are counted from one, as the scores beside it are."""
    names = {"es": [f"jugador {n}" for n in range(1, 17)], "en": [f"player {n}" for n in range(1, 17)]}
    return {lang: plain(note[lang], lang, game, names[lang]) for lang in ("es", "en")}


def _line(cause: str, points: int, es: str = "", en: str = "") -> Json:
    return {"cause": cause, "points": points, "es": es or cause, "en": en or cause}


def _only(state: TableState, kind: str, es: str, en: str) -> list[Piece]:
    pieces = [piece for piece in state.pieces if piece.kind == kind]
    if not pieces:
        raise Problem("cannot_score", f"no {en} can be seen", f"no se ve {es}")
    return pieces


def _doubts(pieces: list[Piece]) -> list[Json]:
    doubtful = [piece.label or piece.kind for piece in pieces if piece.confidence < DOUBTFUL]
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
    """Looms in reading order. The set-up says what the picture does not show: `buttons` (per loom the pattern cards
    that carry them), `objective`, `patterns` (cards of the players' own, which buttons may name), `rules`, finished
    `rounds`, and the `players`' names.
    """
    from rules.game import no_extra, require
    from rules.trama import Rules, read_table
    from service.referee.trama import TramaReferee, reading_order

    looms = reading_order(_only(state, "loom", "ningún telar", "loom"))
    no_extra(
        setup, ("buttons", "objective", "patterns", "rules", "rounds", "players"), "a set-up of a Trama photograph"
    )
    seen = [{k: v for k, v in loom.facts.items() if k in ("lanes", "cords", "crossings")} for loom in looms]
    lanes = max(int(loom.get("lanes", 8)) for loom in seen)
    rules = Rules.from_json({"lanes": lanes, **require(setup, "rules", dict, {})})
    cards = _own_cards(require(setup, "patterns", list, []))
    rounds = require(setup, "rounds", (int, type(None)), None)
    found = read_table(seen, setup.get("buttons"), setup.get("objective"), rules=rules, cards=cards, rounds=rounds)
    names = require(setup, "players", list, [])
    referee = TramaReferee()
    result = []
    for score in found.scores:
        lines = [_line(line.cause, line.points, *referee.cause(line.cause)) for line in score.lines]
        entry: Json = {"player": score.player, "total": score.total, "lines": lines}
        if score.player < len(names):
            entry["name"] = str(names[score.player])
        result.append(entry)
    notes = [_note(violation.es, violation.en) for violation in found.violations]
    for loom in looms:
        notes += _loom_doubts(loom)
        notes += [_problem(problem) for problem in loom.facts.get("problems", ())]
    return result, notes


def _own_cards(patterns: list[Any]) -> Any:
    """The program's cards with the players' own before them, or None where they brought none."""
    from rules.trama.cards import Adjacent, CardSet, Interlaced, default_cards, parse_pattern

    if not patterns:
        return None
    own = [parse_pattern(card) for card in patterns]
    ids = {card.id for card in own}
    box = default_cards()
    adjacent = [card for card in own if isinstance(card, Adjacent)] + [c for c in box.adjacent if c.id not in ids]
    interlaced = [card for card in own if isinstance(card, Interlaced)] + [c for c in box.interlaced if c.id not in ids]
    return CardSet(tuple(adjacent), tuple(interlaced), box.objectives)


def _problem(problem: Json) -> Json:
    """What is wrong with a cord, in words."""
    lane = f"{problem.get('axis', '')}{problem.get('lane', '')}"
    if problem["code"] == "doubled":
        colors = ", ".join(problem["colors"])
        return _note(f"Hay dos cuerdas en {lane}: {colors}.", f"There are two cords in {lane}: {colors}.")
    if problem["code"] == "diagonal":
        column = 1 if problem["axis"] == "h" else 0
        start, end = (f"{problem['axis']}{problem[at][column]:.0f}" for at in ("from", "to"))
        return _note(
            f"Una cuerda va en diagonal, de {start} a {end}.", f"A cord runs diagonally, from {start} to {end}."
        )
    return _note(f"La cuerda de {lane} está floja.", f"The cord in {lane} is slack.")


def _loom_doubts(loom: Piece) -> list[Json]:
    """What on a loom was read without being sure of it."""
    facts, hints = loom.facts, loom.facts.get("perhaps", {}).get("cords", ())
    names = [lane_words(c["axis"], c["lane"]) for c in facts.get("cords", ()) if c.get("confidence", 1.0) < DOUBTFUL]
    names += [crossing_words(c["h"], c["v"]) for c in facts.get("crossings", ()) if c.get("confidence", 1.0) < DOUBTFUL]
    names += [f"{lane_words(c['axis'], c['lane'])}?" for c in hints]
    if not names:
        return []
    shown = ", ".join(names[:8])
    return [_note(f"Lecturas dudosas en el telar: {shown}.", f"Doubtful readings on the loom: {shown}.")]


def _tronix(state: TableState, setup: Json) -> tuple[list[Json], list[Json]]:
    """Circuits on the table, and what each team takes for them. `god`: all hands are empty, so a TRONIX counts."""
    from rules.game import no_extra, require
    from rules.tronix import read_table
    from service.referee.grid import cards_on_grid

    no_extra(setup, ("god",), "a set-up of a Tronix photograph")
    god = require(setup, "god", bool, False)
    cards = _only(state, "circuit_card", "ninguna carta", "card")
    found = read_table([card.to_rules() for card in cards_on_grid(cards)], god=god)
    green, pink = found.award.points
    count = len(found.circuits)
    result = []
    for player, (team, points) in enumerate((("green", green), ("pink", pink))):
        words = (f"cartas de {count} circuito(s)", f"cards of {count} circuit(s)")
        lines = [_line("circuit", points, *words)] if points else []
        result.append({"player": player, "name": team, "total": points, "lines": lines})
    return result, _doubts(cards) + [_note(violation.es, violation.en) for violation in found.violations]


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
