"""Trama: a loom before each player, four cords woven per round, buttons said."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from datasets.art.looms import TEST_FAMILIES, LoomStyle, loom_sprite, loom_style, weave
from datasets.art.sprite import Sprite
from datasets.played.model import NotPossible, Played, Step, finish, spot
from datasets.scene import Placed
from rules.trama import Trama
from rules.trama.cards import default_cards
from rules.trama.loom import AXES, Cord, Crossing, Loom
from rules.trama.moves import Button, Weave
from rules.trama.rulebook import COPIES, CORDS_PER_ROUND, ROUNDS

PX_PER_MM = 2.4
ROW = 3  # looms in a row
APART = 38.0  # mm between two looms
LANES = 8
ON_TABLE = 4
STEEP = 3  # lanes that a diagonal cord crosses at least
BESIDE = 0.17  # pitches from the lane's middle at which two cords in one lane lie side by side
# Weavings that are wrong by their number of cords, or by their moment: how many more than a round has.
EXTRA = {"too_many_cords": (1, 2), "too_few_cords": (-2, -1), "already_woven": (0,), "wrong_phase": (0,)}


class _Table:
    """A game under way and the looms on the table."""

    def __init__(self, rng: np.random.Generator, seed: int, players: int, reserved: bool) -> None:
        self.rng = rng
        self.chance = random.Random(f"trama-{seed}-{rng.integers(1 << 30)}")
        family = self.chance.choice(TEST_FAMILIES) if reserved else None
        self.style = loom_style(int(rng.integers(1, 100_000)), family)
        box = default_cards()
        adjacent = self.chance.sample(list(box.adjacent), ON_TABLE)
        interlaced = self.chance.sample(list(box.interlaced), ON_TABLE)
        self.game = Trama(
            players, adjacent=adjacent, interlaced=interlaced, objective=self.chance.choice(box.objectives)
        )
        self.steps: list[Step] = []
        self.favourite = ""  # a colour that everybody takes as long as there is some of it
        self.looms = [self._lay(player, players) for player in range(players)]
        self.steps.append(Step(self.placed, 0, at=(0.0, 0.0), held=False))

    def _lay(self, player: int, players: int) -> Placed:
        """The empty loom of a player in reading order, not quite straight."""
        sprite = _sprite(Loom(LANES), self.style)
        w, h = sprite.size_mm[0] + APART, sprite.size_mm[1] + APART
        rows = -(-players // ROW)
        row, column = divmod(player, ROW)
        across = min(ROW, players - ROW * row)
        x, y = (column - (across - 1) / 2) * w, (row - (rows - 1) / 2) * h
        dx, dy = self.rng.uniform(-5, 5, 2)
        return Placed(sprite, x + float(dx), y + float(dy), float(np.clip(self.rng.normal(0, 2), -5, 5)))

    @property
    def placed(self) -> tuple[Placed, ...]:
        return tuple(self.looms)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(score.total for score in self.game.score())

    def drawn(self, player: int, loom: Loom) -> Placed:
        """A player's loom with these cords, where it lies."""
        return replace(self.looms[player], sprite=_sprite(loom, self.style))

    def do(self, move: Weave) -> None:
        """A player weaves."""
        self.game.push(move)
        player = move.player
        self.looms[player] = self.drawn(player, self.game.state.looms[player])
        at = spot(self.looms[player])
        self.steps.append(Step(self.placed, player, str(move), at=at, scores=self.scores, held=False))

    def say(self, move: Button) -> None:
        """A player says where the button goes."""
        self.game.push(move)
        self.steps.append(Step(self.placed, move.player, str(move), seen=False, scores=self.scores))

    # -- choices ----------------------------------------------------------------------------------------------

    def weaving(self, player: int, count: int = CORDS_PER_ROUND, avoid: str = "", lanes: int = LANES) -> Weave:
        """Cords in free lanes, over and under as they come; none of colour `avoid`."""
        loom = self.game.state.looms[player]
        free = [(axis, lane) for axis in AXES for lane in range(lanes) if (axis, lane) not in loom.by_place]
        if len(free) < count:
            raise NotPossible("the loom is full")
        used = Counter(cord.color for each in self.game.state.looms for cord in each.cords)
        bag = [c for c in self.game.rules.names if c != avoid for _ in range(max(0, COPIES - used[c] - count))]
        if self.favourite and used[self.favourite] + count <= COPIES:
            bag = [self.favourite]
        new = [
            {"axis": axis, "lane": lane, "color": self.chance.choice(bag)}
            for axis, lane in self.chance.sample(free, count)
        ]
        old = [cord.to_json() for cord in loom.cords]
        manner = self.chance.choice(("random", "alternate", "over"))
        fresh = [c for c in weave([*old, *new], self.chance, manner) if (c["h"], c["v"]) not in loom.tops]
        return Weave(player, tuple(map(Cord.from_json, new)), tuple(map(Crossing.from_json, fresh)))

    def button(self, player: int) -> Button:
        """One of the buttons that the player may lay."""
        patterns = self.game.table.patterns.values()
        moves = [Button(player, card.shape, card.id) for card in patterns]
        return self.chance.choice([move for move in moves if not self.game.check(move)])

    def foul(self, code: str, player: int) -> bool:
        """Make the illegal weaving of this code on a player's loom if it can be made."""
        before = self.game.state.looms[player]
        for _ in range(20):
            seen = self._wrong(code, player, before)
            if seen is None:
                return False
            move, violations = self.game.read_loom(player, seen)
            if {v.code for v in violations} == {code}:
                piece = self.drawn(player, seen)
                table = (*self.looms[:player], piece, *self.looms[player + 1 :])
                # The engine's notation cannot say that an old cord was moved: what is seen is the loom.
                text = str(move) if {v.code for v in self.game.check(move)} == {code} else ""
                # Cords that are still missing are no fault until the player says that this was all.
                call = {"call": "woven", "player": player} if code == "too_few_cords" else None
                self.steps.append(Step(table, player, text, at=spot(piece), call=call, illegal=(code,), held=False))
                self.steps.append(Step(self.placed, player, at=spot(piece), held=False))
                return True
        return False

    def _wrong(self, code: str, player: int, before: Loom) -> Loom | None:
        """A player's loom after a weaving that is wrong in this way, or None where it cannot be."""
        if code in EXTRA:
            count = CORDS_PER_ROUND + self.chance.choice(EXTRA[code])
            if 2 * LANES - len(before.cords) < count:
                return None
            more = self.weaving(player, count)
            return before.with_more(more.cords, more.crossings)
        if code == "wrong_lanes":
            lanes = self.chance.choice((LANES - 2, LANES + 2))
            more = self.weaving(player, lanes=min(lanes, LANES))
            return None if before.cords else Loom(lanes, more.cords, more.crossings)
        if code == "color_exhausted":
            return self._exhausting(player, before)
        if code in ("diagonal", "lane_occupied"):
            return self._disorderly(code, player, before)
        if not before.cords or (code == "crossing_flipped" and not before.crossings):
            return None
        if code == "crossing_flipped":
            move = self.weaving(player)
            flip = self.chance.choice(before.crossings)
            turned = replace(flip, top="h" if flip.top == "v" else "v")
            kept = tuple(crossing for crossing in before.crossings if crossing != flip)
            return Loom(LANES, (*before.cords, *move.cords), (*kept, turned, *move.crossings))
        return self._disturbed(code, player, before)

    def _exhausting(self, player: int, before: Loom) -> Loom | None:
        """A cord too many of a colour of which all were woven."""
        used = Counter(cord.color for each in self.game.state.looms for cord in each.cords)
        if used[self.favourite] < COPIES:
            return None
        move = self.weaving(player, avoid=self.favourite)
        cords = (replace(move.cords[0], color=self.favourite), *move.cords[1:])
        return before.with_more(cords, move.crossings)

    def _disorderly(self, code: str, player: int, before: Loom) -> Loom | None:
        """Three cords in lanes of their own, and one across the lanes or into a lane that is taken."""
        move = self.weaving(player, CORDS_PER_ROUND - 1)
        loom = before.with_more(move.cords, move.crossings)
        if code == "diagonal":
            free = [lane for lane in range(LANES) if ("v", lane) not in loom.by_place]
            pairs = [(a, b) for a in free for b in free if abs(a - b) >= STEEP]
            if not pairs:
                return None
            start, end = self.chance.choice(pairs)
            return loom.with_more([Cord("v", start, self.chance.choice(self.game.rules.names), end)], ())
        under = self.chance.choice(loom.cords)
        color = self.chance.choice([name for name in self.game.rules.names if name != under.color])
        return loom.with_more([replace(under, color=color)], ())

    def _disturbed(self, code: str, player: int, before: Loom) -> Loom | None:
        """Four cords as is right, and one of the earlier ones recoloured, removed or moved."""
        cord = self.chance.choice(before.cords)
        move = self.weaving(player, avoid=cord.color)
        loom = before.with_more(move.cords, move.crossings)
        rest = tuple(other for other in loom.cords if other != cord)
        if code == "cord_recolored":
            color = self.chance.choice([name for name in self.game.rules.names if name != cord.color])
            return Loom(LANES, (*rest, replace(cord, color=color)), loom.crossings)
        crossings = tuple(c for c in loom.crossings if (c.h if cord.axis == "h" else c.v) != cord.lane)
        if code == "cord_removed":
            return Loom(LANES, rest, crossings)
        taken = {other.place for other in loom.cords}
        free = [lane for lane in range(LANES) if (cord.axis, lane) not in taken]
        if not free:
            return None
        moved = replace(cord, lane=(lane := self.chance.choice(free)), to=lane)
        across = [other.lane for other in rest if other.axis != cord.axis]
        tops = [self.chance.choice(AXES) for _ in across]
        fresh = [
            Crossing(moved.lane, lane, top) if cord.axis == "h" else Crossing(lane, moved.lane, top)
            for lane, top in zip(across, tops, strict=True)
        ]
        return Loom(LANES, (*rest, moved), (*crossings, *fresh))


