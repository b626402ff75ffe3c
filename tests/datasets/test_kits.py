"""Printable kits: each PDF is rasterised and measured, as a person with a ruler would."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.circuits import circuit_label
from datasets.kits import KITS, print_kit
from datasets.kits.grid import GAP, fit
from datasets.kits.pieces import tronix_cards
from service.cli import main
from vision.circuits.lines import CARD_PX, read_lines
from vision.circuits.reader import lines_label
from vision.table import MARKER_MM, MAT_MM, find_markers, from_markers, marker_layout

pdfium = pytest.importorskip(
    "pypdfium2", reason="pypdfium2 draws the PDF that is measured here (pip install -e .[test])"
)
SIZES = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}


@pytest.fixture(scope="module")
def kits() -> dict[tuple[str, str], bytes]:
    """Every kit on every paper, made once."""
    made = {}
    for name in KITS:
        for paper in SIZES:
            buffer = io.BytesIO()
            print_kit(name, buffer, paper)
            made[name, paper] = buffer.getvalue()
    return made


def raster(data: bytes, page: int, px_per_mm: float) -> np.ndarray:
    """A page as grey pixels, or as BGR ones."""
    document = pdfium.PdfDocument(data)
    return np.asarray(document[page].render(scale=px_per_mm * 25.4 / 72).to_numpy())[..., :3].copy()


def grey(data: bytes, page: int, px_per_mm: float) -> np.ndarray:
    return cv2.cvtColor(raster(data, page, px_per_mm), cv2.COLOR_BGR2GRAY)


def runs(row: np.ndarray, below: int) -> np.ndarray:
    """The middles of the dark runs along a row of pixels."""
    dark = np.concatenate([[0], (row < below).astype(np.int8), [0]])
    starts, ends = np.flatnonzero(np.diff(dark) == 1), np.flatnonzero(np.diff(dark) == -1)
    return (starts + ends) / 2


def ruler_lengths(image: np.ndarray, px_per_mm: float) -> list[float]:
    """The lengths of all rulers on a page: 101 ticks, one millimetre apart, across the page or down it."""
    found = []
    for picture in (image, image.T):
        rises = ((picture[:, 1:] < 150) & (picture[:, :-1] >= 150)).sum(axis=1)
        for y in np.flatnonzero(rises >= 101):
            middles = runs(picture[y], 150)
            steps = np.diff(middles) / px_per_mm
            even = np.abs(steps - 1) < 0.2
            for k in range(len(even) - 99):
                if even[k : k + 100].all():
                    found.append(float(middles[k + 100] - middles[k]) / px_per_mm)
                    break
    return found


@pytest.mark.parametrize("paper", SIZES)
@pytest.mark.parametrize("name", KITS)
def test_every_page_has_the_size_of_its_paper_and_no_pixels(kits, name, paper):
    document = pdfium.PdfDocument(kits[name, paper])
    assert len(document) >= 1
    for page in document:
        size = sorted(v * 25.4 / 72 for v in page.get_size())
        assert size == pytest.approx(sorted(SIZES[paper]), abs=0.05)
        kinds = {item.type for item in page.get_objects(max_depth=3)}
        assert pdfium.raw.FPDF_PAGEOBJ_IMAGE not in kinds


@pytest.mark.parametrize(("name", "paper"), [("deck", "a4"), ("triominos", "letter"), ("tronix", "a4"),
                                             ("tronix", "letter"), ("trama", "a4"), ("trichon", "letter"),
                                             ("mat", "a4"), ("mat", "letter")])  # fmt: skip
def test_the_ruler_is_ten_centimetres(kits, name, paper):
    lengths = ruler_lengths(grey(kits[name, paper], 0, 8), 8)
    assert lengths
    assert lengths == pytest.approx([100.0] * len(lengths), abs=0.15)


def test_a_false_scale_would_be_noticed(kits):
    page = grey(kits["mat", "a4"], 0, 8)
    shrunk = cv2.resize(page, None, fx=0.97, fy=0.97, interpolation=cv2.INTER_AREA)
    assert all(abs(length - 100) > 1 for length in ruler_lengths(shrunk, 8))


@pytest.mark.parametrize("paper", SIZES)
def test_the_mat_calibrates_a_camera(kits, paper):
    scale = 4.0
    page = raster(kits["mat", paper], 0, scale)
    height, width = page.shape[:2]
    seen = find_markers(page)
    assert set(seen) == {0, 1, 2, 3}
    offset = (np.array([width, height]) / scale - MAT_MM) / 2
    for number, corners in marker_layout().items():
        assert np.abs((seen[number] + 0.5) / scale - offset - corners).max() < 0.2
    # The same sheet on a table, seen at a slant.
    target = np.array([[210, 160], [1060, 130], [1190, 640], [120, 610]], np.float32)
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    photo = cv2.warpPerspective(page, matrix, (1280, 720), flags=cv2.INTER_AREA, borderValue=(60, 90, 70))
    calibration = from_markers(photo)
    assert calibration.error_mm < 0.6
    centre = cv2.perspectiveTransform(np.array([[[width / 2, height / 2]]], np.float32), matrix)[0, 0]
    assert calibration.to_table([tuple(centre)])[0] == pytest.approx((MAT_MM[0] / 2, MAT_MM[1] / 2), abs=1.0)


@pytest.mark.parametrize("paper", SIZES)
def test_the_corner_cards_have_their_markers_at_true_size(kits, paper):
    seen = find_markers(raster(kits["mat", paper], 1, 6))
    assert set(seen) == {4, 5, 6, 7}
    for corners in seen.values():
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / 6
        assert sides == pytest.approx([MARKER_MM] * 4, abs=0.25)
    centres = {number: corners.mean(axis=0) for number, corners in seen.items()}
    assert centres[4][0] < centres[5][0]
    assert centres[7][0] < centres[6][0]
    assert centres[4][1] < centres[7][1]
    assert centres[5][1] < centres[6][1]


@pytest.mark.parametrize(("name", "paper", "size"), [("deck", "a4", (61.5, 95.0)), ("deck", "letter", (61.5, 95.0)),
                                                     ("tronix", "a4", (63.0, 88.0)),
                                                     ("tronix", "letter", (63.0, 88.0))])  # fmt: skip
def test_crop_marks_cut_cards_of_the_right_size(kits, name, paper, size):
    """The marks in the upper and in the left margin stand a card, a gap, a card … apart."""
    scale = 8
    page = grey(kits[name, paper], 0, scale)
    grid = fit(paper, size)
    for picture, count, length in ((page, grid.columns, size[0]), (page.T, grid.rows, size[1])):
        want = [length if k % 2 == 0 else GAP for k in range(2 * count - 1)]
        for line in picture[: int(25 * scale)]:
            middles = runs(line, 170)
            steps = np.diff(middles) / scale
            if len(steps) == len(want) and np.abs(steps - want).max() < 0.15:
                break
        else:
            pytest.fail(f"no crop marks {want} mm apart")


@pytest.mark.parametrize("paper", SIZES)
def test_every_tronix_card_has_its_own_back_behind_it(kits, paper):
    """Each face is read by the eyes; the back is looked up where it comes to lie when the sheet is turned over."""
    scale = 2.0
    cards = tronix_cards()
    grid = fit(paper, (63.0, 88.0))
    document = pdfium.PdfDocument(kits["tronix", paper])
    assert len(document) == 2 * -(-len(cards) // grid.count)
    for index, card in enumerate(cards):
        sheet, place = divmod(index, grid.count)
        if place == 0:
            front, back = (raster(kits["tronix", paper], 2 * sheet + k, scale) for k in (0, 1))
        x, y = grid.origin(place)
        width = front.shape[1] / scale
        for picture, left, lines in ((front, x, card["front"]), (back, width - x - 63.0, card["back"])):
            cut = picture[round(y * scale) : round((y + 88) * scale), round(left * scale) : round((left + 63) * scale)]
            reading = read_lines(cv2.resize(cut, CARD_PX, interpolation=cv2.INTER_LINEAR))
            assert lines_label(reading.lines) == circuit_label(lines)
            assert reading.confidence > 0.9


def test_the_deck_is_fifty_cards_with_backs_behind_them(kits):
    document = pdfium.PdfDocument(kits["deck", "a4"])
    assert len(document) == 14
    first, behind, last = (grey(kits["deck", "a4"], k, 2) for k in (0, 1, 12))
    grid = fit("a4", (61.5, 95.0))

    def marked(page: np.ndarray, mirrored: bool) -> list[bool]:
        spots = [grid.origin(k, mirrored) for k in range(grid.count)]
        return [bool((page[int(2 * y) + 20 : int(2 * y) + 170, int(2 * x) + 20 : int(2 * x) + 103] < 200).mean() > 0.02)
                for x, y in spots]  # fmt: skip

    assert marked(first, False) == [True] * 8
    assert marked(behind, True) == [True] * 8
    assert marked(last, False) == [True] * 2 + [False] * 6


def test_a_loom_has_its_holes_on_the_lanes(kits):
    scale = 6
    page = grey(kits["trama", "letter"], 0, scale)
    count, _, stats, centres = cv2.connectedComponentsWithStats((page < 45).astype(np.uint8))
    area = np.pi * (2.0 * scale) ** 2
    holes = np.array([centres[k] for k in range(1, count) if 0.8 * area < stats[k, 4] < 1.1 * area]) / scale
    assert len(holes) == 32
    xs, ys = np.unique(np.round(holes[:, 0], 0)), np.unique(np.round(holes[:, 1], 0))
    assert len(xs) == len(ys) == 10  # eight lanes and the two rows of holes at their ends
    for values in (holes[:, 0], holes[:, 1]):
        lanes = np.sort([np.mean(values[np.abs(values - v) < 1]) for v in np.unique(np.round(values))])
        assert np.diff(lanes) == pytest.approx([15.0] * 9, abs=0.1)


@pytest.mark.parametrize("paper", SIZES)
def test_triominoes_have_sides_of_38_mm(kits, paper):
    scale = 8
    page = grey(kits["triominos", paper], 0, scale)
    long = (page < 225).sum(axis=1) > 120 * scale  # rows that are nearly all hairline
    lines = runs(np.where(long, 0, 255), 128) / scale
    rise = 38 * np.sqrt(3) / 2
    assert np.diff(lines[:8]) == pytest.approx([rise] * 7, abs=0.15)


def test_the_trichon_board_has_twelve_columns_and_four_rows(kits):
    scale = 6
    page = grey(kits["trichon", "letter"], 0, scale)
    columns = runs(np.where((page < 150).sum(axis=0) > 110 * scale, 0, 255), 128) / scale
    rows = runs(np.where((page < 150).sum(axis=1) > 200 * scale, 0, 255), 128) / scale
    assert np.diff(columns)[1:] == pytest.approx([20.0] * 12, abs=0.3)
    assert np.diff(rows)[1:] == pytest.approx([30.0] * 4, abs=0.3)


def test_a_kit_is_always_the_same_file(kits):
    again = io.BytesIO()
    print_kit("mat", again, "a4")
    assert again.getvalue() == kits["mat", "a4"]


def test_the_command_line(tmp_path: Path, capsys):
    assert main(["print", "--list"]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in KITS)
    target = tmp_path / "board.pdf"
    assert main(["print", "trichon", "-o", str(target), "--paper", "letter"]) == 0
    assert target.read_bytes().startswith(b"%PDF")
    assert [path.name for path in tmp_path.iterdir()] == ["board.pdf"]
    assert main(["print", "chess"]) == 1
    assert "the kits are" in capsys.readouterr().err
    assert main(["print", "trichon", "-o", str(tmp_path / "nowhere" / "x.pdf")]) == 1
    assert "cannot write" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no paper"):
        print_kit("mat", io.BytesIO(), "a3")
