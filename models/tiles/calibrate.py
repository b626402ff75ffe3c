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
from models.tiles.painted import painted_scene
from models.tiles.scenes import VALIDATION, TileScene, render_folder
from vision.onnx import WEIGHTS
from vision.state import Piece
from vision.tiles import read
from vision.tiles.detect import corner_gap, find_tiles
from vision.tiles.geometry import Pyramid, side

ASTRAY = 0.25  # sides: a place whose worst corner is farther off is no tile
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


def candidates(scene: TileScene) -> list[tuple[np.ndarray, bool]]:
    """For every place that the networks propose the evidence, and whether a tile lies there; what is half hidden or
    only half right is left out.
    """
    pyramid = Pyramid(scene.image)
    found = find_tiles(scene.image, pyramid)
    result = []
    for place, corners in zip(found, read.corner_probabilities(found, pyramid), strict=True):
        gaps = np.array([corner_gap(place.corners, true) for true in scene.corners])
        gap = float(gaps.min()) if len(gaps) else 1.0
        if gap > ASTRAY or (gap < ASTRAY / 2 and scene.visible[int(gaps.argmin())] > CLEAR):
            result.append((read.evidence(place, corners), gap < ASTRAY))
    return result


def fit(design: np.ndarray, right: np.ndarray, start: np.ndarray, rounds: int = 60) -> np.ndarray:
    """Weights of a logistic regression (Newton's method), lightly held to where they start."""
    weights = start.astype(float)
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (p - right) + (weights - start)
        curve = (design * (p * (1 - p))[:, None]).T @ design + np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, gradient)
    return np.asarray(weights)


def _odds(chances: np.ndarray) -> np.ndarray:
    clipped = np.clip(chances, 1e-6, 1 - 1e-6)
    return np.column_stack([np.log(clipped / (1 - clipped)), np.ones(len(clipped))])


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.tiles.calibrate", description=__doc__)
    parser.add_argument("--scenes", type=Path, default=Path("runs/tiles-validation"))
    parser.add_argument("--count", type=int, default=80, help="how many scenes to render")
    parser.add_argument("--painted", type=int, default=250, help="how many to paint flat")
    parser.add_argument("--backgrounds", type=Path, help="photographs of tables; every second one is used")
    parser.add_argument("--least", type=float, default=0.1, help="tiles less sure than this are not reported")
    options = parser.parse_args(arguments)
    tables = photographs(options.backgrounds)[::2] if options.backgrounds else ()
    paths = render_folder(options.scenes, VALIDATION, options.count, tables)
    paths += render_folder(options.scenes / "painted", VALIDATION, options.painted, tables, painted_scene)
    scenes = [TileScene.load(path) for path in paths]
    places = [place for scene in scenes for place in candidates(scene)]
    start = np.array(read.Calibration().presence)
    presence = fit(np.stack([e for e, _ in places]), np.array([float(v) for _, v in places]), start)
    neutral = read.Calibration(tuple(float(w) for w in presence), least=0.0)
    read.calibration = lambda: neutral  # type: ignore[assignment]
    verdicts = [verdict for scene in scenes for verdict in judged(scene, read.read_tiles(scene.image))]
    chances, right = np.array([c for c, _ in verdicts]), np.array([float(v) for _, v in verdicts])
    slope, shift = fit(_odds(chances), right, np.array([1.0, 0.0]))
    facts = {
        "presence": [round(float(w), 4) for w in presence],
        "slope": round(float(slope), 4),
        "shift": round(float(shift), 4),
        "least": options.least,
    }
    (WEIGHTS / "tiles_calibration.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    sure = 1 / (1 + np.exp(-_odds(chances) @ (slope, shift))) >= 0.9
    wrong = int((right[sure] < 0.5).sum())
    print(f"{len(places)} places, {sum(v for _, v in places)} with a tile")
    print(f"{len(right)} read, {right.mean():.1%} right; sure of {int(sure.sum())}, of which {wrong} wrong; {facts}")


if __name__ == "__main__":
    main()
