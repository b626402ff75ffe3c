"""The small networks for cards: corners from a square, finer corners and the face from a flat card."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

EMBEDDING = 128


def conv(inside: int, outside: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, normalisation, activation."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class Block(nn.Module):
    """A residual block."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.one = conv(inside, outside, stride)
        self.two = nn.Sequential(nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside))
        same = inside == outside and stride == 1
        self.skip = (
            nn.Identity()
            if same
            else nn.Sequential(
                nn.AvgPool2d(stride, ceil_mode=True) if stride > 1 else nn.Identity(),
                nn.Conv2d(inside, outside, 1, bias=False),
                nn.BatchNorm2d(outside),
            )
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.two(self.one(x)) + self.skip(x))


def trunk(inside: int, widths: tuple[int, ...], deep: int = 1) -> nn.Sequential:
    """A stem and one stage per width, each halving the picture; the last stages are `deep` blocks long."""
    layers: list[nn.Module] = [conv(inside, widths[0], 2)]
    for i, (a, b) in enumerate(pairwise(widths)):
        layers.append(Block(a, b, 2))
        layers += [Block(b, b, 1) for _ in range(deep - 1 if i else 0)]
    return nn.Sequential(*layers)


class CornerNet(nn.Module):
    """Square with box mask → centre and both half axes, in the six numbers of `vision.cards.geometry.encode_square`."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = trunk(4, (24, 48, 96, 128), 2)
        self.narrow = conv(128, 48, kernel=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(48 * 5 * 5, 256), nn.ReLU(inplace=True), nn.Linear(256, 6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.narrow(self.trunk(x)))


class FineNet(nn.Module):
    """Flat card with roughly right corners → how far each corner is off, in fractions of the flat picture.

    Where an edge lies inside a cell must survive to the end, so the cells stay small and none are pooled. The answers
    are a few hundredths; scaled up inside, they are numbers that a fresh network can learn to tell apart.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trunk = trunk(3, (24, 40, 80), 1)
        self.narrow = conv(80, 32, kernel=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 8 * 12, 160), nn.ReLU(inplace=True), nn.Linear(160, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0.1 * self.head(self.narrow(self.trunk(x)))


class FaceNet(nn.Module):
    """Flat card → unit embedding, cosine logits over the faces, and whether it lies upside down."""

    def __init__(self, faces: int, scale: float = 16.0) -> None:
        super().__init__()
        self.trunk = trunk(3, (32, 48, 96, 160), 2)
        self.narrow = conv(160, 40, kernel=1)
        self.embed = nn.Linear(40 * 5 * 8 + 160, EMBEDDING)
        self.norm = nn.BatchNorm1d(EMBEDDING)
        self.faces = nn.Parameter(torch.randn(faces, EMBEDDING))
        self.flip = nn.Linear(EMBEDDING + 160, 1)
        self.scale = scale

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        seen = self.trunk(x)
        pooled = seen.mean((2, 3))
        raw = self.norm(self.embed(torch.cat([self.narrow(seen).flatten(1), pooled], 1)))
        unit = F.normalize(raw.float(), dim=1)
        logits = self.scale * unit @ F.normalize(self.faces.float(), dim=1).T
        return unit, logits, self.flip(torch.cat([raw, pooled], 1))[:, 0]
