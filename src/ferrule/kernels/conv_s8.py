"""Portable int8 convolution: what it takes, its constants."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.kernels.window_fields import window_fields
from ferrule.ops.conv import Conv
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(site: Site) -> str | None:
    """int8 activations and constant int8 (or int4) weights."""
    x, w, y = site.input(0), site.input(1), site.output
    if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
        return f"takes and makes int8 activations, not {x.dtype.value} and {y.dtype.value}"
    if site.constant(1) is None or (site.has(2) and site.constant(2) is None):
        return "weights and bias must be constants"
    if w.dtype not in (DType.INT8, DType.INT4):
        return f"weights must be int8 or int4, not {w.dtype.value}"
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_conv_s8_op`."""
    op = cast(Conv, site.op)
    x, w, y = site.input(0), site.input(1), site.output
    assert op.requant is not None
    low, high = op.clamp if op.clamp is not None else y.dtype.bounds
    zeros = np.asarray(w.quant.zero_point if w.quant else (0,), np.int8)
    bias = site.constant(2)
    return [
        *window_fields(x, y, w.shape[1:-1], op.strides, op.dilations, op.pads),
        Field("groups", "int32_t", op.groups),
        Field("in_zero", "int32_t", x.zero_point),
        Field("out_zero", "int32_t", y.zero_point),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("single", "int32_t", int(op.requant.scheme == "single")),
        Field("per_channel", "int32_t", int(len(op.requant.multiplier) > 1)),
        Field("weights", "const int8_t *", site.constant(1)),
        Field("weight_zero", "const int8_t *", np.broadcast_to(zeros, w.shape[:1]).copy() if zeros.any() else None),
        Field("bias", "const int32_t *", None if bias is None else bias.astype(np.int32)),
        Field("multiplier", "const int32_t *", np.asarray(op.requant.multiplier, np.int32)),
        Field("shift", "const int32_t *", np.asarray(op.requant.shift, np.int32)),
    ]


KERNEL = Kernel("fr_conv_s8", "conv_s8", "fr_conv_s8_op", Conv, "rows", accepts, fields)
