"""An ONNX model to a program, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from ferrule.diagnostics import Finding, Level, Refusal
from ferrule.frontends.onnx_file import nearest
from ferrule.frontends.onnx_findings import (
    BAD_SHAPE_OPTION,
    BATCH_BOUND,
    DEAD_NODES,
    DTYPE,
    OPEN_DIMENSION,
    OUTPUT_MISSING,
    OUTPUT_UNPRODUCED,
    UNKNOWN_TENSOR,
    UNSUPPORTED,
)
from ferrule.ops.table import ONNX
from ferrule.program.build import Builder
from ferrule.program.op import OpError
from ferrule.program.program import Program, evaluate, unique_name
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import DType

KEPT_UNFOLDED = frozenset({"DequantizeLinear", "QuantizeLinear"})
"""Operators that stay even where all inputs are constant: they carry the quantization."""
MAX_FOLDED = 1 << 27
MAX_ELEMENTS = 1 << 29
SAME_AS_STANDARD = frozenset({"QuantizeLinear", "DequantizeLinear", "Gelu"})
"""Operators of com.microsoft that equal those of the default domain."""


@dataclass(frozen=True)
class ReadOptions:
    """How a model is to be taken: bound shapes, and where it begins and ends."""

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    outputs_at: tuple[str, ...] = ()
    inputs_at: tuple[str, ...] = ()
    file: str = "MODEL"


def onnx_program(model: ir.Model, name: str, options: ReadOptions, findings: list[Finding]) -> Program:
    """Return the literal program of a model; notes go to `findings`. Refusal with every node that cannot be read."""
    _inline_functions(model)
    reader = _Reader(model, name, options, findings)
    return reader.read()


def bind_shapes(model: ir.Model, shapes: Mapping[str, Sequence[int]]) -> None:
    """Give inputs the shapes that the user chose, in place."""
    for value in model.graph.inputs:
        if value.name in shapes:
            value.shape = ir.Shape(list(shapes[str(value.name)]))


def _inline_functions(model: ir.Model) -> None:
    if model.functions:
        from onnx_ir.passes.common import InlinePass

        InlinePass()(model)


class _Reader:
    """Walks the graph once; knows which builder tensor holds each ONNX value."""

    def __init__(self, model: ir.Model, name: str, options: ReadOptions, findings: list[Finding]) -> None:
        self.model, self.options, self.findings = model, options, findings
        self.build = Builder(name)
        self.names: dict[ir.Value, str] = {}
        self.problems: list[Finding] = []
        self.node_names: set[str] = set()

    def read(self) -> Program:
        graph = self.model.graph
        if graph is None:
            raise Refusal(OUTPUT_MISSING.at("model", "the file holds no graph", stage="import"))
        outputs = self._wanted_outputs(graph)
        self._inputs(graph)
        needed = _needed(outputs, {v for v in self.names})
        dead = [n for n in graph if n not in needed]
        self._note_dead(dead, outputs)
        for node in graph:
            if node in needed:
                self._node(node)
        if self.problems:
            raise Refusal(*self.problems)
        return self.build.finish(list(dict.fromkeys(self._output(v) for v in dict.fromkeys(outputs))))

    # -- the graph's ends --------------------------------------------------------------------------------------

    def _wanted_outputs(self, graph: ir.Graph) -> list[ir.Value]:
        values = _values(graph)
        if self.options.outputs_at:
            return [self._named(values, n, "output") for n in self.options.outputs_at]
        unread = [v.name for n in graph for v in n.outputs if not v.uses() and v.name]
        if not graph.outputs:
            raise Refusal(
                OUTPUT_MISSING.at(
                    "model",
                    "the graph declares no output",
                    stage="import",
                    notes=[f"values that nothing reads: {', '.join(map(str, unread[:5])) or 'none'}"],
                    help=[f"ferrule check {self.options.file} --outputs-at {unread[-1]}"] if unread else [],
                )
            )
        missing = []
        for value in graph.outputs:
            known = value.producer() is not None or value in graph.inputs or value.name in graph.initializers
            if not known:
                close = nearest(str(value.name), [str(n) for n in values]) or [str(n) for n in unread[:3]]
                missing.append(
                    OUTPUT_UNPRODUCED.at(
                        f"output:{value.name}",
                        f"output `{value.name}` is made by no node",
                        stage="import",
                        notes=[f"nearest existing values: {', '.join(close)}"],
                        help=[f"ferrule check {self.options.file} --outputs-at {close[0]}"] if close else [],
                    )
                )
        if missing:
            raise Refusal(*missing)
        return list(graph.outputs)

    def _named(self, values: Mapping[str, ir.Value], name: str, role: str) -> ir.Value:
        if name not in values:
            close = nearest(name, list(values))
            raise Refusal(
                UNKNOWN_TENSOR.at(
                    f"{role}:{name}",
                    f"there is no tensor `{name}`",
                    stage="import",
                    notes=[f"nearest: {', '.join(close)}"] if close else [],
                )
            )
        return values[name]

    def _inputs(self, graph: ir.Graph) -> None:
        values = _values(graph)
        wanted = [v for v in graph.inputs if v.name not in graph.initializers]
        names = {str(v.name) for v in wanted}
        for given in self.options.shapes:
            if given not in names:
                message = f"--shape names `{given}`; the inputs are {', '.join(sorted(names))}"
                self.problems.append(BAD_SHAPE_OPTION.at(f"input:{given}", message, stage="import"))
        if self.options.inputs_at:
            wanted = [self._named(values, n, "input") for n in self.options.inputs_at]
        for value in wanted:
            self._input(value)
        if self.problems:
            raise Refusal(*self.problems)

    def _input(self, value: ir.Value) -> None:
        name = str(value.name)
        dtype = self._dtype(value, f"input:{name}")
        shape = self._shape(value, name)
        if dtype is None or shape is None:
            return
        if any(d < 0 for d in shape) or np.prod([max(d, 1) for d in shape], dtype=float) > MAX_ELEMENTS:
            self.problems.append(
                BAD_SHAPE_OPTION.at(f"input:{name}", f"input `{name}` of shape {shape} is too large", stage="import")
            )
            return
        self.names[value] = self.build.input(name, tuple(shape), dtype)

    def _dtype(self, value: ir.Value, where: str) -> DType | None:
        kind = value.dtype
        if kind is None or kind == ir.DataType.FLOAT16:
            return DType.FLOAT32
        try:
            return DType(kind.name.lower() if kind != ir.DataType.FLOAT else "float32")
        except ValueError:
            self.problems.append(
                DTYPE.at(where, f"`{value.name}` has type {kind.name}, which is not supported", stage="import")
            )
            return None

    def _shape(self, value: ir.Value, name: str) -> list[int] | None:
        declared = None if value.shape is None else list(value.shape)
        given = self.options.shapes.get(name)
        if given is not None:
            if declared is not None and len(given) != len(declared):
                message = f"--shape gives {len(given)} dimensions, input `{name}` has {len(declared)}"
                self.problems.append(BAD_SHAPE_OPTION.at(f"input:{name}", message, stage="import"))
                return None
            return [int(d) for d in given]
        if declared is None:
            self.problems.append(self._open(name, ["?"]))
            return None
        sizes = [d if isinstance(d, int) else None for d in declared]
        if sizes and sizes[0] is None and None not in sizes[1:]:
            message = f"input `{name}`: the open first dimension is bound to 1"
            self.findings.append(BATCH_BOUND.at(f"input:{name}", message, level=Level.NOTE, stage="import"))
            sizes[0] = 1
        if None in sizes:
            self.problems.append(self._open(name, [str(d) for d in declared]))
            return None
        return [int(d) for d in sizes if d is not None]

    def _open(self, name: str, shape: list[str]) -> Finding:
        example = ",".join("1" if i == 0 else (d if d.isdigit() else "96") for i, d in enumerate(shape))
        return OPEN_DIMENSION.at(
            f"input:{name}",
            f"input `{name}` [{', '.join(shape)}] has dimensions without a number",
            stage="import",
            help=[f"ferrule check {self.options.file} --shape {name}={example}"],
        )

    def _output(self, value: ir.Value) -> str:
        """The tensor of an output under the output's own name."""
        name = self._input_name(value)
        wanted = str(value.name)
        assert name is not None
        if name in self.build.constants or self.build.producer(name) is None:
            from ferrule.ops.reshape import emit_reshape

            # a constant or an input declared as output: it gets a value of its own
            shape = self.build.tensor(name).shape
            fresh = unique_name(wanted, self.build.tensors)
            made = emit_reshape(self.build, name, shape, f"output:{wanted}", fresh)
            self.build.tensors[made] = self.build.tensors[made].but(origin=(wanted,))
            return made
        if name != wanted:
            self.build.tensors[name] = self.build.tensors[name].but(origin=(wanted,))
        return name

    def _note_dead(self, dead: Sequence[ir.Node], outputs: Sequence[ir.Value]) -> None:
        tails = [n for n in dead if n.op_type != "Constant" and any(not o.uses() for o in n.outputs)]
        if not tails or self.options.outputs_at:
            return
        last = tails[-1]
        declared = ", ".join(str(v.name) for v in outputs)
        self.findings.append(
            DEAD_NODES.at(
                last.name or str(last.outputs[0].name),
                f"{len(dead)} nodes reach none of the outputs ({declared}) and are left out",
                level=Level.WARNING,
                stage="import",
                notes=["left out: " + ", ".join(n.name or n.op_type for n in dead[:6])],
                help=[f"if `{last.outputs[0].name}` was meant: --outputs-at {last.outputs[0].name}"],
            )
        )

    # -- nodes -------------------------------------------------------------------------------------------------

    def _input_name(self, value: ir.Value | None) -> str | None:
        if value is None or value.name == "":
            return None
        if value in self.names:
            return self.names[value]
        if value.const_value is not None:
            array = _array(value.const_value)
            self.names[value] = self.build.constant(array, str(value.name), dtype=_constant_dtype(value.const_value))
            return self.names[value]
        raise OpError(f"`{value.name}` is not there")

    def _node(self, node: ir.Node) -> None:
        label = node.name or (str(node.outputs[0].name) if node.outputs else node.op_type)
        try:
            self._read(node, label)
        except OpError as error:
            if not any(v in self.names for v in node.outputs):
                self._refuse(node, label, str(error))

    def _refuse(self, node: ir.Node, label: str, why: str) -> None:
        if any(v is not None and v not in self.names and v.const_value is None for v in node.inputs):
            return  # a consequence of a node refused before
        made = ", ".join(str(v.name) for v in node.outputs)
        self.problems.append(UNSUPPORTED.at(label, f"{node.op_type} making `{made}`: {why}", stage="import"))

    def _read(self, node: ir.Node, label: str) -> None:
        if node.op_type == "Constant":
            self._constant(node)
            return
        if node.op_type == "If":
            self._branch(node, label)
            return
        inputs = tuple(self._input_name(v) for v in node.inputs)
        outputs = tuple(str(v.name) if v.name and (v.uses() or v.is_graph_output()) else None for v in node.outputs)
        if node.domain not in ("", "ai.onnx") and node.op_type not in SAME_AS_STANDARD:
            raise OpError(f"operators of domain {node.domain} are not supported")
        reader = ONNX.get(node.op_type)
        if reader is None:
            raise OpError("there is no reader for this operator")
        opset = node.version or self.model.opset_imports.get("", 0) or self.model.opset_imports.get("ai.onnx", 0)
        attributes = {k: _attribute(a) for k, a in node.attributes.items()}
        source = OnnxNode(label, node.op_type, int(opset), inputs, outputs, attributes, node.domain)
        if self._foldable(node, inputs):
            self._fold(node, source)
            return
        taken = tuple(None if o is None else unique_name(o, self.build.tensors) for o in outputs)
        reader(OnnxNode(label, node.op_type, int(opset), inputs, taken, attributes, node.domain), self.build)
        for value, name in zip(node.outputs, taken, strict=True):
            if name is not None and name in self.build.tensors:
                self.names[value] = name

    def _foldable(self, node: ir.Node, inputs: Sequence[str | None]) -> bool:
        if node.op_type in KEPT_UNFOLDED or node.op_type.startswith("Random"):
            return False
        return all(n is None or n in self.build.constants for n in inputs)

    def _fold(self, node: ir.Node, source: OnnxNode) -> None:
        """Evaluate a node of constants with the operators' own references."""
        scratch = Builder("fold")
        renamed = []
        for name in source.inputs:
            if name is None or name in scratch.tensors:
                renamed.append(name)
                continue
            tensor = self.build.tensor(name)
            renamed.append(scratch.constant(self.build.constants[name], name, tensor.quant, tensor.dtype))
        outputs = tuple(None if o is None else f"{o}:folded" for o in source.outputs)
        reader = ONNX[source.kind]
        reader(
            OnnxNode(source.name, source.kind, source.opset, tuple(renamed), outputs, source.attributes, source.domain),
            scratch,
        )
        made = [o for o in outputs if o is not None and o in scratch.tensors]
        if any(scratch.tensor(o).elements > MAX_FOLDED for o in scratch.tensors):
            raise OpError("its constant result would be too large")
        values = evaluate(scratch.finish(made), {})
        for value, name in zip(node.outputs, outputs, strict=True):
            if name is not None and name in values:
                self.names[value] = self.build.constant(values[name], str(value.name), dtype=scratch.tensor(name).dtype)

    def _constant(self, node: ir.Node) -> None:
        value = node.outputs[0]
        array = constant_node(node)
        self.names[value] = self.build.constant(array[0], str(value.name), dtype=array[1])

    def _branch(self, node: ir.Node, label: str) -> None:
        """Inline the branch of an If whose condition is constant."""
        condition = self.build.value(self._input_name(node.inputs[0]))
        if condition is None:
            raise OpError("its condition is computed at run time")
        graph = node.attributes["then_branch" if bool(condition.reshape(-1)[0]) else "else_branch"].as_graph()
        for inner in graph:
            self._node(inner)
        for value, result in zip(node.outputs, graph.outputs, strict=True):
            name = self._input_name(result)
            if name is not None:
                self.names[value] = name


