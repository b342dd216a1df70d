"""A float model to an int8 QDQ model, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

from ferrule.diagnostics import Finding, Level
from ferrule.quantize.choose import choose
from ferrule.quantize.findings import ALREADY_QUANTIZED, KEPT_FLOAT, NOTHING_TO_QUANTIZE
from ferrule.quantize.insert import Inserter
from ferrule.quantize.operators import Kind, form_of, is_float
from ferrule.quantize.prepare import is_constant, prepare
from ferrule.quantize.ranges import Range
from ferrule.quantize.records import QuantizeOptions, QuantizeResult
from ferrule.quantize.rewrite import Rewriter
from ferrule.quantize.scales import Scales
from ferrule.quantize.session import Feed, Session

QUANTIZED_OPERATORS = frozenset(
    {
        "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger",
        "MatMulInteger",
    }
)  # fmt: skip
DEFAULTS = QuantizeOptions()


def quantize(
    model: ir.Model, calibration: Mapping[str, npt.NDArray[Any]], options: QuantizeOptions = DEFAULTS
) -> QuantizeResult:
    """Return the int8 form of a float model as QDQ; `model` itself is not changed.

    `calibration` maps each graph input to its samples `[N, *shape]`, shape with the model's own batch axis. Activations
    become int8 with one asymmetric scale per tensor, weights int8 with one symmetric scale per output channel, biases
    int32 at the product of both. Inputs and outputs stay as they are. Refusal FER305 where the model does not run on
    the samples.
    """
    present = sorted({n.op_type for n in model.graph.all_nodes() if n.op_type in QUANTIZED_OPERATORS})
    if present:
        message = f"holds {', '.join(present)}; its own scales are kept"
        said = ALREADY_QUANTIZED.at("model", message, level=Level.NOTE, stage="quantize")
        return QuantizeResult(model, {}, {}, (said,))
    findings: list[Finding] = []
    ready, samples = prepare(model, calibration, findings)
    Rewriter(ready.graph, findings).run()
    ranges = observe(ready, samples, options)
    choice = choose(ready.graph, ranges, options.concat_ratio, findings)
    if not any(_computes(node) for node in choice.integer):
        said = NOTHING_TO_QUANTIZE.at("model", "no node has an integer form", level=Level.NOTE, stage="quantize")
        return QuantizeResult(model.clone(), ranges, choice.reasons, (said,))
    for node in ready.graph:
        reason = choice.reasons.get(str(node.name))
        if reason is not None and any(is_float(v) for v in node.outputs) and _computes(node, unknown=True):
            findings.append(KEPT_FLOAT.at(str(node.name), f"stays float: {reason}", level=Level.NOTE, stage="quantize"))
    scales = Scales(ready.graph, choice, ranges, options.similar_ratio)
    Inserter(ready.graph, choice, scales, findings).run()
    return QuantizeResult(ready, ranges, choice.reasons, tuple(findings))


def observe(model: ir.Model, samples: list[Feed], options: QuantizeOptions) -> Mapping[str, Range]:
    """Run the model on every sample and return the range of every computed float tensor and float input."""
    provider = options.provider()
    values = [v for v in model.graph.inputs if not is_constant(v)] + [v for n in model.graph for v in n.outputs]
    names = [str(v.name) for v in values if is_float(v) and v.producer() is not None]
    inputs = [str(v.name) for v in values if is_float(v) and v.producer() is None]
    session = Session(model, names)
    for sample, seen in zip(samples, session.run_all(samples, options.threads), strict=True):
        for name in inputs:
            if name in sample:
                provider.observe(name, sample[name])
        for name in names:
            if name in seen and seen[name].dtype == np.float32:
                provider.observe(name, seen[name])
    return provider.ranges()


def _computes(node: ir.Node, unknown: bool = False) -> bool:
    """Whether a node does more than move values; `unknown` is the answer for operators without integer form."""
    form = form_of(node)
    return unknown if form is None else form.kind not in (Kind.MOVE, Kind.JOIN)
