"""The demonstration: its games come to an end, its players behave, its page keeps up, and a doubt is a real doubt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from datasets.played import play
from datasets.scene import label_stage
from datasets.simcam import Film
from service.demo import NAMES, DemoCamera, stage_game
from service.desk import Desk
from service.games import GAMES
from service.settings import Settings
from service.smear import Rehearsal, Smear, ladders, right_answer, same_move
from vision.state import Piece, TableState

Make = Callable[..., Any]


class KnowingEyes:
    """Eyes that know the film but really look at the pixels: a piece that is blurred they are not sure of."""

    def __init__(self, film: Film, step: Callable[[], int]) -> None:
        self.film, self.step = film, step
        self._sharp: dict[tuple[int, int, int], float] = {}

    def read(self, image: np.ndarray, time: float = 0.0) -> TableState:
        step = self.step()
        pieces = []
        for number, found in enumerate(label_stage(self.film.stage(step))):
            if found.uncertain and found.kind != "loom":
                continue
            piece = Piece(found.kind, found.label, found.corners, 0.97, facts=dict(found.facts))
            x, y = (int(v) for v in piece.centre)
            part = cv2.cvtColor(image[max(0, y - 14) : y + 15, max(0, x - 14) : x + 15], cv2.COLOR_BGR2GRAY)
            sharp = float(cv2.Laplacian(cv2.GaussianBlur(part, (0, 0), 1.0), cv2.CV_32F).std())
            usual = self._sharp.setdefault((step, number, len(found.label)), sharp)
            if sharp < 0.6 * usual and found.kind == "tile":
                a, b, c = found.label.split("-")
                piece = replace(piece, confidence=0.5, alternatives=((f"{a}-{b}-{(int(c) + 1) % 6}", 0.4),))
            pieces.append(piece)
        return TableState(time, tuple(pieces), (image.shape[1], image.shape[0]))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_game_shown_comes_to_its_end_and_has_one_illegal_placement(game: str) -> None:
    played = stage_game(game)
    engine = GAMES[game].start(played.setup)
    for text in played.moves:
        assert engine.outcome() is None
        engine.push(engine.parse_move(text))
    assert engine.outcome() is not None
    assert tuple(score.total for score in engine.score()) == played.scores
    assert len(played.illegal) == 1


def test_a_smear_is_found_that_makes_the_eyes_ask(tmp_path: Path) -> None:
    played = play("triominos", 7004)
    film = Film(played)
    desk = Desk(Settings(data=tmp_path), lambda source: pytest.fail("no camera is needed"))
    try:
        match = desk.new_match("triominos", NAMES[:2], {}, {})
        step = next(n for n, done in enumerate(played.steps, 1) if done.seen and n > 6)
        for done in played.steps[: step - 1]:
            if done.call:
                match.call(dict(done.call))
            elif done.move:
                match.play(done.move)
        first = int(film.rest_of(step)[0] * film.fps) + 1
        pictures = [film.picture(first + number) for number in range(3)]
        eyes = KnowingEyes(Film(played), lambda: step)
        eyes.read(pictures[0])

        def pixel(spot: tuple[float, float]) -> tuple[float, float]:
            x, y = played.camera.project([[*spot, 0.0]])[0]
            return float(x), float(y)

        laid = played.steps[step - 1]
        assert laid.at is not None
        tries = ladders("triominos", laid.at, pixel, label_stage(film.stage(step)), laid.move)
        assert len(tries) == 3  # one for each number of the tile
        rehearsal = Rehearsal(match, eyes, pictures, laid.move)
        weak = replace(tries[0][0], blur=0.1, veil=0.0)
        grease = Smear(pixel(laid.at), 28.0, 3.0, 0.8)
        assert rehearsal.find([[weak]]) is None  # too weak a smear is no doubt
        assert rehearsal.find([[grease]]) == grease
        table = eyes.read(grease.over(pictures[0]))
        verdict = match.referee.judge(match.game, table, match.context())
        assert verdict.question is not None
        asked = match.question_draft(verdict.question, None, 0).data
        assert right_answer(match, table, asked, laid.move) == "a"
        assert right_answer(match, table, asked, played.moves[0]) is None
    finally:
        desk.close()


@pytest.mark.parametrize(
    ("radii", "found"),
    [
        ((4.0, 10.5, 20.0), 10.5),
        ((4.0, 16.0), 10.0),  # between what is read and what is not
        ((12.0, 24.0), None),  # read wrongly from the start: another place is better
        ((4.0, 8.0), None),
    ],
)
def test_the_doubt_lies_between_what_is_read_and_what_is_not(radii: tuple[float, ...], found: float | None) -> None:
    class Table(Rehearsal):
        def __init__(self) -> None:
            self.pictures = [np.zeros((4, 4, 3), np.uint8)]

        def _outcome(self, picture: np.ndarray) -> str:
            return "right"

        def _through(self, smear: Smear) -> str:
            return "right" if smear.radius < 10 else "asks" if smear.radius < 11 else "wrong"

        def _always(self, smear: Smear) -> bool:
            return True

    smear = Table().find([[Smear((0.0, 0.0), radius, 1.0) for radius in radii]])
    assert (None if smear is None else smear.radius) == found


def test_the_lens_is_wiped_once_the_question_is_answered(tmp_path: Path) -> None:
    played = stage_game("triominos")
    desk = Desk(Settings(data=tmp_path))
    match = desk.new_match("triominos", NAMES[:2], {}, {})
    camera = DemoCamera(played, match)
    try:
        camera._smear = (3, Smear((300.0, 300.0), 40.0, 6.0))
        picture = np.random.default_rng(1).integers(0, 255, (720, 1280, 3)).astype(np.uint8)
        now = time.monotonic()
        assert (camera._through_smear(picture, now) != picture).any()
        camera._asked = True
        assert camera._through_smear(picture, now + 1) is picture
        camera._asked = False
        assert camera._through_smear(picture, now + 100) is picture
    finally:
        camera.close()
        desk.close()


def test_a_tile_is_the_same_move_wherever_the_camera_counts_from(tmp_path: Path) -> None:
    desk = Desk(Settings(data=tmp_path))
    try:
        match = desk.new_match("triominos", NAMES[:2], {}, {})
        assert same_move(match, "A 5-4-4@0,-1^", "A 4-4-5@-1,0^")  # another place and another first corner
        assert not same_move(match, "A 5-4-4@0,-1^", "B 4-4-5@-1,0^")
        assert not same_move(match, "A 5-4-4@0,-1^", "A 4-5-5@0,-1^")
        assert not same_move(match, "A draw", "A 5-4-4@0,-1^")
        assert not same_move(match, "A draw", "B draw")
        assert same_move(match, "A draw", "A draw")
    finally:
        desk.close()


@pytest.mark.browser
def test_the_page_keeps_up_with_the_demonstration(serve: Make, tab: Make, shots: Path) -> None:
    server = serve()
    desk = server.desk
    eyes = KnowingEyes(Film(stage_game("tronix")), lambda: desk.demo_status()["step"])
    desk.table._make_eyes = lambda game, calibration: eyes
    page = tab()
    desk.start_demo("tronix", speed=8.0)
    page.goto(server.url)
    page.wait_for_selector(".demo progress")
    page.wait_for_url("**/#/table")
    # The rail is pushed: nobody asks for it, and a list that is open stays the same element.
    page.evaluate("window.kept = document.querySelector('[data-focus=demo-speed]')")
    page.wait_for_function("() => document.querySelector('.demo progress').value >= 3")
    assert page.evaluate("kept.isConnected")
    page.wait_for_selector(".doubt.illegal", timeout=60_000)
    page.screenshot(path=shots / "demo.png")
    page.click('[data-focus="demo-play"]')
    page.wait_for_selector('[data-focus="demo-play"]:has-text("Seguir")')
    end = time.monotonic() + 20
    while not desk.demo_status()["paused"] and time.monotonic() < end:
        page.wait_for_timeout(100)
    before = desk.demo_status()["step"]
    page.wait_for_timeout(1500)
    assert desk.demo_status()["step"] == before
    page.click('[data-focus="demo-step"]')
    page.wait_for_function("step => document.querySelector('.demo progress').value === step", arg=before + 1)
    page.select_option('[data-focus="demo-speed"]', "4")
    page.wait_for_function("() => document.querySelector('[data-focus=demo-speed]').value === '4'")
    assert desk.demo_status()["speed"] == 4.0
    # Another camera ends the demonstration, and its rail goes.
    desk.use_camera(None)
    page.wait_for_selector(".demo", state="detached")
