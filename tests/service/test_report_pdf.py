"""The report as a PDF: read back as a reader would, it has the totals, the moves, the flags and the pictures."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from rules.game import Violation
from rules.triominos.moves import Place
from service.cli import main
from service.match import Match
from service.referee.base import Illegal
from service.report_pdf import export_pdf
from service.store import Store

pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 reads the PDF back (pip install -e .[test])")
Make = Callable[..., Match]
PICTURE = cv2.imencode(".jpg", np.full((60, 90, 3), 130, np.uint8))[1].tobytes()


def text_of(data: bytes) -> str:
    assert data.startswith(b"%PDF-")
    return "\n".join(page.get_textpage().get_text_range() for page in pdfium.PdfDocument(data))


def pictures_in(data: bytes) -> int:
    image = pdfium.raw.FPDF_PAGEOBJ_IMAGE
    return sum(1 for page in pdfium.PdfDocument(data) for _ in page.get_objects(filter=[image]))


@pytest.fixture
def played(new_match: Make) -> Match:
    """Sixteen placements that were filmed, and something illegal in between."""
    match = new_match("triominos", ["Íñigo <b>", "Begoña"])
    rng = random.Random(3)
    for number in range(16):
        if number == 2:
            wrong = Violation("value_clash", "No coincide la esquina.", "The corner does not agree.", {})
            found = Illegal("clash", (wrong,))
            match.write([match.illegal_draft(found, PICTURE, match.position.seq + 1)])
        move = str(rng.choice([m for m in match.game.legal_moves if isinstance(m, Place)]))
        match.play(move, "camera", PICTURE)
    return match


def test_totals_moves_flags_and_pictures_are_in_it(played: Match) -> None:
    data = export_pdf(played)
    text = text_of(data)
    totals = [str(score.total) for score in played.game.score()]
    lines = text.splitlines()
    for name, total in zip(("Íñigo <b>", "Begoña"), totals, strict=True):
        row = next(line for line in lines if line.startswith(f"{name} ") and line.split(name)[1].strip()[:1].isdigit())
        assert row.removeprefix(name).split()[0] == total
    assert "Ilegal: No coincide la esquina." in text
    for entry in played.state()["moves"]:
        assert f"{entry['event']}. " in text
    assert pictures_in(data) == 17
    assert len(pdfium.PdfDocument(data)) >= 2, "a long match goes over several pages"
    assert "Página 2" in text


def test_it_speaks_english_too_and_survives_a_damaged_picture(new_match: Make) -> None:
    match = new_match("triominos", ["Ana", "Оля 🙂"])
    assert "There are no moves yet." in text_of(export_pdf(match, "en"))
    move = next(str(m) for m in match.game.legal_moves if isinstance(m, Place))
    match.play(move, "camera", b"\xff\xd8 not much of a picture")
    data = export_pdf(match, "en")
    assert "1 moves" in text_of(data)
    assert "Evidence" in text_of(data)
    assert pictures_in(data) == 0


def test_the_api_serves_it(client: TestClient) -> None:
    made = client.post("/api/v1/matches", json={"game": "triominos", "players": ["Ana", "Luis"], "watch": False})
    url = f"/api/v1/matches/{made.json()['id']}/export"
    answer = client.get(url, params={"format": "pdf", "lang": "en"})
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"].endswith('.pdf"')
    assert "Ana" in text_of(answer.content)
    assert client.get(url, params={"format": "pdf", "lang": "fr"}).status_code == 422


def test_the_command_writes_it(played: Match, store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    data = ["--data", str(tmp_path / "data")]
    assert main(["export", played.id, "-o", str(out), *data]) == 0
    assert "Ilegal" in text_of(out.read_bytes())
    other = tmp_path / "report.bin"
    assert main(["export", played.id, "--format", "pdf", "--lang", "en", "-o", str(other), *data]) == 0
    assert "Illegal: The corner does not agree." in text_of(other.read_bytes())
