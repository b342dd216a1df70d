"""ReverseSequence: the first steps of each batch reversed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.slice import kept_quant
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class ReverseSequence(Op):
    """Of batch b, the first lengths[b] elements along `time` are reversed, the rest stays.

    Inputs: x, lengths (int32 or int64, clamped to 0..axis). Any dtype; the codes are unchanged.
    """

    kind = "reverse_sequence"
    keeps_codes = True

    time: int
    batch: int

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, lengths = inputs[0], inputs[1]
        if x is None or lengths is None or self.time == self.batch:
            raise OpError("needs a tensor, lengths, and two different axes")
        if lengths.shape != (x.shape[self.batch],) or lengths.dtype not in (DType.INT32, DType.INT64):
            raise OpError(f"lengths of shape {list(lengths.shape)} do not fit axis {self.batch} of {list(x.shape)}")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, lengths = values[0], values[1]
        assert x is not None and lengths is not None
        moved = np.moveaxis(x, (self.batch, self.time), (0, 1)).copy()
        for b, length in enumerate(np.clip(lengths.astype(np.int64), 0, x.shape[self.time])):
            moved[b, :length] = moved[b, :length][::-1].copy()
        return (np.ascontiguousarray(np.moveaxis(moved, (0, 1), (self.batch, self.time))),)

    def quantized(self, site: Site) -> Op:
        return self


def _emit(node: OnnxNode | TfliteNode, build: Builder, time: int, batch: int) -> None:
    x = build.tensor(node.need(0))
    build.emit(
        ReverseSequence,
        (x.name, node.need(1)),
        name=node.name,
        outputs=node.outputs,
        quant=kept_quant(x),
        time=normal_axis(time, x.rank),
        batch=normal_axis(batch, x.rank),
    )


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read ReverseSequence."""
    _emit(node, build, int(node.attribute("time_axis", 0)), int(node.attribute("batch_axis", 1)))


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read REVERSE_SEQUENCE."""
    _emit(node, build, int(node.option("seq_dim", 0)), int(node.option("batch_dim", 0)))
