"""Which nodes become integer, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import onnx_ir as ir

from ferrule.diagnostics import Finding, Level
from ferrule.quantize.findings import CONCAT_RANGES, NOT_FINITE
from ferrule.quantize.operators import CLAMPED, Kind, data_inputs, form_of, is_float, why_float
from ferrule.quantize.prepare import is_constant
from ferrule.quantize.ranges import Range

ACTIVATIONS = frozenset({"Relu", "Clip"})


@dataclass
class Choice:
    """The integer nodes, the reasons of the float ones, and the tensors that a clamp swallows."""

    integer: set[ir.Node] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)
    swallowed: set[ir.Value] = field(default_factory=set)


def choose(graph: ir.Graph, ranges: Mapping[str, Range], concat_ratio: float, findings: list[Finding]) -> Choice:
    """Decide node by node, in the order of the graph."""
    choice = Choice()
    for node in graph:
        reason = why_float(node) or _not_finite(node, ranges, findings)
        if reason is None:
            choice.integer.add(node)
        else:
            choice.reasons[str(node.name)] = reason
    _keep_tails_float(graph, ranges, concat_ratio, choice, findings)
    _leave_moves_between_floats(graph, choice)
    for node in graph:
        if node in choice.integer and node.op_type in CLAMPED:
            value = node.outputs[0]
            uses = tuple(value.uses())
            if len(uses) != 1 or value.is_graph_output():
                continue
            reader = uses[0].node
            if reader in choice.integer and reader.op_type in ACTIVATIONS and uses[0].idx == 0:
                choice.swallowed.add(value)
    return choice


def _not_finite(node: ir.Node, ranges: Mapping[str, Range], findings: list[Finding]) -> str | None:
    form = form_of(node)
    assert form is not None
    values = [node.inputs[i] for i in data_inputs(node, form)]
    for value in [*values, *(v for v in node.outputs if is_float(v))]:
        span = ranges.get(str(value.name)) if value is not None else None
        if value is None or span is None or span.is_finite:
            continue
        if value.producer() is node:
            message = f"`{value.name}` holds NaN or infinity on a calibration sample"
            findings.append(NOT_FINITE.at(str(node.name), message, level=Level.WARNING, stage="quantize"))
        return f"`{value.name}` is not finite on the calibration samples"
    return None


def _is_move(node: ir.Node) -> bool:
    form = form_of(node)
    return form is not None and form.kind is Kind.MOVE


def _carries(node: ir.Node) -> bool:
    return _is_move(node) or node.op_type == "Concat"


def _keep_tails_float(
    graph: ir.Graph, ranges: Mapping[str, Range], ratio: float, choice: Choice, findings: list[Finding]
) -> None:
    """A Concat of very different ranges stays float with the moves behind it, if nothing else follows."""
    for node in graph:
        if node not in choice.integer or node.op_type != "Concat":
            continue
        spans = [
            (ranges[str(v.name)].span, str(v.name)) for v in node.inputs if v is not None and str(v.name) in ranges
        ]
        spans = [s for s in spans if s[0] > 0.0]
        if len(spans) < 2 or max(spans)[0] <= ratio * min(spans)[0]:
            continue
        (wide, wide_name), (narrow, narrow_name) = max(spans), min(spans)
        message = f"joins `{wide_name}` (span {wide:.4g}) and `{narrow_name}` (span {narrow:.4g})"
        tail = _tail(node, choice)
        if tail is None:
            text = f"{message} under one scale in the middle of the network"
            findings.append(CONCAT_RANGES.at(str(node.name), text, level=Level.NOTE, stage="quantize"))
            continue
        for member in tail:
            choice.integer.discard(member)
            choice.reasons[str(member.name)] = "it belongs to a Concat of very different ranges at the end"
        findings.append(
            CONCAT_RANGES.at(
                str(node.name),
                f"{message}; one scale would leave the narrow one {int(255 * narrow / wide)} steps, so it stays float",
                level=Level.WARNING,
                stage="quantize",
                help=[f"declare the parts as outputs: --outputs-at {','.join(str(v.name) for v in node.inputs if v)}"],
                fix="exact",
            )
        )


def _tail(node: ir.Node, choice: Choice) -> list[ir.Node] | None:
    """The node and all moves and joins behind it, None where an integer computation follows."""
    tail: list[ir.Node] = [node]
    for member in tail:
        for value in member.outputs:
            for reader in value.consumers():
                if reader not in choice.integer or reader in tail:
                    continue
                if not _carries(reader):
                    return None
                tail.append(reader)
    return tail


def _leave_moves_between_floats(graph: ir.Graph, choice: Choice) -> None:
    """A move is integer only behind an integer node, or between a graph input and one; else it would only lose bits."""
    useful: set[ir.Node] = set()
    for node in reversed(list(graph)):
        leads_on = any(reader in useful for value in node.outputs for reader in value.consumers())
        if node in choice.integer and (not _carries(node) or leads_on):
            useful.add(node)
    for node in graph:
        if node not in choice.integer or not _carries(node):
            continue
        sources = [v for v in node.inputs if is_float(v) and v is not None and not is_constant(v)]
        behind = any(v.producer() in choice.integer for v in sources)
        from_input = any(v.producer() is None for v in sources) and node in useful
        if not behind and not from_input:
            choice.integer.discard(node)
            choice.reasons[str(node.name)] = "it only moves float values"
