"""The start: games, players, rules, camera, calibration; languages, themes, widths."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filmed_table import FilmedTable

from datasets.played import play

pytestmark = pytest.mark.browser
Make = Callable[..., Any]
game = cache(lambda: play("triominos", 7004, illegal="value_clash"))
GAMES = ["triominos", "truco", "trichon", "tronix", "trama"]


def test_from_the_games_to_the_table(serve: Make, tab: Make, shots: Path) -> None:
    table = FilmedTable(game())
    server = serve(table)
    server.desk.table.use_camera("0")
    page = tab()
    page.goto(server.url)
    page.wait_for_selector(".game-card >> nth=6")
    assert page.locator(".game-card").count() == 7  # five games, the photo and the demonstration
    page.screenshot(path=shots / "start.png")
    page.click('a[href="#/new/triominos"]')
    page.click('.counts label:has(input[value="3"])')
    for i, name in enumerate(["Ana", "Luis", "Marta"]):
        page.fill(f'[name="player-{i}"]', name)
    page.fill('[name="option-target"]', "120")
    page.check('[name="option-two_sided_bridge"]')
    page.wait_for_selector(".camera img")
    page.screenshot(path=shots / "new.png")
    page.click('button[type="submit"]')
    page.wait_for_selector(".score >> nth=2")
    assert page.locator(".score .who").all_inner_texts() == ["Ana", "Luis", "Marta"]
    match = server.desk.table.match
    assert match is not None
    assert match.record.setup["rules"]["target"] == 120
    assert match.record.setup["rules"]["two_sided_bridge"] is True


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_begun_without_a_camera(name: str, serve: Make, tab: Make) -> None:
    server = serve()
    page = tab(width=900)
    page.goto(f"{server.url}/#/new/{name}")
    page.click('button[type="submit"]')
    page.wait_for_selector(".score >> nth=1")
    assert server.desk.table.match.record.game == name
    assert page.locator(".table-empty h3").inner_text() == "No hay ninguna cámara"
    if name == "trichon":  # its board is drawn by the page itself, so that every cell can be named
        assert page.locator(".drawing .trichon-board td").count() == 48
        return
    drawing = page.locator(".drawing img")
    page.wait_for_function("img => img.complete && img.naturalWidth > 0", arg=drawing.element_handle())


def test_the_corners_are_dragged_and_nudged(serve: Make, tab: Make, shots: Path) -> None:
    table = FilmedTable(game())
    server = serve(table)
    server.begin(table.played)
    table.dim("Apaga la lámpara de la izquierda.", "Turn off the lamp on the left.")
    table.show(3)
    page = tab()
    page.goto(f"{server.url}/#/calibrate")
    page.wait_for_selector('.advice li:has-text("Apaga la lámpara de la izquierda.")')
    corner = page.locator('[data-corner="0"]')
    box = corner.bounding_box()
    page.mouse.move(box["x"] + 22, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + 82, box["y"] + 52, steps=4)
    page.mouse.up()
    page.locator('[data-corner="2"]').focus()
    page.keyboard.press("ArrowLeft")
    page.screenshot(path=shots / "calibrate.png")
    page.click("button.main")
    page.wait_for_url("**/#/table")
    first, _, third, _ = server.desk.table.calibration["corners"]
    assert first[0] > 77 + 40
    assert first[1] > 43 + 20
    assert third == pytest.approx([1280 - 76.8 - 12.8, 720 - 43.2], abs=0.2)


def test_the_printed_mat_is_offered_and_found(serve: Make, tab: Make) -> None:
    table = FilmedTable(game())
    server = serve(table)
    server.begin(table.played)
    page = tab()
    page.goto(f"{server.url}/#/calibrate")
    page.wait_for_function("() => document.querySelector('.live').naturalWidth > 0")
    sheet = page.request.get(server.url + page.locator('a[href$="mat.pdf"]').get_attribute("href"))
    assert sheet.headers["content-type"] == "application/pdf"
    assert sheet.body().startswith(b"%PDF")
    page.forgiving = True  # a browser reports a refused request by itself
    page.click("#find-mat")
    page.wait_for_selector('.toast.bad:has-text("marcas")')
    corners = [(220, 90), (1060, 90), (1060, 680), (220, 680)]
    table.lay_mat(corners)
    page.wait_for_timeout(400)
    page.click("#find-mat")
    page.wait_for_selector('.toast:has-text("Tapete encontrado")')
    page.click("button.main")
    page.wait_for_url("**/#/table")
    for found, wanted in zip(server.desk.table.calibration["corners"], corners, strict=True):
        assert found == pytest.approx(wanted, abs=3.0)


def test_the_language_is_switched_and_remembered(serve: Make, tab: Make) -> None:
    page = tab(lang="es")
    page.goto(serve().url)
    page.wait_for_selector('h1:has-text("¿A qué jugamos?")')
    page.click('.langs [lang="en"]')
    page.wait_for_selector('h1:has-text("What shall we play?")')
    assert page.evaluate("document.documentElement.lang") == "en"
    page.reload()
    page.wait_for_selector('h1:has-text("What shall we play?")')
    page.click('.langs [lang="es"]')
    page.wait_for_selector('h1:has-text("¿A qué jugamos?")')


def test_every_word_is_there_in_both_languages(serve: Make, tab: Make) -> None:
    page = tab()
    page.goto(serve().url)
    both = page.evaluate(
        "Promise.all([import('/js/words-es.js'), import('/js/words-en.js')]).then(([a, b]) => [a.es, b.en])"
    )
    assert set(both[0]) == set(both[1])
    for key, text in both[0].items():
        holes = [set(words.replace("}", "{").split("{")[1::2]) for words in (text, both[1][key])]
        assert holes[0] == holes[1], key


def test_no_width_needs_sideways_scrolling(serve: Make, tab: Make, shots: Path) -> None:
    table = FilmedTable(game())
    server = serve(table)
    server.begin(table.played)
    page = tab(color_scheme="dark")
    for route in ("/", "/new/truco", "/calibrate", "/photo", "/table"):
        page.goto(f"{server.url}/#{route}")
        page.wait_for_selector("h1")
        for width in (360, 768, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (route, width)
    page.screenshot(path=shots / "dark.png")


def test_the_first_paint_is_quick(serve: Make, tab: Make) -> None:
    page = tab()
    server = serve()
    paints = []
    for _ in range(4):  # the first visit pays for the browser's own start, and a machine may be busy for a moment
        page.goto("about:blank")
        page.goto(server.url)
        page.wait_for_selector(".game-card")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    assert min(paints) < 1000


def test_all_modules_are_fetched_at_once(serve: Make, tab: Make) -> None:
    """Every module that the page loads is announced in its head: one round trip, not one per level of imports."""
    page = tab()
    page.goto(serve().url)
    page.wait_for_selector(".game-card")
    loaded = page.evaluate(
        """performance.getEntriesByType('resource')
          .map(one => new URL(one.name).pathname).filter(one => one.endsWith('.js'))"""
    )
    links = page.locator('link[rel="modulepreload"]')
    announced = links.evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert {*announced, "/js/app.js"} == set(loaded)
