"""Rearrange: axes split, permuted and merged again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.pad import emit_pad
from ferrule.ops.slice import emit_slice, kept_quant
from ferrule.program.access import Access, Factor, StridedOp, access_of
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Rearrange(StridedOp):
    """Input axis k is the product of the factors `split[k]`; output axis k is the product of the factors `merge[k]`.

    Factors are numbered through all of `split` in order. Depth to space, space to depth, batch to space and channel
    shuffles are such ops, whatever the layout. Any dtype; the codes are unchanged.
    """

    kind = "rearrange"
    keeps_codes = True

    split: Groups
    merge: Groups

    def _sizes(self) -> list[int]:
        return [size for axis in self.split for size in axis]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or tuple(math.prod(axis) for axis in self.split) != x.shape:
            raise OpError(f"factors {self.split} do not make shape {[] if x is None else list(x.shape)}")
        sizes = self._sizes()
        if sorted(i for axis in self.merge for i in axis) != list(range(len(sizes))):
            raise OpError(f"merge {self.merge} is no order of {len(sizes)} factors")
        return (Type(tuple(math.prod(sizes[i] for i in axis) for axis in self.merge), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        parts = values[0].reshape(self._sizes())
        moved = parts.transpose([i for axis in self.merge for i in axis])
        return (np.ascontiguousarray(moved).reshape(site.output.shape),)

    def access(self, site: Site) -> Access:
        factors: list[Factor] = []
        for axis, sizes in enumerate(self.split):
            factors += [(size, axis, math.prod(sizes[i + 1 :])) for i, size in enumerate(sizes)]
        return access_of(site.input(0), site.output, [[factors[i] for i in axis] for axis in self.merge])

    def is_reshape(self, site: Site) -> bool:
        """Only factors of 1 move."""
        sizes = self._sizes()
        order = [i for axis in self.merge for i in axis if sizes[i] != 1]
        return order == sorted(order)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        if len(self.split) != len(self.merge):
            return None
        numbers: list[list[int]] = []
        for axis in self.split:
            first = sum(map(len, numbers))
            numbers.append(list(range(first, first + len(axis))))
        order = [i for p in perm for i in numbers[p]]
        merge = tuple(tuple(order.index(i) for i in self.merge[p]) for p in perm)
        return self.but(split=tuple(self.split[p] for p in perm), merge=merge)

    def quantized(self, site: Site) -> Op:
        return self


def emit_rearrange(
    build: Builder, x: str, split: Groups, merge: Groups, name: str, output: str | None, origin: str | None = None
) -> str:
    """Add a rearrange and return the result's name."""
    (out,) = build.emit(
        Rearrange,
        (x,),
        name=name,
        outputs=(output,),
        quant=kept_quant(build.tensor(x)),
        origin=(origin or name,),
        split=split,
        merge=merge,
    )
    return out


def _parts(length: int, block: int, what: str) -> int:
    if block < 1 or length % block:
        raise OpError(f"{what} of {length} does not divide into blocks of {block}")
    return length // block


def from_onnx_depth_to_space(node: OnnxNode, build: Builder) -> None:
    """Read DepthToSpace: mode DCR (block, block, depth) or CRD (depth, block, block)."""
    x = build.tensor(node.need(0))
    if x.rank != 4:
        raise OpError(f"needs rank 4, not {x.rank}")
    block, mode = int(node.attribute("blocksize", 0)), node.attribute("mode", "DCR")
    count, channels, height, width = x.shape
    depth = _parts(channels, block * block, "a depth")
    if mode not in ("DCR", "CRD"):
        raise OpError(f"mode {mode} is unknown")
    if mode == "DCR":
        split: Groups = ((count,), (block, block, depth), (height,), (width,))
        merge: Groups = ((0,), (3,), (4, 1), (5, 2))
    else:
        split, merge = ((count,), (depth, block, block), (height,), (width,)), ((0,), (1,), (4, 2), (5, 3))
    emit_rearrange(build, x.name, split, merge, node.name, node.outputs[0])


