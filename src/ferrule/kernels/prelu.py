"""Portable PRelu, float and int8: what it takes."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.binary import broadcast_reason, row_fields
from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.prelu import PRelu
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def both(site: Site) -> tuple[int, ...]:
    """Input and slope are views, constants too."""
    return (0, 1)


def accepts_f32(site: Site) -> str | None:
    """float32 throughout."""
    fits = {site.input(0).dtype, site.input(1).dtype} == {DType.FLOAT32}
    return broadcast_reason(site) if fits else "takes float32"


def accepts_s8(site: Site) -> str | None:
    """int8 codes throughout."""
    fits = {site.input(0).dtype, site.input(1).dtype, site.output.dtype} == {DType.INT8}
    return broadcast_reason(site) if fits and cast(PRelu, site.op).factors else "takes int8 codes"


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_prelu_f32_op`."""
    y, slope = geometry(site.output), geometry(site.input(1))
    return [
        Field("width", "int32_t", y.width),
        Field("channels", "int32_t", y.channels),
        *row_fields(site.output, {"slope": site.input(1)}),
        Field("slope_pixel", "int32_t", int(slope.width != 1)),
        Field("slope_channel", "int32_t", int(slope.channels != 1)),
    ]


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_prelu_s8_op`."""
    return [
        *fields_f32(site),
        Field("in_zero", "int32_t", site.input(0).zero_point),
        Field("slope_zero", "int32_t", site.input(1).zero_point),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("factor", "int32_t[2]", cast(PRelu, site.op).factors),
    ]


KERNELS = tuple(
    Kernel(f"fr_prelu_{t}", f"prelu_{t}", f"fr_prelu_{t}_op", PRelu, "rows", a, f, operands=both)
    for t, a, f in (("f32", accepts_f32, fields_f32), ("s8", accepts_s8, fields_s8))
)
