"""What else is on and over a table: hands with sleeves, and clutter. Unlabelled sprites (their `kind` is empty)."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np

from datasets.art.canvas import Canvas, Color, ellipse
from datasets.art.sprite import Sprite
from datasets.scene.stage import Placed

PPM = 2.0  # pixels per mm of a drawn hand
HAND_W, HAND_H = 170, 430  # mm, fingers at the top, the sleeve leaving at the bottom
TIP = (80.0, 14.0)  # where the fingertips meet
SKINS: tuple[Color, ...] = (
    (241, 205, 178),
    (224, 172, 138),
    (198, 141, 104),
    (150, 100, 70),
    (105, 68, 48),
    (72, 48, 36),
)


def _capsules(pairs: list[tuple[tuple[float, float], tuple[float, float], float]]) -> np.ndarray:
    mask = np.zeros((round(HAND_H * PPM), round(HAND_W * PPM)), np.uint8)
    for (x1, y1), (x2, y2), width in pairs:
        p1, p2 = (round(x1 * PPM * 16), round(y1 * PPM * 16)), (round(x2 * PPM * 16), round(y2 * PPM * 16))
        cv2.line(mask, p1, p2, 255, max(1, round(width * PPM)), cv2.LINE_AA, 4)
    return mask


def _round_shading(mask: np.ndarray, depth: float, light: float) -> np.ndarray:
    """Brightness of a soft body with this outline: height from the distance to its edge, lit from one side."""
    distance = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    height = np.sqrt(np.clip(distance / (depth * PPM), 0, 1)) * depth * PPM
    height = cv2.GaussianBlur(height, (0, 0), 2.0 * PPM)
    gx, gy = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=0.125)
    slope = -(gx * math.cos(light) + gy * math.sin(light))
    return np.asarray(np.clip(1.0 + 0.28 * slope, 0.6, 1.25), np.float32)


@lru_cache(maxsize=24)
def hand_sprite(seed: int) -> Sprite:
    """A hand that reaches for something, seen from above, in a sleeve: fingertips at `TIP`, arm towards the bottom."""
    rng = np.random.default_rng([seed, 77])

    def jitter(x: float, y: float, spread: float = 3.0) -> tuple[float, float]:
        return x + float(rng.normal(0, spread)), y + float(rng.normal(0, spread))

    wrist = jitter(92, 210, 5)
    knuckles = [jitter(x, y, 2) for x, y in ((68, 108), (86, 100), (104, 104), (119, 116))]
    pinch = rng.random() < 0.7
    tips = [
        (TIP[0] + float(rng.normal(0, 2)), TIP[1] + 8),
        jitter(90, 24 if pinch else 18),
        jitter(112, 42 if pinch else 28),
        jitter(132, 66 if pinch else 52),
    ]
    fingers = []
    for knuckle, tip, width in zip(knuckles, tips, (17, 18, 17, 15), strict=True):
        bend = ((knuckle[0] + tip[0]) / 2 + rng.normal(0, 4), (knuckle[1] + tip[1]) / 2)
        fingers += [(knuckle, bend, width), (bend, tip, width - 2.0)]
    thumb_bend, thumb_tip = jitter(52, 88), ((TIP[0] - 10, TIP[1] + 14) if pinch else jitter(40, 62))
    thumb = [((62.0, 150.0), thumb_bend, 21), (thumb_bend, thumb_tip, 17)]
    palm = [((76.0, 128.0), wrist, 48), ((106.0, 130.0), wrist, 46), ((92.0, 125.0), (92.0, 165.0), 62)]
    skin_mask = _capsules([*fingers, *thumb, *palm, (wrist, (95.0, 430.0), 52)])
    light = float(rng.uniform(0, 2 * math.pi))
    skin = np.array(SKINS[int(rng.integers(len(SKINS)))][::-1], np.float32) * rng.uniform(0.9, 1.05)
    shade = _round_shading(skin_mask, 9.0, light)
    finger_shade = _round_shading(_capsules([*fingers, *thumb]), 7.0, light)
    shade *= 0.5 + 0.5 * finger_shade
    image = np.clip(skin * shade[..., None] + rng.normal(0, 2, (*shade.shape, 1)), 0, 255)
    for tip, previous in ((tips[0], knuckles[0]), (tips[1], knuckles[1]), (thumb_tip, thumb_bend)):
        angle = math.degrees(math.atan2(tip[1] - previous[1], tip[0] - previous[0]))
        at = (round(tip[0] * PPM), round(tip[1] * PPM))
        nail = tuple(float(v) for v in np.minimum(255, skin * (1.06, 1.05, 1.08)))
        cv2.ellipse(image, at, (round(6 * PPM), round(4.5 * PPM)), angle, 0, 360, nail, -1, cv2.LINE_AA)
    cover = skin_mask
    if rng.random() < 0.85:
        start = float(rng.uniform(195, 300))
        sleeve = _capsules([((94.0, start + 45), (96.0, 600.0), float(rng.uniform(74, 98)))])
        sleeve[: round(start * PPM)] = 0
        base = np.array(rng.uniform(20, 230, 3), np.float32)
        folds = cv2.resize(
            rng.normal(0, 1, (22, 5)).astype(np.float32), sleeve.shape[::-1], interpolation=cv2.INTER_CUBIC
        )
        cloth = base * (_round_shading(sleeve, 22.0, light) * (1 + 0.05 * folds))[..., None]
        if rng.random() < 0.4:
            stripes = (np.arange(sleeve.shape[0]) // round(rng.uniform(4, 14) * PPM)) % 2
            cloth *= (0.75 + 0.25 * stripes)[:, None, None]
        part = (sleeve.astype(np.float32) / 255)[..., None]
        image = image * (1 - part) + cloth * part
        cover = np.maximum(cover, sleeve)
    bgra = np.dstack([np.clip(image, 0, 255), cover]).astype(np.uint8)
    if rng.random() < 0.5:  # a left hand
        bgra = np.ascontiguousarray(bgra[:, ::-1])
    edge = tuple(int(v) for v in np.clip(skin[::-1] * 0.6, 0, 255))
    return Sprite(bgra, PPM, (), "", thickness_mm=18.0, gloss=0.05, edge_color=edge)  # type: ignore[arg-type]


def hand_at(x: float, y: float, towards: float, height: float = 12.0, seed: int = 0) -> Placed:
    """A hand whose fingertips are above (x, y), reaching in the direction `towards` (degrees, 0 is to the right)."""
    sprite = hand_sprite(seed)
    turn = towards + 90.0
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    # Half of the hands were mirrored: both tips lie within a centimetre of the middle of the picture's width.
    dx, dy = 0.0, TIP[1] - sprite.size_mm[1] / 2
    return Placed(sprite, x - (c * dx - s * dy), y - (s * dx + c * dy), turn, height)


# -- clutter --------------------------------------------------------------------------------------------------------


def _any_color(rng: np.random.Generator, low: int = 20, high: int = 240) -> Color:
    r, g, b = (int(v) for v in rng.integers(low, high, 3))
    return (r, g, b)


def _coin(rng: np.random.Generator) -> Sprite:
    r = float(rng.uniform(8, 13))
    tone = float(rng.uniform(0.6, 1.1))
    metal = [(200, 170, 80), (190, 190, 195), (170, 110, 70)][int(rng.integers(3))]
    color = tuple(min(255, int(v * tone)) for v in metal)
    dark = tuple(int(v * 0.7) for v in color)
    canvas = Canvas(2 * r, 2 * r)
    canvas.circle(r, r, r, color)  # type: ignore[arg-type]
    canvas.line(ellipse(r, r, r * 0.85, r * 0.85), dark, 0.6, closed=True)  # type: ignore[arg-type]
    canvas.circle(r, r, r * 0.4, dark, alpha=0.5)  # type: ignore[arg-type]
    return Sprite(canvas.to_pixels(4), 4, (), "", thickness_mm=2.0, gloss=0.8, edge_color=dark)  # type: ignore[arg-type]


def _cup(rng: np.random.Generator) -> Sprite:
    r = float(rng.uniform(28, 42))
    china, drink = _any_color(rng, 120, 255), _any_color(rng, 20, 110)
    canvas = Canvas(2 * r, 2 * r)
    canvas.circle(r, r, r, china)
    canvas.circle(r, r, r * 0.88, drink)
    canvas.circle(r * 0.85, r * 0.8, r * 0.3, (255, 255, 255), alpha=0.12)
    edge = tuple(int(v * 0.9) for v in china)
    height = float(rng.uniform(25, 80))
    return Sprite(canvas.to_pixels(3), 3, (), "", thickness_mm=height, gloss=0.6, edge_color=edge)  # type: ignore[arg-type]


def _pencil(rng: np.random.Generator) -> Sprite:
    canvas = Canvas(170, 8)
    color = _any_color(rng)
    canvas.rect(0, 0.5, 150, 7, color)
    canvas.rect(0, 2.8, 150, 2.2, tuple(min(255, v + 30) for v in color))  # type: ignore[arg-type]
    canvas.fill([(150, 0.5), (168, 3.5), (168, 4.5), (150, 7.5)], color=(225, 190, 140))
    canvas.fill([(162, 2.6), (169, 4), (162, 5.4)], color=(40, 40, 45))
    return Sprite(canvas.to_pixels(4), 4, (), "", thickness_mm=6.0, gloss=0.4, edge_color=color)


def _paper(rng: np.random.Generator) -> Sprite:
    w, h = float(rng.uniform(60, 150)), float(rng.uniform(70, 210))
    canvas = Canvas(w, h)
    canvas.rect(0, 0, w, h, _any_color(rng, 215, 255))
    ink = _any_color(rng, 10, 120)
    for y in np.arange(10, h - 6, float(rng.uniform(6, 11))):
        x, end = 6.0, float(rng.uniform(0.3, 0.95)) * w
        while x < end:
            step = float(rng.uniform(3, 14))
            canvas.line([(x, y), (min(end, x + step), y + float(rng.normal(0, 0.6)))], ink, 0.7)
            x += step + 2.5
    return Sprite(canvas.to_pixels(3), 3, (), "", thickness_mm=0.1, gloss=0.05, edge_color=(235, 235, 230))


def _phone(rng: np.random.Generator) -> Sprite:
    canvas = Canvas(72, 150)
    canvas.rect(0, 0, 72, 150, _any_color(rng, 10, 80), radius=9)
    canvas.rect(3, 5, 66, 140, (12, 12, 16), radius=6)
    canvas.fill([(3, 40), (69, 5), (69, 60), (3, 120)], color=(120, 130, 140), alpha=0.12)
    return Sprite(canvas.to_pixels(3), 3, (), "", thickness_mm=8.0, gloss=1.0, edge_color=(30, 30, 34))


def _coaster(rng: np.random.Generator) -> Sprite:
    side = float(rng.uniform(75, 100))
    canvas = Canvas(side, side)
    color = _any_color(rng)
    canvas.rect(0, 0, side, side, color, radius=float(rng.choice([2, 10, side / 2])))
    canvas.line(ellipse(side / 2, side / 2, side * 0.36, side * 0.36), _any_color(rng), 2.0, closed=True)
    return Sprite(canvas.to_pixels(3), 3, (), "", thickness_mm=3.0, gloss=0.1, edge_color=color)


def _die(rng: np.random.Generator) -> Sprite:
    side = float(rng.uniform(12, 18))
    canvas = Canvas(side, side)
    body = _any_color(rng, 150, 255) if rng.random() < 0.7 else _any_color(rng, 10, 120)
    dot: Color = (20, 20, 20) if sum(body) > 380 else (240, 240, 240)
    canvas.rect(0, 0, side, side, body, radius=side * 0.18)
    spots = [(0.5, 0.5), (0.25, 0.25), (0.75, 0.75), (0.75, 0.25), (0.25, 0.75)][: int(rng.integers(1, 6))]
    for x, y in spots:
        canvas.circle(x * side, y * side, side * 0.09, dot)
    return Sprite(canvas.to_pixels(5), 5, (), "", thickness_mm=side, gloss=0.5, edge_color=body)


_CLUTTER = (_coin, _coin, _cup, _pencil, _paper, _phone, _coaster, _die)


@lru_cache(maxsize=64)
def clutter_sprite(seed: int) -> Sprite:
    """One thing that is no piece of any game: a coin, cup, pencil, note, telephone, coaster or die."""
    rng = np.random.default_rng([seed, 78])
    return _CLUTTER[int(rng.integers(len(_CLUTTER)))](rng)
