"""Trama: each loom belongs to a player; four new cords on it are that player's weaving of the round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rules.game import RulesError
from rules.trama import Trama
from rules.trama.moves import Button, parse_move
from rules.trama.rulebook import CORDS_PER_ROUND, ROUNDS
from service.plain import AXES, lane_words
from service.referee.base import (
    AnyGame,
    Context,
    Control,
    Illegal,
    Instruction,
    Json,
    Mark,
    Option,
    Question,
    Referee,
    Seen,
    Verdict,
    Words,
    size_of,
)
from service.referee.looms import loom_of, settled
from vision.state import Piece, TableState

SECOND = 0.1  # the least probability of a second reading that is worth a question before an accusation

CAUSES: dict[str, Words] = {
    "objective": ("objetivo común", "shared objective"),
    "penalty": ("demasiadas cuerdas de un color", "too many cords of a colour"),
}


class TramaReferee(Referee):
    """All weave at once, so each loom is judged by itself; buttons are said."""

    game = "trama"

    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """See `Referee.judge`."""
        engine = cast(Trama, game)
        looms = [piece for piece in table.pieces if piece.kind == "loom" and len(piece.corners) == 4]
        owners = whose(looms, engine.players, context.calibration)
        if owners is None:
            words = (
                f"Veo {len(looms)} telar(es), y jugáis {engine.players}.",
                f"I see {len(looms)} loom(s), and {engine.players} play.",
            )
            return Verdict(instruction=Instruction("looms", words, tuple(looms)), marks=_marks(looms, {}))
        status: dict[int, str] = {}
        illegal: list[Illegal] = []
        question: Question | None = None
        busy = False
        for player, piece in sorted(owners.items()):
            seen = settled(engine.state.looms[player], piece, engine.rules.names)
            if seen is None:
                continue
            weave, violations = engine.read_loom(player, loom_of(seen))
            codes = [violation.code for violation in violations]
            if not weave.cords and set(codes) <= {"too_few_cords", "wrong_phase", "already_woven", "game_over"}:
                continue
            doubt = _doubt(engine, player, seen, context) or _hidden(engine, player, seen, len(weave.cords), context)
            if doubt is not None:
                question = question or doubt
                status[id(piece)] = "unsure"
            elif not violations:
                return Verdict(move=Seen(str(weave), (piece,)), marks=_marks(looms, {id(piece): "seen"}))
            elif codes == ["too_few_cords"] and not _finished(player, context):
                busy, status[id(piece)] = True, "seen"
            else:
                key = f"loom{player}:{','.join(sorted(set(codes)))}:{weave}"
                illegal.append(Illegal(key, tuple(violations), (piece,), str(weave)))
                status[id(piece)] = "illegal"
        instruction = self._waiting(engine, context) if busy and not illegal else None
        return Verdict(illegal=tuple(illegal), question=question, instruction=instruction, marks=_marks(looms, status))

    @staticmethod
    def _waiting(game: Trama, context: Context) -> Instruction:
        names = ", ".join(context.name(player) for player in game.waiting_for)
        words = (
            f"Faltan cuerdas: {CORDS_PER_ROUND} por ronda ({names}).",
            f"Cords are missing: {CORDS_PER_ROUND} a round ({names}).",
        )
        return Instruction("weaving", words)

    # -- for the page -----------------------------------------------------------------------------------------

    def calls(self) -> frozenset[str]:
        """`woven` with a `player`: that was all of this round; cords that are missing now are a fault."""
        return frozenset({"woven"})

    def check_call(self, game: AnyGame, call: Json) -> None:
        """Whoever has woven is one of the players."""
        player = call.get("player")
        if type(player) is not int or player not in range(cast(Trama, game).players):
            raise RulesError("'player' is a player's number")

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """That a player has woven, and the buttons that each player may lay."""
        engine = cast(Trama, game)
        result = []
        for player in engine.waiting_for if engine.state.phase == "weave" else ():
            name = context.name(player)
            words = (f"{name}: tejido terminado", f"{name}: woven")
            result.append(Control(f"woven{player}", "weaving", words, {"call": "woven", "player": player}))
        if engine.state.phase == "button":
            patterns = engine.table.patterns
            for player in engine.waiting_for:
                for card in patterns.values():
                    move = Button(player, card.shape, card.id)
                    if engine.check(move):
                        continue
                    name = context.name(player)
                    words = (f"{name}: botón en {card.name or card.id}", f"{name}: button on {card.name or card.id}")
                    result.append(Control(f"button{player}{card.id}", f"button{player}", words, {"move": str(move)}))
        return result

    def position(self, game: AnyGame) -> Json:
        """Round, looms, cards on the table, buttons, and who is waited for."""
        engine = cast(Trama, game)
        state, table = engine.state, engine.table
        looms = []
        for player, loom in enumerate(state.looms):
            shown = {key: value for key, value in loom.to_json().items() if key != "kind"}
            looms.append({"player": player, **shown})
        buttons = [{"player": player, "card": card} for player, own in enumerate(state.buttons) for card in own]
        return {
            "round": engine.phase[0],
            "rounds": ROUNDS,
            "phase": state.phase,
            "waiting_for": list(engine.waiting_for),
            "looms": looms,
            "cards": [card.to_json() for card in table.patterns.values()],
            "objective": table.objective.to_json(),
            "buttons": buttons,
        }

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """`Ana weaves horizontal 3 blue; vertical 1 red`, `Luis lays a round button on “Medianoche”`."""
        move = parse_move(text)
        name = context.name(move.player)
        if isinstance(move, Button):
            shapes = {"round": "redondo", "square": "cuadrado"}
            known = cast(Trama, game).table.patterns.get(move.card)
            card = (known.name if known is not None else "") or move.card
            return (
                f"{name} pone un botón {shapes[move.shape]} en «{card}»",
                f"{name} lays a {move.shape} button on “{card}”",
            )
        es, en = [], []
        for axis, word in AXES.items():
            cords = sorted((cord for cord in move.cords if cord.axis == axis), key=lambda cord: cord.lane)
            if cords:
                es.append(f"{word} {', '.join(f'{cord.lane + 1} {cord.color}' for cord in cords)}")
                en.append(f"{word} {', '.join(f'{cord.lane + 1} {color(cord.color)[1]}' for cord in cords)}")
        return f"{name} teje {'; '.join(es)}", f"{name} weaves {'; '.join(en)}"

    def cause(self, cause: str) -> Words:
        """A score line's cause in words."""
        name, _, rest = cause.partition(" ")
        if name in CAUSES:
            es, en = CAUSES[name]
            return f"{es} {rest}".strip(), f"{en} {rest}".strip()
        return cause, cause


