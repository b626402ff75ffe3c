"""The camera model: from millimetres on the table to pixels, lens distortion included.

On the table x grows to the right, y towards the viewer and h upwards. Pixel centres lie at whole numbers, as OpenCV
has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

MAX_TILT = 45.0


@dataclass(frozen=True, slots=True)
class CameraModel:
    """A camera that looks at a point of the table.

    `tilt` is degrees off the vertical, `azimuth` the side of the table where the camera stands (90 is the viewer's),
    `roll` its own turn, `distance` millimetres to the target, `fov` the horizontal angle of view, `k1` and `k2` the
    radial distortion in the usual normalised coordinates.
    """

    width: int = 1280
    height: int = 720
    target: tuple[float, float] = (0.0, 0.0)
    distance: float = 700.0
    tilt: float = 20.0
    azimuth: float = 90.0
    roll: float = 0.0
    fov: float = 60.0
    k1: float = 0.0
    k2: float = 0.0

    @classmethod
    def random(
        cls,
        rng: np.random.Generator,
        covers: tuple[float, float, float, float] = (-250.0, -160.0, 250.0, 160.0),
        size: tuple[int, int] = (1280, 720),
        max_tilt: float = MAX_TILT,
        slack: tuple[float, float] = (1.0, 1.3),
    ) -> CameraModel:
        """A camera somewhere above the rectangle `covers` (x1, y1, x2, y2 in mm), most of the time all in view."""
        x1, y1, x2, y2 = covers
        camera = cls(
            width=size[0],
            height=size[1],
            target=((x1 + x2) / 2 + rng.normal(0, 0.03) * (x2 - x1), (y1 + y2) / 2 + rng.normal(0, 0.03) * (y2 - y1)),
            # Squared: most webcams look down steeply, few from the far end of the table.
            tilt=float(max_tilt * rng.uniform(0, 1) ** 1.4),
            azimuth=float(90 + rng.normal(0, 12) if rng.random() < 0.7 else rng.uniform(0, 360)),
            roll=float(rng.normal(0, 3)),
            fov=float(rng.uniform(42, 78)),
            k1=float(np.clip(rng.normal(-0.03, 0.05), -0.16, 0.08)),
            k2=float(rng.normal(0, 0.01)),
        )
        return camera.fitted(covers, float(rng.uniform(*slack)))

    def fitted(self, covers: tuple[float, float, float, float], slack: float = 1.05) -> CameraModel:
        """The same camera as near as it can be with the whole rectangle in view, `slack` times farther."""
        x1, y1, x2, y2 = covers
        border = [(x, y, 0.0) for x in np.linspace(x1, x2, 5) for y in (y1, y2)]
        border += [(x, y, 0.0) for y in np.linspace(y1, y2, 5) for x in (x1, x2)]
        low, high = 0.2 * max(x2 - x1, y2 - y1), 20.0 * max(x2 - x1, y2 - y1)
        for _ in range(24):
            middle = math.sqrt(low * high)
            camera = replace(self, distance=middle)
            inside = camera._sees(np.array(border))
            low, high = (low, middle) if inside else (middle, high)
        return replace(self, distance=high * slack)

    def _sees(self, points: np.ndarray) -> bool:
        matrix = self.matrix()
        if ((points * (1, 1, -1)) @ matrix[2, :3] + matrix[2, 3] <= 1.0).any():
            return False
        # Judged without the lens: far outside the frame the distortion polynomial folds back and would lie.
        flat = self.project(points, distort=False)
        if (abs(flat - ((self.width - 1) / 2, (self.height - 1) / 2)) > (0.75 * self.width, 0.75 * self.height)).any():
            return False
        seen = self.project(points)
        return bool((seen >= 0).all() and (seen <= (self.width - 1, self.height - 1)).all())

    @property
    def focal(self) -> float:
        """The focal length in pixels."""
        return self.width / (2 * math.tan(math.radians(self.fov) / 2))

    def position(self) -> np.ndarray:
        """Where the camera is: x, y and height in mm."""
        t, a = math.radians(self.tilt), math.radians(self.azimuth)
        flat = self.distance * math.sin(t)
        return np.array(
            [self.target[0] + flat * math.cos(a), self.target[1] + flat * math.sin(a), self.distance * math.cos(t)]
        )

    def matrix(self) -> np.ndarray:
        """The 3 × 4 pinhole projection of (x, y, -h, 1), without distortion."""
        return _matrix(self)

    def plane(self, h: float = 0.0) -> np.ndarray:
        """The homography from (x, y) at height `h` to undistorted pixels."""
        m = self.matrix()
        return np.column_stack([m[:, 0], m[:, 1], m[:, 3] - h * m[:, 2]])

    def project(self, points: np.ndarray | Sequence[Sequence[float]], distort: bool = True) -> np.ndarray:
        """Pixels of points (x, y, h); with the lens unless `distort` is false."""
        world = np.asarray(points, float).reshape(-1, 3)
        homogeneous = np.column_stack([world[:, :2], -world[:, 2], np.ones(len(world))]) @ self.matrix().T
        flat = homogeneous[:, :2] / homogeneous[:, 2:]
        return self.distort(flat) if distort else flat

    def distort(self, flat: np.ndarray) -> np.ndarray:
        """What the lens makes of pinhole pixels."""
        if self.k1 == 0 and self.k2 == 0:
            return flat
        middle = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        xy = (flat - middle) / self.focal
        r2 = (xy**2).sum(axis=-1, keepdims=True)
        return np.asarray(middle + xy * (1 + self.k1 * r2 + self.k2 * r2**2) * self.focal)

    def undistort(self, seen: np.ndarray) -> np.ndarray:
        """Pinhole pixels of what is seen through the lens (the inverse of `distort` inside the frame)."""
        if self.k1 == 0 and self.k2 == 0:
            return np.asarray(seen, float)
        middle = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        bent = (np.asarray(seen, float) - middle) / self.focal
        radius = np.sqrt((bent**2).sum(axis=-1, keepdims=True))
        r = radius.copy()
        for _ in range(8):  # Newton on r + k1 r³ + k2 r⁵ = radius
            slope = np.maximum(1 + 3 * self.k1 * r**2 + 5 * self.k2 * r**4, 0.2)
            r -= (r + self.k1 * r**3 + self.k2 * r**5 - radius) / slope
        return np.asarray(middle + bent * (r / np.maximum(radius, 1e-9)) * self.focal)

    def to_table(self, seen: np.ndarray, h: float = 0.0) -> np.ndarray:
        """Millimetres on the plane at height `h` of pixels seen through the lens."""
        flat = self.undistort(np.asarray(seen, float).reshape(-1, 2))
        points = np.column_stack([flat, np.ones(len(flat))]) @ np.linalg.inv(self.plane(h)).T
        return np.asarray(points[:, :2] / points[:, 2:])


@lru_cache(maxsize=64)  # every piece drawn asks for it several times
def _matrix(camera: CameraModel) -> np.ndarray:
    a, roll = math.radians(camera.azimuth), math.radians(camera.roll)
    centre = camera.position() * (1, 1, -1)
    forward = np.array([*camera.target, 0.0]) - centre
    forward /= np.linalg.norm(forward)
    hint = np.array([math.cos(a), math.sin(a), 0.0])
    right = np.cross(hint, forward)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    right, down = (
        math.cos(roll) * right + math.sin(roll) * down,
        math.cos(roll) * down - math.sin(roll) * right,
    )
    rotation = np.stack([right, down, forward])
    f = camera.focal
    intrinsic = np.array([[f, 0, (camera.width - 1) / 2], [0, f, (camera.height - 1) / 2], [0, 0, 1]])
    matrix = np.asarray(intrinsic @ np.column_stack([rotation, -rotation @ centre]))
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=8)
def lens_maps(camera: CameraModel) -> tuple[tuple[int, int, int, int], np.ndarray, np.ndarray] | None:
    """How to bend a pinhole picture into what the lens sees: the pinhole canvas (x, y, width, height) that covers the
    frame, and the remap tables; None for a lens without distortion.
    """
    if camera.k1 == 0 and camera.k2 == 0:
        return None
    nx, ny = 81, 46
    gx, gy = np.meshgrid(np.linspace(0, camera.width - 1, nx), np.linspace(0, camera.height - 1, ny))
    flat = camera.undistort(np.stack([gx, gy], axis=-1)).astype(np.float32)
    x1, y1 = np.floor(flat.min(axis=(0, 1))).astype(int) - 2
    x2, y2 = np.ceil(flat.max(axis=(0, 1))).astype(int) + 3
    flat -= np.array([x1, y1], np.float32)
    # The lens is smooth: a coarse grid, interpolated, is exact to a hundredth of a pixel and far cheaper.
    sx, sy = np.meshgrid(
        np.linspace(0, nx - 1, camera.width, dtype=np.float32), np.linspace(0, ny - 1, camera.height, dtype=np.float32)
    )
    full = cv2.remap(flat, sx, sy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return (int(x1), int(y1), int(x2 - x1), int(y2 - y1)), full[..., 0].copy(), full[..., 1].copy()
