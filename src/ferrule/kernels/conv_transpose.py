"""Portable transposed convolution: what it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.kernels.window_fields import window_fields
from ferrule.ops.conv_transpose import ConvTranspose
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts_s8(site: Site) -> str | None:
    """int8 activations and constant int8 (or int4) weights."""
    x, w, y = site.input(0), site.input(1), site.output
    if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
        return f"takes and makes int8 activations, not {x.dtype.value} and {y.dtype.value}"
    if site.constant(1) is None or (site.has(2) and site.constant(2) is None):
        return "weights and bias must be constants"
    if w.dtype not in (DType.INT8, DType.INT4):
        return f"weights must be int8 or int4, not {w.dtype.value}"
    return None


def accepts_f32(weights_vary: bool) -> Callable[[Site], str | None]:
    """float32 throughout, the bias constant, the weights computed or not as the variant wants."""

    def rule(site: Site) -> str | None:
        if site.input(0).dtype is not DType.FLOAT32 or site.input(1).dtype is not DType.FLOAT32:
            return f"takes float32, not {site.input(0).dtype.value} and {site.input(1).dtype.value}"
        if site.has(2) and site.constant(2) is None:
            return "the bias must be a constant"
        if (site.constant(1) is None) is not weights_vary:
            return "is the variant for other weights"
        return None

    return rule


def _window(site: Site) -> list[Field]:
    op = cast(ConvTranspose, site.op)
    x, w, y = site.input(0), site.input(1), site.output
    pads = tuple((p, 0) for p in op.pads)
    every = [s // math.gcd(s, d) for s, d in zip(op.strides, op.dilations, strict=True)]
    return [
        *window_fields(x, y, w.shape[1:-1], op.strides, op.dilations, pads),
        Field("every_h", "int32_t", every[0]),
        Field("every_w", "int32_t", every[1] if len(every) > 1 else 1),
        Field("groups", "int32_t", op.groups),
    ]


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_conv_transpose_s8_op`."""
    op = cast(ConvTranspose, site.op)
    x, w, y = site.input(0), site.input(1), site.output
    assert op.requant is not None
    low, high = op.clamp if op.clamp is not None else y.dtype.bounds
    zeros = np.asarray(w.quant.zero_point if w.quant else (0,), np.int8)
    bias = site.constant(2)
    return [
        *_window(site),
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


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_conv_transpose_f32_op`."""
    op = cast(ConvTranspose, site.op)
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [
        *_window(site),
        Field("clamp_low", "float", low),
        Field("clamp_high", "float", high),
        Field("weights", "const float *", site.constant(1)),
        Field("bias", "const float *", site.constant(2)),
    ]


def _float(function: str, weights_vary: bool) -> Kernel:
    rule = accepts_f32(weights_vary)
    return Kernel(
        function, "conv_transpose_f32", "fr_conv_transpose_f32_op", ConvTranspose, "rows", rule, fields_f32, dense=(1,)
    )


KERNELS = (
    Kernel(
        "fr_conv_transpose_s8",
        "conv_transpose_s8",
        "fr_conv_transpose_s8_op",
        ConvTranspose,
        "rows",
        accepts_s8,
        fields_s8,
    ),
    _float("fr_conv_transpose_f32", weights_vary=False),
    _float("fr_conv_transpose_w_f32", weights_vary=True),
)
