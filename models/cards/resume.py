"""Start from the weights that ship: a network's ONNX file back in torch, so that training goes on where it ended.

The export folds every normalisation into the convolution before it. Here each gets the statistics of what really comes
out of its convolution, with a scale and a shift that undo them: the network answers as its file does, and can learn on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn


def stored_weights(path: Path) -> tuple[dict[str, np.ndarray], list[tuple[np.ndarray, np.ndarray]]]:
    """The named weights of an ONNX file, and its convolutions (weight, bias) in the order in which they run."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    stored = {t.name.removesuffix("_half"): numpy_helper.to_array(t).astype(np.float32) for t in graph.initializer
              if t.data_type in (1, 10)}  # fmt: skip
    runs = [(stored[n.input[1]], stored[n.input[2]]) for n in graph.node if n.op_type == "Conv"]
    return stored, runs


def pairs(model: nn.Module, x: torch.Tensor) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution with the normalisation behind it, in the order in which they run."""
    order: list[Any] = []
    hooks = [m.register_forward_hook(lambda m, *_: order.append(m)) for m in model.modules()
             if isinstance(m, nn.Conv2d | nn.BatchNorm2d)]  # fmt: skip
    model.eval()
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()
    return list(zip(order[::2], order[1::2], strict=True))


def take_over(model: nn.Module, stored: dict[str, torch.Tensor]) -> int:
    """The tensors of another training where they fit; what a layer has been given more to look at counts for nothing
    yet. Returns how many were taken over."""
    taken = 0
    with torch.no_grad():
        for name, mine in model.state_dict().items():
            theirs = stored.get(name)
            if theirs is None:
                continue
            if theirs.shape == mine.shape:
                mine.copy_(theirs)
                taken += 1
            elif mine.ndim == 2 and len(theirs) == len(mine) and theirs.shape[1] < mine.shape[1]:
                mine.zero_()
                mine[:, : theirs.shape[1]].copy_(theirs)
                taken += 1
    return taken


def start_from_file(model: nn.Module, path: Path, x: torch.Tensor) -> int:
    """Take over the weights of `path` where they fit, `x` being pictures as the network sees them; returns how many
    of its convolutions were. Heads of another shape start anew.
    """
    stored, runs = stored_weights(path)
    both = pairs(model, x)
    if len(both) != len(runs):
        raise ValueError(f"{path.name} has {len(runs)} convolutions, the network {len(both)}")
    statistics: dict[nn.Module, tuple[torch.Tensor, torch.Tensor]] = {}
    taken = 0

    def learn(bn: nn.BatchNorm2d, seen: tuple[torch.Tensor, ...], _: torch.Tensor) -> None:
        statistics[bn] = (seen[0].mean((0, 2, 3)), seen[0].var((0, 2, 3)))

    hooks = []
    with torch.no_grad():
        for (conv, bn), (weight, bias) in zip(both, runs, strict=True):
            new = torch.from_numpy(weight)
            if new.shape != conv.weight.shape:  # more channels than the file's: they count for nothing yet
                wider = torch.zeros_like(conv.weight)
                wider[:, : new.shape[1]] = new[: wider.shape[0]] if new.shape[0] >= wider.shape[0] else 0
                new = wider
            conv.weight.copy_(new)
            bn.running_mean.zero_()  # type: ignore[union-attr]
            bn.running_var.fill_(1.0)  # type: ignore[union-attr]
            bn.weight.fill_(float(np.sqrt(1 + bn.eps)))
            bn.bias.copy_(torch.from_numpy(bias[: len(bn.bias)]))
            hooks.append(bn.register_forward_hook(learn))
            taken += 1
        for name, mine in model.state_dict().items():
            if name not in stored:
                continue
            if stored[name].shape == tuple(mine.shape):
                mine.copy_(torch.from_numpy(stored[name]))
            elif mine.ndim == 2 and stored[name].ndim == 2 and len(stored[name]) == len(mine):
                known = stored[name].shape[1]  # a layer that has been given more to look at
                if known < mine.shape[1]:
                    mine[:, :known].copy_(torch.from_numpy(stored[name]))
        model(x)
        for hook in hooks:
            hook.remove()
        for bn, (mean, var) in statistics.items():
            shift = bn.bias - 0.0
            bn.running_mean.copy_(mean)
            bn.running_var.copy_(var)
            bn.weight.copy_((var + bn.eps).sqrt())
            bn.bias.copy_(shift + mean)
    return taken
