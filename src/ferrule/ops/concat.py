"""Concat: tensors side by side along one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.program.build import Builder
from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Array, Move, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class Concat(Op):
    """All inputs joined along `axis` (0..rank-1). Any dtype; integer inputs share the output's scale."""

    kind = "concat"

    axis: int

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
        return (np.concatenate([v for v in values if v is not None], axis=self.axis),)

    def moves(self, site: Site) -> tuple[Move, ...] | None:
        return joined_boxes([t for t in site.inputs if t is not None], site.output, self.axis)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        if self.axis == site.output.rank - 1 or (site.output.rank >= 4 and self.axis == site.output.rank - 2):
            return ((low, high),) * len(site.inputs)
        return super().rows(site, low, high)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axis=perm.index(self.axis))

    def quantized(self, site: Site) -> Op:
        return self


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
    """Read CONCATENATION; int8 inputs carry the output's scale, which TFLite demands."""
    y = build.tensor(node.outputs[0])
    names = [node.need(i) for i in range(len(node.inputs))]
    if any(build.tensor(n).quant != y.quant for n in names):
        raise OpError("inputs and output have different scales")
    if node.option("fused_activation_function", "NONE") != "NONE":
        raise OpError("a fused activation is not supported")
    build.emit(
        Concat, names, name=node.name, outputs=node.outputs, axis=normal_axis(int(node.option("axis", 0)), y.rank)
    )
