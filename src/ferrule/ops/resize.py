"""Resize: nearest, linear and cubic sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.ops.transpose import to_channels_first, to_channels_last
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.output_stage import finish_integer
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor

Mode = Literal["nearest", "linear", "cubic"]
QDQ_BITS = 15
TFLITE_BITS = 10

COORDINATES = (
    "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric", "tf_half_pixel_for_nn",
    "tflite", "tflite_half_pixel", "tflite_align_corners",
)  # fmt: skip
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@dataclass(frozen=True, kw_only=True)
class Resize(Op):
    """Samples one or two spatial axes, channels last: x [N, H, W, C] or [N, L, C].

    Coordinates follow ONNX's `coordinate_transformation_mode`, in float32, or TFLite's own forms (`tflite...`). Each
    output position mixes 1, 2 or 4 source positions per axis, indices clamped to the tensor. Integer linear: weights of
    `bits` fractional bits per axis; y = the doubly weighted sum rounded half away from zero (TFLite, no `requant`),
    or the centred sum requantized once (QDQ).
    """

    kind = "resize"

    mode: Mode
    coordinates: str
    sizes: tuple[int, ...]
    scales: tuple[float, ...]
    rounding: str = "round_prefer_floor"
    cubic: float = -0.75
    exclude_outside: bool = False
    bits: int = 0
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.rank != len(self.sizes) + 2:
            raise OpError(f"input of rank {0 if x is None else x.rank} does not fit {len(self.sizes)} spatial axes")
        if any(s < 1 for s in (*self.sizes, *x.shape[1:-1])):
            raise OpError("a spatial axis is empty")
        return (Type((x.shape[0], *self.sizes, x.shape[-1]), x.dtype),)

    def taps(self, axis: int, length: int) -> tuple[Array, Array]:
        """Source indices [out, k] and float64 weights [out, k] of a spatial axis of that length."""
        size, scale = self.sizes[axis], np.float32(self.scales[axis])
        at = positions(self.coordinates, size, length, scale)
        if self.mode == "nearest":
            index = _nearest(at, self.rounding, self.coordinates)
            return np.clip(index, 0, length - 1)[:, None], np.ones((size, 1))
        if self.mode == "linear":
            at = np.clip(at, np.float32(0), np.float32(length - 1))
            low = np.minimum(np.floor(at).astype(np.int64), length - 1)
            part = at.astype(np.float64) - low
            index = np.stack([low, np.minimum(low + 1, length - 1)], 1)
            return index, np.stack([1 - part, part], 1)
        return self._cubic_taps(at, length)

    def _cubic_taps(self, at: Array, length: int) -> tuple[Array, Array]:
        low = np.floor(at).astype(np.int64)
        part, a = at.astype(np.float64) - low, self.cubic
        distance = np.abs(np.stack([1 + part, part, 1 - part, 2 - part], 1))
        near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
        far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
        weights = np.where(distance <= 1, near, far)
        index = low[:, None] + np.arange(-1, 3)
        if self.exclude_outside:
            weights = np.where((index >= 0) & (index < length), weights, 0.0)
            weights = weights / weights.sum(1, keepdims=True)
        return np.clip(index, 0, length - 1), weights

    def integer_taps(self, axis: int, length: int) -> tuple[Array, Array]:
        """The same with integer weights of `bits` fractional bits that sum to 2**bits."""
        if not self.coordinates.startswith("tflite"):
            index, weights = self.taps(axis, length)
            whole = np.rint(weights * 2.0**self.bits).astype(np.int64)
            whole[:, 0] += (1 << self.bits) - whole.sum(1)
            return index, whole
        return _tflite_taps(self.sizes[axis], length, self.coordinates, self.bits)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        spatial = range(len(self.sizes))
        if self.mode == "nearest":
            out = x
            for axis in spatial:
                out = np.take(out, self.taps(axis, x.shape[1 + axis])[0][:, 0], axis=1 + axis)
            if self.requant is not None:
                out = finish_integer(out.astype(np.int64) - site.input(0).zero_point, self.requant, None, site.output)
            return (np.ascontiguousarray(out),)
        if site.is_integer:
            return (self._integer(site, x),)
        out = x.astype(np.float64)
        for axis in spatial:
            out = _mix(out, 1 + axis, *self.taps(axis, x.shape[1 + axis]))
        return (out.astype(np.float32),)

    def _integer(self, site: Site, x: Array) -> Array:
        zero = site.input(0).zero_point if self.requant is not None else 0
        out = x.astype(np.int64) - zero
        for axis in range(len(self.sizes)):
            out = _mix(out, 1 + axis, *self.integer_taps(axis, x.shape[1 + axis]))
        total = self.bits * len(self.sizes)
        half = np.int64(1) << (total - 1)
        if self.requant is None:
            rounded = np.where(out > 0, (out + half) >> total, -((-out + half) >> total))
            return rounded.astype(site.output.dtype.numpy)
        multiplier, shift = self.requant.multiplier[0], self.requant.shift[0]
        # the sum carries `total` bits of fraction: drop all but 8 of them first, so that the product fits 64 bits
        kept = (out + (np.int64(1) << (total - 9))) >> (total - 8)
        scaled = (kept * multiplier + (np.int64(1) << (30 - shift + 8))) >> (31 - shift + 8)
        low, high = site.output.dtype.bounds
        codes = np.asarray(np.clip(scaled + site.output.zero_point, low, high))
        return codes.astype(site.output.dtype.numpy)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        if low >= high:
            return ((0, 0),)
        length = site.input(0).shape[1]
        integer = self.bits and self.mode != "nearest"
        index = (self.integer_taps(0, length) if integer else self.taps(0, length))[0]
        first_image, first = divmod(low, self.sizes[0])
        last_image, last = divmod(high - 1, self.sizes[0])
        if first_image != last_image:
            return ((first_image * length, (last_image + 1) * length),)
        part = index[first : last + 1]
        return ((first_image * length + int(part.min()), first_image * length + int(part.max()) + 1),)

    def quantized(self, site: Site) -> Op:
        x, y = site.input(0), site.output
        if self.mode == "cubic":
            raise OpError("cubic sampling has no integer form")
        requant = Requant.of(np.float64(x.scale) / np.float64(y.scale), "single")
        if self.mode == "nearest":
            return self if x.quant == y.quant else self.but(requant=requant)
        return self.but(bits=QDQ_BITS, requant=requant)


def _mix(x: Array, axis: int, index: Array, weights: Array) -> Array:
    shape = [1] * x.ndim
    shape[axis] = -1
    total: Array = np.take(x, index[:, 0], axis=axis) * weights[:, 0].reshape(shape)
    for k in range(1, index.shape[1]):
        total = total + np.take(x, index[:, k], axis=axis) * weights[:, k].reshape(shape)
    return total


def positions(coordinates: str, size: int, length: int, scale: np.float32) -> Array:
    """Source coordinate of each output position, float32 (ONNX Resize, `coordinate_transformation_mode`)."""
    x = np.arange(size, dtype=np.float32)
    half, one = np.float32(0.5), np.float32(1)
    if coordinates == "half_pixel" or (coordinates == "pytorch_half_pixel" and size > 1):
        return (x + half) / scale - half
    if coordinates == "pytorch_half_pixel":
        return np.zeros(size, np.float32)
    if coordinates == "align_corners":
        return x * np.float32(length - 1) / np.float32(size - 1) if size > 1 else np.zeros(size, np.float32)
    if coordinates == "asymmetric":
        return x / scale
    if coordinates == "tf_half_pixel_for_nn":
        return (x + half) / scale
    if coordinates == "half_pixel_symmetric":
        adjustment = np.float32(size) / (scale * np.float32(length))
        offset = np.float32(length) / np.float32(2) * (one - adjustment)
        return offset + (x + half) / scale - half
    if coordinates == "tflite":
        return x * (np.float32(length) / np.float32(size))
    if coordinates == "tflite_half_pixel":
        return (x + half) * (np.float32(length) / np.float32(size)) - half
    if coordinates == "tflite_align_corners":
        return x * (np.float32(length - 1) / np.float32(max(size - 1, 1)))
    raise OpError(f"coordinate mode {coordinates} is not supported")


def _nearest(at: Array, rounding: str, coordinates: str) -> Array:
    if coordinates == "tflite_half_pixel":
        return np.floor(at + np.float32(0.5)).astype(np.int64)
    if coordinates == "tflite_align_corners":
        return np.floor(at + np.float32(0.5)).astype(np.int64)
    if coordinates == "tflite" or rounding == "floor":
        return np.asarray(np.floor(at), np.int64)
    if rounding == "ceil":
        return np.asarray(np.ceil(at), np.int64)
    if rounding == "round_prefer_floor":
        return np.ceil(at - np.float32(0.5)).astype(np.int64)
    return np.floor(at + np.float32(0.5)).astype(np.int64)


def _tflite_taps(size: int, length: int, coordinates: str, bits: int) -> tuple[Array, Array]:
    """TFLite's integer RESIZE_BILINEAR: positions in 10-bit fixed point."""
    one = 1 << bits
    scale = (one * length + size // 2) // size
    if coordinates == "tflite_align_corners" and size > 1:
        scale = (one * (length - 1) + (size - 1) // 2) // (size - 1)
    x = np.arange(size, dtype=np.int64)
    at = x * scale + (scale // 2 - one // 2 if coordinates == "tflite_half_pixel" else 0)
    low = np.maximum(np.where(at >= 0, at // one, -((-at) // one)), 0)
    high = np.minimum(np.where(at + one - 1 >= 0, (at + one - 1) // one, 0), length - 1)
    part = at - one * low
    return np.stack([low, high], 1), np.stack([one - part, part], 1)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Resize and Upsample; only spatial axes may change, everything must be constant."""
    x = build.tensor(node.need(0))
    scales, sizes = _factors(node, build, x)
    if any(s != d for s, d in zip(sizes[:2], x.shape[:2], strict=True)):
        raise OpError("the batch or channel axis is resized")
    if x.rank not in (3, 4):
        raise OpError(f"resizes {x.rank - 2} spatial axes; 1 and 2 are supported")
    mode = str(node.attribute("mode", "nearest"))
    mode = {"bilinear": "linear"}.get(mode, mode)
    old = node.kind == "Upsample" or node.opset < 11
    coordinates = "asymmetric" if old else str(node.attribute("coordinate_transformation_mode", "half_pixel"))
    rounding = "floor" if old else str(node.attribute("nearest_mode", "round_prefer_floor"))
    if mode not in ("nearest", "linear", "cubic") or coordinates not in COORDINATES or rounding not in ROUNDINGS:
        raise OpError(f"mode {mode}, {coordinates}, {rounding} is not supported")
    if node.attribute("antialias", 0):
        raise OpError("antialiasing is not supported")
    if tuple(sizes) == x.shape:
        # onnxruntime copies where the shape stays, even if a scale is not quite one
        emit_reshape(build, x.name, x.shape, node.name, node.outputs[0])
        return
    (out,) = build.emit(
        Resize,
        (to_channels_last(build, x.name, node),),
        name=node.name,
        mode=mode,
        coordinates=coordinates,
        sizes=tuple(sizes[2:]),
        scales=tuple(scales[2:]),
        rounding=rounding,
        cubic=float(node.attribute("cubic_coeff_a", -0.75)),
        exclude_outside=bool(node.attribute("exclude_outside", 0)),
    )
    to_channels_first(build, out, node, node.outputs[0])


def _factors(node: OnnxNode, build: Builder, x: Tensor) -> tuple[list[float], list[int]]:
    """Scale and size of every axis, from scales or sizes, `axes` and `keep_aspect_ratio_policy`."""
    which = 1 if node.kind == "Upsample" or node.opset < 11 else 2
    given = node.attribute("scales") if node.kind == "Upsample" and node.opset < 9 else None
    scale_input = np.asarray(given) if given is not None else _constant(node, build, which)
    size_input = _constant(node, build, 3) if node.kind == "Resize" and node.opset >= 11 else None
    axes = [normal_axis(a, x.rank) for a in node.ints("axes", list(range(x.rank))) or []]
    scales, sizes = [1.0] * x.rank, list(x.shape)
    if size_input is not None and size_input.size:
        wanted = [int(v) for v in size_input.reshape(-1)]
        if len(wanted) != len(axes) or any(w < 1 for w in wanted):
            raise OpError(f"sizes {wanted} do not fit {len(axes)} axes")
        policy = node.attribute("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            ratios = [w / x.shape[a] for w, a in zip(wanted, axes, strict=True)]
            ratio = min(ratios) if policy == "not_larger" else max(ratios)
            for axis in axes:
                scales[axis], sizes[axis] = ratio, math.floor(ratio * x.shape[axis] + 0.5)
            return scales, sizes
        for axis, size in zip(axes, wanted, strict=True):
            scales[axis], sizes[axis] = float(np.float32(size) / np.float32(x.shape[axis])), size
        return scales, sizes
    if scale_input is None or scale_input.size != len(axes):
        raise OpError("neither sizes nor scales are given for every axis")
    for axis, scale in zip(axes, scale_input.reshape(-1), strict=True):
        scales[axis], sizes[axis] = float(scale), math.floor(np.float32(scale) * np.float32(x.shape[axis]))
    return scales, sizes


def _constant(node: OnnxNode, build: Builder, index: int) -> Array | None:
    if node.input(index) is None:
        return None
    value = build.value(node.input(index))
    if value is None:
        raise OpError("its scales or sizes are computed at run time")
    return value


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR; the output's declared shape gives the sizes."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    coordinates = "tflite"
    if node.option("align_corners", False):
        coordinates = "tflite_align_corners"
    elif node.option("half_pixel_centers", False):
        coordinates = "tflite_half_pixel"
    mode = "nearest" if node.kind == "RESIZE_NEAREST_NEIGHBOR" else "linear"
    integer = mode == "linear" and not x.dtype.is_float
    sizes = y.shape[1:-1]
    build.emit(
        Resize,
        (x.name,),
        name=node.name,
        outputs=node.outputs,
        mode=mode,
        coordinates=coordinates,
        sizes=sizes,
        scales=tuple(float(o) / float(i) for o, i in zip(sizes, x.shape[1:-1], strict=True)),
        bits=TFLITE_BITS if integer else 0,
    )
