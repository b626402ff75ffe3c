"""Whether the cards seen so far can all come from one deck (or one hand), when only one face of each is seen.

A card on the table shows one face; its design may be any that has that face, until a flip says more. What was seen is
possible if every card can be given a design of its own without using one more often than there are copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Seen = tuple[tuple[int, int], ...]  # (designs as a set of bits, how many such cards), sorted


@lru_cache(maxsize=4096)
def possible(seen: Seen, supply: Sequence[int]) -> bool:
    """Can each of the cards seen have a design of its own? Maximum flow from the sets of designs to the copies."""
    free = list(supply)
    given: list[dict[int, int]] = [{} for _ in seen]

    def give(group: int, visited: set[int]) -> bool:
        """One more card of `group` gets a design, if need be by moving a card of another group to a different one."""
        for design in range(len(free)):
            if not seen[group][0] >> design & 1 or design in visited:
                continue
            visited.add(design)
            if free[design]:
                free[design] -= 1
            else:
                for other, held in enumerate(given):
                    if held.get(design) and give(other, visited):
                        held[design] -= 1
                        break
                else:
                    continue
            given[group][design] = given[group].get(design, 0) + 1
            return True
        return False

    return all(give(group, set()) for group, (_, count) in enumerate(seen) for _ in range(count))
