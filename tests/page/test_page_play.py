"""A match on the page: seen, illegal, corrected, undone, finished, for each game on its simulated table."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import NAMES
from filmed_table import FilmedTable

from datasets.played import Played, Step, play
from service.demo import stage_game
from service.games import GAMES
from service.match import Match

pytestmark = pytest.mark.browser
Make = Callable[..., Any]
STAGED = {
    "triominos": (7004, "value_clash"),
    "truco": (7001, "card_seen"),
    "trichon": (7001, "card_played"),
    "tronix": (7001, "no_connection"),
    "trama": (7001, "too_many_cords"),
}


# What a person need not read: cells of a lattice, of the grid and of Trichón's board, lanes, faces, numbered seats.
CODED = re.compile(r"-?\d,-?\d|\b[hv]\d\b|\bg[NESW]{2}p[NESW]{2}|\b[ECOB]\d{1,2}\b|\b(jugador|player) \d\b")
SPANISH = re.compile(r"\b(juega|pone|teje|carta|ficha|mesa|partida|turno|puntos|cuerdas?|telar)\b", re.IGNORECASE)


@cache
def staged(game: str) -> Played:
    """The played game of a test."""
    seed, code = STAGED[game]
    return play(game, seed, illegal=code)


@cache
def whole(game: str) -> Played:
    """A game that is played to its end, with one illegal placement."""
    return stage_game(game)


def start(page: Any, server: Any, played: Played) -> Match:
    """Begin a match as people do: choose the game, the names, the house rules, the cards and the camera."""
    server.desk.table.use_camera("0")
    page.goto(f"{server.url}/#/")
    page.click(f'a[href="#/new/{played.game}"]')
    for number, name in enumerate(NAMES[: played.seats]):
        page.fill(f'[name="player-{number}"]', name)
    if "target" in played.setup["rules"]:
        page.fill('[name="option-target"]', str(played.setup["rules"]["target"]))
    if "toros" in played.setup["rules"]:
        page.fill('[name="option-toros"]', str(played.setup["rules"]["toros"]))
    if played.game == "truco":
        page.check(f'[name="seat"][value="{played.setup["dealer"]}"]', force=True)
    if played.game == "trama":
        choose_cards(page, played)
    page.wait_for_selector(".camera img")
    page.click('button[type="submit"]')
    page.wait_for_selector(".score >> nth=1")
    assert page.locator(".score .who").all_inner_texts() == NAMES[: played.seats]
    match = server.desk.table.match
    assert match is not None
    wanted = GAMES[played.game].start(played.setup).setup_json()
    differs = {key for key in wanted if match.record.setup.get(key) != wanted[key]}
    # The films of Tronix deal fewer cards than the box holds, so that they come to an end.
    assert differs == ({"hand_sizes", "starter"} if played.game == "tronix" else set())
    return server.begin(played) if differs else match


def choose_cards(page: Any, played: Played) -> None:
    """Trama's cards of this table: those that were dealt by chance are put back first."""
    for kind in ("adjacent", "interlaced"):
        page.wait_for_selector(f'input[name="{kind}"]:checked')
        while page.locator(f'input[name="{kind}"]:checked').count():
            page.locator(f'input[name="{kind}"]:checked').first.click(force=True)
        for card in played.setup[kind]:
            page.check(f'input[name="{kind}"][value="{card["id"]}"]', force=True)
    page.check(f'input[name="objective"][value="{played.setup["objective"]["id"]}"]', force=True)


def assert_plain(page: Any) -> None:
    """In both languages nothing on the page is in code, and in English nothing is left in Spanish."""
    for lang in ("en", "es"):
        page.click(f'.langs [lang="{lang}"]')
        page.wait_for_selector(f'.langs [lang="{lang}"][aria-pressed="true"]')
        text = page.locator("main").inner_text()
        assert not CODED.search(text), CODED.search(text)
        if lang == "en":
            assert not SPANISH.search(text), SPANISH.search(text)


