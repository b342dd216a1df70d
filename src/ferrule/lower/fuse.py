"""Affine steps, clamps and pads go into the op beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ferrule.ops.binary import Binary
from ferrule.ops.conv import Conv
from ferrule.ops.conv_transpose import ConvTranspose
from ferrule.ops.fully_connected import FullyConnected
from ferrule.ops.pad import Pad
from ferrule.program.edit import Editor
from ferrule.program.op import Array
from ferrule.program.tensor import DType

Weighted = Conv | ConvTranspose | FullyConnected


@dataclass(frozen=True)
class FuseAffine:
    """A per-channel factor or summand after a float weighted op goes into its weights and bias.

    Only where nothing else reads the value between and no clamp stands between. The result differs by the rounding
    of the new weights alone (below 1e-6 of the range).
    """

    def run(self, edit: Editor) -> None:
        """Fuse in order, so that a factor and a summand both go in."""
        for op in edit.snapshot():
            if edit.alive(op) and isinstance(op, Binary) and op.clamp is None and not op.requants:
                self._visit(edit, op)

    def _visit(self, edit: Editor, op: Binary) -> None:
        for index in (0, 1):
            producer, value = edit.producer(op.inputs[index]), edit.constants.get(op.inputs[1 - index] or "")
            if not isinstance(producer, Weighted) or value is None or edit.only_user(producer.outputs[0]) is not op:
                continue
            vector = _per_channel(value, edit.tensors[op.outputs[0]].shape)
            if vector is not None and self._fuse(edit, op, producer, vector, index):
                return

    def _fuse(self, edit: Editor, op: Binary, producer: Weighted, vector: Array, index: int) -> bool:
        weights = edit.constants.get(producer.inputs[1] or "")
        bias_name = producer.inputs[2] if len(producer.inputs) > 2 else None
        bias = None if bias_name is None else edit.constants.get(bias_name)
        if (bias_name is not None and bias is None) or producer.clamp is not None:
            return False
        if edit.tensors[producer.outputs[0]].dtype is not DType.FLOAT32:
            return False
        shape = edit.tensors[producer.outputs[0]].shape
        if edit.tensors[op.outputs[0]].shape != shape:
            return False
        channels = shape[-1]
        base = np.zeros(channels) if bias is None else bias.astype(np.float64)
        made = _combined(op.function, index, vector.astype(np.float64))
        if made is None:
            return False
        factor, summand = made
        inputs = list(producer.inputs[:2])
        if factor is not None:
            if weights is None:
                return False
            scaled = weights.astype(np.float64) * np.broadcast_to(factor, (channels,)).reshape(
                -1, *[1] * (weights.ndim - 1)
            )
            if not np.isfinite(scaled).all():
                return False
            inputs[1] = edit.add_constant(scaled.astype(np.float32), f"{producer.inputs[1]}:fused")
            base = base * factor
        base = base + (0.0 if summand is None else summand)
        inputs.append(edit.add_constant(np.broadcast_to(base, (channels,)).astype(np.float32), f"{producer.name}:bias"))
        edit.remove(op)
        edit.replace(
            producer, producer.but(inputs=tuple(inputs), outputs=op.outputs, origin=(*producer.origin, *op.origin))
        )
        return True


def _combined(function: str, index: int, vector: Array) -> tuple[Array | None, Array | None] | None:
    """Factor and summand of a binary function of a value at `index` and a constant."""
    if function == "mul":
        return vector, None
    if function == "add":
        return None, vector
    if function == "sub":
        return (None, -vector) if index == 0 else (np.float64(-1.0) * np.ones_like(vector), vector)
    if function == "div" and index == 0 and (vector != 0).all():
        return 1.0 / vector, None
    return None


def _per_channel(value: Array, shape: tuple[int, ...]) -> Array | None:
    """The vector by channel (or the single number) that a constant is; None where it varies along another axis."""
    if value.size == 1:
        return value.reshape(1)
    if value.ndim and value.size == value.shape[-1] == shape[-1]:
        return value.reshape(-1)
    return None


@dataclass(frozen=True)
class FuseClamp:
    """A clip after a float op that has a clamp of its own goes into it."""

    def run(self, edit: Editor) -> None:
        """Fuse wherever nothing else reads the unclipped value."""
        for op in edit.snapshot():
            bounds = op.as_clamp() if edit.alive(op) else None
            producer = edit.producer(op.inputs[0]) if bounds is not None else None
            if bounds is None or producer is None or not hasattr(producer, "clamp") or len(producer.outputs) != 1:
                continue
            if edit.tensors[producer.outputs[0]].dtype is not DType.FLOAT32:
                continue
            if edit.only_user(producer.outputs[0]) is not op:
                continue
            low, high = producer.clamp if producer.clamp is not None else (-np.inf, np.inf)
            clamp = (float(min(max(low, bounds[0]), bounds[1])), float(max(min(high, bounds[1]), bounds[0])))
            edit.remove(op)
            edit.replace(producer, producer.but(clamp=clamp, outputs=op.outputs, origin=(*producer.origin, *op.origin)))


@dataclass(frozen=True)
class FusePad:
    """A border of zeros before a convolution becomes the convolution's own padding."""

    def run(self, edit: Editor) -> None:
        """Fuse pads along spatial axes alone, holding real zero."""
        for op in edit.snapshot():
            if not edit.alive(op) or not isinstance(op, Pad) or op.mode != "constant":
                continue
            user = edit.only_user(op.outputs[0])
            if not isinstance(user, Conv) or user.inputs[0] != op.outputs[0] or user.inputs[1] == op.outputs[0]:
                continue
            tensor = edit.tensors[op.outputs[0]]
            zero = 0.0 if tensor.dtype.is_float else float(tensor.zero_point)
            source = edit.tensors[op.inputs[0] or ""]
            if op.value != zero or op.pads[0] != (0, 0) or op.pads[-1] != (0, 0) or source.quant != tensor.quant:
                continue
            pads = tuple((a + c, b + d) for (a, b), (c, d) in zip(op.pads[1:-1], user.pads, strict=True))
            edit.remove(op)
            edit.replace(
                user, user.but(inputs=(op.inputs[0], *user.inputs[1:]), pads=pads, origin=(*op.origin, *user.origin))
            )