def _sprite(loom: Loom, style: LoomStyle) -> Sprite:
    """The loom drawn. Its facts are what eyes can tell: a lane's first cord, and beside it the `problems`."""
    lain = Counter(cord.place for cord in loom.cords if not cord.diagonal)
    cords: list[dict[str, Any]] = []
    for cord in loom.cords:
        if not cord.diagonal:
            side = 0.0 if lain[cord.place] == 1 else -BESIDE if cord == loom.by_place[cord.place] else BESIDE
            cords.append({**cord.to_json(), "offset": side} if side else cord.to_json())
    strays: list[dict[str, Any]] = [
        {"axis": c.axis, "from": c.lane, "to": c.to, "color": c.color} for c in loom.cords if c.diagonal
    ]
    facts = {**_facts(loom), "cords": cords, "strays": strays}
    sprite = loom_sprite(facts, style, PX_PER_MM)
    problems: list[dict[str, Any]] = [
        {
            "code": "doubled",
            "axis": axis,
            "lane": lane,
            "colors": [cord.color for cord in loom.cords if cord.place == (axis, lane)],
        }
        for (axis, lane), count in lain.items()
        if count > 1
    ]
    first, last = -style.end_at, loom.lanes - 1 + style.end_at
    for stray in strays:
        ends = {"from": [float(stray["from"]), first], "to": [float(stray["to"]), last]}
        problems.append({"code": "diagonal", **ends, "color": stray["color"]})
    seen = {**sprite.facts, "cords": [cord.to_json() for cord in loom.by_place.values()]}
    return replace(sprite, facts={**seen, "problems": problems} if problems else seen)


