"""The plan: buffers, views, and the steps in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ferrule.program.geometry import Box


@dataclass(frozen=True)
class Buffer:
    """A block of a memory. It holds something from step `first` to step `last`, both included.

    The program's inputs are alive from step -1, its outputs until one step after the last.
    """

    name: str
    memory: str
    offset: int
    size: int
    align: int
    first: int
    last: int


@dataclass(frozen=True)
class View:
    """How a tensor lies in a buffer: slot 0 begins at `offset`; a row lies in slot `row % slots`.

    `pitch` is the bytes from slot to slot, `pixel` the bytes from pixel to pixel, `height` the rows of the tensor.
    A dense whole tensor has slots == height.
    """

    tensor: str
    buffer: str
    offset: int
    pitch: int
    pixel: int
    slots: int
    height: int


@dataclass(frozen=True)
class Step:
    """One kernel call: the output rows [low, high) of an op. `workspace` names the buffer for scratch, if any."""

    op: str
    engine: str
    kernel: str
    rows: tuple[int, int]
    workspace: str | None = None


@dataclass(frozen=True)
class Copy:
    """Carries a box of one tensor into a box of another (a part of a data-moving op that could not be a view)."""

    op: str
    source: str
    target: str
    source_box: Box
    target_box: Box


@dataclass(frozen=True)
class Fill:
    """Sets every element of a tensor outside `hole` to a constant code (the border of a padded tensor)."""

    op: str
    target: str
    hole: Box
    value: float


Action = Step | Copy | Fill


@dataclass(frozen=True)
class Plan:
    """Where everything lies and in what order it happens; `memories` gives the bytes used of each.

    `lower_bound` is a proved bound on the arena of any plan with this order of ops and these views; `proved` says
    that the arena meets it.
    """

    buffers: Mapping[str, Buffer]
    views: Mapping[str, View]
    body: tuple[Action, ...]
    memories: Mapping[str, int]
    lower_bound: int = 0
    proved: bool = False

    @property
    def arena_bytes(self) -> int:
        """All RAM the caller gives."""
        return sum(self.memories.values())
