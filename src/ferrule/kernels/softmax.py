"""Portable softmax, int8 and float: what it takes."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.softmax import Softmax
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts_s8(site: Site) -> str | None:
    """int8 in and out."""
    op = cast(Softmax, site.op)
    types = {site.input(0).dtype, site.output.dtype}
    return None if types == {DType.INT8} and op.exps else "takes and makes int8"


def accepts_f32(site: Site) -> str | None:
    """float32 in and out."""
    types = {site.input(0).dtype, site.output.dtype}
    return None if types == {DType.FLOAT32} else "takes and makes float32"


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_softmax_s8_op`."""
    op, shape = cast(Softmax, site.op), geometry(site.output)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("factor", "int32_t", op.factor),
        Field("exps", "const int32_t *", np.asarray(op.exps, np.int32)),
    ]


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_softmax_f32_op`."""
    op, shape = cast(Softmax, site.op), geometry(site.output)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("beta", "float", op.beta),
        Field("log", "int32_t", int(op.log)),
    ]


KERNELS = (
    Kernel("fr_softmax_s8", "softmax_s8", "fr_softmax_s8_op", Softmax, "rows", accepts_s8, fields_s8),
    Kernel("fr_softmax_f32", "softmax_f32", "fr_softmax_f32_op", Softmax, "rows", accepts_f32, fields_f32),
)
