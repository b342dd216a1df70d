"""Dequantize: integer codes to real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.quantize import along_axis, onnx_quant
from ferrule.ops.reshape import emit_reshape, relabel
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Dequantize(Op):
    """real = (code - zero_point) * scale in float32, the scale and zero point being those of the input tensor."""

    kind = "dequantize"

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.dtype.is_float:
            raise OpError("dequantizes integer codes only")
        return (Type(x.shape, DType.FLOAT32),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (dequantize_array(values[0], site.input(0)),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self


def dequantize_array(codes: Array, tensor: Tensor) -> Array:
    """Real values of a tensor's codes, float32."""
    quant = tensor.quant
    if quant is None:
        raise OpError("the input has no scale")
    scale = along_axis(quant.scale, quant.axis, codes.ndim, np.float32)
    zero = along_axis(quant.zero_point, quant.axis, codes.ndim, np.int64)
    return np.asarray((codes.astype(np.int64) - zero).astype(np.float32) * scale, np.float32)


def float_weights(build: Builder, name: str) -> str:
    """Weights for a float op: int8 ones of a dynamic-range file are dequantized to a new constant."""
    tensor, value = build.tensor(name), build.value(name)
    if tensor.dtype.is_float:
        return name
    if value is None or tensor.quant is None:
        raise OpError("float activations meet integer weights that are not constant")
    return build.constant(dequantize_array(value, tensor), f"{name}:float")


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read DEQUANTIZE; a float16 constant was widened already and only passes through."""
    x = build.tensor(node.need(0))
    if x.dtype.is_float:
        emit_reshape(build, x.name, x.shape, node.name, node.outputs[0])
        return
    build.emit(Dequantize, (x.name,), name=node.name, outputs=node.outputs)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read DequantizeLinear. The codes carry its scale; a second reader with another scale sees them re-labelled."""
    x = build.tensor(node.need(0))
    quant, dtype = onnx_quant(node, build, x.rank)
    if node.input(2) is None:
        dtype = x.dtype
    if x.dtype.is_float or (dtype is not x.dtype and {dtype, x.dtype} != {DType.INT8, DType.INT4}):
        raise OpError(f"codes of type {x.dtype.value} do not fit a zero point of type {dtype.value}")
    codes, value = x.name, build.value(x.name)
    if x.quant != quant:
        if value is not None:
            codes = build.constant(value, x.name, quant, x.dtype)
        elif x.quant is None:
            build.tensors[x.name] = x.but(quant=quant)
        else:
            codes = relabel(build, x.name, quant, f"{node.name}:relabel", node.name)
    build.emit(Dequantize, (codes,), name=node.name, outputs=node.outputs)
