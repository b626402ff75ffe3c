"""The card reader: geometry, galleries, decisions, and whole pictures of drawn decks."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.cards import RESERVED, STYLES, back_sprite, card_sprite
from vision.cards import FACES, CardReader, Gallery, read_cards
from vision.cards.calibration import confidence_of
from vision.cards.covered import completed
from vision.cards.decide import Candidate, one_of_each, overlap, without_doubles
from vision.cards.faces import Face, FaceReader, merged
from vision.cards.gallery import GalleryError, deck_on_table, shipped
from vision.cards.geometry import (
    MARGIN,
    PATCH,
    SQUARE,
    decode_square,
    encode_square,
    flat_frame,
    flatten,
    size_hint,
    square_matrix,
    usable,
)
from vision.cards.labels import LABELS
from vision.cards.locate import expected_sizes, same_end, settled
from vision.detector import letterbox, suppress

READER = CardReader()


def laid(cards: list[tuple[np.ndarray, float, float, float]], size: tuple[int, int] = (1280, 720)) -> np.ndarray:
    """A picture of a plain cloth with sprites (BGRA) laid at (x, y), turned by degrees, about 190 px long."""
    rng = np.random.default_rng(1)
    canvas = np.full((size[1], size[0], 3), (70, 95, 60), np.uint8)
    for image, x, y, degrees in cards:
        scale = 190 / image.shape[0]
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        h, w = small.shape[:2]
        matrix = cv2.getRotationMatrix2D((w / 2, h / 2), -degrees, 1.0)
        matrix[:, 2] += [x - w / 2, y - h / 2]
        seen = cv2.warpAffine(small, matrix, size, flags=cv2.INTER_LINEAR)
        alpha = seen[..., 3:].astype(np.float32) / 255
        canvas = (seen[..., :3] * alpha + canvas * (1 - alpha)).astype(np.uint8)
    blurred = cv2.GaussianBlur(canvas, (0, 0), 0.7)
    return np.clip(blurred + rng.normal(0, 2, blurred.shape), 0, 255).astype(np.uint8)


def flat_cards(style: str, labels: tuple[str, ...]) -> np.ndarray:
    """Drawn cards as the face network sees them."""
    frame = flat_frame(PATCH, MARGIN)
    low, high = np.round(frame[0]).astype(int), np.round(frame[2]).astype(int)
    result = []
    for label in labels:
        picture = np.full((PATCH[1], PATCH[0], 3), 80, np.uint8)
        art = card_sprite(label, STYLES[style]).image[..., :3]
        size = tuple(int(v) for v in high - low)
        picture[low[1] : high[1], low[0] : high[0]] = cv2.resize(art, size, interpolation=cv2.INTER_AREA)
        result.append(picture)
    return np.stack(result)


def quad_at(angle: float, shear: float = 0.0) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    flat = np.array([[-0.3, -0.5], [0.3, -0.5], [0.3, 0.5], [-0.3, 0.5]]) @ np.array([[c, s], [-s, c]])
    return flat @ np.array([[1.2, shear], [0, 0.9]]) + [0.05, -0.1]


@pytest.mark.parametrize("angle", np.linspace(0, 2 * np.pi, 9))
@pytest.mark.parametrize("shear", [0.0, 0.2])
def test_eight_numbers_say_how_a_card_lies_up_to_half_a_turn(angle: float, shear: float) -> None:
    quad, box = quad_at(float(angle), shear), np.array([100.0, 100.0, 200.0, 260.0])
    quad = quad + np.array([[1], [-1], [1], [-1]]) * [0.03, -0.02]  # perspective: no parallelogram
    matrix = square_matrix(box)
    true = ((quad + 1) * SQUARE / 2 - matrix[:, 2]) / matrix[0, 0]
    told = decode_square(encode_square(quad), box)
    assert usable(told)
    assert min(np.abs(told - np.roll(true, k, 0)).max() for k in (0, 2)) < 1e-6
    assert np.allclose(encode_square(quad), encode_square(np.roll(quad, 2, 0)))


def test_flattening_brings_the_corners_to_the_frame() -> None:
    image = np.zeros((300, 300, 3), np.uint8)
    quad = np.array([[60, 50], [190, 70], [200, 250], [50, 240]], np.float32)
    cv2.fillConvexPoly(image, quad.astype(np.int32), (255, 255, 255))
    flat = flatten(image, quad)
    frame = flat_frame(PATCH, MARGIN)
    assert flat.shape == (PATCH[1], PATCH[0], 3)
    assert flat[60, 40].min() == 255
    assert flat[1, 1].max() == 0
    inside = flat[round(float(frame[0, 1])) + 3, round(float(frame[0, 0])) + 3]
    assert inside.min() > 200


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [10, 10], [10, 0], [0, 10]],
        [[0, 0], [0, 10], [10, 10], [10, 0]],
        [[0, 0], [1, 0], [1, 1], [0, 1]],
        [[0, 0], [np.nan, 0], [9, 9], [0, 9]],
    ],
    ids=["crossed", "anticlockwise", "tiny", "not a number"],
)
def test_impossible_corners_are_not_usable(corners: list[list[float]]) -> None:
    assert not usable(np.array(corners, float))


def test_two_answers_for_the_corners_are_averaged_only_where_they_agree() -> None:
    quad = np.array([[0, 0], [60, 0], [60, 100], [0, 100]], float)
    assert np.allclose(same_end(quad, np.roll(quad, 2, 0) + 1), quad + 1)
    assert np.allclose(settled([quad, quad + 2], quad), quad + 1)
    assert np.allclose(settled([quad, quad + 20], quad), quad)


def test_a_covered_card_is_expected_as_large_as_the_whole_ones_around_it() -> None:
    whole = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], float)
    squashed = whole * [1, 0.4]
    beside, far = np.array([80, 0]), np.array([2000, 0])
    near = np.stack([whole, np.add(whole, beside), np.add(squashed, 2 * beside)])
    assert np.allclose(expected_sizes(near), np.sqrt(60 * 90))
    both = np.stack([whole, np.add(whole, beside), np.add(0.5 * whole, far), np.add(0.5 * whole, far + beside)])
    expected = [np.sqrt(5400)] * 2 + [np.sqrt(1350)] * 2
    assert np.allclose(expected_sizes(both), expected), "perspective: a heap far away is small"


def test_the_seen_half_of_a_covered_card_is_completed_under_the_one_that_covers_it() -> None:
    card = np.array([[0, 0], [62, 0], [62, 95], [0, 95]], float) + 100
    cover = card + np.array([0, 50])
    seen = np.array([[100, 100], [162, 100], [162, 150], [100, 150]], float)
    size, picture = float(np.sqrt(62 * 95)), (400, 400)
    (whole,) = completed(seen, size, [cover], picture)
    assert np.allclose(sorted(whole.tolist()), sorted(card.tolist()), atol=1)
    assert np.linalg.norm(whole[3] - whole[0]) > np.linalg.norm(whole[1] - whole[0]), "the long side goes down"
    assert completed(seen, size, [], picture) == [], "nothing hides the rest: it is a small card"
    assert completed(card, size, [cover], picture) == [], "it is whole already"
    assert completed(seen, 0.0, [cover], picture) == [], "nobody knows how large it should be"
    below = seen + np.array([0, 250])  # its lower end lies at the picture's edge
    (cut,) = completed(below, size, [], picture)
    assert np.allclose(sorted(cut.tolist()), sorted((card + np.array([0, 250])).tolist()), atol=1)


def test_the_size_hint_grows_with_the_size_and_is_nothing_where_nobody_knows() -> None:
    assert size_hint(0.0) == size_hint(float("nan")) == 0.0
    hints = [size_hint(ratio) for ratio in (0.1, 0.4, 0.8, 1.2, 3.0, 9.0)]
    assert hints == sorted(hints)
    assert hints[0] == hints[1] == pytest.approx(0.2)
    assert hints[-1] == pytest.approx(1.0)


def test_looks_that_name_different_cards_are_in_discord() -> None:
    def look(label: int, turn: float = 0.1) -> Face:
        logits, unit = np.zeros(50), np.zeros(128)
        logits[label], unit[label] = 12, 1
        return Face(logits, unit, turn)

    agreed, apart = merged([look(3), look(3, 0.3)]), merged([look(3), look(9)])
    assert agreed.discord < 0.01
    assert apart.discord > 0.9
    assert agreed.upside_down == pytest.approx(0.2)
    assert np.linalg.norm(apart.embedding) == pytest.approx(1)


def candidate(label: str, sure: float, x: float, second: tuple[str, float] = ("comodin", 0.01)) -> Candidate:
    quad = np.array([[x, 0], [x + 60, 0], [x + 60, 95], [x, 95]], float)
    return Candidate((x, 0, x + 60, 95), quad, ((label, sure), second), 0.9)


def test_two_boxes_on_one_card_become_one() -> None:
    kept = without_doubles([candidate("7-copas", 0.7, 0), candidate("7-copas", 0.9, 4), candidate("7-copas", 0.9, 200)])
    assert sorted(c.corners[0, 0] for c in kept) == [4, 200]
    assert overlap(kept[0].corners, kept[0].corners) == pytest.approx(1)


def test_an_unclear_double_takes_its_close_second_reading() -> None:
    first, second = one_of_each([candidate("7-copas", 0.95, 0), candidate("7-copas", 0.5, 200, ("6-copas", 0.4))])
    assert (first.label, second.label) == ("7-copas", "6-copas")


def test_a_clear_double_stays_a_double() -> None:
    read = one_of_each([candidate("7-copas", 0.95, 0), candidate("7-copas", 0.93, 200, ("6-copas", 0.05))])
    assert [c.label for c in read] == ["7-copas", "7-copas"]


def test_confidence_grows_with_every_reason_for_it() -> None:
    assert confidence_of(0.99, 0.9, 0.0) > confidence_of(0.6, 0.9, 0.0)
    assert confidence_of(0.99, 0.9, 0.0) >= confidence_of(0.99, 0.9, 0.5)
    assert 0 < confidence_of(0.0, 0.0, 1.0) < 0.5 < confidence_of(1.0, 1.0, 0.0) < 1


def test_suppression_keeps_the_best_of_each_heap() -> None:
    boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [50, 50, 60, 60]], float)
    assert suppress(boxes, np.array([0.5, 0.9, 0.3]), 0.5) == [1, 2]


@pytest.mark.parametrize("shape", [(720, 1280), (3000, 200), (17, 17)])
def test_letterbox_is_whole_strides_and_never_larger_than_asked(shape: tuple[int, int]) -> None:
    canvas, scale = letterbox(np.zeros((*shape, 3), np.uint8), 640)
    assert canvas.shape[0] % 32 == canvas.shape[1] % 32 == 0
    assert max(canvas.shape) <= 640
    assert scale <= 1.5


@pytest.mark.parametrize("style", ["taberna", "plana", *RESERVED])
def test_flat_drawn_cards_are_known_to_the_shipped_gallery_either_way_up(style: str) -> None:
    labels = ("1-oros", "4-copas", "6-espadas", "7-bastos", "10-oros", "11-copas", "12-espadas", "9-bastos")
    reader = FaceReader()
    (gallery,) = shipped(reader.version)
    for flats in (flat_cards(style, labels), flat_cards(style, labels)[:, ::-1, ::-1]):
        faces = reader.read(flats)
        read = [LABELS[int(gallery.similarities(face.embedding).argmax())] for face in faces]
        assert read == list(labels)
        assert deck_on_table(faces, [gallery]) is gallery


def test_a_drawn_table_is_read_with_boxes_corners_and_backs() -> None:
    style = STYLES["taberna"]
    spots = {"4-oros": (200, 200, 10), "1-espadas": (500, 220, 95), "12-copas": (820, 250, 200)}
    spots["7-bastos"] = (300, 520, 300)
    cards = [(card_sprite(label, style).image, *spot) for label, spot in spots.items()]
    image = laid([*cards, (back_sprite(style).image, 900, 540, 30)])
    pieces = read_cards(image)
    by_label = {piece.label: piece for piece in pieces if piece.kind == "card"}
    assert set(by_label) == set(spots)
    assert [piece.kind for piece in pieces].count("back") == 1
    for label, (x, y, _) in spots.items():
        piece = by_label[label]
        assert np.hypot(piece.centre[0] - x, piece.centre[1] - y) < 12
        assert piece.box is not None
        assert piece.box[0] <= x <= piece.box[2]
        assert piece.box[1] <= y <= piece.box[3]
        assert 0.5 <= piece.confidence <= 1
        sides = np.linalg.norm(np.roll(np.array(piece.corners), -1, 0) - np.array(piece.corners), axis=1)
        assert sides[[1, 3]].mean() > 1.3 * sides[[0, 2]].mean()


@pytest.mark.parametrize("shape", [(1, 1, 3), (15, 400, 3), (40, 40, 3), (720, 1280, 3)])
def test_an_empty_picture_has_no_cards(shape: tuple[int, int, int]) -> None:
    assert read_cards(np.full(shape, 128, np.uint8)) == []


def enrolled(style: str, labels: tuple[str, ...]) -> Gallery:
    reader = FaceReader()
    gallery = Gallery(style, reader.version)
    for label, flat in zip(labels, flat_cards(style, labels), strict=True):
        gallery = gallery.add(label, flat, reader)
    return gallery


def test_a_gallery_round_trips_with_its_pictures(tmp_path: Path) -> None:
    gallery = enrolled("taberna", ("1-oros", "5-copas"))
    gallery.save(tmp_path / "mine.npz")
    again = Gallery.load(tmp_path / "mine.npz")
    assert (again.name, again.version, again.labels) == (gallery.name, gallery.version, gallery.labels)
    assert np.allclose(again.embeddings, gallery.embeddings, atol=1e-3)
    assert again.pictures == gallery.pictures
    assert again.missing(FACES[:2]) == ["2-oros"]
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.npz"]


@pytest.mark.parametrize("damage", [b"", b"not a gallery", None], ids=["empty", "text", "cut short"])
def test_a_damaged_gallery_is_refused_with_a_word(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "mine.npz"
    enrolled("taberna", ("1-oros",)).save(path)
    path.write_bytes(path.read_bytes()[:-200] if damage is None else damage)
    with pytest.raises(GalleryError, match="mine"):
        Gallery.load(path)


def test_a_gallery_of_an_older_network_is_renewed_from_its_pictures() -> None:
    reader = FaceReader()
    gallery = enrolled("taberna", ("1-oros", "5-copas"))
    old = Gallery(gallery.name, "older", gallery.labels, np.zeros_like(gallery.embeddings), gallery.pictures)
    with pytest.raises(GalleryError, match="another network"):
        old.add("2-oros", flat_cards("taberna", ("2-oros",)), reader)
    new = old.renewed(reader)
    assert new.version == reader.version
    assert (new.embeddings * gallery.embeddings).sum(1).min() > 0.95
    with pytest.raises(GalleryError, match="teach it again"):
        Gallery("bare", "older", gallery.labels, gallery.embeddings, (b"", b"")).renewed(reader)


def test_a_gallery_finds_its_own_cards_and_forgets_a_label() -> None:
    labels = ("1-oros", "5-copas", "11-bastos")
    gallery = enrolled("test-feria", labels)
    for label, face in zip(labels, FaceReader().read(flat_cards("test-feria", labels)), strict=True):
        assert LABELS[int(gallery.similarities(face.embedding).argmax())] == label
        assert gallery.knows(face.embedding)
    assert gallery.without("5-copas").labels == ("1-oros", "11-bastos")
    with pytest.raises(GalleryError, match="not a Spanish card"):
        gallery.with_card("queen", gallery.embeddings[0])


def test_noise_is_unknown_to_a_gallery() -> None:
    gallery = enrolled("taberna", FACES[:12])
    rng = np.random.default_rng(3)
    noise = cv2.blur(rng.integers(0, 255, (PATCH[1], PATCH[0], 3)).astype(np.uint8), (9, 9))[None]
    assert not gallery.knows(FaceReader().read(noise)[0].embedding)


def test_the_deck_on_the_table_is_recognised() -> None:
    labels = ("2-oros", "5-copas", "7-espadas", "12-bastos")
    galleries = [enrolled("plana", labels), enrolled("test-mesón", labels)]
    faces = FaceReader().read(flat_cards("test-mesón", labels[:3]))
    chosen = deck_on_table(faces, galleries)
    assert chosen is not None
    assert chosen.name == "test-mesón"
    assert deck_on_table([], galleries) is None


def test_looks_give_upright_flat_pictures_for_teaching() -> None:
    image = laid([(card_sprite("12-copas", STYLES["taberna"]).image, 600, 360, 170)])
    looks = READER.looks(image)
    assert len(looks) == 1
    upright = cv2.resize(flat_cards("taberna", ("12-copas",))[0], READER.faces.size).astype(float)
    same = np.abs(looks[0].flat.astype(float) - upright)[10:-10, 10:-10].mean()
    turned = np.abs(looks[0].flat[::-1, ::-1].astype(float) - upright)[10:-10, 10:-10].mean()
    assert same < turned
    assert looks[0].embedding.shape == (128,)
