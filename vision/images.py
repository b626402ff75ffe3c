"""Picture files to pixels, safely: the size is read from the header before anything is decoded."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np

MAX_BYTES = 40_000_000
MAX_PIXELS = 60_000_000


class ImageError(ValueError):
    """A picture that cannot be used; the message is for a person, `code` for a program."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def image_size(data: bytes) -> tuple[str, int, int]:
    """Format, width and height from the header of a PNG, JPEG, WebP or BMP; raises `ImageError` for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return "png", width, height
    if data.startswith(b"\xff\xd8"):
        return ("jpeg", *_jpeg_size(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return ("webp", *_webp_size(data))
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return "bmp", abs(width), abs(height)
    if data[4:8] == b"ftyp":
        raise ImageError("image_format", "this is a HEIC/AVIF picture; save or send it as JPEG")
    raise ImageError("image_format", "this is not a picture in PNG, JPEG, WebP or BMP format")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    i = 2
    while i + 9 < len(data):
        if data[i] != 0xFF:
            i += 1
            continue
        marker = data[i + 1]
        if marker == 0xFF:
            i += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[i + 5 : i + 9])
            return width, height
        elif marker in (0x00, 0x01, *range(0xD0, 0xDA)):
            i += 2  # these have no length; a decoder passes over them, and so must we, or we look elsewhere than it
        else:
            i += 2 + struct.unpack(">H", data[i + 2 : i + 4])[0]
    raise ImageError("image_damaged", "the JPEG is damaged: it has no picture header")


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    raise ImageError("image_damaged", "the WebP is damaged: it has no picture header")


def decode_image(data: bytes, max_pixels: int = MAX_PIXELS) -> np.ndarray:
    """BGR pixels (8 bit) of an encoded picture, turned upright by its EXIF mark; `ImageError` says what is wrong."""
    if not data:
        raise ImageError("image_empty", "the file is empty")
    form, width, height = image_size(data)
    if width <= 0 or height <= 0:
        raise ImageError("image_damaged", f"the {form} says that it is {width} × {height} pixels")
    if width * height > max_pixels:
        millions = max_pixels // 1_000_000
        raise ImageError("image_too_large", f"{width} × {height} pixels; the limit is {millions} million pixels")
    # OpenCV decodes a cut-off JPEG into a picture with a grey remainder: half a table must not pass for a whole one.
    if form == "jpeg" and b"\xff\xd9" not in data[-4096:]:
        raise ImageError("image_truncated", "the JPEG ends too early: the file was cut off")
    if form == "png" and b"IEND" not in data[-64:]:
        raise ImageError("image_truncated", "the PNG ends too early: the file was cut off")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ImageError("image_damaged", "the picture is damaged and cannot be decoded") from error
    if image is None or image.shape[0] * image.shape[1] != width * height:
        raise ImageError("image_damaged", "the picture is damaged and cannot be decoded")
    return image


def load_image(path: str | Path, max_pixels: int = MAX_PIXELS) -> np.ndarray:
    """The picture in a file as BGR pixels; `ImageError` names what is wrong with it."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise ImageError("image_not_file", "this is a folder, not a picture")
        if size > MAX_BYTES:
            raise ImageError("image_too_large", f"{size // 1_000_000} MB; the limit is {MAX_BYTES // 1_000_000} MB")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ImageError("image_missing", "there is no such file") from error
    except PermissionError as error:
        raise ImageError("image_unreadable", "this file may not be read") from error
    except OSError as error:
        raise ImageError("image_unreadable", f"the file cannot be read: {error.strerror}") from error
    return decode_image(data, max_pixels)
