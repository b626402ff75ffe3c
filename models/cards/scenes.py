"""Composite scenes: scanned cards laid on table pictures the way players leave them, with exact labels.

The point is not beauty but that nothing in the scene gives the answer away except the card: every deck meets every
background, light, scale, overlap and hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from models.cards.classes import BACK
from models.cards.lighting import light_up, photograph

Image = np.ndarray
Rng = np.random.Generator
SUPER = 4  # sub-pixel bits are not enough for thin cards: masks are drawn with fractional shift


@dataclass
class Placed:
    """A card in a scene: label, whole-card corners (clockwise from its own top left), visible box and fraction."""

    label: str
    deck: str
    corners: np.ndarray
    box: np.ndarray
    visible: float


@dataclass
class Scene:
    """A composed picture and everything on it."""

    image: Image
    cards: list[Placed] = field(default_factory=list)


def rounded(card: Image, radius: float, rng: Rng) -> tuple[Image, Image]:
    """The card with an alpha mask of rounded corners, as real cards have."""
    height, width = card.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    r = int(radius * width)
    cv2.rectangle(mask, (r, 0), (width - r, height), 255, -1)
    cv2.rectangle(mask, (0, r), (width, height - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return card, mask


def vary_card(card: Image, rng: Rng) -> Image:
    """One deck as many: paper tint, ink fading, a margin trimmed or grown, another aspect."""
    card = card.copy()
    height, width = card.shape[:2]
    if rng.random() < 0.35:
        margin = rng.uniform(-0.03, 0.05)
        edge = int(abs(margin) * width)
        if margin > 0 and edge:
            paper = np.median(card[2:6].reshape(-1, 3), axis=0)
            card = cv2.copyMakeBorder(
                card, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=[float(v) for v in paper]
            )
        elif edge:
            card = card[edge:-edge, edge:-edge]
        card = cv2.resize(card, (width, height), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        tint = rng.uniform(0.82, 1.0, 3)
        card = (card * tint).astype(np.uint8)
    if rng.random() < 0.4:
        hsv = cv2.cvtColor(card, cv2.COLOR_BGR2HSV).astype(np.int16)
        hsv[..., 0] = (hsv[..., 0] + rng.integers(-7, 8)) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.55, 1.35), 0, 255)
        card = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR)
    if rng.random() < 0.2:  # a plain thin frame drawn over, as printers of other decks do
        inset = int(rng.uniform(0.02, 0.06) * width)
        cv2.rectangle(card, (inset, inset), (width - inset, height - inset), (60, 60, 60), 1, cv2.LINE_AA)
    return card


def camera(size: tuple[int, int], rng: Rng) -> np.ndarray:
    """A homography from the table plane (units of pixels, seen from above) to a tilted, turned view of it."""
    width, height = size
    centre = np.array([width / 2, height / 2])
    angle = rng.uniform(0, 2 * np.pi)
    tilt = min(abs(rng.normal(0, 0.32 if rng.random() < 0.5 else 0.65)), 1.05)  # webcams look down, phones across
    focal = rng.uniform(0.9, 2.0) * width
    spin = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    turn = spin @ lean @ spin.T
    k = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
    plane = np.column_stack([turn[:, 0], turn[:, 1], np.array([0, 0, focal])])
    shift = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1.0]])
    return k @ plane @ shift


def layout(count: int, length: float, size: tuple[int, int], rng: Rng, *, heaped: bool = False) -> np.ndarray:
    """Positions (x, y, angle) of `count` cards of the given length: scattered, in rows or stairs, fanned, piled.

    With `heaped` in neat heaps instead.
    """
    width, height = size
    spots: Any
    style = rng.choice(["scatter", "rows", "stairs", "fan", "pile", "pairs"], p=[0.25, 0.17, 0.22, 0.17, 0.06, 0.13])
    if heaped:
        return heaps(count, length, size, rng)
    if style == "rows":
        angle = rng.uniform(0, 2 * np.pi)
        gap_x = length * rng.uniform(0.45, 0.9) * (0.62 if rng.random() < 0.3 else 1.15)
        gap_y = length * (rng.uniform(0.18, 0.7) if rng.random() < 0.3 else rng.uniform(1.0, 1.25))  # columns overlap
        columns = int(rng.integers(1, 6))
        spots = [((i % columns) * gap_x, (i // columns) * gap_y, rng.normal(0, 0.06)) for i in range(count)]
        spots = np.array(spots)
        spots[:, :2] -= spots[:, :2].mean(0)
        c, s = np.cos(angle), np.sin(angle)
        spots[:, :2] = spots[:, :2] @ np.array([[c, s], [-s, c]])
        spots[:, 2] += angle + np.pi * (rng.random(count) < 0.15)
        spots[:, :2] += [width * rng.uniform(0.35, 0.65), height * rng.uniform(0.35, 0.65)]
        spots[:, :2] += rng.normal(0, 0.03 * length, (count, 2))
        return spots
    if style == "stairs":
        return stairs(count, length, size, rng)
    if style == "fan":
        spots = []
        while len(spots) < count:
            n = min(int(rng.integers(2, 6)), count - len(spots)) or 1
            pivot = np.array([rng.uniform(0.15, 0.85) * width, rng.uniform(0.15, 0.85) * height])
            start, step = rng.uniform(0, 2 * np.pi), rng.uniform(0.15, 0.5) * rng.choice([-1, 1])
            reach = length * rng.uniform(0.3, 1.2)
            slide = rng.uniform(0, 0.35) * length
            for i in range(n):
                a = start + i * step
                along = np.array([np.cos(start), np.sin(start)]) * slide * i
                spots.append([*(pivot + reach * np.array([np.sin(a), -np.cos(a)]) + along), a])
        return np.array(spots[:count])
    if style == "pile":
        pivot = np.array([rng.uniform(0.25, 0.75) * width, rng.uniform(0.25, 0.75) * height])
        spread = rng.uniform(0.15, 0.6) * length
        return np.column_stack([rng.normal(pivot, spread, (count, 2)), rng.uniform(0, 2 * np.pi, count)])
    spots = np.column_stack(
        [rng.uniform(0.03, 0.97, count) * width, rng.uniform(0.03, 0.97, count) * height, rng.uniform(0, 7, count)]
    )
    if style == "pairs":
        for i in range(1, count, 2):
            spots[i, :2] = spots[i - 1, :2] + rng.normal(0, 0.42 * length, 2)
            spots[i, 2] = spots[i - 1, 2] + rng.normal(0, 0.35) + np.pi / 2 * int(rng.integers(0, 4))
    elif rng.random() < 0.6:  # keep most apart, as on a tidy table
        for i in range(1, count):
            for _ in range(12):
                if np.min(np.linalg.norm(spots[:i, :2] - spots[i, :2], axis=1)) > 0.95 * length:
                    break
                spots[i, :2] = rng.uniform(0.03, 0.97) * width, rng.uniform(0.03, 0.97) * height
    return spots


def heaps(count: int, length: float, size: tuple[int, int], rng: Rng) -> np.ndarray:
    """Cards laid almost exactly on one another, as on a discard pile: only slivers of the lower ones show."""
    spots: list[list[float]] = []
    while len(spots) < count:
        number = min(int(rng.integers(2, 6)), count - len(spots)) or 1
        at, angle = rng.uniform(0.1, 0.9, 2) * size, rng.uniform(0, 2 * np.pi)
        apart, turned = np.exp(rng.uniform(np.log(0.008), np.log(0.13))), np.exp(rng.uniform(np.log(0.01), np.log(0.3)))
        for _ in range(number):
            x, y = at + rng.normal(0, apart * length, 2)
            spots.append([x, y, angle + rng.normal(0, turned)])
    return np.array(spots[:count])


def stairs(count: int, length: float, size: tuple[int, int], rng: Rng) -> np.ndarray:
    """Cards laid straight over one another, so that a strip or a half of the lower ones shows: tricks, discards, hands.

    What is seen of a squarely covered card looks like a whole card of another shape; only its size betrays it.
    """
    spots: list[list[float]] = []
    while len(spots) < count:
        number = min(int(rng.integers(2, 6)), count - len(spots)) or 1
        angle = rng.uniform(0, 2 * np.pi)
        along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
        kind = rng.random()
        if kind < 0.45:
            step = along * rng.uniform(0.12, 0.85)
        elif kind < 0.85:
            step = across * rng.uniform(0.08, 0.55)
        else:
            step = along * rng.uniform(0.1, 0.7) + across * rng.uniform(0.05, 0.5)
        step = step * rng.choice([-1, 1])
        at = np.array([rng.uniform(0.1, 0.9) * size[0], rng.uniform(0.1, 0.9) * size[1]])
        for i in range(number):
            x, y = at + (step * i + rng.normal(0, 0.025, 2)) * length
            spots.append([x, y, angle + rng.normal(0, 0.05) + np.pi * (rng.random() < 0.1)])
    return np.array(spots[:count])


def paste(canvas: Image, owner: np.ndarray, patch: Image, mask: Image, matrix: np.ndarray, *, name: int) -> None:
    """Warp a patch onto the canvas; `owner` remembers which piece every pixel shows."""
    height, width = canvas.shape[:2]
    h, w = patch.shape[:2]
    quad = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float32), matrix)[0]
    x1, y1 = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
    x2, y2 = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, [width, height])
    if x2 <= x1 or y2 <= y1:
        return
    move = np.array([[1, 0, -x1], [0, 1, -y1], [0, 0, 1.0]]) @ matrix
    scale = np.linalg.norm(quad[1] - quad[0]) / w
    if scale < 0.6:  # shrink first, else warping aliases thin lines in a way no lens does
        f = max(scale * 1.3, 0.05)
        small = (max(2, round(w * f)), max(2, round(h * f)))
        patch = cv2.resize(patch, small, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, small, interpolation=cv2.INTER_AREA)
        move = move @ np.diag([w / small[0], h / small[1], 1.0])
    size = (int(x2 - x1), int(y2 - y1))
    seen = cv2.warpPerspective(patch, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    alpha = cv2.warpPerspective(mask, move, size, flags=cv2.INTER_LINEAR)
    region = canvas[y1:y2, x1:x2]
    a = (alpha.astype(np.float32) / 255)[..., None]
    region[:] = (seen * a + region * (1 - a)).astype(np.uint8)
    owner[y1:y2, x1:x2][alpha > 127] = name


def shadow(canvas: Image, quad: np.ndarray, length: float, rng: Rng) -> None:
    """A soft contact shadow under a card that is about to be laid."""
    offset = rng.normal(0, 0.02 * length, 2)
    spread = length * rng.uniform(0.01, 0.06)
    x1, y1 = np.maximum((quad.min(0) + offset - 3 * spread).astype(int), 0)
    x2, y2 = np.minimum((quad.max(0) + offset + 3 * spread).astype(int), [canvas.shape[1], canvas.shape[0]])
    if x2 - x1 < 4 or y2 - y1 < 4:
        return
    dark = np.zeros((y2 - y1, x2 - x1), np.uint8)
    cv2.fillPoly(dark, [np.int32(quad + offset - [x1, y1])], int(rng.uniform(40, 130)))
    dark = cv2.GaussianBlur(dark, (0, 0), max(spread, 0.6))
    region = canvas[y1:y2, x1:x2]
    region[:] = (region * (1 - dark.astype(np.float32)[..., None] / 255)).astype(np.uint8)


SKIN = np.array([[120, 160, 215], [95, 130, 190], [70, 100, 150], [45, 65, 105], [140, 175, 230]], float)


def fingers(canvas: Image, owner: np.ndarray, at: np.ndarray, length: float, rng: Rng) -> None:
    """A few fingers of a hand reaching from outside over a point of the table."""
    skin = SKIN[rng.integers(len(SKIN))] * rng.uniform(0.8, 1.1)
    angle = rng.uniform(0, 2 * np.pi)
    back = np.array([np.cos(angle), np.sin(angle)])
    side = np.array([-back[1], back[0]])
    thick = max(3, int(length * rng.uniform(0.13, 0.22)))
    for i in range(int(rng.integers(1, 5))):
        tip = at + side * i * thick * 1.15 + back * rng.normal(0, 0.1) * length
        base = tip + back * length * rng.uniform(0.8, 3) + side * rng.normal(0, 0.15) * length
        mask = np.zeros(owner.shape, np.uint8)
        cv2.line(mask, np.int32(tip), np.int32(base), 255, thick, cv2.LINE_AA)
        x, y, w, h = cv2.boundingRect(mask)
        if w == 0:
            continue
        part = (slice(y, y + h), slice(x, x + w))
        m = mask[part]
        depth = np.minimum(cv2.distanceTransform(m, cv2.DIST_L2, 3) / (thick / 2 + 1e-6), 1)[..., None]
        tone = np.clip(skin * (0.55 + 0.45 * depth) + rng.normal(0, 4, (h, w, 1)), 0, 255)
        a = m.astype(np.float32)[..., None] / 255
        canvas[part] = (tone * a + canvas[part] * (1 - a)).astype(np.uint8)
        owner[part][m > 127] = -1


def clutter(canvas: Image, owner: np.ndarray, length: float, rng: Rng) -> None:
    """Things that are not cards: sheets of paper, phones, books, coins, mugs."""
    height, width = owner.shape
    at = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    if rng.random() < 0.5:
        radius = int(length * rng.choice([rng.uniform(0.08, 0.16), rng.uniform(0.3, 0.6)]))
        colour = [float(v) for v in rng.uniform(20, 240, 3)] if rng.random() < 0.4 else [rng.uniform(60, 220)] * 3
        cv2.circle(canvas, np.int32(at), radius + 1, [c * 0.5 for c in colour], -1, cv2.LINE_AA)
        cv2.circle(canvas, np.int32(at), radius, colour, -1, cv2.LINE_AA)
        for k in (0.8, 0.5):
            cv2.circle(
                canvas, np.int32(at), int(radius * k), [c * rng.uniform(0.7, 1.1) for c in colour], 1, cv2.LINE_AA
            )
        cv2.circle(owner, np.int32(at), radius, -1, -1)
        return
    w, h = length * rng.uniform(0.4, 3, 2)
    box = cv2.boxPoints(((float(at[0]), float(at[1])), (float(w), float(h)), float(rng.uniform(0, 180))))
    quad = np.asarray(box).astype(np.int32)
    white = rng.random() < 0.55
    colour = [float(v) for v in (rng.uniform(200, 255) + rng.normal(0, 6, 3) if white else rng.uniform(10, 240, 3))]
    cv2.fillPoly(canvas, [quad], colour, cv2.LINE_AA)
    cv2.fillPoly(owner, [quad], -1)
    if rng.random() < 0.6:  # lines of print or ruling
        ink = [float(v) for v in rng.uniform(0, 180, 3)]
        for t in np.linspace(0.1, 0.9, int(rng.integers(3, 14))):
            a, b = quad[0] + (quad[1] - quad[0]) * t, quad[3] + (quad[2] - quad[3]) * t
            cv2.line(canvas, np.int32(a + (b - a) * 0.08), np.int32(a + (b - a) * 0.92), ink, 1, cv2.LINE_AA)


def compose(
    decks: dict[str, dict[str, Image]],
    backgrounds: list[Image],
    rng: Rng,
    size: tuple[int, int],
    *,
    heaped: bool = False,
) -> Scene:
    """One scene of the given width and height; with `heaped` the cards lie in neat heaps."""
    width, height = size
    ground = backgrounds[rng.integers(len(backgrounds))]
    if rng.random() < 0.12:
        canvas = np.empty((height, width, 3), np.uint8)
        canvas[:] = np.clip(rng.uniform(10, 255) + rng.normal(0, 20, 3), 0, 255)
        canvas = np.clip(canvas + rng.normal(0, rng.uniform(0.5, 6), canvas.shape), 0, 255).astype(np.uint8)
    else:
        part = rng.uniform(0.35, 1.0)
        ch, cw = int(ground.shape[0] * part), int(ground.shape[1] * part)
        y, x = rng.integers(ground.shape[0] - ch + 1), rng.integers(ground.shape[1] - cw + 1)
        canvas = np.rot90(ground[y : y + ch, x : x + cw], int(rng.integers(4)))
        canvas = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_LINEAR)
    count = int(
        rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 16], p=[0.08, 0.1, 0.12, 0.12, 0.12, 0.12, 0.12, 0.1, 0.07, 0.05])
    )
    length = float(np.exp(rng.uniform(np.log(0.1), np.log(0.45)))) * max(width, height)
    if count > 8:
        length = min(length, 0.25 * max(width, height))
    name = str(rng.choice(list(decks)))
    deck = decks[name]
    faces = [label for label in deck if label != BACK]
    chosen = [faces[i] for i in rng.permutation(len(faces))[:count]]
    if "comodin" in deck and rng.random() < 0.25:
        chosen[0] = "comodin"
    all_backs = [(n, d[BACK]) for n, d in decks.items() if BACK in d]
    owner = np.zeros((height, width), np.int16)
    for _ in range(int(rng.integers(0, 4)) if rng.random() < 0.45 else 0):
        clutter(canvas, owner, length, rng)
    owner[:] = 0
    view = camera(size, rng)
    spots = layout(len(chosen), length, size, rng, heaped=heaped)
    radius = rng.uniform(0.02, 0.09)
    squash = np.diag([rng.uniform(0.8, 1.25) if rng.random() < 0.4 else 1.0, 1, 1])
    placed: list[tuple[str, np.ndarray, float]] = []
    for i, (label, (x, y, angle)) in enumerate(zip(chosen, spots, strict=True)):
        shown, art = label, deck[label]
        if all_backs and rng.random() < 0.09:
            shown, art = BACK, all_backs[rng.integers(len(all_backs))][1]
        patch, mask = rounded(vary_card(art, rng), radius, rng)
        h, w = patch.shape[:2]
        aspect = 61.5 / 95
        sx, sy = length * aspect / w, length / h
        c, s = np.cos(angle), np.sin(angle)
        place = np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ np.array(
            [[sx, 0, -w * sx / 2], [0, sy, -h * sy / 2], [0, 0, 1]]
        )
        matrix = view @ place
        matrix = (
            np.array([[1, 0, width / 2], [0, 1, 0], [0, 0, 1]])
            @ squash
            @ np.array([[1, 0, -width / 2], [0, 1, 0], [0, 0, 1]])
            @ matrix
        )
        quad = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], np.float32), matrix)[0]
        if rng.random() < 0.7:
            shadow(canvas, quad, length, rng)
        paste(canvas, owner, patch, mask, matrix, name=i + 1)
        area = abs(cv2.contourArea(quad))
        placed.append((shown, quad, area))
    if rng.random() < 0.35:
        for _ in range(int(rng.integers(1, 3))):
            quad = placed[rng.integers(len(placed))][1]
            weights = rng.dirichlet(np.ones(4))
            fingers(canvas, owner, weights @ quad, length, rng)
    if rng.random() < 0.2:
        clutter(canvas, owner, length * 0.35, rng)
    image = photograph(light_up(canvas, rng), rng)
    scene = Scene(image)
    for i, (label, quad, area) in enumerate(placed):
        mask = (owner == i + 1).astype(np.uint8)
        pixels = int(mask.sum())
        if pixels < 30:
            continue
        x, y, w, h = cv2.boundingRect(mask)
        scene.cards.append(Placed(label, name, quad, np.array([x, y, x + w, y + h], np.float32), pixels / max(area, 1)))
    return scene
