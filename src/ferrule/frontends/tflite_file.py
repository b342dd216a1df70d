"""TFLite bytes to plain records, safe on hostile files."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tflite

from ferrule.diagnostics import Refusal
from ferrule.frontends.tflite_findings import BAD_GRAPH, BAD_QUANTIZATION, BAD_TENSOR, BAD_WEIGHTS, DAMAGED, NOT_TFLITE

MAX_TENSOR_BYTES = 1 << 30
MAX_DIMENSION = 1 << 24
MAX_RANK = 8
READ_ERRORS = (
    struct.error, IndexError, ValueError, TypeError, KeyError, OverflowError, AttributeError, MemoryError,
    AssertionError,
)  # fmt: skip
"""What the flatbuffers reader raises when an offset leads astray: it verifies nothing itself."""

DTYPES = {
    tflite.TensorType.FLOAT32: "float32",
    tflite.TensorType.FLOAT16: "float16",
    tflite.TensorType.INT32: "int32",
    tflite.TensorType.UINT8: "uint8",
    tflite.TensorType.INT64: "int64",
    tflite.TensorType.BOOL: "bool",
    tflite.TensorType.INT16: "int16",
    tflite.TensorType.INT8: "int8",
    tflite.TensorType.FLOAT64: "float64",
    tflite.TensorType.INT4: "int4",
}


def enum_names(enum: type) -> dict[int, str]:
    """Value to name of a schema enum."""
    return {v: k for k, v in vars(enum).items() if not k.startswith("_") and isinstance(v, int)}


OPERATOR_NAMES = enum_names(tflite.BuiltinOperator)
OPTION_NAMES = enum_names(tflite.BuiltinOptions)
PADDING = {0: "SAME", 1: "VALID"}
ACTIVATION = enum_names(tflite.ActivationFunctionType)
TYPE_NAMES = enum_names(tflite.TensorType)
MIRROR = {0: "REFLECT", 1: "SYMMETRIC"}


@dataclass(frozen=True)
class TfliteTensor:
    """A tensor as the file describes it; `data` is None unless it is constant. int4 data is unpacked to int8."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    data: np.ndarray | None
    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    axis: int
    is_variable: bool
    signature: tuple[int, ...]


