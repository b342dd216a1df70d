"""Batch normalization at inference: a factor and a summand."""

from __future__ import annotations

import numpy as np

from ferrule.ops.binary import Binary
from ferrule.program.build import Builder
from ferrule.program.op import OpError
from ferrule.program.source import OnnxNode


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read BatchNormalization as y = x * f + g with f = scale / sqrt(var + eps), g = bias - mean * f, in float64.

    It stays two ops of its own; a later pass folds them into a neighbour where that is exact.
    """
    if node.attribute("training_mode", 0) or len([o for o in node.outputs if o is not None]) > 1:
        raise OpError("training mode is not supported; export in inference mode")
    x = build.tensor(node.need(0))
    values = [build.value(node.need(i)) for i in range(1, 5)]
    if any(v is None for v in values):
        raise OpError("its parameters are computed at run time")
    scale, bias, mean, variance = (v.astype(np.float64).reshape(-1) for v in values if v is not None)
    factor = scale / np.sqrt(variance + float(node.attribute("epsilon", 1e-5)))
    shape = (1, -1, *[1] * (x.rank - 2)) if x.rank >= 2 else (-1,)
    times = build.constant(factor.astype(np.float32).reshape(shape), f"{node.name}:factor")
    plus = build.constant((bias - mean * factor).astype(np.float32).reshape(shape), f"{node.name}:summand")
    (scaled,) = build.emit(Binary, (x.name, times), name=f"{node.name}:mul", function="mul", origin=(node.name,))
    build.emit(Binary, (scaled, plus), name=node.name, outputs=node.outputs[:1], function="add", origin=(node.name,))
