"""Synthetic tables: a scene is described in millimetres, then drawn through a camera with exact labels."""

from datasets.scene.camera import CameraModel
from datasets.scene.look import Look
from datasets.scene.render import Rendered, develop_stage, label_stage, render_scene, settle
from datasets.scene.stage import Placed, Stage

__all__ = [
    "CameraModel",
    "Look",
    "Placed",
    "Rendered",
    "Stage",
    "develop_stage",
    "label_stage",
    "render_scene",
    "settle",
]
