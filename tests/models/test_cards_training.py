"""How the card networks learn: composed scenes whose labels fit, flat cards, and a tiny training from end to end."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.cards import RESERVED, STYLES
from models.cards.classes import BACK, INDEX, LABELS
from models.cards.drawn import draw_deck
from models.cards.scenes import compose, heaps
from vision.cards.geometry import PATCH


@cache
def decks() -> dict[str, dict[str, np.ndarray]]:
    """One drawn deck of a few cards: no scan is needed to test how scenes are composed."""
    whole = draw_deck(STYLES["taberna"])
    return {"taberna": {label: whole[label] for label in ("1-oros", "7-copas", "12-espadas", "5-bastos", BACK)}}


def grounds() -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [cv2.resize(rng.integers(40, 120, (9, 9, 3), np.uint8), (400, 400)) for _ in range(2)]


def test_no_reserved_style_is_ever_learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.cards import drawn

    seen: list[str] = []
    monkeypatch.setattr(drawn, "draw_deck", lambda style: seen.append(style.name) or {BACK: np.zeros((2, 2, 3))})
    drawn.drawn_decks(tmp_path)
    assert seen
    assert not set(seen) & set(RESERVED)


def test_a_heap_leaves_only_slivers_of_its_lower_cards() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        spots = heaps(5, 200.0, (640, 480), rng)
        nearest = [np.sort(np.linalg.norm(spots[:, :2] - spot[:2], axis=1))[1] for spot in spots]
        assert spots.shape == (5, 3)
        assert np.median(nearest) < 0.5 * 200


def test_composed_scenes_say_where_their_cards_are() -> None:
    rng = np.random.default_rng(5)
    cards = 0
    for _ in range(6):
        scene = compose(decks(), grounds(), rng, (320, 320))
        assert scene.image.shape == (320, 320, 3)
        for card in scene.cards:
            cards += 1
            assert card.label in INDEX
            low, high = card.corners.min(0) - 3, card.corners.max(0) + 3
            assert (card.box[:2] >= low).all()
            assert (card.box[2:] <= high).all()
            assert 0 < card.visible <= 1.1
    assert cards > 6


def test_flat_cards_are_of_the_reader_s_size_and_know_their_face() -> None:
    pytest.importorskip("torch")
    from models.cards.flats import scanned_flat

    rng = np.random.default_rng(4)
    owners = {label: ["taberna"] if label in decks()["taberna"] else [] for label in LABELS}
    few = {label: names for label, names in owners.items() if names}
    for _ in range(5):
        drawn = {"taberna": {label: decks()["taberna"].get(label, decks()["taberna"]["1-oros"]) for label in LABELS}}
        picture, face, upside, deck = scanned_flat(drawn, {label: ["taberna"] for label in LABELS}, grounds(), rng)
        assert picture.shape == (PATCH[1], PATCH[0], 4)
        assert picture[..., 3].any(), "the box around what is seen must reach into the picture"
        assert 0 <= face < len(LABELS)
        assert upside in (0, 1)
        assert deck == "taberna"
    assert set(few) == set(decks()["taberna"])


def test_a_tiny_training_runs_resumes_and_exports(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from models.cards.loop import fit
    from models.cards.nets import CornerNet
    from models.cards.train_corners import export, keep_only, square_batches, square_examples, square_loss
    from models.compact import compact
    from vision.cards.geometry import SQUARE, with_hint
    from vision.onnx import Network

    rng = np.random.default_rng(6)
    records = []
    for _ in range(4):
        scene = compose(decks(), grounds(), rng, (240, 240))
        records.append(
            {
                "jpeg": bytes(cv2.imencode(".jpg", scene.image)[1]),
                "labels": [c.label for c in scene.cards],
                "corners": np.array([c.corners for c in scene.cards]),
                "boxes": np.array([c.box for c in scene.cards]),
                "visible": np.array([c.visible for c in scene.cards]),
            }
        )
    examples = square_examples(records, 1, 1)
    unlabelled = examples[0], np.full_like(examples[1], np.nan), examples[2]  # as photographs are: faces, no corners
    parts = [(examples, 0.5), (unlabelled, 0.5)]
    torch.manual_seed(1)
    first, again = (
        fit(CornerNet(50), square_batches(parts, 4, 1), square_loss, steps=steps, checkpoint=tmp_path / "c.pt")
        for steps in (2, 3)
    )
    assert all(torch.isfinite(p).all() for p in again.parameters()), "unknown corners must not count"
    assert torch.load(tmp_path / "c.pt", weights_only=True)["step"] == 3
    path = tmp_path / "corners.onnx"
    export(again, path, (5, SQUARE, SQUARE), ("output", "faces"))
    square = with_hint(examples[0][0].astype(np.float32) / 255, 0.4)[None]
    exact, faces = Network(path)(square)
    assert exact.shape == (1, 8)
    assert faces.shape == (1, 50)
    before, after = compact(path)
    assert after < 0.6 * before
    assert np.allclose(Network(path)(square)[0], exact, atol=5e-3)
    assert compact(path)[1] == after, "a compact network is left as it is"
    keep_only(path, "output")
    (alone,) = Network(path)(square)
    assert np.allclose(alone, exact, atol=5e-3)
    assert first is not again


def test_the_end_at_which_found_corners_begin_is_told_from_the_true_ones() -> None:
    pytest.importorskip("torch")  # which the cutting of scenes shares a module with
    from models.cards.flats import which_end

    true = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], float)
    near = true + np.random.default_rng(3).normal(0, 3, (4, 2))
    assert which_end(near, true) == 0
    assert which_end(np.roll(near, 2, 0), true) == 1
    assert which_end(np.roll(near, 1, 0), true) == -1, "corners that begin at a side say nothing of the end"


def test_cards_over_photographs_use_the_training_side_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.cards import cache as records
    from models.cards.tiny import draw_tiny

    asked: list[str] = []
    monkeypatch.setattr(records, "load_photos", lambda data, split: asked.append(split) or [])
    draw_tiny(tmp_path / "data", tmp_path / "cache")
    made = records.scenes(tmp_path / "data", tmp_path / "cache", 1, over_photos=True, workers=1)
    assert asked == ["train"]
    assert len(made) == 1


def test_calibration_recovers_known_odds() -> None:
    pytest.importorskip("torch")
    from models.cards.calibrate import fit

    rng = np.random.default_rng(7)
    facts = rng.normal(0, 2, (4000, 3))
    chance = 1 / (1 + np.exp(-(0.5 + facts @ [1.0, 0.3, -1.0])))
    seen = [(tuple(row), bool(rng.random() < p)) for row, p in zip(facts, chance, strict=True)]
    assert np.allclose(fit(seen), [0.5, 1.0, 0.3, -1.0], atol=0.2)
