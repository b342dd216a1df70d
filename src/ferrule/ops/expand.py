"""Expand: axes of length 1 repeated to a length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.ops.slice import kept_quant
from ferrule.program.access import Access, StridedOp, access_of, broadcast_factors
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class Expand(StridedOp):
    """x broadcast to `shape` by numpy's rule (axes aligned at the end). Any dtype; the codes are unchanged."""

    kind = "expand"
    keeps_codes = True

    shape: tuple[int, ...]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or broadcast(x.shape, self.shape) != self.shape:
            raise OpError(f"shape {[] if x is None else list(x.shape)} does not expand to {list(self.shape)}")
        return (Type(self.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (np.ascontiguousarray(np.broadcast_to(values[0], self.shape)).reshape(self.shape),)

    def access(self, site: Site) -> Access:
        return access_of(site.input(0), site.output, broadcast_factors(site.input(0), site.output))

    def is_reshape(self, site: Site) -> bool:
        """Only axes of length 1 are added."""
        return site.input(0).elements == site.output.elements

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        if site.input(0).rank != len(self.shape):
            return None
        return self.but(shape=tuple(self.shape[p] for p in perm))

    def quantized(self, site: Site) -> Op:
        return self


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape by numpy's rule; OpError where there is none."""
    try:
        return tuple(int(d) for d in np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError:
        raise OpError(f"shapes {', '.join(str(list(s)) for s in shapes)} do not broadcast") from None


def emit_expand(build: Builder, x: str, shape: Sequence[int], name: str, output: str | None = None) -> str:
    """Add an expand (a reshape where nothing is repeated) and return the result's name."""
    tensor, target = build.tensor(x), tuple(int(d) for d in shape)
    if target == tensor.shape:
        return emit_reshape(build, x, target, name, output)
    (out,) = build.emit(Expand, (x,), name=name, outputs=(output,), quant=kept_quant(tensor), shape=target)
    return out


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Expand: x and the wanted shape broadcast together, so an axis of the shape may be 1 as well."""
    x, shape = build.tensor(node.need(0)), build.value(node.input(1))
    if shape is None:
        raise OpError("the target shape is computed at run time")
    target = broadcast(x.shape, [int(d) for d in shape.reshape(-1)])
    emit_expand(build, x.name, target, node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read BROADCAST_TO; the target is the output's declared shape."""
    emit_expand(build, node.need(0), build.tensor(node.outputs[0]).shape, node.name, node.outputs[0])
