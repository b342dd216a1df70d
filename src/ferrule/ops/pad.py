"""Pad: a border around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from ferrule.ops.slice import emit_slice, kept_quant
from ferrule.program.build import Builder
from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Array, Move, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor
from ferrule.program.window import Pads

PadMode = Literal["constant", "reflect", "edge", "wrap", "symmetric"]


@dataclass(frozen=True, kw_only=True)
class Pad(Op):
    """`pads` elements before and after each axis, holding `value` (a code where integer) or a mirror of the tensor."""

    kind = "pad"
    keeps_codes = True

    pads: Pads
    mode: PadMode = "constant"
    value: float = 0.0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or len(self.pads) != x.rank or any(p < 0 for pair in self.pads for p in pair):
            raise OpError(f"pads {self.pads} do not fit rank {0 if x is None else x.rank}")
        for length, pair in zip(x.shape, self.pads, strict=True):
            room = {"reflect": length - 1, "symmetric": length, "wrap": length, "edge": 2**31}.get(self.mode, 2**31)
            if max(pair) > room:
                raise OpError(f"{self.mode} padding of {max(pair)} needs an axis longer than {length}")
        return (Type(tuple(d + a + b for d, (a, b) in zip(x.shape, self.pads, strict=True)), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        if self.mode == "constant":
            return (np.pad(x, self.pads, constant_values=np.asarray(self.value).astype(x.dtype)),)
        return (np.pad(x, self.pads, mode=self.mode),)

    def moves(self, site: Site) -> tuple[Move, ...] | None:
        x, y = site.input(0), site.output
        row_axes = x.rank - (2 if x.rank >= 4 else 1)
        padded = [i for i in range(row_axes) if self.pads[i] != (0, 0)]
        if self.mode != "constant" or any(x.shape[k] != 1 or self.pads[k] != (0, 0) for i in padded for k in range(i)):
            return None
        own, full = geometry(x), geometry(y)
        row = 0
        for axis in range(row_axes):
            row = row * y.shape[axis] + self.pads[axis][0]
        pixel = self.pads[x.rank - 2][0] if x.rank >= 4 else 0
        target = Box(row, pixel, self.pads[-1][0] if x.rank else 0, own.rows, own.width, own.channels)
        assert row + own.rows <= full.rows
        return (Move(0, 0, Box(0, 0, 0, own.rows, own.width, own.channels), target),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        taken = _row_map(site.input(0).shape, self.pads, self.mode)[low:high]
        taken = taken[taken >= 0]
        return ((int(taken.min()), int(taken.max()) + 1) if taken.size else (0, 0),)

    def fill(self, site: Site) -> float | None:
        return self.value

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(pads=tuple(self.pads[p] for p in perm))

    def quantized(self, site: Site) -> Op:
        y = site.output
        low, high = y.dtype.bounds
        code = float(np.clip(np.rint(np.float64(self.value) / y.scale) + y.zero_point, low, high))
        return self.but(value=code)


def source_index(length: int, pair: tuple[int, int], mode: PadMode) -> Array:
    """The input index of each output index along one axis, -1 where the value stands."""
    index = np.arange(-pair[0], length + pair[1])
    if mode == "constant":
        return np.where((index >= 0) & (index < length), index, -1)
    if mode == "edge":
        return np.clip(index, 0, length - 1)
    if mode == "wrap":
        return np.asarray(index % max(length, 1))
    skip = 1 if mode == "reflect" else 0
    index = np.where(index < 0, -index - 1 + skip, index)
    return np.where(index >= length, 2 * length - 1 - skip - index, index)


@lru_cache(maxsize=256)
def _row_map(shape: tuple[int, ...], pads: Pads, mode: PadMode) -> Array:
    """The input row of each output row, -1 for rows that hold only the value."""
    rows = np.zeros(1, np.int64)
    for axis in range(len(shape) - (2 if len(shape) >= 4 else 1)):
        index = source_index(shape[axis], pads[axis], mode)
        rows = np.where((rows[:, None] < 0) | (index < 0), -1, rows[:, None] * shape[axis] + index).reshape(-1)
    return rows


def emit_pad(
    build: Builder,
    x: str,
    pads: Pads,
    name: str,
    output: str | None = None,
    mode: PadMode = "constant",
    value: float = 0.0,
) -> str:
    """Add a pad and return the result's name; negative pads cut first."""
    tensor = build.tensor(x)
    if any(p < 0 for pair in pads for p in pair):
        starts = [max(-a, 0) for a, _ in pads]
        sizes = [d - max(-a, 0) - max(-b, 0) for d, (a, b) in zip(tensor.shape, pads, strict=True)]
        pads = tuple((max(a, 0), max(b, 0)) for a, b in pads)
        rest = any(pair != (0, 0) for pair in pads)
        x = emit_slice(build, x, starts, sizes, [1] * tensor.rank, f"{name}:cut", None if rest else output, name)
        if not rest:
            return x
    (out,) = build.emit(
        Pad, (x,), name=name, outputs=(output,), quant=kept_quant(tensor), pads=pads, mode=mode, value=float(value)
    )
    return out


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Pad; pads and value are attributes before opset 11, inputs after; `axes` since opset 18."""
    x = build.tensor(node.need(0))
    if node.opset < 11:
        pads, value, axes = node.ints("pads"), float(node.attribute("value", 0.0)), None
    else:
        given = build.value(node.input(1))
        if given is None:
            raise OpError("its pads are computed at run time")
        pads, value = [int(p) for p in given.reshape(-1)], 0.0
        if node.input(2) is not None:
            fill = build.value(node.input(2))
            if fill is None:
                raise OpError("its value is computed at run time")
            value = float(fill.reshape(-1)[0]) if fill.size else 0.0
        axes = build.value(node.input(3)) if node.input(3) is not None else None
    chosen = list(range(x.rank)) if axes is None else [normal_axis(int(a), x.rank) for a in axes.reshape(-1)]
    if pads is None or len(pads) != 2 * len(chosen):
        raise OpError(f"{0 if pads is None else len(pads)} pads do not fit {len(chosen)} axes")
    pairs = [(0, 0)] * x.rank
    for index, axis in enumerate(chosen):
        pairs[axis] = (pads[index], pads[index + len(chosen)])
    mode = node.attribute("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise OpError(f"mode {mode} is unknown")
    emit_pad(build, x.name, tuple(pairs), node.name, node.outputs[0], mode, value)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read PAD (real zero), PADV2 (a given code) and MIRROR_PAD."""
    x, pads = build.tensor(node.need(0)), build.value(node.input(1))
    if pads is None:
        raise OpError("its pads are computed at run time")
    pairs = tuple((int(a), int(b)) for a, b in pads.reshape(-1, 2))
    value, mode = float(x.zero_point if not x.dtype.is_float else 0.0), "constant"
    if node.kind == "PADV2":
        fill = build.value(node.input(2))
        if fill is None:
            raise OpError("its value is computed at run time")
        value = float(fill.reshape(-1)[0])
    elif node.kind == "MIRROR_PAD":
        mode = "reflect" if node.option("mode", "REFLECT") == "REFLECT" else "symmetric"
    build.emit(Pad, (x.name,), name=node.name, outputs=node.outputs, pads=pairs, mode=mode, value=value)
