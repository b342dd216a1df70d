"""LayerNormalization and RMSNormalization: the last axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.ops.binary import Binary
from ferrule.ops.reduce import Reduce
from ferrule.ops.reshape import emit_reshape
from ferrule.ops.unary import Unary
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class LayerNorm(Op):
    """y = (x - mean) / sqrt(variance + epsilon) * scale + bias over the last axis, float32.

    Without `centre` the mean is taken as 0 (root mean square). Inputs: x [..., C], scale [C] or None, bias [C] or None.
    """

    kind = "layer_norm"

    epsilon: float
    centre: bool = True

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or not x.rank or not x.dtype.is_float:
            raise OpError("normalizes float32 along a last axis")
        for extra in inputs[1:]:
            if extra is not None and extra.shape != x.shape[-1:]:
                raise OpError(f"a scale or bias of shape {list(extra.shape)} does not fit {x.shape[-1]} channels")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, scale, bias = (None if v is None else v.astype(np.float64) for v in (*values, None, None)[:3])
        assert x is not None
        centred = x - x.mean(-1, keepdims=True) if self.centre else x
        out = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + self.epsilon)
        out = out if scale is None else out * scale
        out = out if bias is None else out + bias
        return (out.astype(np.float32),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high), *super().rows(site, low, high)[1:])

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self if perm[-1] == len(perm) - 1 else None


def _from_onnx(node: OnnxNode, build: Builder, centre: bool) -> None:
    x = build.tensor(node.need(0))
    axis = normal_axis(int(node.attribute("axis", -1)), x.rank)
    _statistics(node, build, tuple(range(axis, x.rank)))
    count = math.prod(x.shape[axis:])
    source, parameters = x.name, [node.input(1), node.input(2) if centre else None]
    for index, name in enumerate(parameters):
        if name is None:
            continue
        tensor = build.tensor(name)
        if tensor.elements != count:
            raise OpError(f"a scale or bias of shape {list(tensor.shape)} does not fit {list(x.shape[axis:])}")
        value = build.value(name)
        if tensor.shape != (count,):
            parameters[index] = (
                build.constant(value.reshape(-1), f"{name}:flat")
                if value is not None
                else emit_reshape(build, name, (count,), f"{node.name}:{index}", origin=node.name)
            )
    whole = axis == x.rank - 1
    if not whole:
        source = emit_reshape(build, x.name, (*x.shape[:axis], count), f"{node.name}:flat", origin=node.name)
    (out,) = build.emit(
        LayerNorm,
        (source, *parameters),
        name=node.name,
        outputs=node.outputs[:1] if whole else None,
        epsilon=float(np.float32(node.attribute("epsilon", 1e-5))),
        centre=centre,
    )
    if not whole:
        emit_reshape(build, out, x.shape, f"{node.name}:shape", node.outputs[0], node.name)


def _statistics(node: OnnxNode, build: Builder, axes: tuple[int, ...]) -> None:
    """Mean and reciprocal deviation as outputs of their own, where they are wanted."""
    mean_name, deviation_name = (*node.outputs[1:], None, None)[:2]
    if mean_name is None and deviation_name is None:
        return
    x, label = node.need(0), f"{node.name}:statistics"

    def emit(kind: type[Op], *inputs: str, output: str | None = None, **attributes: Any) -> str:
        (made,) = build.emit(kind, inputs, name=label, outputs=(output,), origin=(node.name,), **attributes)
        return made

    mean = emit(Reduce, x, output=mean_name, function="mean", axes=axes)
    if deviation_name is None:
        return
    squares = emit(Binary, x, mean, function="squared_difference")
    variance = emit(Reduce, squares, function="mean", axes=axes)
    epsilon = build.constant(np.asarray(node.attribute("epsilon", 1e-5), np.float32), f"{node.name}:epsilon")
    deviation = emit(Unary, emit(Binary, variance, epsilon, function="add"), function="sqrt")
    emit(Unary, deviation, output=deviation_name, function="reciprocal")


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read LayerNormalization."""
    _from_onnx(node, build, centre=True)


def from_onnx_rms(node: OnnxNode, build: Builder) -> None:
    """Read RMSNormalization."""
    _from_onnx(node, build, centre=False)
