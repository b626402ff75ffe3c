"""Cords and their dyes, from what the network says of each pixel of the rectified board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.looms.colors import by_reference
from vision.looms.dyes import name_together
from vision.looms.lattice import Lattice
from vision.looms.shapes import apply

ALONG = 8  # samples per pitch along a lane
ACROSS = np.linspace(-1.0, 1.0, 41)  # and across it, in pitches
IN_LANE = np.abs(ACROSS) <= 0.3
NEXT = 0.17  # pitches from the middle at which two cords in one lane lie side by side
STRAIGHT = 0.8  # a lane that shows a cord on this share of its length holds it straight
# And from this share on it is held: of a cord in its board's colour little is marked. On drawn looms of the validation
# seeds all 3,828 cords showed on 16 % or more, all 6,764 empty lanes on 12 % or less.
HELD = 0.145


@dataclass(frozen=True, slots=True)
class Cord:
    """What a lane shows: `presence` is the share of its seen length with a cord, `dyes` the probability of each dye,
    `bow` how far the cord leaves its lane and `width` how broad it is (in pitches), `shade` its mean BGR, and `halves`
    the dyes of its two sides. `beside` are the colours left and right of the lane's middle and of the board beyond, and
    `parted` is by how much the side that is less marked as cord is more so than the middle: far below 0 where one cord
    lies in the middle, about 0 or above where two lie left and right of it."""

    axis: str
    lane: int
    presence: float
    dyes: np.ndarray
    bow: float
    width: float
    shade: np.ndarray
    halves: tuple[np.ndarray, np.ndarray]
    beside: np.ndarray
    parted: float

    @property
    def held(self) -> bool:
        """Whether there is a cord in the lane."""
        return self.presence > HELD


@dataclass(frozen=True, slots=True)
class _Strip:
    """One lane laid straight: along × across."""

    own: np.ndarray
    other: np.ndarray
    known: np.ndarray  # per place along the lane: whether the board is seen there
    dyes: np.ndarray  # … × 5
    picture: np.ndarray  # … × 3
    places: np.ndarray  # lane coordinates along the strip


def _strips(
    axis: str, axes: np.ndarray, dyes: np.ndarray, picture: np.ndarray, seen: np.ndarray, lattice: Lattice
) -> list[_Strip]:
    """All lanes of an axis, cut out of the maps."""
    own = {"h": 1, "v": 2}[axis]
    places = np.linspace(-0.75 * lattice.end_at, lattice.lanes - 1 + 0.75 * lattice.end_at, ALONG * (lattice.lanes + 1))
    lane, along, across = np.meshgrid(np.arange(lattice.lanes), places, ACROSS, indexing="ij")
    flat = np.stack([along, lane + across] if axis == "h" else [lane + across, along], axis=-1).reshape(-1, 2)
    shape = (lattice.lanes * len(places), len(ACROSS), 2)
    at = apply(lattice.to_picture, flat).reshape(shape).astype(np.float32)

    def cut(*planes: np.ndarray) -> np.ndarray:
        stacked = np.ascontiguousarray(np.stack(planes, axis=-1), np.float32)
        sampled = cv2.remap(stacked, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return sampled.reshape(lattice.lanes, len(places), len(ACROSS), -1)

    lines = cut(axes[own], axes[3 - own], seen)
    tints = np.concatenate([cut(*dyes[:3]), cut(*dyes[3:])], axis=-1)
    colors = cut(picture[..., 0], picture[..., 1], picture[..., 2])
    middle = np.abs(ACROSS) <= 0.15
    return [
        _Strip(
            lines[k, ..., 0], lines[k, ..., 1], lines[k][:, middle, 2].mean(axis=1) > 0.7, tints[k], colors[k], places
        )
        for k in range(lattice.lanes)
    ]


def read_cords(
    axes: np.ndarray, dyes: np.ndarray, picture: np.ndarray, seen: np.ndarray, lattice: Lattice
) -> list[Cord]:
    """Every lane, held or empty, with the evidence for a cord in it; its dyes as the network sees them one by one.

    `axes` (4 × h × w) and `dyes` (5 × h × w) are probabilities per pixel, `picture` the rectified BGR, `seen` 1 where
    the board is in sight, all of one size.
    """
    return [
        _read_lane(axis, lane, strip, lattice.lanes)
        for axis in "hv"
        for lane, strip in enumerate(_strips(axis, axes, dyes, picture, seen, lattice))
    ]


def with_dyes(
    looms: Sequence[list[Cord]], reference: Mapping[str, tuple[float, float, float]] | None = None
) -> list[list[Cord]]:
    """The cords of all looms of a picture, their dyes named together: by `reference`, the five dyes (RGB) as this
    table's light shows them, or by comparing the cords with each other."""
    held = [cord for cords in looms for cord in cords if cord.held]
    if not held:
        return [list(cords) for cords in looms]
    tints, shades = np.stack([cord.dyes for cord in held]), np.stack([cord.shade for cord in held])
    settled = iter(by_reference(tints, shades, reference) if reference else name_together(tints, shades))
    return [[replace(cord, dyes=next(settled)) if cord.held else cord for cord in cords] for cords in looms]


