"""The kernel that replaces slices by index."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.scatter import REDUCTIONS, Scatter
from ferrule.program.op import Site
from ferrule.program.tensor import DType

TYPES = (DType.FLOAT32, DType.INT32, DType.INT64, DType.INT8)


def accepts(site: Site) -> str | None:
    """Any element type where updates replace; float32, int8, int32 and int64 where they are combined."""
    if cast(Scatter, site.op).reduction != "none" and site.output.dtype not in TYPES:
        return f"combines no {site.output.dtype.value}"
    return None


def operands(site: Site) -> tuple[int, ...]:
    """All three, constant or not."""
    return (0, 1, 2)


def fields(site: Site) -> list[Field]:
    """The members of `fr_scatter_op`."""
    op, x, index = cast(Scatter, site.op), site.input(0), site.input(1)
    members = {
        "element_bytes": x.dtype.size_bytes,
        "type": TYPES.index(x.dtype) if x.dtype in TYPES else 0,
        "reduction": REDUCTIONS.index(op.reduction),
        "slices": x.shape[0],
        "inner": x.shape[1],
        "count": index.shape[0],
        "wide": int(index.dtype is DType.INT64),
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_scatter", "scatter", "fr_scatter_op", Scatter, "whole", accepts, fields, operands=operands)
