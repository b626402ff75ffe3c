"""The frame gate and the stabiliser: nothing is read while hands move, and a flicker changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from vision.gate import Gate
from vision.looks import merge
from vision.stabiliser import Stabiliser
from vision.state import Piece, TableState

RNG = np.random.default_rng(0)
TABLE = np.full((360, 640, 3), 120, np.uint8) + RNG.integers(0, 30, (360, 640, 1)).astype(np.uint8)


def noisy(image: np.ndarray) -> np.ndarray:
    return np.clip(image.astype(int) + RNG.normal(0, 3, image.shape), 0, 255).astype(np.uint8)


def with_piece(image: np.ndarray, x: int = 300, y: int = 150) -> np.ndarray:
    image = image.copy()
    image[y : y + 50, x : x + 60] = 240
    return image


def with_arm(image: np.ndarray, reach: int = 220) -> np.ndarray:
    image = image.copy()
    image[140:230, -reach:] = (60, 90, 190)
    return image


def play(gate: Gate, frames: list[np.ndarray], start: float) -> tuple[list[bool], list[bool], float]:
    states = [gate.update(noisy(frame), start + i / 15) for i, frame in enumerate(frames)]
    return [s.busy for s in states], [s.read for s in states], start + len(frames) / 15


def test_a_resting_table_is_read_a_few_times_and_no_more() -> None:
    gate = Gate(looks=2)
    _, reads, t = play(gate, [TABLE] * 60, 0.0)
    assert sum(reads) == 2
    _, reads, _ = play(gate, [TABLE] * 300, t)
    assert sum(reads) == 0


def test_a_new_piece_is_read_after_the_hand_has_gone() -> None:
    gate = Gate(looks=2)
    _, _, t = play(gate, [TABLE] * 30, 0.0)
    busy, reads, t = play(gate, [with_arm(TABLE, 40 * i) for i in range(1, 8)], t)
    assert all(busy)
    assert not any(reads)
    busy, reads, t = play(gate, [with_arm(with_piece(TABLE), 280)] * 30, t)
    assert all(busy), "an arm at rest over the table is still an arm"
    assert not any(reads)
    busy, reads, t = play(gate, [with_piece(TABLE)] * 20, t)
    assert sum(reads) == 2
    assert not busy[-1]


def test_a_slow_change_of_light_is_not_motion() -> None:
    gate = Gate(looks=1)
    frames = [np.clip(TABLE * (1 - 0.004 * i), 0, 255).astype(np.uint8) for i in range(80)]
    busy, _, _ = play(gate, frames, 0.0)
    assert not any(busy)


def test_furniture_left_at_the_border_is_forgiven() -> None:
    gate = Gate(looks=1)
    _, _, t = play(gate, [TABLE] * 20, 0.0)
    busy, reads, _ = play(gate, [with_arm(TABLE)] * (15 * 14), t)
    assert busy[30]
    assert not busy[-1]
    assert any(reads)


def tile(label: str, confidence: float, x: float = 0.0, **more: object) -> Piece:
    return Piece("tile", label, ((x, 0), (x + 50, 80), (x - 50, 80)), confidence, **more)  # type: ignore[arg-type]


def state(*pieces: Piece, busy: bool = False) -> TableState:
    return TableState(0.0, pieces, (640, 360), busy)


def test_two_looks_must_agree() -> None:
    stabiliser = Stabiliser(looks=2)
    assert stabiliser.update(state(tile("0-1-2", 0.9))) is None
    assert stabiliser.update(state(tile("0-1-3", 0.9))) is None, "a flicker"
    assert stabiliser.update(state(tile("0-1-2", 0.8))) is None
    stable = stabiliser.update(state(tile("0-1-2", 0.6, x=3)))
    assert stable is not None
    assert stable.pieces[0].confidence == pytest.approx(0.7)


def test_hands_reset_the_looks_and_a_missing_piece_is_no_agreement() -> None:
    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(tile("0-1-2", 0.9)))
    assert stabiliser.update(state(busy=True)) is None
    assert stabiliser.update(state(tile("0-1-2", 0.9))) is None
    assert stabiliser.update(state()) is None
    assert stabiliser.update(state()) is not None


def test_a_loom_whose_crossing_flips_does_not_agree() -> None:
    def loom(top: str) -> Piece:
        facts = {"lanes": 8, "cords": [], "crossings": [{"h": 0, "v": 0, "top": top}]}
        return Piece("loom", "", ((0, 0), (90, 0), (90, 90), (0, 90)), 0.9, facts=facts)

    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(loom("h")))
    assert stabiliser.update(state(loom("v"))) is None
    assert stabiliser.update(state(loom("v"))) is not None


def test_a_cord_may_look_a_shade_different() -> None:
    def loom(shade: list[int]) -> Piece:
        cord = {"axis": "v", "lane": 1, "color": "rojo", "confidence": 0.9, "rgb": shade}
        return Piece("loom", "", ((0, 0), (90, 0), (90, 90), (0, 90)), 0.9, facts={"lanes": 8, "cords": [cord]})

    stabiliser = Stabiliser(2)
    assert stabiliser.update(TableState(0.0, (loom([140, 53, 58]),), (100, 100))) is None
    assert stabiliser.update(TableState(0.1, (loom([142, 51, 60]),), (100, 100))) is not None


def test_merge_averages_probabilities() -> None:
    a = tile("1-1-1", 0.6, alternatives=(("1-1-2", 0.4),))
    b = tile("1-1-2", 0.5, alternatives=(("1-1-1", 0.3),))
    merged = merge([a, b])
    assert merged.label in ("1-1-1", "1-1-2")
    assert merged.confidence == pytest.approx(0.45)
    assert merged.alternatives[0][1] == pytest.approx(0.45)


def loom(cords: list[tuple[str, str, float]], *second: tuple[str, float], **facts: object) -> Piece:
    """A loom with cords as (place, colour, confidence) and second thoughts."""
    seen = [{"axis": p[0], "lane": int(p[1:]), "color": color, "confidence": sure} for p, color, sure in cords]
    corners = ((0, 0), (90, 0), (90, 90), (0, 90))
    return Piece("loom", "", corners, 0.9, second, facts={"lanes": 8, "cords": seen, "crossings": [], **facts})


def test_a_doubt_is_averaged_and_two_sure_readings_never_are() -> None:
    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(tile("0-1-2", 0.5, alternatives=(("0-1-3", 0.45),))))
    stable = stabiliser.update(state(tile("0-1-3", 0.55, alternatives=(("0-1-2", 0.4),))))
    assert stable is not None
    assert stable.pieces[0].label == "0-1-3"
    assert stable.pieces[0].confidence == pytest.approx(0.5)
    stabiliser.update(state(tile("0-1-2", 0.9, alternatives=(("0-1-3", 0.05),))))
    assert stabiliser.update(state(tile("0-1-3", 0.9, alternatives=(("0-1-2", 0.05),)))) is None


def test_a_cord_that_comes_and_goes_is_a_doubt_and_not_a_disagreement() -> None:
    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(loom([("v3", "rojo", 0.55)])))
    stable = stabiliser.update(state(loom([], ("v3 rojo", 0.4))))
    assert stable is not None
    (piece,) = stable.pieces
    assert piece.facts["cords"] == []
    assert piece.alternatives == (("v3 rojo", pytest.approx(0.475)),)
    stabiliser.update(state(loom([("v3", "rojo", 0.97)])))
    assert stabiliser.update(state(loom([]))) is None, "a cord that was seen clearly is gone"


def test_looks_at_a_crossing_in_doubt_are_averaged() -> None:
    def crossed(top: str, sure: float) -> Piece:
        crossing = {"h": 1, "v": 3, "top": top, "confidence": sure}
        return loom([("v3", "rojo", 0.97), ("h1", "azul", 0.95)], crossings=[crossing])

    merged = merge([crossed("h", 0.55), crossed("v", 0.65)])
    (crossing,) = merged.facts["crossings"]
    assert crossing == {"h": 1, "v": 3, "top": "v", "confidence": 0.55}
    assert ("h1v3 h", pytest.approx(0.45)) in merged.alternatives
    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(crossed("h", 0.55)))
    assert stabiliser.update(state(crossed("v", 0.65))) is not None
    assert stabiliser.update(state(crossed("h", 0.97))) is None


def test_two_cords_in_a_lane_must_be_seen_twice() -> None:
    doubled = {"code": "doubled", "axis": "v", "lane": 3, "colors": ["rojo", "azul"]}
    stabiliser = Stabiliser(looks=2)
    stabiliser.update(state(loom([("v3", "rojo", 0.9)], problems=[doubled])))
    assert stabiliser.update(state(loom([("v3", "rojo", 0.9)], problems=[]))) is None
    slack = {"code": "slack", "axis": "v", "lane": 3, "by": 0.31}
    assert stabiliser.update(state(loom([("v3", "rojo", 0.9)], problems=[slack]))) is not None
