"""OneHot: an axis that marks an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.cast import emit_cast
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class OneHot(Op):
    """y[o, d, i] = `on` where d is the index [o, i], else `off`; the new axis stands at `axis` of the output.

    A negative index counts from the end of `depth`; one beyond marks nothing. With `negative` False (TFLite) a
    negative index marks nothing either.
    """

    kind = "one_hot"

    axis: int
    depth: int
    dtype: str
    on: float
    off: float
    negative: bool = True

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.dtype not in (DType.INT32, DType.INT64):
            raise OpError("the indices must be int32 or int64")
        if not 0 <= self.axis <= x.rank or self.depth < 0:
            raise OpError(f"axis {self.axis} and depth {self.depth} do not fit rank {x.rank}")
        return (Type((*x.shape[: self.axis], self.depth, *x.shape[self.axis :]), DType(self.dtype)),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        index = values[0].astype(np.int64)
        if self.negative:
            index = np.where((index < 0) & (index >= -self.depth), index + self.depth, index)
        marks = np.expand_dims(index, self.axis) == np.arange(self.depth).reshape(
            [-1 if k == self.axis else 1 for k in range(index.ndim + 1)]
        )
        dtype = site.output.dtype.numpy
        return (np.where(marks, np.asarray(self.on).astype(dtype), np.asarray(self.off).astype(dtype)),)


def _emit(
    build: Builder,
    index: str,
    depth: Array | None,
    values: Array,
    axis: int,
    name: str,
    output: str | None,
    negative: bool,
) -> None:
    if depth is None or depth.size != 1:
        raise OpError("its depth is computed at run time")
    tensor = build.tensor(index)
    if tensor.dtype not in (DType.INT32, DType.INT64):
        index = emit_cast(build, index, DType.INT64, f"{name}:index")
    build.emit(
        OneHot,
        (index,),
        name=name,
        outputs=(output,),
        axis=normal_axis(axis, tensor.rank + 1),
        depth=int(depth.reshape(-1)[0]),
        dtype=DType.of(values).value,
        on=float(values[1]),
        off=float(values[0]),
        negative=negative,
    )


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read OneHot; depth and values must be constant."""
    values = build.value(node.input(2))
    if values is None or values.size != 2:
        raise OpError("its two values are computed at run time")
    axis, depth = int(node.attribute("axis", -1)), build.value(node.input(1))
    _emit(build, node.need(0), depth, values.reshape(-1), axis, node.name, node.outputs[0], True)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read ONE_HOT: indices, depth, on, off."""
    on, off = build.value(node.input(2)), build.value(node.input(3))
    if on is None or off is None:
        raise OpError("its two values are computed at run time")
    values = np.concatenate([off.reshape(-1)[:1], on.reshape(-1)[:1]])
    axis, depth = int(node.option("axis", -1)), build.value(node.input(1))
    _emit(build, node.need(0), depth, values, axis, node.name, node.outputs[0], False)
