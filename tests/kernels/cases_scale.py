"""Drawn changes between real numbers and codes, and softmax."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.dequantize import Dequantize
from ferrule.ops.quantize import Quantize
from ferrule.ops.requantize import Requantize
from ferrule.ops.softmax import Softmax, tflite_exps
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case
from tests.kernels.cases_elementwise import quant_of, rng_of, single
from tests.kernels.cases_movement import shapes, values_of

CODES = {"s8": DType.INT8, "u8": DType.UINT8, "s16": DType.INT16, "s32": DType.INT32}


def any_quant(draw: st.DrawFn, rng: np.random.Generator, dtype: DType, shape: tuple[int, ...]) -> Quant:
    """Per tensor or along the last axis; powers of two make ties."""
    low, high = dtype.bounds
    count = draw(st.sampled_from([1, shape[-1]]))
    scales = 2.0 ** rng.integers(-6, 1, count) if draw(st.booleans()) else rng.uniform(0.01, 0.5, count)
    zeros = rng.integers(max(low, -1000), min(high, 1000), count, endpoint=True)
    axis = None if count == 1 else len(shape) - 1
    return Quant(tuple(float(np.float32(s)) for s in scales), tuple(int(z) for z in zeros), axis)


@st.composite
def quantize(draw: st.DrawFn, dtype: DType) -> Case:
    """Either rounding, ties, values far beyond the codes, NaN and infinity."""
    rng, shape = rng_of(draw), draw(shapes(most=200))
    quant = any_quant(draw, rng, dtype, shape)
    x = rng.standard_normal(shape) * draw(st.sampled_from([1.0, 20.0, 1e12]))
    if draw(st.booleans()):
        x = rng.integers(-40, 40, shape) * 2.0**-6
    if draw(st.booleans()):
        x = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, 0.0], shape), x)
    rounding = draw(st.sampled_from(["even", "away"]))
    return single(draw, Quantize, x.astype(np.float32), dtype=dtype.value, rounding=rounding, quants=(None, quant))


@st.composite
def dequantize(draw: st.DrawFn, dtype: DType) -> Case:
    """Per tensor or per channel."""
    rng, shape = rng_of(draw), draw(shapes(most=200))
    quant = any_quant(draw, rng, dtype, shape)
    return single(draw, Dequantize, values_of(rng, shape, dtype), quants=(quant, None))


@st.composite
def requantize(draw: st.DrawFn, source: DType, target: DType) -> Case:
    """Either scheme, or zero points only; clamps."""
    rng, shape = rng_of(draw), draw(shapes(most=200))
    ends = [Quant.per_tensor(0.1, int(rng.integers(*d.bounds)) if d.size_bytes == 1 else 0) for d in (source, target)]
    requant = None
    if draw(st.booleans()):
        requant = Requant.of(rng.uniform(0.01, 3.0), draw(st.sampled_from(["single", "double"])))
    low, high = target.bounds
    clamp = draw(st.sampled_from([None, (low, high), (low + 20, high - 30)]))
    x = values_of(rng, shape, source)
    return single(draw, Requantize, x, dtype=target.value, requant=requant, clamp=clamp, quants=tuple(ends))


@st.composite
def softmax_f32(draw: st.DrawFn) -> Case:
    """Both forms, any beta, far apart values."""
    rng, shape = rng_of(draw), draw(shapes(most=300))
    x = (rng.standard_normal(shape) * draw(st.sampled_from([1.0, 30.0]))).astype(np.float32)
    beta = draw(st.sampled_from([1.0, 0.5, 2.0]))
    return single(draw, Softmax, x, (2e-5, 2e-5), beta=beta, log=draw(st.booleans()))


@st.composite
def softmax_s8(draw: st.DrawFn) -> Case:
    """Either scheme; equal codes, codes far apart."""
    rng, shape = rng_of(draw), (*draw(shapes(max_rank=4, most=40)), draw(st.integers(1, 40)))
    span = draw(st.sampled_from([1, 20, 128]))
    x = rng.integers(-span, span, shape).astype(np.int8)
    scale = float(np.float32(draw(st.sampled_from([0.003, 0.05, 0.1, 0.7]))))
    build = Builder("case")
    name = build.input("x", shape, DType.INT8, Quant.per_tensor(scale, int(rng.integers(-128, 128))))
    if draw(st.booleans()):
        beta = draw(st.sampled_from([1.0, 0.5]))
        exps = tflite_exps(scale, beta)
        out = build.emit(Softmax, (name,), name="op", quant=Quant.per_tensor(1 / 256, -128), exps=exps, beta=beta)
    else:
        exps = tuple(int(v) for v in np.rint(np.exp(-np.arange(256) * scale) * 2.0**24))
        quant = quant_of(rng)
        factor = int(np.rint(2.0**20 / quant.scale[0]))
        out = build.emit(Softmax, (name,), name="op", quant=quant, exps=exps, factor=factor)
    return Case(build.finish(out), {"x": x})


CASES = {
    **{f"fr_quantize_{s}": quantize(d) for s, d in CODES.items()},
    **{f"fr_dequantize_{s}": dequantize(d) for s, d in CODES.items()},
    **{
        f"fr_requantize_{s}_{t}": requantize(CODES[s], CODES[t])
        for s in ("s8", "u8", "s16")
        for t in ("s8", "u8", "s16")
    },
    "fr_softmax_f32": softmax_f32(),
    "fr_softmax_s8": softmax_s8(),
}
