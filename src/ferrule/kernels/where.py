"""The kernel that chooses elements by a mask."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.where import Where
from ferrule.program.access import broadcast_factors, step_of
from ferrule.program.geometry import geometry
from ferrule.program.op import Site

AXES = 6


def accepts(site: Site) -> str | None:
    """Any element type, up to six row axes."""
    axes = _row_axes(site.output.rank)
    return None if axes <= AXES else f"has {axes} row axes; {AXES} are possible"


def _row_axes(rank: int) -> int:
    return max(rank - (2 if rank >= 4 else 1), 0)


def operands(site: Site) -> tuple[int, ...]:
    """All three, constant or not."""
    return (0, 1, 2)


def fields(site: Site) -> list[Field]:
    """The members of `fr_where_op`."""
    y = site.output
    shape, axes = geometry(y), _row_axes(y.rank)
    assert isinstance(cast(Where, site.op), Where)
    rows: list[int] = []
    columns, channels = [], []
    for k in range(3):
        x = site.input(k)
        steps = [step_of(x, factor) for (factor,) in broadcast_factors(x, y)]
        rows += [*(s[0] for s in steps[:axes]), *[0] * (AXES - axes)]
        columns.append(steps[-2] if y.rank >= 4 else (0, 0, 0))
        channels.append(steps[-1] if steps else (0, 0, 0))
    return [
        Field("element_bytes", "int32_t", y.dtype.size_bytes),
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("row_axes", "int32_t", axes),
        Field("size", f"int32_t[{AXES}]", (*y.shape[:axes], *[1] * (AXES - axes))),
        Field("row_step", f"int32_t[{3 * AXES}]", tuple(rows)),
        Field("column_row", "int32_t[3]", tuple(s[0] for s in columns)),
        Field("column_pixel", "int32_t[3]", tuple(s[1] for s in columns)),
        Field("channel_row", "int32_t[3]", tuple(s[0] for s in channels)),
        Field("channel_pixel", "int32_t[3]", tuple(s[1] for s in channels)),
        Field("channel_step", "int32_t[3]", tuple(s[2] for s in channels)),
    ]


KERNEL = Kernel("fr_where", "where", "fr_where_op", Where, "rows", accepts, fields, operands=operands)
