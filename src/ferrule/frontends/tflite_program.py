"""TFLite records to a program, node by node."""

from __future__ import annotations

from ferrule.diagnostics import Finding, Refusal
from ferrule.frontends.tflite_file import TfliteGraph, TfliteTensor, read_tflite
from ferrule.frontends.tflite_findings import BAD_TENSOR, UNSUPPORTED
from ferrule.ops.table import TFLITE
from ferrule.program.build import Builder
from ferrule.program.op import OpError
from ferrule.program.program import Program, unique_name
from ferrule.program.source import TfliteNode
from ferrule.program.tensor import DType, Quant, Role, Tensor


def tflite_program(data: bytes, name: str) -> Program:
    """Return the program of a TFLite file's main subgraph, as literal as it stands; Refusal with all bad nodes."""
    graph = read_tflite(data)
    build = Builder(name)
    names = _declare(graph, build)
    findings: list[Finding] = []
    for index, op in enumerate(graph.ops):
        inputs = tuple(None if i is None else names[i] for i in op.inputs)
        outputs = tuple(names[i] for i in op.outputs)
        label = f"{op.kind}#{index}"
        node = TfliteNode(label, op.kind, op.version, inputs, outputs, op.options)
        reader = TFLITE.get(op.kind)
        try:
            if reader is None:
                raise OpError("there is no reader for this operator")
            reader(node, build)
        except OpError as error:
            findings.append(
                UNSUPPORTED.at(
                    label,
                    f"{op.kind} making `{graph.tensors[op.outputs[0]].name if op.outputs else '?'}`: {error}",
                    stage="import",
                )
            )
    if findings:
        raise Refusal(*findings)
    return build.finish([names[i] for i in graph.outputs])


def _declare(graph: TfliteGraph, build: Builder) -> list[str]:
    """Declare every tensor under its own name (made unique), constants with their data."""
    names: list[str] = []
    for index, tensor in enumerate(graph.tensors):
        name = unique_name(tensor.name, build.tensors)
        dtype = _dtype(tensor)
        quant = None
        if tensor.scale and not dtype.is_float:
            axis = tensor.axis if len(tensor.scale) > 1 else None
            quant = Quant(tensor.scale, tensor.zero_point, axis)
        if index in graph.inputs:
            build.input(name, tensor.shape, dtype, quant)
        elif tensor.data is not None:
            value = tensor.data.astype(dtype.numpy, copy=False)
            build.constant(value, name, quant, dtype)
        else:
            build.declare(Tensor(name, tensor.shape, dtype, quant, Role.TEMP, (tensor.name,)))
        names.append(name)
    build.inputs = [names[i] for i in graph.inputs]
    return names


def _dtype(tensor: TfliteTensor) -> DType:
    if tensor.dtype == "float16":
        if tensor.data is None:
            raise Refusal(BAD_TENSOR.at(tensor.name, f"tensor `{tensor.name}` is computed in float16", stage="import"))
        return DType.FLOAT32
    if tensor.dtype == "float64":
        raise Refusal(BAD_TENSOR.at(tensor.name, f"tensor `{tensor.name}` has type float64", stage="import"))
    return DType(tensor.dtype)
