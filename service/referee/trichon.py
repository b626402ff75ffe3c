"""Trichón: each new card on top of the pozo is a play; what a card cannot show (cell of a comodín, line) is asked for.

Only the top of the pile can be read, so the cards of a turn of several are remembered one by one in the log, as calls
`laid`, until the turn is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from rules.game import RulesError, Violation
from rules.trichon import Trichon
from rules.trichon.cards import (
    ALL_CELLS,
    ROWS,
    Card,
    Line,
    Play,
    checked_line,
    is_straight,
    line_text,
    parse_cell,
    parse_play,
)
from service.referee.base import (
    AnyGame,
    Context,
    Control,
    Illegal,
    Json,
    Mark,
    Option,
    Question,
    Referee,
    Seen,
    Verdict,
    Words,
    same_pose,
    size_of,
    unsure,
)
from service.referee.cards import SUIT_WORDS, SURE, card_words, which_card
from vision.state import Piece, TableState

JOKER = "comodin"
MOST = 3  # cards in one turn
LAID, UNMOVED = 0.012, 0.004  # of a card's size: as near as a careful hand lays cards, and as a card is read again


class TrichonReferee(Referee):
    """The engine's board is the board; the pencil is optional."""

    game = "trichon"

    def judge(self, game: AnyGame, table: TableState, context: Context) -> Verdict:
        """See `Referee.judge`."""
        engine = cast(Trichon, game)
        cards = [piece for piece in table.pieces if piece.kind == "card" and len(piece.corners) == 4]
        if engine.turn is None or not cards:
            return Verdict(marks=tuple(Mark(card, "accepted") for card in cards))
        laid = context.calls_of("laid")
        pending = [str(entry["card"]) for entry in laid]
        top = top_of(engine, cards, pending)
        expected = _expected(engine, pending)
        if top is None or self._same(top, expected, context, laid):
            return Verdict(marks=_marks(cards, {}))
        if unsure(top, context) or (top.confidence < SURE and top.alternatives and top.alternatives[0][0] in expected):
            return Verdict(question=which_card(top), marks=_marks(cards, {id(top): "unsure"}))
        below = _below_last(engine, pending) == top.label and _was_there(top, context)
        announced = top.label == JOKER and _named_cell(context, laid) is not None
        if top.label not in expected and below and not announced:
            return self._uncovered(engine, top, cards, _last(engine, pending))
        wrong = self._wrong_card(engine, top, pending)
        if wrong:
            if top.confidence < SURE and top.alternatives:
                return Verdict(question=which_card(top), marks=_marks(cards, {id(top): "unsure"}))
            found = Illegal(f"card:{top.label}:{engine.state.ply}:{len(pending)}", wrong, (top,), _text(engine, top))
            return Verdict(illegal=(found,), marks=_marks(cards, {id(top): "illegal"}))
        return self._new(engine, top, laid, context, cards)

    @staticmethod
    def _same(top: Piece, expected: set[str], context: Context, laid: Sequence[Json]) -> bool:
        """Whether nothing happened: the card that was laid last is on top.

        A doubtful reading where the last card lay is that card if the eyes think that possible, or if it lies there to
        the pixel: nobody lays a card so exactly on another. A comodín on a comodín looks the same; only what was said
        before tells that it is a new one.
        """
        last = [*context.shown, *laid][-1:]
        if top.confidence < SURE and last and "corners" in last[0]:
            possible = {name for name, _ in top.alternatives} & {last[0].get("label"), last[0].get("card")}
            if same_pose(top, last[0]["corners"], LAID if possible else UNMOVED):
                return True
        if top.label not in expected:
            return False
        return top.label != JOKER or _named_cell(context, laid) is None

    # -- one new card -----------------------------------------------------------------------------------------

    def _new(
        self, game: Trichon, top: Piece, laid: Sequence[Json], context: Context, cards: Sequence[Piece]
    ) -> Verdict:
        """A card that was not on the pozo before: a turn by itself, or one of the cards of a turn."""
        marks = _marks(cards, {id(top): "seen"})
        cell: str | None = None
        if top.label == JOKER:
            cell = _named_cell(context, laid)
            if cell is None:
                return Verdict(question=_which_cell(game, top, laid), marks=marks)
        corners = [[round(x, 1), round(y, 1)] for x, y in top.corners]
        entry = {"call": "laid", "card": top.label, "corners": corners} | ({} if cell is None else {"cell": cell})
        together = context.called("together")
        count = together.get("cards", 2) if together is not None else 1
        last = len(laid) + 1 >= count
        announced = cell is None and _named_cell(context, laid) is not None
        # A comodín was announced: a card that reads otherwise and is the last one, or not sure, is asked about.
        if announced and top.confidence < (1.0 if last else SURE):
            return Verdict(question=_is_joker(top), marks=_marks(cards, {id(top): "unsure"}))
        if not last:
            return Verdict(call=entry, marks=marks)
        return self._turn(game, [*laid, entry], top, context, cards)

    def _turn(
        self, game: Trichon, laid: Sequence[Json], top: Piece, context: Context, cards: Sequence[Piece]
    ) -> Verdict:
        player = game.turn
        assert player is not None
        played = tuple(_card(entry) for entry in laid)
        play = Play(player, played)
        same = context.called("same_turn") is not None and len(laid) == 1
        before = game.moves[-1] if same and game.moves else None
        trial = game
        if before is not None:  # the card belongs to the turn before, which is then corrected
            trial = _without_last(game)
            play = Play(before.player, (*before.cards, *played))
        said = context.called("line")
        if said is not None:
            play = replace(play, lines=(checked_line(str(said.get("line"))),))
        violations = trial.check(play)
        codes = {violation.code for violation in violations}
        if codes == {"line_not_named"}:
            question = _which_line(trial, play, top)
            return Verdict(question=question, marks=_marks(cards, {id(top): "seen"}))
        if violations and top.confidence < SURE and top.alternatives:
            return Verdict(question=which_card(top), marks=_marks(cards, {id(top): "unsure"}))
        if violations:
            flag = Illegal(f"play:{play}:{','.join(sorted(codes))}", tuple(violations), (top,), str(play))
            return Verdict(illegal=(flag,), marks=_marks(cards, {id(top): "illegal"}))
        move = Seen(str(trial.complete(play)), (top,), replaces=before is not None)
        return Verdict(move=move, marks=_marks(cards, {id(top): "accepted"}))

    @staticmethod
    def _wrong_card(game: Trichon, top: Piece, pending: Sequence[str]) -> tuple[Violation, ...]:
        """What is wrong with the card itself: played before, laid twice in this turn, a third comodín."""
        player = game.turn
        assert player is not None
        if top.label != JOKER:
            cell = parse_cell(top.label)
            codes = {"card_played", "card_repeated", "not_in_hand"}
            cards = (Card(cell), Card(cell)) if top.label in pending else (Card(cell),)
            found = game.check(Play(player, cards))
            return tuple(violation for violation in found if violation.code in codes)
        free = [cell for cell in ALL_CELLS if cell not in game.state.marks]
        jokers = tuple(Card(cell, True) for cell in free[: 1 + pending.count(JOKER)])
        found = game.check(Play(player, jokers)) if jokers else []
        return tuple(violation for violation in found if violation.code in ("too_many_jokers", "not_in_hand"))

    @staticmethod
    def _uncovered(game: Trichon, top: Piece, cards: Sequence[Piece], last: str | None) -> Verdict:
        """The card under the last one lies on top again: somebody took a card back."""
        es, en = card_words(last or "")
        wrong = Violation(
            "card_removed",
            f"Falta la última carta del pozo, el {es}: vuelve a su sitio, o deshaced la jugada.",
            f"The last card of the pozo is gone, the {en}: put it back, or undo the play.",
            {"card": last},
        )
        found = Illegal(f"card_removed:{last}:{game.state.ply}", (wrong,), (top,))
        return Verdict(illegal=(found,), marks=_marks(cards, {id(top): "illegal"}))

    # -- for the page -----------------------------------------------------------------------------------------

    def calls(self) -> frozenset[str]:
        """`together` with `cards`, `same_turn`, `wild` with a `cell`, `line` with a `line`, `laid` with a `card`."""
        return frozenset({"together", "same_turn", "wild", "line", "laid"})

    def check_call(self, game: AnyGame, call: Json) -> None:
        """Refuse what cannot be understood later."""
        name = call.get("call")
        if name == "together" and call.get("cards", 2) not in range(1, MOST + 1):
            raise RulesError("'cards' is 2 or 3")
        if name == "wild":
            parse_cell(call.get("cell"))
        if name == "line":
            checked_line(call.get("line"))
        if name == "laid" and call.get("card") != JOKER:
            parse_cell(call.get("card"))

    def controls(self, game: AnyGame, context: Context) -> list[Control]:
        """Several cards in a turn, and the cell of a comodín."""
        engine = cast(Trichon, game)
        if engine.turn is None:
            return []
        name = context.name(engine.turn)
        result = []
        for count in (2, 3):
            words = (f"{name} jugará {count} cartas", f"{name} will play {count} cards")
            result.append(Control(f"together{count}", "turn", words, {"call": "together", "cards": count}))
        if engine.moves:
            words = ("La próxima carta es del mismo turno", "The next card belongs to the same turn")
            result.append(Control("same_turn", "turn", words, {"call": "same_turn"}))
        free = [cell for cell in ALL_CELLS if cell not in engine.state.marks]
        named = [(str(cell), *card_words(cell.label)) for cell in free]
        choices = [{"value": value, "es": es, "en": en} for value, es, en in named]
        field: Json = {"name": "cell", "type": "choice", "choices": choices, "es": "carta", "en": "card"}
        words = ("El comodín es…", "The comodín is…")
        result.append(Control("wild", "wild", words, {"call": "wild", "cell": "{cell}"}, (field,)))
        return result

    def position(self, game: AnyGame) -> Json:
        """Board with who marked and who claimed, stock, cards to draw, last card."""
        engine = cast(Trichon, game)
        state = engine.state
        by = {card.cell: play.player for play in reversed(engine.moves) for card in play.cards}
        claimed = {cell: player for line, player in state.claims.items() for cell in line}
        board: list[list[Json | None]] = [[None] * 12 for _ in ROWS]
        for cell, wild in state.marks.items():
            mark = {"mark": by.get(cell), "line": claimed.get(cell), "wild": wild}
            board[cell.row][cell.column - 1] = mark
        drew = 3 if engine.moves and engine.moves[-1].lines else 1
        shown: Json = {"rows": [row.removesuffix("s") for row in ROWS], "board": board, "stock": state.stock}
        hands = [hand.size for hand in state.hands]
        return {**shown, "to_draw": drew if engine.turn is not None else 0, "hands": hands, "last": _last(engine, [])}

    def describe(self, game: AnyGame, text: str, player: int | None, context: Context) -> Words:
        """`Ana plays the 7 of cups and claims C5-C6-C7`."""
        play = parse_play(text)
        name = context.name(play.player)
        es, en = [], []
        for card in play.cards:
            word_es, word_en = card_words(card.cell.label)
            es.append(f"el comodín como {word_es}" if card.joker else f"el {word_es}")
            en.append(f"the comodín as {word_en}" if card.joker else f"the {word_en}")
        said_es, said_en = f"{name} juega {', '.join(es)}", f"{name} plays {', '.join(en)}"
        if play.lines:
            line_es, line_en = line_words(play.lines[0])
            return f"{said_es} y marca {line_es}", f"{said_en} and claims {line_en}"
        return said_es, said_en

    def cause(self, cause: str) -> Words:
        """`line C5-C6-C7` in words."""
        es, en = line_words(checked_line(cause.removeprefix("line ")))
        return f"juego: {es}", f"line: {en}"


