"""Where: a YOLO11n with two classes (card, back), from table photographs and composed scenes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from models.cards.cache import decode, encode, scenes
from models.cards.classes import BACK
from models.cards.lighting import photograph
from models.cards.loop import fit
from models.cards.sources import load_photos
from models.yolo_graph import rewrite

SIDE = 448
LEAST_VISIBLE = 0.12


def pretrained(data: Path | None) -> nn.Module:
    """YOLO11n for two classes, its backbone started from the general weights where they are at hand."""
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import DetectionModel

    model = DetectionModel("yolo11n.yaml", nc=2, verbose=False)
    model.args = get_cfg()
    path = data / "weights" / "yolo11n-seg.coco.safetensors" if data else None
    if path is not None and path.exists():
        from safetensors.torch import load_file

        mine = model.state_dict()
        known = {k: v.float() for k, v in load_file(path).items() if k in mine and mine[k].shape == v.shape}
        model.load_state_dict(known, strict=False)
        print(f"started from {len(known)} of {len(mine)} pretrained tensors")
    return model


def examples(data: Path, cache: Path, count: int, leave_out: tuple[str, ...]) -> tuple[list, list]:
    """(photographs, scenes), each as (jpeg bytes, boxes, classes)."""
    photos = []
    for photo in load_photos(data, "train"):
        image = cv2.imread(str(photo.path))
        if image is not None:
            photos.append((encode(image), photo.boxes, np.zeros(len(photo.boxes), np.float32)))
    drawn = []
    for record in scenes(data, cache, count, seed=1, leave_out=leave_out):
        boxes = record["boxes"]
        keep = (record["visible"] > LEAST_VISIBLE) & ((boxes[:, 2:] - boxes[:, :2]).min(1) > 8)
        classes = np.array([label == BACK for label in record["labels"]], np.float32)
        drawn.append((record["jpeg"], boxes[keep], classes[keep]))
    return photos, drawn


def view(example: tuple, side: int, rng: np.random.Generator, scale: tuple[float, float]) -> tuple:
    """A random square view of a picture: turned, flipped, stretched, scaled, shifted; boxes follow."""
    image, boxes, classes = decode(example[0]), example[1].copy(), example[2]
    for _ in range(int(rng.integers(4))):
        height, width = image.shape[:2]
        image = np.rot90(image)
        boxes = np.stack([boxes[:, 1], width - boxes[:, 2], boxes[:, 3], width - boxes[:, 0]], 1)
    if rng.random() < 0.5:
        image = image[:, ::-1]
        boxes[:, [0, 2]] = image.shape[1] - boxes[:, [2, 0]]
    image = np.ascontiguousarray(image)
    height, width = image.shape[:2]
    zoom = side / max(height, width) * np.exp(rng.uniform(*np.log(scale)))
    stretch = np.exp(rng.normal(0, 0.12))
    zx, zy = zoom * stretch, zoom / stretch
    free_x, free_y = side - width * zx, side - height * zy
    tx, ty = free_x * rng.uniform(0, 1), free_y * rng.uniform(0, 1)
    matrix = np.array([[zx, 0, tx], [0, zy, ty]], np.float32)
    grey = [float(rng.uniform(0, 255))] * 3
    image = cv2.warpAffine(
        image, matrix, (side, side), flags=cv2.INTER_AREA if zoom < 0.7 else cv2.INTER_LINEAR, borderValue=grey
    )
    whole = boxes * [zx, zy, zx, zy] + [tx, ty, tx, ty]
    cut = np.clip(whole, 0, side)
    area = (whole[:, 2] - whole[:, 0]) * (whole[:, 3] - whole[:, 1])
    seen = (cut[:, 2] - cut[:, 0]).clip(0) * (cut[:, 3] - cut[:, 1]).clip(0)
    keep = (seen > 0.15 * area) & ((cut[:, 2:] - cut[:, :2]).min(1) > 5)
    return image, cut[keep], classes[keep]


def sample(photos: list, drawn: list, side: int, rng: np.random.Generator) -> tuple:
    """One training picture: a single view, or four in one for small and crowded cards."""

    def pick() -> tuple:
        pool = photos if photos and rng.random() < 0.45 else drawn
        return pool[rng.integers(len(pool))]

    if rng.random() < 0.65:
        image, boxes, classes = view(pick(), side, rng, (0.55, 1.6))
    else:
        half = side // 2
        image, all_boxes, all_classes = np.empty((side, side, 3), np.uint8), [], []
        for y in (0, half):
            for x in (0, half):
                part, boxes, classes = view(pick(), half, rng, (0.8, 2.0))
                image[y : y + half, x : x + half] = part
                all_boxes.append(boxes + np.array([x, y, x, y]))
                all_classes.append(classes)
        boxes, classes = np.concatenate(all_boxes), np.concatenate(all_classes)
    if rng.random() < 0.5:
        image = photograph(image, rng, strong=0.7)
    return image, boxes, classes


def batches(photos: list, drawn: list, size: int, side: int, seed: int) -> Iterator[dict[str, torch.Tensor]]:
    """Endless batches in the form the YOLO loss wants, prepared by a thread while the network computes."""
    ready: queue.Queue = queue.Queue(6)

    def work() -> None:
        rng = np.random.default_rng(seed)
        while True:
            items = [sample(photos, drawn, side, rng) for _ in range(size)]
            pixels = np.stack([i[0] for i in items])[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
            boxes = np.concatenate([i[1] for i in items]).astype(np.float32) / side
            centre = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
            index = np.concatenate([np.full(len(i[1]), k, np.float32) for k, i in enumerate(items)])
            ready.put(
                {
                    "img": torch.from_numpy(np.ascontiguousarray(pixels)),
                    "cls": torch.from_numpy(np.concatenate([i[2] for i in items]))[:, None],
                    "bboxes": torch.from_numpy(centre),
                    "batch_idx": torch.from_numpy(index),
                }
            )

    threading.Thread(target=work, daemon=True).start()
    while True:
        yield ready.get()


def train(
    data: Path,
    cache: Path,
    *,
    steps: int,
    minutes: float | None,
    count: int,
    size: int = 12,
    side: int = SIDE,
    leave_out: tuple[str, ...] = (),
) -> nn.Module:
    """Train (or continue) the detector; returns the averaged model."""
    photos, drawn = examples(data, cache, count, leave_out)
    print(f"{len(photos)} photographs, {len(drawn)} scenes")
    model = pretrained(data).to(memory_format=torch.channels_last)

    def loss_of(model: nn.Module, batch: Any) -> torch.Tensor:
        loss, _ = model.loss(batch)
        return loss.sum() / size

    return fit(
        model,
        batches(photos, drawn, size, side, 7),
        loss_of,
        steps=steps,
        checkpoint=cache / "detector.pt",
        rate=1e-3,
        minutes=minutes,
    )


def export(model: nn.Module, path: Path) -> None:
    """Write the detector as ONNX with free height and width; output is (1, 4 + classes, anchors)."""
    model = model.float().eval()
    head = model.model[-1]
    head.export, head.format, head.dynamic = True, "onnx", True
    for part in model.modules():
        if hasattr(part, "inplace"):
            part.inplace = False
    path.parent.mkdir(parents=True, exist_ok=True)
    axes = {"images": {0: "batch", 2: "height", 3: "width"}, "output": {0: "batch", 2: "anchors"}}
    model = model.fuse()
    torch.onnx.export(
        model,
        torch.zeros(1, 3, 384, 640),
        str(path),
        input_names=["images"],
        output_names=["output"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    rewrite(path)
