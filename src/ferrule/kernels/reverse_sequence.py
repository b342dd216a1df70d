"""The kernel that reverses the first steps of batches."""

from __future__ import annotations

import math
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.reverse_sequence import ReverseSequence
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(site: Site) -> str | None:
    """Any element type."""
    return None


def operands(site: Site) -> tuple[int, ...]:
    """Tensor and lengths, constant or not."""
    return (0, 1)


def fields(site: Site) -> list[Field]:
    """The members of `fr_reverse_sequence_op`."""
    op, x = cast(ReverseSequence, site.op), site.input(0)
    shape, (a, b) = geometry(x), sorted((op.time, op.batch))
    sizes = (
        math.prod(x.shape[:a]),
        x.shape[a],
        math.prod(x.shape[a + 1 : b]),
        x.shape[b],
        math.prod(x.shape[b + 1 :]),
    )
    return [
        Field("element_bytes", "int32_t", x.dtype.size_bytes),
        Field("size", "int32_t[5]", sizes),
        Field("time_first", "int32_t", int(op.time < op.batch)),
        Field("wide", "int32_t", int(site.input(1).dtype is DType.INT64)),
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
    ]


KERNEL = Kernel(
    "fr_reverse_sequence",
    "reverse_sequence",
    "fr_reverse_sequence_op",
    ReverseSequence,
    "rows",
    accepts,
    fields,
    operands=operands,
)