def line_words(line: Line) -> Words:
    """`5, 6 y 7 de copas` along a row, `el 5 de espadas, copas y oros` down a column."""
    (a_es, a_en), (b_es, b_en), (c_es, c_en) = (SUIT_WORDS[cell.label.partition("-")[2]] for cell in line)
    a, b, c = (cell.column for cell in line)
    if not is_straight(line):
        es, en = zip(*(card_words(cell.label) for cell in line), strict=True)
        return ", ".join(es), ", ".join(en)
    if line[0].row == line[2].row:
        return f"{a}, {b} y {c} de {a_es}", f"{a}, {b} and {c} of {a_en}"
    return f"el {a} de {a_es}, {b_es} y {c_es}", f"the {a} of {a_en}, {b_en} and {c_en}"


def top_of(game: Trichon, cards: Sequence[Piece], pending: Sequence[str]) -> Piece | None:
    """The card on top of the pozo: the one that covers the others, which is the one seen whole.

    The eyes may still read a sliver of a card below. A card that has not been played before is on top in any case; of
    several, and of cards played before, the one that shows most of itself.
    """
    known = {*pending, *_expected(game, pending)}
    fresh = [card for card in cards if card.label == JOKER or parse_cell(card.label) not in game.state.played]
    fresh = [card for card in fresh if card.label not in known]
    ranked = sorted(fresh or cards, key=_shown, reverse=True)
    return ranked[0] if ranked else None


