"""A loom as the eyes report it, as cords and crossings that the rules understand; old ones stay what they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.game import RulesError
from rules.trama.loom import Cord, Crossing, Loom
from service.referee.base import Json, hinted
from vision.state import Piece

SURE = 0.9  # an old cord or crossing that reads otherwise less surely than this is still the old one
APART = 1.3  # lanes by which the ends of two diagonal stretches must differ to be two cords


def loom_of(piece: Piece) -> Loom:
    """The loom of a piece, `RulesError` where it makes no sense."""
    facts = piece.facts
    cords = tuple(map(Cord.from_json, facts.get("cords", ())))
    crossings = tuple(map(Crossing.from_json, facts.get("crossings", ())))
    return Loom(int(facts.get("lanes", 8)), cords, crossings)


def settled(before: Loom, piece: Piece, colors: Sequence[str] = ()) -> Piece | None:
    """The loom as seen, with old cords and crossings that were read doubtfully put back; None if it cannot be read.

    What the eyes report as `problems` become cords, too: two in a lane, and diagonal ones, which have the first of
    `colors` where the eyes do not say theirs.
    """
    facts = piece.facts
    try:
        loom_of(piece)
    except RulesError:
        return None
    old = {cord.place: cord for cord in before.cords}
    tops = before.tops
    cords: list[Json] = []
    for cord in facts.get("cords", ()):
        known = old.get((cord["axis"], cord["lane"]))
        doubtful = cord.get("confidence", 1.0) < SURE
        cords.append({**cord, "color": known.color} if known is not None and doubtful else dict(cord))
    there = {(cord["axis"], cord["lane"]) for cord in cords}
    doubts = {label for label, probability in piece.alternatives if probability > 1 - SURE}
    # A cord that is hard to tell from its board, or that somebody had to name, cannot be seen to be gone.
    hidden = hinted(facts) | set(facts.get("named", ())) | {label.partition(" ")[0] for label in doubts}
    for place, known in old.items():
        if place not in there and f"{place[0]}{place[1]}" in hidden:
            cords.append(known.to_json())
            there.add(place)
    crossings: list[Json] = []
    for crossing in facts.get("crossings", ()):
        top = tops.get((crossing["h"], crossing["v"]))
        doubtful = crossing.get("confidence", 1.0) < SURE
        crossings.append({**crossing, "top": top} if top is not None and doubtful else dict(crossing))
    named = {(crossing["h"], crossing["v"]) for crossing in crossings}
    maybe = {(c["h"], c["v"]): c for c in facts.get("perhaps", {}).get("crossings", ())}
    for h, v in sorted((h, v) for one, h in there for other, v in there if (one, other) == ("h", "v")):
        if (h, v) in tops and (h, v) not in named:
            crossings.append({"h": h, "v": v, "top": tops[h, v]})
        elif (h, v) not in named:
            crossings.append(maybe.get((h, v), {"h": h, "v": v, "top": "h", "confidence": 0.5}))
    cords = doubled(cords, facts) + diagonals(facts, colors)
    return replace(piece, facts={**facts, "cords": cords, "crossings": crossings})


def doubled(cords: Sequence[Json], facts: Mapping[str, Any]) -> list[Json]:
    """The cords with both of those in a lane that holds two, in the colours that the eyes saw side by side."""
    pairs = {
        (problem["axis"], problem["lane"]): problem["colors"]
        for problem in facts.get("problems", ())
        if problem.get("code") == "doubled"
    }
    result: list[Json] = []
    for cord in cords:
        colors = pairs.get((cord["axis"], cord["lane"]))
        result += [cord] if colors is None else [{**cord, "color": color, "confidence": 1.0} for color in colors]
    return result


def diagonals(facts: Mapping[str, Any], colors: Sequence[str]) -> list[Json]:
    """The diagonal cords: stretches between other cords that lie in one line are one cord, from edge to edge."""
    lanes = int(facts.get("lanes", 8))
    found: list[tuple[str, float, float, str]] = []
    for problem in facts.get("problems", ()):
        if problem.get("code") != "diagonal":
            continue
        (x1, y1), (x2, y2) = problem["from"], problem["to"]
        axis = "v" if abs(y2 - y1) >= abs(x2 - x1) else "h"
        (a1, b1), (a2, b2) = ((y1, x1), (y2, x2)) if axis == "v" else ((x1, y1), (x2, y2))
        slope = (b2 - b1) / (a2 - a1) if a2 != a1 else 0.0
        start, end = b1 + slope * (-0.5 - a1), b1 + slope * (lanes - 0.5 - a1)
        color = str(problem.get("color") or (colors[0] if colors else "?"))
        if not any(axis == o[0] and abs(start - o[1]) < APART and abs(end - o[2]) < APART for o in found):
            found.append((axis, start, end, color))
    result: list[Json] = []
    for axis, start, end, color in found:
        lane, to = (min(max(round(value), 0), lanes - 1) for value in (start, end))
        if lane != to:
            result.append({"axis": axis, "lane": lane, "to": to, "color": color, "confidence": 1.0})
    return result
