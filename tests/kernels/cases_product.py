"""Drawn dense layers, matrix products, pools and reductions."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.fully_connected import FullyConnected
from ferrule.ops.matmul import MatMul
from ferrule.ops.pool import Pool
from ferrule.ops.reduce import FUNCTIONS, Reduce
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case
from tests.kernels.cases_elementwise import quant_of, rng_of, single
from tests.kernels.cases_movement import shapes

CLAMPS = st.sampled_from([None, (0.0, math.inf), (-1.0, 1.0)])
SCHEMES = st.sampled_from(["single", "double"])


def codes(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Any int8 codes."""
    return rng.integers(-128, 128, shape).astype(np.int8)


def reals(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Float values."""
    return np.asarray(rng.standard_normal(shape), np.float32)


@st.composite
def dense_f32(draw: st.DrawFn, computed: bool) -> Case:
    """Weights constant or computed, with or without bias."""
    rng, build = rng_of(draw), Builder("case")
    rows, size, outputs = draw(st.integers(1, 5)), draw(st.integers(1, 12)), draw(st.integers(1, 9))
    values = {"x": reals(rng, (rows, size))}
    x = build.input("x", (rows, size), DType.FLOAT32)
    weights = reals(rng, (outputs, size))
    if computed:
        w, values["w"] = build.input("w", weights.shape, DType.FLOAT32), weights
    else:
        w = build.constant(weights, "w")
    b = build.constant(reals(rng, (outputs,)), "b") if draw(st.booleans()) else None
    return Case(build.finish(build.emit(FullyConnected, (x, w, b), name="op", clamp=draw(CLAMPS))), values)


@st.composite
def dense_s8(draw: st.DrawFn) -> Case:
    """Either scheme, one factor or one per output, weight zero points."""
    rng, build = rng_of(draw), Builder("case")
    rows, size, outputs = draw(st.integers(1, 5)), draw(st.integers(1, 12)), draw(st.integers(1, 9))
    x = build.input("x", (rows, size), DType.INT8, quant_of(rng))
    zeros = rng.integers(-3, 4, outputs) if draw(st.booleans()) else np.zeros(outputs, int)
    quant = Quant((0.02,) * outputs, tuple(int(z) for z in zeros), 0)
    w = build.constant(codes(rng, (outputs, size)), "w", quant)
    b = build.constant(rng.integers(-2000, 2000, outputs).astype(np.int32), "b") if draw(st.booleans()) else None
    requant = Requant.of(rng.uniform(1e-4, 2e-2, draw(st.sampled_from([1, outputs]))), draw(SCHEMES))
    clamp = (draw(st.sampled_from([-128, -100, 0])), 127)
    made = build.emit(FullyConnected, (x, w, b), name="op", quant=quant_of(rng), requant=requant, clamp=clamp)
    return Case(build.finish(made), {"x": codes(rng, (rows, size))})


@st.composite
def matmul(draw: st.DrawFn, integer: bool) -> Case:
    """Batches that broadcast, either operand constant."""
    rng, build, values = rng_of(draw), Builder("case"), {}
    batch = draw(st.lists(st.integers(1, 3), max_size=4))
    m, k, n = (draw(st.integers(1, 5)) for _ in range(3))
    names = []
    fixed = draw(st.sampled_from([None, 0, 1]))
    for index, tail in enumerate(((m, k), (k, n))):
        own = [d if draw(st.booleans()) else 1 for d in batch[draw(st.integers(0, len(batch))) :]]
        shape = (*own, *tail)
        array, quant = (codes(rng, shape), quant_of(rng)) if integer else (reals(rng, shape), None)
        if index == fixed:
            names.append(build.constant(array, f"x{index}", quant))
        else:
            names.append(build.input(f"x{index}", shape, DType.of(array), quant))
            values[f"x{index}"] = array
    if not integer:
        return Case(build.finish(build.emit(MatMul, names, name="op", clamp=draw(CLAMPS))), values)
    requant, clamp = Requant.of(rng.uniform(1e-4, 2e-2), draw(SCHEMES)), (draw(st.sampled_from([-128, 0])), 127)
    made = build.emit(MatMul, names, name="op", quant=quant_of(rng), requant=requant, clamp=clamp)
    return Case(build.finish(made), values)


@st.composite
def pool(draw: st.DrawFn, integer: bool) -> Case:
    """1-D and 2-D windows, pads on each side, dilations, rounding up, both ways to count, both integer forms."""
    rng, spatial = rng_of(draw), draw(st.sampled_from([1, 2]))
    mode = draw(st.sampled_from(["max", "average"]))
    kernel = tuple(draw(st.integers(1, 4)) for _ in range(spatial))
    dilations = tuple(draw(st.integers(1, 2)) for _ in range(spatial))
    pads = tuple((draw(st.integers(0, k - 1)), draw(st.integers(0, k - 1))) for k in kernel)
    sizes = [
        max(draw(st.integers(1, 8)), d * (k - 1) + 1 - sum(p)) for k, d, p in zip(kernel, dilations, pads, strict=True)
    ]
    shape = (draw(st.integers(1, 2)), *sizes, draw(st.integers(1, 5)))
    attributes: dict[str, object] = {
        "mode": mode, "kernel": kernel, "dilations": dilations, "pads": pads, "ceil": draw(st.booleans()),
        "strides": tuple(draw(st.integers(1, 3)) for _ in range(spatial)), "count_pads": draw(st.booleans()),
    }  # fmt: skip
    if not integer:
        return single(draw, Pool, reals(rng, shape), clamp=draw(CLAMPS), **attributes)
    attributes["clamp"] = (draw(st.sampled_from([-128, -20])), draw(st.sampled_from([127, 50])))
    quants = (quant_of(rng),) * 2
    if draw(st.booleans()):
        taps = np.arange(1, 2 if mode == "max" else math.prod(kernel) + 1)
        attributes["requant"] = Requant.of(rng.uniform(0.3, 2.0) / taps, "single")
        quants = quant_of(rng), quant_of(rng)
    return single(draw, Pool, codes(rng, shape), quants=quants, **attributes)


def some_axes(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """One or more axes, in order."""
    return tuple(sorted(draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))


@st.composite
def reduce_f32(draw: st.DrawFn) -> Case:
    """Every function over any axes."""
    rng, shape, function = rng_of(draw), draw(shapes(most=300)), draw(st.sampled_from(sorted(FUNCTIONS)))
    x = reals(rng, shape)
    if function == "log_sum":
        x = np.abs(x) + np.float32(0.1)
    axes = some_axes(draw, shape)
    return single(draw, Reduce, x, (1e-4, 1e-4), function=function, axes=axes)


@st.composite
def reduce_plain(draw: st.DrawFn, dtype: DType) -> Case:
    """The functions of plain integers."""
    rng, shape = rng_of(draw), draw(shapes(most=300))
    function = draw(st.sampled_from(["mean", "sum", "max", "min", "prod", "l1", "sum_square"]))
    span = 2**29 if dtype is DType.INT32 else 2**61
    near = function == "mean" or draw(st.booleans())
    x = rng.integers(-9 if near else -span, 10 if near else span, shape).astype(dtype.numpy)
    return single(draw, Reduce, x, function=function, axes=some_axes(draw, shape))


@st.composite
def reduce_s8(draw: st.DrawFn) -> Case:
    """Mean, sum and extremes of codes, in either scheme."""
    rng, shape = rng_of(draw), draw(shapes(most=300))
    function = draw(st.sampled_from(["mean", "sum", "max", "min"]))
    attributes: dict[str, object] = {"clamp": (draw(st.sampled_from([-128, 0])), 127)}
    quants = (quant_of(rng),) * 2
    if function in ("mean", "sum") or draw(st.booleans()):
        attributes["requant"] = Requant.of(rng.uniform(0.001, 2.0), draw(SCHEMES))
        quants = quant_of(rng), quant_of(rng)
    else:
        attributes.clear()
    axes = some_axes(draw, shape)
    return single(draw, Reduce, codes(rng, shape), function=function, axes=axes, quants=quants, **attributes)


CASES = {
    "fr_fully_connected_f32": dense_f32(False),
    "fr_fully_connected_w_f32": dense_f32(True),
    "fr_fully_connected_s8": dense_s8(),
    "fr_matmul_f32": matmul(False),
    "fr_matmul_s8": matmul(True),
    "fr_pool_f32": pool(False),
    "fr_pool_s8": pool(True),
    "fr_reduce_f32": reduce_f32(),
    "fr_reduce_i32": reduce_plain(DType.INT32),
    "fr_reduce_i64": reduce_plain(DType.INT64),
    "fr_reduce_s8": reduce_s8(),
}
