"""Looms for Trama's tests: written by hand, or random."""

from __future__ import annotations

from random import Random

from rules.trama import Cord, Crossing, Loom, Rules, Trama, Weave


def loom_of(vertical: str, horizontal: str, tops: dict[tuple[int, int], str] | None = None, lanes: int = 8) -> Loom:
    """A loom from its colours lane by lane (`.` for an empty one); `tops` says who is on top at (h, v), else `v`."""
    cords = [Cord("v", lane, color) for lane, color in enumerate(vertical.split()) if color != "."]
    cords += [Cord("h", lane, color) for lane, color in enumerate(horizontal.split()) if color != "."]
    tops = tops or {}
    crossings = [
        Crossing(h.lane, v.lane, tops.get((h.lane, v.lane), "v"))
        for h in cords
        if h.axis == "h"
        for v in cords
        if v.axis == "v"
    ]
    return Loom(lanes, tuple(cords), tuple(crossings))


def grown(loom: Loom, rng: Random, names: list[str]) -> tuple[tuple[Cord, ...], tuple[Crossing, ...]]:
    """Random new cords of these colours in free lanes, and their crossings."""
    old = {cord.place for cord in loom.cords}
    free = [(axis, lane) for axis in "vh" for lane in range(loom.lanes) if (axis, lane) not in old]
    new = rng.sample(free, len(names))
    cords = [Cord(axis, lane, color) for (axis, lane), color in zip(new, names, strict=True)]
    places = old | set(new)
    crossings = [
        Crossing(h, v, rng.choice("vh"))
        for a, h in sorted(places)
        if a == "h"
        for b, v in sorted(places)
        if b == "v" and (("h", h) in new or ("v", v) in new)
    ]
    return tuple(cords), tuple(crossings)


def random_loom(rng: Random, count: int, colors: int = 5) -> Loom:
    """A legal loom with so many cords."""
    return Loom(8).with_more(*grown(Loom(8), rng, rng.choices(Rules().names[:colors], k=count)))


def random_weave(game: Trama, player: int, rng: Random) -> Weave:
    """Some legal weave of a player, drawn from all of them (`legal_moves` has millions)."""
    left = dict.fromkeys(game.rules.names, 20)
    for loom in game.state.looms:
        for cord in loom.cords:
            left[cord.color] -= 1
    bag = [name for name, count in left.items() for _ in range(count)]
    names = rng.sample(bag, 4)
    if game.state.round < len(game.drafts):
        names = list(game.drafts[game.state.round][player] or names)
    return Weave(player, *grown(game.state.looms[player], rng, names))
