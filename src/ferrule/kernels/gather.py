"""The kernel that picks slices by index."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.gather import Gather
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(site: Site) -> str | None:
    """Any element type."""
    return None


def operands(site: Site) -> tuple[int, ...]:
    """Tensor and indices, constant or not."""
    return (0, 1)


def fields(site: Site) -> list[Field]:
    """The members of `fr_gather_op`."""
    op, x, index = cast(Gather, site.op), site.input(0), site.input(1)
    y, own, where = geometry(site.output), geometry(x), geometry(index)
    members = {
        "element_bytes": x.dtype.size_bytes,
        "outer": math.prod(x.shape[op.batch : op.axis]),
        "length": x.shape[op.axis],
        "inner": math.prod(x.shape[op.axis + 1 :]),
        "count": math.prod(index.shape[op.batch :]),
        "wide": int(index.dtype is DType.INT64),
        "out_width": y.width,
        "out_channels": y.channels,
        "in_width": own.width,
        "in_channels": own.channels,
        "index_width": where.width,
        "index_channels": where.channels,
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_gather_slices", "gather", "fr_gather_op", Gather, "rows", accepts, fields, operands=operands)
