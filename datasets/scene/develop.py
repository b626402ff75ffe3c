"""From a drawn pinhole picture to the picture a camera gives: lens, blur, light, glare, tone, noise, compression."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np

from datasets.scene.camera import CameraModel, lens_maps
from datasets.scene.look import Look

COARSE = 12  # light changes slowly: its maps are computed once per so many pixels
NOISE_SIDE = 512


def through_lens(camera: CameraModel, canvas: np.ndarray, nearest: bool = False) -> np.ndarray:
    """Bend a pinhole canvas as the lens does (a canvas made by `canvas_frame`)."""
    maps = lens_maps(camera)
    if maps is None:
        return canvas
    mode = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    return cv2.remap(canvas, maps[1], maps[2], mode, borderMode=cv2.BORDER_REPLICATE)


def canvas_frame(camera: CameraModel) -> tuple[int, int, int, int]:
    """The pinhole canvas that covers the frame: x, y of its upper left pixel, width and height."""
    maps = lens_maps(camera)
    return maps[0] if maps is not None else (0, 0, camera.width, camera.height)


@lru_cache(maxsize=8)
def light_maps(camera: CameraModel, look: Look) -> tuple[np.ndarray, np.ndarray | None]:
    """What the picture is multiplied by (three channels), and the lamp's reflection (one channel, or None)."""
    w, h = camera.width, camera.height
    nx, ny = w // COARSE + 1, h // COARSE + 1
    gx, gy = np.meshgrid(np.linspace(0, w - 1, nx), np.linspace(0, h - 1, ny))
    table = camera.to_table(np.stack([gx.ravel(), gy.ravel()], axis=1)).reshape(ny, nx, 2)
    a = math.radians(look.light_from)
    side = (table - np.array(camera.target)) @ np.array([math.cos(a), math.sin(a)]) / camera.distance
    gain = np.exp(look.light_fall * 1.6 * np.clip(side, -1.5, 1.5))
    r2 = ((gx - w / 2) ** 2 + (gy - h / 2) ** 2) / (w * w / 4 + h * h / 4)
    gain = gain * (1 - look.vignette * r2) * look.exposure
    full = cv2.resize(gain.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR)
    light = full[..., None] * np.array(look.color, np.float32)
    if look.glare <= 0:
        return light, None
    eye = camera.position()
    ray = np.concatenate([table - eye[:2], np.full((ny, nx, 1), -eye[2])], axis=2)
    # The mirrored ray goes up from the table; where does it pass the lamp's height?
    t = look.lamp[2] / eye[2]
    hit = table + ray[..., :2] * t - np.array(look.lamp[:2])
    edge = 0.25 * min(look.lamp_size) + 0.06 * look.lamp[2]  # rough surfaces smear the lamp
    lamp = np.ones((ny, nx))
    for axis, half in enumerate(look.lamp_size):
        lamp *= 1 / (1 + np.exp((abs(hit[..., axis]) - half) / (edge / 3)))
        if look.window:
            lamp *= 1 - 0.7 * np.exp(-((hit[..., axis] / (0.12 * half + 1)) ** 2))
    spec = cv2.resize((lamp * look.glare * 230).astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR)
    return light, spec


@lru_cache(maxsize=1)
def _noise_tile() -> np.ndarray:
    rng = np.random.default_rng(20240)
    white = rng.standard_normal((NOISE_SIDE, NOISE_SIDE, 3), dtype=np.float32)
    # Sensors' noise is neither white after demosaicing nor the same in all channels.
    soft = cv2.GaussianBlur(white, (0, 0), 0.7)
    grey = rng.standard_normal((NOISE_SIDE, NOISE_SIDE, 1), dtype=np.float32)
    mixed = 0.5 * soft / soft.std() + 0.35 * white + 0.6 * grey
    return np.asarray(mixed / mixed.std(), np.float32)


@lru_cache(maxsize=4)
def _noise_field(width: int, height: int) -> np.ndarray:
    tile = _noise_tile()
    reps = (height // NOISE_SIDE + 2, width // NOISE_SIDE + 2, 1)
    return np.ascontiguousarray(np.tile(tile, reps))


def add_noise(image: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """Sensor noise: one fixed field, shifted by chance, which is as good as fresh and much cheaper."""
    if sigma <= 0:
        return image
    h, w = image.shape[:2]
    y, x = (int(v) for v in rng.integers(0, NOISE_SIDE, 2))
    field = _noise_field(w, h)[y : y + h, x : x + w]
    return cv2.addWeighted(image, 1.0, field, float(sigma), 0.0, dtype=cv2.CV_8U)


def _motion_kernel(length: float, angle: float) -> np.ndarray:
    side = 2 * math.ceil(length / 2) + 1
    kernel = np.zeros((side, side), np.float32)
    c = side // 2
    dx, dy = math.cos(math.radians(angle)) * length / 2, math.sin(math.radians(angle)) * length / 2
    p1, p2 = (round((c - dx) * 16), round((c - dy) * 16)), (round((c + dx) * 16), round((c + dy) * 16))
    cv2.line(kernel, p1, p2, 1.0, 1, cv2.LINE_AA, 4)
    return kernel / max(float(kernel.sum()), 1e-6)


def _tone(look: Look) -> np.ndarray:
    x = np.arange(256, dtype=np.float32) / 255
    curve = x + look.contrast * np.sin(2 * np.pi * (x - 0.5)) / math.pi
    return np.asarray(np.clip(curve * 255 + 0.5, 0, 255), np.uint8)


def expose(camera: CameraModel, look: Look, canvas: np.ndarray, gloss: np.ndarray) -> np.ndarray:
    """Everything but noise and compression: the part that stays the same while the scene does."""
    image = through_lens(camera, canvas)
    light, spec = light_maps(camera, look)
    lit = cv2.multiply(image, light, dtype=cv2.CV_32F)
    if spec is not None:
        shine = cv2.multiply(spec, through_lens(camera, gloss), scale=1 / 255.0, dtype=cv2.CV_32F)
        lit = cv2.add(lit, cv2.merge([shine, shine, shine]))
    image = cv2.convertScaleAbs(lit)
    if look.saturation != 1.0:
        s, grey = look.saturation, np.array([0.114, 0.587, 0.299])
        image = cv2.transform(image, s * np.eye(3) + (1 - s) * np.tile(grey, (3, 1)))
    if look.focus > 0.25:
        image = cv2.GaussianBlur(image, (0, 0), look.focus)
    if look.motion[0] > 0.8:
        image = cv2.filter2D(image, -1, _motion_kernel(*look.motion))
    if look.sharpen > 0:
        image = cv2.addWeighted(image, 1 + look.sharpen, cv2.GaussianBlur(image, (0, 0), 1.2), -look.sharpen, 0)
    return cv2.LUT(image, _tone(look)) if look.contrast else image


def compress(image: np.ndarray, quality: int) -> tuple[np.ndarray, bytes]:
    """The picture after JPEG, and its bytes; quality 0 keeps every pixel (PNG)."""
    if quality <= 0:
        return image, cv2.imencode(".png", image)[1].tobytes()
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR)), data.tobytes()
