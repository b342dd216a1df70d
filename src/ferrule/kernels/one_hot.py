"""The kernel that marks indices along an axis."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.one_hot import OneHot
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts(site: Site) -> str | None:
    """Any element type."""
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_one_hot_op`."""
    op, index, y = cast(OneHot, site.op), site.input(0), site.output
    shape, where = geometry(y), geometry(index)
    members = {
        "element_bytes": y.dtype.size_bytes,
        "depth": op.depth,
        "inner": math.prod(index.shape[op.axis :]),
        "negative": int(op.negative),
        "wide": int(index.dtype is DType.INT64),
        "out_width": shape.width,
        "out_channels": shape.channels,
        "index_width": where.width,
        "index_channels": where.channels,
    }

    def element(value: float) -> tuple[int, ...]:
        return tuple(np.asarray(value).astype(y.dtype.numpy).tobytes().ljust(8, b"\0"))

    return [
        *(Field(name, "int32_t", value) for name, value in members.items()),
        Field("on", "uint8_t[8]", element(op.on)),
        Field("off", "uint8_t[8]", element(op.off)),
    ]


KERNEL = Kernel("fr_one_hot", "one_hot", "fr_one_hot_op", OneHot, "rows", accepts, fields)
