"""A factor and a summand per channel, folded into weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

from ferrule.quantize.prepare import constant_array

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Affine:
    """`factor[c] * source + summand[c]` along axis 1; both float64, of shape [channels] or [1]."""

    source: ir.Value
    factor: Array
    summand: Array


def affine_of(node: ir.Node) -> Affine | None:
    """The node as an affine function per channel of one input; None where it is none."""
    if node.op_type == "BatchNormalization":
        return _normalization(node)
    if node.op_type not in ("Mul", "Add", "Sub", "Div") or len(node.inputs) != 2:
        return None
    left, right = node.inputs
    constant, source = constant_array(right), left
    if constant is None and node.op_type in ("Mul", "Add"):
        constant, source = constant_array(left), right
    if constant is None or source is None or source.shape is None or constant.dtype != np.float32:
        return None
    values = _per_channel(constant, len(source.shape), int(source.shape[1]) if len(source.shape) > 1 else 0)  # type: ignore[arg-type]
    if values is None:
        return None
    one, zero = np.ones(1), np.zeros(1)
    if node.op_type == "Mul":
        return Affine(source, values, zero)
    if node.op_type == "Div":
        return Affine(source, 1.0 / values, zero) if values.all() else None
    return Affine(source, one, values if node.op_type == "Add" else -values)


def _per_channel(constant: Array, rank: int, channels: int) -> Array | None:
    if rank < 2 or constant.ndim > rank:
        return None
    shape = (1,) * (rank - constant.ndim) + constant.shape
    if any(d != 1 for axis, d in enumerate(shape) if axis != 1) or shape[1] not in (1, channels):
        return None
    return constant.reshape(-1).astype(np.float64)


def _normalization(node: ir.Node) -> Affine | None:
    training = node.attributes.get("training_mode")
    if (training is not None and training.value) or any(v.uses() for v in node.outputs[1:]):
        return None
    parts = [constant_array(v) for v in node.inputs[1:5]]
    source = node.inputs[0]
    if source is None or len(parts) != 4 or any(p is None for p in parts):
        return None
    scale, bias, mean, variance = (np.asarray(p, np.float64) for p in parts)
    epsilon = node.attributes.get("epsilon")
    factor = scale / np.sqrt(variance + (1e-5 if epsilon is None else float(epsilon.value)))
    if not np.isfinite(factor).all():
        return None
    return Affine(source, factor, bias - mean * factor)


def is_linear(node: ir.Node) -> bool:
    """Whether a node multiplies by constant float weights and adds a constant bias of one axis, or none."""
    if node.op_type not in ("Conv", "ConvTranspose", "Gemm") or node.domain not in ("", "ai.onnx"):
        return False
    weights = constant_array(node.inputs[1])
    if weights is None or weights.dtype != np.float32:
        return False
    if any(node.attributes.get(n) is not None and node.attributes[n].value != 1.0 for n in ("alpha", "beta")):
        return False
    if len(node.inputs) < 3 or node.inputs[2] is None:
        return True
    bias = constant_array(node.inputs[2])
    return bias is not None and bias.ndim == 1


def fold_into(node: ir.Node, affine: Affine, constant: Callable[[str, Array], ir.Value]) -> bool:
    """Change a linear `node` so that it computes `affine` of what it computed; False if it cannot.

    `constant(name, array)` adds a constant to the graph. Computed in float64, rounded once.
    """
    held = constant_array(node.inputs[1])
    assert held is not None
    weights = held.astype(np.float64)
    groups = int(node.attributes["group"].value) if "group" in node.attributes else 1
    transposed = "transB" in node.attributes and bool(node.attributes["transB"].value)
    if node.op_type == "ConvTranspose":
        channels = weights.shape[1] * groups
    else:
        channels = weights.shape[0 if node.op_type == "Conv" or transposed else 1]
    if affine.factor.size not in (1, channels) or affine.summand.size not in (1, channels):
        return False
    factor, summand = (np.broadcast_to(a, (channels,)) for a in (affine.factor, affine.summand))
    rest = (1,) * (weights.ndim - 2)
    if node.op_type == "ConvTranspose":
        split = weights.reshape(groups, weights.shape[0] // groups, *weights.shape[1:])
        folded = (split * factor.reshape(groups, 1, channels // groups, *rest)).reshape(weights.shape)
    elif node.op_type == "Conv" or transposed:
        folded = weights * factor.reshape(channels, 1, *rest)
    else:
        folded = weights * factor
    had = node.inputs[2] if len(node.inputs) > 2 else None
    before = constant_array(had)
    bias = (np.zeros(channels) if before is None else before.astype(np.float64)) * factor + summand
    name = had.name if had is not None else f"{node.name}_bias"
    node.replace_input_with(1, constant(f"{node.inputs[1].name}_folded", folded.astype(np.float32)))  # type: ignore[union-attr]
    value = constant(f"{name}_folded", bias.astype(np.float32))
    if len(node.inputs) < 3:
        node.resize_inputs(3)
    node.replace_input_with(2, value)
    return True
