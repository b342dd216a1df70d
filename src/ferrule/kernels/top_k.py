"""The kernel that orders the best of an axis."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.arg_extreme import ORDER_TYPES
from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.top_k import TopK
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(site: Site) -> str | None:
    """Any element type that has memory at run time."""
    dtype = site.input(0).dtype
    return None if dtype in ORDER_TYPES else f"compares no {dtype.value}"


def fields(site: Site) -> list[Field]:
    """The members of `fr_top_k_op`."""
    op, x = cast(TopK, site.op), site.input(0)
    members = {
        "type": ORDER_TYPES[x.dtype],
        "element_bytes": x.dtype.size_bytes,
        "outer": math.prod(x.shape[: op.axis]),
        "length": x.shape[op.axis],
        "count": op.count,
        "inner": math.prod(x.shape[op.axis + 1 :]),
        "largest": int(op.largest),
        "wide": int(site.outputs[1].dtype is DType.INT64),
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_top_k", "top_k", "fr_top_k_op", TopK, "whole", accepts, fields, strided=False)
