"""Where: elements of one tensor or another, by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.expand import broadcast
from ferrule.ops.folding import fold
from ferrule.ops.reshape import emit_reshape
from ferrule.ops.slice import kept_quant
from ferrule.program.access import Access, access_of, broadcast_factors
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Where(Op):
    """y = a where the mask holds, else b; all three broadcast by numpy's rule. Inputs: mask (bool), a, b."""

    kind = "where"

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        mask, a, b = inputs
        if mask is None or a is None or b is None:
            raise OpError("needs a mask and two tensors")
        if mask.dtype is not DType.BOOL:
            raise OpError(f"the mask must be bool, not {mask.dtype.value}")
        if a.dtype is not b.dtype:
            raise OpError(f"types {a.dtype.value} and {b.dtype.value} do not go together")
        return (Type(broadcast(mask.shape, a.shape, b.shape), a.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        mask, a, b = values
        assert mask is not None and a is not None and b is not None
        return (np.where(mask, a, b).reshape(site.output.shape),)

    def accesses(self, site: Site) -> tuple[Access, ...]:
        """Which element of each input an output element takes."""
        y = site.output
        return tuple(access_of(site.input(i), y, broadcast_factors(site.input(i), y)) for i in range(3))

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return tuple(
            None if constant is not None else access.input_rows(low, high)
            for access, constant in zip(self.accesses(site), site.constants, strict=True)
        )

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return tuple((i, 0) for i in (1, 2) if site.input(i).shape == site.output.shape)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self if all(site.input(i).rank == site.output.rank for i in range(3)) else None

    def quantized(self, site: Site) -> Op:
        if site.input(1).quant != site.output.quant or site.input(2).quant != site.output.quant:
            raise OpError("its two tensors and its output have different scales")
        return self


def _emit(build: Builder, names: Sequence[str], name: str, output: str | None) -> None:
    values = [build.value(n) for n in names]
    if values[0] is not None and values[1] is not None and values[2] is not None:
        fold(build, np.where(values[0], values[1], values[2]), output)
        return
    build.emit(Where, names, name=name, outputs=(output,), quant=kept_quant(build.tensor(names[1])))


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Where."""
    _emit(build, [node.need(i) for i in range(3)], node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read SELECT (a vector mask chooses along the first axis) and SELECT_V2 (broadcasting)."""
    names = [node.need(i) for i in range(3)]
    mask, a = build.tensor(names[0]), build.tensor(names[1])
    if node.kind == "SELECT" and mask.rank == 1 and a.rank > 1:
        names[0] = emit_reshape(build, names[0], (*mask.shape, *[1] * (a.rank - 1)), f"{node.name}:mask")
    quants = {build.tensor(n).quant for n in (*names[1:], node.outputs[0])}
    if len(quants) > 1:
        raise OpError("its two tensors and its output have different scales")
    _emit(build, names, node.name, node.outputs[0])
