"""Sheets of paper in millimetres: art placed at true size, words, crop marks and a ruler to check the printer by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas as Pdf

from datasets.art.canvas import Canvas, Color, Point

PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
UNIT = 72.0 / 25.4  # points per millimetre
EDGE = 5.0  # printers leave this much of a sheet white
BLACK: Color = (0, 0, 0)
GREY: Color = (110, 110, 110)
HAIR: Color = (190, 190, 190)
RULER_MM = 100.0


class Book:
    """A PDF of one kit. Pages are added one by one; `close` writes the file."""

    def __init__(self, target: str | Path | BinaryIO, paper: str, title: str) -> None:
        if paper not in PAPERS:
            raise ValueError(f"no paper {paper!r}: one of {', '.join(PAPERS)}")
        self.paper = paper
        self.size = PAPERS[paper]
        self.title = title
        self.pages = 0
        # `invariant` leaves date and random ids out: the same kit is always the same file.
        self._pdf = Pdf(str(target) if isinstance(target, Path) else target, pageCompression=1, invariant=1)
        self._pdf.setTitle(title)
        self._pdf.setAuthor("Tapete")
        self._pdf.setViewerPreference("PrintScaling", "None")
        self._open = False
        self._forms: dict[Canvas, str] = {}

    def page(self, landscape: bool = False) -> Page:
        """A new page."""
        if self._open:
            self._pdf.showPage()
        w, h = self.size
        if landscape:
            w, h = h, w
        self._pdf.setPageSize((w * UNIT, h * UNIT))
        self._open = True
        self.pages += 1
        return Page(self._pdf, w, h, self._forms)

    def close(self) -> int:
        """Write the file; the number of pages."""
        self._pdf.showPage()
        self._pdf.save()
        return self.pages


@dataclass(frozen=True)
class Page:
    """One sheet, the origin in its upper left corner, y downwards, millimetres."""

    pdf: Pdf
    width: float
    height: float
    forms: dict[Canvas, str]

    def put(
        self, canvas: Canvas, x: float, y: float, bleed: float | None = None, clip: Sequence[Point] | None = None
    ) -> None:
        """Art with its upper left corner at (x, y); nothing is printed further than `bleed` mm outside of it."""
        self.pdf.saveState()
        if bleed is not None:
            clip = [(-bleed, -bleed), (canvas.width + bleed, -bleed),
                    (canvas.width + bleed, canvas.height + bleed), (-bleed, canvas.height + bleed)]  # fmt: skip
        if clip is not None:
            path = self.pdf.beginPath()
            for i, (px, py) in enumerate(clip):
                (path.moveTo if i == 0 else path.lineTo)((x + px) * UNIT, (self.height - y - py) * UNIT)
            path.close()
            self.pdf.clipPath(path, stroke=0, fill=0)
        self.pdf.translate(x * UNIT, (self.height - y) * UNIT)
        self.pdf.doForm(self._form(canvas))
        self.pdf.restoreState()

    def _form(self, canvas: Canvas) -> str:
        """The art as a PDF form, stored once however often it is placed: fifty backs are one drawing."""
        if canvas not in self.forms:
            name = f"art{len(self.forms)}"
            spill = 5 * UNIT  # strokes may stick out of the drawing
            w, h = canvas.width * UNIT, canvas.height * UNIT
            self.pdf.beginForm(name, -spill, -h - spill, w + spill, spill)
            canvas.to_pdf(self.pdf, 0, 0)
            self.pdf.endForm()
            self.forms[canvas] = name
        return self.forms[canvas]

    def line(self, points: Sequence[Point], color: Color = BLACK, width: float = 0.2, closed: bool = False) -> None:
        """A stroked line with square ends."""
        self.pdf.saveState()
        self.pdf.setStrokeColorRGB(*(v / 255 for v in color))
        self.pdf.setLineWidth(width * UNIT)
        self.pdf.setLineCap(0)
        path = self.pdf.beginPath()
        for i, (x, y) in enumerate(points):
            (path.moveTo if i == 0 else path.lineTo)(x * UNIT, (self.height - y) * UNIT)
        if closed:
            path.close()
        self.pdf.drawPath(path, stroke=1, fill=0)
        self.pdf.restoreState()

    def text(
        self, x: float, y: float, words: str, size: float = 3.2, align: str = "left", color: Color = BLACK,
        turn: float = 0.0, bold: bool = False,
    ) -> None:  # fmt: skip
        """Words `size` mm high, their baseline at (x, y); `turn` is degrees clockwise."""
        font = "Helvetica-Bold" if bold else "Helvetica"
        self.pdf.saveState()
        self.pdf.translate(x * UNIT, (self.height - y) * UNIT)
        self.pdf.rotate(-turn)
        self.pdf.setFillColorRGB(*(v / 255 for v in color))
        self.pdf.setFont(font, size * UNIT)
        draw = {"left": self.pdf.drawString, "middle": self.pdf.drawCentredString, "right": self.pdf.drawRightString}
        draw[align](0, 0, words)
        self.pdf.restoreState()

    def ruler(self, x: float, y: float, upright: bool = False) -> None:
        """A rule of 100 mm from (x, y) to the right, or downwards; its ends are the ticks of 0 and 10 cm."""
        for mm in range(int(RULER_MM) + 1):
            tick = 3.4 if mm % 10 == 0 else 2.4 if mm % 5 == 0 else 1.4
            ends = [(x, y + mm), (x + tick, y + mm)] if upright else [(x + mm, y), (x + mm, y + tick)]
            self.line(ends, BLACK, 0.12)
        for cm in range(0, 11, 5):
            mm = cm * 10
            if upright:
                self.text(x + 4.2, y + mm + (0.8 if mm < 100 else 0.0), str(cm), 2.4)
            else:
                self.text(x + mm, y + 6.0, f"{cm} cm" if cm == 10 else str(cm), 2.4, "middle")
        self.line([(x, y), (x, y + RULER_MM)] if upright else [(x, y), (x + RULER_MM, y)], BLACK, 0.12)


def words_width(words: str, size: float, bold: bool = False) -> float:
    """How long words of this size are, in millimetres."""
    return float(stringWidth(words, "Helvetica-Bold" if bold else "Helvetica", size * UNIT)) / UNIT


def wrap(words: str, width: float, size: float) -> list[str]:
    """Words broken into lines that fit a width."""
    lines: list[str] = []
    for word in words.split():
        if lines and words_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
