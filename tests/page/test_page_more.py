"""Photo mode, the overlay, accessibility, voice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from filmed_table import FilmedTable

from datasets.played import play

pytestmark = pytest.mark.browser
Make = Callable[..., Any]
AXE = Path(__file__).parent / "vendor" / "axe.min.js"


def photograph(table: FilmedTable, step: int, folder: Path) -> Path:
    """The table after some steps, as a file."""
    table.show(step)
    path = folder / "photo.jpg"
    cv2.imwrite(str(path), table.picture())
    return path


def test_a_photo_is_read_and_scored(serve: Make, tab: Make, tmp_path: Path, shots: Path) -> None:
    table = FilmedTable(play("triominos", 7004))
    server = serve(table)
    photo = photograph(table, 6, tmp_path)
    page = tab()
    page.goto(f"{server.url}/#/photo/triominos")
    page.wait_for_selector('[value="triominos"]')
    with page.expect_file_chooser() as chooser:
        page.click('.drop .btn:not(.main)')
    chooser.value.set_files(photo)
    page.wait_for_selector(".photo-score")
    wanted = sum(int(value) for label in table.labels() for value in label.split("-"))
    assert page.locator(".photo-total").inner_text() == str(wanted)
    assert page.locator(".photo-picture .mark").count() == len(table.labels())
    page.screenshot(path=shots / "photo.png")
    # A game that one photograph cannot score says why, and shows the reading all the same.
    page.forgiving = True  # a browser reports a refused request by itself
    page.click('.counts label:has([value="trichon"])')
    page.wait_for_selector(".doubt.question .reason")
    assert "foto" in page.locator(".doubt.question .reason").inner_text()


def test_what_is_no_photo_is_refused_in_words(serve: Make, tab: Make, tmp_path: Path) -> None:
    server = serve(FilmedTable(play("triominos", 7004)))
    path = tmp_path / "photo.jpg"
    path.write_text("no picture", encoding="utf-8")
    page = tab()
    page.goto(f"{server.url}/#/photo/triominos")
    page.forgiving = True  # a browser reports a refused request by itself
    with page.expect_file_chooser() as chooser:
        page.click('.drop .btn:not(.main)')
    chooser.value.set_files(path)
    page.wait_for_selector(".doubt.illegal .reason")
    assert page.locator(".doubt.illegal .reason").inner_text()


def test_the_overlay_shows_score_and_last_event(serve: Make, tab: Make, shots: Path) -> None:
    server = serve()
    match = server.desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    server.desk.table.use_match(match)
    match.play("A 5-5-5@0,0^")
    page = tab(width=1280, height=720)
    page.goto(f"{server.url}/overlay?lang=en")
    page.wait_for_selector('.o-last:has-text("Ana places 5-5-5")')
    match.play("B draw")
    page.wait_for_selector('.o-last:has-text("Luis draws")')
    assert page.locator(".o-total").all_inner_texts() == ["25", "−5"]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    page.screenshot(path=shots / "overlay.png", omit_background=True)


def test_the_voice_is_off_until_switched_on(serve: Make, tab: Make) -> None:
    server = serve()
    match = server.desk.new_match("triominos", ["Ana", "Luis"], {}, {})
    server.desk.table.use_match(match)
    page = tab()
    page.add_init_script("window.said = []; speechSynthesis.speak = one => said.push([one.lang, one.text]);")
    page.goto(f"{server.url}/#/table")
    page.wait_for_selector(".score")
    match.play("A 5-5-5@0,0^")
    page.wait_for_selector('.move:has-text("Ana pone 5-5-5")')
    assert page.evaluate("said") == []
    page.click('[aria-label="Voz"]')
    match.play("B draw")
    page.wait_for_selector('.move:has-text("Luis roba")')
    said = page.evaluate("said")
    assert ["es-ES", "Luis roba: -5 puntos"] in said or ["es-ES", "Luis roba: −5 puntos"] in said


def test_axe_finds_nothing_serious(serve: Make, tab: Make) -> None:
    played = play("triominos", 7004, illegal="value_clash")
    table = FilmedTable(played)
    server = serve(table)
    foul = next(number for number, step in enumerate(played.steps, 1) if step.illegal)
    match = server.begin(played)
    server.desk.table.use_match(None)
    for step in played.steps[: foul - 1]:
        if step.move:
            match.play(step.move)
    table.show(foul)
    server.desk.table.use_match(match)
    page = tab(bypass_csp=True, reduced_motion="reduce")
    page.goto(f"{server.url}/#/table")
    page.wait_for_selector(".doubt.illegal")
    found = [*axe(page, "table")]
    page.set_viewport_size({"width": 390, "height": 844})
    found += axe(page, "table on a phone")
    page.set_viewport_size({"width": 1366, "height": 768})
    page.locator(".move .btn").first.click()
    page.wait_for_selector(".suggestion")
    found += axe(page, "correct")
    page.keyboard.press("Escape")
    for route in ("/", "/new/trama", "/calibrate", "/photo"):
        page.goto(f"{server.url}/#{route}")
        page.wait_for_selector("h1")
        page.wait_for_timeout(200)
        found += axe(page, route)
    assert found == [], json.dumps(found, indent=1)


def axe(page: Any, where: str) -> list[dict[str, Any]]:
    """The serious and critical faults that axe-core finds on the page as it is, by day and by night."""
    if not page.evaluate("Boolean(window.axe)"):
        page.add_script_tag(path=str(AXE))
    found = []
    for scheme, rules in (("light", None), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=scheme)
        only = {"runOnly": rules} if rules else {}
        result = page.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **only})
        found += [
            {"where": f"{where}, {scheme}", "id": one["id"], "nodes": [node["html"][:160] for node in one["nodes"][:4]]}
            for one in result["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    page.emulate_media(color_scheme="light")
    return found


def test_a_file_can_be_the_camera(serve: Make, tab: Make, tmp_path: Path) -> None:
    table = FilmedTable(play("triominos", 7004))
    server = serve(table)
    photo = photograph(table, 4, tmp_path)
    page = tab()
    page.goto(f"{server.url}/#/new/triominos")
    page.check('.camera input[value="file"]', force=True)
    page.set_input_files('input[type="file"]', photo)
    page.click('button[type="submit"]')
    page.wait_for_url("**/#/calibrate")
    page.wait_for_function("() => document.querySelector('.live').naturalWidth == 1280")
    status = server.desk.table.status()["camera"]
    assert (status["source"], status["status"]) == ("phone", "ok")
