"""Portable reductions: what they take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.reduce import FUNCTIONS, Reduce
from ferrule.program.op import Site
from ferrule.program.tensor import DType

AXES = 6


def _padded(values: Sequence[int], fill: int) -> tuple[int, ...]:
    return (*([fill] * (AXES - len(values))), *values)


def shared_fields(site: Site) -> list[Field]:
    """Sizes and strides of kept and reduced axes, and the function's number."""
    op, shape = cast(Reduce, site.op), site.input(0).shape
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    kept = [i for i in range(len(shape)) if i not in op.axes]
    reduced = list(op.axes)
    members: list[Field] = [
        Field("outputs", "int32_t", math.prod(shape[i] for i in kept)),
        Field("count", "int32_t", math.prod(shape[i] for i in reduced)),
    ]
    for name, axes in (("out", kept), ("in", reduced)):
        members.append(Field(f"{name}_size", "int32_t[6]", _padded([shape[i] for i in axes], 1)))
        members.append(Field(f"{name}_stride", "int32_t[6]", _padded([strides[i] for i in axes], 0)))
    return [*members, Field("function", "int32_t", list(FUNCTIONS).index(op.function), op.function)]


def accepts(dtype: DType) -> Callable[[Site], str | None]:
    """One plain type, rank up to 6."""

    def rule(site: Site) -> str | None:
        if site.input(0).dtype is not dtype or site.input(0).rank > AXES:
            return f"takes {dtype.value} of rank up to {AXES}"
        if not dtype.is_float and cast(Reduce, site.op).function in ("l2", "log_sum", "log_sum_exp"):
            return "has no integer form of this function"
        return None

    return rule


def accepts_s8(site: Site) -> str | None:
    """int8 codes; mean, sum, max, min."""
    op = cast(Reduce, site.op)
    if {site.input(0).dtype, site.output.dtype} != {DType.INT8} or site.input(0).rank > AXES:
        return f"takes and makes int8 of rank up to {AXES}"
    if op.function not in ("mean", "sum", "max", "min") or (op.function in ("mean", "sum") and op.requant is None):
        return "takes mean, sum, max and min of codes"
    return None


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_reduce_s8_op`."""
    op = cast(Reduce, site.op)
    low, high = op.clamp if op.clamp is not None else site.output.dtype.bounds
    requant = op.requant
    return [
        *shared_fields(site),
        Field("in_zero", "int32_t", site.input(0).zero_point),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("scaled", "int32_t", int(requant is not None)),
        Field("single", "int32_t", int(requant is not None and requant.scheme == "single")),
        Field("multiplier", "int32_t", 0 if requant is None else requant.multiplier[0]),
        Field("shift", "int32_t", 0 if requant is None else requant.shift[0]),
    ]


def _plain(suffix: str, dtype: DType) -> Kernel:
    rule = accepts(dtype)
    return Kernel(f"fr_reduce_{suffix}", "reduce", "fr_reduce_op", Reduce, "whole", rule, shared_fields, strided=False)


KERNELS = (
    Kernel("fr_reduce_s8", "reduce_s8", "fr_reduce_s8_op", Reduce, "whole", accepts_s8, fields_s8, strided=False),
    _plain("f32", DType.FLOAT32),
    _plain("i32", DType.INT32),
    _plain("i64", DType.INT64),
)
