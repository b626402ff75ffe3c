"""Looms as a camera sees them, made for training: cheap views with the label of every pixel.

The scenes of `datasets.scenes` are truer; these are many per second and know, for each pixel, which cord it shows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from datasets.art import circuits
from datasets.art.loom_facts import COLORS, random_loom
from datasets.art.loom_render import LoomRender, render_loom
from datasets.art.loom_style import loom_style
from datasets.art.sprite import Sprite
from datasets.art.tiles import tile_sprite
from datasets.scene.things import clutter_sprite


@dataclass(frozen=True, slots=True)
class View:
    """A picture and what is where in it: label maps of the picture's size, and points in its pixels."""

    image: np.ndarray
    board: np.ndarray  # 1 where a board (or its window) is seen
    inner: np.ndarray  # 1 inside the lane square
    axis: np.ndarray
    dye: np.ndarray
    corners: tuple[np.ndarray, ...]  # of each board
    grids: tuple[np.ndarray, ...]  # the lane square of each board
    ends: tuple[tuple[str, int, float, float], ...]  # seen lane ends, of all boards
    lanes: tuple[int, ...]  # of each board
    crossings: tuple[tuple[int, int, int, str], ...]  # seen crossings: board, h, v, and what is on top
    hidden: np.ndarray  # 1 where something lies over the board


def spoiled_loom(seed: int, lanes: int) -> dict[str, Any]:
    """A random loom in which, now and then, a cord is slack, doubled or diagonal."""
    rng = random.Random(f"spoiled-{seed}")
    facts = random_loom(seed, lanes)
    if not facts["cords"] or rng.random() > 0.3:
        return facts
    kind = rng.choice(("slack", "double", "stray"))
    cord = rng.choice(facts["cords"])
    if kind == "slack":
        cord["slack"] = rng.choice((-1, 1)) * rng.uniform(0.3, 0.9)
    elif kind == "double":
        apart = rng.uniform(0.1, 0.2)
        cord["offset"] = -apart
        facts["cords"].append({**cord, "color": rng.choice(COLORS), "offset": apart})
    else:
        a, b = rng.sample(range(lanes), 2)
        facts["strays"] = [{"from": a, "to": b, "axis": rng.choice("vvh"), "color": rng.choice(COLORS)}]
    return facts


def drawn_loom(seed: int, px: float = 30.0) -> tuple[LoomRender, dict[str, Any]]:
    """A loom of a training style with about `px` pixels per lane, and its facts."""
    rng = random.Random(f"drawn-{seed}")
    lanes = rng.choice((8, 8, 8, 8, 6, 10, 7, 9, 5, 12))
    facts = spoiled_loom(seed, lanes)
    style = loom_style(seed)
    return render_loom(facts, style, px / style.pitch_mm, seed), facts


