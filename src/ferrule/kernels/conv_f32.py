"""Portable float convolution: what it takes, its constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.kernels.window_fields import window_fields
from ferrule.ops.conv import Conv
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(weights_vary: bool, bias_varies: bool) -> Callable[[Site], str | None]:
    """float32 throughout, weights and bias computed or not as the variant wants."""

    def rule(site: Site) -> str | None:
        if site.input(0).dtype is not DType.FLOAT32 or site.input(1).dtype is not DType.FLOAT32:
            return f"takes float32, not {site.input(0).dtype.value} and {site.input(1).dtype.value}"
        varies = site.constant(1) is None, site.has(2) and site.constant(2) is None
        if varies != (weights_vary, bias_varies):
            return "is the variant for other computed operands"
        return None

    return rule


def fields(site: Site) -> list[Field]:
    """The members of `fr_conv_f32_op`."""
    op = cast(Conv, site.op)
    x, w, y = site.input(0), site.input(1), site.output
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [
        *window_fields(x, y, w.shape[1:-1], op.strides, op.dilations, op.pads),
        Field("groups", "int32_t", op.groups),
        Field("clamp_low", "float", low),
        Field("clamp_high", "float", high),
        Field("weights", "const float *", site.constant(1)),
        Field("bias", "const float *", site.constant(2)),
    ]


def _kernel(suffix: str, weights_vary: bool, bias_varies: bool) -> Kernel:
    rule = accepts(weights_vary, bias_varies)
    return Kernel(f"fr_conv{suffix}_f32", "conv_f32", "fr_conv_f32_op", Conv, "rows", rule, fields, dense=(1, 2))


KERNELS = (
    _kernel("", False, False),
    _kernel("_w", True, False),
    _kernel("_wb", True, True),
    _kernel("_b", False, True),
)
