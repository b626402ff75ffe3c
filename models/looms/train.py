"""Train the loom networks: `python -m models.looms.train find read cross --data ../shared/data`.

Samples are drawn once into `--cache` (and used again), a checkpoint is written there every epoch and training resumes
from it, and the best network is exported to `models/weights/looms_*.onnx`. `--smoke` runs a tiny set end to end.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.looms.data import load_photos, loom_bank, make
from models.looms.nets import NETS
from vision.looms.shapes import FIND_SIZE, PATCH, READ_SIZE

SAMPLES = {"find": 2200, "read": 2100, "cross": 1500}
EPOCHS = {"find": 4, "read": 5, "cross": 4}
BATCH = {"find": 8, "read": 12, "cross": 256}
RATE = {"find": 3e-3, "read": 3e-3, "cross": 2e-3}
TRAIN_SEED, CHECK_SEED = 10_000, 500_000  # seeds of drawn looms; tests draw from 900,000 on
INPUT = {"find": (3, FIND_SIZE[1], FIND_SIZE[0]), "read": (3, READ_SIZE, READ_SIZE), "cross": (3, PATCH, PATCH)}


def samples(kind: str, cache: Path, data: Path | None, count: int, part: str = "train") -> dict[str, np.ndarray]:
    """The samples of a kind from the cache, drawn if they are not there; checks use other looms than training."""
    path = cache / f"{kind}-{part}-{count}.npz"
    names = {key: cache / f"{path.stem}-{key}.npy" for key in "xy"}
    if not all(name.exists() for name in names.values()):
        cache.mkdir(parents=True, exist_ok=True)
        seed = {"train": TRAIN_SEED, "check": CHECK_SEED}[part] + 37 * sorted(SAMPLES).index(kind)
        photos = load_photos(data) if data else []
        made = make(kind, count, seed, loom_bank(max(8, count // 3), seed), photos)
        for key, name in names.items():
            np.save(name, made[key])
    return {key: np.load(name) for key, name in names.items()}


def _batch(x: np.ndarray, y: np.ndarray, rng: np.random.Generator | None) -> tuple[Tensor, Tensor]:
    """Arrays to tensors, when training (with `rng`) turned and mirrored at random."""
    image = torch.from_numpy(np.ascontiguousarray(x)).permute(0, 3, 1, 2).float() / 255
    target = torch.from_numpy(np.ascontiguousarray(y))
    if rng is None:
        return image, target
    if rng.random() < 0.5:
        image, target = image.flip(3), target.flip(3) if target.ndim == 4 else target
    if rng.random() < 0.5:
        image, target = image.flip(2), target.flip(2) if target.ndim == 4 else target
    image = image * (1 + 0.06 * torch.randn(image.shape[0], 3, 1, 1)) + 0.02 * torch.randn(image.shape[0], 1, 1, 1)
    return image.clamp(0, 1), target


def _heat_loss(logit: Tensor, heat: Tensor) -> Tensor:
    """Binary cross-entropy that counts the few bright pixels as much as the many dark ones."""
    each = functional.binary_cross_entropy_with_logits(logit, heat, reduction="none")
    return (each * (1 + 12 * heat)).mean()


def loss_of(kind: str, out: Tensor, target: Tensor) -> Tensor:
    """The training loss of a network's output."""
    if kind == "cross":
        soft = target.float() * 0.97 + 0.015
        return functional.binary_cross_entropy_with_logits(out, soft)
    if kind == "find":
        heat = target.float() / 255
        masks = functional.binary_cross_entropy_with_logits(out[:, :2], heat[:, :2])
        return masks + 0.2 * _heat_loss(out[:, 2], heat[:, 2])  # corners only help to learn where edges end
    heat = target[:, :3].float() / 255
    axis, dye = target[:, 3].long(), target[:, 4].long()
    board = functional.binary_cross_entropy_with_logits(out[:, 0], heat[:, 0])
    ends = _heat_loss(out[:, 1:3], heat[:, 1:3])
    lines = functional.cross_entropy(out[:, 3:7], axis, weight=torch.tensor([1.0, 2.0, 2.0, 4.0]))
    colour = functional.cross_entropy(out[:, 7:12], dye - 1, ignore_index=-1) if bool((dye > 0).any()) else 0.0 * board
    return 0.5 * board + ends + lines + 0.7 * colour


