"""Softmax and log-softmax over the last axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.ops.transpose import permute
from ferrule.program.build import Builder
from ferrule.program.fixed_functions import exp_on_negative, input_radius, reciprocal
from ferrule.program.fixed_point import divide_by_power_of_two, doubling_high_multiply, quantize_multiplier
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

SCALED_BITS = 5
SUM_BITS = 12


@dataclass(frozen=True, kw_only=True)
class Softmax(Op):
    """exp(beta * (x - max)) / sum of the same, over the last axis; with `log`, its logarithm (float only).

    Integer: `exps[d]` is exp of a code that lies d below the maximum, as a fraction of 2**31 (scheme `double`, Q0) or
    of 2**24 (scheme `single`). `double`: the sum in Q12, its reciprocal by Newton's method, products rounded as in
    TFLite's reference; the output has scale 1/256 and zero point -128. `single`: y = round(e * factor / sum) + zero
    point, `factor` being 2**20 / s_y.
    """

    kind = "softmax"

    beta: float = 1.0
    log: bool = False
    exps: tuple[int, ...] = ()
    factor: int = 0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.rank == 0:
            raise OpError("needs at least one axis")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        if x.size == 0:
            return (x.astype(site.output.dtype.numpy),)
        if not site.is_integer:
            shifted = (x.astype(np.float64) - x.max(-1, keepdims=True)) * self.beta
            total = np.exp(shifted).sum(-1, keepdims=True)
            result = shifted - np.log(total) if self.log else np.exp(shifted) / total
            return (result.astype(np.float32),)
        below = x.max(-1, keepdims=True).astype(np.int64) - x.astype(np.int64)
        exps = np.asarray(self.exps, np.int64)[below]
        total = self._single(exps, site) if self.factor else self._double(exps)
        low, high = site.output.dtype.bounds
        return (np.clip(total, low, high).astype(site.output.dtype.numpy),)

    def _double(self, exps: Array) -> Array:
        sums = divide_by_power_of_two(exps, SUM_BITS).sum(-1)
        result = np.empty_like(exps)
        for index in np.ndindex(sums.shape):
            scale, over = reciprocal(int(sums[index]), SUM_BITS)
            product = doubling_high_multiply(np.asarray(scale, np.int64), exps[index])
            result[index] = divide_by_power_of_two(product, over + 31 - 8)
        return np.where(exps > 0, result - 128, -128)

    def _single(self, exps: Array, site: Site) -> Array:
        total = exps.sum(-1, keepdims=True) << 20
        return np.asarray((2 * exps * self.factor + total) // (2 * total) + site.output.zero_point)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),) if site.input(0).dtype is site.output.dtype else ()

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self if perm and perm[-1] == len(perm) - 1 else None

    def quantized(self, site: Site) -> Op:
        if self.log or site.input(0).dtype is not DType.INT8 or site.output.dtype is not DType.INT8:
            raise OpError("has no integer form for these types")
        steps = np.arange(256) * np.float64(site.input(0).scale) * self.beta
        factor = int(np.rint(2.0**20 / np.float64(site.output.scale)))
        if not 0 < factor < 2**31:
            raise OpError("the output's scale is out of range")
        return self.but(exps=tuple(int(v) for v in np.rint(np.exp(-steps) * 2.0**24)), factor=factor)


def tflite_exps(scale: float, beta: float) -> tuple[int, ...]:
    """exp for each distance 0..255 below the maximum, in Q0, as TFLite's fixed-point softmax takes it."""
    real = min(float(np.float64(np.float32(beta)) * np.float64(scale)) * 2.0 ** (31 - SCALED_BITS), 2.0**31 - 1.0)
    multiplier, shift = quantize_multiplier(real)
    radius = input_radius(SCALED_BITS, shift)
    distance = np.arange(256, dtype=np.int64)
    inside = distance <= radius
    scaled = doubling_high_multiply(np.where(inside, -distance, 0) << shift, np.asarray(multiplier, np.int64))
    return tuple(int(v) for v in np.where(inside, exp_on_negative(scaled, SCALED_BITS), 0))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Softmax and LogSoftmax: one axis since opset 13, all axes from `axis` on flattened before."""
    x = build.tensor(node.need(0))
    axis = normal_axis(int(node.attribute("axis", -1 if node.opset >= 13 else 1)), x.rank)
    log = node.kind == "LogSoftmax"
    if node.opset < 13:
        flat = (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
        if axis == x.rank - 1:
            build.emit(Softmax, (x.name,), name=node.name, outputs=node.outputs, log=log)
            return
        rows = emit_reshape(build, x.name, flat, f"{node.name}:rows", None, node.name)
        (out,) = build.emit(Softmax, (rows,), name=node.name, log=log)
        emit_reshape(build, out, x.shape, f"{node.name}:shape", node.outputs[0], node.name)
        return
    if axis == x.rank - 1:
        build.emit(Softmax, (x.name,), name=node.name, outputs=node.outputs, log=log)
        return
    perm = [i for i in range(x.rank) if i != axis] + [axis]
    last = permute(build, x.name, perm, node.name)
    (out,) = build.emit(Softmax, (last,), name=node.name, log=log)
    permute(build, out, [perm.index(i) for i in range(x.rank)], node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read SOFTMAX (float, or int8 to int8) and LOG_SOFTMAX (float)."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    beta, log = float(node.option("beta", 1.0)), node.kind == "LOG_SOFTMAX"
    if x.dtype.is_float:
        build.emit(Softmax, (x.name,), name=node.name, outputs=node.outputs, beta=beta, log=log)
        return
    if log or x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
        raise OpError(f"from {x.dtype.value} to {y.dtype.value} is not supported")
    exps = tflite_exps(x.scale, beta)
    build.emit(Softmax, (x.name,), name=node.name, outputs=node.outputs, beta=beta, exps=exps)
