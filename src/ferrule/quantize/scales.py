"""Which tensors share a scale, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import onnx_ir as ir

from ferrule.quantize.choose import Choice
from ferrule.quantize.codes import Params, asymmetric, symmetric
from ferrule.quantize.operators import Kind, data_inputs, form_of, is_float
from ferrule.quantize.prepare import is_constant
from ferrule.quantize.ranges import Range

UNIT = Params(1.0 / 256.0, -128)
"""Scale of Softmax and Sigmoid: codes cover [0, 255/256], as TFLite fixes it."""
UNIT_RANGE = Range(0.0, 1.0)


@dataclass
class _Group:
    """Tensors of one scale: their common range, the narrowest range that went into it, and what is fixed."""

    range: Range
    narrowest: float
    is_unit: bool = False
    is_symmetric: bool = False


class Scales:
    """Groups of tensors, built from a choice of integer nodes and the observed ranges."""

    def __init__(self, graph: ir.Graph, choice: Choice, ranges: Mapping[str, Range], similar_ratio: float) -> None:
        self._parent: dict[str, str] = {}
        self._groups: dict[str, _Group] = {}
        self._ranges = ranges
        self._similar = similar_ratio
        for node in graph:
            if node in choice.integer:
                self._visit(node)

    def params(self, name: str) -> Params:
        """Scale and zero point of a tensor."""
        group = self._groups[self._root(name)]
        if group.is_unit:
            return UNIT
        return symmetric(group.range) if group.is_symmetric else asymmetric(group.range)

    def range(self, name: str) -> Range:
        """The range that the tensor's scale covers."""
        return self._groups[self._root(name)].range

    def _root(self, name: str) -> str:
        if name not in self._parent:
            self._parent[name] = name
            span = self._ranges.get(name, Range(0.0, 0.0))
            self._groups[name] = _Group(span, span.span)
        while self._parent[name] != name:
            name = self._parent[name]
        return name

    def _visit(self, node: ir.Node) -> None:
        form = form_of(node)
        assert form is not None
        outputs = [str(v.name) for v in node.outputs if is_float(v)]
        if form.kind is Kind.FIXED:
            group = self._groups[self._root(outputs[0])]
            group.is_unit, group.range = True, UNIT_RANGE
        elif form.kind is Kind.MOVE:
            for name in outputs:
                self._follow(str(node.inputs[0].name), name)  # type: ignore[union-attr]
        elif form.kind is Kind.JOIN:
            self._join(node, outputs[0])
        weights = node.inputs[form.weights] if form.weights is not None else None
        if weights is not None and node.op_type != "MatMul" and not is_constant(weights):
            self._groups[self._root(str(weights.name))].is_symmetric = True
        for index in data_inputs(node, form):
            if not is_constant(node.inputs[index]):
                self._root(str(node.inputs[index].name))  # type: ignore[union-attr]

    def _follow(self, source: str, name: str) -> None:
        """`name` takes the group of `source`, unless a Pad brought a value that a fixed scale cannot hold."""
        root, other = self._root(source), self._root(name)
        group, joins = self._groups[root], self._groups[other]
        if root == other or joins.is_unit or (group.is_unit and not _inside(joins.range, UNIT_RANGE)):
            return
        group.range = group.range.union(joins.range)
        self._parent[other] = root

    def _join(self, node: ir.Node, output: str) -> None:
        """Concat: one scale for all, if no part loses more than `similar_ratio` of its resolution by it."""
        names = [str(v.name) for v in node.inputs if v is not None and not is_constant(v)]
        roots = list(dict.fromkeys(self._root(n) for n in names))
        groups = [self._groups[r] for r in roots]
        if len(names) < len(node.inputs) or self._root(output) != output:
            return
        if any(g.is_unit for g in groups):
            if all(g.is_unit for g in groups):
                for root in roots[1:]:
                    self._parent[root] = roots[0]
                self._parent[output] = roots[0]
            return
        common = self._groups[output].range
        for group in groups:
            common = common.union(group.range)
        narrowest = min(g.narrowest for g in groups)
        if common.span > self._similar * narrowest:
            return
        self._groups[roots[0]] = _Group(common, narrowest, is_symmetric=any(g.is_symmetric for g in groups))
        for name in (*roots[1:], output):
            self._parent[name] = roots[0]


def _inside(inner: Range, outer: Range) -> bool:
    return outer.low <= inner.low and inner.high <= outer.high
