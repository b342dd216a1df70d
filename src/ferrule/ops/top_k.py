"""TopK: the largest or smallest elements of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.ops.slice import kept_quant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class TopK(Op):
    """The `count` largest (or smallest) elements along `axis`, best first, of equals the one that stands first.

    Outputs: the elements and their indices.
    """

    kind = "top_k"

    axis: int
    count: int
    largest: bool = True
    dtype: str = "int64"

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or not 0 <= self.axis < x.rank or not 0 <= self.count <= x.shape[self.axis]:
            raise OpError(
                f"{self.count} elements along axis {self.axis} do not fit {[] if x is None else list(x.shape)}"
            )
        if x.dtype is DType.BOOL or self.dtype not in ("int32", "int64"):
            raise OpError(f"orders no {x.dtype.value} with indices of {self.dtype}")
        shape = (*x.shape[: self.axis], self.count, *x.shape[self.axis + 1 :])
        return Type(shape, x.dtype), Type(shape, DType(self.dtype))

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        keys: Array = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
        if self.largest:  # ~x orders integers the other way round without overflow
            keys = -keys if x.dtype.kind == "f" else np.invert(keys)
        order = np.argsort(keys, axis=self.axis, kind="stable")
        index = np.take(order, np.arange(self.count), axis=self.axis)
        return np.take_along_axis(x, index, self.axis), index.astype(site.outputs[1].dtype.numpy)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axis=perm.index(self.axis))

    def quantized(self, site: Site) -> Op:
        if site.input(0).quant != site.output.quant:
            raise OpError("its input and its output have different scales")
        return self


def _emit(node: OnnxNode | TfliteNode, build: Builder, axis: int, count: Array | int | None, **more: Any) -> None:
    x = build.tensor(node.need(0))
    if count is None:
        raise OpError("the number of elements is computed at run time")
    wanted = [*node.outputs, None, None][:2]
    build.emit(
        TopK,
        (x.name,),
        name=node.name,
        outputs=wanted,
        quant=kept_quant(x),
        axis=normal_axis(axis, x.rank),
        count=int(np.asarray(count).reshape(-1)[0]),
        **more,
    )
    index = build.ops[-1].outputs[1]
    build.tensors[index] = build.tensor(index).but(quant=None)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read TopK with a constant k; unsorted results come sorted."""
    count = node.attribute("k") if node.opset < 10 else build.value(node.input(1))
    axis, largest = int(node.attribute("axis", -1)), bool(node.attribute("largest", 1))
    _emit(node, build, axis, count, largest=largest)


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read TOPK_V2: along the last axis."""
    dtype = build.tensor(node.outputs[1]).dtype.value
    _emit(node, build, -1, build.value(node.input(1)), dtype=dtype)
