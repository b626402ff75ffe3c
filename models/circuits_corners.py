"""Train the network that gives a circuit card's exact corners: `python -m models.circuits_corners`.

It sees one card at a time, straightened by roughly known corners and with a margin around it, and answers how far each
corner is off. Frames, gaps and touching neighbours all have edges beside the true one; whole cards in many styles
teach it which edge is the card's.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import cv2
import numpy as np

from models.circuits import TRAIN_SEEDS, VALIDATION_SEEDS, table_scene
from vision.circuits.corners import CROP, MARGIN, OFFSET_SCALE, crop_card, crop_matrix

WEIGHTS = Path(__file__).parent / "weights" / "circuits_corners.onnx"
FIRST = 50_000  # these scenes are other ones than the finder's


def window(image: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The card with a wide surround, small enough to keep thousands in memory, and its corners there."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    pad = 0.3 * (high - low).max()
    x0, y0 = np.maximum(0, np.floor(low - pad)).astype(int)
    x1, y1 = np.minimum([image.shape[1], image.shape[0]], np.ceil(high + pad)).astype(int)
    if x1 - x0 < 16 or y1 - y0 < 16:
        return None
    return image[y0:y1, x0:x1].copy(), corners - [x0, y0]


def collect(count: int, first: int, backgrounds: tuple[str, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Every card that is nearly whole in `count` scenes."""
    found = []
    for i in range(count):
        rendered = table_scene(first + i, backgrounds, (1280, 720))
        h, w = rendered.image.shape[:2]
        for piece in rendered.pieces:
            corners = np.array(piece.corners)
            if piece.kind != "circuit_card" or (piece.visible or 0) < 0.75:
                continue
            if (corners < 0).any() or (corners >= [w, h]).any():
                continue
            made = window(rendered.image, corners)
            if made is not None:
                found.append(made)
        if i % 20 == 19 or i == count - 1:
            print(f"\rscenes {i + 1}/{count}, cards {len(found)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def sample(
    card: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, jitter: float = 0.03
) -> tuple[np.ndarray, np.ndarray]:
    """A crop by corners that are wrong by a few per cent, and what has to be added to put them right."""
    image, corners = card
    size = math.sqrt(max(1.0, cv2.contourArea(corners.astype(np.float32))))
    spread = jitter * float(rng.uniform(0.15, 1.0)) * size
    guess = corners + rng.normal(0, spread, (4, 2)) + rng.normal(0, 0.5 * spread, 2)
    if rng.random() < 0.5:
        guess, corners = np.roll(guess, 2, axis=0), np.roll(corners, 2, axis=0)
    crop = crop_card(image, guess)
    true = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), crop_matrix(guess)).reshape(4, 2)
    wanted = (true - crop_corners()) / OFFSET_SCALE
    gain = np.exp(rng.normal(0, 0.1, 3)) * np.exp(rng.normal(0, 0.2))
    values = np.clip(crop * gain + rng.normal(0, 5), 0, 255)
    if rng.random() < 0.5:  # a mirrored card is still a card
        values = values[:, ::-1]
        wanted = wanted[[1, 0, 3, 2]] * [-1.0, 1.0]
    return values.transpose(2, 0, 1).astype(np.float32), wanted.reshape(-1).astype(np.float32)


def crop_corners() -> np.ndarray:
    """Where the given corners come to lie in a crop."""
    w, h = CROP
    mx, my = MARGIN * w, MARGIN * h
    return np.array([[mx, my], [w - mx, my], [w - mx, h - my], [mx, h - my]]) - 0.5


