"""Tile: a tensor repeated side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.ops.slice import kept_quant
from ferrule.program.access import Access, StridedOp, access_of
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class Tile(StridedOp):
    """x repeated `repeats[k]` times along axis k. Any dtype; the codes are unchanged."""

    kind = "tile"
    keeps_codes = True

    repeats: tuple[int, ...]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or len(self.repeats) != x.rank or any(r < 0 for r in self.repeats):
            raise OpError(f"repeats {list(self.repeats)} do not fit rank {0 if x is None else x.rank}")
        return (Type(tuple(d * r for d, r in zip(x.shape, self.repeats, strict=True)), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (np.tile(values[0], self.repeats),)

    def access(self, site: Site) -> Access:
        x = site.input(0)
        factors = [[(r, None, 0), (x.shape[k], k, 1)] for k, r in enumerate(self.repeats)]
        return access_of(x, site.output, factors)

    def is_reshape(self, site: Site) -> bool:
        return all(r == 1 for r in self.repeats)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(repeats=tuple(self.repeats[p] for p in perm))

    def quantized(self, site: Site) -> Op:
        return self


def _emit(node: OnnxNode | TfliteNode, build: Builder, repeats: Array | None) -> None:
    x = build.tensor(node.need(0))
    if repeats is None:
        raise OpError("the repeats are computed at run time")
    counts = tuple(int(r) for r in repeats.reshape(-1))
    if all(c == 1 for c in counts):
        emit_reshape(build, x.name, x.shape, node.name, node.outputs[0])
        return
    build.emit(Tile, (x.name,), name=node.name, outputs=node.outputs, quant=kept_quant(x), repeats=counts)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Tile (opset 6 and later)."""
    _emit(node, build, build.value(node.input(1)))


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read TILE."""
    _emit(node, build, build.value(node.input(1)))
