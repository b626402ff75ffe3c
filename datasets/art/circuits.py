"""Tronix cards: one green and one pink line between ports on the border, in many styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from datasets.art.canvas import Canvas, Color, bezier, rounded_rect
from datasets.art.sprite import Sprite

Point = tuple[float, float]
Port = str | Sequence[Any]  # "N", or ("N", 0.33) counted along the side clockwise

SIZE_MM = (63.0, 88.0)
OUTWARD = {"N": (0.0, -1.0), "E": (1.0, 0.0), "S": (0.0, 1.0), "W": (-1.0, 0.0)}
STRAIGHT, CURVES_A, CURVES_B = (("N", "S"), ("E", "W")), (("N", "E"), ("S", "W")), (("N", "W"), ("E", "S"))


@dataclass(frozen=True, slots=True)
class CircuitStyle:
    """How a deck of circuit cards is printed."""

    name: str
    paper: Color
    green: Color
    pink: Color
    width_mm: float
    bends: bool = False  # straight pieces with a corner cut off instead of curves
    frame: Color | None = None
    glow: float = 0.0
    radius_mm: float = 1.5
    casing: Color | None = None  # a thin outline that separates the upper line at a crossing
    gloss: float = 0.3


STYLES: dict[str, CircuitStyle] = {
    style.name: style
    for style in [
        CircuitStyle("day", (240, 240, 238), (50, 190, 70), (225, 50, 140), 5.0),
        CircuitStyle("pastel", (247, 246, 243), (150, 225, 140), (250, 165, 195), 4.0),
        CircuitStyle("night", (24, 22, 38), (40, 250, 90), (250, 90, 230), 5.0, frame=(150, 150, 160), glow=0.7),
        CircuitStyle("neon", (16, 24, 36), (60, 235, 110), (240, 60, 190), 3.5, glow=1.0, frame=(190, 200, 205)),
        CircuitStyle("board", (205, 212, 220), (25, 140, 65), (180, 30, 100), 3.0, bends=True, frame=(130, 130, 135)),
        CircuitStyle("slate", (52, 48, 62), (60, 245, 110), (250, 85, 205), 3.0, bends=True, radius_mm=0.5),
        CircuitStyle("cased", (250, 248, 236), (0, 165, 95), (235, 70, 120), 7.0, casing=(250, 248, 236)),
        CircuitStyle("lime", (64, 58, 54), (190, 245, 50), (245, 110, 235), 6.0, gloss=0.6),
        # Reserved for tests: never trained on.
        CircuitStyle("test-ink", (232, 228, 214), (30, 120, 60), (200, 60, 110), 2.6, frame=(90, 90, 90)),
        CircuitStyle("test-arcade", (30, 12, 44), (90, 255, 140), (255, 70, 170), 4.4, bends=True, glow=0.5),
    ]
}
RESERVED = tuple(name for name in STYLES if name.startswith("test-"))


def random_style(rng: np.random.Generator) -> CircuitStyle:
    """A style that no list holds: every property drawn at random within what a printer could do."""

    def tint(low: int, high: int, spread: int) -> Color:
        base = int(rng.integers(low, high))
        return tuple(int(np.clip(base + rng.integers(-spread, spread + 1), 0, 255)) for _ in range(3))  # type: ignore[return-value]

    def hue(low: float, high: float, dark: bool) -> Color:
        value = rng.uniform(0.75, 1.0) if dark else rng.uniform(0.45, 1.0)
        saturation = rng.uniform(0.55, 1.0) if dark else rng.uniform(0.35, 1.0)
        pixel = np.array([[[rng.uniform(low, high) % 360, saturation, value]]], np.float32)
        b, g, r = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255
        return (int(r), int(g), int(b))

    dark = bool(rng.random() < 0.5)
    return CircuitStyle(
        "random",
        tint(10, 70, 12) if dark else tint(190, 250, 8),
        hue(75, 155, dark),
        hue(295, 345, dark),
        float(rng.uniform(2.0, 7.5)),
        bends=bool(rng.random() < 0.4),
        frame=tint(60, 220, 15) if rng.random() < 0.4 else None,
        glow=float(rng.uniform(0.3, 1.0)) if dark and rng.random() < 0.6 else 0.0,
        radius_mm=float(rng.uniform(0, 3.5)),
        casing=tint(200, 250, 5) if not dark and rng.random() < 0.3 else None,
        gloss=float(rng.uniform(0.05, 0.8)),
    )


def split_port(port: Port) -> tuple[str, float]:
    """Side and position (0 to 1, clockwise along the side) of a port in either way of writing it."""
    if isinstance(port, str):
        return port, 0.5
    return str(port[0]), float(port[1])


def port_point(port: Port, size: tuple[float, float] = SIZE_MM) -> Point:
    """Where a port lies on the card's border, in millimetres from the upper left corner."""
    side, position = split_port(port)
    w, h = size
    return {
        "N": (position * w, 0.0),
        "E": (w, position * h),
        "S": (w - position * w, h),
        "W": (0.0, h - position * h),
    }[side]


