"""Spanish and English say the same things: no key is missing in either, and none that is used is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

JS = Path(__file__).resolve().parents[2] / "service" / "web" / "js"
TEXT = r'"(?:[^"\\]|\\.)*"'


def words(name: str) -> dict[str, str]:
    """The entries of `words-es.js` or `words-en.js`."""
    text = (JS / name).read_text("utf-8")
    found = re.findall(rf'^  "?([\w.]+)"?: ({TEXT}),$', text, re.M)
    entries = [line for line in text.splitlines() if re.match(r'  "?[\w.]+"?:', line)]
    assert len(found) == len(entries)  # every entry is one line, or this test would not see it
    return dict(found)


def test_both_languages_have_the_same_keys_and_holes() -> None:
    es, en = words("words-es.js"), words("words-en.js")
    assert es.keys() == en.keys()
    for key, text in es.items():
        assert text.strip('" ')
        assert en[key].strip('" ')
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", en[key])), key


def test_every_key_that_is_used_exists() -> None:
    known = words("words-es.js").keys()
    asked = set()
    for path in sorted(JS.glob("*.js")):
        text = path.read_text("utf-8")
        if re.search(r'import {[^}]*\bt\b[^}]*} from "./i18n.js"', text):
            asked |= {(path.name, key) for key in re.findall(r'\bt\("([\w.]+)"', text)}
    assert len(asked) > 100
    assert [one for one in sorted(asked) if one[1] not in known] == []


@pytest.mark.parametrize("name", ["phone.js", "decks.js"])
def test_the_small_pages_speak_both_languages(name: str) -> None:
    text = (JS / name).read_text("utf-8")
    blocks = dict(re.findall(r"^  (es|en): {\n(.*?)^  },$", text, re.M | re.S))
    keys = {lang: re.findall(rf"(\w+): (?:{TEXT}|\()", block) for lang, block in blocks.items()}
    assert len(keys["es"]) > 8
    assert sorted(keys["es"]) == sorted(keys["en"])
