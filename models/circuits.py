"""Train the network that finds circuit cards: `python -m models.circuits train`.

It is a small dense network over a 640-pixel-wide frame. For every card it marks the centre, and there gives the two
half axes of the card. An axis has no sign (a card turned by half a turn is the same card to the finder), so it is
learnt by its double angle, which is continuous. A second map marks card corners, to which the axes' corners snap.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import cv2
import numpy as np

from datasets.art.circuits import STYLES, circuit_sprite, default_faces, random_style
from datasets.art.sprite import Sprite
from datasets.scenes import CameraModel, Look, Placed, Rendered, render_scene

SIZE = (640, 360)
STRIDE = 4
VECTOR_SCALE = 32.0
WEIGHTS = Path(__file__).parent / "weights" / "circuits_finder.onnx"
TRAIN_SEEDS, VALIDATION_SEEDS = 0, 1_000_000


def random_cells(rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    """A connected heap of grid cells."""
    cells = [(0, 0)]
    while len(cells) < count:
        x, y = cells[int(rng.integers(len(cells)))]
        dx, dy = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(rng.integers(4))]
        if (x + dx, y + dy) not in cells:
            cells.append((x + dx, y + dy))
    return cells


def distractor(rng: np.random.Generator) -> Sprite:
    """Something on the table that is no circuit card: paper, a sleeve, a phone, a coaster."""
    w, h = (int(v) for v in rng.integers(30, 260, 2))
    image = np.zeros((h, w, 4), np.uint8)
    color = tuple(int(v) for v in rng.integers(10, 250, 3))
    if rng.random() < 0.3:
        cv2.ellipse(image, (w // 2, h // 2), (w // 2 - 1, h // 2 - 1), 0, 0, 360, (*color, 255), -1)
    else:
        image[:] = (*color, 255)
    for _ in range(int(rng.integers(0, 4))):
        a, b = ((int(rng.integers(w)), int(rng.integers(h))) for _ in range(2))
        cv2.line(image, a, b, (*(int(v) for v in rng.integers(0, 255, 3)), 255), int(rng.integers(1, 9)))
    return Sprite(image, 2.0, (), "", thickness_mm=float(rng.uniform(0.2, 12)))


def table_scene(
    seed: int, backgrounds: tuple[str, ...] = (), size_px: tuple[int, int] = (960, 540), reserved: bool = False
) -> Rendered:
    """A table of circuit cards in a connected heap on a grid; `reserved` draws the styles kept for tests."""
    rng = np.random.default_rng(seed)
    placed: list[Placed] = []
    count = 0 if rng.random() < 0.12 else int(rng.integers(1, 15))
    size = (63.0, 88.0) if rng.random() < 0.6 else (63.0, float(63 / rng.uniform(0.6, 0.85)))
    known = [s for s in STYLES.values() if s.name.startswith("test-") == reserved]
    style = known[int(rng.integers(len(known)))] if rng.random() < 0.4 or reserved else random_style(rng)
    turn, gap, mess = rng.uniform(0, 360), rng.uniform(0, 3.5), rng.uniform(0, 1.2)
    cells = random_cells(rng, count) if count else []
    sprites = [circuit_sprite(face, style, 3.0, size, str(rng.choice(["green", "pink"]))) for face in default_faces()]
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    centre = np.mean(cells, axis=0) if cells else np.zeros(2)
    for x, y in cells:
        u = (x - centre[0]) * (size[0] + gap) + rng.normal(0, mess)
        v = (y - centre[1]) * (size[1] + gap) + rng.normal(0, mess)
        sprite = sprites[int(rng.integers(len(sprites)))]
        placed.append(Placed(sprite, c * u - s * v, s * u + c * v, turn + rng.normal(0, 0.8 * mess)))
    reach = max([60.0, *(max(abs(p.x), abs(p.y)) + 60 for p in placed)])
    for _ in range(int(rng.integers(0, 4)) if rng.random() < 0.6 else 0):
        angle, far = rng.uniform(0, 2 * math.pi), rng.uniform(0.7, 1.5) * reach
        placed.append(Placed(distractor(rng), far * math.cos(angle), far * math.sin(angle), rng.uniform(0, 360)))
    span = reach * float(rng.uniform(0.9, 1.9))
    camera = CameraModel.random(rng, (-span, -span * 0.6, span, span * 0.6), size_px)
    return render_scene(placed, camera, Look.random(rng, float(rng.uniform(0, 0.9)), backgrounds), rng)


def training_scene(seed: int, backgrounds: tuple[str, ...] = ()) -> tuple[np.ndarray, list[np.ndarray]]:
    """A picture (BGR, `SIZE`) and the corners (4 × 2, pixels) of every card that can be seen in it."""
    rendered = table_scene(seed, backgrounds)
    image = cv2.resize(rendered.image, SIZE, interpolation=cv2.INTER_AREA)
    scale = SIZE[0] / 960
    quads = [
        np.array(p.corners) * scale + 0.5 * (scale - 1)
        for p in rendered.pieces
        if p.kind == "circuit_card" and (p.visible or 0) > 0.4
    ]
    return image, [q for q in quads if inside(q)]


def inside(quad: np.ndarray) -> bool:
    """Whether the card's centre is in the picture."""
    x, y = quad.mean(axis=0)
    return bool(0 <= x < SIZE[0] and 0 <= y < SIZE[1])


