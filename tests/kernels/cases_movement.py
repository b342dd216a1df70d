"""Drawn data movements for the band law."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.concat import Concat
from ferrule.ops.expand import Expand
from ferrule.ops.pad import Pad
from ferrule.ops.rearrange import Rearrange
from ferrule.ops.slice import Slice
from ferrule.ops.tile import Tile
from ferrule.ops.transpose import Transpose
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Op
from ferrule.program.tensor import DType, Quant
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
    split = tuple(tuple(factors[a:b]) for a, b in itertools.pairwise(edges))
    order = draw(st.permutations(range(len(factors))))
    cuts = sorted(draw(st.lists(st.integers(0, len(factors)), max_size=3)))
    edges = [0, *cuts, len(factors)]
    merge = tuple(tuple(order[a:b]) for a, b in itertools.pairwise(edges))
    shape = tuple(int(np.prod(axis)) for axis in split)
    return one(draw, Rearrange, shape, split=split, merge=merge)


@st.composite
def concat(draw: st.DrawFn) -> Case:
    """Any axis; constants among the inputs; int8 inputs of other scales."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(shapes(most=100))
    axis, count = draw(st.integers(0, len(shape) - 1)), draw(st.integers(1, 4))
    requantized = draw(st.booleans())
    dtype = DType.INT8 if requantized else draw(st.sampled_from(DTYPES))
    build = Builder("case")
    names, values, requants = [], {}, []
    for index in range(count):
        own = tuple(draw(st.integers(1, 4)) if k == axis else d for k, d in enumerate(shape))
        other = requantized and draw(st.booleans())
        quant = Quant.per_tensor(0.1, int(rng.integers(-20, 20))) if requantized else None
        requants.append(Requant.of(rng.uniform(0.2, 2.5), draw(st.sampled_from(["single"]))) if other else None)
        if draw(st.integers(0, 3)) == 0:
            names.append(build.constant(values_of(rng, own, dtype), f"c{index}", quant))
        else:
            names.append(build.input(f"x{index}", own, dtype, quant))
            values[f"x{index}"] = values_of(rng, own, dtype)
    quant = Quant.per_tensor(0.1, 3) if requantized else None
    outputs = build.emit(
        Concat, names, name="op", quant=quant, axis=axis, requants=tuple(requants) if any(requants) else ()
    )
    return Case(build.finish(outputs), values)


@st.composite
def pad(draw: st.DrawFn) -> Case:
    """Every mode, any axis."""
    mode = draw(st.sampled_from(["constant", "reflect", "edge", "wrap", "symmetric"]))
    shape = draw(shapes(max_rank=5, most=60))
    most = [{"constant": 3, "edge": 3, "reflect": d - 1, "symmetric": d, "wrap": d}[mode] for d in shape]
    if len(shape) > 2:
        most = [m if draw(st.booleans()) else 0 for m in most]
    pads = tuple((draw(st.integers(0, min(m, 3))), draw(st.integers(0, min(m, 3)))) for m in most)
    return one(draw, Pad, shape, pads=pads, mode=mode, value=float(draw(st.integers(-9, 9))))


CASES = {
    "fr_transpose": transpose(),
    "fr_slice": slice_(),
    "fr_expand": expand(),
    "fr_tile": tile(),
    "fr_rearrange": rearrange(),
    "fr_concat": concat(),
    "fr_pad": pad(),
}
