"""The synthetic table in one import: what other modules need to describe a scene and have it drawn."""

from datasets.scene import CameraModel, Look, Placed, Rendered, Stage, develop_stage, label_stage, render_scene, settle

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