def double_angle(v: np.ndarray) -> tuple[float, float]:
    """A vector without its sign: the angle doubled, the length kept."""
    length = math.hypot(*v)
    return ((v[0] ** 2 - v[1] ** 2) / max(length, 1e-6), 2 * v[0] * v[1] / max(length, 1e-6))


def targets(quads: list[np.ndarray]) -> np.ndarray:
    """What the network should answer: centre map, corner map, the two axes (4 maps), and where the axes count."""
    w, h = SIZE[0] // STRIDE, SIZE[1] // STRIDE
    maps = np.zeros((7, h, w), np.float32)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    for quad in quads:
        short = (quad[1] - quad[0] + quad[2] - quad[3]) / 4
        long = (quad[3] - quad[0] + quad[2] - quad[1]) / 4
        cx, cy = (quad.mean(axis=0) + 0.5) / STRIDE - 0.5
        sigma = max(1.0, 0.11 * math.hypot(*short) / STRIDE)
        bump = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma**2))
        near = bump > np.maximum(maps[0], 0.55)
        for k, value in enumerate((*double_angle(long), *double_angle(short))):
            maps[2 + k][near] = value / VECTOR_SCALE
        maps[6][near] = 1.0
        maps[0] = np.maximum(maps[0], bump)
        for x, y in (quad + 0.5) / STRIDE - 0.5:
            maps[1] = np.maximum(maps[1], np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * 0.9**2)))
    return maps


def make_cache(
    path: Path, count: int, first: int, backgrounds: tuple[str, ...]
) -> tuple[np.ndarray, list[list[np.ndarray]]]:
    """Scenes rendered once and kept in a file; a cache that is there is used again."""
    if path.exists():
        data = np.load(path, allow_pickle=True)
        return data["images"], list(data["quads"])
    images, quads = np.empty((count, SIZE[1], SIZE[0], 3), np.uint8), np.empty(count, object)
    for i in range(count):
        images[i], quads[i] = training_scene(first + i, backgrounds)
        if i % 50 == 49 or i == count - 1:
            print(f"\rscenes {i + 1}/{count}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, images=images, quads=quads)
    return images, list(quads)


def build_network():  # type: ignore[no-untyped-def]
    """The network: separable convolutions down to a sixteenth and back to a quarter of the size."""
    import torch
    from torch import nn

    def block(a: int, b: int, stride: int = 1) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(a, a, 3, stride, 1, groups=a, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True),
            nn.Conv2d(a, b, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True),
        )  # fmt: skip

    class Finder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
            self.d4 = nn.Sequential(block(16, 32, 2), block(32, 32))
            self.d8 = nn.Sequential(block(32, 64, 2), block(64, 64))
            self.d16 = nn.Sequential(block(64, 96, 2), block(96, 96), block(96, 96))
            self.d32 = nn.Sequential(block(96, 128, 2), block(128, 128), block(128, 96))
            self.u16, self.u8, self.u4 = block(96, 64), block(64, 48), block(48, 48)
            self.l16, self.l8, self.l4 = nn.Conv2d(96, 96, 1), nn.Conv2d(64, 64, 1), nn.Conv2d(32, 48, 1)
            self.head = nn.Conv2d(48, 6, 3, 1, 1)
            nn.init.constant_(self.head.bias[:2], -3.0)

        def forward(self, x):  # type: ignore[no-untyped-def]
            x = (x - 127.5) / 64.0
            up = nn.functional.interpolate
            a = self.d4(self.stem(x))
            b = self.d8(a)
            c = self.d16(b)
            d = self.d32(c)
            c = self.u16(self.l16(c) + up(d, size=c.shape[2:], mode="nearest"))
            b = self.u8(self.l8(b) + up(c, size=b.shape[2:], mode="nearest"))
            a = self.u4(self.l4(a) + up(b, size=a.shape[2:], mode="nearest"))
            y = self.head(a)
            return torch.cat([torch.sigmoid(y[:, :2]), y[:, 2:]], 1)

    return Finder()


