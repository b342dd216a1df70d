"""Transposed convolution, 1-D and 2-D, grouped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.dequantize import Dequantize, float_weights
from ferrule.ops.transpose import permute, to_channels_first, to_channels_last
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp, finish_integer, integer_clamp, product_requant, tflite_product_stage
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Quant, Tensor


@dataclass(frozen=True, kw_only=True)
class ConvTranspose(Op):
    """y[oy] gathers x[iy] * w[r] wherever oy = iy * stride - pad + r * dilation, over one or two spatial axes.

    Inputs: x [N, H, W, C] or [N, L, C]; weights [O, KH, KW, C/groups]; bias [O] or None. `sizes` are the spatial
    lengths of the output, `pads` what is cut at the beginning of each axis. Integer as in a convolution.
    """

    kind = "conv_transpose"
    bias_input = 2

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    sizes: tuple[int, ...]
    groups: int = 1
    clamp: Clamp | None = None
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, w = inputs[0], inputs[1]
        spatial = len(self.strides)
        if x is None or w is None or x.rank != spatial + 2 or w.rank != spatial + 2:
            raise OpError(f"input and weights do not fit {spatial} spatial axes")
        if x.shape[-1] != w.shape[-1] * self.groups or w.shape[0] % self.groups:
            raise OpError(f"{x.shape[-1]} input channels do not fit weights for {w.shape[-1]} in {self.groups} groups")
        bias = inputs[2] if len(inputs) > 2 else None
        if bias is not None and bias.shape != (w.shape[0],):
            raise OpError(f"a bias of shape {list(bias.shape)} does not fit {w.shape[0]} output channels")
        return (Type((x.shape[0], *self.sizes, w.shape[0]), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, w = values[0], values[1]
        bias = values[2] if len(values) > 2 else None
        assert x is not None and w is not None
        if not site.is_integer:
            total = self._scatter(x.astype(np.float64), w.astype(np.float64))
            total = total if bias is None else total + bias
            total = total if self.clamp is None else np.clip(total, *self.clamp)
            return (total.astype(np.float32),)
        quant = site.input(1).quant
        zero = np.asarray((0,) if quant is None else quant.zero_point, np.float64)
        centred = w.astype(np.float64) - zero.reshape(-1, *[1] * (w.ndim - 1))
        acc = np.rint(self._scatter(x.astype(np.float64) - site.input(0).zero_point, centred)).astype(np.int64)
        acc = acc if bias is None else acc + bias.astype(np.int64)
        return (finish_integer(acc, self.requant, self.clamp, site.output),)

    def _scatter(self, x: Array, w: Array) -> Array:
        """Add every input pixel's kernel into a large canvas, then cut the output out of it."""
        spatial, kernel = len(self.strides), w.shape[1:-1]
        in_group, out_group = w.shape[-1], w.shape[0] // self.groups
        canvas_sizes = [
            max(
                (x.shape[1 + i] - 1) * self.strides[i] + self.dilations[i] * (kernel[i] - 1) + 1,
                self.pads[i] + self.sizes[i],
            )
            for i in range(spatial)
        ]
        canvas = np.zeros((x.shape[0], *canvas_sizes, w.shape[0]))
        for tap in np.ndindex(*kernel):
            where = [
                slice(
                    t * self.dilations[i],
                    t * self.dilations[i] + (x.shape[1 + i] - 1) * self.strides[i] + 1,
                    self.strides[i],
                )
                for i, t in enumerate(tap)
            ]
            for group in range(self.groups):
                inner = slice(group * in_group, (group + 1) * in_group)
                outer = slice(group * out_group, (group + 1) * out_group)
                canvas[(slice(None), *where, outer)] += x[..., inner] @ w[(outer, *tap)].T
        cut = [slice(self.pads[i], self.pads[i] + self.sizes[i]) for i in range(spatial)]
        return canvas[(slice(None), *cut)]

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        rest = super().rows(site, low, high)[1:]
        if low >= high:
            return ((0, 0), *rest)
        length, size = site.input(0).shape[1], self.sizes[0]
        first_image, first = divmod(low, size)
        last_image, last = divmod(high - 1, size)
        reach = self.dilations[0] * (site.input(1).shape[1] - 1)
        begin = min(max(-(-(first + self.pads[0] - reach) // self.strides[0]), 0), length)
        end = max(min((last + self.pads[0]) // self.strides[0] + 1, length), 0)
        if first_image != last_image:
            return ((first_image * length + begin, last_image * length + end), *rest)
        return ((first_image * length + min(begin, end), first_image * length + end), *rest)

    def macs(self, site: Site) -> int:
        return math.prod(site.input(0).shape[:-1]) * math.prod(site.input(1).shape)

    def quantized(self, site: Site) -> Op:
        return self.but(requant=product_requant(site), clamp=integer_clamp(self.clamp, site.output))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read ConvTranspose: pads, auto_pad, output_padding and output_shape become sizes and leading pads."""
    x, w = build.tensor(node.need(0)), build.tensor(node.need(1))
    spatial = x.rank - 2
    if spatial not in (1, 2):
        raise OpError(f"convolution over {spatial} spatial axes; 1 and 2 are supported")
    groups, kernel = int(node.attribute("group", 1)), w.shape[2:]
    strides = node.ints("strides", [1] * spatial) or []
    dilations = node.ints("dilations", [1] * spatial) or []
    sizes, pads = _output_geometry(node, x.shape[2:], kernel, strides, dilations)
    last = to_channels_last(build, x.name, node)
    weights = _weights(build, w.name, groups, node)
    (out,) = build.emit(
        ConvTranspose,
        (last, weights, node.input(2)),
        name=node.name,
        strides=tuple(strides),
        dilations=tuple(dilations),
        pads=tuple(pads),
        sizes=tuple(sizes),
        groups=groups,
    )
    to_channels_first(build, out, node, node.outputs[0])


def _output_geometry(
    node: OnnxNode, lengths: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[list[int], list[int]]:
    spatial = len(lengths)
    extra = node.ints("output_padding", [0] * spatial) or [0] * spatial
    shape, auto = node.ints("output_shape"), node.attribute("auto_pad", "NOTSET")
    pads = node.ints("pads", [0] * 2 * spatial) or []
    reach = [(lengths[i] - 1) * strides[i] + extra[i] + dilations[i] * (kernel[i] - 1) + 1 for i in range(spatial)]
    if shape is not None or auto in ("SAME_UPPER", "SAME_LOWER"):
        sizes = shape[-spatial:] if shape is not None else [lengths[i] * strides[i] for i in range(spatial)]
        total = [max(reach[i] - sizes[i], 0) for i in range(spatial)]
        if auto == "SAME_UPPER":
            return sizes, [t // 2 for t in total]
        return sizes, [t - t // 2 for t in total]
    if auto == "VALID":
        pads = [0] * 2 * spatial
    sizes = [reach[i] - pads[i] - pads[i + spatial] for i in range(spatial)]
    if any(s < 1 for s in sizes):
        raise OpError(f"the output would have the shape {sizes}")
    return sizes, pads[:spatial]


def _weights(build: Builder, name: str, groups: int, node: OnnxNode) -> str:
    """[C, O/g, K...] to [O, K..., C/g], for constants, dequantized constants, or (one group) computed weights."""

    def turn(value: Array) -> Array:
        channels, out_group = value.shape[:2]
        split = value.reshape(groups, channels // groups, out_group, *value.shape[2:])
        moved = np.moveaxis(split, 1, -1)
        return np.ascontiguousarray(moved.reshape(groups * out_group, *value.shape[2:], channels // groups))

    producer, value = build.producer(name), build.value(name)
    if value is not None:
        return build.constant(turn(value), f"{name}:turned", None, build.tensor(name).dtype)
    if isinstance(producer, Dequantize) and producer.inputs[0] is not None:
        codes = build.value(producer.inputs[0])
        if codes is not None:
            return _turned_codes(build, producer.inputs[0], codes, turn, groups, node)
    if groups != 1:
        raise OpError("grouped weights are computed at run time")

    rank = build.tensor(name).rank
    return permute(build, name, (1, *range(2, rank), 0), node.name)


def _turned_codes(
    build: Builder, name: str, codes: Array, turn: Callable[[Array], Array], groups: int, node: OnnxNode
) -> str:
    tensor = build.tensor(name)
    quant = tensor.quant
    if quant is not None and quant.axis is not None:
        if quant.axis != 1:
            raise OpError(f"weights are quantized along axis {quant.axis}; output channels are axis 1")
        quant = Quant(quant.scale * groups, quant.zero_point * groups, 0)
    turned = build.constant(turn(codes), f"{name}:turned", quant, tensor.dtype)
    (out,) = build.emit(Dequantize, (turned,), name=f"{node.name}:weights", origin=(node.name,))
    return out


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read TRANSPOSE_CONV: output shape, weights [O, KH, KW, C], input, bias."""
    w, x, y = build.tensor(node.need(1)), build.tensor(node.need(2)), build.tensor(node.outputs[0])
    if x.dtype.is_float:
        w = build.tensor(float_weights(build, w.name))
    strides = (int(node.option("stride_h", 1)), int(node.option("stride_w", 1)))
    pads = (0, 0)
    if node.option("padding") == "SAME":
        pads = tuple(max((x.shape[1 + i] - 1) * strides[i] + w.shape[1 + i] - y.shape[1 + i], 0) // 2 for i in range(2))  # type: ignore[assignment]
    requant, clamp = tflite_product_stage(x, w, y, node.option("fused_activation_function", "NONE"))
    build.emit(
        ConvTranspose,
        (x.name, w.name, node.input(3)),
        name=node.name,
        outputs=node.outputs,
        strides=strides,
        dilations=(1, 1),
        pads=pads,
        sizes=y.shape[1:3],
        requant=requant,
        clamp=clamp,
    )
