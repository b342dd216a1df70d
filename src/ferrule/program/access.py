"""Affine reading: which input element each output takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ferrule.program.geometry import geometry
from ferrule.program.op import Array, Op, RowRange, Site
from ferrule.program.tensor import Tensor


@dataclass(frozen=True)
class Loop:
    """A loop over one output axis, or a factor of it: each turn moves on by so many input rows, pixels, channels."""

    size: int
    row: int
    pixel: int
    channel: int


@dataclass(frozen=True)
class Access:
    """Nested loops over an output's rows, pixels and channels (outermost first), and where in the input they begin."""

    rows: tuple[Loop, ...]
    pixels: tuple[Loop, ...]
    channels: tuple[Loop, ...]
    start: tuple[int, int, int]
    """Row, pixel and channel of the input that the first output element takes."""

    def input_rows(self, low: int, high: int) -> RowRange:
        """The hull of the input rows that output rows [low, high) take."""
        inner = (*self.pixels, *self.channels)
        if low >= high or any(loop.size == 0 for loop in inner):
            return 0, 0
        first = _row_starts(self)[low:high]
        below = sum(min((loop.size - 1) * loop.row, 0) for loop in inner)
        above = sum(max((loop.size - 1) * loop.row, 0) for loop in inner)
        return int(first.min()) + below, int(first.max()) + above + 1


@lru_cache(maxsize=256)
def _row_starts(access: Access) -> Array:
    """The input row of pixel 0, channel 0 of every output row."""
    rows = np.full((1,), access.start[0], np.int64)
    for loop in access.rows:
        rows = (rows[:, None] + np.arange(loop.size) * loop.row).reshape(-1)
    return rows


Factor = tuple[int, int | None, int]
"""Size of a loop, the input axis on which it walks (None: it stands still), and the step on that axis."""


def access_of(x: Tensor, y: Tensor, factors: Sequence[Sequence[Factor]], start: Sequence[int] | None = None) -> Access:
    """Return the access of an output whose axis k is the product of the loops `factors[k]`, outermost first.

    `start` is the first element taken, per input axis. Loops of one turn vanish, neighbours that walk evenly merge.
    """
    weights = [_axis_step(x, axis) for axis in range(x.rank)]
    begin = np.zeros(3, np.int64)
    for at, weight in zip(start or [0] * x.rank, weights, strict=True):
        begin += at * np.asarray(weight)
    split = [[_loop(factor, weights) for factor in axis if factor[0] != 1] for axis in factors]
    pixel_axis = y.rank - 2 if y.rank >= 4 else y.rank
    row_axes = [loop for axis in split[: max(min(pixel_axis, y.rank - 1), 0)] for loop in axis]
    pixels = split[pixel_axis] if pixel_axis < y.rank else []
    channels = split[-1] if y.rank else []
    return Access(_merged(row_axes), _merged(pixels), _merged(channels), (int(begin[0]), int(begin[1]), int(begin[2])))


def _axis_step(x: Tensor, axis: int) -> tuple[int, int, int]:
    """Rows, pixels and channels between neighbours on an input axis."""
    if axis == x.rank - 1:
        return 0, 0, 1
    if x.rank >= 4 and axis == x.rank - 2:
        return 0, 1, 0
    last_row_axis = x.rank - (2 if x.rank >= 4 else 1)
    return math.prod(x.shape[axis + 1 : last_row_axis]), 0, 0


def step_of(x: Tensor, factor: Factor) -> tuple[int, int, int]:
    """Rows, pixels and channels of the input that one turn of a loop adds."""
    _, axis, step = factor
    row, pixel, channel = (0, 0, 0) if axis is None else _axis_step(x, axis)
    return row * step, pixel * step, channel * step


def _loop(factor: Factor, weights: Sequence[tuple[int, int, int]]) -> Loop:
    size, axis, step = factor
    row, pixel, channel = (0, 0, 0) if axis is None else weights[axis]
    return Loop(size, row * step, pixel * step, channel * step)


def _merged(loops: Sequence[Loop]) -> tuple[Loop, ...]:
    done: list[Loop] = []
    for loop in loops:
        last = done[-1] if done else None
        stride = (loop.row * loop.size, loop.pixel * loop.size, loop.channel * loop.size)
        if last is not None and (last.row, last.pixel, last.channel) == stride:
            done[-1] = Loop(last.size * loop.size, loop.row, loop.pixel, loop.channel)
        else:
            done.append(loop)
    return tuple(done)


@dataclass(frozen=True, kw_only=True)
class StridedOp(Op):
    """An op whose output takes input 0 element by element, unchanged, by an affine access."""

    def access(self, site: Site) -> Access:
        """Return which input element each output element takes."""
        raise NotImplementedError(self.kind)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        rest = super().rows(site, low, high)[1:]
        return (self.access(site).input_rows(low, high) if geometry(site.output).size_bytes else (0, 0), *rest)


def broadcast_factors(x: Tensor, y: Tensor) -> list[list[Factor]]:
    """Loops of a tensor read by broadcasting: axes aligned at the end, an axis of length 1 stands still."""
    ahead = y.rank - x.rank
    return [
        [(size, None, 0) if k < ahead or x.shape[k - ahead] == 1 else (size, k - ahead, 1)]
        for k, size in enumerate(y.shape)
    ]
