"""The lines on a circuit card: which ports on the border the green and the pink line join."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.circuits.trace import believable

CARD_PX = (90, 126)
INSET = 0.035  # of the shorter side: where the border is walked along; the very edge belongs to frame and shadow
SIDES = "NESW"
NO_LINES = 0.12  # at most this likely: colours where ports would be, but no lines between them
MIDDLE = 0.10  # a port nearer than this to the middle of its side is the port in the middle


@dataclass(frozen=True, slots=True)
class Reading:
    """The lines as the label format writes them, how sure, and what else it could be."""

    lines: list[dict[str, Any]]
    confidence: float
    other: list[dict[str, Any]] | None = None  # the next best reading, where a third place is of a line's colour

    def turned(self, by: int) -> Reading:
        """The same card read from corner `by` on: the side that begins there is N."""

        def renamed(port: Any) -> Any:
            side = SIDES[(SIDES.index(port[0]) - by) % 4]
            return side if isinstance(port, str) else [side, port[1]]

        def told(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [{**line, "ports": sorted((renamed(p) for p in line["ports"]), key=port_key)} for line in lines]

        return Reading(told(self.lines), self.confidence, told(self.other) if self.other else None)


def rectify(image: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The card seen from straight above, its N side on top."""
    w, h = CARD_PX
    target = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    return cv2.warpPerspective(image, matrix, CARD_PX, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)


def chroma(card: np.ndarray) -> np.ndarray:
    """How pink (positive) or green (negative) each pixel is, against the card's own paper, whatever the light."""
    values = card.astype(np.float32)
    some = values[1::2, 1::2].reshape(-1, 3)  # every other pixel tells the paper and the range as well as all do
    paper = np.median(some, axis=0)
    if paper.min() > 60:
        values = values * (paper.mean() / paper)  # light paper shows the light's own tint: take it out
    difference = 0.5 * (values[..., 2] + values[..., 0]) - values[..., 1]
    # Against the paper, and in units of the card's own range: a card under glare has little contrast everywhere.
    bright = max(60.0, float(np.quantile(some.max(axis=1), 0.98)))
    return np.asarray(cv2.GaussianBlur((difference - _paper_tint(difference)) / bright, (0, 0), 0.9))


def _paper_tint(difference: np.ndarray) -> np.ndarray:
    """The tint of the paper at every pixel: a plane through what is no line, for glare is stronger on one side."""
    h, w = difference.shape
    ys, xs = np.mgrid[1:h:3, 1:w:3]
    values = difference[1::3, 1::3].ravel().astype(np.float64)
    basis = np.column_stack([np.ones(values.size), xs.ravel() / w - 0.5, ys.ravel() / h - 0.5])
    rest = values - np.median(values)
    plane = np.zeros(3)
    for _ in range(2):
        spread = 1.5 * float(np.median(np.abs(rest))) + 2.0
        paper = np.abs(rest) < 2 * spread
        some = basis[paper]
        plane = np.linalg.solve(some.T @ some + 1e-6 * np.eye(3), some.T @ values[paper])
        rest = values - basis @ plane
    x, y = np.arange(w) / w - 0.5, np.arange(h) / h - 0.5
    return np.asarray(plane[0] + plane[1] * x[None, :] + plane[2] * y[:, None], np.float32)


def border_profile(values: np.ndarray, depth: int) -> np.ndarray:
    """Values along the border, clockwise from the upper left corner, averaged over a thin band inside it."""
    h, w = values.shape
    inset = max(1, round(INSET * w))
    band = slice(inset, inset + depth)
    parts = [
        values[band, :].mean(axis=0),
        values[:, w - inset - depth : w - inset].mean(axis=1),
        values[h - inset - depth : h - inset, :].mean(axis=0)[::-1],
        values[:, band].mean(axis=1)[::-1],
    ]
    return np.concatenate(parts)


