"""What a taught deck's pictures say about the cards on a table: which one each is, and whether it is the deck's own."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from datasets.art.cards import STYLES, card_sprite
from vision.cards.decide import Candidate
from vision.cards.faces import Face
from vision.cards.gallery import ALIKE, Gallery, deck_on_table
from vision.cards.geometry import MARGIN, PATCH, flat_frame
from vision.cards.labels import FACES, LABELS
from vision.cards.likeness import likeness, traits
from vision.cards.reader import as_piece
from vision.cards.taught import judged

CARDS = FACES[:20]
SIZE = (1280, 720)
QUAD = np.array([[600, 300], [680, 300], [680, 420], [600, 420]], float)


def flat(
    label: str, style: str, seed: int = 0, *, wrong: float = 0.01, table: int = 70, light: float = 1.0
) -> np.ndarray:
    """A drawn card as the reader cuts it, with corners that are off by a fraction `wrong` of its size."""
    art = card_sprite(label, STYLES[style], 2.0).image
    paper = np.array([240, 244, 246], np.uint8)
    colours = np.where(art[..., 3:] > 127, art[..., :3], paper)
    rng = np.random.default_rng(seed)
    height, width = colours.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    goal = flat_frame(PATCH, MARGIN) + rng.normal(0, wrong, (4, 2)) * PATCH
    matrix = cv2.getPerspectiveTransform(source, goal.astype(np.float32))
    canvas = np.full((PATCH[1], PATCH[0], 3), table, np.uint8)
    inside = cv2.warpPerspective(np.full((height, width), 255, np.uint8), matrix, PATCH)
    seen = cv2.warpPerspective(colours, matrix, PATCH)
    canvas[inside > 127] = seen[inside > 127]
    return np.clip(canvas * light + rng.normal(0, 4, canvas.shape), 0, 255).astype(np.uint8)


@cache
def taught(style: str = "test-mesón") -> Gallery:
    made = Gallery(style, "1")
    for number, label in enumerate(CARDS):
        made = made.with_card(label, np.eye(64)[number], flat(label, style, number))
    return made


def alike(label: str, picture: np.ndarray) -> float:
    value = taught().likeness(label, picture)
    assert value is not None
    return value


def candidate(*readings: tuple[str, float], quad: np.ndarray = QUAD, unknown: bool = False) -> Candidate:
    box = tuple(float(v) for v in (*quad.min(0), *quad.max(0)))
    return Candidate((box[0], box[1], box[2], box[3]), quad, readings, 0.9, unknown=unknown)


class TestLikeness:
    @pytest.mark.parametrize(
        "how",
        [{}, {"wrong": 0.015}, {"table": 235}, {"table": 5}, {"light": 0.5}, {"light": 1.15, "table": 200}],
        ids=["as taught", "badly cut", "white table", "black table", "dim", "too bright"],
    )
    def test_a_decks_own_cards_are_alike_however_they_were_seen(self, how: dict[str, float]) -> None:
        own = [alike(label, flat(label, "test-mesón", 700 + n, **how)) for n, label in enumerate(CARDS)]  # type: ignore[arg-type]
        assert sum(value >= ALIKE for value in own) >= 19, sorted(own)[:3]

    def test_another_decks_cards_are_not(self) -> None:
        other = [alike(label, flat(label, "plana", n)) for n, label in enumerate(CARDS)]
        assert sum(value >= ALIKE for value in other) <= 1, sorted(other)[-3:]

    def test_nor_are_other_cards_of_the_deck(self) -> None:
        other = [alike(CARDS[n - 7], flat(label, "test-mesón", n)) for n, label in enumerate(CARDS)]
        assert sum(value >= ALIKE for value in other) <= 1, sorted(other)[-3:]

    def test_a_card_upside_down_is_the_same_card(self) -> None:
        assert alike("7-oros", flat("7-oros", "test-mesón", 1)[::-1, ::-1]) >= ALIKE

    def test_a_card_out_of_focus_is_the_same_card(self) -> None:
        assert alike("11-oros", cv2.GaussianBlur(flat("11-oros", "test-mesón", 1), (0, 0), 2.5)) >= ALIKE

    def test_nothing_is_like_anything(self) -> None:
        blank = traits(np.full((192, 128, 3), 200, np.uint8))
        assert likeness(blank, blank) < ALIKE
        assert taught().likeness("12-bastos", flat("12-bastos", "test-mesón")) is None, "there is no picture of it"


class TestJudged:
    def test_the_pictures_correct_what_the_networks_read(self) -> None:
        seen = flat("6-oros", "test-mesón", 3)
        told = judged(candidate(("7-oros", 0.6), ("6-oros", 0.3)), seen, taught(), (), SIZE)
        assert (told.label, told.unknown) == ("6-oros", False)
        assert told.confidence > 0.9
        assert sum(p for _, p in told.readings) == pytest.approx(1)

    def test_a_sure_reading_that_the_pictures_contradict_is_looked_at_again(self) -> None:
        seen = flat("2-copas", "test-mesón", 3)
        told = judged(candidate(("7-oros", 0.98), ("2-copas", 0.015)), seen, taught(), (), SIZE)
        assert (told.label, told.unknown) == ("2-copas", False)

    def test_a_card_of_another_deck_is_unknown_however_surely_it_reads(self) -> None:
        told = judged(candidate(("4-oros", 0.995), ("5-oros", 0.004)), flat("4-oros", "plana"), taught(), (), SIZE)
        assert told.unknown
        assert told.label == "4-oros", "what it seems to be is still said"
        piece = as_piece(told)
        assert piece.facts == {"unknown": True}
        assert [label for label, _ in piece.alternatives] == ["5-oros"], "there must be something to choose from"

    def test_an_own_card_that_the_embedding_does_not_know_is_known_by_its_picture(self) -> None:
        doubted = candidate(("3-oros", 0.99), unknown=True)
        assert not judged(doubted, flat("3-oros", "test-mesón", 5), taught(), (), SIZE).unknown

    def test_a_covered_card_is_left_as_it_was_read(self) -> None:
        seen = candidate(("4-oros", 0.995), ("5-oros", 0.004))
        over = candidate(("1-oros", 0.9), quad=QUAD + np.array([40, 30]))
        assert judged(seen, flat("4-oros", "plana"), taught(), (seen, over), SIZE) is seen

    def test_a_card_that_is_cut_off_by_the_picture_is_left_as_it_was_read(self) -> None:
        seen = candidate(("4-oros", 0.995), ("5-oros", 0.004), quad=QUAD + np.array([640, 0]))
        assert judged(seen, flat("4-oros", "plana"), taught(), (), SIZE) is seen

    @pytest.mark.parametrize("second", ["11-bastos", "7-oros"], ids=["like the other one", "though the other one was"])
    def test_a_card_that_was_not_taught_yet_stays(self, second: str) -> None:
        seen = candidate(("12-bastos", 0.9), (second, 0.05))
        assert judged(seen, flat("12-bastos", "test-mesón"), taught(), (), SIZE) is seen

    def test_the_right_reading_is_found_far_down_the_list(self) -> None:
        wrong = [(label, 0.1) for label in CARDS[:9]]
        told = judged(candidate(*wrong, ("7-copas", 0.05)), flat("7-copas", "test-mesón", 4), taught(), (), SIZE)
        assert (told.label, told.unknown) == ("7-copas", False)


def test_of_two_decks_with_the_same_faces_the_pictures_tell_which_lies_there() -> None:
    galleries = [taught("plana"), taught("test-mesón")]
    numbers = (3, 6, 11)
    faces = [Face(np.eye(len(LABELS))[n] * 9, np.eye(64)[n], 0.0) for n in numbers]
    for mine in galleries:
        flats = [flat(CARDS[n], mine.name, 40 + n) for n in numbers]
        assert deck_on_table(faces, galleries, flats) is mine
