"""One training loop for all card networks: time or step budget, averaged weights, checkpoints, resume, progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import nn

LossOf = Callable[[nn.Module, Any], torch.Tensor]


def fit(
    model: nn.Module,
    batches: Iterator[object],
    loss_of: LossOf,
    *,
    steps: int,
    checkpoint: Path,
    rate: float = 1e-3,
    decay: float = 0.02,
    half: bool = True,
    minutes: float | None = None,
    every: int = 100,
) -> nn.Module:
    """Train with AdamW and a one-cycle rate; returns the moving average of the weights, in evaluation mode.

    A run that was interrupted continues from `checkpoint`. With `minutes` the rate comes down by the clock where that
    is ahead of the steps, so that a run on a busy computer ends as settled as one on a quiet one, only less trained.
    """
    decayed = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0}], rate
    )
    average = deepcopy(model).eval()
    start = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        average.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        start = saved["step"]
        print(f"continuing from step {start}")
    checkpoint.parent.mkdir(parents=True, exist_ok=True)

    def save(step: int) -> None:
        part = checkpoint.with_suffix(".part")
        state = {"model": model.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict()}
        torch.save({**state, "step": step}, part)
        part.rename(checkpoint)

    began, running = time.monotonic(), 0.0
    model.train()
    done = start
    for step in range(start, steps):
        warm = min(1.0, (step + 1) / min(100, max(1, steps // 10)))
        spent = (time.monotonic() - began) / (60 * minutes) if minutes is not None else 0.0
        way = min(1.0, max(step / steps, spent))
        now = rate * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * way)))
        for group in optimiser.param_groups:
            group["lr"] = now
        batch = next(batches)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            loss = loss_of(model, batch)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimiser.step()
        keep = min(0.999, (step + 1) / (step + 10))
        with torch.no_grad():
            for mine, theirs in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
                if mine.dtype.is_floating_point:
                    mine.lerp_(theirs, 1 - keep)
                else:
                    mine.copy_(theirs)
        done = step + 1
        value = float(loss.detach())
        running = value if step == start else 0.98 * running + 0.02 * value
        if step % 10 == 9:
            took = time.monotonic() - began
            left = took / (step + 1 - start) * (steps - step - 1)
            print(
                f"\rstep {step + 1}/{steps}  loss {running:.4f}  {took / 60:.1f} min, {left / 60:.1f} left",
                end="",
                flush=True,
            )
        if step % every == every - 1:
            save(step + 1)
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            break
    save(done)
    print()
    return average.eval()
