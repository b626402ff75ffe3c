"""Random games of Trichón keep what every game must keep, and nonsense is refused politely."""

from random import Random

from properties import bad_inputs, game_properties, never_crashes

from rules.trichon import Card, Play, Position, Rules, Trichon, parse_card, parse_cell
from rules.trichon.cards import ALL_CELLS, ALL_LINES, checked_card, checked_cell, checked_line, parse_play

DECK = [cell.label for cell in ALL_CELLS] + ["comodin"] * 2


def any_game(rng: Random) -> Trichon:
    """Hidden, half open or fully open cards, either player first, both options."""
    deck = rng.sample(DECK, 50)
    hands = rng.choice([None, [deck[:4], deck[4:8]], [deck[:4], None], [None, deck[4:8]]])
    stock = rng.choice([[], deck[8:], deck[8:20]]) if hands is not None else []
    return Trichon(rng.randint(0, 1), Rules(must_claim=rng.random() < 0.5), hands=hands, stock=stock)


def pieces(game: Trichon) -> int:
    """Cards in the pozo, in the hands and in the stock."""
    state = game.state
    assert len(state.marks) <= len(state.played) + state.jokers
    claimed = [cell for line in state.claims for cell in line]
    assert len(set(claimed)) == len(claimed)
    assert all(cell in state.marks for cell in claimed)
    assert all(hand.unknown >= 0 for hand in state.hands)
    return len(state.played) + state.jokers + sum(hand.size for hand in state.hands) + state.stock


def strangers(game: Trichon, rng: Random) -> list[Play]:
    """One to four cards, with or without lines, by anybody."""
    found = []
    for _ in range(25):
        line = rng.choice(ALL_LINES)
        near = rng.choice([ALL_CELLS, line])
        cards = [Card(rng.choice(near), rng.random() < 0.2) for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4]))]
        lines = rng.choice([(), (line,), (line,), (line, rng.choice(ALL_LINES)), (tuple(rng.sample(ALL_CELLS, 3)),)])
        found.append(Play(rng.randint(0, 1), tuple(cards), lines))
    return found


def long_games(game: Trichon, legal: list[Play], rng: Random) -> Play:
    """Claim often, and use several cards now and then."""
    claims = [move for move in legal if move.lines]
    return rng.choice(claims if claims and rng.random() < 0.3 else legal)


def full_form(game: Trichon, move: Play) -> Play:
    """A play that leaves out its only line means the same as one that names it."""
    return game.complete(move)


test_games = game_properties(
    any_game, pieces=pieces, strangers=strangers, choose=long_games, normal=full_form, examples=10, check_each=15
)


def test_nonsense_is_refused_as_rules_error() -> None:
    game = Trichon(1, Rules(must_claim=False), hands=[DECK[:4], DECK[-4:]], stock=DECK[10:20])
    game.push(next(iter(game.legal_moves)))
    bad_inputs(game)
    for call in (
        parse_cell,
        parse_card,
        parse_play,
        checked_cell,
        checked_card,
        checked_line,
        Trichon,
        Rules,
        Rules.from_json,
        Trichon.from_table,
        Position,
        game.lines_for,
        game.push,
        lambda v: Trichon(0, v),
        lambda v: Trichon(hands=v),
        lambda v: Trichon(hands=[v, v]),
        lambda v: Trichon(hands=[[v] * 4, None]),
        lambda v: Trichon(stock=v),
        lambda v: Trichon(stock=[v]),
        lambda v: Play(v, ("C7",)),
        lambda v: Play(0, v),
        lambda v: Play(0, (v,)),
        lambda v: Play(0, ((v, False),)),
        lambda v: Play(0, (((v, v), False),)),
        lambda v: Play(0, ("C7",), v),
        lambda v: Play(0, ("C7",), (v,)),
        lambda v: Play(0, ("C7",), ((v, v, v),)),
        lambda v: Position([v]),
        lambda v: Position([], [v]),
        lambda v: Position([], [(0, v)]),
        lambda v: Position([], [(v, "C1-C2-C3")]),
        lambda v: parse_play(f"A {v}"),
        lambda v: parse_play(f"A C7 ={v}"),
    ):
        never_crashes(call)
