"""Drawn circuit cards: lines that leave at right angles at their ports, styles kept apart, the same bytes each time."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.art.circuits import (
    OUTWARD,
    RESERVED,
    SIZE_MM,
    STYLES,
    circuit_label,
    circuit_sprite,
    default_faces,
    line_path,
    port_point,
    random_style,
    split_port,
)


@pytest.mark.parametrize("bends", [False, True])
@pytest.mark.parametrize("ports", [("N", "S"), ("E", "W"), ("N", "E"), ("S", "W"), ("N", "W"), ("E", "S")])
def test_a_line_joins_its_ports_at_right_angles(ports, bends):
    path = np.array(line_path(ports, bends=bends))
    for end, following, port in ((path[0], path[1], ports[0]), (path[-1], path[-2], ports[1])):
        assert end == pytest.approx(port_point(port))
        step = (following - end) / np.linalg.norm(following - end)
        assert step @ np.array(OUTWARD[port]) == pytest.approx(-1.0, abs=0.01)
    assert (path >= -1e-9).all()
    assert (path <= np.array(SIZE_MM) + 1e-9).all()


def test_ports_are_counted_clockwise():
    assert port_point(("N", 0.25)) == pytest.approx((15.75, 0.0))
    assert port_point(("E", 0.25)) == pytest.approx((63.0, 22.0))
    assert port_point(("S", 0.25)) == pytest.approx((47.25, 88.0))
    assert port_point(("W", 0.25)) == pytest.approx((0.0, 66.0))
    assert split_port("E") == ("E", 0.5)


def test_the_default_deck_has_six_faces_with_labels_of_their_own():
    labels = [circuit_label(face) for face in default_faces()]
    assert labels == ["gNSpEW", "gEWpNS", "gNEpSW", "gSWpNE", "gNWpES", "gESpNW"]
    assert circuit_label([{"color": "green", "ports": [("N", 0.33), "S"]}]) == ""


@pytest.mark.parametrize("name", STYLES)
def test_a_card_shows_both_colours_at_its_ports(name):
    style = STYLES[name]
    for face in default_faces():
        sprite = circuit_sprite(face, style, 4.0)
        assert sprite.label == circuit_label(face)
        for line in face:
            want = np.array(style.green if line["color"] == "green" else style.pink, float)
            for port in line["ports"]:
                x, y = port_point(port)
                dx, dy = OUTWARD[port]
                seen = sprite.image[int((y - 2 * dy) * 4), int((x - 2 * dx) * 4), 2::-1].astype(float)
                # A glow makes the line's own colour brighter, never another one.
                assert (seen >= want - 12).all()
                assert np.argmax(seen - np.mean(seen)) == np.argmax(want) or style.glow


def test_the_same_card_has_the_same_bytes():
    first, second = (circuit_sprite(default_faces()[2], STYLES["neon"]).image for _ in range(2))
    assert np.array_equal(first, second)
    assert random_style(np.random.default_rng(4)) == random_style(np.random.default_rng(4))
    assert random_style(np.random.default_rng(4)) != random_style(np.random.default_rng(5))


def test_some_styles_are_kept_for_tests():
    assert len(RESERVED) >= 2
    assert len(STYLES) - len(RESERVED) >= 6
