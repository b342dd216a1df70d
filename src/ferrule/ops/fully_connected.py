"""Fully connected: rows times constant or computed weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.dequantize import float_weights
from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import (
    Clamp,
    finish_integer,
    integer_clamp,
    product_requant,
    tflite_product_stage,
)
from ferrule.program.source import TfliteNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class FullyConnected(Op):
    """y[n, o] = sum over i of x[n, i] * w[o, i] + bias[o].

    Inputs: x [N, I]; weights [O, I]; bias [O] or None. Output [N, O]. Integer: acc = sum (x - zx) * (w - zw[o]) + bias;
    y = clamp(requant(acc) + zy); the multiplier is one for all or one per output.
    """

    kind = "fully_connected"
    bias_input = 2

    clamp: Clamp | None = None
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, w = inputs[0], inputs[1]
        if x is None or w is None or x.rank != 2 or w.rank != 2 or x.shape[1] != w.shape[1]:
            shapes = [None if t is None else list(t.shape) for t in (x, w)]
            raise OpError(f"input and weights of shapes {shapes} do not fit [N, I] and [O, I]")
        bias = inputs[2] if len(inputs) > 2 else None
        if bias is not None and bias.shape != (w.shape[0],):
            raise OpError(f"a bias of shape {list(bias.shape)} does not fit {w.shape[0]} outputs")
        return (Type((x.shape[0], w.shape[0]), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, w = values[0], values[1]
        bias = values[2] if len(values) > 2 else None
        assert x is not None and w is not None
        if not site.is_integer:
            total = x.astype(np.float64) @ w.astype(np.float64).T
            total = total if bias is None else total + bias
            total = total if self.clamp is None else np.clip(total, *self.clamp)
            return (total.astype(np.float32),)
        quant = site.input(1).quant
        zero = np.asarray((0,) if quant is None else quant.zero_point, np.float64).reshape(-1, 1)
        acc = (x.astype(np.float64) - site.input(0).zero_point) @ (w.astype(np.float64) - zero).T
        total_int = np.rint(acc).astype(np.int64)
        total_int = total_int if bias is None else total_int + bias.astype(np.int64)
        return (finish_integer(total_int, self.requant, self.clamp, site.output),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high), *super().rows(site, low, high)[1:])

    def macs(self, site: Site) -> int:
        return site.output.elements * site.input(1).shape[1]

    def quantized(self, site: Site) -> Op:
        return self.but(requant=product_requant(site), clamp=integer_clamp(self.clamp, site.output))


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read FULLY_CONNECTED: the input is flattened to rows of the weights' length."""
    if node.option("weights_format", 0):
        raise OpError("shuffled weights are not supported")
    x, w, y = build.tensor(node.need(0)), build.tensor(node.need(1)), build.tensor(node.outputs[0])
    if x.dtype.is_float:
        w = build.tensor(float_weights(build, w.name))
    rows = math.prod(x.shape) // max(w.shape[-1], 1)
    activation = node.option("fused_activation_function", "NONE")
    requant, clamp = tflite_product_stage(x, w, y, activation)
    if requant is not None:
        # measured against LiteRT 2.3: its dense reference rounds once, unlike its convolutions
        requant = Requant(requant.multiplier, requant.shift, "single")
    flat = (
        x.name
        if x.shape == (rows, w.shape[-1])
        else emit_reshape(build, x.name, (rows, w.shape[-1]), f"{node.name}:rows")
    )
    flat_output = y.shape == (rows, w.shape[0])
    (out,) = build.emit(
        FullyConnected,
        (flat, w.name, node.input(2)),
        name=node.name,
        outputs=(y.name if flat_output else None,),
        quant=y.quant,
        requant=requant,
        clamp=clamp,
    )
    if not flat_output:
        emit_reshape(build, out, y.shape, f"{node.name}:shape", y.name)
