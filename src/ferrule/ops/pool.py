"""Max and average pooling over windows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.transpose import to_channels_first, to_channels_last
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp, finish_integer, integer_clamp, tflite_activation, tflite_integer_clamp
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor
from ferrule.program.window import Pads, onnx_pads, output_size, same_pads, window_rows

Mode = Literal["max", "average"]


@dataclass(frozen=True, kw_only=True)
class Pool(Op):
    """Maximum or mean over windows of one or two spatial axes, channels last.

    x [N, H, W, C] or [N, L, C]. Positions outside x do not exist: max ignores them; the mean divides by the number of
    existing taps, or, with `count_pads`, by the taps inside the tensor and its declared pads. Integer mean without
    `requant` (TFLite): sum of codes divided by the count, rounded half away from zero; with `requant` (QDQ): the
    centred sum times the factor for a window of that count, rounded once, plus zero point.
    """

    kind = "pool"

    mode: Mode
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: Pads
    ceil: bool = False
    count_pads: bool = False
    clamp: Clamp | None = None
    requant: Requant | None = None
    """One factor per count 1..taps: s_x / (s_y * count)."""

    def sizes(self, x: Tensor) -> list[int]:
        """Output length of each spatial axis."""
        return [
            output_size(x.shape[1 + i], self.kernel[i], self.strides[i], self.dilations[i], self.pads[i], self.ceil)
            for i in range(len(self.kernel))
        ]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.rank != len(self.kernel) + 2:
            raise OpError(f"input of rank {0 if x is None else x.rank} does not fit {len(self.kernel)} spatial axes")
        return (Type((x.shape[0], *self.sizes(x), x.shape[-1]), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        sizes = self.sizes(site.input(0))
        if self.mode == "max":
            best = self._maximum(x, sizes)
            if not site.is_integer:
                best = best if self.clamp is None else np.clip(best, *self.clamp)
                return (best.astype(site.output.dtype.numpy),)
            low, high = self.clamp if self.clamp is not None else site.output.dtype.bounds
            if self.requant is not None:
                return (
                    finish_integer(
                        best.astype(np.int64) - site.input(0).zero_point, self.requant, self.clamp, site.output
                    ),
                )
            return (np.clip(best, low, high).astype(site.output.dtype.numpy),)
        total = self._total(x, sizes, site.input(0).zero_point if self.requant else 0)
        count = self._counts(x.shape[1:-1], sizes).reshape(1, *sizes, 1)
        if not site.is_integer:
            with np.errstate(invalid="ignore"):
                mean = total / count
            mean = mean if self.clamp is None else np.clip(mean, *self.clamp)
            return (mean.astype(np.float32),)
        return (self._integer_mean(np.rint(total).astype(np.int64), count, site),)

    def _integer_mean(self, total: Array, count: Array, site: Site) -> Array:
        low, high = self.clamp if self.clamp is not None else site.output.dtype.bounds
        if self.requant is None:
            half = count // 2
            mean = np.where(total > 0, (total + half) // count, -((-total + half) // count))
        else:
            multiplier = np.asarray(self.requant.multiplier, np.int64)[count - 1]
            shift = np.asarray(self.requant.shift, np.int64)[count - 1]
            mean = ((total * multiplier + (np.int64(1) << (30 - shift))) >> (31 - shift)) + site.output.zero_point
        return np.asarray(np.clip(mean, low, high)).astype(site.output.dtype.numpy)

    def _taps(self, sizes: Sequence[int]) -> list[tuple[slice, ...]]:
        spans = [
            [
                slice(
                    k * self.dilations[i], k * self.dilations[i] + (sizes[i] - 1) * self.strides[i] + 1, self.strides[i]
                )
                for k in range(self.kernel[i])
            ]
            for i in range(len(self.kernel))
        ]
        return list(itertools.product(*spans))

    def _padded(self, x: Array, sizes: Sequence[int], fill: float) -> Array:
        """The input with all that windows may touch around it."""
        pads = [(0, 0)]
        for i, size in enumerate(x.shape[1:-1]):
            before = self.pads[i][0]
            reach = (sizes[i] - 1) * self.strides[i] + self.dilations[i] * (self.kernel[i] - 1) + 1
            pads.append((before, max(reach - before - size, 0)))
        return np.pad(x, [*pads, (0, 0)], constant_values=fill)

    def _maximum(self, x: Array, sizes: Sequence[int]) -> Array:
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        padded = self._padded(x, sizes, lowest)
        best = None
        for taps in self._taps(sizes):
            window = padded[(slice(None), *taps)]
            best = window if best is None else np.maximum(best, window)
        assert best is not None
        return best

    def _total(self, x: Array, sizes: Sequence[int], zero: int) -> Array:
        padded = self._padded(x.astype(np.float64) - zero, sizes, 0.0)
        total = np.zeros((x.shape[0], *sizes, x.shape[-1]))
        for taps in self._taps(sizes):
            total += padded[(slice(None), *taps)]
        return total

    def _counts(self, spatial: Sequence[int], sizes: Sequence[int]) -> Array:
        """Taps that count at each output position."""
        axes = []
        for i, size in enumerate(spatial):
            starts = np.arange(sizes[i]) * self.strides[i] - self.pads[i][0]
            at = starts[:, None] + np.arange(self.kernel[i]) * self.dilations[i]
            low, high = (-self.pads[i][0], size + self.pads[i][1]) if self.count_pads else (0, size)
            axes.append(((at >= low) & (at < high)).sum(1))
        count = axes[0] if len(axes) == 1 else axes[0][:, None] * axes[1]
        return np.asarray(np.maximum(count, 1))

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        x = site.input(0)
        rows = window_rows(
            low,
            high,
            site.output.shape[1],
            x.shape[1],
            self.kernel[0],
            self.strides[0],
            self.dilations[0],
            self.pads[0][0],
        )
        return (rows,)

    def quantized(self, site: Site) -> Op:
        x, y = site.input(0), site.output
        clamp = integer_clamp(self.clamp, y)
        factor = np.float64(x.scale) / np.float64(y.scale)
        if self.mode == "max":
            same = x.quant == y.quant
            return self.but(clamp=clamp, requant=None if same else Requant.of(factor, "single"))
        taps = int(np.prod(self.kernel))
        return self.but(clamp=clamp, requant=Requant.of(factor / np.arange(1, taps + 1), "single"))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read MaxPool and AveragePool, channels first, wrapped in transposes."""
    x = build.tensor(node.need(0))
    kernel = node.ints("kernel_shape") or []
    if len([o for o in node.outputs if o is not None]) > 1:
        raise OpError("its Indices output is used")
    if len(kernel) not in (1, 2) or x.rank != len(kernel) + 2:
        raise OpError(f"pooling over {len(kernel)} spatial axes; 1 and 2 are supported")
    strides = node.ints("strides", [1] * len(kernel)) or []
    dilations = node.ints("dilations", [1] * len(kernel)) or []
    pads = onnx_pads(node.attribute("auto_pad", "NOTSET"), node.ints("pads"), x.shape[2:], kernel, strides, dilations)
    (out,) = build.emit(
        Pool,
        (to_channels_last(build, x.name, node),),
        name=node.name,
        mode="max" if node.kind == "MaxPool" else "average",
        kernel=tuple(kernel),
        strides=tuple(strides),
        dilations=tuple(dilations),
        pads=pads,
        ceil=bool(node.attribute("ceil_mode", 0)),
        count_pads=bool(node.attribute("count_include_pad", 0)),
    )
    to_channels_first(build, out, node, node.outputs[0])