def _read_lane(axis: str, lane: int, strip: _Strip, lanes: int) -> Cord:
    best = strip.own[:, IN_LANE].max(axis=1)
    covered = strip.other[:, IN_LANE].max(axis=1) > 0.5  # where the other cord lies on top
    free = strip.known & ~covered
    if free.sum() < ALONG:
        free = strip.known if strip.known.sum() >= ALONG else np.ones_like(strip.known)
    straight = float(best[free].mean())
    path = np.zeros(len(best))
    presence, bow = straight, 0.0
    if 0.05 < straight < STRAIGHT:
        first, last = strip.places < -0.2, strip.places > lanes - 1 + 0.2
        ends = [float(best[zone & strip.known].mean()) for zone in (first, last) if (zone & strip.known).sum() >= 2]
        if ends and min(ends) > 0.5:
            presence, path = _trace(strip)
            presence = max(presence, straight)
        elif ends:  # a stretch of a slack or diagonal cord in a lane that holds none
            presence = min(straight, float(np.mean(ends)))
    near = np.abs(ACROSS[None] - path[:, None]) <= 0.35
    weight = np.where((strip.own > 0.5) & near, strip.own, 0) + 1e-9
    centre = (weight * ACROSS).sum(axis=1) / weight.sum(axis=1)
    strong = (np.where(near, strip.own, 0).max(axis=1) > 0.5) & strip.known
    if strong.sum() >= ALONG:
        places, middle = strip.places[strong], centre[strong]
        edge = (places < 0.3) | (places > lanes - 1.3)
        line = float(np.median(middle[edge])) if edge.sum() >= 3 else float(np.median(middle))
        bow = float(np.percentile(np.abs(middle - line), 92))
    width = float(np.median(((strip.own > 0.5) & near).sum(axis=1)[strong])) * 0.05 if strong.any() else 0.0
    core = weight * (np.abs(ACROSS[None] - centre[:, None]) < 0.3 * max(width, 0.1))
    shade = (strip.picture * core[..., None]).sum(axis=(0, 1)) / core.sum()
    left = weight * (ACROSS[None] < centre[:, None] - 0.03)
    right = weight * (ACROSS[None] > centre[:, None] + 0.03)
    return Cord(
        axis, lane, presence, _tint(strip.dyes, weight), bow, width, shade,
        (_tint(strip.dyes, left), _tint(strip.dyes, right)), _beside(strip, free), _parted(strip, free),
    )  # fmt: skip


def _beside(strip: _Strip, free: np.ndarray) -> np.ndarray:
    """The usual colour left and right of a lane's middle, and to the left and right between the lanes (4 × BGR)."""
    profile = np.median(strip.picture[free], axis=0)
    return np.stack([profile[np.abs(ACROSS - at) < 0.06].mean(axis=0) for at in (-NEXT, NEXT, -0.46, 0.46)])


def _parted(strip: _Strip, free: np.ndarray) -> float:
    """By how much a lane is more marked on both sides of its middle than in it, over its whole free length."""
    profile = strip.own[free].mean(axis=0)
    left, middle, right = (float(profile[np.abs(ACROSS - at) < 0.06].mean()) for at in (-NEXT, 0.0, NEXT))
    return min(left, right) - middle


def _tint(dyes: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The probability of each dye from that of the pixels: neighbours tell the same tale, so their logs are averaged
    and sharpened a little, not summed."""
    logs = (np.log(dyes + 1e-4) * weight[..., None]).sum(axis=(0, 1)) / max(1e-9, float(weight.sum()))
    z = np.exp(1.5 * (logs - logs.max()))
    return np.asarray(z / z.sum())


def _trace(strip: _Strip) -> tuple[float, np.ndarray]:
    """Follow a cord that leaves its lane, from both ends to the middle: the share of it that is seen, and its path."""
    count = len(strip.own)
    path = np.zeros(count)
    hits = misses = 0
    half = count // 2
    for order in (range(half), range(count - 1, half - 1, -1)):
        at = 0.0
        for i in order:
            window = np.abs(ACROSS - at) <= 0.2
            here = np.where(window, strip.own[i], 0)
            if here.max() > 0.4:
                at = float((here * ACROSS).sum() / here.sum())
                hits += 1
            elif strip.known[i] and strip.other[i, window].max() < 0.5:
                misses += 1
            path[i] = at
    share = hits / max(1, hits + misses)
    if abs(path[half - 1] - path[half]) > 0.35:  # the two ends belong to different cords
        share *= 0.5
    return share, path
