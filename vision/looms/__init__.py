"""Trama looms: find the boards, rectify them, read every cord and every crossing."""

from vision.looms.read import LoomWatcher, read_looms

__all__ = ["LoomWatcher", "read_looms"]
