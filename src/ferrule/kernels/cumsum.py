"""The kernel for running sums."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.cumsum import CumSum
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType

TYPES = (DType.FLOAT32, DType.INT32, DType.INT64)


def accepts(site: Site) -> str | None:
    """float32, int32 and int64."""
    return None if site.output.dtype in TYPES else f"sums no {site.output.dtype.value}"


def fields(site: Site) -> list[Field]:
    """The members of `fr_cumsum_op`."""
    op, x = cast(CumSum, site.op), site.input(0)
    shape = geometry(x)
    members = {
        "type": TYPES.index(x.dtype),
        "outer": math.prod(x.shape[: op.axis]),
        "length": x.shape[op.axis],
        "inner": math.prod(x.shape[op.axis + 1 :]),
        "exclusive": int(op.exclusive),
        "reverse": int(op.reverse),
        "width": shape.width,
        "channels": shape.channels,
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_cumsum", "cumsum", "fr_cumsum_op", CumSum, "whole", accepts, fields)
