"""Picture files, good and bad."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.images import ImageError, decode_image, image_size, load_image

PICTURE = np.random.default_rng(3).integers(0, 255, (40, 60, 3)).astype(np.uint8)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp"])
def test_size_from_header_and_pixels(suffix: str) -> None:
    data = cv2.imencode(suffix, PICTURE)[1].tobytes()
    assert image_size(data)[1:] == (60, 40)
    assert decode_image(data).shape == (40, 60, 3)


@pytest.mark.parametrize(
    "image", [PICTURE[..., 0], np.dstack([PICTURE, PICTURE[..., :1]]), PICTURE.astype(np.uint16) * 257]
)
def test_grey_alpha_and_16_bit_become_bgr(image: np.ndarray) -> None:
    result = decode_image(cv2.imencode(".png", image)[1].tobytes())
    assert result.shape == (40, 60, 3)
    assert result.dtype == np.uint8


def test_exif_orientation_is_applied() -> None:
    data = cv2.imencode(".jpg", PICTURE)[1].tobytes()
    tiff = b"II*\x00\x08\x00\x00\x00\x01\x00" + struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0) + b"\x00\x00\x00\x00"
    app1 = b"Exif\x00\x00" + tiff
    turned = data[:2] + b"\xff\xe1" + struct.pack(">H", len(app1) + 2) + app1 + data[2:]
    assert decode_image(turned).shape == (60, 40, 3)


def bomb(width: int, height: int) -> bytes:
    """A tiny PNG file that says it is huge."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    return b"\x89PNG\r\n\x1a\n" + chunk + b"\x00\x00\x00\x00IEND\xaeB`\x82"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "image_empty"),
        (b"hello, I am a text file", "image_format"),
        (cv2.imencode(".jpg", PICTURE)[1].tobytes()[:600], "image_truncated"),
        (cv2.imencode(".png", PICTURE)[1].tobytes()[:900], "image_truncated"),
        (bomb(20_000, 20_000), "image_too_large"),
        (bomb(0, 5), "image_damaged"),
        (bomb(50, 50), "image_damaged"),
        (b"\xff\xd8\xff", "image_damaged"),
        (b"PK\x03\x04 a zip", "image_format"),
        (b"\x00\x00\x00\x18ftypheic" + b"\x00" * 30, "image_format"),
    ],
)
def test_bad_pictures_have_a_code(data: bytes, code: str) -> None:
    with pytest.raises(ImageError) as caught:
        decode_image(data)
    assert caught.value.code == code


def test_files(tmp_path: Path) -> None:
    for path, code in [(tmp_path / "none.jpg", "image_missing"), (tmp_path, "image_not_file")]:
        with pytest.raises(ImageError) as caught:
            load_image(path)
        assert caught.value.code == code
    cv2.imwrite(str(tmp_path / "ok.png"), PICTURE)
    assert (load_image(tmp_path / "ok.png") == PICTURE).all()
