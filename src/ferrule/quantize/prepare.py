"""A clone of the model, made ready for quantization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx_ir as ir
from onnx_ir.passes.common import InlinePass, LiftConstantsToInitializersPass

from ferrule.diagnostics import Finding, Level, Refusal
from ferrule.quantize.findings import NO_SAMPLES, OPSET_RAISED
from ferrule.quantize.session import Feed, Session, bind_batch, feeds

Array = npt.NDArray[Any]
LEAST_OPSET = 13
LARGEST_FOLDED_BYTES = 1 << 24
RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"}
)
UNKNOWN_LENGTH = frozenset({"NonZero", "NonMaxSuppression", "Unique", "Compress", "Loop", "If", "Scan"})
"""Operators whose output shape depends on values, so that `Shape` behind them is no constant."""


def prepare(model: ir.Model, calibration: Mapping[str, Array], findings: list[Finding]) -> tuple[ir.Model, list[Feed]]:
    """Return a clone (batch bound, opset 13 or newer, nodes named, constants folded, shapes known) and the feeds.

    Refusal FER305 where the samples do not fit or the model does not run.
    """
    ready = _raise_opset(model.clone(), findings)
    if ready.functions:
        ready = InlinePass()(ready).model
    ready = LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(ready).model
    bind_batch(ready)
    _name_nodes(ready.graph)
    samples = feeds(ready, calibration)
    if not samples and ready.graph.inputs:
        raise Refusal(NO_SAMPLES.at("model", "there are no calibration samples", stage="quantize"))
    _fold_and_type(ready, samples[0] if samples else {})
    return ready, samples


def _raise_opset(model: ir.Model, findings: list[Finding]) -> ir.Model:
    version = model.graph.opset_imports.get("")
    if version is None or version >= LEAST_OPSET:
        return model
    try:
        proto = onnx.version_converter.convert_version(ir.serde.serialize_model(model), LEAST_OPSET)
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        message = f"opset {version} cannot be raised to {LEAST_OPSET}, which scales per channel need"
        raise Refusal(
            NO_SAMPLES.at("model", message, stage="quantize", notes=[said], help=["export with opset_version=17"])
        ) from None
    message = f"opset {version} was raised to {LEAST_OPSET}"
    findings.append(OPSET_RAISED.at("model", message, level=Level.NOTE, stage="quantize"))
    return ir.serde.deserialize_model(proto)


def _name_nodes(graph: ir.Graph) -> None:
    taken = {node.name for node in graph if node.name}
    for index, node in enumerate(graph):
        if not node.name:
            name = f"{node.op_type}_{index}"
            while name in taken:
                name += "_"
            taken.add(name)
            node.name = name


def _fold_and_type(model: ir.Model, sample: Feed) -> None:
    """Turn what no input decides into constants, and write the observed shapes and types onto the values."""
    graph = model.graph
    static = _static_nodes(graph)
    names = [str(v.name) for node in graph for v in node.outputs if v.name]
    seen = Session(model, names).run(sample)
    outputs = set(graph.outputs)
    for node in graph:
        for value in node.outputs:
            array = seen.get(str(value.name))
            if array is not None:
                value.shape = ir.Shape(array.shape)
                value.dtype = ir.DataType.from_numpy(array.dtype)
    doomed = [n for n in graph if n in static and not outputs & set(n.outputs) and _is_small(n, seen)]
    for node in doomed:
        for value in node.outputs:
            constant = make_constant(graph, str(value.name), seen[str(value.name)], replaces=value)
            value.replace_all_uses_with(constant)
    for node in reversed(doomed):
        if not any(v.uses() for v in node.outputs):
            for value in node.outputs:
                value.name = None
            graph.remove(node, safe=True)
    drop_unused_constants(graph)


def _is_small(node: ir.Node, seen: Mapping[str, Array]) -> bool:
    arrays = [seen.get(str(v.name)) for v in node.outputs]
    return all(a is not None and a.nbytes <= LARGEST_FOLDED_BYTES and a.dtype != object for a in arrays)


def _static_nodes(graph: ir.Graph) -> set[ir.Node]:
    static: set[ir.Node] = set()
    unknown: set[ir.Value] = set()
    for node in graph:
        inputs = [v for v in node.inputs if v is not None]
        if node.op_type in UNKNOWN_LENGTH or any(v in unknown for v in inputs):
            unknown.update(node.outputs)
        has_body = any(a.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS) for a in node.attributes.values())
        if node.domain not in ("", "ai.onnx") or has_body or node.op_type in RANDOM:
            continue
        known = all(is_constant(v) or v.producer() in static for v in inputs)
        if known or (node.op_type in ("Shape", "Size") and not any(v in unknown for v in inputs)):
            static.add(node)
    return static


def is_constant(value: ir.Value | None) -> bool:
    """Whether a value is an initializer that no caller can replace."""
    return value is not None and value.const_value is not None and value.is_initializer() and not value.is_graph_input()


def constant_array(value: ir.Value | None) -> Array | None:
    """The data of a constant, None for anything else."""
    if value is None or not is_constant(value) or value.const_value is None:
        return None
    return np.asarray(value.const_value.numpy())


def make_constant(graph: ir.Graph, name: str, array: Array, *, replaces: ir.Value | None = None) -> ir.Value:
    """Add an initializer. The name must be free, unless it is that of the value it `replaces`."""
    if replaces is not None:
        replaces.name = f"{name}__folded"
    value = ir.Value(
        name=name,
        shape=ir.Shape(array.shape),
        type=ir.TensorType(ir.DataType.from_numpy(array.dtype)),
        const_value=ir.tensor(np.ascontiguousarray(array).reshape(array.shape), name=name),
    )
    graph.register_initializer(value)
    return value


def drop_unused_constants(graph: ir.Graph) -> None:
    """Remove initializers that nothing reads."""
    outputs = set(graph.outputs)
    for name, value in list(graph.initializers.items()):
        if not value.uses() and value not in outputs and not value.is_graph_input():
            del graph.initializers[name]
