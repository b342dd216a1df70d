"""Drawn elementwise functions for the band law."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from ferrule.kernels.binary import broadcast_reason
from ferrule.ops.binary import ADD_SHIFT, COMPARISONS, LOGICAL, Binary
from ferrule.ops.lookup import Lookup
from ferrule.ops.prelu import PRelu
from ferrule.ops.unary import BOOLEAN, FUNCTIONS, INTEGER, Unary
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Op
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case
from tests.kernels.cases_movement import shapes, values_of

ARITHMETIC = ("add", "sub", "mul", "div", "min", "max", "pow", "squared_difference", "mod", "fmod")
CODED = ("add", "sub", "mul", "min", "max")


def rng_of(draw: st.DrawFn) -> np.random.Generator:
    """A generator that hypothesis can shrink by its seed."""
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def operands(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast, often one whole, often of one rank."""
    full = draw(shapes(most=300))

    def part() -> tuple[int, ...]:
        first = draw(st.sampled_from([0, 0, 0, 1, 2]))
        return tuple(d if draw(st.booleans()) else 1 for d in full[min(first, len(full) - 1) :])

    pair = (full, draw(st.sampled_from([full, part(), part()])))
    pair = (part(), part()) if draw(st.integers(0, 4)) == 0 else pair
    return pair if draw(st.booleans()) else pair[::-1]


def quant_of(rng: np.random.Generator) -> Quant:
    """Any int8 scale and zero point."""
    return Quant.per_tensor(float(rng.uniform(0.01, 0.3)), int(rng.integers(-128, 128)))


def pair(
    draw: st.DrawFn,
    kind: type[Op],
    arrays: tuple[np.ndarray, np.ndarray],
    quants: tuple[Quant | None, Quant | None, Quant | None] = (None, None, None),
    tolerance: tuple[float, float] = (1e-5, 1e-5),
    **attributes: object,
) -> Case:
    """A program of one op of two tensors, at most one of them constant."""
    build, values, names = Builder("case"), {}, []
    fixed = draw(st.sampled_from([None, None, 0, 1]))
    for index, (array, quant) in enumerate(zip(arrays, quants, strict=False)):
        if index == fixed:
            names.append(build.constant(array, f"x{index}", quant))
        else:
            names.append(build.input(f"x{index}", array.shape, DType.of(array), quant))
            values[f"x{index}"] = array
    case = Case(build.finish(build.emit(kind, names, name="op", quant=quants[2], **attributes)), values, tolerance)
    assume(broadcast_reason(case.site) is None)
    return case


@st.composite
def binary_f32(draw: st.DrawFn) -> Case:
    """Every function; powers of positive numbers; infinities and NaN; clamps."""
    rng, function = rng_of(draw), draw(st.sampled_from(ARITHMETIC))
    a, b = (np.asarray(rng.standard_normal(s) * 3, np.float32) for s in operands(draw))
    if function == "pow":
        a = np.abs(a) + np.float32(0.1)
    elif draw(st.booleans()):
        a = np.where(rng.random(a.shape) < 0.2, rng.choice(np.float32([0, np.inf, -np.inf, np.nan]), a.shape), a)
    clamp = draw(st.sampled_from([None, (0.0, math.inf), (-1.0, 1.0)]))
    return pair(draw, Binary, (a, b), function=function, clamp=clamp)


@st.composite
def binary_plain(draw: st.DrawFn, dtype: DType) -> Case:
    """Every function of plain integers, over the whole range or near zero."""
    rng, function = rng_of(draw), draw(st.sampled_from(ARITHMETIC))
    sizes = operands(draw)
    if draw(st.booleans()):
        a, b = (rng.integers(-4, 5, s).astype(dtype.numpy) for s in sizes)
    else:
        a, b = (values_of(rng, s, dtype) for s in sizes)
    return pair(draw, Binary, (a, b), function=function)


@st.composite
def binary_s8(draw: st.DrawFn) -> Case:
    """Codes in either scheme."""
    rng, function, once = rng_of(draw), draw(st.sampled_from(CODED)), draw(st.booleans())
    a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in operands(draw))
    attributes: dict[str, object] = {"clamp": (draw(st.sampled_from([-128, -90, 0])), draw(st.sampled_from([127, 60])))}
    quants = quant_of(rng), quant_of(rng), quant_of(rng)
    if once:
        factors = rng.integers(1, 2**30, 1 if function == "mul" else 2)
        attributes |= {"factors": tuple(int(f) for f in factors), "frac": draw(st.integers(8, 30))}
    elif function in ("min", "max"):
        quants = (quants[0],) * 3
    elif function == "mul":
        attributes |= {"requants": (Requant.of(rng.uniform(1e-4, 0.5), "double"),)}
    else:
        ends = [*rng.uniform(0.01, 0.5, 2), rng.uniform(0.5, 4) / 2**ADD_SHIFT]
        attributes |= {"requants": tuple(Requant.of(float(e), "double") for e in ends)}
    return pair(draw, Binary, (a, b), quants, function=function, **attributes)


@st.composite
def compare(draw: st.DrawFn, *dtypes: DType) -> Case:
    """Comparisons and logic of values of which many are equal."""
    rng, dtype = rng_of(draw), draw(st.sampled_from(dtypes))
    low = 0 if dtype in (DType.BOOL, DType.UINT8) else -2
    a, b = (rng.integers(low, 2, s).astype(dtype.numpy) for s in operands(draw))
    if dtype.is_float and draw(st.booleans()):
        a = np.where(rng.random(a.shape) < 0.3, np.float32(np.nan), a)
    if dtype in (DType.INT32, DType.INT64) and draw(st.booleans()):
        a = a + np.asarray(2 ** (8 * dtype.size_bytes - 2), dtype.numpy)
    quant = quant_of(rng) if dtype is DType.INT8 and draw(st.booleans()) else None
    return pair(draw, Binary, (a, b), (quant, quant, None), function=draw(st.sampled_from(COMPARISONS + LOGICAL)))


