"""Trilu: one triangle of matrices kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.folding import fold
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class Trilu(Op):
    """Of the last two axes, elements with column - row >= `diagonal` (upper; <= for lower) stay, others become 0.

    Integer codes become the zero point.
    """

    kind = "trilu"
    keeps_codes = True

    upper: bool
    diagonal: int = 0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.rank < 2:
            raise OpError("needs matrices")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        return (triangle(x, self.upper, self.diagonal, site.output.zero_point),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)

    def quantized(self, site: Site) -> Op:
        return self


def triangle(x: Array, upper: bool, diagonal: int, zero: int = 0) -> Array:
    """The kept triangle, the rest set to `zero`."""
    offset = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    kept = offset >= diagonal if upper else offset <= diagonal
    return np.where(kept, x, np.asarray(zero, x.dtype))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Trilu; the diagonal must be constant."""
    upper, diagonal = bool(node.attribute("upper", 1)), 0
    if node.input(1) is not None:
        given = build.value(node.input(1))
        if given is None:
            raise OpError("its diagonal is computed at run time")
        # beyond the matrix every diagonal is alike
        diagonal = int(np.clip(int(given.reshape(-1)[0]), -(2**30), 2**30))
    value = build.value(node.need(0))
    if value is not None and build.tensor(node.need(0)).quant is None:
        fold(build, triangle(value, upper, diagonal), node.outputs[0])
        return
    build.emit(Trilu, (node.need(0),), name=node.name, outputs=node.outputs, upper=upper, diagonal=diagonal)
