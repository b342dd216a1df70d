"""Drawn data movements for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.expand import Expand
from ferrule.ops.rearrange import Rearrange
from ferrule.ops.slice import Slice
from ferrule.ops.tile import Tile
from ferrule.ops.transpose import Transpose
from ferrule.program.build import Builder
from ferrule.program.op import Op
from ferrule.program.tensor import DType
from tests.kernels.band_law import Case

DTYPES = (DType.INT8, DType.INT16, DType.FLOAT32, DType.INT64)


def values_of(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Random contents of any element type."""
    if dtype.is_float:
        return rng.standard_normal(shape).astype(np.float32)
    low, high = dtype.bounds
    return rng.integers(max(low, -(2**62)), min(high, 2**62), shape, endpoint=True).astype(dtype.numpy)


@st.composite
def shapes(draw: st.DrawFn, min_rank: int = 1, max_rank: int = 6, most: int = 400) -> tuple[int, ...]:
    """A small shape."""
    rank = draw(st.integers(min_rank, max_rank))
    shape: list[int] = []
    for _ in range(rank):
        room = max(most // max(int(np.prod(shape)), 1), 1)
        shape.append(draw(st.integers(1, min(5, room))))
    return tuple(shape)


def one(draw: st.DrawFn, op: type[Op], size: tuple[int, ...], /, **attributes: object) -> Case:
    """A program of one op of one input."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from(DTYPES))
    build = Builder("case")
    x = build.input("x", size, dtype)
    outputs = build.emit(op, (x,), name="op", **attributes)
    return Case(build.finish(outputs), {"x": values_of(rng, size, dtype)})


@st.composite
def transpose(draw: st.DrawFn) -> Case:
    """Any order of up to six axes."""
    shape = draw(shapes())
    return one(draw, Transpose, shape, perm=tuple(draw(st.permutations(range(len(shape))))))


@st.composite
def slice_(draw: st.DrawFn) -> Case:
    """Any starts, sizes and steps, also backwards."""
    shape = draw(shapes())
    starts, sizes, steps = [], [], []
    for length in shape:
        step = draw(st.sampled_from([-3, -2, -1, 1, 1, 2, 3]))
        start = draw(st.integers(0, length - 1))
        room = (length - 1 - start if step > 0 else start) // abs(step) + 1
        starts.append(start)
        sizes.append(draw(st.integers(1, room)))
        steps.append(step)
    return one(draw, Slice, shape, starts=tuple(starts), sizes=tuple(sizes), steps=tuple(steps))


@st.composite
def expand(draw: st.DrawFn) -> Case:
    """Axes of length 1 repeated, axes added in front."""
    target = draw(shapes())
    kept = draw(st.integers(0, len(target)))
    shape = tuple(d if draw(st.booleans()) else 1 for d in target[len(target) - kept :])
    return one(draw, Expand, shape, shape=target)


@st.composite
def tile(draw: st.DrawFn) -> Case:
    """Every axis repeated, as long as the loops suffice."""
    shape = draw(shapes(max_rank=4, most=60))
    return one(draw, Tile, shape, repeats=tuple(draw(st.integers(1, 3)) for _ in shape))


@st.composite
def rearrange(draw: st.DrawFn) -> Case:
    """Any split and merge of up to eight factors."""
    factors = draw(shapes(1, 7))
    cuts = sorted(draw(st.lists(st.integers(0, len(factors)), max_size=3)))
    edges = [0, *cuts, len(factors)]
    split = tuple(tuple(factors[a:b]) for a, b in zip(edges, edges[1:], strict=False))
    order = draw(st.permutations(range(len(factors))))
    cuts = sorted(draw(st.lists(st.integers(0, len(factors)), max_size=3)))
    edges = [0, *cuts, len(factors)]
    merge = tuple(tuple(order[a:b]) for a, b in zip(edges, edges[1:], strict=False))
    shape = tuple(int(np.prod(axis)) for axis in split)
    return one(draw, Rearrange, shape, split=split, merge=merge)


CASES = {
    "fr_transpose": transpose(),
    "fr_slice": slice_(),
    "fr_expand": expand(),
    "fr_tile": tile(),
    "fr_rearrange": rearrange(),
}
