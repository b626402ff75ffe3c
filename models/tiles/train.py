"""Train and export the tile networks: `python -m models.tiles detector|refiner|reader|corners --scenes DIR`.

Checkpoints go beside the scenes; an interrupted run resumes where it stopped. Each network is exported to
`models/weights/tiles_<name>.onnx` when it is done.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import nn

from datasets.scene.textures import photographs
from models.compact import compact
from models.tiles import nets, samples
from models.tiles.cache import Sample, build, keep
from models.tiles.corners import painted_corners
from models.tiles.painted import painted_scene
from models.tiles.scenes import TileScene, render_folder
from vision.tiles.geometry import CORNER_SIZE, PROFILES, READ_SIZE, STRIP

WEIGHTS = Path(__file__).parent.parent / "weights"
DETECT_CROP = 320
EACH = {"refiner": 3, "reader": 2, "corners": 2}  # samples of every tile
SIZES = {"refiner": 512, "reader": 96, "corners": 96}  # of a batch
RENDERED = 0.25  # the part of it that comes from rendered scenes, the rest from painted ones
ALONE = 0.7  # the part of the corner reader's batch that was painted by itself, the rest from scenes
SHARD = 5000  # corners that are painted by themselves and kept together
Batch = tuple[torch.Tensor, torch.Tensor]
Draw = Callable[[np.random.Generator], Sample]


def _tensor(crops: list[np.ndarray]) -> torch.Tensor:
    """BGR crops as the networks want them; the same scaling is done in `vision.tiles`."""
    return torch.from_numpy(np.stack(crops).transpose(0, 3, 1, 2).astype(np.float32) / 128.0 - 1.0)


def _scenes(paths: list[Path], r: np.random.Generator) -> Iterator[TileScene]:
    while True:
        for i in r.permutation(len(paths)):
            yield TileScene.load(paths[i])


def detector_batches(paths: list[Path], r: np.random.Generator, size: int = 12) -> Iterator[Batch]:
    """Crops for the detector, two from each picture since decoding it is the costly part, half of rendered ones."""
    folders = sorted({path.parent for path in paths})
    pools = [_scenes([path for path in paths if path.parent == folder], r) for folder in folders]
    while True:
        chosen = [next(pools[i % len(pools)]) for i in range(size // 2)]
        pairs = [samples.detector_sample(scene, r, DETECT_CROP) for scene in chosen for _ in range(2)]
        yield _tensor([crop for crop, _ in pairs]), torch.from_numpy(np.stack([target for _, target in pairs]))


def _kept(name: str, paths: list[Path]) -> Draw:
    """A function that draws a batch of crops (n, 3, h, w; -1 to 1) and targets from the caches beside the scenes.

    Rendered scenes and painted ones have a cache each; however few they are, the rendered ones make up a share. Corners
    painted by themselves lie in shards, of which each batch takes another.
    """
    folders = sorted({path.parent for path in paths})
    pools = [build(name, [p for p in paths if p.parent == folder], folder / "cache", EACH[name]) for folder in folders]
    shares = [RENDERED, 1 - RENDERED] if len(pools) == 2 else [1 / len(pools)] * len(pools)
    shards: list[Sample] = []
    if name == "corners":
        made = sorted((paths[0].parent / "corners").glob("*_targets.npy"))
        shards = [keep(path.name.removesuffix("_targets.npy"), (), path.parent) for path in made]
        shares = [(1 - ALONE) * share for share in shares] + [ALONE]

    def draw(r: np.random.Generator) -> Sample:
        crops, targets = [], []
        parts = [*pools, shards[int(r.integers(len(shards)))]] if shards else pools
        for (seen, answers), share in zip(parts, shares, strict=True):
            chosen = np.sort(r.choice(len(seen), min(round(SIZES[name] * share), len(seen)), replace=False))
            crops.append(seen[chosen])
            targets.append(answers[chosen])
        image = np.concatenate(crops).transpose(0, 3, 1, 2).astype(np.float32) / 128.0 - 1.0
        return image, np.concatenate(targets)

    return draw


def refiner_batches(paths: list[Path], r: np.random.Generator) -> Iterator[Batch]:
    """Profiles for the refiner, each time in another light."""
    draw = _kept("refiner", paths)
    while True:
        crops, targets = draw(r)
        image, target = _relit(torch.from_numpy(crops), 0.08), torch.from_numpy(targets)
        mirror = torch.from_numpy(r.random(len(crops)) < 0.5)  # a side seen from its other end is a side too
        image[mirror] = image[mirror].flip(3)
        target[mirror] = target[mirror][:, [1, 0, 2]]
        yield image, target


def reader_batches(name: str, paths: list[Path], r: np.random.Generator) -> Iterator[Batch]:
    """Whole tiles or single corners, each time a little shifted and in another light."""
    draw, most = _kept(name, paths), samples.VIEWS[name][1] // 24
    while True:
        crops, values = draw(r)
        image, (dx, dy) = torch.from_numpy(crops), (int(v) for v in r.integers(-most, most + 1, 2))
        yield _relit(image.roll((dy, dx), (2, 3)), 0.1), torch.from_numpy(values.astype(np.int64))


def _relit(image: torch.Tensor, spread: float) -> torch.Tensor:
    """Crops with another strength and colour of light, and a little grain."""
    n = len(image)
    light, shift = torch.exp(torch.randn(n, 3, 1, 1) * spread), torch.randn(n, 1, 1, 1) * 0.06
    grain = torch.rand(n, 1, 1, 1) * 0.03 * torch.randn_like(image)
    return ((image + 1) * light - 1 + shift + grain).clamp(-1, 1)


def detector_loss(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """CenterNet's focal loss on the centres, L1 on the numbers where a tile's middle is."""
    heat, weight = target[:, 0], target[:, 1]
    p = out[:, 0].sigmoid().clamp(1e-5, 1 - 1e-5)
    hit = (heat >= 0.999).float()
    focal = -hit * (1 - p) ** 2 * p.log() - (1 - hit) * (1 - heat) ** 4 * p**2 * (1 - p).log()
    count = hit.sum().clamp(min=1)
    near = (weight > 1.5).float()
    gap = (out[:, 1:] - target[:, 2:]).abs() * torch.tensor([1, 1, 3, 2, 2, 3, 3.0])[:, None, None]
    return (focal * (weight > 0)).sum() / count + 0.5 * (gap.sum(1) * near).sum() / near.sum().clamp(min=1)


def refiner_loss(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """L1 on the edges of real tiles, cross entropy on whether there is one (-1: not judged)."""
    real = target[:, 2]
    gap = (out[:, :2] - target[:, :2]).abs().sum(1)
    judged = (real >= 0).float()
    known = (real > 0.5).float()
    entropy = nn.functional.binary_cross_entropy_with_logits(out[:, 2], known, reduction="none")
    return 4 * (gap * known).sum() / known.sum().clamp(min=1) + (entropy * judged).sum() / judged.sum().clamp(min=1)


def reader_loss(out: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross entropy of each corner, a little smoothed (-1: not judged)."""
    return nn.functional.cross_entropy(
        out.reshape(-1, nets.CLASSES), target.flatten(), ignore_index=-1, label_smoothing=0.01
    )