def from_onnx_global(node: OnnxNode, build: Builder) -> None:
    """Read GlobalMaxPool and GlobalAveragePool: one window over all spatial axes."""
    x = build.tensor(node.need(0))
    spatial = x.rank - 2
    if spatial not in (1, 2):
        raise OpError(f"pooling over {spatial} spatial axes; 1 and 2 are supported")
    (out,) = build.emit(
        Pool,
        (to_channels_last(build, x.name, node),),
        name=node.name,
        mode="max" if node.kind == "GlobalMaxPool" else "average",
        kernel=tuple(x.shape[2:]),
        strides=(1,) * spatial,
        dilations=(1,) * spatial,
        pads=((0, 0),) * spatial,
    )
    to_channels_first(build, out, node, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read MAX_POOL_2D and AVERAGE_POOL_2D; integer pools keep the scale, as TFLite demands."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    kernel = (int(node.option("filter_height", 1)), int(node.option("filter_width", 1)))
    strides = (int(node.option("stride_h", 1)), int(node.option("stride_w", 1)))
    pads: Pads = ((0, 0), (0, 0))
    if node.option("padding") == "SAME":
        pads = same_pads(x.shape[1:3], kernel, strides, (1, 1))
    activation = node.option("fused_activation_function", "NONE")
    clamp = tflite_activation(activation) if x.dtype.is_float else tflite_integer_clamp(activation, y)
    build.emit(
        Pool,
        (x.name,),
        name=node.name,
        outputs=node.outputs,
        mode="max" if node.kind == "MAX_POOL_2D" else "average",
        kernel=kernel,
        strides=strides,
        dilations=(1, 1),
        pads=pads,
        clamp=clamp,
    )
