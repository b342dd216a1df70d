"""The allocation problem and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """Bytes that are needed from step `first` to step `last`, both included, at an aligned offset."""

    name: str
    size: int
    first: int
    last: int
    align: int = 1


@dataclass(frozen=True)
class Problem:
    """Blocks that share one memory."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Placement:
    """An offset for each block, the highest byte used, and a proved bound below which no placement can go."""

    offsets: Mapping[str, int]
    peak: int
    lower_bound: int

    @property
    def proved(self) -> bool:
        """Whether no smaller peak exists."""
        return self.peak == self.lower_bound


def rounded(size: int, align: int) -> int:
    """`size` up to the next multiple of `align`."""
    return -(-size // align) * align


def load_bound(problem: Problem) -> int:
    """Most bytes alive at one step: a bound for every placement.

    Blocks of one common alignment occupy whole multiples of it, save that the topmost block needs no tail; with
    mixed alignments the plain sizes are summed.
    """
    if not problem.blocks:
        return 0
    aligns = {b.align for b in problem.blocks}
    unit = aligns.pop() if len(aligns) == 1 else 1
    events: dict[int, list[Block]] = {}
    for block in problem.blocks:
        events.setdefault(block.first, []).append(block)
    best = 0
    for step in events:
        alive = [b for b in problem.blocks if b.first <= step <= b.last]
        total = sum(rounded(b.size, unit) for b in alive)
        spare = max((rounded(b.size, unit) - b.size for b in alive), default=0)
        best = max(best, total - spare)
    return best
