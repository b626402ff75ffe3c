"""Which seeds are for training, which for choosing between models, which for the last measurement: they never meet."""

from __future__ import annotations

SPLITS: dict[str, range] = {
    "train": range(0, 1_000_000),
    "validation": range(1_000_000, 1_100_000),
    "test": range(1_100_000, 1_200_000),
}


def seed_of(split: str, number: int) -> int:
    """The seed of scene or game `number` of a split; `ValueError` beyond its range."""
    if split not in SPLITS:
        raise ValueError(f"{split!r} is none of {', '.join(SPLITS)}")
    seeds = SPLITS[split]
    if not 0 <= number < len(seeds):
        raise ValueError(f"{split} has {len(seeds)} seeds, number {number} is not one of them")
    return seeds[number]


def split_of(seed: int) -> str:
    """The split that a seed belongs to."""
    for name, seeds in SPLITS.items():
        if seed in seeds:
            return name
    raise ValueError(f"seed {seed} belongs to no split")


def reserved(seed: int) -> bool:
    """Whether a scene of this seed is drawn in the styles that only tests may see."""
    return split_of(seed) == "test"
