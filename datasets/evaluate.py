"""The evaluation harness: a labelled folder and a reader give figures that can be believed.

    tapete evaluate DIR [--json] [--worst N --out DIR] [--split validate --places CSV]

Per kind: located, read right (recall), precision, exact scenes with Wilson intervals, corner error; the confusions,
the calibration of confidence and the time per stage. A reader is any callable `read(image, game)` that gives pieces,
or something with `pieces` and `timing` (milliseconds per stage) such as a `TableState`.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from datasets import figures
from datasets.labels import SOME_CARD, LabelError, SceneLabels, walk
from datasets.matching import Matching, corner_error, loom_hits, match, tile_oriented
from vision.state import KINDS, Piece

Reader = Callable[[np.ndarray, str], Any]
SURE = 0.9
BINS = 10


@dataclass(slots=True)
class KindFigures:
    """Counts of one kind of piece."""

    truths: int = 0
    located: int = 0
    right: int = 0
    read: int = 0
    read_right: int = 0
    scenes: int = 0
    scenes_exact: int = 0
    corner_errors: list[float] = field(default_factory=list)
    oriented: int = 0
    cords: int = 0
    cords_right: int = 0
    cords_read: int = 0
    crossings: int = 0
    crossings_right: int = 0

    def to_json(self, kind: str) -> dict[str, Any]:
        """Counts and rates."""
        out: dict[str, Any] = {
            "pieces": self.truths,
            "located": rate(self.located, self.truths),
            "recall": rate(self.right, self.truths),
            "precision": rate(self.read_right, self.read),
            "exact_scenes": rate(self.scenes_exact, self.scenes),
            "corner_error_percent": 100 * float(np.mean(self.corner_errors)) if self.corner_errors else None,
        }
        if kind == "tile":
            out["right_corners"] = rate(self.oriented, self.right)
        if kind == "loom":
            out["cords"] = rate(self.cords_right, self.cords)
            out["cords_precision"] = rate(self.cords_right, self.cords_read)
            out["crossings"] = rate(self.crossings_right, self.crossings)
        return out


@dataclass(slots=True)
class SceneResult:
    """One scene: what was asked, what was read and how they pair up."""

    image: Path
    labels: SceneLabels
    matching: Matching


@dataclass(slots=True)
class Evaluation:
    """All that was measured; `to_json` gives the figures."""

    kinds: dict[str, KindFigures] = field(default_factory=lambda: defaultdict(KindFigures))
    scenes: list[SceneResult] = field(default_factory=list)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)
    sureness: list[tuple[float, bool]] = field(default_factory=list)
    timing: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, image: Path, labels: SceneLabels, readings: Sequence[Piece]) -> Matching:
        """Count one scene."""
        result = match(labels.pieces, readings)
        self.scenes.append(SceneResult(image, labels, result))
        wrong_kinds: set[str] = set()
        for pair in result.pairs:
            truth, seen = self.kinds[pair.truth.kind], self.kinds[pair.read.kind]
            truth.truths += 1
            truth.located += 1
            truth.right += pair.right
            seen.read += 1
            seen.read_right += pair.right
            error = corner_error(pair.truth, pair.read)
            if error is not None:
                truth.corner_errors.append(error)
            if pair.truth.kind == "tile" and pair.right:
                truth.oriented += tile_oriented(pair.truth, pair.read)
            if pair.truth.kind == "loom":
                self._add_loom(truth, loom_hits(pair.truth.facts, pair.read.facts))
            if not pair.right:
                self.confusions[name_of(pair.truth), name_of(pair.read)] += 1
                wrong_kinds |= {pair.truth.kind, pair.read.kind}
            if pair.truth.label != SOME_CARD:  # nobody knows whether that reading was right
                self.sureness.append((pair.read.confidence, pair.right))
        for missed in result.missed:
            figures_of = self.kinds[missed.kind]
            figures_of.truths += 1
            if missed.kind == "loom":
                figures_of.cords += len(missed.facts["cords"])
                figures_of.crossings += len(missed.facts["crossings"])
            self.confusions[name_of(missed), "nothing"] += 1
            wrong_kinds.add(missed.kind)
        for false in result.false:
            self.kinds[false.kind].read += 1
            self.confusions["nothing", name_of(false)] += 1
            self.sureness.append((false.confidence, False))
            wrong_kinds.add(false.kind)
        for kind in {p.kind for p in labels.pieces if not p.uncertain} | wrong_kinds:
            self.kinds[kind].scenes += 1
            self.kinds[kind].scenes_exact += kind not in wrong_kinds
        return result

    @staticmethod
    def _add_loom(total: KindFigures, hits: Any) -> None:
        total.cords += hits.cords
        total.cords_right += hits.cords_right
        total.cords_read += hits.cords_read
        total.crossings += hits.crossings
        total.crossings_right += hits.crossings_right

    def to_json(self) -> dict[str, Any]:
        """Every figure as plain JSON."""
        exact = sum(scene.matching.exact for scene in self.scenes)
        sure = [right for confidence, right in self.sureness if confidence >= SURE]
        return {
            "scenes": len(self.scenes),
            "exact_scenes": rate(exact, len(self.scenes)),
            "kinds": {kind: self.kinds[kind].to_json(kind) for kind in KINDS if kind in self.kinds},
            "confusions": [
                {"truth": truth, "read": read, "count": count}
                for (truth, read), count in sorted(self.confusions.items(), key=lambda item: (-item[1], item[0]))
            ],
            "calibration": {"bins": reliability(self.sureness), "error": calibration_error(self.sureness)},
            "wrong_when_sure": rate(sure.count(False), len(sure)),
            "timing_ms": {
                stage: {"p50": float(np.percentile(ms, 50)), "p95": float(np.percentile(ms, 95))}
                for stage, ms in self.timing.items()
            },
        }

    def worst(self, count: int) -> list[SceneResult]:
        """The scenes with the most errors, worst first; those without any are left out."""
        wrong = [scene for scene in self.scenes if not scene.matching.exact]
        return sorted(wrong, key=lambda scene: (-scene.matching.errors, str(scene.image)))[:count]


def name_of(piece: Any) -> str:
    """A piece in a table of confusions."""
    if piece.kind == "back":
        return "back"
    if piece.kind == "loom":
        return "loom"
    if piece.kind == "circuit_card":
        lines = sorted(f"{li['color'][:1]}{''.join(map(str, li['ports']))}" for li in piece.facts.get("lines", ()))
        return "".join(lines) or "circuit_card"
    return str(piece.label)


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson interval of a rate (95 % by default); all of [0, 1] where nothing was counted."""
    if of == 0:
        return 0.0, 1.0
    p, zz = hits / of, z * z
    middle = (p + zz / (2 * of)) / (1 + zz / of)
    half = z * math.sqrt(p * (1 - p) / of + zz / (4 * of * of)) / (1 + zz / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def rate(hits: int, of: int) -> dict[str, Any]:
    """A rate with its counts and its interval; `rate` is None where nothing was counted."""
    low, high = wilson(hits, of)
    return {"hits": hits, "of": of, "rate": hits / of if of else None, "low": low, "high": high}


def reliability(sureness: Sequence[tuple[float, bool]]) -> list[dict[str, Any]]:
    """Per tenth of confidence: how many readings, how sure they were on average, how often they were right."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for confidence, right in sureness:
        bins[min(BINS - 1, max(0, int(confidence * BINS)))].append((confidence, right))
    return [
        {
            "from": i / BINS,
            "to": (i + 1) / BINS,
            "count": len(part),
            "confidence": sum(c for c, _ in part) / len(part) if part else None,
            "right": sum(r for _, r in part) / len(part) if part else None,
        }
        for i, part in enumerate(bins)
    ]


def calibration_error(sureness: Sequence[tuple[float, bool]]) -> float | None:
    """The expected calibration error: how far confidence is from truth, weighted by how often."""
    if not sureness:
        return None
    bins = [b for b in reliability(sureness) if b["count"]]
    return float(sum(b["count"] * abs(b["confidence"] - b["right"]) for b in bins) / len(sureness))


def evaluate(
    scenes: Iterable[tuple[Path, SceneLabels]], read: Reader, progress: Callable[[int], None] | None = None
) -> Evaluation:
    """Read every image and compare; an image that cannot be decoded is an error, not a blank."""
    result = Evaluation()
    for number, (path, labels) in enumerate(scenes, start=1):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise LabelError(f"{path}: no picture can be read from it")
        start = time.perf_counter()
        answer = read(image, labels.game)
        result.timing["total"].append(1000 * (time.perf_counter() - start))
        for stage, ms in dict(getattr(answer, "timing", {})).items():
            if stage != "total":
                result.timing[stage].append(ms)
        result.add(path, labels, tuple(answer.pieces if hasattr(answer, "pieces") else answer))
        if progress:
            progress(number)
    return result


# -- command line ---------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tapete evaluate`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="labelled images: one JSON beside each, also deeper")
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="draw the N worst scenes into --out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where overlays and the reliability figure go")
    parser.add_argument("--split", metavar="NAME", help="only the images of this split (train, validate) by --places")
    parser.add_argument(
        "--places", type=Path, metavar="CSV", help="which image is of which split: folder,image,…,split"
    )
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="only the first N scenes")


def run(arguments: argparse.Namespace, reader_factory: Callable[[], Reader]) -> int:
    """`tapete evaluate`: 0 when it measured, 1 when the folder or a label is wrong, 2 for wrong arguments."""
    if arguments.worst and not arguments.out:
        print("--worst needs --out DIR to draw into", file=sys.stderr)
        return 2
    if (arguments.split is None) != (arguments.places is None):
        print(
            "--split and --places belong together: which split, and the table that says what is in it", file=sys.stderr
        )
        return 2
    try:
        if not arguments.folder.is_dir():
            raise LabelError(f"{arguments.folder} is not a folder")
        scenes = list(walk(arguments.folder))
        if not scenes:
            raise LabelError(f"no labelled images in {arguments.folder}")
        if arguments.split is not None:
            scenes = in_split(scenes, arguments.places, arguments.split)
        scenes = scenes[: arguments.limit] if arguments.limit else scenes
        bar = figures.progress_bar(len(scenes), "evaluate")
        result = evaluate(scenes, reader_factory(), bar)
        report = result.to_json()
        if arguments.out:
            write_figures(result, arguments.out, arguments.worst)
    except (LabelError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(report, ensure_ascii=False) if arguments.json else in_words(report))
    return 0


def in_split(scenes: Sequence[tuple[Path, SceneLabels]], places: Path, split: str) -> list[tuple[Path, SceneLabels]]:
    """The scenes that the table `places` puts into a split; an image that it does not name is in none."""
    with places.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        lacking = {"folder", "image", "split"} - set(table.fieldnames or ())
        if lacking:
            raise LabelError(f"{places}: the table has no column {', '.join(sorted(lacking))}")
        named = {(row["folder"], row["image"]): row["split"] for row in table}
    if split not in named.values():
        raise LabelError(
            f"{places}: no image is of split {split!r}; there are {', '.join(sorted(set(named.values())))}"
        )
    chosen = [(path, labels) for path, labels in scenes if named.get((path.parent.name, path.name)) == split]
    if not chosen:
        raise LabelError(f"{places}: none of the {len(scenes)} images is of split {split!r}")
    return chosen


def write_figures(result: Evaluation, out: Path, worst: int) -> None:
    """The reliability figure, and overlays of the worst scenes for a person to look at."""
    out.mkdir(parents=True, exist_ok=True)
    figure = figures.reliability_figure(reliability(result.sureness), calibration_error(result.sureness))
    cv2.imwrite(str(out / "reliability.png"), figure)
    for place, scene in enumerate(result.worst(worst), start=1):
        image = cv2.imread(str(scene.image), cv2.IMREAD_COLOR)
        if image is not None:
            name = f"worst_{place:02d}_{scene.image.stem}.jpg"
            cv2.imwrite(str(out / name), figures.overlay(image, scene.labels, scene.matching, name_of))


def in_words(report: dict[str, Any]) -> str:
    """The figures for a person."""

    def percent(r: dict[str, Any]) -> str:
        if r["rate"] is None:
            return "–"
        return f"{100 * r['rate']:5.1f} % [{100 * r['low']:.1f}–{100 * r['high']:.1f}] ({r['hits']}/{r['of']})"

    lines = [f"{report['scenes']} scenes, exactly right: {percent(report['exact_scenes'])}"]
    for kind, f in report["kinds"].items():
        lines.append(f"{kind}: {f['pieces']} pieces")
        lines += [f"  {name:<16}{percent(value)}" for name, value in f.items() if isinstance(value, dict)]
        if f["corner_error_percent"] is not None:
            lines.append(f"  corner_error    {f['corner_error_percent']:5.2f} % of the size")
    lines.append(f"wrong with confidence ≥ {SURE}: {percent(report['wrong_when_sure'])}")
    if report["calibration"]["error"] is not None:
        lines.append(f"calibration error: {report['calibration']['error']:.3f}")
    if report["confusions"]:
        lines.append(
            "most confused: " + ", ".join(f"{c['truth']}→{c['read']} ×{c['count']}" for c in report["confusions"][:10])
        )
    for stage, ms in report["timing_ms"].items():
        lines.append(f"time {stage}: p50 {ms['p50']:.1f} ms, p95 {ms['p95']:.1f} ms")
    return "\n".join(lines)
