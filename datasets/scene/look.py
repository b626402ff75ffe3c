"""How a picture looks: the table top, the light on it, and what lens, sensor and compression do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.scene import textures


@dataclass(frozen=True, slots=True)
class Look:
    """Everything about a picture that is not geometry. The defaults are a calm, well lit table.

    Light: `light_from` (degrees, 0 is from the right, 90 from the viewer) and `light_height` (degrees above the table)
    cast shadows of strength `shadow`; `softness` is their half-shadow in mm per mm of height. `light_fall` is how much
    darker the far side is; `color` multiplies blue, green, red. `glare` is the strength of reflected lamps or windows,
    `lamp` where the lamp is (mm, height last), `lamp_size` its half sides in mm, `window` gives it panes.
    Camera: `exposure` multiplies, `contrast` bends the tone curve, `saturation` as it says, `focus` the blur's sigma in
    pixels, `motion` a smear (pixels, degrees), `sharpen` the halo of webcams, `noise` its deviation in grey levels,
    `vignette` the darkening of corners, `jpeg` the quality (0: not compressed).
    """

    table: str = "wood"
    table_seed: int = 0
    table_scale: float = 1.3
    table_turn: float = 0.0
    table_gloss: float = 0.1
    light_from: float = 220.0
    light_height: float = 55.0
    shadow: float = 0.4
    softness: float = 0.5
    light_fall: float = 0.15
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    glare: float = 0.0
    lamp: tuple[float, float, float] = (0.0, -300.0, 1200.0)
    lamp_size: tuple[float, float] = (80.0, 80.0)
    window: bool = False
    exposure: float = 1.0
    contrast: float = 0.0
    saturation: float = 1.0
    focus: float = 0.4
    motion: tuple[float, float] = (0.0, 0.0)
    sharpen: float = 0.0
    noise: float = 2.0
    vignette: float = 0.1
    jpeg: int = 92

    @classmethod
    def random(
        cls,
        rng: np.random.Generator,
        hard: float = 0.5,
        backgrounds: Sequence[str] = (),
        reserved: bool = False,
    ) -> Look:
        """A look of chance. `hard` (0 to 1) scales how bad it may get; `backgrounds` are photographs that join the
        drawn table tops (half of the time); `reserved` allows the table tops that only tests may see.
        """
        kinds = [k for k in textures.KINDS if reserved or k not in textures.RESERVED]
        photo = bool(backgrounds) and rng.random() < 0.5
        table = str(rng.choice(np.array(backgrounds))) if photo else str(rng.choice(kinds))
        warm = rng.normal(0, 0.04 + 0.10 * hard)  # positive: a yellow lamp; negative: daylight in shadow
        tint = rng.normal(0, 0.01 + 0.03 * hard)
        return cls(
            table=table,
            table_seed=int(rng.integers(0, 40)),
            table_scale=float(rng.uniform(0.9, 2.2)),
            table_turn=float(rng.uniform(0, 360)),
            table_gloss=float(rng.uniform(0, 0.35)) if table in ("stone", "wood", "planks", "plain") else 0.03,
            light_from=float(rng.uniform(0, 360)),
            light_height=float(rng.uniform(30, 80)),
            shadow=float(rng.uniform(0.15, 0.45 + 0.3 * hard)),
            softness=float(rng.uniform(0.05, 1.2)),
            light_fall=float(rng.uniform(0, 0.15 + 0.5 * hard)),
            color=(float(1 - warm), float(1 + tint), float(1 + 0.7 * warm)),
            glare=float(rng.uniform(0, 0.3 + 1.2 * hard)) if rng.random() < 0.3 + 0.5 * hard else 0.0,
            lamp=(float(rng.normal(0, 350)), float(rng.normal(-250, 350)), float(rng.uniform(700, 2000))),
            lamp_size=(float(rng.uniform(40, 260)), float(rng.uniform(40, 260))),
            window=bool(rng.random() < 0.3),
            exposure=float(np.exp(rng.normal(0, 0.06 + 0.2 * hard))),
            contrast=float(rng.normal(0, 0.05 + 0.12 * hard)),
            saturation=float(rng.uniform(0.75 - 0.2 * hard, 1.25)),
            focus=float(0.3 + rng.exponential(0.25 + 0.6 * hard)),
            motion=(float(rng.exponential(2.0 * hard)) if rng.random() < 0.25 else 0.0, float(rng.uniform(0, 180))),
            sharpen=float(rng.uniform(0, 1.0)) if rng.random() < 0.4 else 0.0,
            noise=float(rng.uniform(0.5, 3 + 7 * hard)),
            vignette=float(rng.uniform(0, 0.35)),
            jpeg=int(rng.integers(round(90 - 45 * hard), 97)),
        )
