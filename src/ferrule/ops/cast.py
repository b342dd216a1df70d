"""Cast: values of one element type as another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.folding import fold, onnx_dtype
from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Cast(Op):
    """The numbers of x as another element type (codes are plain numbers here).

    Float to integer drops the fraction and saturates, NaN becomes 0; integer to a narrower integer keeps the low bits;
    anything to bool is `!= 0`.
    """

    kind = "cast"

    dtype: str

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None:
            raise OpError("needs an input")
        return (Type(x.shape, DType(self.dtype)),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        return (cast_array(values[0], DType(self.dtype)),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),) if site.input(0).dtype.size_bytes == site.output.dtype.size_bytes else ()

    def is_reshape(self, site: Site) -> bool:
        return site.input(0).dtype is site.output.dtype

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self


def cast_array(x: Array, dtype: DType) -> Array:
    """Numbers as another element type, by the op's rule."""
    if dtype is DType.BOOL:
        return np.asarray(x != 0)
    if x.dtype.kind == "f" and not dtype.is_float:
        low, high = dtype.bounds
        whole = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        # 2**63 is no float below INT64's end, so the ends are set apart
        inside = np.where((whole > low) & (whole < high), whole, 0.0).astype(dtype.numpy)
        return np.asarray(np.where(whole <= low, low, np.where(whole >= high, high, inside)), dtype.numpy)
    return x.astype(dtype.numpy)


def emit_cast(build: Builder, x: str, dtype: DType, name: str, output: str | None = None) -> str:
    """Add a cast (a constant is cast at once where no output is named) and return the result's name."""
    tensor, value = build.tensor(x), build.value(x)
    if value is not None and output is None:
        return build.constant(cast_array(value, dtype), f"{x}:cast")
    if tensor.dtype is dtype:
        return emit_reshape(build, x, tensor.shape, name, output)
    (out,) = build.emit(Cast, (x,), name=name, outputs=(output,), dtype=dtype.value)
    return out


def _read(build: Builder, x: str, dtype: DType, name: str, output: str | None) -> None:
    value = build.value(x)
    if value is not None and build.tensor(x).quant is None:
        fold(build, cast_array(value, dtype), output)
        return
    emit_cast(build, x, dtype, name, output)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Cast."""
    _read(build, node.need(0), onnx_dtype(int(node.attribute("to", 1))), node.name, node.outputs[0])


def from_onnx_like(node: OnnxNode, build: Builder) -> None:
    """Read CastLike: the element type of the second input."""
    _read(build, node.need(0), build.tensor(node.need(1)).dtype, node.name, node.outputs[0])


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read CAST: the type of the output."""
    _read(build, node.need(0), build.tensor(node.outputs[0]).dtype, node.name, node.outputs[0])
