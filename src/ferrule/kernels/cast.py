"""The kernel that casts numbers to another type."""

from __future__ import annotations

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.cast import Cast
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType

TYPES = (DType.FLOAT32, DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64, DType.BOOL)


def accepts(site: Site) -> str | None:
    """Any pair of element types that has memory at run time."""
    wrong = [t.dtype for t in (site.input(0), site.output) if t.dtype not in TYPES]
    return f"{wrong[0].value} exists as a constant only" if wrong else None


def fields(site: Site) -> list[Field]:
    """The members of `fr_cast_op`."""
    x, y = site.input(0), site.output
    shape = geometry(y)
    members = {
        "width": shape.width,
        "channels": shape.channels,
        "from": TYPES.index(x.dtype),
        "to": TYPES.index(y.dtype),
        "from_bytes": x.dtype.size_bytes,
        "to_bytes": y.dtype.size_bytes,
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


KERNEL = Kernel("fr_cast", "cast", "fr_cast_op", Cast, "rows", accepts, fields)
