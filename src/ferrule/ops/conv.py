"""Convolution, 1-D and 2-D, grouped and depthwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.dequantize import float_weights
from ferrule.ops.transpose import to_channels_first, to_channels_last
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp, finish_integer, integer_clamp, product_requant, tflite_product_stage
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor
from ferrule.program.window import Pads, onnx_pads, output_size, same_pads, window_rows


@dataclass(frozen=True, kw_only=True)
class Conv(Op):
    """Cross-correlation over one or two spatial axes, channels last.

    Inputs: x [N, H, W, C] or [N, L, C]; weights [O, KH, KW, C/groups] or [O, K, C/groups]; bias [O] or None.
    Output [N, OH, OW, O]. Positions outside x do not exist (they count as real zero).
    Integer: acc = sum (x - zx) * (w - zw[o]) + bias[o]; y = clamp(requant(acc) + zy); bias is int32 at scale
    s_x * s_w[o] (int64 for int16 activations). Depthwise is groups == C.
    """

    kind = "conv"
    bias_input = 2

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pads
    groups: int = 1
    clamp: Clamp | None = None
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, w = inputs[0], inputs[1]
        if x is None or w is None:
            raise OpError("needs an input and weights")
        spatial = len(self.strides)
        if x.rank != spatial + 2 or w.rank != spatial + 2:
            raise OpError(f"input of rank {x.rank} and weights of rank {w.rank} do not fit {spatial} spatial axes")
        if self.groups < 1 or x.shape[-1] % self.groups or w.shape[0] % self.groups:
            raise OpError(
                f"{x.shape[-1]} input and {w.shape[0]} output channels do not divide into {self.groups} groups"
            )
        if w.shape[-1] * self.groups != x.shape[-1]:
            raise OpError(f"weights for {w.shape[-1] * self.groups} channels, but the input has {x.shape[-1]}")
        bias = inputs[2] if len(inputs) > 2 else None
        if bias is not None and bias.shape != (w.shape[0],):
            raise OpError(f"a bias of shape {list(bias.shape)} does not fit {w.shape[0]} output channels")
        sizes = [
            output_size(x.shape[1 + i], w.shape[1 + i], self.strides[i], self.dilations[i], self.pads[i])
            for i in range(spatial)
        ]
        return (Type((x.shape[0], *sizes, w.shape[0]), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, w = values[0], values[1]
        bias = values[2] if len(values) > 2 else None
        assert x is not None and w is not None
        if not site.is_integer:
            total = self._correlate(x.astype(np.float64), w.astype(np.float64), 0.0)
            total = total if bias is None else total + bias
            total = total if self.clamp is None else np.clip(total, *self.clamp)
            return (total.astype(np.float32),)
        weight_zero = np.asarray(_zero_points(site.input(1), w.shape[0]), np.float64)
        centred = w.astype(np.float64) - weight_zero.reshape(-1, *[1] * (w.ndim - 1))
        acc = self._correlate(x.astype(np.float64) - site.input(0).zero_point, centred, 0.0)
        total_int = np.rint(acc).astype(np.int64)
        total_int = total_int if bias is None else total_int + bias.astype(np.int64)
        return (finish_integer(total_int, self.requant, self.clamp, site.output),)

    def _correlate(self, x: Array, w: Array, fill: float) -> Array:
        """Sum over windows in float64: exact for integer values below 2**53."""
        spatial = len(self.strides)
        padded = np.pad(x, ((0, 0), *self.pads, (0, 0)), constant_values=fill)
        sizes = [
            output_size(x.shape[1 + i], w.shape[1 + i], self.strides[i], self.dilations[i], self.pads[i])
            for i in range(spatial)
        ]
        in_group, out_group = w.shape[-1], w.shape[0] // self.groups
        out = np.zeros((x.shape[0], *sizes, w.shape[0]))
        for tap in np.ndindex(*w.shape[1:-1]):
            window = padded[(slice(None), *(self._reach(i, tap[i], sizes[i]) for i in range(spatial)))]
            kernel = w[(slice(None), *tap)]
            if in_group == 1 and self.groups > 1:
                out += np.repeat(window, out_group, axis=-1) * kernel[:, 0]
                continue
            for group in range(self.groups):
                inner = slice(group * in_group, (group + 1) * in_group)
                outer = slice(group * out_group, (group + 1) * out_group)
                out[..., outer] += window[..., inner] @ kernel[outer].T
        return out

    def _reach(self, axis: int, tap: int, count: int) -> slice:
        start = tap * self.dilations[axis]
        return slice(start, start + (count - 1) * self.strides[axis] + 1, self.strides[axis])

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        x, w = site.input(0), site.input(1)
        rows = window_rows(
            low, high, site.output.shape[1], x.shape[1], w.shape[1], self.strides[0], self.dilations[0], self.pads[0][0]
        )
        rest = super().rows(site, low, high)[1:]
        return (rows, *rest)

    def macs(self, site: Site) -> int:
        return site.output.elements * math.prod(site.input(1).shape[1:])

    def quantized(self, site: Site) -> Op:
        return self.but(requant=product_requant(site), clamp=integer_clamp(self.clamp, site.output))


def _zero_points(weights: Tensor, channels: int) -> tuple[int, ...]:
    if weights.quant is None:
        return (0,) * channels
    points = weights.quant.zero_point
    return points * channels if len(points) == 1 else points


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read ONNX Conv: [N,C,...] and weights [O,C/g,...] become channels last, wrapped in transposes."""
    x, w = build.tensor(node.need(0)), build.tensor(node.need(1))
    spatial = x.rank - 2
    if spatial not in (1, 2):
        raise OpError(f"convolution over {spatial} spatial axes; 1 and 2 are supported")
    kernel = list(w.shape[2:])
    declared = node.ints("kernel_shape")
    if declared is not None and declared != kernel:
        raise OpError(f"kernel_shape {declared} does not fit weights of {kernel}")
    strides = node.ints("strides", [1] * spatial) or []
    dilations = node.ints("dilations", [1] * spatial) or []
    pads = onnx_pads(node.attribute("auto_pad", "NOTSET"), node.ints("pads"), x.shape[2:], kernel, strides, dilations)
    last = to_channels_last(build, x.name, node)
    weights = to_channels_last(build, w.name, node)
    (out,) = build.emit(
        Conv,
        (last, weights, node.input(2)),
        name=node.name,
        strides=tuple(strides),
        dilations=tuple(dilations),
        pads=pads,
        groups=int(node.attribute("group", 1)),
    )
    to_channels_first(build, out, node, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read CONV_2D and DEPTHWISE_CONV_2D; per-channel multipliers as TFLite's PopulateConvolutionQuantizationParams."""
    x, w = build.tensor(node.need(0)), build.tensor(node.need(1))
    y = build.tensor(node.outputs[0])
    if x.dtype.is_float:
        w = build.tensor(float_weights(build, w.name))
    weights, groups = w.name, 1
    if node.kind == "DEPTHWISE_CONV_2D":
        weights, groups = _depthwise_weights(build, w), x.shape[-1]
    elif w.shape[-1] and x.shape[-1] % w.shape[-1] == 0:
        groups = x.shape[-1] // w.shape[-1]
    strides = (int(node.option("stride_h", 1)), int(node.option("stride_w", 1)))
    dilations = (int(node.option("dilation_h_factor", 1)), int(node.option("dilation_w_factor", 1)))
    kernel = build.tensor(weights).shape[1:3]
    pads: Pads = ((0, 0), (0, 0))
    if node.option("padding") == "SAME":
        pads = same_pads(x.shape[1:3], kernel, strides, dilations)
    activation = node.option("fused_activation_function", "NONE")
    requant, clamp = tflite_product_stage(x, build.tensor(weights), y, activation)
    build.emit(
        Conv,
        (x.name, weights, node.input(2)),
        name=node.name,
        outputs=node.outputs,
        strides=strides,
        dilations=dilations,
        pads=pads,
        groups=groups,
        requant=requant,
        clamp=clamp,
    )


def _depthwise_weights(build: Builder, w: Tensor) -> str:
    """Turn [1, KH, KW, O] into [O, KH, KW, 1], the axis of the scales with it."""
    value = build.value(w.name)
    if value is None:
        raise OpError("depthwise weights must be constant")
    quant = (
        None
        if w.quant is None
        else type(w.quant)(w.quant.scale, w.quant.zero_point, None if w.quant.axis is None else 0)
    )
    dtype = DType.INT8 if w.dtype is DType.INT4 else w.dtype
    return build.constant(value.transpose(3, 1, 2, 0), f"{w.name}:depthwise", quant, dtype)
