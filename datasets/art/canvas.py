"""A small vector canvas in millimetres: drawn once, then rendered to pixels, SVG or PDF.

Everything is flattened to polygons and polylines when it is recorded, so the three back ends have little to differ in.
The origin is the upper left corner, y grows downwards, angles are degrees clockwise as seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

Point = tuple[float, float]
Color = tuple[int, int, int]  # red, green, blue
SHIFT = 4  # fractional bits of cv2's sub-pixel coordinates


@dataclass(frozen=True, slots=True)
class Shape:
    """One recorded mark: closed rings filled by the even-odd rule, or (with `width`) stroked lines."""

    rings: tuple[tuple[Point, ...], ...]
    color: Color
    alpha: float = 1.0
    width: float | None = None
    closed: bool = True


class Canvas:
    """A drawing of `width` × `height` millimetres."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.shapes: list[Shape] = []
        self._matrix = np.eye(3)

    # -- recording --------------------------------------------------------------------------------------------

    @contextmanager
    def at(
        self, x: float = 0.0, y: float = 0.0, rotate: float = 0.0, scale: float | tuple[float, float] = 1.0
    ) -> Iterator[None]:
        """Draw inside the block in a frame moved to (x, y), then turned by `rotate` degrees, then scaled."""
        saved = self._matrix
        c, s = math.cos(math.radians(rotate)), math.sin(math.radians(rotate))
        sx, sy = scale if isinstance(scale, tuple) else (scale, scale)
        self._matrix = saved @ np.array([[c * sx, -s * sy, x], [s * sx, c * sy, y], [0, 0, 1]])
        try:
            yield
        finally:
            self._matrix = saved

    def _place(self, points: Sequence[Point]) -> tuple[Point, ...]:
        m = self._matrix
        return tuple((m[0, 0] * x + m[0, 1] * y + m[0, 2], m[1, 0] * x + m[1, 1] * y + m[1, 2]) for x, y in points)

    def _scale(self) -> float:
        return math.sqrt(abs(float(np.linalg.det(self._matrix[:2, :2]))))

    def fill(self, *rings: Sequence[Point], color: Color, alpha: float = 1.0) -> None:
        """Fill closed rings; where rings overlap an even number of times there is a hole."""
        self.shapes.append(Shape(tuple(self._place(ring) for ring in rings), color, alpha))

    def line(
        self, points: Sequence[Point], color: Color, width: float, closed: bool = False, alpha: float = 1.0
    ) -> None:
        """Stroke a polyline with round joins and ends."""
        self.shapes.append(Shape((self._place(points),), color, alpha, width * self._scale(), closed))

    def circle(self, x: float, y: float, r: float, color: Color, alpha: float = 1.0) -> None:
        """Fill a circle."""
        self.fill(ellipse(x, y, r, r), color=color, alpha=alpha)

    def rect(
        self, x: float, y: float, w: float, h: float, color: Color, radius: float = 0.0, alpha: float = 1.0
    ) -> None:
        """Fill a rectangle, rounded where `radius` is given."""
        self.fill(rounded_rect(x, y, w, h, radius), color=color, alpha=alpha)

    # -- rendering --------------------------------------------------------------------------------------------

    def to_pixels(self, px_per_mm: float, supersample: int = 3) -> np.ndarray:
        """The drawing as BGRA pixels (uint8); what was not drawn on is transparent."""
        k = px_per_mm * supersample
        w, h = max(1, round(self.width * px_per_mm)), max(1, round(self.height * px_per_mm))
        color = np.zeros((h * supersample, w * supersample, 3), np.uint8)
        cover = np.zeros(color.shape[:2], np.uint8)
        for shape in self.shapes:
            rings = [np.round((np.array(ring) * k - 0.5) * (1 << SHIFT)).astype(np.int32) for ring in shape.rings]
            bgr = shape.color[::-1]
            if shape.alpha >= 1.0:
                self._mark(color, rings, bgr, shape, k)
                self._mark(cover, rings, (255,), shape, k)
            else:
                mask = np.zeros_like(cover)
                self._mark(mask, rings, (255,), shape, k)
                part = (mask.astype(np.float32) * (shape.alpha / 255.0))[..., None]
                color[:] = (color * (1 - part) + np.array(bgr, np.float32) * part).astype(np.uint8)
                cover[:] = np.maximum(cover, (mask * shape.alpha).astype(np.uint8))
        image = np.dstack([color, cover])
        return cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA) if supersample > 1 else image

    @staticmethod
    def _mark(target: np.ndarray, rings: list[np.ndarray], value: tuple[int, ...], shape: Shape, k: float) -> None:
        if shape.width is None:
            cv2.fillPoly(target, rings, value, cv2.LINE_8, SHIFT)
            return
        thickness = max(1, round(shape.width * k))
        cv2.polylines(target, rings, shape.closed, value, thickness, cv2.LINE_8, SHIFT)

    def to_svg(self) -> str:
        """The drawing as an SVG document, at true size."""
        w, h = f"{self.width:g}", f"{self.height:g}"
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}mm" height="{h}mm" viewBox="0 0 {w} {h}">']
        for shape in self.shapes:
            path = " ".join(
                "M" + "L".join(f"{x:.3f},{y:.3f}" for x, y in ring) + ("Z" if shape.closed else "")
                for ring in shape.rings
            )
            rgb = "#{:02x}{:02x}{:02x}".format(*shape.color)
            opacity = f' opacity="{shape.alpha:.3f}"' if shape.alpha < 1 else ""
            if shape.width is None:
                out.append(f'<path d="{path}" fill="{rgb}" fill-rule="evenodd"{opacity}/>')
            else:
                out.append(
                    f'<path d="{path}" fill="none" stroke="{rgb}" stroke-width="{shape.width:.3f}" '
                    f'stroke-linecap="round" stroke-linejoin="round"{opacity}/>'
                )
        out.append("</svg>")
        return "\n".join(out)

    def to_pdf(self, pdf: Any, x: float, y: float) -> None:
        """Draw onto a reportlab canvas with the upper left corner at (x, y) points, y counted upwards as PDF does."""
        unit = 72.0 / 25.4
        for shape in self.shapes:
            path = pdf.beginPath()
            for ring in shape.rings:
                for i, (px, py) in enumerate(ring):
                    (path.moveTo if i == 0 else path.lineTo)(x + px * unit, y - py * unit)
                if shape.closed:
                    path.close()
            r, g, b = (v / 255.0 for v in shape.color)
            pdf.saveState()
            if shape.width is None:
                pdf.setFillColorRGB(r, g, b, shape.alpha)
                pdf.drawPath(path, stroke=0, fill=1, fillMode=0)
            else:
                pdf.setStrokeColorRGB(r, g, b, shape.alpha)
                pdf.setLineWidth(shape.width * unit)
                pdf.setLineCap(1)
                pdf.setLineJoin(1)
                pdf.drawPath(path, stroke=1, fill=0)
            pdf.restoreState()


