"""A match as a PDF to print or send: totals with their causes, then every moment that matters with its picture."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Image, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from service.match import Match
from service.report import moments
from service.store import Event

Json = dict[str, Any]
WORDS = {
    "es": {
        "moves": "jugadas", "playing": "en juego", "finished": "terminada", "player": "Jugador", "total": "Puntos",
        "lines": "Por qué", "move": "Jugada", "points": "Puntos", "evidence": "Prueba", "page": "Página",
        "aside": "fuera: ya no es legal", "none": "Todavía no hay jugadas.",
    },
    "en": {
        "moves": "moves", "playing": "being played", "finished": "finished", "player": "Player", "total": "Points",
        "lines": "Why", "move": "Move", "points": "Points", "evidence": "Evidence", "page": "Page",
        "aside": "set aside: no longer legal", "none": "There are no moves yet.",
    },
}  # fmt: skip
MARGIN = 16 * mm
PICTURE = (42 * mm, 26 * mm)  # the largest that a crop is shown
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=18, leading=22, spaceAfter=2)
SMALL = ParagraphStyle("small", fontName="Helvetica", fontSize=9, leading=11, textColor=colors.HexColor("#555555"))
TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=9.5, leading=12)
WRONG = ParagraphStyle("wrong", parent=TEXT, textColor=colors.HexColor("#a00000"))
HEAD = ParagraphStyle("head", parent=TEXT, fontName="Helvetica-Bold")
LINES = TableStyle(
    [
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.HexColor("#cccccc")),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 3),
        ("RIGHTPADDING", (0, 0), (-1, -1), 3),
    ]
)


def export_pdf(match: Match, lang: str = "es") -> bytes:
    """The report as a PDF file of A4 pages in Spanish (`es`) or English (`en`)."""
    words = WORDS[lang]
    with match.lock:
        state = match.state()
        events = match.store.events(match.id)
    title = f"{match.info.title[0 if lang == 'es' else 1]}: {' · '.join(match.record.players)}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(match.record.created))
    status = words[str(state["status"])]
    story: list[Flowable] = [
        _text(title, TITLE),
        _text(f"{when} · {len(state['moves'])} {words['moves']} · {status}", SMALL),
        Spacer(1, 6 * mm),
        _totals(state, words, lang),
        Spacer(1, 8 * mm),
        _moves(match, moments(state, events, lang), events, words, lang),
    ]
    file = io.BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
        title=_printable(title),
        author="Tapete",
    )

    def foot(canvas: Canvas, page: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawRightString(A4[0] - MARGIN, 9 * mm, f"{words['page']} {page.page}")

    document.build(story, onFirstPage=foot, onLaterPages=foot)
    return file.getvalue()


def _printable(text: str) -> str:
    """The text in the letters that every PDF reader brings: Latin ones. Others become question marks."""
    return text.replace("→", "->").replace("−", "-").encode("cp1252", "replace").decode("cp1252")


def _text(text: str, style: ParagraphStyle = TEXT) -> Paragraph:
    return Paragraph(escape(_printable(text)), style)


def _totals(state: Json, words: dict[str, str], lang: str) -> Table:
    """Every player's total, and what it is made of."""
    rows: list[list[Any]] = [[_text(words[key], HEAD) for key in ("player", "total", "lines")]]
    for score in state["score"]:
        sums: dict[str, int] = {}
        for line in score["lines"]:
            sums[line[lang]] = sums.get(line[lang], 0) + line["points"]
        why = ", ".join(f"{cause} {points:+d}" for cause, points in sums.items() if points)
        rows.append([_text(score["name"]), _text(str(score["total"]), HEAD), _text(why, SMALL)])
    return Table(rows, colWidths=[45 * mm, 20 * mm, 113 * mm], style=LINES, repeatRows=1)


def _moves(match: Match, found: Sequence[Json], events: Sequence[Event], words: dict[str, str], lang: str) -> Flowable:
    """Moves and illegal sightings, each with its points and its picture."""
    if not found:
        return _text(words["none"])
    names = match.scorers()
    rows: list[list[Any]] = [[_text(words[key], HEAD) for key in ("move", "points", "evidence")]]
    for entry in found:
        event = events[entry["event"] - 1]
        picture = match.store.evidence(match.id, event.seq) if event.evidence else None
        points = ", ".join(
            f"{names[line['player']]} {line['points']:+d} ({match.referee.cause(line['cause'])[lang == 'en']})"
            for line in entry["points"]
        )
        text = f"{event.seq}. {entry['text']}" + (f" ({words['aside']})" if entry.get("was_move") else "")
        shown = _picture(picture) if picture is not None else ""
        rows.append([_text(text, WRONG if entry["aside"] else TEXT), _text(points), shown])
    return Table(rows, colWidths=[78 * mm, 54 * mm, 46 * mm], style=LINES, repeatRows=1)


def _picture(data: bytes) -> Flowable:
    """A crop at its own proportions; one that is damaged is left out rather than the report."""
    try:
        width, height = ImageReader(io.BytesIO(data)).getSize()
    except Exception:
        return _text("—", SMALL)
    scale = min(PICTURE[0] / max(1, width), PICTURE[1] / max(1, height))
    return Image(io.BytesIO(data), width * scale, height * scale)
