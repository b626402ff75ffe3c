"""Teaching a deck or a set on the page: photos in, doubts decided by a tap, progress, nothing lost by a reload."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from datasets.art import cards as art
from tests.drawn_decks import sheet
from tests.service.test_sets import tiles
from vision.cards.labels import FACES

pytestmark = pytest.mark.browser
Make = Callable[..., Any]
AXE = Path(__file__).parent / "vendor" / "axe.min.js"


def test_a_drawn_deck_is_taught_on_the_page(serve: Make, tab: Make, tmp_path: Path, shots: Path) -> None:
    labels = [str(f) for f in np.random.default_rng(4).permutation([f for f in FACES if f[0] in "1234567"])][:10]
    photo = tmp_path / "cards.jpg"
    photo.write_bytes(sheet(labels, art.STYLES["test-mesón"], 61))
    bad = tmp_path / "notes.jpg"
    bad.write_text("not a picture")
    server = serve()
    page = tab()
    page.goto(f"{server.url}/decks")
    page.fill("#name", "La de casa")
    page.click("#begin")
    page.wait_for_selector("#look")
    assert "0 de 40" in page.inner_text("main")
    page.forgiving = True  # a browser reports a refused request by itself
    page.set_input_files("#files", bad)
    page.locator("#said", has_text="notes.jpg").wait_for()
    page.set_input_files("#files", photo)
    page.locator("#said", has_text="10 cartas").wait_for(timeout=60_000)
    page.screenshot(path=shots / "decks.png", full_page=True)
    page.reload()  # an interruption: everything said so far is kept
    page.wait_for_selector("#look")
    while page.locator(".deck-look").count():
        look = page.locator(".deck-look").first
        name = look.get_attribute("data-look")
        look.locator("select").select_option(labels[int(name[1:])])  # the photo's cards in reading order
        page.locator(f"[data-look={name}]").wait_for(state="detached")
    known = server.desk.decks.deck("La de casa").known()
    assert len(known) == 10
    assert page.locator(".deck-suit .known").count() == 10
    page.click("#language")
    page.locator("main", has_text="10 of 40").wait_for()
    checked = tab(bypass_csp=True)  # the page's own policy rightly refuses the checker's script
    checked.goto(page.url)
    checked.wait_for_selector("#look")
    checked.add_script_tag(path=AXE)
    found = checked.evaluate("axe.run().then(r => r.violations)")
    assert [entry["id"] for entry in found if entry["impact"] in ("serious", "critical")] == []


def test_a_set_of_tiles_is_taught_on_the_page_and_played_with(serve: Make, tab: Make, tmp_path: Path) -> None:
    shown = ["0-5-3", "1-1-1", "2-2-4", "0-1-2", "5-5-5", "3-4-4", "1-3-5", "0-0-4"]
    photo = tmp_path / "tiles.png"
    cv2.imwrite(str(photo), tiles(shown, 1))
    server = serve()
    page = tab()
    page.goto(f"{server.url}/decks")
    page.select_option("#kind", "triominos")
    assert not page.locator("#size").is_visible(), "only cards have a size"
    page.fill("#name", "Madera")
    page.click("#begin")
    page.wait_for_selector("#look")
    page.set_input_files("#files", photo)
    page.locator("#said", has_text="8 fichas").wait_for(timeout=60_000)
    while page.locator(".deck-panel:not(details) .deck-look").count():  # the mirror image, and what was not sure
        look = page.locator(".deck-panel:not(details) .deck-look").first
        name = look.get_attribute("data-look")
        named = look.locator("button", has_text=shown[int(name[1:])])
        if named.count():
            named.first.click()
        else:
            look.locator("select").select_option(shown[int(name[1:])])
        page.locator(f".deck-panel:not(details) [data-look={name}]").wait_for(state="detached")
    assert server.desk.decks.deck("Madera").known() == dict.fromkeys(shown, 1)
    page.click("#use")
    page.locator("#use[aria-pressed=true]").wait_for()
    used = server.desk.decks.in_use("triominos")
    assert used is not None
    assert used.name == "Madera"
    assert page.locator(".deck-labels .known").count() == 8
