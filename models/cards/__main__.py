"""Train the card networks: `python -m models.cards detector|corners|fine|faces|gallery|calibrate|all --data DIR`.

Each is trained apart and in this order (the face network learns from photographs that the others have made flat). A
run shows its progress, keeps a checkpoint every hundred steps and continues from it; `--minutes` ends each network's
training by the clock. Weights go to `models/weights` as compact ONNX.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

STAGES = ("detector", "corners", "fine", "faces", "gallery", "calibrate")
STEPS = {"detector": 1100, "corners": 9000, "fine": 7000, "faces": 16000}
WEIGHTS = Path(__file__).resolve().parent.parent / "weights"


def run(stage: str, arguments: argparse.Namespace) -> None:
    """One stage: train, export, compact."""
    from models.cards import calibrate, drawn, train_corners, train_detector, train_reader
    from models.compact import compact
    from vision.cards.faces import FaceReader
    from vision.cards.geometry import FINE, PATCH, SQUARE
    from vision.onnx import Network

    data, cache, out = arguments.data, arguments.cache, arguments.out
    if stage == "gallery":
        gallery = drawn.drawn_gallery(cache, FaceReader(Network(out / "cards-faces.onnx")))
        gallery.save(out / "cards-drawn.npz")
        print(f"{len(gallery.labels)} looks at drawn cards")
        return
    if stage == "calibrate":
        calibrate.calibrate(data, cache, photos=arguments.photos)
        return
    budget = {"steps": arguments.steps or STEPS[stage], "minutes": arguments.minutes, "size": arguments.batch}
    path = out / f"cards-{stage}.onnx"
    if arguments.onward is not None and stage != "detector":
        budget["onward"] = WEIGHTS / path.name if arguments.onward == Path() else arguments.onward
    if stage == "detector":
        model = train_detector.train(data, cache, count=arguments.scenes, side=arguments.side, **budget)
        train_detector.export(model, path)
    elif stage == "corners":
        model = train_corners.train_square(data, cache, count=arguments.scenes, **budget)
        train_corners.export(model, path, (5, SQUARE, SQUARE), ("output", "faces"))
        train_corners.keep_only(path, "output")  # the face was asked for to teach the network, and is read elsewhere
    elif stage == "fine":
        model = train_corners.train_fine(data, cache, count=arguments.scenes, **budget)
        train_corners.export(model, path, (4, FINE[1], FINE[0]))
    else:
        more: dict[str, Any] = {"leave_out": tuple(arguments.leave_out.split(",")) if arguments.leave_out else ()}
        more |= {"everything": arguments.everything, "teacher": arguments.teacher}
        model = train_reader.train(data, cache, count=arguments.flats, **more, **budget)
        train_corners.export(model, path, (4, PATCH[1], PATCH[0]), ("embedding", "logits", "flip"))
    before, after = compact(path)
    print(f"{path} written, {before / 1e6:.1f} → {after / 1e6:.1f} MB")


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=(*STAGES, "all"))
    parser.add_argument("--data", type=Path, required=True, help="folder with decks, photos, backgrounds, weights")
    parser.add_argument("--cache", type=Path, default=Path("build/cards"), help="scenes and checkpoints")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--minutes", type=float, default=None, help="per network")
    parser.add_argument("--scenes", type=int, default=3000)
    parser.add_argument("--flats", type=int, default=40000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--side", type=int, default=448, help="pixels of the detector's training pictures")
    parser.add_argument(
        "--onward",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="FILE",
        help="start from this network or checkpoint, or from the weights that ship, not from general ones",
    )
    parser.add_argument("--leave-out", default="", metavar="DECK,DECK", help="faces: learn nothing from these decks")
    parser.add_argument("--teacher", type=Path, metavar="FILE", help="faces: learn from photographs that FILE can read")
    parser.add_argument("--everything", action="store_true", help="faces: learn from the validation photographs too")
    parser.add_argument("--photos", action="store_true", help="calibrate on the photographs kept apart too")
    arguments = parser.parse_args(argv)
    for stage in STAGES if arguments.stage == "all" else (arguments.stage,):
        run(stage, arguments)


if __name__ == "__main__":
    main()
