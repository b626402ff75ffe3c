"""Rectangular pieces laid out on sheets: as many as fit, centred, with crop marks, so that both sides meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from datasets.art.canvas import Canvas, rounded_rect
from datasets.kits.sheet import EDGE, GREY, HAIR, PAPERS, RULER_MM, Book, Page

GAP = 3.0
MARK = 2.5  # length of a crop mark
MARK_AWAY = 1.4  # its distance from the piece
RULER_ROOM = 7.0
BLEED = 1.2  # how far art goes on beyond the cut, where it has to


@dataclass(frozen=True, slots=True)
class Grid:
    """How pieces of one size lie on one paper."""

    landscape: bool
    columns: int
    rows: int
    piece: tuple[float, float]
    page: tuple[float, float]

    @property
    def count(self) -> int:
        """Pieces on a page."""
        return self.columns * self.rows

    def origin(self, k: int, mirrored: bool = False) -> tuple[float, float]:
        """The upper left corner of place `k` of a page, rows first; `mirrored` is the same place seen from behind."""
        row, column = divmod(k, self.columns)
        if mirrored:
            column = self.columns - 1 - column
        w, h = self.piece
        left = (self.page[0] - self.columns * w - (self.columns - 1) * GAP) / 2
        top = (self.page[1] - self.rows * h - (self.rows - 1) * GAP) / 2
        return left + column * (w + GAP), top + row * (h + GAP)


def fit(paper: str, piece: tuple[float, float]) -> Grid:
    """The layout with the most pieces that leaves room for crop marks, and for the ruler beside or below them."""
    best: Grid | None = None
    around = EDGE - 1.5 + 4.0
    for landscape in (False, True):
        w, h = PAPERS[paper][::-1] if landscape else PAPERS[paper]
        for columns in range(1, int(w // piece[0]) + 1):
            for rows in range(1, int(h // piece[1]) + 1):
                free_x = (w - columns * piece[0] - (columns - 1) * GAP) / 2
                free_y = (h - rows * piece[1] - (rows - 1) * GAP) / 2
                if min(free_x, free_y) < around or max(free_x, free_y) < around + RULER_ROOM - 3:
                    continue
                grid = Grid(landscape, columns, rows, piece, (w, h))
                if best is None or grid.count > best.count:
                    best = grid
    if best is None:
        raise ValueError(f"a piece of {piece[0]:g} × {piece[1]:g} mm does not fit {paper}")
    return best


def crop_marks(page: Page, grid: Grid, count: int) -> None:
    """Marks outside the block of pieces, on every line where a knife has to go."""
    w, h = grid.piece
    columns, rows = min(count, grid.columns), -(-count // grid.columns)
    x0, y0 = grid.origin(0)
    x1, y1 = x0 + grid.columns * w + (grid.columns - 1) * GAP, y0 + rows * h + (rows - 1) * GAP
    if rows == 1:
        x1 = x0 + columns * w + (columns - 1) * GAP
    for column in range(grid.columns if rows > 1 else columns):
        left = x0 + column * (w + GAP)
        for x in (left, left + w):
            page.line([(x, y0 - MARK_AWAY - MARK), (x, y0 - MARK_AWAY)], GREY, 0.15)
            page.line([(x, y1 + MARK_AWAY), (x, y1 + MARK_AWAY + MARK)], GREY, 0.15)
    for row in range(rows):
        top = y0 + row * (h + GAP)
        for y in (top, top + h):
            page.line([(x0 - MARK_AWAY - MARK, y), (x0 - MARK_AWAY, y)], GREY, 0.15)
            page.line([(x1 + MARK_AWAY, y), (x1 + MARK_AWAY + MARK, y)], GREY, 0.15)


def furniture(page: Page, grid: Grid, words: str) -> None:
    """The ruler and the page's words, in whichever margin is the wider one."""
    x0, y0 = grid.origin(0)
    room = EDGE - 1.5
    if x0 >= y0:
        page.ruler(room, (page.height - RULER_MM) / 2, upright=True)
        page.text(page.width - room - 2.5, page.height / 2, words, 2.6, "middle", GREY, turn=90)
    else:
        page.ruler(x0, page.height - room - 5.6)
        page.text(page.width - x0, page.height - room - 2.6, words, 2.6, "right", GREY)


def lay_out(
    book: Book, faces: Sequence[Canvas], words: str, radius: float = 0.0, bleed: float = 0.0,
    backs: Callable[[int], Canvas] | None = None, write: Callable[[Page, int, float, float], None] | None = None,
) -> Grid:  # fmt: skip
    """Pages of pieces; with `backs` each page is followed by its other side, turned over like the page of a book.

    `write` adds the words of piece `index`, whose upper left corner is given, to a page.
    """
    grid = fit(book.paper, (faces[0].width, faces[0].height))
    total = -(-len(faces) // grid.count)
    for number in range(total):
        part = list(range(number * grid.count, min(len(faces), (number + 1) * grid.count)))
        for behind in (False, True) if backs is not None else (False,):
            page = book.page(grid.landscape)
            for k, index in enumerate(part):
                x, y = grid.origin(k, behind)
                art = backs(index) if behind and backs is not None else faces[index]
                page.put(art, x, y, bleed)
                if write is not None and not behind:
                    write(page, index, x, y)
                if not behind and bleed == 0:
                    outline = rounded_rect(x, y, *grid.piece, radius)
                    page.line(outline, HAIR, 0.1, closed=True)
            if not behind:
                crop_marks(page, grid, len(part))
            side = (" · reverso" if behind else " · anverso") if backs is not None else ""
            furniture(page, grid, f"Tapete · {words}{side} · {number + 1}/{total}")
    return grid
