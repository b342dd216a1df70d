"""Quantize: real numbers to integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.requantize import Requantize, tflite_requant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import TfliteNode
from ferrule.program.tensor import DType, Tensor

Rounding = Literal["away", "even"]


@dataclass(frozen=True, kw_only=True)
class Quantize(Op):
    """code = clamp(round(x / scale) + zero_point), the scale and zero point being those of the output tensor.

    The quotient is taken in float32. `rounding`: `even`, half to even (ONNX), or `away`, half away from zero (TFLite).
    """

    kind = "quantize"

    dtype: str
    rounding: Rounding = "even"

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or not x.dtype.is_float:
            raise OpError("quantizes float32 only")
        return (Type(x.shape, DType(self.dtype)),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (quantize_array(values[0], site.output, self.rounding),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self


def along_axis(values: Sequence[float], axis: int | None, rank: int, dtype: type) -> Array:
    """Per-tensor or per-axis parameters, shaped to broadcast against a tensor of that rank."""
    array: Array = np.asarray(values, dtype)
    if axis is None:
        return array.reshape(()) if array.size == 1 else array
    shape = [1] * rank
    shape[axis] = -1
    return array.reshape(shape)


def quantize_array(x: Array, tensor: Tensor, rounding: Rounding) -> Array:
    """Codes of real values on the grid of a tensor."""
    quant = tensor.quant
    if quant is None:
        raise OpError("the output has no scale")
    scale = along_axis(quant.scale, quant.axis, x.ndim, np.float32)
    zero = along_axis(quant.zero_point, quant.axis, x.ndim, np.int64)
    ratio = x.astype(np.float32) / scale
    rounded = np.rint(ratio) if rounding == "even" else np.trunc(ratio + np.copysign(np.float32(0.5), ratio))
    low, high = tensor.dtype.bounds
    # beyond int32 only the clamp matters, and NaN becomes the zero point
    codes = np.nan_to_num(np.clip(rounded.astype(np.float64), -(2.0**40), 2.0**40), nan=0.0).astype(np.int64) + zero
    return np.asarray(np.clip(codes, low, high)).astype(tensor.dtype.numpy)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read QUANTIZE: of float32, or between two integer types (then it is a requantize)."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    if x.dtype.is_float:
        build.emit(Quantize, (x.name,), name=node.name, outputs=node.outputs, dtype=y.dtype.value, rounding="away")
    else:
        build.emit(
            Requantize,
            (x.name,),
            name=node.name,
            outputs=node.outputs,
            dtype=y.dtype.value,
            requant=tflite_requant(x, y),
        )
