"""The small networks for cards: corners from a square, finer corners and the face from a flat card."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from models.cards.backbone import DEEP, MIDDLE, Backbone

EMBEDDING = 128
LARGER = (144, 96)  # of the flat card, inside the face network


def conv(inside: int, outside: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, normalisation, activation."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class CornerNet(nn.Module):
    """Square with box mask → the eight numbers of `vision.cards.geometry.encode_square`, and a first look at the face.

    The face is asked for so that photographs, whose labels have no corners, teach the network as well; its answer
    does not depend on the corners and is a second opinion at no cost.
    """

    def __init__(self, faces: int) -> None:
        super().__init__()
        self.backbone = Backbone(4)
        self.middle = conv(MIDDLE, 48, kernel=1)
        self.deep = conv(DEEP, 64, kernel=1)
        seen = 48 * 8 * 8 + 64 * 4 * 4
        self.head = nn.Sequential(nn.Linear(seen, 256), nn.ReLU(inplace=True), nn.Linear(256, 8))
        self.face = nn.Sequential(
            nn.Dropout(0.2), nn.Linear(seen + DEEP, 128), nn.ReLU(inplace=True), nn.Linear(128, faces)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        middle, deep = self.backbone(x)
        seen = torch.cat([self.middle(middle).flatten(1), self.deep(deep).flatten(1)], 1)
        return self.head(seen), self.face(torch.cat([seen, deep.mean((2, 3))], 1))


class FineNet(nn.Module):
    """Flat card with roughly right corners → how far each corner is off, in fractions of the flat picture.

    Where an edge lies inside a cell must survive to the end, so only the backbone's first layers are used (cells of
    eight pixels) and none are pooled. The answers are a few hundredths; scaled up inside, they are numbers that a
    fresh head can learn to tell apart.
    """

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone(depth=5)
        self.narrow = conv(MIDDLE, 32, kernel=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 18 * 12, 160), nn.ReLU(inplace=True), nn.Linear(160, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0.1 * self.head(self.narrow(self.backbone(x)[0]))


class FaceNet(nn.Module):
    """Flat card → unit embedding, cosine logits over the faces, and whether it lies upside down.

    The picture is made larger first: suit signs and numbers in a card's corner are a few pixels, and the backbone
    would have halved them away before it looked.
    """

    def __init__(self, faces: int, scale: float = 16.0) -> None:
        super().__init__()
        self.backbone = Backbone()
        self.middle = conv(MIDDLE, 48, kernel=1)
        self.deep = conv(DEEP, 64, kernel=1)
        self.embed = nn.Linear(48 * 9 * 6 + 64 * 5 * 3 + DEEP, EMBEDDING)
        self.norm = nn.BatchNorm1d(EMBEDDING)
        self.faces = nn.Parameter(torch.randn(faces, EMBEDDING))
        self.flip = nn.Linear(EMBEDDING, 1)
        self.scale = scale

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        larger = F.interpolate(x, size=LARGER, mode="bilinear", align_corners=False)
        middle, deep = self.backbone(larger)
        seen = torch.cat([self.middle(middle).flatten(1), self.deep(deep).flatten(1), deep.mean((2, 3))], 1)
        raw = self.norm(self.embed(F.dropout(seen, 0.1, self.training)))
        unit = F.normalize(raw.float(), dim=1)
        logits = self.scale * unit @ F.normalize(self.faces.float(), dim=1).T
        return unit, logits, self.flip(raw)[:, 0]
