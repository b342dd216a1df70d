"""Gather: slices of a tensor picked by index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.folding import fold
from ferrule.ops.reshape import emit_reshape
from ferrule.ops.slice import emit_slice, kept_quant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

INDEX_TYPES = (DType.INT32, DType.INT64)


@dataclass(frozen=True, kw_only=True)
class Gather(Op):
    """y[b, o, j, i] = x[b, o, index[b, j], i], x being seen as [batch, outer, axis, inner].

    `batch` leading axes are common to x and the indices. A negative index counts from the end; one beyond the axis is
    clamped to it (the source formats leave it undefined). Any dtype; the codes are unchanged.
    """

    kind = "gather"
    keeps_codes = True

    axis: int
    batch: int = 0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, index = inputs[0], inputs[1]
        if x is None or index is None or not 0 <= self.axis < x.rank:
            raise OpError(f"axis {self.axis} does not fit rank {0 if x is None else x.rank}")
        if index.dtype not in INDEX_TYPES:
            raise OpError(f"indices must be int32 or int64, not {index.dtype.value}")
        if self.batch > self.axis or x.shape[: self.batch] != index.shape[: self.batch]:
            raise OpError(f"{self.batch} batch axes do not fit {list(x.shape)} and {list(index.shape)}")
        if x.shape[self.axis] == 0 and index.elements:
            raise OpError("picks from an empty axis")
        shape = (*x.shape[: self.axis], *index.shape[self.batch :], *x.shape[self.axis + 1 :])
        return (Type(shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, index = values[0], values[1]
        assert x is not None and index is not None
        positions = wrapped(index, x.shape[self.axis])
        if self.batch == 0:
            return (np.ascontiguousarray(np.take(x, positions, axis=self.axis)).reshape(site.output.shape),)
        lead = x.shape[: self.batch]
        out = np.empty(site.output.shape, x.dtype)
        for at in np.ndindex(*lead):
            out[at] = np.take(x[at], positions[at], axis=self.axis - self.batch)
        return (out,)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        x, rest = site.input(0), super().rows(site, low, high)
        if self.axis == x.rank - 1 and site.input(1).rank == 1 and not self.batch and site.constant(0) is None:
            return ((low, high), *rest[1:])
        return rest

    def quantized(self, site: Site) -> Op:
        return self


def wrapped(index: Array, length: int) -> Array:
    """Indices as 0..length-1: negative ones count from the end, others are clamped."""
    wide = index.astype(np.int64)
    return np.asarray(np.clip(np.where(wide < 0, wide + length, wide), 0, max(length - 1, 0)))


def checked(index: Array, length: int) -> Array:
    """Constant indices as 0..length-1; OpError where one lies outside."""
    wide = index.astype(np.int64)
    if wide.size and (int(wide.min()) < -length or int(wide.max()) >= length):
        raise OpError(f"an index lies outside -{length}..{length - 1}")
    return wrapped(wide, length)


def emit_gather(
    build: Builder,
    x: str,
    index: str,
    axis: int,
    name: str,
    output: str | None,
    batch: int = 0,
    origin: str | None = None,
) -> None:
    """Add a gather: a constant, a slice where the indices are constant and evenly spaced, or the op."""
    tensor, known = build.tensor(x), build.value(index)
    if known is not None:
        known = checked(known, tensor.shape[axis])
        source = build.value(x)
        if source is not None and not batch and tensor.quant is None:
            fold(build, np.take(source, known, axis=axis), output)
            return
        step = _even_step(known)
        if step is not None and not batch:
            _emit_even(build, x, known, step, axis, name, output, origin or name)
            return
        index = build.constant(known.astype(np.int32), f"{name}:indices")
    build.emit(
        Gather,
        (x, index),
        name=name,
        outputs=(output,),
        quant=kept_quant(tensor),
        origin=(origin or name,),
        axis=axis,
        batch=batch,
    )


def _even_step(index: Array) -> int | None:
    """The step between neighbours of a scalar or a vector of indices that are evenly spaced, else None."""
    if index.size == 0 or index.ndim > 1:
        return None
    steps = np.unique(np.diff(index.reshape(-1)))
    if steps.size == 0:
        return 1
    return int(steps[0]) if steps.size == 1 and steps[0] != 0 else None


def _emit_even(
    build: Builder, x: str, index: Array, step: int, axis: int, name: str, output: str | None, origin: str
) -> None:
    shape = build.tensor(x).shape
    first, size, steps = [0] * len(shape), list(shape), [1] * len(shape)
    first[axis], size[axis], steps[axis] = int(index.reshape(-1)[0]), index.size, step
    if index.ndim == 1:
        emit_slice(build, x, first, size, steps, name, output, origin)
        return
    cut = emit_slice(build, x, first, size, steps, f"{name}:cut", None, origin)
    emit_reshape(build, cut, [d for k, d in enumerate(size) if k != axis], name, output, origin)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Gather."""
    x = build.tensor(node.need(0))
    axis = normal_axis(int(node.attribute("axis", 0)), x.rank)
    emit_gather(build, x.name, node.need(1), axis, node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read GATHER with its batch dimensions."""
    x, index = build.tensor(node.need(0)), build.tensor(node.need(1))
    axis = normal_axis(int(node.option("axis", 0)), x.rank)
    batch = int(node.option("batch_dims", 0))
    batch = batch + index.rank if batch < 0 else batch
    emit_gather(build, x.name, index.name, axis, node.name, node.outputs[0], batch)


def from_tflite_embedding(node: TfliteNode, build: Builder) -> None:
    """Read EMBEDDING_LOOKUP: rows of a table, the indices first."""
    emit_gather(build, node.need(1), node.need(0), 0, node.name, node.outputs[0])


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[k + 1 :]) for k in range(len(shape))]


def element_positions(index: Array, shape: Sequence[int], axis: int) -> Array:
    """Linear position in a tensor of `shape` of the element that each index names along `axis`."""
    linear = np.zeros(index.shape, np.int64)
    for k, (grid, stride) in enumerate(zip(np.indices(index.shape), _strides(shape), strict=True)):
        linear += (checked(index, shape[axis]) if k == axis else grid) * stride
    return linear


def from_onnx_elements(node: OnnxNode, build: Builder) -> None:
    """Read GatherElements with constant indices: a gather from the flattened tensor."""
    x, index = build.tensor(node.need(0)), build.value(node.input(1))
    axis = normal_axis(int(node.attribute("axis", 0)), x.rank)
    if index is None:
        raise OpError("its indices are computed at run time")
    if index.ndim != x.rank or any(
        i > d for k, (i, d) in enumerate(zip(index.shape, x.shape, strict=True)) if k != axis
    ):
        raise OpError(f"indices of shape {list(index.shape)} do not fit {list(x.shape)}")
    linear = element_positions(index, x.shape, axis)
    _emit_flat(build, x.name, (x.elements,), linear, node)


def from_onnx_nd(node: OnnxNode, build: Builder) -> None:
    """Read GatherND with constant indices: a gather from the indexed axes merged into one."""
    _gather_nd(node, build, int(node.attribute("batch_dims", 0)))


def from_tflite_nd(node: TfliteNode, build: Builder) -> None:
    """Read GATHER_ND with constant indices."""
    _gather_nd(node, build, 0)


def _gather_nd(node: OnnxNode | TfliteNode, build: Builder, batch: int) -> None:
    x, index = build.tensor(node.need(0)), build.value(node.input(1))
    if index is None:
        raise OpError("its indices are computed at run time")
    depth = index.shape[-1] if index.ndim else 0
    if not depth or batch + depth > x.rank or index.shape[:batch] != x.shape[:batch]:
        raise OpError(f"indices of shape {list(index.shape)} do not fit {list(x.shape)}")
    merged = x.shape[: batch + depth]
    strides = _strides(merged)
    linear = np.zeros(index.shape[:-1], np.int64)
    for k in range(depth):
        linear += checked(index[..., k], x.shape[batch + k]) * strides[batch + k]
    for k, grid in enumerate(np.indices(index.shape[:-1])[:batch]):
        linear += grid * strides[k]
    _emit_flat(build, x.name, (math.prod(merged), *x.shape[batch + depth :]), linear, node)


def _emit_flat(build: Builder, x: str, shape: Sequence[int], linear: Array, node: OnnxNode | TfliteNode) -> None:
    source = build.value(x)
    if source is not None and build.tensor(x).quant is None:
        fold(build, np.take(source.reshape(tuple(shape)), linear, axis=0), node.outputs[0])
        return
    flat = emit_reshape(build, x, shape, f"{node.name}:flat", origin=node.name)
    index = build.constant(linear, f"{node.name}:positions")
    emit_gather(build, flat, index, 0, node.name, node.outputs[0])
