"""Requantize: codes of one scale to codes of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp, finish_integer
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Requantize(Op):
    """y = clamp(requant(x - zx) + zy) between any two integer types, per tensor.

    Without `requant` the factor is exactly one: the codes only shift by the difference of the zero points.
    """

    kind = "requantize"

    dtype: str
    requant: Requant | None = None
    clamp: Clamp | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.dtype.is_float:
            raise OpError("requantizes integer codes only")
        return (Type(x.shape, DType(self.dtype)),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        centred = values[0].astype(np.int64) - site.input(0).zero_point
        return (finish_integer(centred, self.requant, self.clamp, site.output),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        same = site.input(0).dtype.size_bytes == site.output.dtype.size_bytes
        return ((0, 0),) if same else ()

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self


def tflite_requant(x: Tensor, y: Tensor) -> Requant | None:
    """TFLite's integer QUANTIZE: the factor s_x / s_y in float64, rounded twice; equal scales only shift."""
    if x.quant is None or y.quant is None:
        raise OpError("integer tensors without quantization parameters")
    if x.scale == y.scale:
        return None
    return Requant.of(np.float64(x.scale) / np.float64(y.scale), "double")


def single_requant(x: Tensor, y: Tensor) -> Requant | None:
    """The same for QDQ models, rounded once."""
    return None if x.scale == y.scale else Requant.of(np.float64(x.scale) / np.float64(y.scale), "single")
