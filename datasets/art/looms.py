"""Trama looms as pieces for the synthetic table: facts and a style in, a sprite with its labels out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datasets.art.loom_facts import COLORS, random_loom, weave
from datasets.art.loom_render import LoomRender, render_loom
from datasets.art.loom_style import FAMILIES, TEST_FAMILIES, TRAIN_FAMILIES, LoomStyle, loom_style
from datasets.art.sprite import Sprite

__all__ = [
    "COLORS", "FAMILIES", "TEST_FAMILIES", "TRAIN_FAMILIES", "LoomRender", "LoomStyle", "loom_sprite", "loom_style",
    "random_loom", "render_loom", "weave",
]  # fmt: skip


def loom_sprite(loom_facts: Mapping[str, Any], style: LoomStyle | int = 0, px_per_mm: float = 3.0) -> Sprite:
    """The loom as a sprite of kind "loom"; `style` is a style or the seed of one, facts are as in the label format."""
    look = loom_style(style) if isinstance(style, int) else style
    seed = style if isinstance(style, int) else 0
    render = render_loom(loom_facts, look, px_per_mm, seed)
    corners = tuple((float(x) / px_per_mm, float(y) / px_per_mm) for x, y in render.corners)
    grid = [[float(x) / px_per_mm, float(y) / px_per_mm] for x, y in render.grid]
    cords = [{key: cord[key] for key in ("axis", "lane", "color")} for cord in loom_facts["cords"]]
    return Sprite(
        image=render.image,
        px_per_mm=px_per_mm,
        corners_mm=corners,
        kind="loom",
        thickness_mm=look.thickness_mm,
        gloss=0.25,
        edge_color=tuple(int(255 * 0.7 * c) for c in look.board),  # type: ignore[arg-type]
        facts={
            "lanes": int(loom_facts["lanes"]),
            "grid_mm": grid,
            "cords": cords,
            "crossings": [dict(c) for c in loom_facts["crossings"]],
        },
    )
