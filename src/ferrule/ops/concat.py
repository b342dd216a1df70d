"""Concat: tensors side by side along one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Array, Move, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.output_stage import finish_integer
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Concat(Op):
    """All inputs joined along `axis` (0..rank-1). Any dtype.

    Inputs whose scale is not the output's are requantized: y = clamp(requant(x - zx) + zy); `requants` then holds one
    entry for each input, None for those that are carried as they are.
    """

    kind = "concat"

    axis: int
    requants: tuple[Requant | None, ...] = ()

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        tensors = [t for t in inputs if t is not None]
        if not tensors or len(tensors) != len(inputs):
            raise OpError("an input is missing")
        first = tensors[0]
        for tensor in tensors:
            rest = [d for i, d in enumerate(tensor.shape) if i != self.axis]
            if tensor.rank != first.rank or rest != [d for i, d in enumerate(first.shape) if i != self.axis]:
                raise OpError(f"shapes {list(first.shape)} and {list(tensor.shape)} do not join along axis {self.axis}")
            if tensor.dtype is not first.dtype:
                raise OpError(f"types {first.dtype.value} and {tensor.dtype.value} do not join")
        shape = list(first.shape)
        shape[self.axis] = sum(t.shape[self.axis] for t in tensors)
        return (Type(tuple(shape), first.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        parts = [v for v in values if v is not None]
        for index, requant in enumerate(self.requants):
            if requant is not None:
                centred = parts[index].astype(np.int64) - site.input(index).zero_point
                parts[index] = finish_integer(centred, requant, None, site.output)
        return (np.concatenate(parts, axis=self.axis),)

    def moves(self, site: Site) -> tuple[Move, ...] | None:
        parts = [t for t in site.inputs if t is not None]
        if any(r is not None for r in self.requants):
            return None
        if self._is_row_axis(site) and math.prod(site.output.shape[: self.axis]) * len(parts) > MOST_BOXES:
            return None
        return joined_boxes(parts, site.output, self.axis)

    def _is_row_axis(self, site: Site) -> bool:
        rank = site.output.rank
        return self.axis < rank - (2 if rank >= 4 else 1)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        ranges: list[RowRange | None] = []
        for first, run, length in row_runs(site, self.axis) if self._is_row_axis(site) else ():
            ranges.append(_run_rows(low, high, first, run, length))
        if not ranges:
            ranges = [(low, high)] * len(site.inputs)
        return tuple(None if c is not None else r for r, c in zip(ranges, site.constants, strict=True))

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axis=perm.index(self.axis))

    def quantized(self, site: Site) -> Op:
        requants = []
        for tensor in site.inputs:
            if tensor is None or tensor.quant is None or site.output.quant is None:
                raise OpError("an input or the output has no scale")
            same = (tensor.scale, tensor.zero_point) == (site.output.scale, site.output.zero_point)
            factor = np.float64(tensor.scale) / np.float64(site.output.scale)
            requants.append(None if same else Requant.of(factor, "single"))
        return self.but(requants=tuple(requants) if any(r is not None for r in requants) else ())


MOST_BOXES = 16
"""Movements of more boxes than this are one kernel call, not as many copies."""


def row_runs(site: Site, axis: int) -> list[tuple[int, int, int]]:
    """Of each input joined along a row axis: first row in a run of the output, rows in its own run, the output's."""
    own = [geometry(site.input(i)).rows for i in range(len(site.inputs))]
    repeats = max(math.prod(site.output.shape[:axis]), 1)
    runs = [rows // repeats for rows in own]
    return [(sum(runs[:i]), run, sum(runs)) for i, run in enumerate(runs)]


def _run_rows(low: int, high: int, first: int, run: int, length: int) -> RowRange:
    """The rows of an input that output rows [low, high) take."""
    if low >= high or run == 0:
        return 0, 0
    begin = low // length * run + min(max(low % length - first, 0), run)
    last = (high - 1) // length * run + min(max((high - 1) % length - first + 1, 0), run)
    return (begin, last) if begin < last else (0, 0)


def joined_boxes(parts: Sequence[Tensor], full: Tensor, axis: int) -> tuple[Move, ...]:
    """How parts that lie side by side along an axis make up the full tensor, as boxes of its geometry.

    With axes of length above 1 before a row axis, each part comes in several runs of rows.
    """
    moves: list[Move] = []
    start = 0
    shape, rank = geometry(full), full.rank
    for index, part in enumerate(parts):
        own = geometry(part)
        if rank == 0 or axis == rank - 1:
            moves.append(_box_move(index, Box(0, 0, 0, own.rows, own.width, own.channels), 0, 0, start))
            start += own.channels
        elif rank >= 4 and axis == rank - 2:
            moves.append(_box_move(index, Box(0, 0, 0, own.rows, own.width, own.channels), 0, start, 0))
            start += own.width
        else:
            repeats = math.prod(full.shape[:axis])
            own_run, full_run = own.rows // max(repeats, 1), shape.rows // max(repeats, 1)
            for repeat in range(repeats):
                source = Box(repeat * own_run, 0, 0, own_run, own.width, own.channels)
                moves.append(_box_move(index, source, repeat * full_run + start, 0, 0))
            start += own_run
    return tuple(moves)


def _box_move(index: int, source: Box, row: int, pixel: int, channel: int) -> Move:
    return Move(index, 0, source, Box(row, pixel, channel, source.rows, source.width, source.channels))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Concat; empty tensors among the inputs join nothing."""
    names = [n for n in node.inputs if n is not None]
    rank = build.tensor(names[0]).rank
    axis = normal_axis(int(node.attribute("axis", 1)), rank)
    full = [n for n in names if build.tensor(n).elements] or names[:1]
    build.emit(Concat, full, name=node.name, outputs=node.outputs, axis=axis)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read CONCATENATION; 8-bit inputs carry the output's scale, and TFLite joins 16-bit codes whatever theirs is."""
    y = build.tensor(node.outputs[0])
    names = [node.need(i) for i in range(len(node.inputs))]
    if y.dtype is not DType.INT16 and any(build.tensor(n).quant != y.quant for n in names):
        raise OpError("inputs and output have different scales")
    if node.option("fused_activation_function", "NONE") != "NONE":
        raise OpError("a fused activation is not supported")
    axis = normal_axis(int(node.option("axis", 0)), y.rank)
    build.emit(Concat, names, name=node.name, outputs=node.outputs, axis=axis)


def from_tflite_pack(node: TfliteNode, build: Builder) -> None:
    """Read PACK: each input gets the new axis, then they are joined along it."""
    y = build.tensor(node.outputs[0])
    axis = normal_axis(int(node.option("axis", 0)), y.rank)
    shape = [1 if i == axis else d for i, d in enumerate(y.shape)]
    parts = [
        emit_reshape(build, node.need(i), shape, f"{node.name}:{i}", origin=node.name) for i in range(len(node.inputs))
    ]
    build.emit(Concat, parts, name=node.name, outputs=node.outputs, axis=axis)