def line_path(ports: Sequence[Port], size: tuple[float, float] = SIZE_MM, bends: bool = False) -> list[Point]:
    """The drawn path between two ports: it leaves each of them at a right angle to the border."""
    (ax, ay), (bx, by) = (port_point(p, size) for p in ports)
    (ux, uy), (vx, vy) = (OUTWARD[split_port(p)[0]] for p in ports)
    reach = 0.5 * (abs(bx - ax) + abs(by - ay))
    k = 0.3 * reach if bends else 0.55 * reach
    inner_a, inner_b = (ax - ux * k, ay - uy * k), (bx - vx * k, by - vy * k)
    if bends:
        # Go straight in, cut the corner by a diagonal, go straight out.
        k = 0.42 * reach
        inner_a, inner_b = (ax - ux * 2 * k, ay - uy * 2 * k), (bx - vx * 2 * k, by - vy * 2 * k)
        if (ux, uy) == (-vx, -vy):
            return [(ax, ay), (bx, by)] if ax == bx or ay == by else [(ax, ay), inner_a, inner_b, (bx, by)]
        half_a, half_b = abs(ax - bx) * 0.72, abs(ay - by) * 0.72
        inner_a = (ax - ux * half_a, ay - uy * half_b)
        inner_b = (bx - vx * half_a, by - vy * half_b)
        return [(ax, ay), inner_a, inner_b, (bx, by)]
    return bezier((ax, ay), inner_a, inner_b, (bx, by), 24)


def circuit_canvas(
    lines: Sequence[dict[str, Any]], style: CircuitStyle, size: tuple[float, float] = SIZE_MM, over: str = "pink"
) -> Canvas:
    """A card face as vectors; the line of colour `over` is printed on top where they cross."""
    canvas = Canvas(*size)
    w, h = size
    canvas.rect(0, 0, w, h, style.paper, style.radius_mm)
    if style.frame is not None:
        canvas.line(rounded_rect(0.5, 0.5, w - 1, h - 1, style.radius_mm), style.frame, 0.7, closed=True)
    for line in sorted(lines, key=lambda item: item["color"] == over):
        path = line_path(line["ports"], size, style.bends)
        if style.casing is not None:
            canvas.line(path, style.casing, style.width_mm * 1.35)
        canvas.line(path, style.green if line["color"] == "green" else style.pink, style.width_mm)
    return canvas


def circuit_sprite(
    lines: Sequence[dict[str, Any]],
    style: CircuitStyle,
    px_per_mm: float = 4.0,
    size: tuple[float, float] = SIZE_MM,
    over: str = "pink",
) -> Sprite:
    """A card face as pixels, with the glow that vectors cannot give."""
    image = circuit_canvas(lines, style, size, over).to_pixels(px_per_mm)
    height, width = image.shape[:2]
    # Strokes end in round caps that stick out over the border: cut them at the card's own outline.
    outline = Canvas(*size)
    outline.rect(0, 0, *size, (255, 255, 255), style.radius_mm)
    image[..., 3] = outline.to_pixels(px_per_mm)[..., 3]
    if style.glow:
        only = Canvas(*size)
        for line in lines:
            color = style.green if line["color"] == "green" else style.pink
            only.line(line_path(line["ports"], size, style.bends), color, style.width_mm)
        light = only.to_pixels(px_per_mm, 1)[..., :3].astype(np.float32)
        halo = cv2.GaussianBlur(light, (0, 0), style.width_mm * px_per_mm * 0.8) * (1.4 * style.glow)
        image[..., :3] = np.clip(image[..., :3] + halo, 0, 255).astype(np.uint8)
    w, h = width / px_per_mm, height / px_per_mm
    return Sprite(
        image,
        px_per_mm,
        ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h)),
        "circuit_card",
        circuit_label(lines),
        thickness_mm=0.4,
        gloss=style.gloss,
        facts={"lines": [dict(line) for line in lines]},
    )


def circuit_label(lines: Sequence[dict[str, Any]]) -> str:
    """A card's short name by its lines, `gNSpEW`; empty where a port is not in the middle of its side."""
    parts = []
    for line in sorted(lines, key=lambda item: str(item["color"])):
        if any(not isinstance(port, str) for port in line["ports"]):
            return ""
        parts.append(str(line["color"])[0] + "".join(sorted(line["ports"], key="NESW".index)))
    return "".join(parts)


def default_faces() -> list[list[dict[str, Any]]]:
    """The six faces of the default deck: straight lines or two curves, each coloured both ways."""
    faces = []
    for pair in (STRAIGHT, CURVES_A, CURVES_B):
        for first, second in (pair, pair[::-1]):
            faces.append([{"color": "green", "ports": list(first)}, {"color": "pink", "ports": list(second)}])
    return faces
