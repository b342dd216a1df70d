"""ArgMax and ArgMin: where an axis is largest or smallest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.program.build import Builder
from ferrule.program.geometry import geometry
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class ArgExtreme(Op):
    """The index along `axis` of the largest (or smallest) element, of equals the first (or, with `last`, the last).

    Codes are compared as they stand, so a scale changes nothing. NaN is never an extreme, save where it stands first.
    """

    kind = "arg_extreme"

    axis: int
    dtype: str = "int64"
    largest: bool = True
    last: bool = False
    keep: bool = True

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or not 0 <= self.axis < x.rank:
            raise OpError(f"axis {self.axis} does not fit rank {0 if x is None else x.rank}")
        if x.shape[self.axis] < 1:
            raise OpError("the axis is empty")
        if self.dtype not in ("int32", "int64"):
            raise OpError(f"indices must be int32 or int64, not {self.dtype}")
        rest = [1] if self.keep else []
        return (Type((*x.shape[: self.axis], *rest, *x.shape[self.axis + 1 :]), DType(self.dtype)),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        best = np.take(x, [0], axis=self.axis)
        found = np.zeros(best.shape, np.int64)
        for j in range(1, x.shape[self.axis]):
            now = np.take(x, [j], axis=self.axis)
            better = (now > best if self.largest else now < best) | ((now == best) & self.last)
            best, found = np.where(better, now, best), np.where(better, j, found)
        return (found.reshape(site.output.shape).astype(site.output.dtype.numpy),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        x, y = site.input(0), geometry(site.output)
        inner = math.prod(x.shape[self.axis + 1 :])
        if low >= high or not y.size_bytes:
            return ((0, 0),)
        first, last = low * y.width * y.channels // inner, (high * y.width * y.channels - 1) // inner
        row = geometry(x).width * geometry(x).channels
        block = x.shape[self.axis] * inner
        return ((first * block // row, ((last + 1) * block - 1) // row + 1),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axis=perm.index(self.axis)) if self.keep else None

    def quantized(self, site: Site) -> Op:
        return self


def _emit(node: OnnxNode | TfliteNode, build: Builder, axis: int, **more: Any) -> None:
    x = build.tensor(node.need(0))
    build.emit(
        ArgExtreme, (x.name,), name=node.name, outputs=node.outputs, axis=normal_axis(axis, x.rank), quant=None, **more
    )


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read ArgMax and ArgMin."""
    _emit(
        node,
        build,
        int(node.attribute("axis", 0)),
        largest=node.kind == "ArgMax",
        last=bool(node.attribute("select_last_index", 0)),
        keep=bool(node.attribute("keepdims", 1)),
    )


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read ARG_MAX and ARG_MIN; the output's declared type is the index type."""
    axis = build.value(node.input(1))
    if axis is None:
        raise OpError("its axis is computed at run time")
    dtype = build.tensor(node.outputs[0]).dtype.value
    _emit(node, build, int(axis.reshape(-1)[0]), largest=node.kind == "ARG_MAX", keep=False, dtype=dtype)
