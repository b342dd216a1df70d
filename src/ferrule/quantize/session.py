"""Runs the float model on samples and shows every tensor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx_ir as ir

from ferrule.diagnostics import Refusal
from ferrule.quantize.findings import NO_SAMPLES

Array = npt.NDArray[Any]
Feed = dict[str, Array]


def graph_inputs(model: ir.Model) -> list[ir.Value]:
    """The inputs that a caller must give: those without a default value."""
    return [v for v in model.graph.inputs if v.name not in model.graph.initializers]


def bind_batch(model: ir.Model) -> None:
    """Give every input a fixed shape, in place: an open leading dimension is 1; Refusal FER305 at any other."""
    for value in graph_inputs(model):
        if value.shape is None:
            raise _unusable(value, "has no declared shape")
        dims: list[int] = []
        for axis, dim in enumerate(value.shape):
            if not isinstance(dim, int) and axis > 0:
                raise _unusable(value, f"has an open dimension {axis}", f"bind it: --shape {value.name}=1,...")
            dims.append(dim if isinstance(dim, int) else 1)
        value.shape = ir.Shape(dims)
    for value in model.graph.outputs:
        value.shape = None  # an open batch there would contradict; the first run tells the true shape


def _unusable(value: ir.Value, why: str, *cure: str) -> Refusal:
    return Refusal(NO_SAMPLES.at(f"input:{value.name}", f"input `{value.name}` {why}", stage="quantize", help=cure))


def feeds(model: ir.Model, calibration: Mapping[str, Array]) -> list[Feed]:
    """One feed per sample.

    `calibration` maps each input's name to `[N, *shape]` (`[N, *shape[1:]]` where the batch is 1).
    Refusal FER305 where an input has no samples, none at all, another shape, or another number of them.
    """
    columns: dict[str, list[Array]] = {}
    for value in graph_inputs(model):
        name, shape = str(value.name), tuple(value.shape.numpy()) if value.shape is not None else ()
        if name not in calibration:
            given = ", ".join(f"`{n}`" for n in sorted(calibration)) or "nothing"
            raise _unusable(value, f"has no samples; the calibration holds {given}")
        array = np.asarray(calibration[name])
        if array.shape[1:] == shape and array.ndim == len(shape) + 1:
            rows = [array[i] for i in range(len(array))]
        elif shape[:1] == (1,) and array.ndim == len(shape) and array.shape[1:] == shape[1:]:
            rows = [array[i : i + 1] for i in range(len(array))]
        else:
            raise _unusable(value, f"takes {list(shape)} per sample, and the samples are {list(array.shape)}")
        dtype = value.dtype.numpy() if value.dtype is not None else np.dtype(np.float32)
        columns[name] = [np.ascontiguousarray(row, dtype) for row in rows]
    counts = {name: len(rows) for name, rows in columns.items()}
    if len(set(counts.values())) > 1 or 0 in counts.values():
        said = ", ".join(f"`{n}` {c}" for n, c in counts.items())
        raise Refusal(NO_SAMPLES.at("model", f"the numbers of samples do not fit: {said}", stage="quantize"))
    return [{n: rows[i] for n, rows in columns.items()} for i in range(max(counts.values(), default=0))]


class Session:
    """A float model of which any tensor of the main graph can be asked; graph optimizations off, one thread a run."""

    def __init__(self, model: ir.Model, wanted: Sequence[str]) -> None:
        """Load `model` with the tensors `wanted` as outputs; Refusal FER305 where onnxruntime refuses it."""
        import onnxruntime as ort

        self.wanted = list(wanted)
        if not wanted:
            return
        proto = ir.serde.serialize_model(model)
        del proto.graph.output[:]
        proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted)
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            data = proto.SerializeToString()
            self.session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise refused(error) from None

    def run(self, feed: Feed) -> dict[str, Array]:
        """The wanted tensors on one sample; values that are no arrays (sequences) are left out."""
        if not self.wanted:
            return {}
        try:
            results = self.session.run(self.wanted, feed)
        except Exception as error:
            raise refused(error) from None
        return {n: r for n, r in zip(self.wanted, results, strict=True) if isinstance(r, np.ndarray)}

    def run_all(self, samples: Sequence[Feed], threads: int) -> Iterator[dict[str, Array]]:
        """The wanted tensors of each sample, in order; at most `threads` samples are in memory at once."""
        if threads <= 1:
            yield from map(self.run, samples)
            return
        waiting: deque[Future[dict[str, Array]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for sample in samples:
                if len(waiting) == threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(self.run, sample))
            while waiting:
                yield waiting.popleft().result()


def refused(error: Exception) -> Refusal:
    """What onnxruntime said, as a finding."""
    said = " ".join(str(error).split())[:300]
    return Refusal(NO_SAMPLES.at("model", "onnxruntime cannot run the float model", stage="quantize", notes=[said]))
