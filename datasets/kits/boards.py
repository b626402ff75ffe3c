"""The Trichón board: twelve columns of numbers by four rows of suits, to be marked with a pencil."""

from __future__ import annotations

from datasets.art.canvas import Canvas, Color, rounded_rect
from datasets.art.digits import Typeface, draw_number
from datasets.art.suits import SuitInk, draw_suit
from datasets.kits.sheet import EDGE, GREY, Book

ROWS = ("espadas", "copas", "oros", "bastos")
COLUMNS = 12
CELL = (20.0, 30.0)
HEAD = (16.0, 13.0)  # width of the column of suits, height of the row of numbers
LINE: Color = (40, 60, 120)
PALE: Color = (236, 240, 248)


def board_canvas() -> Canvas:
    """The empty board at true size."""
    width, height = HEAD[0] + COLUMNS * CELL[0], HEAD[1] + len(ROWS) * CELL[1]
    canvas = Canvas(width, height)
    canvas.rect(HEAD[0], 0, width - HEAD[0], HEAD[1], PALE)
    canvas.rect(0, HEAD[1], HEAD[0], height - HEAD[1], PALE)
    face, ink = Typeface(), SuitInk()
    for column in range(COLUMNS):
        with canvas.at(HEAD[0] + (column + 0.5) * CELL[0], HEAD[1] / 2):
            draw_number(canvas, str(column + 1), 6.5, face, LINE)
    for row, suit in enumerate(ROWS):
        with canvas.at(HEAD[0] / 2, HEAD[1] + (row + 0.5) * CELL[1], 0, 20 if suit in ("espadas", "bastos") else 12):
            draw_suit(canvas, suit, ink)
    for column in range(COLUMNS + 1):
        x = HEAD[0] + column * CELL[0]
        canvas.line([(x, 0), (x, height)], LINE, 0.25)
    for row in range(len(ROWS) + 1):
        y = HEAD[1] + row * CELL[1]
        canvas.line([(0, y), (width, y)], LINE, 0.25)
    canvas.line(rounded_rect(0, 0, width, height, 0), LINE, 0.8, closed=True)
    return canvas


def trichon(book: Book) -> None:
    """One board on a sheet, with room for the two players' points."""
    page = book.page(landscape=True)
    art = board_canvas()
    x, y = (page.width - art.width) / 2, 26.0
    page.text(x, y - 7, "Trichón", 8, bold=True)
    page.text(x + art.width, y - 7, "tres en línea ortogonal: un punto · three in an orthogonal line: one point", 3.0,
              "right", GREY)  # fmt: skip
    page.put(art, x, y)
    for player, turn in enumerate(("Jugador 1", "Jugador 2")):
        top = y + art.height + 9 + 11 * player
        page.text(x, top + 5, turn, 3.6)
        page.line([(x + 20, top + 6), (x + 60, top + 6)], GREY, 0.2)
        for box in range(16):  # four rows of twelve hold no more than sixteen lines of three
            page.line(rounded_rect(x + 66 + box * 9.6, top, 7, 7, 0), GREY, 0.25, closed=True)
    page.ruler(x, page.height - EDGE - 5.5)
    page.text(x + art.width, page.height - EDGE - 2.3, "Tapete · tablero de Trichón", 2.6,
              "right", GREY)  # fmt: skip
