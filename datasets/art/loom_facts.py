"""Which cords lie on a drawn loom and which is on top where: plain facts, woven in a possible order."""

from __future__ import annotations

import random
from typing import Any

COLORS = ("rojo", "rosado", "celeste", "azul", "morado")


def weave(cords: list[dict[str, Any]], rng: random.Random, manner: str = "random") -> list[dict[str, Any]]:
    """The crossings of cords laid in the given order, each cord woven over and under the earlier ones.

    `manner`: "over" (the new cord lies on top of all), "alternate" (over, under, over …) or "random" (any choice: a
    cord with a free end can be passed over or under each earlier cord).
    """
    crossings = []
    for i, cord in enumerate(cords):
        earlier = sorted((c for c in cords[:i] if c["axis"] != cord["axis"]), key=lambda c: c["lane"])
        phase = rng.randrange(2)
        for k, other in enumerate(earlier):
            above = {"over": True, "alternate": (k + phase) % 2 == 0}.get(manner, rng.random() < 0.5)
            h, v = (cord, other) if cord["axis"] == "h" else (other, cord)
            top = cord["axis"] if above else other["axis"]
            crossings.append({"h": h["lane"], "v": v["lane"], "top": top})
    return crossings


def random_loom(seed: int, lanes: int = 8, cords: int | None = None, manner: str | None = None) -> dict[str, Any]:
    """A loom of `lanes` lanes per axis with `cords` cords (by default as after a random round, four cords each)."""
    rng = random.Random(f"loom-{seed}-{lanes}-{cords}")
    if cords is None:
        cords = min(2 * lanes, rng.choice((0, 4, 4, 8, 12, 16, 16, 2 * lanes)))
    if not 0 <= cords <= 2 * lanes:
        raise ValueError(f"{cords} cords do not fit a loom of {lanes} lanes")
    places = [(axis, lane) for axis in "hv" for lane in range(lanes)]
    rng.shuffle(places)
    palette = COLORS if rng.random() < 0.7 else tuple(rng.sample(COLORS, rng.randint(1, 4)))
    laid = [{"axis": axis, "lane": lane, "color": rng.choice(palette)} for axis, lane in places[:cords]]
    chosen = manner or rng.choice(("random", "random", "alternate", "over"))
    return {"lanes": lanes, "cords": laid, "crossings": weave(laid, rng, chosen)}
