"""Which ONNX operators have an integer form, and which."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from ferrule.quantize.prepare import constant_array, is_constant


class Kind(enum.Enum):
    """What an operator does to scales."""

    COMPUTE = "compute"  # the output has a range of its own
    MOVE = "move"  # the output's values are the input's (or lie between them): one scale serves both
    JOIN = "join"  # Concat
    FIXED = "fixed"  # the output lies in [0, 1) whatever the input


@dataclass(frozen=True)
class Form:
    """Integer form of an operator: its kind and the positions of its data inputs (None: all)."""

    kind: Kind
    data: tuple[int, ...] | None = (0,)
    weights: int | None = None
    bias: int | None = None


WEIGHTED = Form(Kind.COMPUTE, (0, 1), weights=1, bias=2)
EVERY = Form(Kind.COMPUTE, None)
ONE = Form(Kind.COMPUTE)
MOVE = Form(Kind.MOVE)

FORMS: dict[str, Form] = {
    "Conv": WEIGHTED,
    "ConvTranspose": WEIGHTED,
    "Gemm": WEIGHTED,
    "MatMul": Form(Kind.COMPUTE, (0, 1), weights=1),
    **dict.fromkeys(("Add", "Sub", "Mul", "Min", "Max"), EVERY),
    "PRelu": Form(Kind.COMPUTE, (0, 1)),
    **dict.fromkeys(
        (
            "AveragePool", "GlobalAveragePool", "ReduceMean", "ReduceSum", "Relu", "LeakyRelu", "Clip",
            "HardSigmoid", "HardSwish", "Tanh", "Elu", "Gelu", "Erf", "Exp", "Sqrt", "Abs", "Neg",
            "Softplus", "Mish", "Selu",
        ),
        ONE,
    ),
    "Sigmoid": Form(Kind.FIXED),
    "Softmax": Form(Kind.FIXED),
    "Concat": Form(Kind.JOIN, None),
    **dict.fromkeys(
        (
            "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Identity", "Dropout", "MaxPool",
            "GlobalMaxPool", "ReduceMax", "ReduceMin", "Slice", "Split", "Gather", "Pad", "Resize", "Expand", "Tile",
            "DepthToSpace", "SpaceToDepth",
        ),
        MOVE,
    ),
}  # fmt: skip
"""Operators that take int8 and give int8. What is missing stays float."""

CLAMPED = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul", "Add"})
"""Operators that take a Relu or Clip behind them into their own clamp."""


def form_of(node: ir.Node) -> Form | None:
    """The integer form of a node, None where it has none."""
    return FORMS.get(node.op_type) if node.domain in ("", "ai.onnx") else None


def data_inputs(node: ir.Node, form: Form) -> list[int]:
    """Positions of the inputs that carry int8 values."""
    positions = range(len(node.inputs)) if form.data is None else form.data
    return [i for i in positions if i < len(node.inputs) and node.inputs[i] is not None]


def weight_axis(node: ir.Node) -> int | None:
    """The axis of output channels of the weights (input 1); None where all weights share one scale."""
    weights = node.inputs[1]
    rank = len(weights.shape or ()) if weights is not None else 0
    if node.op_type == "Conv":
        return 0
    if node.op_type == "ConvTranspose":
        group = node.attributes.get("group")
        return 1 if group is None or group.value == 1 else None
    if node.op_type == "Gemm":
        transposed = node.attributes.get("transB")
        return 0 if transposed is not None and transposed.value else 1
    return rank - 1 if rank >= 2 else None


def is_float(value: ir.Value | None) -> bool:
    """Whether a value is a float32 tensor."""
    return value is not None and value.dtype is ir.DataType.FLOAT


def why_float(node: ir.Node) -> str | None:
    """The reason why a node can have no integer form; None where it has one."""
    form = form_of(node)
    if form is None:
        return f"{node.op_type} has no int8 form"
    inputs = [node.inputs[i] for i in data_inputs(node, form)]
    if not inputs or not all(is_float(v) for v in inputs) or not is_float(node.outputs[0]):
        return "its values are no float32 numbers"
    if all(is_constant(v) for v in inputs):
        return "it computes with constants only"
    if any(v.uses() and not is_float(v) for v in node.outputs):
        return "its second output is read"
    return _form_problem(node)


def _form_problem(node: ir.Node) -> str | None:
    mode = node.attributes.get("mode")
    if node.op_type == "Resize" and mode is not None and mode.value not in ("nearest", "linear"):
        return f"Resize with mode={mode.value} has no int8 form"
    if node.op_type == "Clip" and not all(v is None or is_constant(v) for v in node.inputs[1:3]):
        return "its bounds are computed"
    if node.op_type == "Pad" and mode is not None and mode.value == "wrap":
        return "Pad with mode=wrap has no int8 form"
    bias = node.inputs[2] if node.op_type in ("Conv", "ConvTranspose", "Gemm") and len(node.inputs) > 2 else None
    if bias is not None and (not is_constant(bias) or len(bias.shape or ()) != 1):
        return "its bias is computed"
    if any(n in node.attributes and node.attributes[n].value != 1.0 for n in ("alpha", "beta")) and (
        node.op_type == "Gemm"
    ):
        return "it has factors alpha and beta and computed weights"
    held = constant_array(node.inputs[1]) if node.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul") else None
    if held is not None and not np.isfinite(held).all():
        return "its weights are not finite"
    return None
