"""The kernel that keeps a triangle."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.trilu import Trilu
from ferrule.program.geometry import geometry
from ferrule.program.op import Site


def accepts(site: Site) -> str | None:
    """Any element type."""
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_trilu_op`."""
    op, y = cast(Trilu, site.op), site.output
    shape = geometry(y)
    zero = np.asarray(y.zero_point).astype(y.dtype.numpy).tobytes().ljust(8, b"\0")
    return [
        Field("element_bytes", "int32_t", y.dtype.size_bytes),
        Field("upper", "int32_t", int(op.upper)),
        Field("diagonal", "int32_t", op.diagonal),
        Field("matrix_rows", "int32_t", 0 if y.rank >= 4 else y.shape[-2]),
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("zero", "uint8_t[8]", tuple(zero)),
    ]


KERNEL = Kernel("fr_trilu", "trilu", "fr_trilu_op", Trilu, "rows", accepts, fields)