COLORS_EN = {"rojo": "red", "rosado": "pink", "celeste": "light blue", "azul": "blue", "morado": "purple"}


def color(name: str) -> Words:
    """A cord's colour in words; a colour of the players' own is called what they call it."""
    return name, COLORS_EN.get(name, name)


def _finished(player: int, context: Context) -> bool:
    """Whether a player has said that this was all."""
    return any(entry.get("call") == "woven" and entry.get("player") == player for entry in context.calls)


def whose(looms: Sequence[Piece], players: int, calibration: Mapping[str, Any]) -> dict[int, Piece] | None:
    """Which loom belongs to whom: by the calibrated places, else in reading order; None where that cannot be said.

    With places, a loom that is hidden for a moment is simply left out.
    """
    places = calibration.get("looms")
    if places:
        result: dict[int, Piece] = {}
        for loom in looms:
            near = min(places, key=lambda key: _distance(places[key], loom.centre))
            if int(near) in result:
                return None
            result[int(near)] = loom
        return result
    if len(looms) != players:
        return None
    return dict(enumerate(reading_order(looms)))


def _distance(a: Sequence[float], b: Sequence[float]) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def reading_order(looms: Sequence[Piece]) -> list[Piece]:
    """Left to right, row by row: a loom whose middle lies below the row's by half a loom begins the next row."""
    left = sorted(looms, key=lambda piece: piece.centre[1])
    result: list[Piece] = []
    while left:
        first = left[0]
        row = [piece for piece in left if piece.centre[1] - first.centre[1] < 0.5 * size_of(first)]
        result += sorted(row, key=lambda piece: piece.centre[0])
        left = [piece for piece in left if piece not in row]
    return result


