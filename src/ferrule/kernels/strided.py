"""The kernel that carries elements by an affine rule."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.expand import Expand
from ferrule.ops.rearrange import Rearrange
from ferrule.ops.slice import Slice
from ferrule.ops.tile import Tile
from ferrule.ops.transpose import Transpose
from ferrule.program.access import Access, Loop, StridedOp
from ferrule.program.geometry import geometry
from ferrule.program.op import Op, Site

LOOPS = 8
STILL = Loop(1, 0, 0, 0)


def accepts(site: Site) -> str | None:
    """Any element type, at most eight loops."""
    loops = _loops(cast(StridedOp, site.op).access(site))
    return None if len(loops) <= LOOPS else f"needs {len(loops)} nested loops; {LOOPS} are possible"


def _loops(access: Access) -> tuple[Loop, ...]:
    return (*access.rows, *access.pixels, *(access.channels or (STILL,)))


def fields(site: Site) -> list[Field]:
    """The members of `fr_strided_op`."""
    access = cast(StridedOp, site.op).access(site)
    loops = _loops(access)
    rest = [STILL] * (LOOPS - len(loops))
    numbers = {
        "element_bytes": site.output.dtype.size_bytes,
        "row_loops": len(access.rows),
        "pixel_loops": len(access.pixels),
        "channel_loops": max(len(access.channels), 1),
        "width": geometry(site.output).width,
        "row": access.start[0],
        "pixel": access.start[1],
        "channel": access.start[2],
    }
    arrays = {
        "size": tuple(loop.size for loop in (*loops, *rest)),
        "row_step": tuple(loop.row for loop in (*loops, *rest)),
        "pixel_step": tuple(loop.pixel for loop in (*loops, *rest)),
        "channel_step": tuple(loop.channel for loop in (*loops, *rest)),
    }
    return [
        *(Field(name, "int32_t", value) for name, value in numbers.items()),
        *(Field(name, f"int32_t[{LOOPS}]", value) for name, value in arrays.items()),
    ]


def _kernel(function: str, op: type[Op]) -> Kernel:
    return Kernel(function, "strided", "fr_strided_op", op, "rows", accepts, fields)


TRANSPOSE = _kernel("fr_transpose", Transpose)
SLICE = _kernel("fr_slice", Slice)
EXPAND = _kernel("fr_expand", Expand)
TILE = _kernel("fr_tile", Tile)
REARRANGE = _kernel("fr_rearrange", Rearrange)