def _shown(card: Piece) -> float:
    """How much of a card is seen, roughly: its box against its size, then how sure its reading is."""
    side = max(size_of(card), 1.0)
    if card.box is None:
        return card.confidence
    x1, y1, x2, y2 = card.box
    return min((x2 - x1) * (y2 - y1) / side**2, 1.0) + card.confidence


def _expected(game: Trichon, pending: Sequence[str]) -> set[str]:
    """The labels that may be on top now if nothing happened: within one play the order of the cards is not known."""
    if pending:
        return {pending[-1]}
    return {_label(card) for play in game.moves[-1:] for card in play.cards}


def _last(game: Trichon, pending: Sequence[str]) -> str | None:
    """The label of a card that should be on top now."""
    return max(_expected(game, pending), default=None)


def _label(card: Card) -> str:
    return JOKER if card.joker else card.cell.label


def _below_last(game: Trichon, pending: Sequence[str]) -> str | None:
    """The card that lies under the one on top, where that is known: plays of several cards do not say their order."""
    if len(pending) > 1:
        return pending[-2]
    last_plays = game.moves[-1:] if pending else game.moves[-2:]
    if len(last_plays) < (1 if pending else 2) or any(len(play.cards) > 1 for play in last_plays):
        return None
    return _label(last_plays[0].cards[0])


