"""One ONNX node: as onnxruntime runs it and as our reader and reference do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferrule.ops.table import ONNX
from ferrule.program.build import Builder
from ferrule.program.program import Program, evaluate
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import DType


def onnx_model(
    kind: str, inputs: Sequence[np.ndarray | None], attributes: dict[str, Any], opset: int, outputs: int = 1
):  # type: ignore[no-untyped-def]
    """A model of one node; every input is a graph input."""
    import onnx
    from onnx import helper, numpy_helper

    names = ["" if v is None else f"x{i}" for i, v in enumerate(inputs)]
    attributes = {k: numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v for k, v in attributes.items()}
    node = helper.make_node(kind, names, [f"y{i}" for i in range(outputs)], **attributes)
    graph = helper.make_graph(
        [node],
        "node",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            for n, v in zip(names, inputs, strict=True)
            if v is not None
        ],
        [onnx.ValueInfoProto(name=f"y{i}") for i in range(outputs)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8 if opset < 21 else 10)


def onnxruntime_node(
    kind: str, inputs: Sequence[np.ndarray | None], attributes: dict[str, Any], opset: int, outputs: int = 1
) -> list[np.ndarray]:
    """What onnxruntime makes of the node, graph optimizations off."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    model = onnx_model(kind, inputs, attributes, opset, outputs)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return list(session.run(None, {f"x{i}": np.asarray(v) for i, v in enumerate(inputs) if v is not None}))


def read_node(
    kind: str,
    inputs: Sequence[np.ndarray | None],
    attributes: dict[str, Any],
    opset: int,
    outputs: int = 1,
    constant: Sequence[int] = (),
) -> Program:
    """The program that our reader makes of the node; the inputs of `constant` are initializers."""
    build = Builder("node")
    names: list[str | None] = []
    for i, value in enumerate(inputs):
        if value is None:
            names.append(None)
        elif i in constant:
            names.append(build.constant(value, f"x{i}"))
        else:
            names.append(build.input(f"x{i}", value.shape, DType.of(value)))
    wanted = tuple(f"y{i}" for i in range(outputs))
    plain = {
        k: v if isinstance(v, np.ndarray) else list(v) if isinstance(v, list | tuple) else v
        for k, v in attributes.items()
    }
    ONNX[kind](OnnxNode("node", kind, opset, tuple(names), wanted, plain), build)
    return build.finish(wanted)


def reference_node(
    kind: str,
    inputs: Sequence[np.ndarray | None],
    attributes: dict[str, Any],
    opset: int,
    outputs: int = 1,
    constant: Sequence[int] = (),
) -> list[np.ndarray]:
    """What our reader and reference make of the node."""
    program = read_node(kind, inputs, attributes, opset, outputs, constant)
    feeds = {f"x{i}": v for i, v in enumerate(inputs) if v is not None and i not in constant}
    values = evaluate(program, feeds)
    return [values[n] for n in program.outputs]


def compare(
    kind: str,
    inputs: Sequence[np.ndarray | None],
    attributes: dict[str, Any] | None = None,
    opset: int = 17,
    outputs: int = 1,
    constant: Sequence[int] = (),
    tolerance: float = 0.0,
) -> None:
    """Assert that both agree: exactly, or within `tolerance` (absolute and relative) for float results."""
    given = attributes or {}
    want = onnxruntime_node(kind, inputs, given, opset, outputs)
    got = reference_node(kind, inputs, given, opset, outputs, constant)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert (g.shape, g.dtype) == (w.shape, w.dtype)
        if tolerance and g.dtype == np.float32:
            np.testing.assert_allclose(g, w, atol=tolerance, rtol=tolerance)
        else:
            np.testing.assert_array_equal(g, w)
