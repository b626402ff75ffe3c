"""The referees of the card games on tables made by hand: zones, orders of play, doubts, turns of several cards."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from datasets.played import play
from datasets.played.model import film
from datasets.played.truco import COVERS, slot
from datasets.simcam import Film
from service.follow import follow
from service.match import Match
from service.referee.zones import seat_of_card
from service.walk import TrueEyes, walk
from vision.state import Piece, TableState

Make = Callable[..., Match]
SIZE = (1280, 720)
W, H = 100.0, 150.0


def card(label: str, x: float, y: float, confidence: float = 0.98, others: Sequence[tuple[str, float]] = ()) -> Piece:
    """A card lying upright with its middle at (x, y)."""
    corners = ((x - W / 2, y - H / 2), (x + W / 2, y - H / 2), (x + W / 2, y + H / 2), (x - W / 2, y + H / 2))
    box = (x - W / 2, y - H / 2, x + W / 2, y + H / 2)
    return Piece("card", label, corners, confidence, tuple(others), box)


def table(*cards: Piece) -> TableState:
    return TableState(0.0, cards, SIZE)


def moves(match: Match) -> list[str]:
    return [entry.text for entry in match.position.entries]


def codes(match: Match) -> set[str]:
    return {v["code"] for flag in match.position.illegal.values() for v in flag["violations"]}


class TestZones:
    """Four players, and a camera that hangs askew: the lines between the zones run across the outer cards."""

    @pytest.mark.parametrize("askew", [0.0, 4.0, -8.0, 10.0])
    def test_every_card_is_its_players(self, askew: float) -> None:
        for seed in range(40):
            rng = np.random.default_rng(seed)
            camera, _ = film(rng, COVERS[4], SIZE, reserved=True, centred=True)
            camera = replace(camera, azimuth=90 + askew).fitted(COVERS[4], 1.04)
            for seat in range(4):
                for number in range(3):
                    x, y, turn = slot(seat, 4, number)
                    a = math.radians(turn + rng.normal(0, 4))
                    turned = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
                    flat = np.array([[-28, -44], [28, -44], [28, 44], [-28, 44]]) @ turned.T + [x, y]
                    seen = camera.project([(float(u), float(v), 0.0) for u, v in flat])
                    corners = tuple((float(u), float(v)) for u, v in seen)
                    assert seat_of_card(Piece("card", "1-oros", corners, 0.9), SIZE, 4, {}) == seat

    def test_a_card_far_from_the_line_is_its_zones_however_it_is_turned(self) -> None:
        upright = card("1-oros", 1100, 360)
        assert seat_of_card(upright, SIZE, 4, {}) == 1

    def test_a_game_before_a_camera_8_degrees_askew(self) -> None:
        played = play("truco", 1_167_801, illegal="hand_void", short=True, size=(640, 360))
        film_ = Film(played)
        found = walk(film_, eyes=TrueEyes(film_), hands=False)
        assert found.exact
        assert found.caught
        assert not found.false_alarms


class TestTruco:
    """Player 0 below, player 1 above; player 0 deals, so player 1 leads."""

    def test_a_hand_by_zones_and_a_cleared_table(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        lead = card("7-oros", 300, 200)
        follow(match, table(lead))
        answer = card("3-copas", 300, 520)
        follow(match, table(answer, lead))
        second = [card("12-bastos", 500, 520), card("4-oros", 500, 200)]
        follow(match, table(*second, answer, lead))
        assert moves(match) == ["1 7-oros", "0 3-copas", "0 12-bastos", "1 4-oros"]
        assert match.game.tally()[0].tantos == 1
        assert match.instruction is None or match.instruction.code == "clear"
        follow(match, table(lead, answer))
        assert len(moves(match)) == 4
        follow(match, table())
        assert moves(match)[-1] == "deal"
        assert match.game.state.dealer == 1

    def test_a_new_deal_begun_before_the_camera_saw_the_empty_table(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        match.play("1 7-oros")
        match.play("0 3-copas")
        match.play("0 me-voy")
        follow(match, table(card("6-espadas", 300, 520)))
        assert moves(match)[-2:] == ["deal", "0 6-espadas"]

    def test_out_of_turn_and_foreign_cards_are_flagged_and_wait(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        early = card("3-copas", 300, 520)
        follow(match, table(early))
        assert codes(match) == {"out_of_turn"}
        assert moves(match) == []
        follow(match, table())
        assert codes(match) == set()
        follow(match, table(card("8-oros", 300, 200)))
        assert codes(match) == {"rank_not_used"}

    def test_a_card_taken_back_is_told(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        one, two = card("7-oros", 300, 200), card("3-copas", 300, 520)
        follow(match, table(one))
        follow(match, table(one, two))
        follow(match, table(two))
        assert codes(match) == {"card_removed"}
        follow(match, table(one, two))
        assert codes(match) == set()

    def test_a_doubtful_card_is_asked_for_and_never_guessed(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        seen = card("7-copas", 300, 200, 0.55, [("1-copas", 0.4)])
        follow(match, table(seen))
        assert moves(match) == []
        ((name, asked),) = match.position.questions.items()
        assert asked["en"] == "7 of cups or 1 of cups?"
        match.answer(name, "b")
        follow(match, table(seen))
        assert moves(match) == ["1 1-copas"]
        follow(match, table(seen))
        assert moves(match) == ["1 1-copas"]

    @pytest.mark.parametrize(
        ("others", "words"),
        [([("1-copas", 0.02)], "7 of cups or 1 of cups?"), ([], "7 of cups?")],
        ids=["with a second thought", "with none"],
    )
    def test_a_card_of_another_deck_is_asked_for_however_surely_it_reads(
        self, new_match: Make, others: list[tuple[str, float]], words: str
    ) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        seen = replace(card("7-copas", 300, 200, 0.97, others), facts={"unknown": True})
        follow(match, table(seen))
        assert moves(match) == []
        ((name, asked),) = match.position.questions.items()
        assert asked["en"] == f"Not a card of your deck? {words}"
        match.answer(name, "a")
        follow(match, table(seen))
        follow(match, table(seen))
        assert moves(match) == ["1 7-copas"]

    def test_an_illegal_but_doubtful_reading_is_a_question_not_an_accusation(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        follow(match, table(card("9-bastos", 300, 200, 0.7, [("11-bastos", 0.25)])))
        assert codes(match) == set()
        assert len(match.position.questions) == 1

    def test_a_played_card_that_reads_otherwise_for_a_moment_is_still_the_same(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        follow(match, table(card("7-copas", 300, 200)))
        follow(match, table(card("7-oros", 300, 200, 0.9, [("7-copas", 0.08)])))
        assert codes(match) == set()
        assert moves(match) == ["1 7-copas"]

    def test_four_players_sit_around(self, new_match: Make) -> None:
        match = new_match("truco", ["A", "B", "C", "D"])
        follow(match, table(card("7-copas", 1150, 360), card("5-oros", 130, 360)))
        assert sorted(moves(match)) == ["1 7-copas", "3 5-oros"]
        follow(match, table(card("7-copas", 1150, 360), card("5-oros", 130, 360), card("1-oros", 640, 620)))
        assert moves(match)[-1] == "0 1-oros"

    def test_calibrated_corners_decide_the_zones(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        match.calibrate({"corners": [[0, 400], [1280, 400], [1280, 720], [0, 720]]})
        follow(match, table(card("7-copas", 300, 480)))
        assert moves(match) == ["1 7-copas"]

    def test_the_page_gets_bids_coins_and_boards(self, new_match: Make) -> None:
        match = new_match("truco", ["Ana", "Luis"])
        match.play("1 truco")
        state = match.state()
        assert {c["action"]["move"] for c in state["controls"]} == {"0 quiero", "0 no-quiero", "0 retruco"}
        assert state["position"]["boards"][0]["pending"] == {"bid": "truco", "by": 1}
        assert state["moves"][0]["en"] == "Luis: Truco!"
        match.play("0 no-quiero")
        assert match.state()["score"][1]["lines"][0]["en"] == "Truco refused"


class TestTrichon:
    """One pozo; player A starts."""

    def test_each_new_top_card_is_a_turn(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        follow(match, table(card("7-copas", 640, 360)))
        follow(match, table(card("7-copas", 640, 360)))
        follow(match, table(card("1-oros", 642, 361)))
        assert moves(match) == ["A C7", "B O1"]

    def test_a_card_laid_exactly_on_the_last_one_is_a_new_one(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        follow(match, table(card("10-bastos", 640, 360)))
        follow(match, table(card("11-bastos", 640.9, 360.9, 0.84, [("11-copas", 0.15)])))
        assert moves(match) == ["A B10", "B B11"]
        # Read otherwise for a moment, it is the same card: where the eyes think that possible, or to the pixel.
        follow(match, table(card("12-bastos", 640.1, 360.1, 0.7, [("11-bastos", 0.2)])))
        follow(match, table(card("12-bastos", 640.8, 360.8, 0.7, [("2-oros", 0.2)])))
        assert moves(match) == ["A B10", "B B11"]

    def test_an_answer_is_not_kept_for_the_next_card_at_its_place(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        follow(match, table(card("9-oros", 640, 360, 0.5, [("4-bastos", 0.42)])))
        ((name, _),) = match.position.questions.items()
        match.answer(name, "b")
        follow(match, table(card("9-oros", 640, 360, 0.5, [("4-bastos", 0.42)])))
        follow(match, table(card("1-copas", 638, 358)))
        follow(match, table(card("9-oros", 640.5, 360.5, 0.99)))
        assert moves(match) == ["A B4", "B C1", "A O9"]
        assert not match.position.illegal

    def test_several_cards_said_before(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        match.play("A C5")
        match.call({"call": "together", "cards": 2})
        follow(match, table(card("6-copas", 640, 360)))
        assert len(moves(match)) == 1
        follow(match, table(card("7-copas", 640, 360)))
        assert moves(match)[-1] == "B C6 C7 =C5-C6-C7"

    def test_a_card_that_belongs_to_the_turn_before_corrects_it(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        match.play("A C5")
        follow(match, table(card("6-copas", 640, 360)))
        match.call({"call": "same_turn"})
        follow(match, table(card("7-copas", 640, 360)))
        assert moves(match) == ["A C5", "B C6 C7 =C5-C6-C7"]
        assert [score.total for score in match.game.score()] == [0, 1]
        match.undo()
        assert moves(match) == ["A C5", "B C6"]

    def test_cards_that_form_no_line_together_are_flagged(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        match.call({"call": "together", "cards": 2})
        follow(match, table(card("6-copas", 640, 360)))
        follow(match, table(card("1-oros", 640, 360)))
        assert codes(match) == {"cards_not_in_line"}
        assert moves(match) == []

    def test_the_cell_of_a_comodin_is_asked_for(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        follow(match, table(card("comodin", 640, 360)))
        ((name, asked),) = match.position.questions.items()
        assert asked["kind"] == "cell"
        assert len(asked["options"]) == 48
        wanted = next(option["id"] for option in asked["options"] if option["label"] == "O10")
        match.answer(name, wanted)
        follow(match, table(card("comodin", 640, 360)))
        assert moves(match) == ["A *O10"]
        follow(match, table(card("comodin", 640, 360)))
        assert moves(match) == ["A *O10"]

    def test_the_player_chooses_between_lines(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        for text in ("A C5", "B C6", "A E7", "B O7"):
            match.play(text)
        follow(match, table(card("7-copas", 640, 360)))
        ((name, asked),) = match.position.questions.items()
        assert {option["label"] for option in asked["options"]} == {"C5-C6-C7", "E7-C7-O7"}
        match.answer(name, "a")
        assert moves(match)[-1].endswith("=" + asked["options"][0]["label"])

    def test_a_card_played_before_is_flagged(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        for text in ("A C5", "B C6", "A E9"):
            match.play(text)
        follow(match, table(card("5-copas", 640, 360)))
        assert codes(match) == {"card_played"}
        follow(match, table(card("9-espadas", 640, 360)))
        assert codes(match) == set()

    def test_a_sliver_of_a_card_below_changes_nothing(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        follow(match, table(card("7-copas", 640, 360)))
        sliver = Piece("card", "7-copas", card("7-copas", 636, 356).corners, 0.6, (), (586.0, 281.0, 600.0, 420.0))
        follow(match, table(sliver, card("1-oros", 642, 361)))
        follow(match, table(card("1-oros", 642, 361), sliver))
        assert moves(match) == ["A C7", "B O1"]
        assert codes(match) == set()

    def test_an_announced_comodin_that_reads_otherwise_is_asked_about(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        match.call({"call": "wild", "cell": "O5"})
        seen = card("1-copas", 640, 360, 0.9, [("10-espadas", 0.07)])
        follow(match, table(seen))
        assert moves(match) == []
        ((name, asked),) = match.position.questions.items()
        wanted = next(option["id"] for option in asked["options"] if option["label"] == "comodin")
        match.answer(name, wanted)
        follow(match, table(seen))
        assert moves(match) == ["A *O5"]

    def test_a_doubtful_card_that_forms_no_line_is_asked_about(self, new_match: Make) -> None:
        match = new_match("trichon", ["Ana", "Luis"])
        match.play("A C5")
        match.call({"call": "together", "cards": 2})
        follow(match, table(card("6-copas", 640, 360)))
        follow(match, table(card("7-oros", 646, 367, 0.7, [("7-copas", 0.25)])))
        assert codes(match) == set()
        assert len(match.position.questions) == 1
