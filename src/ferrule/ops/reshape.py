"""Reshape: the same bytes under another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Quant, Tensor


@dataclass(frozen=True, kw_only=True)
class Reshape(Op):
    """Output has the fixed `shape`; elements keep their row-major order. Any dtype; codes and scale are unchanged."""

    kind = "reshape"
    keeps_codes = True

    shape: tuple[int, ...]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.elements != math.prod(self.shape):
            raise OpError(f"{0 if x is None else x.elements} elements do not fill shape {list(self.shape)}")
        return (Type(self.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (values[0].reshape(self.shape),)

    def is_reshape(self, site: Site) -> bool:
        return True

    def quantized(self, site: Site) -> Op:
        return self


def emit_reshape(
    build: Builder, name: str, shape: Sequence[int], op_name: str, output: str | None = None, origin: str | None = None
) -> str:
    """Add a reshape and return the result's name."""
    tensor = build.tensor(name)
    (out,) = build.emit(
        Reshape,
        (name,),
        name=op_name,
        outputs=(output,),
        quant=tensor.quant if tensor.quant is not None and tensor.quant.axis is None else None,
        origin=(origin or op_name,),
        shape=tuple(int(d) for d in shape),
    )
    return out


def relabel(build: Builder, name: str, quant: Quant, op_name: str, origin: str) -> str:
    """Add a tensor with the same codes that mean other real values."""
    (out,) = build.emit(Reshape, (name,), name=op_name, quant=quant, origin=(origin,), shape=build.tensor(name).shape)
    return out


def resolve_shape(shape: Sequence[int], x: Sequence[int], allow_zero: bool = False) -> tuple[int, ...]:
    """Resolve 0 (copy the axis, unless `allow_zero`) and -1 (what remains) of an ONNX or TFLite target shape."""
    sizes = [int(d) for d in shape]
    if not allow_zero:
        if any(d == 0 and i >= len(x) for i, d in enumerate(sizes)):
            raise OpError(f"shape {sizes} copies an axis that {list(x)} does not have")
        sizes = [x[i] if d == 0 else d for i, d in enumerate(sizes)]
    if sizes.count(-1) > 1 or any(d < -1 for d in sizes):
        raise OpError(f"shape {list(shape)} is ambiguous")
    if -1 in sizes:
        known = math.prod(d for d in sizes if d != -1)
        total = math.prod(x)
        if known == 0 or total % known:
            raise OpError(f"{total} elements do not divide into shape {list(shape)}")
        sizes[sizes.index(-1)] = total // known
    return tuple(sizes)


def from_onnx_reshape(node: OnnxNode, build: Builder) -> None:
    """Read Reshape; the shape must be constant."""
    x = build.tensor(node.need(0))
    shape = build.value(node.input(1)) if node.opset >= 5 else None
    wanted = node.ints("shape") if shape is None else [int(d) for d in shape.reshape(-1)]
    if wanted is None:
        raise OpError("the target shape is computed at run time")
    sizes = resolve_shape(wanted, x.shape, bool(node.attribute("allowzero", 0)))
    emit_reshape(build, x.name, sizes, node.name, node.outputs[0])


def from_onnx_flatten(node: OnnxNode, build: Builder) -> None:
    """Read Flatten: two axes, split at `axis`."""
    x = build.tensor(node.need(0))
    axis = int(node.attribute("axis", 1))
    if not -x.rank <= axis <= x.rank:
        raise OpError(f"axis {axis} is outside the rank {x.rank}")
    axis = axis + x.rank if axis < 0 else axis
    sizes = (math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    emit_reshape(build, x.name, sizes, node.name, node.outputs[0])


def _axes(node: OnnxNode, build: Builder) -> list[int] | None:
    if node.opset < 13:
        return node.ints("axes")
    if node.input(1) is None:
        return None
    value = build.value(node.input(1))
    if value is None:
        raise OpError("the axes are computed at run time")
    return [int(a) for a in value.reshape(-1)]


def from_onnx_squeeze(node: OnnxNode, build: Builder) -> None:
    """Read Squeeze: drop axes of length 1."""
    x = build.tensor(node.need(0))
    axes = _axes(node, build)
    chosen = (
        {normal_axis(a, x.rank) for a in axes} if axes is not None else {i for i, d in enumerate(x.shape) if d == 1}
    )
    if any(x.shape[a] != 1 for a in chosen):
        raise OpError(f"axes {sorted(chosen)} of shape {list(x.shape)} are not all of length 1")
    sizes = [d for i, d in enumerate(x.shape) if i not in chosen]
    emit_reshape(build, x.name, sizes, node.name, node.outputs[0])


def from_onnx_unsqueeze(node: OnnxNode, build: Builder) -> None:
    """Read Unsqueeze: insert axes of length 1."""
    x = build.tensor(node.need(0))
    axes = _axes(node, build)
    if axes is None:
        raise OpError("no axes are given")
    rank = x.rank + len(axes)
    chosen = {normal_axis(a, rank) for a in axes}
    if len(chosen) != len(axes):
        raise OpError(f"axes {axes} name one axis twice")
    rest = iter(x.shape)
    sizes = [1 if i in chosen else next(rest) for i in range(rank)]
    emit_reshape(build, x.name, sizes, node.name, node.outputs[0])


def from_onnx_identity(node: OnnxNode, build: Builder) -> None:
    """Read Identity: the value itself."""
    x = build.tensor(node.need(0))
    emit_reshape(build, x.name, x.shape, node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read RESHAPE, SQUEEZE and EXPAND_DIMS: the output's declared shape is the target."""
    emit_reshape(build, node.need(0), build.tensor(node.outputs[0]).shape, node.name, node.outputs[0])