def _score(kind: str, net: nn.Module, check: dict[str, np.ndarray]) -> tuple[float, str]:
    """How good the network is on looms it has not seen (higher is better), and in words."""
    net.eval()
    right: dict[str, list[float]] = {}
    total = 0.0
    with torch.no_grad():
        for i in range(0, len(check["x"]), BATCH[kind]):
            image, target = _batch(check["x"][i : i + BATCH[kind]], check["y"][i : i + BATCH[kind]], None)
            out = net(image)
            total += float(loss_of(kind, out, target)) * len(image)
            if kind == "cross":
                right.setdefault("crossings", []).extend(((out > 0) == (target > 0)).float().tolist())
            elif kind == "find":
                truth = target[:, 0] > 127
                seen = out[:, 0] > 0
                right.setdefault("board IoU", []).append(float((truth & seen).sum() / (truth | seen).sum().clamp(1)))
            else:
                axis, dye = target[:, 3].long(), target[:, 4].long()
                on = dye > 0
                right.setdefault("axis of cord pixels", []).append(
                    float((out[:, 3:7].argmax(1) == axis)[on].float().mean())
                )
                right.setdefault("dye of cord pixels", []).append(
                    float((out[:, 7:12].argmax(1) == dye - 1)[on].float().mean())
                )
    loss = total / len(check["x"])
    words = ", ".join(f"{name} {100 * float(np.mean(v)):.2f} %" for name, v in right.items())
    return -loss, f"loss {loss:.4f}, {words}"


def train(
    kind: str, cache: Path, data: Path | None, count: int, epochs: int, out: Path, start: Path | None = None
) -> None:
    """Train one network and export it; `start` is a checkpoint whose network is trained further."""
    torch.manual_seed(1)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    full, check = samples(kind, cache, data, count), samples(kind, cache, data, max(24, count // 12), "check")
    net = NETS[kind]().to(memory_format=torch.channels_last)
    size = len(full["x"])
    steps = max(1, size // BATCH[kind])
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE[kind], weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE[kind], total_steps=steps * epochs + 1, pct_start=0.15
    )
    state, first = cache / f"{kind}-{count}-{epochs}.pt", 0
    if state.exists():
        saved = torch.load(state, weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        schedule.load_state_dict(saved["schedule"])
        first = saved["epoch"]
    elif start is not None:
        net.load_state_dict(torch.load(start, weights_only=True)["net"])
    rng = np.random.default_rng(first)
    begun = time.time()
    for epoch in range(first, epochs):
        net.train()
        order, running = rng.permutation(size), 0.0
        for step in range(steps):
            pick = np.sort(order[step * BATCH[kind] : (step + 1) * BATCH[kind]])
            image, target = _batch(full["x"][pick], full["y"][pick], rng)
            with torch.autocast("cpu", torch.bfloat16):  # half the time on processors that have it
                marks = net(image.contiguous(memory_format=torch.channels_last))
            loss = loss_of(kind, marks.float(), target)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            running += float(loss.detach())
            if step % 20 == 0:
                spent = time.time() - begun
                print(
                    f"\r{kind} {epoch + 1}/{epochs} step {step}/{steps} {spent:.0f} s",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
        _, words = _score(kind, net, check)
        print(f"\r{kind} epoch {epoch + 1}/{epochs}: train {running / steps:.4f}, check {words}", flush=True)
        torch.save(
            {
                "net": net.state_dict(),
                "optimiser": optimiser.state_dict(),
                "schedule": schedule.state_dict(),
                "epoch": epoch + 1,
            },
            state,
        )
        export(kind, net, out)


def export(kind: str, net: nn.Module, out: Path) -> Path:
    """Write the network as ONNX with weights for the CPU run time; frames may have any shape."""
    net.eval()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"looms_{kind}.onnx"
    free = {0: "n", 2: "h", 3: "w"} if kind == "find" else {0: "n"}  # frames come in any shape
    torch.onnx.export(
        net,
        (torch.zeros(1 if kind != "cross" else 2, *INPUT[kind]),),
        str(path),
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": free, "y": free},
        opset_version=17,
        dynamo=False,
    )
    return path


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=["find", "read", "cross"], help="which networks: find read cross")
    parser.add_argument("--data", type=Path, help="folder with backgrounds and photos (optional)")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "tapete" / "looms")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "weights")
    parser.add_argument("--start", type=Path, help="a checkpoint to train further, instead of from nothing")
    parser.add_argument("--epochs", type=int, help="instead of the usual number")
    parser.add_argument("--draw-only", action="store_true", help="only draw the samples into the cache")
    parser.add_argument("--smoke", action="store_true", help="a tiny run of everything, to see that it works")
    options = parser.parse_args(arguments)
    for kind in options.kinds:
        count, epochs = (24, 1) if options.smoke else (SAMPLES[kind], options.epochs or EPOCHS[kind])
        if options.draw_only:
            samples(kind, options.cache, options.data, count)
            samples(kind, options.cache, options.data, max(24, count // 12), "check")
        else:
            train(kind, options.cache, options.data, count, epochs, options.out, options.start)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
