"""What lamps, lenses and webcams do to a picture: gradients, glare, shadows, casts, blur, noise, compression."""

from __future__ import annotations

import cv2
import numpy as np

Image = np.ndarray
Rng = np.random.Generator


def smooth_field(shape: tuple[int, int], rng: Rng, cells: int = 4) -> np.ndarray:
    """A random slowly varying field, about −1 to 1, as large as the picture."""
    coarse = rng.uniform(-1, 1, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)


def light_up(image: Image, rng: Rng) -> Image:
    """Light of the room: a gradient, a cast, perhaps a hard shadow's edge and a lamp mirrored in the varnish."""
    height, width = image.shape[:2]
    gain = 1 + rng.uniform(0, 0.35) * smooth_field((height, width), rng, int(rng.integers(2, 5)))
    if rng.random() < 0.2:
        a, b = rng.uniform(0, 1, 2), rng.normal(0, 1, 2)
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        edge = ((xs / width - a[0]) * b[0] + (ys / height - a[1]) * b[1]) / (np.linalg.norm(b) * rng.uniform(0.01, 0.1))
        gain = gain * (1 - rng.uniform(0.2, 0.55) / (1 + np.exp(-np.clip(edge, -20, 20))))
    cast = 1 + rng.normal(0, 0.09, 3)
    lit = image.astype(np.float32) * gain[..., None].astype(np.float32) * cast.astype(np.float32)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 3))):
            cx, cy = rng.uniform(0, width), rng.uniform(0, height)
            ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
            rx, ry = rng.uniform(0.04, 0.3, 2) * max(width, height)
            spot = np.exp(-(((xs - cx) / rx) ** 2 + ((ys - cy) / ry) ** 2))
            lit += (rng.uniform(30, 190) * spot)[..., None]
    return np.clip(lit, 0, 255).astype(np.uint8)


def photograph(image: Image, rng: Rng, *, strong: float = 1.0) -> Image:
    """What the camera adds: exposure, contrast, saturation, defocus or motion blur, noise, sharpening, JPEG."""
    picture = image.astype(np.float32)
    gamma = np.exp(rng.normal(0, 0.22) * strong)
    exposure = np.exp(rng.normal(0.0, 0.22) * strong)
    picture = 255 * np.power(np.clip(picture / 255 * exposure, 0, 1.15), gamma)
    if rng.random() < 0.5:
        contrast = rng.uniform(0.55, 1.2)
        picture = (picture - 128) * contrast + 128 + rng.normal(0, 14)
    if rng.random() < 0.5:
        grey = picture.mean(2, keepdims=True)
        picture = grey + (picture - grey) * rng.uniform(0.35, 1.35)
    picture = np.clip(picture, 0, 255)
    kind = rng.random()
    if kind < 0.45:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.5) * strong)
    elif kind < 0.6:
        n = int(rng.integers(3, 3 + max(1, int(6 * strong))))
        kernel = np.zeros((n, n), np.float32)
        angle = rng.uniform(0, np.pi)
        d = np.array([np.cos(angle), np.sin(angle)]) * n / 2
        cv2.line(kernel, np.int32(np.array([n / 2, n / 2]) - d), np.int32(np.array([n / 2, n / 2]) + d), 1.0)
        picture = cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1))
    elif kind < 0.75:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = picture + (picture - soft) * rng.uniform(0.3, 1.2)
    if rng.random() < 0.6:
        picture = picture + rng.normal(0, rng.uniform(1, 9), picture.shape).astype(np.float32)
    picture = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 92))])
        if ok:
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
    return picture
