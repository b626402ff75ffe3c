"""How the eyes learn triomino tiles: scenes, networks, training, export (`python -m models.tiles`)."""