Task = tuple[
    Callable[[], nn.Module], Callable[..., Iterator[Batch]], Callable[..., torch.Tensor], tuple[int, int], float
]
TASKS: dict[str, Task] = {
    "detector": (nets.Detector, detector_batches, detector_loss, (544, 960), 1.2e-3),
    "refiner": (nets.Refiner, refiner_batches, refiner_loss, (STRIP[1], PROFILES), 3e-3),
    "reader": (nets.Reader, partial(reader_batches, "reader"), reader_loss, (READ_SIZE, READ_SIZE), 1.2e-3),
    "corners": (nets.CornerReader, partial(reader_batches, "corners"), reader_loss, (CORNER_SIZE, CORNER_SIZE), 2e-3),
}


def train(name: str, paths: list[Path], store: Path, steps: int, minutes: float, data: Path | None = None) -> nn.Module:
    """Train one network for `steps` steps or `minutes`, whichever ends first; the rate falls along a cosine.

    Backbones start from the general weights of the folder `data`, where they are at hand.
    """
    make, batches, loss_of, _, rate = TASKS[name]
    torch.manual_seed(1)
    net = make()
    if hasattr(net, "backbone"):
        print(f"{name}: {net.backbone.start_from(data)} general weights")
    net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    done, spent = 0, 0.0
    if store.exists():
        saved = torch.load(store, weights_only=True)
        net.load_state_dict(saved["net"])
        average.load_state_dict(saved["average"])
        optimiser.load_state_dict(saved["optimiser"])
        done, spent = saved["done"], saved["spent"]
    feed = batches(paths, np.random.default_rng([done, 77]))
    started, recent = time.monotonic() - spent, []
    net.train()
    while done < steps:
        passed = max(done / steps, (time.monotonic() - started) / 60 / minutes)
        if passed >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (done + 1) / 60) * (0.02 + 0.49 * (1 + math.cos(math.pi * passed)))
        image, target = next(feed)
        with torch.autocast("cpu", torch.bfloat16, enabled=name != "refiner"):  # half the time; corners want it exact
            out = net(image.contiguous(memory_format=torch.channels_last))
        loss = loss_of(out.float(), target)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        recent.append(loss.item())
        done += 1
        if done % 50 == 0:
            spent = time.monotonic() - started
            print(f"{name} {done}/{steps} {spent:.0f} s loss {np.mean(recent[-50:]):.4f}", flush=True)
        if done % 200 == 0:
            state = {"net": net.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save({**state, "done": done, "spent": time.monotonic() - started}, store)
    result: nn.Module = average.module
    return result.eval()


def export(name: str, net: nn.Module, path: Path) -> None:
    """Write the ONNX file; batch and, for the detector, height and width stay free."""
    h, w = TASKS[name][3]
    axes = {"image": {0: "n"}, "out": {0: "n"}}
    if name == "detector":
        axes["image"] |= {2: "h", 3: "w"}
        axes["out"] |= {2: "h4", 3: "w4"}
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net, (torch.zeros(1, 3, h, w),), str(path), input_names=["image"], output_names=["out"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip
    compact(path)


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.tiles", description=__doc__)
    parser.add_argument("name", choices=sorted(TASKS))
    parser.add_argument("--scenes", type=Path, default=Path("runs/tiles"), help="folder of rendered scenes")
    parser.add_argument("--count", type=int, default=500, help="how many scenes to render")
    parser.add_argument("--painted", type=int, default=7000, help="how many to paint flat")
    parser.add_argument("--shards", type=int, default=40, help=f"times {SHARD} corners to paint by themselves")
    words = "photographs of tables (every second one is used); beside their folder is that of the general weights"
    parser.add_argument("--backgrounds", type=Path, help=words)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--smoke", action="store_true", help="a handful of scenes and steps, to see that it runs")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    count, steps = (6, 3) if options.smoke else (options.count, options.steps)
    tables = photographs(options.backgrounds)[::2] if options.backgrounds else ()
    painted = 6 if options.smoke else options.painted
    paths = render_folder(options.scenes, 0, count, tables)
    paths += render_folder(options.scenes / "painted", 0, painted, tables, painted_scene)
    if options.name == "corners":
        shards, each = (1, 60) if options.smoke else (options.shards, SHARD)
        for i in range(shards):
            keep(f"{i:03}", painted_corners(each, i, tables), options.scenes / "corners")
            print(f"\r  corners {(i + 1) * each}/{shards * each}", end="" if i + 1 < shards else "\n", flush=True)
    data = options.backgrounds.parent if options.backgrounds else None
    net = train(options.name, paths, options.scenes / f"{options.name}.pt", steps, options.minutes, data)
    path = options.out / f"tiles_{options.name}.onnx"
    export(options.name, net, path)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