def _was_there(top: Piece, context: Context) -> bool:
    """Whether a card lies where one of its label was seen before: then it was uncovered, not laid again."""
    places = [piece["corners"] for piece in context.shown if piece.get("label") == top.label and "corners" in piece]
    return not places or any(same_pose(top, corners) for corners in places)


def _named_cell(context: Context, laid: Sequence[Json]) -> str | None:
    """The cell said for a comodín that has not been used for one of this turn's cards."""
    said = [str(call["cell"]) for call in context.calls if call.get("call") == "wild" and "cell" in call]
    used = [str(entry["cell"]) for entry in laid if "cell" in entry]
    return next((cell for cell in reversed(said) if cell not in used), None)


def _card(entry: Json) -> Card:
    if "cell" in entry:
        return Card(parse_cell(entry["cell"]), True)
    return Card(parse_cell(entry["card"]))


def _text(game: Trichon, top: Piece) -> str | None:
    return None if top.label == JOKER or game.turn is None else str(Play(game.turn, (Card(parse_cell(top.label)),)))


def _without_last(game: Trichon) -> Trichon:
    copy = Trichon.from_setup(game.setup_json())
    for move in game.moves[:-1]:
        copy.push(move)
    return copy


def _which_line(game: Trichon, play: Play, top: Piece) -> Question:
    options = []
    for line in game.lines_for(play.cards):
        options.append(Option(line_words(line), line_text(line), None, str(replace(play, lines=(line,)))))
    words = ("¿Qué juego se marca?", "Which line is claimed?")
    return Question(f"line:{play}", "line", words, tuple(options), top)


def _which_cell(game: Trichon, top: Piece, laid: Sequence[Json]) -> Question:
    """Every unmarked cell; those that complete a line come first."""
    free = [cell for cell in ALL_CELLS if cell not in game.state.marks]
    free.sort(key=lambda cell: -len(game.lines_for((Card(cell, True),))))
    options = tuple(Option(card_words(cell.label), str(cell), None) for cell in free)
    calls: list[Any] = [{"call": "wild", "cell": str(cell)} for cell in free]
    options = tuple(replace(option, call=call) for option, call in zip(options, calls, strict=True))
    words = ("¿Qué carta es el comodín?", "Which card is the comodín?")
    return Question(f"cell:{game.state.ply}:{len(laid)}", "cell", words, options, top)


def _is_joker(top: Piece) -> Question:
    """A comodín was said, something else is read: which of the two is it?"""
    others = ((JOKER, max(0.0, 1 - top.confidence)), *(entry for entry in top.alternatives if entry[0] != JOKER))
    return which_card(replace(top, alternatives=others))


def _marks(cards: Sequence[Piece], status: dict[int, str]) -> tuple[Mark, ...]:
    return tuple(Mark(card, status.get(id(card), "accepted")) for card in cards)
