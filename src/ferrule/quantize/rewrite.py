"""Equal forms of nodes, chosen because they quantize well."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

from ferrule.diagnostics import Finding, Level
from ferrule.quantize.affine import affine_of, fold_into, is_linear
from ferrule.quantize.findings import REWRITTEN
from ferrule.quantize.grouped_transpose import divide
from ferrule.quantize.operators import CLAMPED
from ferrule.quantize.prepare import constant_array, drop_unused_constants, is_constant, make_constant

Array = npt.NDArray[Any]
WEIGHTED = frozenset({"Conv", "ConvTranspose", "Gemm"})
ORDER_KEPT = frozenset(
    {"Slice", "MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Dropout"}
)
"""Moves that give the same whether a monotone function comes before or behind them."""


class Rewriter:
    """Rewrites one graph in place and tells what it did; the float function stays the same up to rounding."""

    def __init__(self, graph: ir.Graph, findings: list[Finding]) -> None:
        self.graph = graph
        self.findings = findings
        self.names = {v.name for n in graph for v in n.outputs} | set(graph.initializers)
        self.names |= {v.name for v in graph.inputs} | {n.name for n in graph}

    def run(self) -> None:
        """Apply every rewrite, in an order in which each serves the next."""
        for rewrite in (
            self._dense,  # MatMul + Add becomes Gemm, which then takes factors
            self._plain_gemm,
            self._split_bias,
            self._fold,
            self._lone_normalization,  # what could not be folded
            self._early_clamp,  # once no normalization stands before a Relu
            self._even_transpose,
            self._division,
        ):
            for node in list(self.graph):
                if node.graph is self.graph:
                    rewrite(node)
        drop_unused_constants(self.graph)

    # helpers

    def unique(self, name: str) -> str:
        """A name that no node and no value has yet."""
        found, count = name, 1
        while found in self.names:
            count += 1
            found = f"{name}_{count}"
        self.names.add(found)
        return found

    def constant(self, name: str, array: Array) -> ir.Value:
        """A new constant."""
        return make_constant(self.graph, self.unique(name), array)

    def _say(self, node: ir.Node, what: str) -> None:
        self.findings.append(REWRITTEN.at(str(node.name), what, level=Level.NOTE, stage="quantize"))

    def _sole_reader(self, value: ir.Value) -> ir.Node | None:
        uses = tuple(value.uses())
        if len(uses) != 1 or value.is_graph_output():
            return None
        reader = uses[0].node
        return reader if reader.graph is self.graph else None

    def _bypass(self, node: ir.Node, value: ir.Value) -> None:
        """Remove `node`; what read its output reads `value`, which takes the name over where it is an output."""
        gone = node.outputs[0]
        if gone.is_graph_output():
            name = gone.name
            gone.name = f"{name}__gone"
            value.name = name
        gone.replace_all_uses_with(value, replace_graph_outputs=True)
        self.graph.remove(node, safe=True)

    def _replace(self, node: ir.Node, op_type: str, inputs: list[ir.Value | None], **attributes: Any) -> ir.Node:
        """Put a node of another kind in the place of `node`, with its name and output name."""
        old = node.outputs[0]
        new = ir.node(op_type, inputs, attributes, name=node.name, version=node.version)
        out = new.outputs[0]
        name = old.name
        old.name = f"{name}__gone"
        out.name, out.shape, out.type = name, old.shape, old.type
        self.graph.insert_before(node, new)
        old.replace_all_uses_with(out, replace_graph_outputs=True)
        self.graph.remove(node, safe=True)
        return new

    # rewrites

    def _dense(self, node: ir.Node) -> None:
        """MatMul of a matrix with a constant matrix, then Add of a constant row: one Gemm."""
        if node.op_type != "MatMul" or not is_constant(node.inputs[1]):
            return
        x, weights = node.inputs[0], constant_array(node.inputs[1])
        add = self._sole_reader(node.outputs[0])
        if weights is None or weights.ndim != 2 or x is None or x.shape is None or len(x.shape) != 2:
            return
        if add is None or add.op_type != "Add" or weights.dtype != np.float32:
            return
        other = add.inputs[1] if add.inputs[0] is node.outputs[0] else add.inputs[0]
        bias = constant_array(other)
        if bias is None or bias.size not in (1, weights.shape[1]) or bias.ndim > 2 or bias.shape[:-1] not in ((), (1,)):
            return
        row = np.ascontiguousarray(np.broadcast_to(bias.reshape(-1), (weights.shape[1],)), np.float32)
        self._say(node, f"MatMul and Add `{add.name}` became one Gemm")
        value = self.constant(f"{other.name if other else node.name}_row", row)
        gemm = self._replace(node, "Gemm", [x, node.inputs[1], value])
        self._bypass(add, gemm.outputs[0])

    def _plain_gemm(self, node: ir.Node) -> None:
        """Gemm with alpha and beta of 1 and a constant bias of shape [N], as far as its operands are constant."""
        if node.op_type != "Gemm":
            return
        alpha, beta = _attribute(node, "alpha", 1.0), _attribute(node, "beta", 1.0)
        weights, bias = constant_array(node.inputs[1]), constant_array(_input(node, 2))
        if weights is None:
            return
        columns = weights.shape[0 if _attribute(node, "transB", 0) else 1]
        if bias is not None and bias.size in (1, columns) and (bias.ndim < 2 or bias.shape[0] == 1):
            row = np.broadcast_to(bias.reshape(-1).astype(np.float64) * beta, (columns,)).astype(np.float32)
            if bias.shape != row.shape or beta != 1.0:
                node.replace_input_with(2, self.constant(f"{node.inputs[2].name}_row", row))  # type: ignore[union-attr]
                node.attributes.pop("beta", None)
        if alpha != 1.0:
            scaled = (weights.astype(np.float64) * alpha).astype(np.float32)
            node.replace_input_with(1, self.constant(f"{node.inputs[1].name}_scaled", scaled))  # type: ignore[union-attr]
            node.attributes.pop("alpha", None)

    def _split_bias(self, node: ir.Node) -> None:
        """A bias that is computed (or a whole matrix, for Gemm) becomes an Add: ONNX cannot make int32 from floats."""
        bias = _input(node, 2)
        if node.op_type not in WEIGHTED or bias is None or bias.shape is None:
            return
        if is_constant(bias) and len(bias.shape) == 1:
            return
        if _attribute(node, "beta", 1.0) != 1.0:
            return
        old = node.outputs[0]
        rank = len(old.shape or ())
        if rank < 2:
            return
        self._say(node, f"the bias `{bias.name}` became an addition of its own")
        fresh = ir.Value(name=self.unique(f"{old.name}_product"), shape=old.shape, type=old.type)
        inputs = [node.inputs[0], node.inputs[1]]
        product = ir.node(
            node.op_type, inputs, dict(node.attributes), name=node.name, outputs=[fresh], version=node.version
        )
        self.graph.insert_before(node, product)
        if node.op_type != "Gemm":
            shape = [1, int(bias.shape[0]), *[1] * (rank - 2)]  # type: ignore[arg-type]
            target = self.constant(f"{bias.name}_shape", np.asarray(shape, np.int64))
            reshape = ir.node("Reshape", [bias, target], name=self.unique(f"{node.name}_bias_Reshape"))
            spread = reshape.outputs[0]
            spread.name, spread.shape, spread.type = self.unique(f"{bias.name}_spread"), ir.Shape(shape), bias.type
            self.graph.insert_before(node, reshape)
            bias = spread
        original = node.name
        node.name = self.unique(f"{original}_bias_Add")
        self._replace(node, "Add", [fresh, bias])

    def _fold(self, node: ir.Node) -> None:
        """A factor and a summand per channel go into the convolution or Gemm that makes the value."""
        affine = affine_of(node)
        if affine is None:
            return
        value = affine.source
        home = value.producer()
        while home is not None and home.op_type in ("Slice", "Identity", "Dropout") and self._passes(home):
            value = home.inputs[0]  # type: ignore[assignment]
            home = value.producer()
        if home is None or not is_linear(home) or self._sole_reader(value) is None:
            return
        if self._sole_reader(affine.source) is not node:
            return
        if fold_into(home, affine, self.constant):
            self._say(node, f"{node.op_type} went into the weights of `{home.name}`")
            self._bypass(node, affine.source)

    def _passes(self, node: ir.Node) -> bool:
        """Whether a node only leaves out positions that are no channels, and nobody else sees its input."""
        source = node.inputs[0]
        if source is None or self._sole_reader(source) is not node or source.shape is None:
            return False
        if node.op_type != "Slice":
            return len([v for v in node.outputs if v.uses()]) <= 1
        axes = constant_array(_input(node, 3))
        rank = len(source.shape)
        return axes is not None and all(int(a) % rank != 1 for a in axes.reshape(-1))

    def _lone_normalization(self, node: ir.Node) -> None:
        """A BatchNormalization that stands alone: a 1x1 depthwise Conv, whose weights int8 holds exactly."""
        if node.op_type != "BatchNormalization":
            return
        affine = affine_of(node)
        rank = len(affine.source.shape or ()) if affine is not None else 0
        if affine is None or rank < 2 or rank > 4:
            return
        channels = int(affine.source.shape[1])  # type: ignore[index,arg-type]
        factor = np.broadcast_to(affine.factor, (channels,)).astype(np.float32)
        summand = np.broadcast_to(affine.summand, (channels,)).astype(np.float32)
        if rank == 2:
            self._say(node, "BatchNormalization became Mul and Add")
            base = node.name
            source = affine.source
            mul = ir.node("Mul", [source, self.constant(f"{base}_factor", factor)], name=self.unique(f"{base}_Mul"))
            mul.outputs[0].name = self.unique(f"{source.name}_scaled")
            mul.outputs[0].shape, mul.outputs[0].type = source.shape, source.type
            self.graph.insert_before(node, mul)
            self._replace(node, "Add", [mul.outputs[0], self.constant(f"{base}_summand", summand)])
            return
        self._say(node, "BatchNormalization became a 1x1 depthwise Conv")
        weights = self.constant(f"{node.name}_weights", factor.reshape(channels, *[1] * (rank - 1)))
        bias = self.constant(f"{node.name}_bias", summand)
        self._replace(node, "Conv", [affine.source, weights, bias], group=channels, kernel_shape=[1] * (rank - 2))

    def _early_clamp(self, node: ir.Node) -> None:
        """Relu or Clip behind moves of a convolution's result goes in front of them, where the clamp is free."""
        if node.op_type not in ("Relu", "Clip") or any(not is_constant(v) for v in node.inputs[1:] if v is not None):
            return
        value = node.inputs[0]
        moves: list[ir.Node] = []
        while value is not None and (home := value.producer()) is not None and home.op_type in ORDER_KEPT:
            if self._sole_reader(value) is None or any(v.uses() for v in home.outputs[1:]):
                return
            moves.append(home)
            value = home.inputs[0]
        home = value.producer() if value is not None else None
        if not moves or value is None or home is None or home.op_type not in CLAMPED:
            return
        if self._sole_reader(value) is not moves[-1]:
            return
        self._say(node, f"{node.op_type} changed places with `{moves[-1].name}`")
        clamped = ir.Value(name=self.unique(f"{value.name}_clamped"), shape=value.shape, type=value.type)
        clamp = ir.node(
            node.op_type,
            [value, *node.inputs[1:]],
            dict(node.attributes),
            name=node.name,
            outputs=[clamped],
            version=node.version,
        )
        self.graph.insert_after(home, clamp)
        moves[-1].replace_input_with(0, clamped)
        node.name = f"{node.name}__gone"
        self._bypass(node, moves[0].outputs[0])

    def _even_transpose(self, node: ir.Node) -> None:
        """Grouped ConvTranspose of uneven channels: a form in which weights have a scale per channel."""
        name = str(node.name)
        said = divide(node, self.graph, self.unique, self.constant)
        if said is not None:
            self.findings.append(REWRITTEN.at(name, said, level=Level.NOTE, stage="quantize"))

    def _division(self, node: ir.Node) -> None:
        """A division by constants: a multiplication by their reciprocals."""
        if node.op_type != "Div" or is_constant(node.inputs[0]):
            return
        divisor = constant_array(node.inputs[1])
        if divisor is None or divisor.dtype != np.float32 or not divisor.all():
            return
        reciprocal = (1.0 / divisor.astype(np.float64)).astype(np.float32)
        if not np.isfinite(reciprocal).all():
            return
        self._say(node, "Div by a constant became Mul by its reciprocal")
        value = self.constant(f"{node.inputs[1].name}_reciprocal", reciprocal)  # type: ignore[union-attr]
        self._replace(node, "Mul", [node.inputs[0], value])


def _input(node: ir.Node, index: int) -> ir.Value | None:
    return node.inputs[index] if index < len(node.inputs) else None


def _attribute(node: ir.Node, name: str, default: float) -> float:
    found = node.attributes.get(name)
    return default if found is None else float(found.value)
