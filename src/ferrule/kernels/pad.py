"""The kernel that puts a border around a tensor."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.pad import Pad
from ferrule.program.op import Site

MODES = ("constant", "reflect", "edge", "wrap", "symmetric")
AXES = 6


def accepts(site: Site) -> str | None:
    """Any element type, up to six axes."""
    count = len(_axes(site))
    return None if count <= AXES else f"pads {count} axes; {AXES} are possible"


def _axes(site: Site) -> list[tuple[int, int, int]]:
    """Input size, output size and leading pad: row axes, pixels, channels; unpadded neighbours of rows merge."""
    op, x, y = cast(Pad, site.op), site.input(0), site.output
    axes = [(x.shape[k], y.shape[k], op.pads[k][0]) for k in range(x.rank)]
    channels = axes.pop() if axes else (1, 1, 0)
    pixels = axes.pop() if x.rank >= 4 else (1, 1, 0)
    rows: list[tuple[int, int, int]] = []
    for axis in axes:
        if rows and rows[-1][0] == rows[-1][1] and axis[0] == axis[1]:
            rows[-1] = (rows[-1][0] * axis[0], rows[-1][1] * axis[1], 0)
        else:
            rows.append(axis)
    return [*rows, pixels, channels]


def fields(site: Site) -> list[Field]:
    """The members of `fr_pad_op`."""
    op, y = cast(Pad, site.op), site.output
    axes = _axes(site)
    full = [*axes, *[(1, 1, 0)] * (AXES - len(axes))]
    value = np.asarray(op.value).astype(y.dtype.numpy).tobytes().ljust(8, b"\0")
    return [
        Field("element_bytes", "int32_t", y.dtype.size_bytes),
        Field("mode", "int32_t", MODES.index(op.mode)),
        Field("row_axes", "int32_t", len(axes) - 2),
        Field("in_size", f"int32_t[{AXES}]", tuple(a for a, _, _ in full)),
        Field("out_size", f"int32_t[{AXES}]", tuple(b for _, b, _ in full)),
        Field("before", f"int32_t[{AXES}]", tuple(c for _, _, c in full)),
        Field("value", "uint8_t[8]", tuple(value)),
    ]


KERNEL = Kernel("fr_pad", "pad", "fr_pad_op", Pad, "rows", accepts, fields)