def build_network():  # type: ignore[no-untyped-def]
    """Five convolutions that halve the size, then the eight numbers."""
    import torch
    from torch import nn

    def down(a: int, b: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))

    def flat(a: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(a, a, 3, 1, 1, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True))

    class Corners(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(
                down(3, 16), flat(16), down(16, 32), flat(32), down(32, 48), flat(48), down(48, 64)
            )
            self.squeeze = nn.Sequential(nn.Conv2d(64, 24, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
            cells = (CROP[0] // 16) * (CROP[1] // 16)
            self.head = nn.Sequential(nn.Linear(24 * cells, 128), nn.ReLU(inplace=True), nn.Linear(128, 8))

        def forward(self, x):  # type: ignore[no-untyped-def]
            # Light and paper differ from card to card: each crop is judged against its own mean and spread.
            mean = x.mean(dim=(2, 3), keepdim=True)
            spread = torch.sqrt(((x - mean) ** 2).mean(dim=(1, 2, 3), keepdim=True) + 25.0)
            return self.head(self.squeeze(self.body((x - mean) / spread)).flatten(1))

    return Corners()


def main() -> None:
    """The command line of this training."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=600)
    parser.add_argument("--held", type=int, default=40)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--backgrounds", help="a folder of table photographs that join the drawn ones")
    parser.add_argument("--work", default="runs/circuits")
    parser.add_argument("--out", default=str(WEIGHTS))
    parser.add_argument("--smoke", action="store_true", help="a run of seconds that shows that everything works")
    parser.add_argument("--cache-only", action="store_true", help="only render the scenes")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.scenes, arguments.held, arguments.epochs, arguments.batch = 4, 3, 1, 4
    papers = (
        tuple(sorted(str(p) for p in Path(arguments.backgrounds).glob("*.jpg")))[::2] if arguments.backgrounds else ()
    )
    cards = kept(Path(arguments.work) / f"cards{arguments.scenes}.npy", arguments.scenes, TRAIN_SEEDS + FIRST, papers)
    held = kept(
        Path(arguments.work) / f"cards-held{arguments.held}.npy", arguments.held, VALIDATION_SEEDS + FIRST, papers
    )
    if not arguments.cache_only:
        train(cards, held, arguments)


def kept(path: Path, count: int, first: int, backgrounds: tuple[str, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The cards of a cache file, made if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pairs = collect(count, first, backgrounds)
        box = np.empty(len(pairs), object)
        for i, pair in enumerate(pairs):
            box[i] = pair
        np.save(path, box, allow_pickle=True)
    return list(np.load(path, allow_pickle=True))


def train(
    cards: list[tuple[np.ndarray, np.ndarray]], held: list[tuple[np.ndarray, np.ndarray]], arguments: argparse.Namespace
) -> None:
    """Train on samples made afresh in every epoch; the weights with the least held-out error are exported."""
    import torch

    torch.manual_seed(0)
    network = build_network()
    rng = np.random.default_rng(7)
    steps = max(1, len(cards) // arguments.batch)
    optimiser = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=arguments.epochs * steps)
    fixed = np.random.default_rng(1)
    tests = [sample(card, fixed) for card in held for _ in range(2)]
    test_x = torch.from_numpy(np.stack([t[0] for t in tests]))
    test_y = torch.from_numpy(np.stack([t[1] for t in tests]))
    best = math.inf
    for epoch in range(arguments.epochs):
        network.train()
        order = rng.permutation(len(cards))
        for step in range(steps):
            made = [sample(cards[i], rng) for i in order[step * arguments.batch : (step + 1) * arguments.batch]]
            x = torch.from_numpy(np.stack([m[0] for m in made]))
            y = torch.from_numpy(np.stack([m[1] for m in made]))
            loss = (network(x) - y).abs().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        network.eval()
        with torch.no_grad():
            rest = torch.cat([network(test_x[i : i + 64]) for i in range(0, len(test_x), 64)]) - test_y
        # In per cent of the card's size, as the evaluation counts it.
        unit = math.sqrt((CROP[0] * (1 - 2 * MARGIN)) * (CROP[1] * (1 - 2 * MARGIN)))
        error = float(rest.reshape(-1, 4, 2).norm(dim=2).mean()) * OFFSET_SCALE / unit * 100
        print(f"epoch {epoch + 1}/{arguments.epochs}  held-out corner error {error:.3f} % of the size", flush=True)
        if error < best:
            best = error
            export(network, Path(arguments.out))


def export(network, path: Path) -> None:  # type: ignore[no-untyped-def]
    """Write the network as ONNX, any number of crops at once."""
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        network, (torch.zeros(1, 3, CROP[1], CROP[0]),), str(path), input_names=["crops"], output_names=["offsets"],
        dynamic_axes={"crops": {0: "n"}, "offsets": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip


if __name__ == "__main__":
    main()
