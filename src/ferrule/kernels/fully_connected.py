"""Portable dense layers, int8 and float: what they take."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.fully_connected import FullyConnected
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts_s8(site: Site) -> str | None:
    """int8 activations, constant int8 weights, constant bias."""
    x, w, y = site.input(0), site.input(1), site.output
    if x.dtype is not DType.INT8 or y.dtype is not DType.INT8 or w.dtype not in (DType.INT8, DType.INT4):
        return "takes int8 activations and weights and makes int8"
    if site.constant(1) is None or (site.has(2) and site.constant(2) is None):
        return "weights and bias must be constants"
    return None


def accepts_f32(site: Site) -> str | None:
    """float32, constant weights and bias."""
    if site.input(0).dtype is not DType.FLOAT32 or site.input(1).dtype is not DType.FLOAT32:
        return "takes float32"
    if site.constant(1) is None or (site.has(2) and site.constant(2) is None):
        return "weights and bias must be constants"
    return None


def accepts_w_f32(site: Site) -> str | None:
    """float32, computed weights, constant bias or none."""
    if site.input(0).dtype is not DType.FLOAT32 or site.input(1).dtype is not DType.FLOAT32:
        return "takes float32"
    if site.constant(1) is not None or (site.has(2) and site.constant(2) is None):
        return "weights must be computed and the bias constant"
    return None


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_fully_connected_s8_op`."""
    op = cast(FullyConnected, site.op)
    x, w, y = site.input(0), site.input(1), site.output
    assert op.requant is not None
    low, high = op.clamp if op.clamp is not None else y.dtype.bounds
    zeros = np.asarray(w.quant.zero_point if w.quant else (0,), np.int8)
    bias = site.constant(2)
    return [
        Field("inputs", "int32_t", w.shape[1]),
        Field("outputs", "int32_t", w.shape[0]),
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
    """The members of `fr_fully_connected_f32_op`."""
    op = cast(FullyConnected, site.op)
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [
        Field("inputs", "int32_t", site.input(1).shape[1]),
        Field("outputs", "int32_t", site.input(1).shape[0]),
        Field("clamp_low", "float", low),
        Field("clamp_high", "float", high),
        Field("weights", "const float *", site.constant(1)),
        Field("bias", "const float *", site.constant(2)),
    ]


KERNELS = (
    Kernel(
        "fr_fully_connected_s8",
        "fully_connected_s8",
        "fr_fully_connected_s8_op",
        FullyConnected,
        "rows",
        accepts_s8,
        fields_s8,
    ),
    Kernel(
        "fr_fully_connected_f32",
        "fully_connected_f32",
        "fr_fully_connected_f32_op",
        FullyConnected,
        "rows",
        accepts_f32,
        fields_f32,
    ),
    Kernel(
        "fr_fully_connected_w_f32",
        "fully_connected_f32",
        "fr_fully_connected_f32_op",
        FullyConnected,
        "rows",
        accepts_w_f32,
        fields_f32,
        dense=(1,),
    ),
)