def read_lines(card: np.ndarray) -> Reading:
    """Read a rectified card. Each colour has one line, so the two strongest places of each colour on the border are
    its ports; how far they stand out from the next strongest gives the confidence.
    """
    values = chroma(card)
    profile = border_profile(values, 4)
    w, h = CARD_PX
    lengths = [w, h, w, h]
    lines, margins, strengths, others = [], [], [], []
    for color, sign in (("green", -1.0), ("pink", 1.0)):
        ranked = _bumps(sign * profile, lengths)
        first_two, third = ranked[:2], (ranked[2][1] if len(ranked) > 2 else 0.0)
        if len(first_two) < 2:
            return Reading([], 0.0)
        strengths.append(first_two[1][1])
        margins.append((first_two[1][1] - max(third, 0.0)) / max(first_two[0][1], 1e-6))
        ports = [_port(place, lengths) for place, _ in first_two]
        lines.append({"color": color, "ports": sorted(ports, key=port_key)})
        swapped = [ports[0], _port(ranked[2][0], lengths)] if len(ranked) > 2 else None
        others.append({"color": color, "ports": sorted(swapped, key=port_key)} if swapped else None)
    noise = float(np.median(np.abs(profile - np.median(profile)))) + 0.01
    contrast = min(strengths) / noise
    sharp = min(1.0, contrast / 8.0)
    raw = min(margins) * sharp
    if len({str(p) for line in lines for p in line["ports"]}) < 4:
        raw *= 0.2  # two lines cannot leave by one port
    confidence = _calibrated(raw, min(strengths))
    ports_of: dict[str, Any] = {str(line["color"]): tuple(line["ports"]) for line in lines}
    simple = all(isinstance(p, str) for ports in ports_of.values() for p in ports)
    if simple and not believable(values, ports_of, dict(zip(ports_of, strengths, strict=True))):
        confidence = min(confidence, NO_LINES)
    weakest = int(np.argmin(margins))
    other = [others[k] if k == weakest else line for k, line in enumerate(lines)]
    told = [line for line in other if line is not None]
    return Reading(lines, confidence, told if len(told) == len(lines) else None)


def _calibrated(margin: float, strength: float) -> float:
    """How likely a reading of this margin and strength is right. Cautious: more of the drawn scenes were right."""
    z = 9.0 * (margin - 0.12) + 6.0 * min(strength, 0.5)
    return float(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z)))))


def _bumps(profile: np.ndarray, lengths: list[int]) -> list[tuple[float, float]]:
    """Separate places (position along the border, height) of a profile, highest first; corners hold none."""
    guard = 0.10
    starts = np.cumsum([0, *lengths])
    work = profile.copy()
    for start, length in zip(starts[:-1], lengths, strict=True):
        k = max(1, round(guard * length))
        work[start : start + k] = -1e3
        work[start + length - k : start + length] = -1e3
    found = []
    for _ in range(3):
        k = int(np.argmax(work))
        if work[k] <= 0.0:
            break
        height = float(work[k])
        low = high = k
        # A bump ends where it has fallen to half its height: its middle is the port, not its highest pixel.
        while low > 0 and work[low - 1] > 0.5 * height:
            low -= 1
        while high < len(work) - 1 and work[high + 1] > 0.5 * height:
            high += 1
        found.append((0.5 * (low + high), height))
        reach = max(0.3 * min(lengths), high - low + 1)  # one line cannot leave twice so close together
        work[max(0, round(low - reach / 2)) : round(high + reach / 2) + 1] = -1e3
    return found


def _port(place: float, lengths: list[int]) -> str | list[Any]:
    starts = np.cumsum([0, *lengths])
    side = int(np.searchsorted(starts, place, side="right") - 1)
    position = (place - starts[side] + 0.5) / lengths[side]
    if abs(position - 0.5) < MIDDLE:
        return SIDES[side]
    return [SIDES[side], round(float(position), 2)]


def port_key(port: Any) -> tuple[int, float]:
    """The order in which ports are listed: by side from N clockwise, then along the side."""
    side, position = (port, 0.5) if isinstance(port, str) else (port[0], port[1])
    return (SIDES.index(side), float(position))
