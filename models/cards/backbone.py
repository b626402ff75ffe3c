"""The first ten layers of YOLO11n with its general weights: eyes that have seen photographs, for the small networks."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

MIDDLE, DEEP = 128, 256  # channels of the two maps, at a sixteenth and a thirty-second of the picture
LAYERS, FIRST = 10, 5


class Backbone(nn.Module):
    """Picture (blue-green-red, 0 to 1, perhaps with more channels) → its maps at strides 16 and 32.

    With `depth` FIRST it ends earlier and gives the map at stride 8 (of as many channels as the middle one), twice.
    """

    def __init__(self, channels: int = 3, depth: int = LAYERS) -> None:
        super().__init__()
        from ultralytics.nn.tasks import DetectionModel

        self.layers = nn.Sequential(*list(DetectionModel("yolo11n.yaml", nc=2, verbose=False).model)[:depth])
        if channels > 3:
            self._widen(channels)

    def _widen(self, channels: int) -> None:
        """Further input channels that count for nothing yet: the general weights stay in force at the start."""
        stem: nn.Conv2d = self.layers[0].conv
        wider = nn.Conv2d(channels, stem.out_channels, 3, 2, 1, bias=False)
        with torch.no_grad():
            wider.weight.zero_()
            wider.weight[:, :3] = stem.weight
        self.layers[0].conv = wider

    def start_from(self, data: Path | None) -> int:
        """Take over the general weights where they are at hand; returns how many tensors were."""
        path = data / "weights" / "yolo11n-seg.coco.safetensors" if data else None
        if path is None or not path.exists():
            return 0
        from safetensors.torch import load_file

        mine = self.layers.state_dict()
        stored = {k.removeprefix("model."): v.float() for k, v in load_file(path).items()}
        stem = mine["0.conv.weight"].clone().zero_()
        stem[:, :3] = stored["0.conv.weight"][:, [2, 1, 0]]  # it was trained on red-green-blue
        stored["0.conv.weight"] = stem
        known = {k: v for k, v in stored.items() if k in mine and mine[k].shape == v.shape}
        self.layers.load_state_dict(known, strict=False)
        return len(known)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.rest(self.first(x))

    def first(self, x: torch.Tensor) -> torch.Tensor:
        """The map at stride 8, of as many channels as the middle one."""
        for layer in self.layers[:FIRST]:
            x = layer(x)
        return x

    def rest(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The maps at strides 16 and 32 that the one at stride 8 becomes."""
        for layer in self.layers[FIRST:7]:
            x = layer(x)
        middle = x
        for layer in self.layers[7:]:
            x = layer(x)
        return middle, x
