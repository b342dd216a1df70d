"""Runs an ONNX model in onnxruntime, as the user would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np


def run_onnx(
    data: bytes, folder: Path, samples: Mapping[str, np.ndarray], outputs: Sequence[str], optimize: bool = True
) -> dict[str, np.ndarray]:
    """Return outputs [N, *shape] of a model for samples [N, *shape], one sample a run.

    `outputs` may name any value of the graph. `optimize` off keeps every node as it stands.
    """
    import onnx
    import onnxruntime

    proto = onnx.ModelProto.FromString(data)
    declared = {o.name for o in proto.graph.output}
    extra = [n for n in outputs if n not in declared]
    if extra:
        proto.graph.output.extend(onnx.ValueInfoProto(name=n) for n in extra)
        data = proto.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    external = any(i.data_location == onnx.TensorProto.EXTERNAL for i in proto.graph.initializer)
    if external:
        session = onnxruntime.InferenceSession(str(folder), options)
    else:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    count = len(next(iter(samples.values()))) if samples else 1
    runs = []
    for index in range(count):
        feed = {i.name: _cast(samples[i.name][index], i.type) for i in session.get_inputs() if i.name in samples}
        runs.append(session.run(list(outputs), feed))
    return {name: np.stack([np.asarray(r[k]) for r in runs]) for k, name in enumerate(outputs)}


def _cast(array: np.ndarray, kind: str) -> np.ndarray:
    return array.astype(np.float16) if kind == "tensor(float16)" else array
