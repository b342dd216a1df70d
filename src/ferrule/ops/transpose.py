"""Transpose: axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.program.access import Access, StridedOp, access_of
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Quant, Tensor


@dataclass(frozen=True, kw_only=True)
class Transpose(StridedOp):
    """Axis k of the output is axis `perm[k]` of the input. Any rank up to 6, any dtype; the codes are unchanged."""

    kind = "transpose"
    keeps_codes = True

    perm: tuple[int, ...]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or sorted(self.perm) != list(range(x.rank)):
            raise OpError(f"perm {list(self.perm)} is no order of the {0 if x is None else x.rank} axes")
        return (Type(tuple(x.shape[p] for p in self.perm), x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (np.ascontiguousarray(values[0].transpose(self.perm)),)

    def access(self, site: Site) -> Access:
        shape = site.input(0).shape
        return access_of(site.input(0), site.output, [[(shape[p], p, 1)] for p in self.perm])

    def is_reshape(self, site: Site) -> bool:
        """Only axes of length 1 move."""
        shape = site.input(0).shape
        long_axes = [p for p in self.perm if shape[p] != 1]
        return long_axes == sorted(long_axes)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        """Return the same op: its axes then name the permuted ones (perm of the input and of the output commute)."""
        order = [perm.index(self.perm[p]) for p in perm]
        return self.but(perm=tuple(order))

    def quantized(self, site: Site) -> Op:
        return self


def transposed_quant(quant: Quant | None, perm: Sequence[int]) -> Quant | None:
    """The quantization of a tensor whose axes are put in another order."""
    if quant is None or quant.axis is None:
        return quant
    return Quant(quant.scale, quant.zero_point, list(perm).index(quant.axis))


def permute(build: Builder, name: str, perm: Sequence[int], op_name: str, output: str | None = None) -> str:
    """Add a transpose of a tensor; a constant is permuted at once. Return the result's name."""
    tensor, value = build.tensor(name), build.value(name)
    quant = transposed_quant(tensor.quant, perm)
    if value is not None and output is None:
        return build.constant(value.transpose(tuple(perm)), f"{name}:transposed", quant, tensor.dtype)
    (out,) = build.emit(
        Transpose,
        (name,),
        name=f"{op_name}:transpose",
        outputs=(output,),
        quant=quant,
        origin=(op_name,),
        perm=tuple(perm),
    )
    return out


def channels_last_perm(rank: int) -> tuple[int, ...]:
    """N,C,... to N,...,C."""
    return (0, *range(2, rank), 1)


def channels_first_perm(rank: int) -> tuple[int, ...]:
    """N,...,C to N,C,...."""
    return (0, rank - 1, *range(1, rank - 1))


def to_channels_last(build: Builder, name: str, node: OnnxNode) -> str:
    """Give a channels-first tensor channels last (ONNX's spatial operators are read literally, wrapped in these)."""
    return permute(build, name, channels_last_perm(build.tensor(name).rank), node.name)


def to_channels_first(build: Builder, name: str, node: OnnxNode, output: str | None) -> str:
    """Give a channels-last result back under the ONNX output's name."""
    return permute(build, name, channels_first_perm(build.tensor(name).rank), node.name, output)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read ONNX Transpose; without `perm` the axes are reversed."""
    rank = build.tensor(node.need(0)).rank
    perm = node.ints("perm", list(reversed(range(rank)))) or []
    build.emit(Transpose, (node.need(0),), name=node.name, outputs=node.outputs, perm=tuple(perm))


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read TRANSPOSE; the permutation must be constant."""
    perm = build.value(node.input(1))
    if perm is None:
        raise OpError("the permutation is computed at run time")
    order = tuple(int(p) for p in perm.reshape(-1))
    build.emit(Transpose, (node.need(0),), name=node.name, outputs=node.outputs, perm=order)