def totals(match: Match) -> list[int]:
    """What the page shows large: El Truco is counted in tantos of the present toro."""
    if match.record.game == "truco":
        return list(match.referee.position(match.game)["tantos"])
    return [score.total for score in match.game.score()]


def shown(page: Any) -> list[int]:
    """The totals that a person reads."""
    texts = page.locator(".score .total").evaluate_all("all => all.map(one => one.firstChild.textContent)")
    return [int(text.replace("−", "-").replace(".", "").replace(",", "")) for text in texts]


def wait_totals(page: Any, wanted: list[int]) -> None:
    texts = [str(total).replace("-", "−") for total in wanted]
    page.wait_for_function(
        """wanted => [...document.querySelectorAll('.score .total')]
          .map(one => one.firstChild.textContent).join() == wanted""",
        arg=",".join(texts),
    )


def say(match: Match, step: Step) -> None:
    """What the camera cannot see is told to the referee."""
    if step.call:
        match.call(dict(step.call))
    if step.move and not step.seen:
        match.play(step.move)


def wait_until(condition: Callable[[], bool], page: Any, seconds: float = 25.0) -> None:
    """Wait while the page goes on working."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not happen")


def tell(server: Any, match: Match, steps: Sequence[Step]) -> None:
    """Play some steps without the camera, as if it had looked away."""
    server.desk.table.use_match(None)
    for step in steps:
        if step.call and step.call["call"] in match.referee.calls():
            match.call(dict(step.call))
        if step.move and not step.illegal:
            match.play(step.move)


@pytest.mark.parametrize("game", list(STAGED))
def test_a_match_from_the_first_piece_to_the_report(
    game: str, serve: Make, tab: Make, shots: Path
) -> None:
    played = whole(game)
    table = FilmedTable(played)
    server = serve(table)
    page = tab()
    match = start(page, server, played)

    # Seen: the last legal step before the illegal one; what came before it is told, to save time.
    foul = next(number for number, step in enumerate(played.steps, 1) if step.illegal)
    last = max(number for number, step in enumerate(played.steps[: foul - 1], 1) if step.seen and step.move)
    tell(server, match, played.steps[: last - 1])
    moves = len(match.game.moves)
    table.show(last)
    server.desk.table.use_match(match)
    say(match, replace(played.steps[last - 1], move=""))
    wait_until(lambda: len(match.game.moves) > moves, page)
    tell(server, match, played.steps[last : foul - 1])
    server.desk.table.use_match(match)
    wait_totals(page, totals(match))
    page.wait_for_selector(".mark.accepted")
    page.wait_for_timeout(900)  # the close-up has moved there, and points no longer float
    page.screenshot(path=shots / f"play-{game}.png")

    # Illegal: flagged, explained, with a picture; outlined on the live table.
    table.show(foul)
    page.wait_for_selector(".doubt.illegal")
    assert page.locator(".doubt.illegal .reason").first.inner_text().strip()
    page.wait_for_selector(".mark.illegal")
    page.wait_for_timeout(900)  # the close-up has moved there
    page.screenshot(path=shots / f"illegal-{game}.png")
    assert_plain(page)
    if game == "triominos":
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(900)
        page.screenshot(path=shots / "phone.png")
        page.set_viewport_size({"width": 1366, "height": 768})
    table.show(foul - 1)
    page.wait_for_selector(".doubt.illegal", state="detached")

    # Corrected: a move that the log holds is struck out, and the undo brings it back. The camera looks away meanwhile:
    # it might see the struck piece still lying there, and the undo would be of what it said.
    server.desk.table.use_match(None)
    page.goto(f"{server.url}/#/match/{match.id}")
    page.wait_for_selector(".move:has(.btn) .btn")
    now = totals(match)
    moves = len(match.position.entries)
    page.locator(".move:has(.btn) .btn").first.click()
    page.locator("[data-strike]").click()
    page.wait_for_selector("dialog", state="detached")
    wait_until(lambda: len(match.position.entries) < moves, page)
    page.click("#btn-undo")
    wait_until(lambda: len(match.position.entries) == moves, page)
    wait_totals(page, now)

    # Finished: the rest of the game is told; the page names the winner and offers the report.
    done = len(match.game.moves)
    for text in played.moves[done:]:
        if match.game.outcome() is None:
            match.play(text)
    wait_totals(page, totals(match))
    page.locator("#tab-graph").click()
    page.wait_for_selector(".graph .curve")
    page.screenshot(path=shots / f"graph-{game}.png")
    assert match.game.outcome() is not None
    page.wait_for_selector(".finished")
    assert_plain(page)
    with page.expect_download() as download:
        page.click('.finished a[href*="format=html"]')
    assert "<html" in Path(download.value.path()).read_text(encoding="utf-8")
    page.screenshot(path=shots / f"finished-{game}.png")


def test_a_doubtful_reading_is_asked_about(serve: Make, tab: Make, shots: Path) -> None:
    played = staged("triominos")
    table = FilmedTable(played)
    server = serve(table)
    match = server.begin(played)
    first = next(number for number, step in enumerate(played.steps, 1) if step.seen and step.move)
    for step in played.steps[: first - 1]:
        say(match, step)
    page = tab(lang="en")
    page.goto(f"{server.url}/#/table")
    page.wait_for_selector(".score")
    table.show(first)
    label = table.labels()[0]
    table.doubt[label] = "0-0-5"
    table.show(first)
    page.wait_for_selector(".doubt.question")
    assert page.locator(".doubt.question .crop").evaluate("img => img.naturalWidth") > 0
    assert page.locator(".answer").count() == 2
    assert page.locator(".mark.unsure").count() == 1
    page.wait_for_timeout(800)
    page.screenshot(path=shots / "question.png")
    page.locator('.answer[data-option="a"]').click()
    page.wait_for_selector(".doubt.question", state="detached")
    page.wait_for_selector(".move")
    assert match.position.entries[0].text == played.moves[0]


def test_the_controls_offer_what_is_legal(serve: Make, tab: Make) -> None:
    server = serve()
    match = server.desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    server.desk.table.use_match(match)
    page = tab()
    page.goto(f"{server.url}/#/table")
    page.wait_for_selector('[data-control="opener1"]')
    assert page.locator("[data-control]").count() == 2
    match.play("A 5-5-5@0,0^")
    page.wait_for_selector('[data-control="draw"]')
    assert page.locator('[data-control="pass"]').count() == 0
    for drawn in (1, 2, 3):
        page.click('[data-control="draw"]')
        wait_totals(page, [25, -5 * drawn])
    page.click('[data-control="pass"]')
    wait_totals(page, [25, -25])
    assert page.locator(".turn-line").inner_text() == "Le toca a Ana"


def test_a_past_move_is_changed_for_another(serve: Make, tab: Make, shots: Path) -> None:
    server = serve()
    match = server.desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    server.desk.table.use_match(match)
    for text in ("A 5-5-5@0,0^", "B draw", "B draw", "B 4-5-5@0,0v"):
        match.play(text)
    page = tab()
    page.goto(f"{server.url}/#/table")
    page.click('.move:first-child .btn')
    page.wait_for_selector(".suggestion")
    page.fill("dialog input >> nth=0", "3-5-5")
    page.wait_for_timeout(100)
    page.screenshot(path=shots / "correct.png")
    chosen = page.locator(".suggestion").first
    text = chosen.get_attribute("data-move")
    chosen.click()
    page.wait_for_selector('.toast:has-text("Corregido")')
    assert match.position.entries[-1].text == text
    page.keyboard.press("Control+z")
    wait_until(lambda: match.position.entries[-1].text == "B 4-5-5@0,0v", page)
    page.click("#btn-redo")
    wait_until(lambda: match.position.entries[-1].text == text, page)


def test_lost_camera_and_lost_server_come_back(serve: Make, tab: Make, shots: Path) -> None:
    played = staged("triominos")
    table = FilmedTable(played)
    server = serve(table)
    match = server.begin(played)
    match.play("A 5-5-5@0,0^")
    page = tab()
    page.goto(f"{server.url}/#/table")
    page.wait_for_selector(".score")
    page.wait_for_function("() => document.querySelector('.live').naturalWidth > 0")
    table.lose()
    page.wait_for_selector('.table-empty:has-text("Se ha perdido la cámara")')
    page.screenshot(path=shots / "camera-lost.png")
    table.find()
    page.wait_for_selector(".table-empty", state="detached")
    page.forgiving = True  # a browser reports a refused connection by itself
    server.stop()
    page.wait_for_selector('.notice.lost:has-text("Se ha perdido la conexión")')
    page.screenshot(path=shots / "connection-lost.png")
    server.start()
    server.desk.table.use_camera("0")
    server.desk.table.use_match(server.desk.match(match.id))
    page.wait_for_selector('.toast:has-text("Conectado otra vez")')
    page.wait_for_selector(".notice", state="detached")
    server.desk.match(match.id).play("B draw")
    wait_totals(page, [25, -5])


def test_a_match_that_is_not_on_the_table_is_current_again_after_an_outage(serve: Make, tab: Make) -> None:
    server = serve()
    match = server.desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    match.play("A 5-5-5@0,0^")
    page = tab()
    page.goto(f"{server.url}/#/match/{match.id}")
    wait_totals(page, [25, 0])
    page.forgiving = True  # a browser reports a refused connection by itself
    server.stop()
    page.wait_for_selector(".notice.lost")
    server.start()
    server.desk.match(match.id).play("B draw")  # before the page is back, as far as it is quick enough
    page.wait_for_selector(".notice", state="detached")
    wait_totals(page, [25, -5])


def test_the_live_view_flows(serve: Make, tab: Make) -> None:
    """Frames that arrive at the browser, counted there."""
    table = FilmedTable(staged("triominos"))
    server = serve(table)
    server.begin(table.played)
    page = tab()
    page.goto(f"{server.url}/#/photo")
    count = page.evaluate(
        """async () => {
          const reader = (await fetch('/api/v1/table/stream')).body.getReader();
          const text = new TextDecoder('latin1');
          let frames = 0, begin = performance.now();
          while (performance.now() - begin < 2500) {
            const { value, done } = await reader.read();
            if (done) break;
            frames += text.decode(value).split('--frame').length - 1;
          }
          reader.cancel();
          return frames / ((performance.now() - begin) / 1000);
        }"""
    )
    assert count > 5  # a loaded machine; `tapete bench` measures it on a quiet one


def test_a_piece_that_is_tapped_can_be_named(serve: Make, tab: Make, shots: Path) -> None:
    played = staged("truco")
    table = FilmedTable(played)
    server = serve(table)
    match = server.begin(played)
    first = next(number for number, step in enumerate(played.steps, 1) if step.seen and step.move)
    for step in played.steps[: first - 1]:
        say(match, step)
    page = tab()
    page.goto(f"{server.url}/#/table")
    table.show(first)
    page.wait_for_selector(".move .evidence")
    page.locator('.mark[role="button"]').first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".pick-cards")
    page.screenshot(path=shots / "piece.png")
    page.click('[data-label="7-copas"]')
    page.wait_for_selector('.toast:has-text("es 7 de copas")')
    assert match.position.readings[-1]["label"] == "7-copas"
    page.click('[data-focus="big"]')
    page.wait_for_selector(".big-exit")
    page.click(".big-exit")
    page.wait_for_selector(".big-exit", state="hidden")
