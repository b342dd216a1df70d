"""One TFLite operator: as LiteRT's reference kernels run it and as we do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.frontends.tflite_program import tflite_program
from ferrule.program.program import Program, evaluate
from tests.oracles.litert import interpreter, run


@dataclass(frozen=True)
class T:
    """A tensor of the model: a shape and type, or a constant value; `scale` and `zero` where it is quantized."""

    shape: tuple[int, ...] = ()
    dtype: str = "int8"
    scale: float | Sequence[float] | None = None
    zero: int | Sequence[int] = 0
    axis: int = 0
    value: np.ndarray | None = None


def constant(value: Any, dtype: str = "int32", **more: Any) -> T:
    """A constant tensor."""
    array = np.asarray(value, dtype)
    return T(array.shape, dtype, value=array, **more)


def tflite_model(
    kind: str, inputs: Sequence[T | None], outputs: Sequence[T], options: dict[str, Any] | None = None, version: int = 1
) -> bytes:
    """A model of one operator; `options` are the members of its options table, as the schema spells them."""
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.subgraphs = 3, [schema.BufferT()], [graph]
    graph.tensors, graph.inputs, graph.outputs = [], [], []

    def add(tensor: T, name: str) -> int:
        made = schema.TensorT()
        made.name, made.shape, made.buffer = name, list(tensor.shape), 0
        made.type = getattr(schema.TensorType, tensor.dtype.upper())
        if tensor.value is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(tensor.value).tobytes(), np.uint8)
            model.buffers.append(buffer)
            made.buffer = len(model.buffers) - 1
        if tensor.scale is not None:
            quant = schema.QuantizationParametersT()
            quant.scale = np.atleast_1d(np.asarray(tensor.scale, np.float32))
            quant.zeroPoint = np.broadcast_to(np.asarray(tensor.zero, np.int64), quant.scale.shape).copy()
            quant.quantizedDimension = tensor.axis
            made.quantization = quant
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    op, code = schema.OperatorT(), schema.OperatorCodeT()
    op.inputs = [-1 if t is None else add(t, f"x{i}") for i, t in enumerate(inputs)]
    op.outputs = [add(t, f"y{i}") for i, t in enumerate(outputs)]
    graph.inputs = [i for i, t in zip(op.inputs, inputs, strict=True) if t is not None and t.value is None]
    graph.outputs, graph.operators = op.outputs, [op]
    code.builtinCode = getattr(schema.BuiltinOperator, kind)
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
    model.operatorCodes = [code]
    if options is not None:
        names = {name.lower(): name for name in vars(schema.BuiltinOptions)}
        table = names[f"{kind.replace('_', '').lower()}options"].removesuffix("Options")
        op.builtinOptionsType = getattr(schema.BuiltinOptions, f"{table}Options")
        op.builtinOptions = getattr(schema, f"{table}OptionsT")()
        for name, value in options.items():
            assert hasattr(op.builtinOptions, name), f"{table}Options has no {name}"
            setattr(op.builtinOptions, name, value)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def compare(
    kind: str,
    inputs: Sequence[T | None],
    outputs: Sequence[T],
    options: dict[str, Any] | None = None,
    *,
    version: int = 1,
    seed: int = 0,
    runs: int = 3,
    tolerance: float = 0.0,
    values: Sequence[np.ndarray] | None = None,
) -> Program:
    """Assert that our reference gives LiteRT's bytes (float: within `tolerance`) on random inputs."""
    data = tflite_model(kind, inputs, outputs, options, version)
    program, made, rng = tflite_program(data, "node"), interpreter(data), np.random.default_rng(seed)
    for _ in range(runs):
        given = values or [_draw(rng, t) for t in inputs if t is not None and t.value is None]
        want = run(made, list(given))
        found = evaluate(program, dict(zip(program.inputs, given, strict=True)))
        for name, w in zip(program.outputs, want, strict=True):
            got = found[name]
            assert (got.shape, got.dtype) == (w.shape, w.dtype), (got.shape, got.dtype, w.shape, w.dtype)
            if tolerance and got.dtype == np.float32:
                np.testing.assert_allclose(got, w, atol=tolerance, rtol=tolerance)
            else:
                np.testing.assert_array_equal(got, w)
    return program


def _draw(rng: np.random.Generator, tensor: T) -> np.ndarray:
    if tensor.dtype == "bool":
        return rng.integers(0, 2, tensor.shape).astype(bool)
    if tensor.dtype == "float32":
        return rng.standard_normal(tensor.shape).astype(np.float32)
    info = np.iinfo(tensor.dtype)
    return rng.integers(max(info.min, -1000), min(info.max, 1000), tensor.shape, endpoint=True).astype(tensor.dtype)
