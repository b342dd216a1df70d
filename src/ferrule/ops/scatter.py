"""Scatter: elements of a tensor replaced by index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.gather import checked, element_positions, wrapped
from ferrule.ops.reshape import emit_reshape
from ferrule.ops.slice import kept_quant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

Reduction = Literal["none", "add", "mul", "min", "max"]
REDUCTIONS = ("none", "add", "mul", "min", "max")


@dataclass(frozen=True, kw_only=True)
class Scatter(Op):
    """y = x, then slice j of the updates replaces (or is combined with) slice index[j] of y, in order of j.

    x is seen as [slices, inner], the updates as [count, inner], the indices as [count] (int32 or int64; negative ones
    count from the end, others are clamped). Inputs: x, indices, updates.
    """

    kind = "scatter"

    reduction: Reduction = "none"

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, index, updates = inputs
        if x is None or index is None or updates is None:
            raise OpError("needs a tensor, indices and updates")
        if x.rank != 2 or index.rank != 1 or updates.shape != (index.shape[0], x.shape[1]) or not x.shape[0]:
            raise OpError(f"updates of {list(updates.shape)} at {list(index.shape)} do not fit {list(x.shape)}")
        if x.dtype is not updates.dtype or index.dtype not in (DType.INT32, DType.INT64):
            raise OpError(f"types {x.dtype.value} and {updates.dtype.value} do not go together")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, index, updates = values
        assert x is not None and index is not None and updates is not None
        out = x.copy()
        for j, at in enumerate(wrapped(index, x.shape[0])):
            if self.reduction == "none":
                out[at] = updates[j]
            elif self.reduction == "add":
                out[at] = out[at] + updates[j]
            elif self.reduction == "mul":
                out[at] = out[at] * updates[j]
            else:
                out[at] = (np.minimum if self.reduction == "min" else np.maximum)(out[at], updates[j])
        return (out,)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)

    def quantized(self, site: Site) -> Op:
        if self.reduction != "none" or len({site.input(0).quant, site.input(2).quant, site.output.quant}) > 1:
            raise OpError("has an integer form only where one scale holds for all and nothing is combined")
        return self


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[k + 1 :]) for k in range(len(shape))]


def _emit(
    node: OnnxNode | TfliteNode,
    build: Builder,
    names: tuple[str, str],
    linear: Array,
    inner: int,
    reduction: str,
) -> None:
    """Reshape to slices, scatter at linear slice numbers, reshape back."""
    x, updates = (build.tensor(n) for n in names)
    if reduction not in REDUCTIONS:
        raise OpError(f"reduction {reduction} is not supported")
    flat = emit_reshape(build, x.name, (x.elements // max(inner, 1), inner), f"{node.name}:flat", origin=node.name)
    rows = emit_reshape(build, updates.name, (linear.size, inner), f"{node.name}:updates", origin=node.name)
    index = build.constant(linear.reshape(-1).astype(np.int32), f"{node.name}:positions")
    (out,) = build.emit(
        Scatter,
        (flat, index, rows),
        name=f"{node.name}:scatter",
        quant=kept_quant(x),
        origin=(node.name,),
        reduction=reduction,
    )
    emit_reshape(build, out, x.shape, node.name, node.outputs[0])


def from_onnx_elements(node: OnnxNode, build: Builder) -> None:
    """Read ScatterElements and Scatter; the indices must be constant."""
    x, index = build.tensor(node.need(0)), build.value(node.input(1))
    axis = normal_axis(int(node.attribute("axis", 0)), x.rank)
    if index is None:
        raise OpError("its indices are computed at run time")
    if index.ndim != x.rank or index.shape != build.tensor(node.need(2)).shape:
        raise OpError(f"indices of shape {list(index.shape)} do not fit {list(x.shape)} and the updates")
    if any(i > d for k, (i, d) in enumerate(zip(index.shape, x.shape, strict=True)) if k != axis):
        raise OpError(f"indices of shape {list(index.shape)} do not fit {list(x.shape)}")
    linear = element_positions(index, x.shape, axis)
    _emit(node, build, (x.name, node.need(2)), linear, 1, str(node.attribute("reduction", "none")))


def from_onnx_nd(node: OnnxNode, build: Builder) -> None:
    """Read ScatterND; the indices must be constant."""
    x, index = build.tensor(node.need(0)), build.value(node.input(1))
    if index is None:
        raise OpError("its indices are computed at run time")
    linear, inner = _nd_positions(index, x.shape)
    if build.tensor(node.need(2)).elements != linear.size * inner:
        raise OpError("the updates do not fit the indices")
    _emit(node, build, (x.name, node.need(2)), linear, inner, str(node.attribute("reduction", "none")))


def from_tflite_nd(node: TfliteNode, build: Builder) -> None:
    """Read SCATTER_ND: updates added into zeros; indices and shape must be constant."""
    index, updates = build.value(node.input(0)), build.tensor(node.need(1))
    y = build.tensor(node.outputs[0])
    if index is None:
        raise OpError("its indices are computed at run time")
    if y.quant is not None and not y.dtype.is_float:
        raise OpError("adds quantized codes")
    linear, inner = _nd_positions(index, y.shape)
    if updates.elements != linear.size * inner:
        raise OpError("the updates do not fit the indices")
    zeros = build.constant(np.zeros(y.shape, y.dtype.numpy), f"{node.name}:zeros")
    _emit(node, build, (zeros, updates.name), linear, inner, "add")


def _nd_positions(index: Array, shape: Sequence[int]) -> tuple[Array, int]:
    depth = index.shape[-1] if index.ndim else 0
    if not 0 < depth <= len(shape):
        raise OpError(f"indices of shape {list(index.shape)} do not fit {list(shape)}")
    strides = _strides(shape[:depth])
    linear = np.zeros(index.shape[:-1], np.int64)
    for k in range(depth):
        linear += checked(index[..., k], shape[k]) * strides[k]
    return linear, math.prod(shape[depth:])
