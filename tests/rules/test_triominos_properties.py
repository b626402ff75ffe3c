"""Random games of Triominos keep what every game must keep, and nonsense is refused politely."""

from random import Random

from properties import bad_inputs, game_properties, never_crashes

from rules.triominos import STANDARD, Cell, DeclareHand, Draw, Move, Pass, Place, Position, Rules, Triominos, parse_cell
from rules.triominos.tiles import checked_values


def public_game(rng: Random) -> Triominos:
    """Hidden hands, as a camera knows them; a low target keeps it short."""
    rules = Rules(
        two_sided_bridge=rng.random() < 0.5,
        blocked_tie=rng.choice(["share", "none"]),
        target=rng.choice([30, 90]),
        third_draw_ends=rng.random() < 0.3,
    )
    return Triominos(rng.randint(2, 4), rules)


def dealt_game(rng: Random) -> Triominos:
    """Open hands in the first two rounds, sometimes one of them hidden."""
    players = rng.randint(2, 4)
    size = 9 if players == 2 else 7
    deals = []
    for _ in range(2):
        tiles = rng.sample(STANDARD, size * players)
        deals.append([tiles[i * size : (i + 1) * size] for i in range(players)])
    if rng.random() < 0.5:
        deals[0][rng.randrange(players)] = None
    return Triominos(players, Rules(target=rng.choice([50, 150])), deals=deals)


def pieces(game: Triominos) -> int:
    """Tiles on the table, in the hands and in the stock."""
    state = game.state
    assert len(state.table) == len(state.placed)
    assert all(hand.unknown >= 0 for hand in state.hands)
    known = [t for hand in state.hands for t in hand.known]
    assert len({*known, *state.placed}) == len(known) + len(state.placed)
    return len(state.placed) + sum(hand.size for hand in state.hands) + state.stock


def strangers(game: Triominos, rng: Random) -> list[Move]:
    """Moves of every kind by anybody anywhere."""
    player = rng.randrange(game.players)
    found: list[Move] = [Pass(player), Draw(player), Draw(player, rng.choice(STANDARD)), DeclareHand(player, 40)]
    for _ in range(12):
        values = tuple(rng.randrange(6) for _ in range(3))
        cell = rng.choice([*game.state.table, Cell(0, 0, True)])
        near = Cell(cell.x + rng.randint(-1, 1), cell.y + rng.randint(-1, 1), rng.random() < 0.5)
        found.append(Place(rng.choice([player, game.turn or 0]), values, near))
    return [*found, Place(player, (0, 1, 2), None)]


def mostly_tiles(game: Triominos, legal: list[Move], rng: Random) -> Move:
    """Place where possible, else anything: a random player who drew as often as not would never end a round."""
    tiles = [move for move in legal if isinstance(move, Place)]
    return rng.choice(tiles if tiles and rng.random() < 0.93 else legal)


test_public_games = game_properties(
    public_game, pieces=pieces, strangers=strangers, choose=mostly_tiles, examples=8, check_each=30
)
test_dealt_games = game_properties(
    dealt_game, pieces=pieces, strangers=strangers, choose=mostly_tiles, examples=12, check_each=30
)


def test_nonsense_is_refused_as_rules_error() -> None:
    game = Triominos(2, Rules(two_sided_bridge=True, tiles=STANDARD[:30]), hands=[list(STANDARD[:9]), None])
    game.push(next(iter(game.legal_moves)))
    bad_inputs(game)
    for call in (
        parse_cell,
        checked_values,
        Triominos,
        Triominos.from_table,
        Rules.from_json,
        Rules,
        game.placements,
        game.compare_table,
        lambda v: Triominos(2, v),
        lambda v: Triominos(2, hands=v),
        lambda v: Triominos(2, hands=[v, v]),
        lambda v: Triominos(2, hands=[[v] * 9, None]),
        lambda v: Triominos(2, deals=v),
        lambda v: Rules(target=v),
        lambda v: Rules(blocked_tie=v),
        lambda v: Rules(two_sided_bridge=v),
        lambda v: Rules.from_json({"tiles": v}),
        lambda v: Place(0, v, None),
        lambda v: Place(0, (v, v, v), None),
        lambda v: Place(v, (0, 0, 0), None),
        lambda v: Place(0, (0, 0, 0), v),
        lambda v: Place(0, (0, 0, 0), (v, v, v)),
        lambda v: Draw(0, v),
        Draw,
        Pass,
        lambda v: DeclareHand(0, v),
        lambda v: Triominos.from_table([v]),
        lambda v: Triominos.from_table([("0-0-0", v)]),
        lambda v: Position([], v),
    ):
        never_crashes(call)
