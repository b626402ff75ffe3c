"""The small networks for cards: corners from a square, finer corners and the face from a flat card."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from models.cards.backbone import DEEP, MIDDLE, Backbone
from models.cards.classes import NUMBER_OF, NUMBERS, SUIT_OF, SUITS

EMBEDDING = 128


def conv(inside: int, outside: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, normalisation, activation."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class CornerNet(nn.Module):
    """Square with box mask and size hint → the eight numbers of `vision.cards.geometry.encode_square`, and a first look
    at the face.

    The hint (the fifth channel, the same everywhere) tells the head how large a whole card is here, 0 for unknown.

    The face is asked for so that photographs, whose labels have no corners, teach the network as well; its answer
    does not depend on the corners and is a second opinion at no cost.
    """

    def __init__(self, faces: int) -> None:
        super().__init__()
        self.backbone = Backbone(4)
        self.middle = conv(MIDDLE, 48, kernel=1)
        self.deep = conv(DEEP, 64, kernel=1)
        seen = 48 * 8 * 8 + 64 * 4 * 4
        self.size = nn.Sequential(nn.Linear(2, 32), nn.ReLU(inplace=True))
        self.head = nn.Sequential(nn.Linear(seen + 32, 256), nn.ReLU(inplace=True), nn.Linear(256, 8))
        self.face = nn.Sequential(
            nn.Dropout(0.2), nn.Linear(seen + DEEP, 128), nn.ReLU(inplace=True), nn.Linear(128, faces)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        middle, deep = self.backbone(x[:, :4])
        hint = x[:, 4, 0, :1]
        size = self.size(torch.cat([hint, (hint > 0.1).to(hint.dtype)], 1))
        seen = torch.cat([self.middle(middle).flatten(1), self.deep(deep).flatten(1)], 1)
        return self.head(torch.cat([seen, size], 1)), self.face(torch.cat([seen, deep.mean((2, 3))], 1))


class FineNet(nn.Module):
    """Masked flat card with roughly right corners → how far each corner is off, in fractions of the flat picture.

    Where an edge lies inside a cell must survive to the end, so only the backbone's first layers are used (cells of
    eight pixels) and none are pooled. The answers are a few hundredths; scaled up inside, they are numbers that a
    fresh head can learn to tell apart.
    """

    def __init__(self) -> None:
        super().__init__()
        self.backbone = Backbone(4, depth=5)
        self.narrow = conv(MIDDLE, 20, kernel=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(20 * 24 * 16, 160), nn.ReLU(inplace=True), nn.Linear(160, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0.1 * self.head(self.narrow(self.backbone(x)[0]))


class FaceNet(nn.Module):
    """Masked flat card → unit embedding, log odds of the faces, and whether it lies upside down.

    The fourth channel says where the card's own box lies: on the flat picture of a covered card most of what is to be
    seen belongs to its neighbours. A face is also a number and a suit: both are asked for apart and have a say in the
    answer, so that a 5 learnt from one suit, or the clubs of one deck, count for all. The index in a corner is smaller
    than a cell of the deep maps: the four corners are looked at in cells of eight pixels.
    """

    INDEX = (8, 6)  # cells of a corner, down and across

    def __init__(self, faces: int, scale: float = 16.0) -> None:
        super().__init__()
        self.backbone = Backbone(4)
        self.middle = conv(MIDDLE, 40, kernel=1)
        self.deep = conv(DEEP, 64, kernel=1)
        self.index = nn.Sequential(conv(MIDDLE, 48), conv(48, 32, 2))
        self.embed = nn.Linear(40 * 12 * 8 + 64 * 6 * 4 + DEEP + 4 * 32 * 4 * 3, EMBEDDING)
        self.norm = nn.BatchNorm1d(EMBEDDING)
        self.faces = nn.Parameter(torch.randn(faces, EMBEDDING))
        self.number, self.suit = nn.Linear(EMBEDDING, len(NUMBERS)), nn.Linear(EMBEDDING, len(SUITS))
        self.flip = nn.Linear(EMBEDDING, 1)
        self.scale = scale

    def opinions(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Embedding, log odds of the faces, of the end that is up, of the numbers and of the suits."""
        fine = self.backbone.first(x)
        middle, deep = self.backbone.rest(fine)
        down, across = self.INDEX
        corners = [fine[:, :, rows, columns] for rows in (slice(down), slice(-down, None))
                   for columns in (slice(across), slice(-across, None))]  # fmt: skip
        index = [self.index(corner).flatten(1) for corner in corners]
        whole = [self.middle(middle).flatten(1), self.deep(deep).flatten(1), deep.mean((2, 3))]
        seen = torch.cat([*whole, *index], 1)
        raw = self.norm(self.embed(F.dropout(seen, 0.1, self.training)))
        unit = F.normalize(raw.float(), dim=1)
        number, suit = self.number(raw), self.suit(raw)
        logits = self.scale * unit @ F.normalize(self.faces.float(), dim=1).T
        return unit, logits + number[:, NUMBER_OF] + suit[:, SUIT_OF], self.flip(raw)[:, 0], number, suit

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.opinions(x)[:3]
