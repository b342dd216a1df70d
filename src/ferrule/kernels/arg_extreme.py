"""The kernel that finds extremes along an axis."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.arg_extreme import ArgExtreme
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType

ORDER_TYPES = {
    DType.FLOAT32: 0,
    DType.INT8: 1,
    DType.UINT8: 2,
    DType.BOOL: 2,
    DType.INT16: 3,
    DType.INT32: 4,
    DType.INT64: 5,
}
"""Element types as `fr_order.h` numbers them."""


def accepts(site: Site) -> str | None:
    """Any element type that has memory at run time."""
    dtype = site.input(0).dtype
    return None if dtype in ORDER_TYPES else f"compares no {dtype.value}"


def fields(site: Site) -> list[Field]:
    """The members of `fr_arg_extreme_op`."""
    op, x = cast(ArgExtreme, site.op), site.input(0)
    y, own = geometry(site.output), geometry(x)
    members = {
        "type": ORDER_TYPES[x.dtype],
        "element_bytes": x.dtype.size_bytes,
        "length": x.shape[op.axis],
        "inner": math.prod(x.shape[op.axis + 1 :]),
        "in_pixel": int(op.axis == x.rank - 1),
        "largest": int(op.largest),
        "last": int(op.last),
        "wide": int(site.output.dtype is DType.INT64),
        "out_width": y.width,
        "out_channels": y.channels,
        "in_width": own.width,
        "in_channels": own.channels,
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_arg_extreme", "arg_extreme", "fr_arg_extreme_op", ArgExtreme, "rows", accepts, fields)
