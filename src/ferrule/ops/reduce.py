"""Reductions over axes: mean, sum, max, min and others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.output_stage import Clamp, finish_integer, integer_clamp
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

FUNCTIONS: dict[str, Callable[[Array, tuple[int, ...]], Array]] = {
    "mean": lambda x, axes: x.mean(axes, keepdims=True),
    "sum": lambda x, axes: x.sum(axes, keepdims=True),
    "max": lambda x, axes: x.max(axes, keepdims=True),
    "min": lambda x, axes: x.min(axes, keepdims=True),
    "prod": lambda x, axes: x.prod(axes, keepdims=True),
    "l1": lambda x, axes: np.abs(x).sum(axes, keepdims=True),
    "l2": lambda x, axes: np.sqrt((x * x).sum(axes, keepdims=True)),
    "sum_square": lambda x, axes: (x * x).sum(axes, keepdims=True),
    "log_sum": lambda x, axes: np.log(x.sum(axes, keepdims=True)),
    "log_sum_exp": lambda x, axes: _log_sum_exp(x, axes),
}


def _log_sum_exp(x: Array, axes: tuple[int, ...]) -> Array:
    top = x.max(axes, keepdims=True)
    return np.asarray(top + np.log(np.exp(x - top).sum(axes, keepdims=True)))


@dataclass(frozen=True, kw_only=True)
class Reduce(Op):
    """y = function over `axes` (sorted, 0..rank-1), which stay as axes of length 1.

    float32, or integer mean, sum, max, min.

    Integer mean and sum: y = clamp(requant(sum of (x - zx)) + zy), the count being in the factor. Without `requant`,
    max and min keep the codes.
    """

    kind = "reduce"

    function: str
    axes: tuple[int, ...]
    clamp: Clamp | None = None
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or any(not 0 <= a < x.rank for a in self.axes) or self.function not in FUNCTIONS:
            raise OpError(f"axes {list(self.axes)} do not fit rank {0 if x is None else x.rank}")
        if self.function in ("max", "min", "mean") and any(x.shape[a] == 0 for a in self.axes):
            raise OpError(f"{self.function} over an empty axis")
        return (Type(tuple(1 if i in self.axes else d for i, d in enumerate(x.shape)), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        if self.requant is not None or (site.is_integer and site.output.quant is not None):
            if self.function in ("max", "min") and self.requant is None:
                return (FUNCTIONS[self.function](x, self.axes).astype(site.output.dtype.numpy),)
            centred = x.astype(np.int64) - site.input(0).zero_point
            function = FUNCTIONS["sum" if self.function == "mean" else self.function]
            return (finish_integer(function(centred, self.axes), self.requant, self.clamp, site.output),)
        with np.errstate(all="ignore"):
            wide = np.float64 if x.dtype.kind == "f" else np.int64
            result = FUNCTIONS[self.function](x.astype(wide), self.axes)
            if wide is np.int64 and self.function == "mean":
                result = np.trunc(result)
        return (result.astype(site.output.dtype.numpy),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axes=tuple(sorted(perm.index(a) for a in self.axes)))

    def quantized(self, site: Site) -> Op:
        x, y = site.input(0), site.output
        if self.function not in ("mean", "sum", "max", "min"):
            raise OpError(f"{self.function} has no integer form")
        clamp = integer_clamp(None, y)
        factor = np.float64(x.scale) / np.float64(y.scale)
        if self.function in ("max", "min"):
            return self.but(clamp=clamp, requant=None if x.quant == y.quant else Requant.of(factor, "single"))
        count = math.prod(x.shape[a] for a in self.axes) if self.function == "mean" else 1
        return self.but(clamp=clamp, requant=Requant.of(factor / count, "single"))


def emit_reduce(
    build: Builder,
    x: str,
    function: str,
    axes: Sequence[int],
    keep: bool,
    name: str,
    output: str | None,
    **more: Any,
) -> None:
    """Add a reduction, and a reshape where the reduced axes go."""
    tensor = build.tensor(x)
    quant = build.tensor(output).quant if output is not None and output in build.tensors else None
    chosen = tuple(sorted({normal_axis(a, tensor.rank) for a in axes}))
    if not chosen:
        emit_reshape(build, x, tensor.shape, name, output)
        return
    (out,) = build.emit(
        Reduce,
        (x,),
        name=name,
        outputs=(output if keep else None,),
        quant=quant,
        function=function,
        axes=chosen,
        **more,
    )
    if not keep:
        emit_reshape(
            build, out, [d for i, d in enumerate(tensor.shape) if i not in chosen], f"{name}:squeeze", output, name
        )


ONNX_FUNCTIONS = {
    "ReduceMean": "mean", "ReduceSum": "sum", "ReduceMax": "max", "ReduceMin": "min", "ReduceProd": "prod",
    "ReduceL1": "l1", "ReduceL2": "l2", "ReduceSumSquare": "sum_square", "ReduceLogSum": "log_sum",
    "ReduceLogSumExp": "log_sum_exp",
}  # fmt: skip


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read the Reduce family; axes as attribute or (opset 13 for Sum, 18 for all) as input; none means all."""
    x = build.tensor(node.need(0))
    axes = node.ints("axes")
    if node.input(1) is not None:
        value = build.value(node.input(1))
        if value is None:
            raise OpError("its axes are computed at run time")
        axes = [int(a) for a in value.reshape(-1)]
    if not axes:
        axes = [] if node.attribute("noop_with_empty_axes", 0) else list(range(x.rank))
    emit_reduce(
        build, x.name, ONNX_FUNCTIONS[node.kind], axes, bool(node.attribute("keepdims", 1)), node.name, node.outputs[0]
    )


TFLITE_FUNCTIONS = {"MEAN": "mean", "SUM": "sum", "REDUCE_MAX": "max", "REDUCE_MIN": "min", "REDUCE_PROD": "prod"}


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD (the last one float only)."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    axes = build.value(node.input(1))
    if axes is None:
        raise OpError("its axes are computed at run time")
    function = TFLITE_FUNCTIONS[node.kind]
    chosen = sorted({normal_axis(int(a), x.rank) for a in axes.reshape(-1)})
    keep = y.rank == x.rank
    requant = None
    if x.quant is not None and not x.dtype.is_float:
        if x.dtype is not DType.INT8 or function == "prod":
            raise OpError(f"of {x.dtype.value} tensors is not supported")
        if function in ("mean", "sum"):
            requant = tflite_mean_requant(x, y, chosen, function)
    emit_reduce(build, x.name, function, chosen, keep, node.name, node.outputs[0], requant=requant)


def tflite_mean_requant(x: Tensor, y: Tensor, axes: Sequence[int], function: str) -> Requant:
    """s_x / s_y in float64, with the count divided into the multiplier as the reference kernel does for MEAN.

    The multiplier of s_x / s_y is shifted left by up to 63 - clz(count) bits, at most so far that the shift stays at or
    above -31, and divided by the count, truncating.
    """
    base = Requant.of(np.float64(x.scale) / np.float64(y.scale), "double")
    if function == "sum":
        return base
    count = math.prod(x.shape[a] for a in axes)
    multiplier, shift = base.multiplier[0], base.shift[0]
    room = min(count.bit_length() - 1, 32, 31 + shift)
    multiplier = (multiplier << room) // count
    return Requant((multiplier,), (shift - room,), "double")
