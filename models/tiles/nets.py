"""The four small networks of the tile reader."""

from __future__ import annotations

import torch
from torch import nn

from models.cards.backbone import DEEP, MIDDLE, Backbone
from vision.tiles.geometry import PROFILES, READ_SIDE, READ_SIZE, READ_TRIANGLE, STRIP

VALUES = 6
CLASSES = VALUES + 1  # the last one: nothing can be read here


def _conv(inside: int, outside: int, stride: int | tuple[int, int] = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outside), nn.ReLU(True)
    )


class Detector(nn.Module):
    """Image (n, 3, h, w; sides multiples of 32) to (n, 8, h/4, w/4): centre logit, offset to the centroid in strides
    (2), and the five numbers of `vision.tiles.geometry.encode`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone(3)
        self.up16, self.side16, self.mix16 = _conv(DEEP, 96, kernel=1), _conv(MIDDLE, 96, kernel=1), _conv(96, 96)
        self.up8, self.side8, self.mix8 = _conv(96, 64, kernel=1), _conv(MIDDLE, 64, kernel=1), _conv(64, 64)
        self.up4, self.side4, self.mix4 = _conv(64, 32, kernel=1), _conv(64, 32, kernel=1), _conv(32, 32)
        self.head = nn.Conv2d(32, 8, 1)
        nn.init.constant_(self.head.bias[:1], -3.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        layers = self.backbone.layers
        s4 = layers[:3](x * 0.5 + 0.5)
        s8 = layers[3:5](s4)
        s16 = layers[5:7](s8)
        s32 = layers[7:](s16)
        double = nn.functional.interpolate
        s16 = self.mix16(self.side16(s16) + double(self.up16(s32), scale_factor=2.0, mode="nearest"))
        s8 = self.mix8(self.side8(s8) + double(self.up8(s16), scale_factor=2.0, mode="nearest"))
        s4 = self.mix4(self.side4(s4) + double(self.up4(s8), scale_factor=2.0, mode="nearest"))
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
    """A whole tile set upright to 3 × 7 logits: for each corner, from the top clockwise, the values 0 to 5 and "cannot
    be read".

    The tile is seen whole, since its other corners show how large this set's pips are, what its wood looks like where
    it is blank, and in which light. One head reads all three corners from what lies around each of them.
    """

    WIDTH, CELLS, WEIGHTS = 64, READ_SIZE // 8, 4

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone(3, depth=7)
        self.fine, self.deep = _conv(MIDDLE, self.WIDTH, kernel=1), _conv(MIDDLE, self.WIDTH, kernel=1)
        self.mix = _conv(self.WIDTH, self.WIDTH)
        near = _nearness(self.CELLS)
        spread = torch.stack([near**power for power in (0.5, 1.0, 2.0, 4.0)], 1)  # from the whole corner to its middle
        self.places = nn.Parameter((spread / spread.sum(2, keepdim=True)).flatten(0, 1).T.contiguous())
        self.register_buffer("far", -20.0 * (near < 0.1).float())
        seen = self.WIDTH * (self.WEIGHTS + 1) + 2 * self.WIDTH
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(seen, 192), nn.ReLU(True), nn.Linear(192, CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        layers = self.backbone.layers
        fine = layers[:5](x * 0.5 + 0.5)
        deep = self.deep(layers[5:](fine))
        seen = self.mix(self.fine(fine) + nn.functional.interpolate(deep, scale_factor=2.0, mode="nearest"))
        flat = seen.flatten(2)
        pooled = (flat @ self.places).unflatten(2, (3, self.WEIGHTS)).permute(0, 2, 1, 3).flatten(2)
        most = (flat[:, None] + self.far[None, :, None]).amax(3)
        whole = torch.cat([deep.mean((2, 3)), flat.amax(2)], 1)[:, None].expand(-1, 3, -1)
        out: torch.Tensor = self.head(torch.cat([pooled, most, whole], 2))
        return out


class CornerReader(nn.Module):
    """One corner set upright to 7 logits: the values 0 to 5, and "cannot be read".

    The whole view is pooled at the end, since sets print their values larger or smaller, nearer or farther.
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


def _nearness(cells: int) -> torch.Tensor:
    """How near each cell of the reader's view is to each corner's value: (3, cells²), 0 to 1."""
    corners = torch.from_numpy(READ_TRIANGLE).float()
    spots = corners + (corners.mean(0) - corners) * 0.55
    steps = (torch.arange(cells) + 0.5) * READ_SIZE / cells - 0.5
    grid = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), -1).reshape(-1, 2)
    away = torch.cdist(spots, grid)
    return torch.exp(-((away / (0.26 * READ_SIDE)) ** 2))
