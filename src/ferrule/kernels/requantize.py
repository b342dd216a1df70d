"""Portable requantization: what it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.requantize import Requantize
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType

SUFFIXES = {"s8": DType.INT8, "u8": DType.UINT8, "s16": DType.INT16}


def accepts(source: DType, target: DType) -> Callable[[Site], str | None]:
    """One type to one type."""

    def rule(site: Site) -> str | None:
        fits = site.input(0).dtype is source and site.output.dtype is target
        return None if fits else f"is the variant from {source.value} to {target.value}"

    return rule


def fields(site: Site) -> list[Field]:
    """The members of `fr_requantize_op`."""
    op, shape = cast(Requantize, site.op), geometry(site.output)
    low, high = op.clamp if op.clamp is not None else site.output.dtype.bounds
    requant = op.requant
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("in_zero", "int32_t", site.input(0).zero_point),
        Field("out_zero", "int32_t", site.output.zero_point),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("scaled", "int32_t", int(requant is not None)),
        Field("single", "int32_t", int(requant is not None and requant.scheme == "single")),
        Field("multiplier", "int32_t", 0 if requant is None else requant.multiplier[0]),
        Field("shift", "int32_t", 0 if requant is None else requant.shift[0]),
    ]


KERNELS = tuple(
    Kernel(
        f"fr_requantize_{a}_{b}", "requantize", "fr_requantize_op", Requantize, "rows", accepts(source, target), fields
    )
    for a, source in SUFFIXES.items()
    for b, target in SUFFIXES.items()
)
