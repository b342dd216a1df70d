"""Portable sampling, nearest, linear and cubic."""

from __future__ import annotations

from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.resize import Resize
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Site
from ferrule.program.output_stage import finish_integer
from ferrule.program.tensor import DType

LEAST_SHIFT = -16
"""A smaller requantization factor than 2**-17 would shift the product out of 64 bits."""


def accepts_nearest(site: Site) -> str | None:
    """Any element type; int8 where scales differ."""
    op = cast(Resize, site.op)
    if op.mode != "nearest":
        return "carries pixels only"
    if op.requant is not None and {site.input(0).dtype, site.output.dtype} != {DType.INT8}:
        return "requantizes int8 only"
    return None


def accepts_f32(site: Site) -> str | None:
    """float32, linear or cubic."""
    if cast(Resize, site.op).mode == "nearest" or site.output.dtype is not DType.FLOAT32:
        return "mixes float32 only"
    return None


def accepts_s8(site: Site) -> str | None:
    """int8, linear."""
    op = cast(Resize, site.op)
    if op.mode != "linear" or {site.input(0).dtype, site.output.dtype} != {DType.INT8} or not op.bits:
        return "mixes int8 linearly"
    if op.requant is not None and op.requant.shift[0] < LEAST_SHIFT:
        return "the output's scale is too coarse for the input's"
    return None


def _sizes(site: Site) -> list[Field]:
    x, y = site.input(0), site.output
    members = {
        "in_height": x.shape[1],
        "out_height": y.shape[1],
        "out_width": y.shape[2] if y.rank == 4 else 1,
        "channels": y.shape[-1],
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]


def _taps(site: Site, integer: bool) -> list[tuple[Array, Array]]:
    """Indices and weights of rows and columns; a 1-D op has one column that is only carried."""
    op, x = cast(Resize, site.op), site.input(0)
    made = []
    for axis in range(len(op.sizes)):
        length = x.shape[1 + axis]
        index, weights = op.integer_taps(axis, length) if integer else op.taps(axis, length)
        made.append((index.astype(np.int32), weights.astype(np.int32 if integer else np.float32)))
    if len(made) == 1:
        made.append((np.zeros((1, 1), np.int32), np.ones((1, 1), made[0][1].dtype)))
    return made


def fields_nearest(site: Site) -> list[Field]:
    """The members of `fr_resize_nearest_op`."""
    op, (rows, columns) = cast(Resize, site.op), _taps(site, False)
    return [
        *_sizes(site),
        Field("element_bytes", "int32_t", site.output.dtype.size_bytes),
        Field("row_index", "const int32_t *", rows[0].reshape(-1)),
        Field("column_index", "const int32_t *", columns[0].reshape(-1)),
        Field("table", "const int8_t *", None if op.requant is None else _table(site, op.requant)),
    ]


def _table(site: Site, requant: Requant) -> Array:
    centred = np.arange(-128, 128, dtype=np.int64) - site.input(0).zero_point
    return finish_integer(centred, requant, None, site.output)


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_resize_f32_op`."""
    rows, columns = _taps(site, False)
    return [
        *_sizes(site),
        Field("row_taps", "int32_t", rows[0].shape[1]),
        Field("column_taps", "int32_t", columns[0].shape[1]),
        Field("row_index", "const int32_t *", rows[0]),
        Field("row_weight", "const float *", rows[1]),
        Field("column_index", "const int32_t *", columns[0]),
        Field("column_weight", "const float *", columns[1]),
    ]


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_resize_s8_op`."""
    op, (rows, columns) = cast(Resize, site.op), _taps(site, True)
    return [
        *_sizes(site),
        Field("row_taps", "int32_t", rows[0].shape[1]),
        Field("column_taps", "int32_t", columns[0].shape[1]),
        Field("in_zero", "int32_t", 0 if op.requant is None else site.input(0).zero_point),
        Field("out_zero", "int32_t", 0 if op.requant is None else site.output.zero_point),
        Field("bits", "int32_t", op.bits * len(op.sizes)),
        Field("multiplier", "int32_t", 0 if op.requant is None else op.requant.multiplier[0]),
        Field("shift", "int32_t", 0 if op.requant is None else op.requant.shift[0]),
        Field("row_index", "const int32_t *", rows[0]),
        Field("row_weight", "const int32_t *", rows[1]),
        Field("column_index", "const int32_t *", columns[0]),
        Field("column_weight", "const int32_t *", columns[1]),
    ]


KERNELS = (
    Kernel(
        "fr_resize_nearest", "resize_nearest", "fr_resize_nearest_op", Resize, "rows", accepts_nearest, fields_nearest
    ),
    Kernel("fr_resize_s8", "resize_s8", "fr_resize_s8_op", Resize, "rows", accepts_s8, fields_s8),
    Kernel("fr_resize_f32", "resize_f32", "fr_resize_f32_op", Resize, "rows", accepts_f32, fields_f32),
)