@dataclass(frozen=True)
class TfliteOp:
    """An operator: its builtin or custom name, tensor indices (None: absent), and its options as plain values."""

    kind: str
    version: int
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class TfliteGraph:
    """The main subgraph of a file."""

    name: str
    tensors: tuple[TfliteTensor, ...]
    ops: tuple[TfliteOp, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    subgraphs: int


def read_tflite(data: bytes) -> TfliteGraph:
    """Return the main subgraph; Refusal (FER101 to FER106) where the bytes hold none."""
    if len(data) < 8 or data[4:8] != b"TFL3":
        raise Refusal(NOT_TFLITE.at("model", _what_instead(data), stage="import"))
    part = "the header"
    try:
        model = tflite.Model.GetRootAs(data, 0)
        if not 0 < model.SubgraphsLength() <= len(data):
            raise Refusal(BAD_GRAPH.at("model", "the file declares no subgraph", stage="import"))
        part = "the operator codes"
        codes = [_code(model.OperatorCodes(i)) for i in range(_length(model.OperatorCodesLength(), data))]
        part = "the main subgraph"
        graph = model.Subgraphs(0)
        tensors = []
        for index in range(_length(graph.TensorsLength(), data)):
            part = f"tensor {index}"
            tensors.append(_tensor(model, graph.Tensors(index), index, data))
        ops = []
        for index in range(_length(graph.OperatorsLength(), data)):
            part = f"operator {index}"
            ops.append(_operator(graph.Operators(index), codes, index, len(tensors), data))
        part = "the inputs and outputs"
        inputs = tuple(int(graph.Inputs(i)) for i in range(_length(graph.InputsLength(), data)))
        outputs = tuple(int(graph.Outputs(i)) for i in range(_length(graph.OutputsLength(), data)))
    except READ_ERRORS as error:
        raise Refusal(
            DAMAGED.at(
                "model",
                f"the file is damaged: {part} cannot be read",
                stage="import",
                notes=[f"{type(error).__name__} while following an offset; the file has {len(data)} bytes"],
                help=["fetch or convert the file again"],
            )
        ) from None
    found = TfliteGraph("main", tuple(tensors), tuple(ops), inputs, outputs, model.SubgraphsLength())
    check_graph(found)
    return found


def _what_instead(data: bytes) -> str:
    if not data:
        return "the file is empty"
    known = {
        b"\x89PNG": "a PNG picture",
        b"\xff\xd8\xff": "a JPEG picture",
        b"PK\x03\x04": "a ZIP archive",
        b"\x89HDF": "an HDF5 file, such as Keras writes",
        b"GIF8": "a GIF picture",
    }
    for magic, what in known.items():
        if data.startswith(magic):
            return f"the file is {what}, not a TFLite model"
    return "the file does not carry the TFLite identifier TFL3"


def _length(count: int, data: bytes) -> int:
    if not 0 <= count <= len(data) // 4:
        raise ValueError(f"a list of {count} entries")
    return int(count)


def _code(code: Any) -> tuple[str, int]:
    number = max(int(code.BuiltinCode()), int(code.DeprecatedBuiltinCode()))
    name = OPERATOR_NAMES.get(number, f"BUILTIN_{number}")
    if name == "CUSTOM":
        custom = code.CustomCode()
        name = "CUSTOM " + (custom.decode("utf-8", "replace")[:80] if custom else "?")
    return name, int(code.Version())


def _tensor(model: Any, tensor: Any, index: int, data: bytes) -> TfliteTensor:
    raw = tensor.Name()
    name = raw.decode("utf-8", "replace")[:400] if raw else f"tensor_{index}"
    rank = _length(tensor.ShapeLength(), data)
    shape = tuple(int(tensor.Shape(i)) for i in range(rank))
    signature = tuple(int(tensor.ShapeSignature(i)) for i in range(_length(tensor.ShapeSignatureLength(), data)))
    kind = int(tensor.Type())
    if kind not in DTYPES:
        label = TYPE_NAMES.get(kind, kind)
        raise Refusal(BAD_TENSOR.at(name, f"tensor `{name}` has type {label}, which no program has", stage="import"))
    dtype = DTYPES[kind]
    if rank > MAX_RANK or any(not 0 <= d <= MAX_DIMENSION for d in shape):
        raise Refusal(BAD_TENSOR.at(name, f"tensor `{name}` has the impossible shape {list(shape)}", stage="import"))
    if tensor.Sparsity() is not None:
        raise Refusal(BAD_TENSOR.at(name, f"tensor `{name}` is stored sparse, which is not supported", stage="import"))
    scale, zero, axis = _quantization(tensor, name, shape, dtype, data)
    value = _data(model, int(tensor.Buffer()), name, shape, dtype, data)
    return TfliteTensor(name, shape, dtype, value, scale, zero, axis, bool(tensor.IsVariable()), signature)


def _quantization(
    tensor: Any, name: str, shape: tuple[int, ...], dtype: str, data: bytes
) -> tuple[tuple[float, ...], tuple[int, ...], int]:
    quant = tensor.Quantization()
    if quant is None or quant.ScaleLength() == 0:
        return (), (), 0
    scale = tuple(float(quant.Scale(i)) for i in range(_length(quant.ScaleLength(), data)))
    count = _length(quant.ZeroPointLength(), data)
    zero = tuple(int(quant.ZeroPoint(i)) for i in range(count)) or (0,) * len(scale)
    axis = int(quant.QuantizedDimension())

    def bad(why: str) -> Refusal:
        return Refusal(BAD_QUANTIZATION.at(name, f"tensor `{name}`: {why}", stage="import"))

    if dtype in ("float32", "float16", "float64"):
        return (), (), 0
    if any(not math.isfinite(s) or s <= 0 for s in scale):
        raise bad("a scale is zero, negative or not finite")
    if len(zero) == 1 and len(scale) > 1:
        zero = zero * len(scale)
    if len(zero) != len(scale):
        raise bad(f"{len(zero)} zero points for {len(scale)} scales")
    if len(scale) > 1 and (not 0 <= axis < len(shape) or shape[axis] != len(scale)):
        raise bad(f"{len(scale)} scales do not fit axis {axis} of shape {list(shape)}")
    if dtype in ("int8", "uint8", "int16"):
        info = np.iinfo(dtype)
        if any(not info.min <= z <= info.max for z in zero):
            raise bad("a zero point lies outside the range of its type")
    return scale, zero, axis


def _data(model: Any, index: int, name: str, shape: tuple[int, ...], dtype: str, data: bytes) -> np.ndarray | None:
    if not 0 <= index < model.BuffersLength():
        raise ValueError(f"buffer {index}")
    buffer = model.Buffers(index)
    if buffer.DataLength():
        content = buffer.DataAsNumpy()
    elif buffer.Offset() > 1:
        start, size = int(buffer.Offset()), int(buffer.Size())
        if start + size > len(data):
            raise ValueError("a buffer beyond the end")
        content = np.frombuffer(data, np.uint8, size, start)
    else:
        return None
    count = math.prod(shape)
    element = 0.5 if dtype == "int4" else np.dtype(dtype).itemsize
    wanted = math.ceil(count * element)
    if wanted > MAX_TENSOR_BYTES or len(content) != wanted:
        message = f"tensor `{name}` of shape {list(shape)} needs {wanted} bytes, its buffer has {len(content)}"
        raise Refusal(BAD_TENSOR.at(name, message, stage="import"))
    raw = np.ascontiguousarray(content)
    if dtype == "int4":
        pairs = np.stack([(raw << 4).view(np.int8) >> 4, raw.view(np.int8) >> 4], axis=-1)
        return pairs.reshape(-1)[:count].reshape(shape)
    value = raw.view(np.dtype(dtype).newbyteorder("<")).reshape(shape)
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise Refusal(BAD_WEIGHTS.at(name, f"constant `{name}` holds NaN or infinity", stage="import"))
    return value


def _operator(op: Any, codes: list[tuple[str, int]], index: int, tensors: int, data: bytes) -> TfliteOp:
    kind, version = codes[_inside(int(op.OpcodeIndex()), len(codes))]
    inputs = tuple(int(op.Inputs(i)) for i in range(_length(op.InputsLength(), data)))
    outputs = tuple(int(op.Outputs(i)) for i in range(_length(op.OutputsLength(), data)))
    for number in (*(i for i in inputs if i != -1), *outputs):
        if not 0 <= number < tensors:
            message = f"operator {index} ({kind}) names tensor {number}, but the file has {tensors}"
            raise Refusal(BAD_GRAPH.at(f"{kind}#{index}", message, stage="import"))
    return TfliteOp(kind, version, tuple(None if i == -1 else i for i in inputs), outputs, _options(op))


def _inside(index: int, count: int) -> int:
    if not 0 <= index < count:
        raise IndexError(index)
    return index


def _options(op: Any) -> dict[str, Any]:
    label = OPTION_NAMES.get(int(op.BuiltinOptionsType()), "NONE")
    union, reader = op.BuiltinOptions(), getattr(tflite, label, None)
    if union is None or reader is None or label == "NONE":
        return {}
    table = reader()
    table.Init(union.Bytes, union.Pos)
    return {key: value for key, value in (_option(table, name) for name in _fields(reader)) if key}


def _fields(reader: type) -> list[str]:
    skip = re.compile(r"^_|^Init$|^GetRootAs|BufferHasIdentifier$|Length$|AsNumpy$|IsNone$")
    return [n for n in dir(reader) if not skip.search(n)]


def _option(table: Any, name: str) -> tuple[str, Any]:
    key = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    if hasattr(table, f"{name}AsNumpy"):
        values = getattr(table, f"{name}AsNumpy")()
        return key, [] if isinstance(values, int) else [int(v) for v in values]
    value = getattr(table, name)()
    if key == "padding":
        value = PADDING[value]
    elif key == "fused_activation_function":
        value = ACTIVATION.get(value, f"ACTIVATION_{value}")
    elif key == "mode":
        value = MIRROR.get(value, value)
    elif key.endswith("type") and isinstance(value, int):
        value = DTYPES.get(value, value)
    return key, value


def check_graph(graph: TfliteGraph) -> None:
    """Refuse graphs in which a value is made twice, read before it is made, or no output exists."""
    made = {i for i, t in enumerate(graph.tensors) if t.data is not None or t.is_variable}
    if not graph.outputs:
        raise Refusal(BAD_GRAPH.at("model", "the graph declares no output", stage="import"))
    for index in (*graph.inputs, *graph.outputs):
        if not 0 <= index < len(graph.tensors):
            raise Refusal(BAD_GRAPH.at("model", f"input or output {index} is no tensor of the file", stage="import"))
    made.update(graph.inputs)
    for number, op in enumerate(graph.ops):
        node = f"{op.kind}#{number}"
        for read in op.inputs:
            if read is not None and read not in made:
                name = graph.tensors[read].name
                raise Refusal(BAD_GRAPH.at(node, f"`{name}` is read before any operator makes it", stage="import"))
        for index in op.outputs:
            if index in made:
                name = graph.tensors[index].name
                raise Refusal(BAD_GRAPH.at(node, f"`{name}` is made a second time", stage="import"))
            made.add(index)
    for output in graph.outputs:
        if output not in made:
            name = graph.tensors[output].name
            raise Refusal(BAD_GRAPH.at(f"output:{name}", f"output `{name}` is made by no operator", stage="import"))
