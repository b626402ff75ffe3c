"""The three small networks of the loom reader."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def _block(a: int, b: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class Context(nn.Module):
    """Adds what the whole picture looks like to every pixel: colours can only be named in their light."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(nn.Conv2d(2 * width, width, 1), nn.ReLU(inplace=True), nn.Conv2d(width, width, 1))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=(2, 3), keepdim=True)
        peak = x.amax(dim=(2, 3), keepdim=True)
        return x + self.mix(torch.cat([mean, peak], dim=1))


class UNet(nn.Module):
    """A small U-Net whose first stage halves the picture; `coarse` drops the finest decoder stage."""

    def __init__(self, outputs: int, widths: tuple[int, ...], coarse: bool) -> None:
        super().__init__()
        self.coarse = coarse
        self.stem = _block(3, widths[0], 2)
        self.downs = nn.ModuleList(nn.Sequential(_block(a, b, 2), _block(b, b)) for a, b in pairwise(widths))
        self.context = Context(widths[-1])
        steps = list(zip(widths[::-1], widths[-2::-1], strict=False))
        if coarse:
            steps = steps[:-1]
        self.ups = nn.ModuleList(_block(a + b, b) for a, b in steps)
        last = steps[-1][1]
        self.head = nn.Sequential(_block(last, last), nn.Conv2d(last, outputs, 1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        skips = [x]
        for down in self.downs:
            x = down(x)
            skips.append(x)
        x = self.context(skips.pop())
        for up in self.ups:
            skip = skips.pop()
            x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = up(torch.cat([x, skip], dim=1))
        return self.head(x)


def finder() -> UNet:
    """Frame to board, lane square and board corners, at a quarter of its size."""
    return UNet(3, (8, 16, 32, 48, 80), coarse=True)


def reader() -> UNet:
    """Rectified board to board, ends of h and v lanes, axis (4) and dye (5) of each pixel, at half its size."""
    return UNet(12, (16, 28, 48, 72, 96), coarse=False)


class Crosser(nn.Module):
    """A crossing's patch to the log-odds that the horizontal cord is on top; transposing it negates them."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _block(3, 16), _block(16, 24, 2), _block(24, 32), _block(32, 48, 2), _block(48, 64),
            nn.AvgPool2d(2), nn.Flatten(),
            nn.Linear(64 * 16, 64), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Linear(64, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return (self.body(x) - self.body(x.transpose(2, 3))).squeeze(1)


NETS: dict[str, Callable[[], nn.Module]] = {"find": finder, "read": reader, "cross": Crosser}
