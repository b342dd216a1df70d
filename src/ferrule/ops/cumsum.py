"""CumSum: running sums along one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class CumSum(Op):
    """y[j] = sum of x[0..j] along `axis`; `exclusive` leaves out x[j]; `reverse` sums from the end. Integers wrap."""

    kind = "cumsum"

    axis: int
    exclusive: bool = False
    reverse: bool = False

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or not 0 <= self.axis < x.rank:
            raise OpError(f"axis {self.axis} does not fit rank {0 if x is None else x.rank}")
        if x.dtype not in (DType.FLOAT32, DType.INT32, DType.INT64) or x.quant is not None:
            raise OpError(f"sums float32, int32 and int64, not {x.dtype.value}")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        wide = np.float64 if site.output.dtype.is_float else x.dtype
        turned = np.flip(x, self.axis) if self.reverse else x
        total = np.cumsum(turned.astype(wide), axis=self.axis, dtype=wide)
        if self.exclusive:
            total = total - turned
        total = np.flip(total, self.axis) if self.reverse else total
        return (np.ascontiguousarray(total).astype(x.dtype),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(axis=perm.index(self.axis))


def _axis(build: Builder, name: str | None, rank: int) -> int:
    value = build.value(name)
    if value is None:
        raise OpError("its axis is computed at run time")
    return normal_axis(int(value.reshape(-1)[0]), rank)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read CumSum."""
    x = build.tensor(node.need(0))
    build.emit(
        CumSum,
        (x.name,),
        name=node.name,
        outputs=node.outputs,
        axis=_axis(build, node.input(1), x.rank),
        exclusive=bool(node.attribute("exclusive", 0)),
        reverse=bool(node.attribute("reverse", 0)),
    )


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read CUMSUM."""
    x = build.tensor(node.need(0))
    build.emit(
        CumSum,
        (x.name,),
        name=node.name,
        outputs=node.outputs,
        axis=_axis(build, node.input(1), x.rank),
        exclusive=bool(node.option("exclusive", False)),
        reverse=bool(node.option("reverse", False)),
    )
