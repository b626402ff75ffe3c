"""Triomino tiles: found, set upright and read (`read_tiles`)."""

from vision.tiles.read import read_tiles

__all__ = ["read_tiles"]
