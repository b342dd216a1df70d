"""Drawn elementwise ops for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.binary import COMPARISONS, LOGICAL, Binary, tflite_add_stage
from ferrule.ops.lookup import Lookup
from ferrule.ops.prelu import PRelu
from ferrule.ops.unary import BOOLEAN, FUNCTIONS, INTEGER, Unary
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Op, Site
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case
from tests.kernels.cases_movement import shapes, values_of

STEEP = frozenset({"tan", "log", "atanh", "acosh", "asin", "acos", "reciprocal", "rsqrt"})
"""Functions whose float32 result is far from the float64 one near a pole; they are drawn away from it."""


def rng_of(draw: st.DrawFn) -> np.random.Generator:
    """A generator that hypothesis can shrink by its seed."""
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def quant_of(rng: np.random.Generator) -> Quant:
    """A scale and an int8 zero point."""
    return Quant.per_tensor(float(rng.uniform(0.005, 0.2)), int(rng.integers(-128, 128)))


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


@st.composite
def pairs(draw: st.DrawFn, dtype: DType) -> tuple[Builder, str, str, dict[str, np.ndarray], np.random.Generator]:
    """Two operands: of one shape, or the second broadcast by rows, pixels or channels; either may be constant."""
    rng = rng_of(draw)
    shape = draw(shapes(2, 4, 120))
    other = list(shape)
    keep = draw(st.sampled_from(["all", "channels", "pixels", "scalar"]))
    rows = len(shape) - (2 if len(shape) >= 4 else 1)
    if keep != "all":
        other[:rows] = [1] * rows
    if keep == "channels" and len(shape) >= 4:
        other[-2] = 1
    if keep == "pixels":
        other[-1] = 1
    if keep == "scalar":
        other = [1] * len(shape)
    build = Builder("case")
    quant = quant_of(rng) if dtype is DType.INT8 else None
    first = build.input("a", shape, dtype, quant)
    values = {"a": values_of(rng, shape, dtype)}
    second_quant = quant_of(rng) if dtype is DType.INT8 else None
    contents = values_of(rng, tuple(other), dtype)
    if draw(st.booleans()):
        second = build.constant(contents, "b", second_quant, dtype)
    else:
        second = build.input("b", tuple(other), dtype, second_quant)
        values["b"] = contents
    return build, first, second, values, rng


@st.composite
def binary_s8(draw: st.DrawFn) -> Case:
    """Both schemes of the integer functions."""
    build, a, b, values, rng = draw(pairs(DType.INT8))
    function = draw(st.sampled_from(["add", "sub", "mul", "min", "max"]))
    quant = quant_of(rng)
    if draw(st.booleans()):
        (y,) = build.emit(Binary, (a, b), name="op", quant=quant, function=function)
        program = build.finish([y])
        op = program.ops[0]
        site = program.site(op)
        return Case(program.but(ops=(op.quantized(site),)), values) if _by_factors(site) else Case(_stepwise(program), values)
    (y,) = build.emit(Binary, (a, b), name="op", quant=quant, function=function)
    return Case(_stepwise(build.finish([y])), values)


def _by_factors(site: Site) -> bool:
    return isinstance(site.op.quantized(site), Binary)


def _stepwise(program):  # type: ignore[no-untyped-def]
    """The op with TFLite's arithmetic; minimum and maximum then need one scale."""
    op = program.ops[0]
    a, b, y = (program.tensors[n] for n in (*op.inputs, *op.outputs))
    if op.function in ("add", "sub"):
        requants = tflite_add_stage(a, b, y)
    elif op.function == "mul":
        requants = (Requant.of(a.scale * b.scale / y.scale, "double"),)
    else:
        tensors = {n: t.but(quant=a.quant) for n, t in program.tensors.items()}
        return program.but(tensors=tensors, ops=(op.but(clamp=(-100, 120)),))
    return program.but(ops=(op.but(requants=requants, clamp=(-128, 127)),))


@st.composite
def binary_plain(draw: st.DrawFn, dtype: DType) -> Case:
    """Functions of plain numbers."""
    build, a, b, values, _ = draw(pairs(dtype))
    names = ["add", "sub", "mul", "min", "max", "squared_difference"]
    if dtype.is_float:
        names += ["div", "pow", "mod", "fmod"]
        values = {n: np.abs(v) + 0.25 for n, v in values.items()}
        build.constants = {n: np.abs(v) + np.float32(0.25) for n, v in build.constants.items()}
    else:
        values = {n: v % 1000 + 1 for n, v in values.items()}
        build.constants = {n: v % 1000 + 1 for n, v in build.constants.items()}
        names += ["div", "mod", "fmod"]
    function = draw(st.sampled_from(names))
    (y,) = build.emit(Binary, (a, b), name="op", function=function)
    return Case(build.finish([y]), values, (1e-4, 1e-4))


