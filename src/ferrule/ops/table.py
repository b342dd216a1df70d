"""All operators, and which source nodes they read."""

from __future__ import annotations

from collections.abc import Callable

from ferrule.ops import conv, transpose
from ferrule.program.build import Builder
from ferrule.program.op import Op
from ferrule.program.source import OnnxNode, TfliteNode

OPS: tuple[type[Op], ...] = (
    conv.Conv,
    transpose.Transpose,
)
"""Every operator of a program."""

BY_KIND: dict[str, type[Op]] = {op.kind: op for op in OPS}

ONNX: dict[str, Callable[[OnnxNode, Builder], None]] = {
    "Conv": conv.from_onnx,
    "Transpose": transpose.from_onnx,
}
"""ONNX operator of the default domain to its reader."""

TFLITE: dict[str, Callable[[TfliteNode, Builder], None]] = {
    "CONV_2D": conv.from_tflite,
    "DEPTHWISE_CONV_2D": conv.from_tflite,
    "TRANSPOSE": transpose.from_tflite,
}
"""TFLite builtin operator to its reader."""
