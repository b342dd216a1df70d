"""Portable matrix products: what they take."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.matmul import MatMul
from ferrule.program.op import Site
from ferrule.program.tensor import DType, Tensor

BATCH_AXES = 4


def both(site: Site) -> tuple[int, ...]:
    """Both operands are views, constants too."""
    return (0, 1)


def _strides(x: Tensor, batch: tuple[int, ...]) -> tuple[int, ...]:
    own = (*[1] * (len(batch) - (x.rank - 2)), *x.shape[:-2])
    matrix = x.shape[-2] * x.shape[-1]
    steps = [matrix * math.prod(own[i + 1 :]) if own[i] != 1 else 0 for i in range(len(own))]
    return (*[0] * (BATCH_AXES - len(steps)), *steps)


def _shared(site: Site) -> list[Field]:
    a, b = site.input(0), site.input(1)
    batch = site.output.shape[:-2]
    return [
        Field("batches", "int32_t", math.prod(batch)),
        Field("batch_size", "int32_t[4]", (*[1] * (BATCH_AXES - len(batch)), *batch)),
        Field("a_stride", "int32_t[4]", _strides(a, batch)),
        Field("b_stride", "int32_t[4]", _strides(b, batch)),
        Field("rows", "int32_t", a.shape[-2]),
        Field("inner", "int32_t", a.shape[-1]),
        Field("columns", "int32_t", b.shape[-1]),
    ]


def accepts_f32(site: Site) -> str | None:
    """float32, rank up to 6."""
    fits = site.input(0).dtype is DType.FLOAT32 and site.output.rank <= BATCH_AXES + 2
    return None if fits else "takes float32 of rank up to 6"


def accepts_s8(site: Site) -> str | None:
    """int8 codes, rank up to 6."""
    types = {site.input(0).dtype, site.input(1).dtype, site.output.dtype}
    fits = types == {DType.INT8} and site.output.rank <= BATCH_AXES + 2 and cast(MatMul, site.op).requant is not None
    return None if fits else "takes and makes int8 codes of rank up to 6"


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_matmul_f32_op`."""
    op = cast(MatMul, site.op)
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [*_shared(site), Field("clamp_low", "float", low), Field("clamp_high", "float", high)]


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_matmul_s8_op`."""
    op = cast(MatMul, site.op)
    low, high = op.clamp if op.clamp is not None else site.output.dtype.bounds
    assert op.requant is not None
    return [
        *_shared(site),
        Field("a_zero", "int32_t", site.input(0).zero_point),
        Field("b_zero", "int32_t", site.input(1).zero_point),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("single", "int32_t", int(op.requant.scheme == "single")),
        Field("multiplier", "int32_t", op.requant.multiplier[0]),
        Field("shift", "int32_t", op.requant.shift[0]),
    ]


KERNELS = tuple(
    Kernel(f"fr_matmul_{t}", f"matmul_{t}", f"fr_matmul_{t}_op", MatMul, "whole", a, f, operands=both, strided=False)
    for t, a, f in (("f32", accepts_f32, fields_f32), ("s8", accepts_s8, fields_s8))
)