@st.composite
def compare(draw: st.DrawFn, dtype: DType) -> Case:
    """Comparisons and logic."""
    build, a, b, values, _ = draw(pairs(dtype))
    build.tensors = {n: t.but(quant=None) for n, t in build.tensors.items()}
    names = LOGICAL + ("equal",) if dtype is DType.BOOL else COMPARISONS
    (y,) = build.emit(Binary, (a, b), name="op", function=draw(st.sampled_from(names)))
    return Case(build.finish([y]), values)


@st.composite
def prelu(draw: st.DrawFn, dtype: DType) -> Case:
    """A slope that broadcasts."""
    build, a, b, values, rng = draw(pairs(dtype))
    (y,) = build.emit(PRelu, (a, b), name="op", quant=quant_of(rng) if dtype is DType.INT8 else None)
    program = build.finish([y])
    if dtype is DType.INT8:
        program = program.but(ops=(program.ops[0].quantized(program.site(program.ops[0])),))
    return Case(program, values)


@st.composite
def unary_f32(draw: st.DrawFn) -> Case:
    """Every float function."""
    rng = rng_of(draw)
    shape = draw(shapes(1, 4, 120))
    function = draw(st.sampled_from([f for f in FUNCTIONS if f not in BOOLEAN]))
    values = rng.uniform(-2, 2, shape).astype(np.float32)
    if function in STEEP or function == "sqrt":
        low, high = (1.1, 3.0) if function == "acosh" else (0.1, 0.9)
        values = rng.uniform(low, high, shape).astype(np.float32)
    if function in ("floor", "ceil", "round", "sign"):
        values = values + np.float32(0.01)
    a, b = {"clip": (-1.0, 1.5), "hard_sigmoid": (0.2, 0.5)}.get(function, (1.25, 1.05))
    build = Builder("case")
    x = build.input("x", shape, DType.FLOAT32)
    (y,) = build.emit(Unary, (x,), name="op", function=function, a=a, b=b)
    return Case(build.finish([y]), {"x": values}, (2e-5, 2e-5))


@st.composite
def unary_plain(draw: st.DrawFn, dtype: DType) -> Case:
    """Functions of plain integers."""
    rng = rng_of(draw)
    shape = draw(shapes(1, 4, 120))
    low, high = dtype.bounds
    values = rng.integers(max(low + 1, -(2**40)), min(high, 2**40), shape).astype(dtype.numpy)
    build = Builder("case")
    x = build.input("x", shape, dtype)
    function = draw(st.sampled_from(INTEGER))
    (y,) = build.emit(Unary, (x,), name="op", function=function, a=-50.0, b=70.0)
    return Case(build.finish([y]), {"x": values})


@st.composite
def unary_bool(draw: st.DrawFn, function: str, dtype: DType) -> Case:
    """Tests and negation that make bool."""
    rng = rng_of(draw)
    shape = draw(shapes(1, 4, 60))
    values = values_of(rng, shape, dtype)
    if dtype.is_float:
        values.reshape(-1)[:: max(values.size // 3, 1)] = np.nan
        values.reshape(-1)[1:: max(values.size // 2, 1)] = -np.inf
    build = Builder("case")
    x = build.input("x", shape, dtype)
    name = draw(st.sampled_from(["is_nan", "is_inf"])) if dtype.is_float else function
    (y,) = build.emit(Unary, (x,), name="op", function=name)
    return Case(build.finish([y]), {"x": values})


@st.composite
def lookup(draw: st.DrawFn) -> Case:
    """Any table."""
    rng = rng_of(draw)
    shape = draw(shapes(1, 4, 200))
    build = Builder("case")
    x = build.input("x", shape, DType.INT8)
    table = tuple(int(v) for v in rng.integers(-128, 128, 256))
    (y,) = build.emit(Lookup, (x,), name="op", table=table)
    return Case(build.finish([y]), {"x": values_of(rng, shape, DType.INT8)})


CASES = {
    "fr_binary_s8": binary_s8(),
    "fr_binary_f32": binary_plain(DType.FLOAT32),
    "fr_binary_i32": binary_plain(DType.INT32),
    "fr_binary_i64": binary_plain(DType.INT64),
    "fr_compare_f32": compare(DType.FLOAT32),
    "fr_compare_i32": compare(DType.INT32),
    "fr_compare_i64": compare(DType.INT64),
    "fr_compare_u8": compare(DType.BOOL),
    "fr_compare_s8": compare(DType.INT8),
    "fr_prelu_f32": prelu(DType.FLOAT32),
    "fr_prelu_s8": prelu(DType.INT8),
    "fr_unary_f32": unary_f32(),
    "fr_unary_i32": unary_plain(DType.INT32),
    "fr_unary_i64": unary_plain(DType.INT64),
    "fr_unary_i8": unary_plain(DType.INT8),
    "fr_unary_not": unary_bool("not", DType.BOOL),
    "fr_unary_test_f32": unary_bool("is_nan", DType.FLOAT32),
    "fr_lookup_s8": lookup(),
}