def augment(
    image: np.ndarray, quads: list[np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Mirror, turn, zoom, tint: cheap variety on top of the rendered scenes."""
    w, h = SIZE
    angle, zoom = rng.uniform(-180, 180) if rng.random() < 0.5 else 0.0, float(np.exp(rng.uniform(-0.35, 0.3)))
    m = cv2.getRotationMatrix2D((w / 2, h / 2), angle, zoom)
    m[:, 2] += rng.uniform(-0.1, 0.1, 2) * SIZE
    if rng.random() < 0.5:
        m = np.diag([-1.0, 1.0]) @ m + np.array([[0, 0, w - 1], [0, 0, 0]])
    image = cv2.warpAffine(image, m, SIZE, borderMode=cv2.BORDER_REFLECT)
    quads = [q @ m[:, :2].T + m[:, 2] for q in quads]
    gain = np.exp(rng.normal(0, 0.08, 3)) * np.exp(rng.normal(0, 0.15))
    image = np.clip(image * gain + rng.normal(0, 6), 0, 255).astype(np.uint8)
    # A reflected border shows copies of cards without labels: paint over what lies outside the first picture.
    hole = cv2.warpAffine(np.ones((h, w), np.uint8), m, SIZE)
    image[hole == 0] = rng.integers(0, 255, 3)
    if rng.random() < 0.25:
        quads = reach_in(image, quads, rng)
    return image, [q for q in quads if inside(q)]


def reach_in(image: np.ndarray, quads: list[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """Draw an arm or a stick over the picture; the cards of which half can still be seen are given back."""
    w, h = SIZE
    tip = quads[int(rng.integers(len(quads)))].mean(axis=0) if quads else rng.uniform(0, 1, 2) * SIZE
    tip = tip + rng.normal(0, 40, 2)
    angle = rng.uniform(0, 2 * math.pi)
    away = tip + 900 * np.array([math.cos(angle), math.sin(angle)])
    mask = np.zeros((h, w), np.uint8)
    wide = int(rng.integers(8, 60))
    cv2.line(mask, tuple(int(v) for v in tip), tuple(int(v) for v in away), 255, wide)
    color = rng.uniform(20, 240) * np.exp(rng.normal(0, 0.25, 3))
    mix = cv2.GaussianBlur(mask, (0, 0), 1.0)[..., None] / 255.0
    image[:] = np.clip(image * (1 - mix) + color * mix, 0, 255).astype(np.uint8)
    kept = []
    for quad in quads:
        own = cv2.fillConvexPoly(np.zeros((h, w), np.uint8), np.round(quad).astype(np.int32), 1)
        if own.sum() and mask[own > 0].mean() < 0.5 * 255:
            kept.append(quad)
    return kept


def train(arguments: argparse.Namespace) -> None:
    """Train, keeping the best weights by the error on held-out scenes, and export them."""
    import torch

    torch.manual_seed(0)
    backgrounds = (
        tuple(sorted(str(p) for p in Path(arguments.backgrounds).glob("*.jpg"))) if arguments.backgrounds else ()
    )
    folder = Path(arguments.work)
    images, quads = make_cache(folder / f"train{arguments.scenes}.npz", arguments.scenes, TRAIN_SEEDS, backgrounds[::2])
    held, held_quads = make_cache(
        folder / f"held{arguments.held}.npz", arguments.held, VALIDATION_SEEDS, backgrounds[::2]
    )
    network = build_network()
    checkpoint = folder / "circuits.pt"
    start = 0
    if checkpoint.exists() and arguments.resume:
        saved = torch.load(checkpoint)
        network.load_state_dict(saved["network"])
        start = saved["epoch"]
    elif arguments.init:
        network.load_state_dict(torch.load(arguments.init)["network"])
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-4)
    steps = math.ceil(len(images) / arguments.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, 4e-3, total_steps=max(1, (arguments.epochs - start) * steps)
    )

    def loss_of(batch: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        out = network(batch)
        p, t = out[:, :2].clamp(1e-4, 1 - 1e-4), wanted[:, :2]
        # The marks are soft, their peak lies between the pixels: every pixel is asked for its own height, and those
        # that are already right (nearly all of the empty table) hardly count.
        heat = -((p - t).abs() ** 2) * (t * p.log() + (1 - t) * (1 - p).log())
        heat = (heat.sum(dim=(2, 3)) / t.sum(dim=(2, 3)).clamp(min=12)).sum(dim=1).mean()
        axes = ((out[:, 2:] - wanted[:, 2:6]).abs() * wanted[:, 6:7]).sum() / wanted[:, 6].sum().clamp(min=1)
        return 4.0 * heat + axes

    best = math.inf
    rng = np.random.default_rng(5)
    held_wanted = torch.from_numpy(np.stack([targets(q) for q in held_quads]))
    for epoch in range(start, arguments.epochs):
        network.train()
        order, total = rng.permutation(len(images)), 0.0
        for step in range(steps):
            chosen = order[step * arguments.batch : (step + 1) * arguments.batch]
            made = [augment(images[i], quads[i], rng) for i in chosen]
            batch = torch.from_numpy(np.stack([m[0] for m in made]).transpose(0, 3, 1, 2).astype(np.float32))
            wanted = torch.from_numpy(np.stack([targets(m[1]) for m in made]))
            loss = loss_of(batch, wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss)
            if step % 20 and step < steps - 1:
                continue
            print(
                f"\repoch {epoch + 1}/{arguments.epochs} step {step + 1}/{steps} {total / (step + 1):.3f}",
                end="",
                flush=True,
            )
        network.eval()
        with torch.no_grad():
            parts = [
                float(
                    loss_of(
                        torch.from_numpy(held[i : i + 8].transpose(0, 3, 1, 2).astype(np.float32)),
                        held_wanted[i : i + 8],
                    )
                )
                for i in range(0, len(held), 8)
            ]
        error = float(np.mean(parts))
        print(f"  held out {error:.4f}", flush=True)
        torch.save({"network": network.state_dict(), "epoch": epoch + 1}, checkpoint)
        if error < best:
            best = error
            export(network, Path(arguments.out))


def export(network, path: Path) -> None:  # type: ignore[no-untyped-def]
    """Write the network as ONNX (input: float BGR frame, NCHW, any size that 32 divides after padding)."""
    import torch

    network.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        network, (torch.zeros(1, 3, SIZE[1], SIZE[0]),), str(path), input_names=["image"], output_names=["maps"],
        dynamic_axes={"image": {2: "h", 3: "w"}, "maps": {2: "h4", 3: "w4"}}, opset_version=17, dynamo=False,
    )  # fmt: skip


def main() -> None:
    """The command line of this training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=1600)
    parser.add_argument("--held", type=int, default=120)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--backgrounds", help="a folder of table photographs that join the drawn ones")
    parser.add_argument("--work", default="runs/circuits")
    parser.add_argument("--out", default=str(WEIGHTS))
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--init", help="a checkpoint whose weights are the beginning")
    parser.add_argument("--smoke", action="store_true", help="a run of seconds that shows that everything works")
    parser.add_argument("--cache-only", action="store_true", help="only render the scenes")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.scenes, arguments.held, arguments.epochs, arguments.batch = 4, 2, 1, 2
    if arguments.cache_only:
        backgrounds = (
            tuple(sorted(str(p) for p in Path(arguments.backgrounds).glob("*.jpg"))) if arguments.backgrounds else ()
        )
        folder = Path(arguments.work)
        make_cache(folder / f"train{arguments.scenes}.npz", arguments.scenes, TRAIN_SEEDS, backgrounds[::2])
        make_cache(folder / f"held{arguments.held}.npz", arguments.held, VALIDATION_SEEDS, backgrounds[::2])
        return
    train(arguments)


if __name__ == "__main__":
    main()
