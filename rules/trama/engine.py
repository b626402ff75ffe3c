"""Trama: four rounds of weaving and committing to patterns, all players at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, ClassVar, Self

from rules.game import Game, Json, NotationError, Outcome, ScoreLine, Violation, no_extra, require
from rules.trama import legality
from rules.trama.cards import Adjacent, CardSet, Interlaced, default_cards, parse_objective, parse_pattern
from rules.trama.draw import draw_state
from rules.trama.loom import AXES, Cord, Crossing, Loom
from rules.trama.moves import MAX_PLAYERS, Button, Move, Weave, parse_move
from rules.trama.rulebook import BUTTONS, COPIES, CORDS_PER_ROUND, ROUNDS, Rules
from rules.trama.score import score_loom
from rules.trama.state import State, Table, colors_spoken_for, draft_of, parse_drafts, start_state
from rules.trama.table import TableReading, read_table

#: How many adjacent and how many interlaced cards lie on the table.
ON_TABLE = 4


class Trama(Game[State, Move]):
    """A game for two to five. `adjacent`, `interlaced` and `objective` are cards, their JSON, or ids of `cards`
    (by default the set that comes with the program, of which the first ones are laid out).

    `drafts` is full knowledge: per round and player the four colours kept, or None where nobody told. Everybody plays
    at once, so `turn` is always None; `phase` says the round and what is done in it. `score()` is what the looms are
    worth as they lie, with the buttons placed so far.
    """

    name: ClassVar[str] = "trama"

    def __init__(
        self,
        players: int = 2,
        *,
        adjacent: Any = None,
        interlaced: Any = None,
        objective: Any = None,
        rules: Rules | None = None,
        cards: CardSet | None = None,
        drafts: Any = None,
    ) -> None:
        if type(players) is not int or not 2 <= players <= MAX_PLAYERS:
            raise NotationError(f"Trama is for 2 to {MAX_PLAYERS} players")
        if not isinstance(rules, Rules | None) or not isinstance(cards, CardSet | None):
            raise NotationError("rules must be Rules and cards a CardSet")
        self.rules = rules or Rules()
        box = cards or default_cards()
        if 2 * self.rules.lanes < ROUNDS * CORDS_PER_ROUND:
            raise NotationError(f"a game needs {ROUNDS * CORDS_PER_ROUND // 2} lanes per axis or more")
        if COPIES * len(self.rules.colors) < players * ROUNDS * CORDS_PER_ROUND:
            raise NotationError(f"{len(self.rules.colors)} colours are not enough cords for {players} players")
        self.table = self._lay_out(box, adjacent, interlaced, objective)
        self.drafts = parse_drafts(drafts, players, self.rules)
        self._players = players
        super().__init__(start_state(players, self.rules))

    def _lay_out(self, box: CardSet, adjacent: Any, interlaced: Any, objective: Any) -> Table:
        """The cards on the table, checked."""
        adjacent = box.adjacent[:ON_TABLE] if adjacent is None else adjacent
        interlaced = box.interlaced[:ON_TABLE] if interlaced is None else interlaced
        rows: list[list[Any]] = []
        for cards, kind in ((adjacent, Adjacent), (interlaced, Interlaced)):
            if not isinstance(cards, list | tuple) or len(cards) != ON_TABLE:
                raise NotationError(f"the table has {ON_TABLE} {kind.__name__.lower()} cards")
            row = [box.pattern(card) if isinstance(card, str) else parse_pattern(card) for card in cards]
            if not all(isinstance(card, kind) for card in row):
                raise NotationError(f"all four must be {kind.__name__.lower()} cards")
            rows.append(row)
        if objective is None:
            objective = next(iter(box.objectives), None)
        goal = box.objective(objective) if isinstance(objective, str) else parse_objective(objective)
        # Ids are what buttons name, so no two cards on the table may share one.
        CardSet(tuple(rows[0]), tuple(rows[1]), (goal,))
        for card in (*rows[0], *rows[1], *goal.patterns):
            for color in (card.a, card.b):
                if color not in self.rules.names:
                    raise NotationError(f"card {card.id!r} has a colour that is not in this game: {color!r}")
        return Table(tuple(rows[0]), tuple(rows[1]), goal)

    # -- facts about the position -----------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """How many weave."""
        return self._players

    @property
    def turn(self) -> int | None:
        """Always None: all play at once; see `phase`."""
        return None

    @property
    def phase(self) -> tuple[int, str]:
        """The round, 1 to 4, and `weave` or `button`; (4, `end`) when all is done."""
        return (min(self.state.round + 1, ROUNDS), self.state.phase)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The players who have not finished the present phase."""
        if self.state.over:
            return ()
        done = self.state.placed if self.state.phase == "button" else self.state.woven
        return tuple(player for player, finished in enumerate(done) if not finished)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """How many drafted cords each player has still to weave in this round (public knowledge)."""
        weaving = self.state.phase == "weave"
        return tuple(CORDS_PER_ROUND if weaving and not done else 0 for done in self.state.woven)

    def read_loom(self, player: int, loom: Any) -> tuple[Weave, list[Violation]]:
        """The move behind a loom as it looks now (a `Loom` or its label JSON), and everything wrong with it."""
        if type(player) is not int or not 0 <= player < self._players:
            raise NotationError(f"a player is a number from 0 to {self._players - 1}")
        seen = loom if isinstance(loom, Loom) else Loom.from_json(loom)
        return legality.reading(self.state, player, seen, self.rules, self.drafts)

    # -- the rules --------------------------------------------------------------------------------------------

    def _violations(self, state: State, move: Move) -> list[Violation]:
        return legality.violations(state, move, self.table, self.rules, self.drafts)

    def _after(self, state: State, move: Move) -> State:
        player = move.player
        if isinstance(move, Weave):
            loom = state.looms[player].with_more(move.cords, move.crossings)
            return replace(state, looms=_put(state.looms, player, loom), woven=_put(state.woven, player, True))
        buttons = _put(state.buttons, player, (*state.buttons[player], move.card))
        after = replace(state, buttons=buttons, placed=_put(state.placed, player, True))
        if not all(after.placed):
            return after
        nobody = (False,) * self._players
        return replace(after, round=state.round + 1, woven=nobody, placed=nobody)

    def _candidates(self, state: State) -> Iterator[Move]:
        if state.over:
            return
        if state.phase == "button":
            yield from self._button_candidates(state)
            return
        # Taking turns among the players keeps everybody's moves near the front of a very long list.
        streams = [self._weaves(state, player) for player, done in enumerate(state.woven) if not done]
        while streams:
            alive = []
            for stream in streams:
                move = next(stream, None)
                if move is not None:
                    yield move
                    alive.append(stream)
            streams = alive

    def _button_candidates(self, state: State) -> Iterator[Move]:
        patterns = self.table.patterns
        for player, done in enumerate(state.placed):
            if done:
                continue
            own = state.buttons[player]
            used = Counter(patterns[id].shape for id in own)
            for id, card in patterns.items():
                if id not in own and used[card.shape] < BUTTONS[card.shape]:
                    yield Button(player, card.shape, id)

    def _weaves(self, state: State, player: int) -> Iterator[Weave]:
        """Every way to weave four cords: lanes first, then colours, then what goes over what."""
        cords = state.looms[player].by_place
        free = [(axis, lane) for axis in AXES for lane in range(self.rules.lanes) if (axis, lane) not in cords]
        for places in combinations(free, CORDS_PER_ROUND):
            crossed = _new_crossings(set(cords), places)
            for colors in self._colorings(state, player):
                new = tuple(Cord(axis, lane, color) for (axis, lane), color in zip(places, colors, strict=True))
                for tops in product(AXES, repeat=len(crossed)):
                    crossings = (Crossing(h, v, top) for (h, v), top in zip(crossed, tops, strict=True))
                    yield Weave(player, new, tuple(crossings))

    def _colorings(self, state: State, player: int) -> Iterator[tuple[str, ...]]:
        """Every order of four colours that the player may have."""
        draft = draft_of(self.drafts, state.round, player)
        gone = colors_spoken_for(state, self.drafts, player)
        left = Counter(draft) if draft else Counter({color: COPIES - gone[color] for color in self.rules.names})
        for colors in product(sorted(left), repeat=CORDS_PER_ROUND):
            if all(count <= left[color] for color, count in Counter(colors).items()):
                yield colors

    def _lines(self, state: State) -> Sequence[ScoreLine]:
        patterns = self.table.patterns
        lines: list[ScoreLine] = []
        for player, loom in enumerate(state.looms):
            cards = [patterns[id] for id in state.buttons[player]]
            lines += score_loom(loom, cards, self.table.objective, self.rules, player=player).lines
        return lines

    def _outcome(self, state: State) -> Outcome | None:
        if not state.over:
            return None
        totals = [0] * self._players
        for line in self._lines(state):
            totals[line.player] += line.points
        winners = tuple(player for player, total in enumerate(totals) if total == max(totals))
        return Outcome(winners, tuple(totals), "four_rounds")

    # -- notation, set-up, pictures ---------------------------------------------------------------------------

    def format_move(self, move: Move) -> str:
        """`0 weave v0=rojo v3=azul h1=rojo h2=rosado h1v0=h …` or `1 button square e4`."""
        if not isinstance(move, Weave | Button):
            raise NotationError(f"not a move of Trama: {type(move).__name__}")
        return str(move)

    def parse_move(self, text: str) -> Move:
        """The move that `format_move` printed."""
        return parse_move(text)

    def setup_json(self) -> Json:
        """Players, rules, the cards on the table in full, and the drafts as far as they were supplied."""
        drafts = [[None if colors is None else list(colors) for colors in row] for row in self.drafts]
        return {
            "players": self._players,
            "rules": self.rules.to_json(),
            "adjacent": [card.to_json() for card in self.table.adjacent],
            "interlaced": [card.to_json() for card in self.table.interlaced],
            "objective": self.table.objective.to_json(),
            "drafts": drafts,
        }

    @classmethod
    def from_setup(cls, setup: Json) -> Self:
        """A fresh game from what `setup_json` gave; cards may also be ids of the default set."""
        players = require(setup, "players", int)
        keys = ("players", "rules", "adjacent", "interlaced", "objective", "drafts")
        no_extra(setup, (*keys, "game"), "a set-up of Trama")
        rules = Rules.from_json(setup.get("rules", {}))
        cards = {key: setup[key] for key in keys[2:] if key in setup}
        return cls(players, rules=rules, **cards)

    @classmethod
    def from_table(
        cls,
        looms: Any,
        *,
        buttons: Any = None,
        objective: Any = None,
        rules: Rules | None = None,
        cards: CardSet | None = None,
        rounds: int | None = None,
    ) -> TableReading:
        """What looms on the table say by themselves: see `rules.trama.table.read_table`."""
        return read_table(looms, buttons, objective, rules=rules, cards=cards, rounds=rounds)

    def draw(self, names: Sequence[str] = (), lang: str = "es") -> str:
        """The looms with their cords over and under, the cards and the buttons, as SVG."""
        totals = [score.total for score in self.score()]
        return draw_state(self.state, self.table, self.rules, totals, names, lang)


def _put(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _new_crossings(old: set[tuple[str, int]], new: Iterable[tuple[str, int]]) -> list[tuple[int, int]]:
    """The crossings (h, v) in which at least one of the new cords takes part."""
    fresh = set(new)
    places = old | fresh
    across = [(("h", h), ("v", v)) for axis, h in places if axis == "h" for other, v in places if other == "v"]
    return sorted((h[1], v[1]) for h, v in across if h in fresh or v in fresh)
