"""PRelu: a slope of its own for negative values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.binary import broadcast_rows, same_rank
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

FRAC = 24
"""Fractional bits of the integer form's factors."""


@dataclass(frozen=True, kw_only=True)
class PRelu(Op):
    """y = x where x >= 0, else slope * x; the slope broadcasts to x.

    Integer (QDQ): t = (x - zx) * factors[0] for codes at or above zx, else (x - zx) * (s - zs) * factors[1]; y is t at
    2**-24 rounded once, half up, plus zy.
    """

    kind = "prelu"

    factors: tuple[int, ...] = ()

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, slope = inputs[0], inputs[1]
        if x is None or slope is None or np.broadcast_shapes(x.shape, slope.shape) != x.shape:
            raise OpError("the slope does not broadcast to the input")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, slope = values[0], values[1]
        assert x is not None and slope is not None
        if site.input(0).dtype.is_float:
            return (np.where(x >= 0, x, x.astype(np.float64) * slope).astype(np.float32),)
        centred = x.astype(np.int64) - site.input(0).zero_point
        below = centred * (slope.astype(np.int64) - site.input(1).zero_point) * self.factors[1]
        total = np.where(centred >= 0, centred * self.factors[0], below)
        codes = ((total + (1 << (FRAC - 1))) >> FRAC) + site.output.zero_point
        low, high = site.output.dtype.bounds
        return (np.clip(codes, low, high).astype(site.output.dtype.numpy),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high), broadcast_rows(site, 1, low, high))

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),) if site.input(0).dtype is site.output.dtype else ()

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self

    def quantized(self, site: Site) -> Op:
        x, slope, y = site.input(0), site.input(1), site.output
        if {x.dtype, slope.dtype, y.dtype} != {DType.INT8}:
            raise OpError("has no integer form for these types")
        plain = np.float64(x.scale) / np.float64(y.scale)
        bent = plain * np.float64(slope.scale)
        factors = tuple(int(np.rint(f * 2.0**FRAC)) for f in (plain, bent))
        if max(factors) >= 2**31:
            raise OpError("the scales are too far apart")
        return self.but(factors=factors)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read PRelu; the slope broadcasts from the right."""
    x, slope = same_rank(build, node.need(0), node.need(1), node.name)
    build.emit(PRelu, (x, slope), name=node.name, outputs=node.outputs)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read PRELU of float."""
    x = build.tensor(node.need(0))
    if not x.dtype.is_float:
        raise OpError(f"of {x.dtype.value} is not supported")
    a, slope = same_rank(build, x.name, node.need(1), node.name)
    build.emit(PRelu, (a, slope), name=node.name, outputs=node.outputs)