def _facts(loom: Loom) -> dict[str, Any]:
    facts = loom.to_json()
    return {key: facts[key] for key in ("lanes", "cords", "crossings")}


def play_trama(
    seed: int,
    *,
    players: int = 2,
    illegal: str | None = None,
    reserved: bool = False,
    short: bool = False,
    attempt: int = 0,
    size: tuple[int, int] = (1280, 720),
) -> Played:
    """Four rounds (a short game: two)."""
    rng = np.random.default_rng([seed, 35, attempt])
    table = _Table(rng, seed, players, reserved)
    rounds = 2 if short else ROUNDS
    if illegal == "color_exhausted":  # two players have woven all cords of a colour in the third round at the earliest
        rounds, table.favourite = max(rounds, 3), table.chance.choice(table.game.rules.names)
    # Another loom than the game's is seen when the first cords are woven on it.
    foul_round = 0 if illegal == "wrong_lanes" else int(rng.integers(1, rounds))
    culprit = int(rng.integers(players - 1 if illegal == "already_woven" else players))
    missing = illegal is not None
    for number in range(rounds):
        now = bool(illegal and missing and number >= foul_round)
        for player in range(players):
            if now and illegal and illegal not in ("already_woven", "wrong_phase") and player == culprit:
                missing = not table.foul(illegal, player)
            table.do(table.weaving(player))
            if now and illegal == "already_woven" and player == culprit:
                missing = not table.foul(illegal, player)
        if now and illegal == "wrong_phase":
            missing = not table.foul(illegal, culprit)
        for player in range(players):
            table.say(table.button(player))
    if missing:
        raise NotPossible(f"the game of seed {seed} has no place for {illegal}")
    setup = table.game.setup_json()
    return finish(rng, "trama", seed, setup, table.steps, seats=players, size=size, reserved=reserved)
