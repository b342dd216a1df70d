"""Small models in ONNX text, and how to run them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx.parser
import onnx_ir as ir
import onnxruntime as ort

Array = npt.NDArray[Any]


def model(body: str, constants: dict[str, Array] | None = None, opset: int = 17) -> ir.Model:
    """The model of a graph in ONNX's text form; `constants` become initializers."""
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{body}')
    for name, array in (constants or {}).items():
        proto.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(array), name))
    for index, node in enumerate(proto.graph.node):
        node.name = f"{node.op_type.lower()}{index}"
    onnx.checker.check_model(proto)
    return ir.serde.deserialize_model(proto)


def run(made: ir.Model, **inputs: Array) -> list[Array]:
    """The outputs of one run in onnxruntime."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    data = to_bytes(made)
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return list(session.run(None, inputs))


def to_bytes(made: ir.Model) -> bytes:
    """The file's bytes."""
    return bytes(ir.serde.serialize_model(made).SerializeToString(deterministic=True))


def kinds(made: ir.Model) -> list[str]:
    """Operators in order, quantization left out."""
    return [n.op_type for n in made.graph if n.op_type not in ("QuantizeLinear", "DequantizeLinear")]


def is_pair(value: ir.Value | None) -> bool:
    """Whether a value comes out of a DequantizeLinear."""
    producer = value.producer() if value is not None else None
    return producer is not None and producer.op_type == "DequantizeLinear"


def activation_params(made: ir.Model, tensor: str) -> tuple[float, int]:
    """Scale and zero point of the pair on a tensor."""
    node = next(n for n in made.graph if n.name == f"{tensor}_QuantizeLinear")
    scale, point = (node.inputs[i].const_value.numpy() for i in (1, 2))  # type: ignore[union-attr]
    return float(scale), int(point)


def samples(shape: tuple[int, ...], count: int = 8, seed: int = 0, low: float = -1.0, high: float = 1.0) -> Array:
    """Uniform samples `[count, *shape]`, float32."""
    return np.random.default_rng(seed).uniform(low, high, (count, *shape)).astype(np.float32)
