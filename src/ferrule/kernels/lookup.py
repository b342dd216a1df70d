"""Portable table look-up: what it takes."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.lookup import Lookup
from ferrule.program.geometry import geometry
from ferrule.program.op import Site


def accepts(site: Site) -> str | None:
    """Every look-up is of int8."""
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_lookup_s8_op`."""
    op, shape = cast(Lookup, site.op), geometry(site.output)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("table", "const int8_t *", np.asarray(op.table, np.int8), op.source),
    ]


KERNEL = Kernel("fr_lookup_s8", "lookup_s8", "fr_lookup_s8_op", Lookup, "rows", accepts, fields)
