"""Portable pooling, int8 and float: what it takes."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.kernels.window_fields import window_fields
from ferrule.ops.pool import Pool
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts_s8(site: Site) -> str | None:
    """int8 in and out."""
    types = {site.input(0).dtype, site.output.dtype}
    return None if types == {DType.INT8} else "takes and makes int8"


def accepts_f32(site: Site) -> str | None:
    """float32 in and out."""
    types = {site.input(0).dtype, site.output.dtype}
    return None if types == {DType.FLOAT32} else "takes and makes float32"


def _shared(site: Site) -> list[Field]:
    op = cast(Pool, site.op)
    one = len(op.kernel) == 1
    return [
        *window_fields(site.input(0), site.output, op.kernel, op.strides, op.dilations, op.pads),
        Field("maximum", "int32_t", int(op.mode == "max")),
        Field("count_pads", "int32_t", int(op.count_pads)),
        Field("pad_bottom", "int32_t", op.pads[0][1]),
        Field("pad_right", "int32_t", 0 if one else op.pads[1][1]),
    ]


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_pool_s8_op`."""
    op = cast(Pool, site.op)
    low, high = op.clamp if op.clamp is not None else site.output.dtype.bounds
    requant = op.requant
    return [
        *_shared(site),
        Field("in_zero", "int32_t", site.input(0).zero_point),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("multiplier", "const int32_t *", None if requant is None else np.asarray(requant.multiplier, np.int32)),
        Field("shift", "const int32_t *", None if requant is None else np.asarray(requant.shift, np.int32)),
    ]


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_pool_f32_op`."""
    op = cast(Pool, site.op)
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [*_shared(site), Field("clamp_low", "float", low), Field("clamp_high", "float", high)]


KERNELS = (
    Kernel("fr_pool_s8", "pool_s8", "fr_pool_s8_op", Pool, "rows", accepts_s8, fields_s8),
    Kernel("fr_pool_f32", "pool_f32", "fr_pool_f32_op", Pool, "rows", accepts_f32, fields_f32),
)