def from_onnx_space_to_depth(node: OnnxNode, build: Builder) -> None:
    """Read SpaceToDepth: the output's depth is (block, block, depth), or with mode CRD (depth, block, block)."""
    x = build.tensor(node.need(0))
    if x.rank != 4:
        raise OpError(f"needs rank 4, not {x.rank}")
    block = int(node.attribute("blocksize", 0))
    count, channels, height, width = x.shape
    rows, columns = _parts(height, block, "a height"), _parts(width, block, "a width")
    split = ((count,), (channels,), (rows, block), (columns, block))
    mode = node.attribute("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise OpError(f"mode {mode} is unknown")
    merged = (3, 5, 1) if mode == "DCR" else (1, 3, 5)
    emit_rearrange(build, x.name, split, ((0,), merged, (2,), (4,)), node.name, node.outputs[0])


def from_tflite_depth(node: TfliteNode, build: Builder) -> None:
    """Read DEPTH_TO_SPACE and SPACE_TO_DEPTH, channels last, the depth being (block, block, depth)."""
    x, block = build.tensor(node.need(0)), int(node.option("block_size", 0))
    if x.rank != 4:
        raise OpError(f"needs rank 4, not {x.rank}")
    count, height, width, channels = x.shape
    if node.kind == "DEPTH_TO_SPACE":
        depth = _parts(channels, block * block, "a depth")
        split: Groups = ((count,), (height,), (width,), (block, block, depth))
        merge: Groups = ((0,), (1, 3), (2, 4), (5,))
    else:
        split = (
            (count,),
            (_parts(height, block, "a height"), block),
            (_parts(width, block, "a width"), block),
            (channels,),
        )
        merge = ((0,), (1,), (3,), (2, 4, 5))
    emit_rearrange(build, x.name, split, merge, node.name, node.outputs[0])


def _blocks(node: TfliteNode, build: Builder) -> tuple[list[int], list[tuple[int, int]]]:
    block, border = build.value(node.input(1)), build.value(node.input(2))
    if block is None or border is None:
        raise OpError("its block shape or its border is computed at run time")
    return [int(b) for b in block.reshape(-1)], [(int(a), int(b)) for a, b in border.reshape(-1, 2)]


def from_tflite_space_to_batch(node: TfliteNode, build: Builder) -> None:
    """Read SPACE_TO_BATCH_ND: pad with real zero, then move blocks to the batch, outermost."""
    x = build.tensor(node.need(0))
    blocks, pads = _blocks(node, build)
    count = len(blocks)
    if count + 1 > x.rank:
        raise OpError(f"{count} block sizes do not fit rank {x.rank}")
    source = x.name
    if any(p != (0, 0) for p in pads):
        pairs = ((0, 0), *pads, *[(0, 0)] * (x.rank - count - 1))
        value = 0.0 if x.dtype.is_float else float(x.zero_point)
        source = emit_pad(build, x.name, pairs, f"{node.name}:pad", value=value)
    shape = build.tensor(source).shape
    split = (
        (shape[0],),
        *((_parts(shape[1 + i], b, "an axis"), b) for i, b in enumerate(blocks)),
        *((d,) for d in shape[1 + count :]),
    )
    merge = (
        (*(2 + 2 * i for i in range(count)), 0),
        *((1 + 2 * i,) for i in range(count)),
        *((1 + 2 * count + i,) for i in range(x.rank - count - 1)),
    )
    emit_rearrange(build, source, split, merge, node.name, node.outputs[0])


def from_tflite_batch_to_space(node: TfliteNode, build: Builder) -> None:
    """Read BATCH_TO_SPACE_ND: blocks come back out of the batch, then the borders are cut."""
    x = build.tensor(node.need(0))
    blocks, crops = _blocks(node, build)
    count = len(blocks)
    if count + 1 > x.rank:
        raise OpError(f"{count} block sizes do not fit rank {x.rank}")
    batch = _parts(x.shape[0], math.prod(blocks), "a batch")
    split = ((*blocks, batch), *((d,) for d in x.shape[1:]))
    rest = range(2 * count + 1, count + x.rank)
    merge = ((count,), *((count + 1 + i, i) for i in range(count)), *((i,) for i in rest))
    if all(c == (0, 0) for c in crops):
        emit_rearrange(build, x.name, split, merge, node.name, node.outputs[0])
        return
    full = emit_rearrange(build, x.name, split, merge, f"{node.name}:blocks", None, node.name)
    shape = build.tensor(full).shape
    starts = [0, *(a for a, _ in crops), *[0] * (x.rank - count - 1)]
    sizes = [shape[0], *(shape[1 + i] - a - b for i, (a, b) in enumerate(crops)), *shape[1 + count :]]
    emit_slice(build, full, starts, sizes, [1] * x.rank, node.name, node.outputs[0])
