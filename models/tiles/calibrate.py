"""How far the tile reader's confidence can be trusted: `python -m models.tiles.calibrate --scenes DIR`.

The reader is shown held-out scenes in reserved styles; a logistic curve from its own probability to "was right" is
fitted and written to `models/weights/tiles_calibration.json`, which `vision.tiles.read` applies.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from datasets.scene.textures import photographs
from models.tiles.scenes import VALIDATION, TileScene, render_folder
from vision.onnx import WEIGHTS
from vision.state import Piece
from vision.tiles import read
from vision.tiles.geometry import side

IDENTITY = {"temperature": 1.0, "slope": 1.0, "shift": 0.0, "least": 0.0}
CLEAR = 0.9  # of a tile and of each value must be seen for a wrong reading to count as the reader's fault


def judged(scene: TileScene, pieces: list[Piece]) -> list[tuple[float, bool]]:
    """For every reported tile its confidence and whether it was right; hidden tiles are not judged."""
    found = []
    for piece in pieces:
        corners = np.array(piece.corners)
        verdict: bool | None = False
        for true, values, seen, visible in zip(scene.corners, scene.values, scene.seen, scene.visible, strict=True):
            if np.linalg.norm(corners.mean(0) - true.mean(0)) > 0.3 * side(true):
                continue
            turn = min(range(3), key=lambda k: float(np.abs(np.roll(true, -k, axis=0) - corners).sum()))
            verdict = piece.label == "-".join(str(v) for v in np.roll(values, -turn))
            if not verdict and (visible < CLEAR or seen.min() < CLEAR):
                verdict = None
        if verdict is not None:
            found.append((piece.confidence, verdict))
    return found


def fit(chances: np.ndarray, right: np.ndarray, rounds: int = 50) -> tuple[float, float]:
    """Slope and shift of the logistic curve from log odds to truth (Newton's method, lightly held to slope 1)."""
    x = np.log(np.clip(chances, 1e-6, 1 - 1e-6) / np.clip(1 - chances, 1e-6, 1))
    design = np.column_stack([x, np.ones_like(x)])
    weights = np.array([1.0, 0.0])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (p - right) + (weights - (1.0, 0.0))
        curve = (design * (p * (1 - p))[:, None]).T @ design + np.eye(2)
        weights = weights - np.linalg.solve(curve, gradient)
    return float(weights[0]), float(weights[1])


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.tiles.calibrate", description=__doc__)
    parser.add_argument("--scenes", type=Path, default=Path("runs/tiles-validation"))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--backgrounds", type=Path, help="photographs of tables; every second one is used")
    parser.add_argument("--least", type=float, default=0.15, help="tiles less sure than this are not reported")
    options = parser.parse_args(arguments)
    tables = photographs(options.backgrounds)[::2] if options.backgrounds else ()
    paths = render_folder(options.scenes, VALIDATION, options.count, tables)
    read.calibration.cache_clear()
    read.calibration = lambda: IDENTITY  # type: ignore[assignment]
    verdicts: list[tuple[float, bool]] = []
    for path in paths:
        scene = TileScene.load(path)
        verdicts += judged(scene, read.read_tiles(scene.image))
    chances, right = np.array([c for c, _ in verdicts]), np.array([float(v) for _, v in verdicts])
    slope, shift = fit(chances, right)
    facts = {"temperature": 1.0, "slope": round(slope, 4), "shift": round(shift, 4), "least": options.least}
    (WEIGHTS / "tiles_calibration.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    odds = np.log(np.clip(chances, 1e-6, 1 - 1e-6) / np.clip(1 - chances, 1e-6, 1))
    sure = 1 / (1 + np.exp(-(slope * odds + shift))) >= 0.9
    wrong = int((right[sure] < 0.5).sum())
    print(f"{len(right)} tiles, {right.mean():.1%} right; sure of {int(sure.sum())}, of which {wrong} wrong; {facts}")


if __name__ == "__main__":
    main()
