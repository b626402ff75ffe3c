"""Several looks at one piece: whether they agree, and what they say together.

A look that is in doubt agrees with one that reads its second thought: the two together then say how much doubt there
is, and somebody can be asked. Two looks that are both sure of different things do not agree, however often.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vision.state import Piece

Odds = dict[str, float]  # the readings of one detail with their probabilities
DOUBT = 0.4  # what two looks must give each other's reading, together, to agree nevertheless
LEAST, MOST = 0.02, 8  # second thoughts about a loom that are kept: how likely, and how many


def alike(a: Piece, b: Piece) -> bool:
    """Whether two looks at one piece agree, or differ only in what one of them doubts."""
    if not _near(a.label, b.label, _readings(a), _readings(b)) or _problems(a) != _problems(b):
        return False
    if a.kind != "loom":
        return _bare(a.facts.get("lines", ())) == _bare(b.facts.get("lines", ())) or a.label != b.label
    if a.facts.get("lanes") != b.facts.get("lanes"):
        return False
    one, other = details(a), details(b)
    held = [place for place in {*one, *other} if "v" not in place[1:]]
    if not all(_near(best(one.get(p)), best(other.get(p)), one.get(p), other.get(p)) for p in held):
        return False
    crossings = one.keys() & other.keys() - set(held)  # the crossings of a doubtful cord are in only one of them
    return all(_near(best(one[p]), best(other[p]), one[p], other[p]) for p in crossings)


def merge(readings: Sequence[Piece]) -> Piece:
    """One piece out of several looks at it: probabilities are averaged, the corners of the best look are kept."""
    if readings[0].kind == "loom":
        return _merged_loom(readings)
    totals: Odds = {}
    for piece in readings:
        for label, probability in _readings(piece).items():
            totals[label] = totals.get(label, 0.0) + probability / len(readings)
    label = best(totals)
    looks = [piece for piece in readings if piece.label == label]
    chosen = max(looks, key=lambda piece: piece.confidence) if looks else readings[-1]
    others = sorted(((n, p) for n, p in totals.items() if n != label and p > 1e-4), key=lambda item: -item[1])
    return replace(chosen, label=label, confidence=min(1.0, totals[label]), alternatives=tuple(others[:4]))


def best(odds: Mapping[str, float] | None) -> str:
    """The likeliest reading; of a lane that nothing is said of, that it is empty."""
    return max(odds, key=lambda name: odds[name]) if odds else "-"


def details(loom: Piece) -> dict[str, Odds]:
    """The lanes (`v3`) and crossings (`h2v3`) of a loom that something is said of: a colour, `-`, or the top cord."""
    found: dict[str, Odds] = {}
    for cord in loom.facts.get("cords", ()):
        found[f"{cord['axis']}{cord['lane']}"] = {str(cord["color"]): float(cord.get("confidence", 1.0))}
    for crossing in loom.facts.get("crossings", ()):
        sure, top = float(crossing.get("confidence", 1.0)), str(crossing["top"])
        found[f"h{crossing['h']}v{crossing['v']}"] = {top: sure, "v" if top == "h" else "h": 1 - sure}
    for label, probability in loom.alternatives:
        place, _, value = label.partition(" ")
        odds = found.setdefault(place, {"-": 1 - probability})
        odds.setdefault(value, probability)
    for odds in found.values():  # what is left over speaks for an empty lane
        if "h" not in odds and "v" not in odds:
            odds.setdefault("-", max(0.0, 1 - sum(odds.values())))
    return found


def _readings(piece: Piece) -> Odds:
    return {piece.label: piece.confidence} | dict(piece.alternatives)


def _near(a: str, b: str, one: Mapping[str, float] | None, other: Mapping[str, float] | None) -> bool:
    """Whether the best readings of two looks are the same, or each other's second thoughts."""
    return a == b or ((one or {"-": 1.0}).get(b, 0.0) + (other or {"-": 1.0}).get(a, 0.0)) >= DOUBT


def _bare(items: Any) -> list[str]:
    """Lines without how sure they are."""
    return sorted(
        repr({k: v for k, v in i.items() if k != "confidence"}) if isinstance(i, dict) else repr(i) for i in items
    )


def _problems(piece: Piece) -> list[tuple[Any, ...]]:
    """What is wrong with a loom's cords, without what the camera's noise changes from look to look."""
    return sorted(
        (
            p["code"],
            p.get("axis", ""),
            p.get("lane", -1),
            *(math.floor(x + 0.5) for k in ("from", "to") for x in p.get(k, ())),
        )
        for p in piece.facts.get("problems", ())
        if p["code"] != "slack"
    )


def _merged_loom(readings: Sequence[Piece]) -> Piece:
    """A loom with the details of all looks averaged; a crossing counts where both its cords were seen."""
    looks = [details(piece) for piece in readings]
    merged: dict[str, Odds] = {}
    for place in sorted({place for look in looks for place in look}):
        crossing = "v" in place[1:]
        said = (
            [look[place] for look in looks if place in look]
            if crossing
            else [look.get(place, {"-": 1.0}) for look in looks]
        )
        merged[place] = {name: sum(odds.get(name, 0.0) for odds in said) / len(said) for odds in said for name in odds}
    chosen = max(readings, key=lambda piece: piece.confidence)
    seen = {(c["axis"], c["lane"], c["color"]): c for piece in readings for c in piece.facts.get("cords", ())}
    cords, crossings, second = [], [], []
    for place, odds in merged.items():
        if "v" in place[1:]:
            continue
        value, axis, lane = best(odds), place[0], int(place[1:])
        second += [(f"{place} {name}", p) for name, p in odds.items() if name != value]
        if value != "-":
            fact = {**seen.get((axis, lane, value), {}), "axis": axis, "lane": lane, "color": value}
            cords.append({**fact, "confidence": round(min(1.0, odds[value]), 3)})
    held = {f"{cord['axis']}{cord['lane']}" for cord in cords}
    for place, odds in merged.items():
        h, _, v = place[1:].partition("v")
        if v and {f"h{h}", f"v{v}"} <= held:
            top = best(odds)
            crossings.append({"h": int(h), "v": int(v), "top": top, "confidence": round(odds[top], 3)})
            second += [(f"{place} {name}", p) for name, p in odds.items() if name != top]
    second = sorted((entry for entry in second if entry[1] > LEAST), key=lambda entry: -entry[1])[:MOST]
    sure = sum(piece.confidence for piece in readings) / len(readings)
    facts = {**chosen.facts, "cords": cords, "crossings": crossings}
    return replace(chosen, confidence=sure, alternatives=tuple(second), facts=facts)
