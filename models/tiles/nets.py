"""The three small networks of the tile reader."""

from __future__ import annotations

import torch
from torch import nn

from vision.tiles.geometry import PROFILES, STRIP

VALUES = 6
CLASSES = VALUES + 1  # the last one: nothing can be read here


def _conv(inside: int, outside: int, stride: int | tuple[int, int] = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outside), nn.ReLU(True)
    )


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.a, self.b = _conv(width, width), _conv(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = x + self.b(self.a(x))
        return out


class Detector(nn.Module):
    """Image (n, 3, h, w; sides multiples of 32) to (n, 8, h/4, w/4): centre logit, offset to the centroid in strides
    (2), and the five numbers of `vision.tiles.geometry.encode`.
    """

    def __init__(self, widths: tuple[int, ...] = (12, 24, 48, 72, 112)) -> None:
        super().__init__()
        c1, c2, c3, c4, c5 = widths
        self.s2 = _conv(3, c1, 2)
        self.s4 = nn.Sequential(_conv(c1, c2, 2), _conv(c2, c2))
        self.s8 = nn.Sequential(_conv(c2, c3, 2), _Block(c3))
        self.s16 = nn.Sequential(_conv(c3, c4, 2), _Block(c4))
        self.s32 = nn.Sequential(_conv(c4, c5, 2), _Block(c5))
        self.up16 = _conv(c5, c4, kernel=1)
        self.mix16 = _conv(c4, c4)
        self.up8 = _conv(c4, c3, kernel=1)
        self.mix8 = _conv(c3, c3)
        self.up4 = _conv(c3, c2, kernel=1)
        self.mix4 = _conv(c2, 32)
        self.head = nn.Conv2d(32, 8, 1)
        nn.init.constant_(self.head.bias[:1], -3.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        s4 = self.s4(self.s2(x))
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        s32 = self.s32(s16)
        double = nn.functional.interpolate
        s16 = self.mix16(s16 + double(self.up16(s32), scale_factor=2.0, mode="nearest"))
        s8 = self.mix8(s8 + double(self.up8(s16), scale_factor=2.0, mode="nearest"))
        s4 = self.mix4(s4 + double(self.up4(s8), scale_factor=2.0, mode="nearest"))
        out: torch.Tensor = self.head(s4)
        return out


def _evened(x: torch.Tensor) -> torch.Tensor:
    """Each crop with the same mean and contrast: the light of the table is nothing to learn."""
    x = x - x.mean((1, 2, 3), keepdim=True)
    return x / torch.sqrt((x * x).mean((1, 2, 3), keepdim=True) + 0.002)


class Refiner(nn.Module):
    """Profiles across one side to 3 numbers: how far the edge is (in reaches) at two points, and the logit of "an
    edge".
    """

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Sequential(
            nn.Linear(3 * STRIP[1] * PROFILES, 256), nn.BatchNorm1d(256), nn.ReLU(True),
            nn.Linear(256, 128), nn.BatchNorm1d(128), nn.ReLU(True), nn.Linear(128, 3),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.head(_evened(x).flatten(1))
        return out


class Reader(nn.Module):
    """Upright crop of a corner to 7 logits: the values 0 to 5, and "cannot be read".

    The whole crop is pooled at the end, since sets print their values larger or smaller, nearer or farther.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 24), nn.MaxPool2d(2), _conv(24, 48), _conv(48, 48), nn.MaxPool2d(2), _conv(48, 96), _conv(96, 96),
            nn.MaxPool2d(2), _conv(96, 128), nn.Dropout2d(0.1),
        )  # fmt: skip
        self.head = nn.Linear(256, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        body = self.body(x)
        out: torch.Tensor = self.head(torch.cat([body.mean((2, 3)), body.amax((2, 3))], 1))
        return out