def _doubt(game: Trama, player: int, piece: Piece, context: Context) -> Question | None:
    """The question about the least sure detail of what is new on a loom, where it is not sure enough."""
    before = game.state.looms[player]
    old, tops = {cord.place for cord in before.cords}, before.tops
    worst: tuple[float, str, list[tuple[str, float]]] | None = None
    second: dict[str, tuple[str, float]] = {}
    for label, probability in piece.alternatives:
        second.setdefault(label.partition(" ")[0], (label, probability))
    for cord in piece.facts.get("cords", ()):
        place = f"{cord['axis']}{cord['lane']}"
        sure = float(cord.get("confidence", 1.0))
        if (cord["axis"], cord["lane"]) in old or sure >= context.ask_below:
            continue
        options = [(f"{place} {cord['color']}", sure)]
        if place in second:
            options.append(second[place])
        else:
            others = [name for name in game.rules.names if name != cord["color"]]
            options += [(f"{place} {name}", (1 - sure) / max(1, len(others))) for name in others]
        options.append((f"{place} -", 0.0))
        if worst is None or sure < worst[0]:
            worst = (sure, place, list(dict(options).items()))
    for crossing in piece.facts.get("crossings", ()):
        sure = float(crossing.get("confidence", 1.0))
        if (crossing["h"], crossing["v"]) in tops or sure >= max(context.ask_below, 0.5 + SECOND):
            continue
        place = f"h{crossing['h']}v{crossing['v']}"
        other = "v" if crossing["top"] == "h" else "h"
        if worst is None or sure < worst[0]:
            worst = (sure, place, [(f"{place} {crossing['top']}", sure), (f"{place} {other}", 1 - sure)])
    if worst is None:
        return None
    _, place, readings = worst
    answers = tuple(Option(_words(label), label, probability) for label, probability in readings)
    name = context.name(player)
    if "v" in place[1:]:
        h, v = (int(lane) + 1 for lane in place[1:].split("v"))
        es, en = (
            f"Telar de {name}: ¿qué cuerda va encima donde se cruzan la horizontal {h} y la vertical {v}?",
            f"{name}'s loom: which cord is on top where horizontal {h} crosses vertical {v}?",
        )
    else:
        axis, lane = AXES[place[0]], int(place[1:]) + 1
        es = f"Telar de {name}: ¿de qué color es la cuerda {axis} {lane}?"
        en = f"{name}'s loom: which colour is {axis} cord {lane}?"
    return Question(f"loom{player}:{place}", "which", (es, en), answers, piece)


def _hidden(game: Trama, player: int, piece: Piece, count: int, context: Context) -> Question | None:
    """Where cords are missing: whether one in the colour of the board lies where the eyes see only a hint of it."""
    missing = CORDS_PER_ROUND - count
    old = {cord.place for cord in game.state.looms[player].cords}
    hints = [
        cord for cord in piece.facts.get("perhaps", {}).get("cords", ()) if (cord["axis"], cord["lane"]) not in old
    ]
    if not hints or not (missing == 1 or (missing > 1 and _finished(player, context))):
        return None
    best = max(hints, key=lambda cord: float(cord["confidence"]))
    place = f"{best['axis']}{best['lane']}"
    names = [best["color"], *(name for name in game.rules.names if name != best["color"])]
    labels = [f"{place} -", *(f"{place} {name}" for name in names)]
    answers = tuple(Option(_words(label), label) for label in labels)
    name = context.name(player)
    where = lane_words(best["axis"], best["lane"])
    es, en = f"Telar de {name}: ¿hay una cuerda en {where}?", f"{name}'s loom: is there a cord in {where}?"
    return Question(f"loom{player}:{place}?", "which", (es, en), answers, piece)


def _words(label: str) -> Words:
    _, _, value = label.partition(" ")
    names = {"h": ("la horizontal", "the horizontal one"), "v": ("la vertical", "the vertical one")}
    return names.get(value, ("ninguna cuerda", "no cord") if value == "-" else color(value))


def _marks(looms: Sequence[Piece], status: dict[int, str]) -> tuple[Mark, ...]:
    return tuple(Mark(loom, status.get(id(loom), "accepted")) for loom in looms)
