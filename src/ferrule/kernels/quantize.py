"""Portable quantize and dequantize: what they take."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.dequantize import Dequantize
from ferrule.ops.quantize import Quantize
from ferrule.program.geometry import geometry
from ferrule.program.op import Op, Site
from ferrule.program.tensor import DType, Tensor

SUFFIXES = {"s8": DType.INT8, "u8": DType.UINT8, "s16": DType.INT16, "s32": DType.INT32}


def _reason(coded: Tensor, dtype: DType) -> str | None:
    if coded.dtype is not dtype:
        return f"is the variant for {dtype.value}"
    if coded.quant is not None and coded.quant.axis not in (None, coded.rank - 1):
        return "takes scales per tensor or along the last axis"
    return None


def accepts_quantize(dtype: DType) -> Callable[[Site], str | None]:
    """float32 to one integer type; scales per tensor or along the last axis."""
    return lambda site: _reason(site.output, dtype)


def accepts_dequantize(dtype: DType) -> Callable[[Site], str | None]:
    """One integer type to float32; scales per tensor or along the last axis."""
    return lambda site: _reason(site.input(0), dtype)


def fields(site: Site) -> list[Field]:
    """The members of `fr_quantize_op`."""
    coded = site.output if isinstance(site.op, Quantize) else site.input(0)
    shape, quant = geometry(coded), coded.quant
    assert quant is not None
    away = isinstance(site.op, Quantize) and site.op.rounding == "away"
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("per_channel", "int32_t", int(quant.axis is not None)),
        Field("away", "int32_t", int(away)),
        Field("scale", "const float *", np.asarray(quant.scale, np.float32)),
        Field("zero", "const int32_t *", np.asarray(quant.zero_point, np.int32)),
    ]


def _kernel(verb: str, op: type[Op], suffix: str, rule: Callable[[Site], str | None]) -> Kernel:
    return Kernel(f"fr_{verb}_{suffix}", "quantize", "fr_quantize_op", op, "rows", rule, fields)


KERNELS = (
    *(_kernel("quantize", Quantize, s, accepts_quantize(d)) for s, d in SUFFIXES.items()),
    *(_kernel("dequantize", Dequantize, s, accepts_dequantize(d)) for s, d in SUFFIXES.items()),
)
