"""Pixels of a loom seen from above: a height map of board and cords, so that over, under and shadows come out right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from datasets.art.loom_facts import COLORS
from datasets.art.loom_style import LoomStyle

SUPERSAMPLE = 2
AXES = ("", "h", "v", "stray")  # values of the axis map


@dataclass(frozen=True, slots=True)
class LoomRender:
    """A drawn loom: BGRA pixels; which axis (index into AXES) and dye (1 + index into COLORS) each pixel shows; in
    pixels the board's corners, the lane square and the ends of the lanes, (axis, lane, x, y)."""

    image: np.ndarray
    axis: np.ndarray
    dye: np.ndarray
    corners: np.ndarray
    grid: np.ndarray
    ends: tuple[tuple[str, int, float, float], ...]


def _noise(rng: np.random.Generator, shape: tuple[int, int], cell: float) -> np.ndarray:
    small = rng.standard_normal((max(2, int(shape[0] / cell) + 2), max(2, int(shape[1] / cell) + 2))).astype(np.float32)
    return cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)


def _grain(kind: str, rng: np.random.Generator, shape: tuple[int, int], pitch: float) -> np.ndarray:
    """A brightness factor for each pixel of the board."""
    soft = 1 + 0.03 * _noise(rng, shape, pitch * 3)
    if kind == "wood":
        stretched = cv2.resize(_noise(rng, (shape[0], max(8, shape[1] // 24)), pitch * 0.12), (shape[1], shape[0]))
        return soft + 0.08 * stretched
    if kind == "cork":
        return soft + 0.12 * _noise(rng, shape, pitch * 0.09)
    if kind == "paper":
        return soft + 0.02 * _noise(rng, shape, 1.5)
    return soft


class _Painter:
    """One loom being drawn at the supersampled size; `p` is the lane pitch in pixels."""

    def __init__(self, lanes: int, style: LoomStyle, p: float, rng: np.random.Generator) -> None:
        self.lanes, self.style, self.p, self.rng = lanes, style, p, rng
        left, top, right, bottom = style.margin
        self.ox, self.oy = left * p, top * p
        self.w, self.h = round((lanes - 1 + left + right) * p), round((lanes - 1 + top + bottom) * p)
        self.pad = round(0.3 * p) if style.ends == "notch" else 0
        self.ox += self.pad
        self.oy += self.pad
        self.shape = (self.h + 2 * self.pad, self.w + 2 * self.pad)
        self.height = np.zeros(self.shape, np.float32)
        self.axis = np.zeros(self.shape, np.uint8)
        self.dye = np.zeros(self.shape, np.uint8)
        self.ends: list[tuple[str, int, float, float]] = []
        self._board()

    def _board(self) -> None:
        s, p = self.style, self.p
        rows, cols = self.shape
        outline = np.zeros(self.shape, np.uint8)
        x0, y0, x1, y1 = self.pad, self.pad, self.pad + self.w - 1, self.pad + self.h - 1
        r = int(s.corner_radius * p)
        if r > 1:
            cv2.rectangle(outline, (x0 + r, y0), (x1 - r, y1), 255, -1)
            cv2.rectangle(outline, (x0, y0 + r), (x1, y1 - r), 255, -1)
            for cx in (x0 + r, x1 - r):
                for cy in (y0 + r, y1 - r):
                    cv2.circle(outline, (cx, cy), r, 255, -1)
        else:
            cv2.rectangle(outline, (x0, y0), (x1, y1), 255, -1)
        color = np.empty((rows, cols, 3), np.float32)
        color[:] = np.array(s.board[::-1], np.float32)
        color *= _grain(s.grain, self.rng, self.shape, p)[..., None]
        a = s.panel_at * p
        span = (self.lanes - 1) * p
        box = tuple(round(v) for v in (self.ox - a, self.oy - a, self.ox + span + a, self.oy + span + a))
        inner = (slice(box[1], box[3]), slice(box[0], box[2]))
        if s.window:
            outline[inner] = 0
        elif s.panel is not None:
            part = color[inner]
            part[:] = np.array(s.panel[::-1], np.float32)
            part *= _grain("paper", self.rng, part.shape[:2], p)[..., None]
        for axis in "hv":
            for lane in range(self.lanes):
                for far in (-s.end_at, self.lanes - 1 + s.end_at):
                    u, v = (far, lane) if axis == "h" else (lane, far)
                    x, y = self.ox + u * p, self.oy + v * p
                    self.ends.append((axis, lane, x, y))
                    self._end(color, outline, axis, x, y)
        self.color, self.outline = color, outline

    def _end(self, color: np.ndarray, outline: np.ndarray, axis: str, x: float, y: float) -> None:
        s, p = self.style, self.p
        r = max(1, round(s.hole_radius * p))
        at = (round(x), round(y))
        if s.ends == "hole":
            cv2.circle(color, at, r, s.hole[::-1], -1, cv2.LINE_AA)
        elif s.ends == "notch":
            inward = np.sign(np.array([self.shape[1] / 2 - x, self.shape[0] / 2 - y]))
            step = np.array([0.35 * p, 0]) if axis == "h" else np.array([0, 0.35 * p])
            tip = np.array([x, y]) + step * inward
            across = np.array([0, r]) if axis == "h" else np.array([r, 0])
            out = np.array([x, y]) - step * inward * 0.3
            ring = np.round(np.array([out - across, tip, out + across])).astype(np.int32)
            cv2.fillPoly(outline, [ring], 0)
        else:
            cv2.circle(color, at, r, tuple(0.55 * c for c in s.board[::-1]), -1, cv2.LINE_AA)
            cv2.circle(
                color, at, max(1, round(r * 0.75)), tuple(min(1, 0.3 + c) for c in s.board[::-1]), -1, cv2.LINE_AA
            )

    def cord(
        self,
        axis: str,
        start: tuple[float, float],
        end: tuple[float, float],
        color: str,
        *,
        bumps: Sequence[tuple[float, float]] = (),
        slack: float = 0.0,
        offset: float = 0.0,
    ) -> None:
        """Lay a cord between two points (pixels); `bumps` are (place along it in pixels, +1 over or -1 under)."""
        s, p, rng = self.style, self.p, self.rng
        a, b = np.array(start), np.array(end)
        length = float(np.hypot(*(b - a)))
        along = (b - a) / length
        across = np.array([-along[1], along[0]])
        radius = s.radius * p * rng.uniform(0.93, 1.07)
        n = int(length) + 1
        t = np.arange(n, dtype=np.float32)
        z = np.full(n, 1.2, np.float32)
        for place, sign in bumps:
            z += sign * s.lift * np.exp(-0.5 * ((t - place) / (s.stiffness * p * 0.6)) ** 2)
        tail = np.minimum(t, length - t) / (0.25 * p)
        z *= np.clip(tail, 0.15, 1)
        wob = _noise(rng, (1, n), p * 1.3)[0] * s.wobble * p * np.clip(tail, 0, 1)
        bow = np.sin(np.pi * t / length) * slack * p + np.sin(2 * np.pi * t / length) * slack * p * rng.uniform(
            -0.5, 0.5
        )
        lean = float(np.dot(across, s.lean)) * radius
        centre = wob + bow + offset * p * np.clip(tail, 0, 1) + (z - 0.4) * lean
        reach = radius * 1.1 + float(np.abs(centre).max()) + 2
        lo = np.floor(np.minimum(a, b) - np.abs(across) * reach - radius).astype(int)
        hi = np.ceil(np.maximum(a, b) + np.abs(across) * reach + radius).astype(int)
        lo, hi = np.maximum(lo, 0), np.minimum(hi, [self.shape[1] - 1, self.shape[0] - 1])
        ys, xs = np.mgrid[lo[1] : hi[1] + 1, lo[0] : hi[0] + 1].astype(np.float32)
        sx = (xs - a[0]) * along[0] + (ys - a[1]) * along[1]
        d = (xs - a[0]) * across[0] + (ys - a[1]) * across[1]
        index = np.clip(sx, 0, n - 1).astype(int)
        over = np.maximum(0, np.maximum(-sx, sx - length)) / radius  # the round ends
        q = (d - centre[index]) / radius
        inside = q * q + over * over < 1
        dome = np.sqrt(np.clip(1 - q * q - over * over, 0, 1))
        high = z[index] * radius + dome * radius
        view = (slice(lo[1], hi[1] + 1), slice(lo[0], hi[0] + 1))
        wins = inside & (high > self.height[view])
        towards = -np.array(s.light) / (np.hypot(*s.light) + 1e-6)
        normal = q * float(np.dot(across, towards))
        shade = 0.62 + 0.38 * dome + 0.22 * normal
        period = radius * 1.7
        strands = np.sin(2 * np.pi * (sx / period + 0.55 * np.arcsin(np.clip(q, -1, 1)) / np.pi * 2))
        shade = shade * (1 + 0.28 * s.twist * strands) + s.fuzz * rng.standard_normal(shade.shape)
        tint = np.array(s.dyes[color][::-1], np.float32)
        part = self.color[view]
        part[wins] = (tint * np.clip(shade, 0.05, 1.35)[..., None])[wins]
        self.height[view][wins] = high[wins]
        self.axis[view][wins] = AXES.index(axis)
        self.dye[view][wins] = 1 + COLORS.index(color)
        self.outline[view][wins] = 255
        if s.knot:
            for end_point in (a, b):
                self._knot(end_point, radius, tint)

    def _knot(self, at: np.ndarray, radius: float, tint: np.ndarray) -> None:
        cv2.circle(
            self.color, (round(at[0]), round(at[1])), round(radius * 1.7), (tint * 0.85).tolist(), -1, cv2.LINE_AA
        )
        cv2.circle(
            self.color,
            (round(at[0] - radius * 0.4), round(at[1] - radius * 0.4)),
            round(radius * 0.7),
            np.minimum(1, tint * 1.1).tolist(),
            -1,
            cv2.LINE_AA,
        )

    def lit(self) -> np.ndarray:
        """The colours with the shadows that cords throw on the board and on each other."""
        s = self.style
        shadow = np.zeros(self.shape, np.float32)
        reach = float(self.height.max())
        if reach > 0:
            steps = 6
            for k in range(1, steps + 1):
                drop = reach * k / steps
                dx, dy = s.light[0] * drop, s.light[1] * drop
                moved = cv2.warpAffine(self.height, np.array([[1, 0, dx], [0, 1, dy]], np.float32), self.shape[::-1])
                shadow = np.maximum(shadow, np.clip((moved - self.height - drop) / (0.3 * reach / steps + 0.5), 0, 1))
            near = cv2.GaussianBlur(self.height, (0, 0), self.style.radius * self.p * 1.2)
            crease = np.clip((near - self.height) / (reach + 1e-6), 0, 1)
            shadow = cv2.GaussianBlur(shadow, (0, 0), max(0.6, self.p * 0.012))
            return self.color * np.clip(1 - s.shade * shadow - 0.5 * crease, 0.05, 1)[..., None]
        return self.color


def _spoil(problem: Mapping[str, Any], painter: _Painter, ends: dict[tuple[str, int], list[np.ndarray]]) -> None:
    """Lay a cord that a loom must not have: a diagonal one, between the ends of two different lanes."""
    first, last = ends[("v", int(problem["from"]))][0], ends[(problem.get("axis", "v"), int(problem["to"]))][1]
    painter.cord("stray", tuple(first), tuple(last), problem["color"])


def render_loom(facts: Mapping[str, Any], style: LoomStyle, px_per_mm: float, seed: int = 0) -> LoomRender:
    """Draw a loom. Beside the label format a cord may have `slack` (how far it bows, in pitches) and `offset` (its
    distance from the lane's middle, for two cords in one lane), and `strays` lists diagonal cords."""
    lanes = int(facts["lanes"])
    k = SUPERSAMPLE
    rng = np.random.default_rng([seed, lanes, len(facts["cords"])])
    painter = _Painter(lanes, style, style.pitch_mm * px_per_mm * k, rng)
    p = painter.p
    ends: dict[tuple[str, int], list[np.ndarray]] = {}
    for axis, lane, x, y in painter.ends:
        ends.setdefault((axis, lane), []).append(np.array([x, y]))
    tops = {(c["h"], c["v"]): c["top"] for c in facts["crossings"]}
    lanes_of = {axis: sorted({c["lane"] for c in facts["cords"] if c["axis"] == axis}) for axis in "hv"}
    for cord in facts["cords"]:
        axis, lane = cord["axis"], cord["lane"]
        a, b = ends[(axis, lane)]
        bumps = []
        for other in lanes_of["v" if axis == "h" else "h"]:
            key = (lane, other) if axis == "h" else (other, lane)
            bumps.append(((style.end_at + other) * p, 1.0 if tops.get(key) == axis else -1.0))
        painter.cord(
            axis,
            tuple(a),
            tuple(b),
            cord["color"],
            bumps=bumps,
            slack=cord.get("slack", 0.0),
            offset=cord.get("offset", 0.0),
        )
    for stray in facts.get("strays", ()):
        _spoil(stray, painter, ends)
    lit = painter.lit()
    image = np.dstack([np.clip(lit * 255, 0, 255).astype(np.uint8), painter.outline])
    size = (painter.shape[1] // k, painter.shape[0] // k)
    x0, y0 = painter.pad / k, painter.pad / k
    x1, y1 = (painter.pad + painter.w) / k, (painter.pad + painter.h) / k
    gx, gy, span = painter.ox / k, painter.oy / k, (lanes - 1) * p / k
    return LoomRender(
        image=cv2.resize(image, size, interpolation=cv2.INTER_AREA),
        axis=cv2.resize(painter.axis, size, interpolation=cv2.INTER_NEAREST),
        dye=cv2.resize(painter.dye, size, interpolation=cv2.INTER_NEAREST),
        corners=np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32),
        grid=np.array([[gx, gy], [gx + span, gy], [gx + span, gy + span], [gx, gy + span]], np.float32),
        ends=tuple((axis, lane, x / k, y / k) for axis, lane, x, y in painter.ends),
    )
