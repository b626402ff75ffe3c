"""The options, the seats and the position of a game of Tronix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rules.game import Json, NotationError, RulesError, ScoreLine, no_extra, require
from rules.tronix.circuits import Walk
from rules.tronix.deck import COLORS, Cell, Face

Mark = tuple[int, int]  # who laid a card (a seat, or one of the two below) and its possible designs, as a set of bits
UNKNOWN = -1  # somebody, from the deck
UNTRACKED = -2  # it was on a table that this deck cannot have laid


@dataclass(frozen=True, slots=True)
class Rules:
    """What a table may agree on.

    `all_circuits`: a move that closes several circuits scores all of them; else only the one that is best for the
    player who moved. `god_islands`: a move in god mode may cut a group of cards in two.
    """

    all_circuits: bool = True
    god_islands: bool = True

    def __post_init__(self) -> None:
        for option in fields(self):
            if type(getattr(self, option.name)) is not bool:
                raise NotationError(f"{option.name!r} is true or false")

    def to_json(self) -> Json:
        """A plain dictionary."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    @classmethod
    def from_json(cls, data: Any) -> Rules:
        """The rules that `to_json` gave; options that are left out keep their defaults."""
        names = [option.name for option in fields(cls)]
        given = {name: require(data, name, bool) for name in names if isinstance(data, Mapping) and name in data}
        if not isinstance(data, Mapping):
            raise NotationError(f"rules are an object, not {type(data).__name__}")
        no_extra(data, names, "Tronix")
        return cls(**given)


@dataclass(frozen=True, slots=True)
class State:
    """A position. `table` is what lies there after circuits were taken; `lifted` what the last move took off it."""

    table: Mapping[Cell, Face]
    marks: Mapping[Cell, Mark]
    #: How many cards with each mark have been laid so far, taken ones included.
    laid: Mapping[Mark, int]
    hands: tuple[int, ...]
    #: Whose turn it is; None once it is over, and before the opening card where nobody was named to lay it.
    turn: int | None
    #: How many cards the player may still play in this turn.
    left: int
    #: Who made the last move.
    acted: int | None = None
    #: Where the card lies that was moved last in god mode.
    last_moved: Cell | None = None
    lines: tuple[ScoreLine, ...] = ()
    #: The circuits and TRONIX lines that the last move scored.
    scored: tuple[Walk, ...] = ()
    lifted: Mapping[Cell, Face] = field(default_factory=dict)
    discarded: int = 0
    ply: int = 0
    #: Why the game is over: empty, singularity, tronix, blocked.
    ended: str | None = None

    @property
    def god(self) -> bool:
        """Whether all hands are empty, so that cards are moved instead of placed."""
        return not any(self.hands)

    @property
    def phase(self) -> str:
        """`place` or `god`."""
        return "god" if self.god else "place"


def default_seating(players: int) -> tuple[str, ...]:
    """Two of a team together where the number allows: green green pink pink …; what is left over alternates."""
    if players == 2:
        return COLORS
    seats = [COLORS[seat // 2 % 2] for seat in range(players - players % 4)]
    return (*seats, *COLORS[: players % 4])


def checked_teams(players: Any, teams: Any) -> tuple[str, ...]:
    """The declared seating, or the default one; two equal teams of 1 to 8."""
    if type(players) is not int or not 2 <= players <= 16 or players % 2:
        raise RulesError(f"Tronix is for 2 to 16 players, an even number, not {str(players)[:20]}")
    if teams is None:
        return default_seating(players)
    if not isinstance(teams, list | tuple) or len(teams) != players:
        raise RulesError(f"'teams' names the team of each of the {players} seats")
    if any(not isinstance(team, str) or team not in COLORS for team in teams):
        raise RulesError("a team is green or pink")
    if teams.count("green") * 2 != players:
        raise RulesError("the two teams have equally many players")
    return tuple(teams)


def checked_sizes(players: int, sizes: Any, most: int) -> tuple[int, ...]:
    """Declared hand sizes: one for each seat, together no more than the deck has."""
    if not isinstance(sizes, list | tuple) or len(sizes) != players:
        raise RulesError(f"'hand_sizes' has one number for each of the {players} seats")
    if any(type(size) is not int or size < 0 for size in sizes):
        raise RulesError("a hand has a whole number of cards")
    if sum(sizes) > most:
        raise RulesError(f"the hands have {str(sum(sizes))[:20]} cards, but only {most} are left for them")
    return tuple(sizes)


def checked_hands(players: int, hands: Any, known: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Supplied hands: for each seat the ids of its cards' designs."""
    if not isinstance(hands, list | tuple) or len(hands) != players:
        raise RulesError(f"'hands' has one list of cards for each of the {players} seats")
    result = []
    for hand in hands:
        if not isinstance(hand, list | tuple) or any(not isinstance(card, str) for card in hand):
            raise RulesError("a hand is a list of card ids")
        for card in hand:
            if card not in known:
                raise RulesError(f"the deck has no card {card[:40]!r}")
        result.append(tuple(sorted(hand)))
    return tuple(result)


def count(hands: Sequence[str], index: Mapping[str, int]) -> tuple[int, ...]:
    """How many cards of each design are in a hand, in the order of the deck."""
    result = [0] * len(index)
    for card in hands:
        result[index[card]] += 1
    return tuple(result)
