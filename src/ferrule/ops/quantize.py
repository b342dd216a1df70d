"""Quantize: real numbers to integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.requantize import Requantize, tflite_requant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Quant, Tensor

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


def onnx_quant(node: OnnxNode, build: Builder, rank: int) -> tuple[Quant, DType]:
    """Scale, zero point and code type of QuantizeLinear and DequantizeLinear; they must be constant."""
    scale, zero = build.value(node.input(1)), build.value(node.input(2))
    if scale is None or (node.input(2) is not None and zero is None):
        raise OpError("its scale or zero point is computed at run time")
    if int(node.attribute("block_size", 0) or 0):
        raise OpError("blocked quantization is not supported")
    dtype = DType.UINT8
    if node.input(2) is not None:
        dtype = build.tensor(node.need(2)).dtype
    scales = tuple(float(s) for s in scale.reshape(-1))
    if any(not np.isfinite(s) or s <= 0 for s in scales):
        raise OpError(f"scale {scales[0] if len(scales) == 1 else list(scales)[:4]} is not positive")
    points = (0,) * len(scales) if zero is None else tuple(int(z) for z in zero.reshape(-1))
    if len(points) != len(scales):
        raise OpError(f"{len(points)} zero points for {len(scales)} scales")
    axis = None
    if scale.ndim == 1 and len(scales) > 1:
        axis = normal_axis(int(node.attribute("axis", 1)), rank)
    return Quant(scales, points, axis), dtype


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read QuantizeLinear: halves to even."""
    x = build.tensor(node.need(0))
    quant, dtype = onnx_quant(node, build, x.rank)
    build.emit(
        Quantize, (x.name,), name=node.name, outputs=node.outputs, quant=quant, dtype=dtype.value, rounding="even"
    )
