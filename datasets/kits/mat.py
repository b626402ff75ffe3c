"""The table mat: a sheet with four markers in its corners, and four loose corner cards for tables of any size."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.art.canvas import Canvas, rounded_rect
from datasets.kits.grid import Grid, crop_marks
from datasets.kits.sheet import EDGE, GREY, HAIR, Book, Page, wrap
from vision.table import CARD_MM, CORNER_CARDS, MARKER_MM, MARKERS, MAT_MM, marker_layout

CORNER_CARD_MM = (50.0, 50.0)


def marker_canvas(number: int, size: float = MARKER_MM) -> Canvas:
    """An ArUco marker as black squares, its black border included in the size."""
    cells = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(MARKERS), number, 6)
    canvas = Canvas(size, size)
    step = size / 6
    # One path with its white cells as holes: squares drawn one by one would leave hairlines where they touch.
    holes = [
        rounded_rect(float(column) * step, float(row) * step, step, step, 0) for row, column in np.argwhere(cells > 127)
    ]
    canvas.fill(rounded_rect(0, 0, size, size, 0), *holes, color=(0, 0, 0))
    return canvas


def mat(book: Book) -> None:
    """The sheet with markers 0 to 3, then the corner cards 4 to 7."""
    page = book.page(landscape=True)
    x0, y0 = (page.width - MAT_MM[0]) / 2, (page.height - MAT_MM[1]) / 2
    for number, corners in marker_layout().items():
        x, y = corners[0]
        page.put(marker_canvas(number), x0 + float(x), y0 + float(y))
    middle, centre = page.width / 2, page.height / 2
    page.text(middle, y0 + 10, "Tapete", 9, "middle", bold=True)
    page.text(middle, y0 + 16, "tapete de calibración · calibration mat", 3.4, "middle", GREY)
    page.ruler(middle - 50, y0 + 22)
    words = (
        ("Imprima al 100 %, sin «ajustar a la página». La regla debe medir 10 cm justos y una carta española "
         "(61,5 × 95 mm) debe caber en el rectángulo. Deje el tapete plano, a la vista de la cámara."),
        ("Print at 100 %, without “fit to page”. The ruler must measure exactly 10 cm and a Spanish card "
         "(61.5 × 95 mm) must fit the rectangle. Keep the mat flat and in the camera's sight."),
    )  # fmt: skip
    left = x0 + MARKER_MM + 8
    card_x = x0 + MAT_MM[0] - MARKER_MM - 8 - CARD_MM[0]
    page.line(rounded_rect(card_x, centre - CARD_MM[1] / 2 + 8, *CARD_MM, 3.5), GREY, 0.2, closed=True)
    page.text(card_x + CARD_MM[0] / 2, centre + 8, "61,5 × 95 mm", 3.2, "middle", GREY)
    y = centre - 20.0
    for paragraph in words:
        for line in wrap(paragraph, card_x - left - 10, 3.6):
            page.text(left, y, line, 3.6)
            y += 5.2
        y += 5
    page.text(
        middle, page.height - EDGE - 2, f"{MAT_MM[0]:g} × {MAT_MM[1]:g} mm entre las esquinas exteriores de las marcas "
        f"· between the markers' outer corners · {book.paper.upper()}", 2.6, "middle", GREY,
    )  # fmt: skip
    _corner_cards(book)


def _corner_cards(book: Book) -> None:
    page = book.page()
    grid = Grid(False, 2, 2, CORNER_CARD_MM, (page.width, page.height))
    names = ("arriba izquierda · upper left", "arriba derecha · upper right",
             "abajo derecha · lower right", "abajo izquierda · lower left")  # fmt: skip
    for k, number in enumerate((CORNER_CARDS[0], CORNER_CARDS[1], CORNER_CARDS[3], CORNER_CARDS[2])):
        x, y = grid.origin(k)
        w, h = CORNER_CARD_MM
        page.put(marker_canvas(number), x + (w - MARKER_MM) / 2, y + (h - MARKER_MM) / 2 - 1.5)
        page.text(x + w / 2, y + h - 3.5, names[number - CORNER_CARDS[0]], 2.6, "middle", GREY)
        page.line(rounded_rect(x, y, w, h, 0), HAIR, 0.1, closed=True)
    crop_marks(page, grid, 4)
    middle = page.width / 2
    page.text(middle, 28, "Esquinas sueltas · loose corner cards", 6, "middle", bold=True)
    _paragraph(page, 38, "Recorte las cuatro tarjetas y póngalas en las esquinas de la mesa, con el texto hacia el "
               "jugador de abajo. Basta con que la cámara vea dos.")  # fmt: skip
    _paragraph(page, 54, "Cut out the four cards and lay them in the corners of the table. The camera has to see at "
               "least two of them.")  # fmt: skip
    page.ruler(middle - 50, page.height - 40)
    page.text(middle, page.height - 46, "10 cm justos · exactly 10 cm", 2.8, "middle", GREY)


def _paragraph(page: Page, y: float, words: str) -> None:
    for i, line in enumerate(wrap(words, 150, 3.6)):
        page.text(page.width / 2, y + 5.2 * i, line, 3.6, "middle")
