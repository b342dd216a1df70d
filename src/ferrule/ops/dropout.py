"""Dropout: nothing at inference."""

from __future__ import annotations

import numpy as np

from ferrule.ops.folding import fold
from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.op import OpError
from ferrule.program.source import OnnxNode


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Dropout: the value itself; its mask, where wanted, keeps everything."""
    x, training = build.tensor(node.need(0)), False
    if node.opset >= 12 and node.input(2) is not None:
        given = build.value(node.input(2))
        if given is None:
            raise OpError("whether it trains is decided at run time")
        training = bool(given.reshape(-1)[0])
    ratio = build.value(node.input(1)) if node.opset >= 12 else None
    if training and (ratio is None or float(ratio.reshape(-1)[0]) != 0.0):
        raise OpError("it is in training mode, which drops elements at random")
    emit_reshape(build, x.name, x.shape, node.name, node.outputs[0])
    if len(node.outputs) > 1:
        fold(build, np.ones(x.shape, bool if node.opset >= 10 else np.float32), node.outputs[1])
