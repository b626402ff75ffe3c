"""Trama looms: find the boards, rectify them, read every cord and every crossing."""

from vision.looms.read import read_looms

__all__ = ["read_looms"]
