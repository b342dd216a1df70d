"""Operators that are constants once shapes are known."""

from __future__ import annotations

import numpy as np

from ferrule.program.build import Builder
from ferrule.program.op import Array, OpError
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Role

MOST_ELEMENTS = 1 << 24
"""A constant larger than this would not fit any chip; it is refused before memory is taken."""

ONNX_TYPES = {1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool"}
"""Element types of ONNX (TensorProto.DataType) that a program has."""


def onnx_dtype(code: int) -> DType:
    """The element type of an ONNX type number; OpError where a program has none."""
    if code not in ONNX_TYPES:
        raise OpError(f"element type {code} of ONNX is not supported")
    return DType(ONNX_TYPES[code])


def fold(build: Builder, value: Array, output: str | None) -> None:
    """Make `output` a constant; one that is declared already (TFLite) keeps its scale."""
    if output is None:
        return
    declared = build.tensors.get(output)
    if declared is None:
        build.constant(value, output)
        return
    if declared.shape != value.shape:
        raise OpError(f"makes shape {list(value.shape)}, but {output} is declared as {list(declared.shape)}")
    array = np.ascontiguousarray(value).astype(declared.dtype.numpy).reshape(value.shape)
    array.setflags(write=False)
    build.tensors[output] = declared.but(role=Role.CONST)
    build.constants[output] = array


def _known(build: Builder, name: str | None, what: str) -> Array:
    value = build.value(name)
    if value is None:
        raise OpError(f"{what} is computed at run time; its result would have no fixed shape")
    return value


def _room(count: float) -> None:
    if count > MOST_ELEMENTS:
        raise OpError(f"makes a constant of {count:.0f} elements")


def from_onnx_shape(node: OnnxNode, build: Builder) -> None:
    """Read Shape; `start` and `end` since opset 15."""
    shape = build.tensor(node.need(0)).shape
    start, end = int(node.attribute("start", 0)), int(node.attribute("end", len(shape)))
    fold(build, np.asarray(shape[start:end], np.int64), node.outputs[0])


def from_onnx_size(node: OnnxNode, build: Builder) -> None:
    """Read Size: the number of elements."""
    fold(build, np.asarray(build.tensor(node.need(0)).elements, np.int64), node.outputs[0])


def from_onnx_constant_of_shape(node: OnnxNode, build: Builder) -> None:
    """Read ConstantOfShape."""
    shape = [int(d) for d in _known(build, node.need(0), "its shape").reshape(-1)]
    if any(d < 0 for d in shape):
        raise OpError(f"shape {shape} has a negative axis")
    _room(float(np.prod(np.asarray(shape, float))))
    value = np.asarray(node.attribute("value", np.zeros(1, np.float32))).reshape(-1)[0]
    DType.of(np.asarray(value)) if np.asarray(value).dtype.name in ONNX_TYPES.values() else onnx_dtype(0)
    fold(build, np.full(shape, value), node.outputs[0])


def from_onnx_range(node: OnnxNode, build: Builder) -> None:
    """Read Range: max(ceil((limit - start) / delta), 0) elements."""
    start, limit, delta = (_known(build, node.need(i), "a bound").reshape(-1)[0] for i in range(3))
    _fold_range(build, start, limit, delta, node.outputs[0])


def _fold_range(build: Builder, start: np.generic, limit: np.generic, delta: np.generic, output: str | None) -> None:
    if float(delta) == 0:
        raise OpError("its step is 0")
    count = max(int(np.ceil((float(limit) - float(start)) / float(delta))), 0)
    _room(count)
    steps = np.arange(count).astype(np.asarray(start).dtype)
    fold(build, np.asarray(start + steps * delta, np.asarray(start).dtype), output)


def from_onnx_eye_like(node: OnnxNode, build: Builder) -> None:
    """Read EyeLike: ones on the k-th diagonal."""
    x = build.tensor(node.need(0))
    if x.rank != 2:
        raise OpError(f"needs rank 2, not {x.rank}")
    code = node.attribute("dtype")
    dtype = x.dtype if code is None else onnx_dtype(int(code))
    value = np.eye(x.shape[0], x.shape[1], int(node.attribute("k", 0))).astype(dtype.numpy)
    fold(build, value, node.outputs[0])


def from_onnx_non_zero(node: OnnxNode, build: Builder) -> None:
    """Read NonZero of a constant: the positions, one column each."""
    value = _known(build, node.need(0), "its input")
    found = np.nonzero(np.atleast_1d(value))
    positions = np.asarray(found, np.int64).reshape(max(value.ndim, 1), -1)
    fold(build, positions[: value.ndim], node.outputs[0])


def from_tflite_shape(node: TfliteNode, build: Builder) -> None:
    """Read SHAPE."""
    fold(build, np.asarray(build.tensor(node.need(0)).shape, np.int32), node.outputs[0])


def from_tflite_rank(node: TfliteNode, build: Builder) -> None:
    """Read RANK."""
    fold(build, np.asarray(build.tensor(node.need(0)).rank, np.int32), node.outputs[0])


def from_tflite_range(node: TfliteNode, build: Builder) -> None:
    """Read RANGE."""
    start, limit, delta = (_known(build, node.need(i), "a bound").reshape(-1)[0] for i in range(3))
    _fold_range(build, start, limit, delta, node.outputs[0])


def from_tflite_fill(node: TfliteNode, build: Builder) -> None:
    """Read FILL."""
    shape = [int(d) for d in _known(build, node.need(0), "its shape").reshape(-1)]
    _room(float(np.prod(np.asarray(shape, float))))
    value = _known(build, node.need(1), "its value").reshape(-1)[0]
    fold(build, np.full(shape, value), node.outputs[0])


def from_tflite_zeros_like(node: TfliteNode, build: Builder) -> None:
    """Read ZEROS_LIKE."""
    x = build.tensor(node.need(0))
    fold(build, np.zeros(x.shape, x.dtype.numpy), node.outputs[0])
