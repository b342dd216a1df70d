"""The kernel that joins tensors along one axis."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.concat import Concat, row_runs
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType

ROWS, PIXELS, CHANNELS = 0, 1, 2


def accepts(site: Site) -> str | None:
    """Any element type; int8 where an input is requantized."""
    op = cast(Concat, site.op)
    if any(op.requants) and any(t is not None and t.dtype is not DType.INT8 for t in (*site.inputs, site.output)):
        return "requantizes int8 inputs only"
    return None


def operands(site: Site) -> tuple[int, ...]:
    """Every input, also a constant one."""
    return tuple(range(len(site.inputs)))


def fields(site: Site) -> list[Field]:
    """The members of `fr_concat_op`."""
    op, y = cast(Concat, site.op), site.output
    shape, tensors = geometry(y), [site.input(i) for i in range(len(site.inputs))]
    own = [geometry(t) for t in tensors]
    run = 1
    if op.axis == y.rank - 1 or y.rank == 0:
        along, extent = CHANNELS, [g.channels for g in own]
    elif y.rank >= 4 and op.axis == y.rank - 2:
        along, extent = PIXELS, [g.width for g in own]
    else:
        runs = row_runs(site, op.axis)
        along, extent, run = ROWS, [rows for _, rows, _ in runs], runs[0][2]
    some = any(r is not None for r in op.requants)
    first = next((r for r in op.requants if r is not None), None)
    zero = np.asarray([t.zero_point for t in tensors], np.int32) if some else None
    multiplier = np.asarray([0 if r is None else r.multiplier[0] for r in op.requants], np.int32) if some else None
    shift = np.asarray([0 if r is None else r.shift[0] for r in op.requants], np.int32) if some else None
    return [
        Field("inputs", "int32_t", len(tensors)),
        Field("along", "int32_t", along),
        Field("run", "int32_t", run),
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("element_bytes", "int32_t", shape.element_bytes),
        Field("extent", "const int32_t *", np.asarray(extent, np.int32)),
        Field("zero", "const int32_t *", zero),
        Field("multiplier", "const int32_t *", multiplier),
        Field("shift", "const int32_t *", shift),
        Field("single", "int32_t", int(first is not None and first.scheme == "single")),
        Field("out_zero", "int32_t", y.zero_point if some else 0),
    ]


KERNEL = Kernel(
    "fr_concat", "concat", "fr_concat_op", Concat, "rows", accepts, fields, operands=operands, variadic=True
)