def _values(graph: ir.Graph) -> dict[str, ir.Value]:
    found = {str(v.name): v for v in graph.inputs if v.name}
    found.update({str(v.name): v for v in graph.initializers.values() if v.name})
    found.update({str(v.name): v for n in graph for v in n.outputs if v.name})
    return found


def _needed(outputs: Sequence[ir.Value], known: set[ir.Value]) -> set[ir.Node]:
    """Nodes that the outputs depend on, not looking behind the inputs."""
    found: set[ir.Node] = set()
    waiting = [v for v in outputs]
    while waiting:
        value = waiting.pop()
        node = value.producer()
        if value in known or node is None or node in found:
            continue
        found.add(node)
        waiting.extend(v for v in node.inputs if v is not None)
        for attribute in node.attributes.values():
            if attribute.type == ir.AttributeType.GRAPH:
                for inner in attribute.as_graph().all_nodes():
                    waiting.extend(v for v in inner.inputs if v is not None)
                waiting.extend(attribute.as_graph().outputs)
    return found


def _attribute(attribute: ir.Attr) -> object:
    kind, value = attribute.type, attribute.value
    if kind == ir.AttributeType.TENSOR:
        return _array(value)
    if kind in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return list(value) if isinstance(value, tuple) else value


def _constant_dtype(tensor: ir.TensorProtocol) -> DType | None:
    return DType.INT4 if tensor.dtype == ir.DataType.INT4 else None