def ellipse(
    x: float, y: float, rx: float, ry: float, start: float = 0.0, sweep: float = 360.0, steps: int = 48
) -> list[Point]:
    """Points along an ellipse (or a part of one), clockwise as seen, from `start` degrees."""
    n = steps if abs(sweep) >= 360 else steps + 1
    angles = [math.radians(start + sweep * i / steps) for i in range(n)]
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles]


def rounded_rect(x: float, y: float, w: float, h: float, radius: float) -> list[Point]:
    """The outline of a rectangle with rounded corners."""
    if radius <= 0:
        return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]
    r = min(radius, w / 2, h / 2)
    corners = [(x + r, y + r, 180), (x + w - r, y + r, 270), (x + w - r, y + h - r, 0), (x + r, y + h - r, 90)]
    return [p for cx, cy, start in corners for p in ellipse(cx, cy, r, r, start, 90, 8)]


def bezier(p0: Point, p1: Point, p2: Point, p3: Point, steps: int = 16) -> list[Point]:
    """A cubic Bézier curve as points, both ends included."""
    out = []
    for i in range(steps + 1):
        t = i / steps
        a, b, c, d = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
        out.append((a * p0[0] + b * p1[0] + c * p2[0] + d * p3[0], a * p0[1] + b * p1[1] + c * p2[1] + d * p3[1]))
    return out


def smooth(points: Sequence[Point], closed: bool = True, steps: int = 6) -> list[Point]:
    """A Catmull–Rom curve through the points: the quick way to an organic outline."""
    n = len(points)
    out: list[Point] = []
    for i in range(n if closed else n - 1):
        p0, p1, p2, p3 = (points[(i + d) % n] if closed else points[min(max(i + d, 0), n - 1)] for d in (-1, 0, 1, 2))
        for j in range(steps):
            t = j / steps
            out.append(
                tuple(
                    0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)
                    for a, b, c, d in zip(p0, p1, p2, p3, strict=True)
                )  # type: ignore[arg-type]
            )
    if not closed:
        out.append(points[-1])
    return out