def texture(rng: np.random.Generator, size: tuple[int, int], photos: Sequence[np.ndarray]) -> np.ndarray:
    """A table without pieces, width × height: a photograph where there are any, else stripes, checks, noise, plain."""
    w, h = size
    if len(photos) and rng.random() < 0.6:
        photo = photos[int(rng.integers(len(photos)))]
        scale = max(w / photo.shape[1], h / photo.shape[0]) * rng.uniform(1.0, 1.8)
        photo = cv2.resize(photo, None, fx=scale + 1e-3, fy=scale + 1e-3)
        x, y = (int(rng.integers(0, photo.shape[1] - w + 1)), int(rng.integers(0, photo.shape[0] - h + 1)))
        photo = photo[y : y + h, x : x + w]
        return photo[:, ::-1].copy() if rng.random() < 0.5 else photo.copy()
    base = rng.uniform(20, 240, 3) if rng.random() < 0.5 else np.full(3, rng.uniform(30, 240)) + rng.uniform(-20, 20, 3)
    other = np.clip(base + rng.uniform(-90, 90), 0, 255) if rng.random() < 0.7 else rng.uniform(10, 245, 3)
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    angle, period = rng.uniform(0, np.pi), rng.uniform(6, 90)
    u, v = xx * np.cos(angle) + yy * np.sin(angle), -xx * np.sin(angle) + yy * np.cos(angle)
    kind = rng.integers(5)
    warp = cv2.resize(rng.standard_normal((6, 8)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    if kind == 0:
        mix = np.full((h, w), 0.2 * rng.random(), np.float32)
    elif kind == 1:
        mix = (np.sin(2 * np.pi * (u / period + warp * rng.uniform(0, 1.5))) > rng.uniform(-0.9, 0.9)).astype(
            np.float32
        )
    elif kind == 2:
        mix = ((np.floor(u / period) + np.floor(v / period)) % 2).astype(np.float32)
    elif kind == 3:
        line = rng.uniform(0.03, 0.3)
        mix = (((u / period) % 1 < line) | ((v / period) % 1 < line)).astype(np.float32)
    else:
        mix = 0.5 + 0.5 * np.sin(2 * np.pi * (u / period + 2 * warp)).astype(np.float32)
    mix = cv2.GaussianBlur(mix, (0, 0), rng.uniform(0.4, 3)) * rng.uniform(0.3, 1.0)
    out = base + (other - base) * mix[..., None] + rng.standard_normal((h, w, 1)) * rng.uniform(0, 14)
    return np.clip(out + 6 * warp[..., None], 0, 255).astype(np.uint8)


def other_things(count: int, seed: int) -> list[Sprite]:
    """Things on a table that are no looms: clutter, and the pieces of the other games."""
    rng = np.random.default_rng([seed, 41])
    faces = circuits.default_faces()
    things = []
    for i in range(count):
        kind = i % 4
        if kind == 0:
            face = faces[int(rng.integers(len(faces)))]
            things.append(circuits.circuit_sprite(face, circuits.random_style(rng), 2.0))
        elif kind == 1:
            things.append(tile_sprite("-".join(str(n) for n in np.sort(rng.integers(0, 6, 3))), i, 3.0))
        else:
            things.append(clutter_sprite(seed + i))
    return things


def scatter(picture: np.ndarray, things: Sequence[Sprite], rng: np.random.Generator) -> None:
    """Lay some of the things on a table top, in place, in any size and turn."""
    h, w = picture.shape[:2]
    for _ in range(int(rng.integers(1, 7))):
        image = things[int(rng.integers(len(things)))].image
        side = rng.uniform(30, 200)
        quad = tilted_square(rng, np.array([rng.uniform(0, w), rng.uniform(0, h)]), side)
        sh, sw = image.shape[:2]
        if min(sh, sw) < 4:
            continue
        shape = np.array([[0, 0], [sw, 0], [sw, sh], [0, sh]], np.float32)
        m = cv2.getPerspectiveTransform(shape, quad)
        laid = cv2.warpPerspective(image, m, (w, h), flags=cv2.INTER_LINEAR).astype(np.float32)
        alpha = laid[..., 3:] / 255
        picture[:] = (picture * (1 - alpha) + laid[..., :3] * alpha).astype(np.uint8)


def camera_light(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The picture under another lamp and through a poorer camera: cast, exposure, shadows, glare, blur, noise, JPEG."""
    h, w = image.shape[:2]
    out = image.astype(np.float32) / 255
    if rng.random() < 0.7:  # renderers and cameras wash colours out or make them louder
        grey = out.mean(axis=2, keepdims=True)
        out = grey + (out - grey) * rng.uniform(0.5, 1.25)
    soft = cv2.resize(rng.standard_normal((3, 4)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    out *= np.clip(1 + soft * rng.uniform(0, 0.25), 0.3, 1.8)[..., None]
    if rng.random() < 0.3:  # the edge of a hard shadow
        angle, at = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 0.8)
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        side = (xx / w - at) * np.cos(angle) + (yy / h - at) * np.sin(angle)
        out *= (1 - rng.uniform(0.2, 0.6) / (1 + np.exp(-side * rng.choice([8, 40, 200]))))[..., None]
    cast = np.exp(rng.normal(0, 0.09, 3))
    out *= cast / cast.mean() * rng.uniform(0.45, 1.35)
    if rng.random() < 0.3:
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        r2 = ((xx - rng.uniform(0, w)) / (w * rng.uniform(0.08, 0.4))) ** 2
        r2 = r2 + ((yy - rng.uniform(0, h)) / (h * rng.uniform(0.08, 0.4))) ** 2
        out += (rng.uniform(0.1, 0.6) * np.exp(-r2))[..., None]
    out = np.clip(out + rng.uniform(0, 0.12), 0, 1.6)
    out = np.minimum(out, 1) ** rng.uniform(0.75, 1.3)
    if rng.random() < 0.6:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.5))
    if rng.random() < 0.15:
        k = int(rng.integers(3, 8))
        streak = np.zeros((k, k), np.float32)
        cv2.line(streak, (0, int(rng.integers(k))), (k - 1, int(rng.integers(k))), 1)
        out = cv2.filter2D(out, -1, streak / streak.sum())
    out = out + rng.standard_normal(out.shape) * rng.uniform(0, 0.035)
    pixels = np.clip(out * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        ok, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 96))])
        if ok:
            pixels = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
    return pixels


def _cover(image: np.ndarray, hidden: np.ndarray, rng: np.random.Generator, around: np.ndarray) -> None:
    """Lay a hand, a sleeve or a thing over the edge of the board."""
    side = np.linalg.norm(around[1] - around[0])
    a, b = around[(k := int(rng.integers(4)))], around[(k + 1) % 4]
    edge = a + (b - a) * rng.uniform(0, 1)
    out = edge - around.mean(axis=0)
    out /= np.linalg.norm(out) + 1e-6
    tip = edge - out * side * rng.uniform(-0.1, 0.22)
    skin = np.array([rng.uniform(60, 190), rng.uniform(90, 205), rng.uniform(140, 245)])
    fingers = int(rng.integers(1, 5))
    across = np.array([-out[1], out[0]])
    width = side * rng.uniform(0.04, 0.08)
    for i in range(fingers):
        start = tip + across * width * 1.15 * (i - fingers / 2) + out * rng.uniform(0, width)
        end = start + out * side * rng.uniform(0.2, 0.35)
        for target, value in ((image, skin * rng.uniform(0.9, 1.05)), (hidden, (1,))):
            cv2.line(
                target, tuple(map(int, start)), tuple(map(int, end)), [float(v) for v in value], max(2, int(width))
            )
    palm = tip + out * side * 0.35
    for target, value in ((image, skin), (hidden, (1,))):
        cv2.circle(target, tuple(map(int, palm)), int(width * fingers * 0.6 + 2), [float(v) for v in value], -1)
        far = palm + out * side * 1.5 + across * side * 0.2
        cv2.line(target, tuple(map(int, palm)), tuple(map(int, far)), [float(v) for v in value], max(2, int(width * 2)))


def tilted_square(rng: np.random.Generator, centre: np.ndarray, side: float) -> np.ndarray:
    """The four corners of a square on the table, seen by a camera up to 45° off the vertical."""
    angle, tilt, turn = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(0, 48)), rng.uniform(0, 2 * np.pi)
    base = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.5
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    flat = base @ spin.T
    view = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    flat = flat @ view.T
    distance = rng.uniform(1.8, 5.0)
    depth = distance + flat[:, 1] * np.sin(tilt)
    seen = np.stack([flat[:, 0], flat[:, 1] * np.cos(tilt)], axis=1) * (distance / depth)[:, None]
    return ((seen @ view) * side + centre).astype(np.float32)


def compose(
    looms: Sequence[tuple[LoomRender, dict[str, Any]]],
    quads: Sequence[np.ndarray],
    background: np.ndarray,
    rng: np.random.Generator,
    cover: float = 0.25,
) -> View:
    """Lay the looms' boards on the quads of the background, then the things that hide them, then the light."""
    h, w = background.shape[:2]
    image = background.astype(np.float32)
    maps = {name: np.zeros((h, w), np.uint8) for name in ("board", "inner", "axis", "dye", "hidden")}
    ends: list[tuple[str, int, float, float]] = []
    crossings: list[tuple[int, int, int, str, float, float]] = []
    grids: list[np.ndarray] = []
    for number, ((loom, facts), quad) in enumerate(zip(looms, quads, strict=True)):
        m = cv2.getPerspectiveTransform(loom.corners, quad.astype(np.float32))
        scale = np.linalg.norm(quad[1] - quad[0]) / np.linalg.norm(loom.corners[1] - loom.corners[0])
        source = loom.image
        if scale < 0.6:
            source = cv2.GaussianBlur(source, (0, 0), float(0.45 / scale))
        warped = cv2.warpPerspective(source, m, (w, h), flags=cv2.INTER_LINEAR).astype(np.float32)
        alpha = warped[..., 3:] / 255
        outline = np.zeros((h, w), np.uint8)
        cv2.fillPoly(outline, [np.round(quad).astype(np.int32)], 1)
        drop = rng.uniform(-0.04, 0.04, 2) * np.linalg.norm(quad[1] - quad[0])
        shadow = cv2.warpAffine(
            outline.astype(np.float32), np.array([[1, 0, drop[0]], [0, 1, drop[1]]], np.float32), (w, h)
        )
        soft = cv2.GaussianBlur(shadow, (0, 0), rng.uniform(1, 6)) * rng.uniform(0.1, 0.7)
        image *= 1 - soft[..., None]
        image = image * (1 - alpha) + warped[..., :3] * alpha
        inner = cv2.perspectiveTransform(loom.grid[None], m)[0]
        grids.append(inner)
        cv2.fillPoly(maps["inner"], [np.round(inner).astype(np.int32)], 1)
        maps["board"][outline > 0] = 1
        for name, source_map in (("axis", loom.axis), ("dye", loom.dye)):
            part = cv2.warpPerspective(source_map, m, (w, h), flags=cv2.INTER_NEAREST)
            maps[name] = np.where(outline > 0, part, maps[name])
        at = cv2.perspectiveTransform(np.array([[e[2:] for e in loom.ends]], np.float32), m)[0]
        ends += [(e[0], e[1], float(x), float(y)) for e, (x, y) in zip(loom.ends, at, strict=True)]
        crossings += [(number, *c) for c in _crossing_points(loom, facts, m)]
        if rng.random() < cover:
            _cover(image, maps["hidden"], rng, quad)
    gone = maps["hidden"] > 0
    for name in ("board", "inner", "axis", "dye"):
        maps[name][gone] = 0

    def seen(x: float, y: float) -> bool:
        return 0 <= x < w and 0 <= y < h and not gone[int(y), int(x)]

    lit = camera_light(np.clip(image, 0, 255).astype(np.uint8), rng)
    return View(
        image=lit,
        corners=tuple(quads),
        grids=tuple(grids),
        ends=tuple(e for e in ends if seen(e[2], e[3])),
        lanes=tuple(int(facts["lanes"]) for _, facts in looms),
        crossings=tuple(c[:4] for c in crossings if seen(c[4], c[5])),
        **maps,
    )


def _crossing_points(
    loom: LoomRender, facts: dict[str, Any], m: np.ndarray
) -> list[tuple[int, int, str, float, float]]:
    odd = {(c["axis"], c["lane"]) for c in facts["cords"] if c.get("slack") or c.get("offset")}
    clear = [c for c in facts["crossings"] if ("h", c["h"]) not in odd and ("v", c["v"]) not in odd]
    if not clear:
        return []
    step = (loom.grid[2] - loom.grid[0]) / (facts["lanes"] - 1)
    points = np.array([[loom.grid[0] + step * [c["v"], c["h"]] for c in clear]], np.float32)
    at = cv2.perspectiveTransform(points, m)[0]
    return [(c["h"], c["v"], c["top"], float(x), float(y)) for (x, y), c in zip(at, clear, strict=True)]