@st.composite
def prelu(draw: st.DrawFn, integer: bool) -> Case:
    """A slope for each channel, pixel or position."""
    rng, sizes = rng_of(draw), sorted(operands(draw), key=math.prod, reverse=True)
    assume(np.broadcast_shapes(*sizes) == sizes[0])
    if not integer:
        a, b = (np.asarray(rng.standard_normal(s), np.float32) for s in sizes)
        return pair(draw, PRelu, (a, b))
    a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in sizes)
    factors = (int(rng.integers(1, 2**26)), int(rng.integers(1, 2**20)))
    return pair(draw, PRelu, (a, b), (quant_of(rng), quant_of(rng), quant_of(rng)), factors=factors)


def single(
    draw: st.DrawFn,
    op: type[Op],
    values: np.ndarray,
    tolerance: tuple[float, float] = (1e-5, 1e-5),
    quants: tuple[Quant | None, Quant | None] = (None, None),
    **attributes: object,
) -> Case:
    """A program of one op of one input with these values; `quants` of input and output."""
    build = Builder("case")
    x = build.input("x", values.shape, DType.of(values), quants[0])
    outputs = build.emit(op, (x,), name="op", quant=quants[1], **attributes)
    return Case(build.finish(outputs), {"x": values}, tolerance)


DOMAINS = {
    "tan": (-1.3, 1.3), "asin": (-0.99, 0.99), "acos": (-0.99, 0.99), "atanh": (-0.95, 0.95), "acosh": (1.01, 9.0),
    "log": (0.01, 9.0), "sqrt": (0.0, 9.0), "rsqrt": (0.01, 9.0), "sinh": (-4.0, 4.0), "cosh": (-4.0, 4.0),
    "exp": (-9.0, 5.0),
}  # fmt: skip
"""Where the function is smooth enough for float32; elsewhere -9 to 9."""


@st.composite
def unary_f32(draw: st.DrawFn) -> Case:
    """Every float function, with values at which branches meet."""
    rng = rng_of(draw)
    function = draw(st.sampled_from([f for f in FUNCTIONS if f not in BOOLEAN]))
    low, high = DOMAINS.get(function, (-9.0, 9.0))
    x = rng.uniform(low, high, draw(shapes(most=200))).astype(np.float32)
    if function not in DOMAINS and function != "reciprocal":
        x = np.where(rng.random(x.shape) < 0.2, rng.choice(np.float32([0, 1, -1, 0.5, 1.5, -2.5, 6]), x.shape), x)
    a, b = (-0.5, 1.5) if function == "clip" else (float(rng.uniform(0.1, 1.5)), float(rng.uniform(0.1, 1.5)))
    a, b = float(np.float32(a)), float(np.float32(b))
    return single(draw, Unary, x, (2e-5, 2e-5), function=function, a=a, b=b)


@st.composite
def unary_plain(draw: st.DrawFn, dtype: DType) -> Case:
    """Clips of any bounds, signs."""
    x = values_of(rng_of(draw), draw(shapes(most=200)), dtype)
    low = draw(st.sampled_from([-math.inf, -5.0, 0.0]))
    high = draw(st.sampled_from([math.inf, 6.0, 100.0]))
    return single(draw, Unary, x, function=draw(st.sampled_from(INTEGER)), a=low, b=high)


@st.composite
def unary_not(draw: st.DrawFn) -> Case:
    """Bools."""
    return single(draw, Unary, rng_of(draw).integers(0, 2, draw(shapes())).astype(bool), function="not")


@st.composite
def unary_test(draw: st.DrawFn) -> Case:
    """NaN and infinity among others, the greatest numbers too."""
    some = np.float32([0, 1, -1, np.nan, np.inf, -np.inf, np.finfo(np.float32).max, np.finfo(np.float32).min])
    x = rng_of(draw).choice(some, draw(shapes(most=200)))
    return single(draw, Unary, x, function=draw(st.sampled_from(BOOLEAN[1:])))


@st.composite
def lookup(draw: st.DrawFn) -> Case:
    """Any table."""
    rng = rng_of(draw)
    table = tuple(int(v) for v in rng.integers(-128, 128, 256))
    x = rng.integers(-128, 128, draw(shapes())).astype(np.int8)
    return single(draw, Lookup, x, table=table, source="any", quants=(quant_of(rng), quant_of(rng)))


CASES = {
    "fr_binary_f32": binary_f32(),
    "fr_binary_i32": binary_plain(DType.INT32),
    "fr_binary_i64": binary_plain(DType.INT64),
    "fr_binary_s8": binary_s8(),
    "fr_compare_f32": compare(DType.FLOAT32),
    "fr_compare_i32": compare(DType.INT32),
    "fr_compare_i64": compare(DType.INT64),
    "fr_compare_u8": compare(DType.BOOL, DType.UINT8),
    "fr_compare_s8": compare(DType.INT8),
    "fr_prelu_f32": prelu(False),
    "fr_prelu_s8": prelu(True),
    "fr_unary_f32": unary_f32(),
    "fr_unary_i32": unary_plain(DType.INT32),
    "fr_unary_i64": unary_plain(DType.INT64),
    "fr_unary_i8": unary_plain(DType.INT8),
    "fr_unary_not": unary_not(),
    "fr_unary_test_f32": unary_test(),
    "fr_lookup_s8": lookup(),
}