def _array(tensor: ir.TensorProtocol) -> np.ndarray:
    """A constant in one of the program's types: wider floats and unsigned types are converted where nothing is lost."""
    kind = tensor.dtype
    array = tensor.numpy()
    if kind in (ir.DataType.INT4, ir.DataType.UINT4):
        return array.astype(np.int8 if kind == ir.DataType.INT4 else np.uint8)
    if array.dtype.name in ("float16", "float64", "bfloat16"):
        return array.astype(np.float32)
    if array.dtype.name in ("uint16", "uint32"):
        return array.astype(np.int64)
    if array.dtype.name == "uint64":
        if (array > np.iinfo(np.int64).max).any():
            raise OpError(f"constant `{tensor.name}` of type uint64 does not fit int64")
        return array.astype(np.int64)
    if array.dtype.name not in {d.value for d in DType}:
        raise OpError(f"constant `{tensor.name}` has type {array.dtype.name}, which is not supported")
    return np.asarray(array)


def constant_node(node: ir.Node) -> tuple[np.ndarray, DType | None]:
    """The value of a Constant node in any of its forms."""
    for key, attribute in node.attributes.items():
        if key == "value":
            return _array(attribute.value), _constant_dtype(attribute.value)
        if key in ("value_float", "value_floats"):
            return np.asarray(attribute.value, np.float32), None
        if key in ("value_int", "value_ints"):
            return np.asarray(attribute.value, np.int64), None
    raise OpError("a constant of this form is not supported")
